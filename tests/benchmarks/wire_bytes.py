"""What the explorer costs on the wire: bytes that a real pseudo-terminal receives for a step, for looking through
another tokenizer, and for a second of an auto-run.

    python tests/benchmarks/wire_bytes.py [FILE]

Without FILE it takes 1 MB of the sample texts' lines in random order.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pty_driver import Terminal, explorer

SIZES = ((120, 36), (80, 24))
STEPS = 10
SECONDS = 8.0


def one_megabyte(folder: Path) -> Path:
    """A text of 1 MB."""
    samples = Path(__file__).parents[2] / "sample_texts"
    lines = [line for path in ("english.txt", "code.py") for line in (samples / path).read_bytes().splitlines(True)]
    draw = random.Random(1)
    path = folder / "text.txt"
    path.write_bytes(b"".join(draw.choices(lines, k=40_000))[:1_000_000])
    return path


def steps(terminal: Terminal) -> list[int]:
    """Bytes of each of STEPS steps."""
    return [terminal.press("s", quiet=0.5) for _ in range(STEPS)]


def running(terminal: Terminal, seconds: float) -> tuple[float, int]:
    """Bytes a second of an auto-run, and the step that it came to."""
    before = len(terminal.raw)
    terminal.send("a")
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        terminal.pump(min(left, 0.1))
    rate = (len(terminal.raw) - before) / seconds
    terminal.press("a", quiet=1.0)
    line = terminal.text.split("\n")[0]
    return rate, int(line.partition("step ")[2].partition("/")[0].replace(",", ""))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        os.environ["TOKEXPLORER_HOME"] = name
        path = sys.argv[1] if len(sys.argv) > 1 else str(one_megabyte(Path(name)))
        for size in SIZES:
            print(f"{size[0]}x{size[1]}")
            for options in ((), ("--low-bandwidth",)):
                with explorer(*options, path, size=size) as terminal:
                    terminal.until("step 0/", 60)
                    terminal.settle(1.0)
                    first = len(terminal.raw)
                    costs = steps(terminal)
                    lens = terminal.press("t", quiet=2.0)
                    terminal.press("T", quiet=1.0)
                    rate, step = running(terminal, SECONDS)
                print(
                    f"  {' '.join(options) or 'usual':16} first screen {first:7,}   one step {max(costs):6,} at most, "
                    f"{sum(costs) // STEPS:6,} on average   another tokenizer {lens:6,}   "
                    f"auto-run {rate:8,.0f} a second, {step} steps in {SECONDS:.0f} s"
                )


if __name__ == "__main__":
    main()
