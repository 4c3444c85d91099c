"""How soon each key is answered on texts that are hard on a screen, in a real pseudo-terminal.

    python tests/benchmarks/key_times.py [NAME ...]

Prints, for each text, the keys whose answers take longest, in milliseconds from the key to the last byte: by the
quickest of REPEATS presses (what the key costs), by the median, and by the slowest (what else the machine did).
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pty_driver import KEYS, Terminal, explorer

REPEATS = 7
QUIET = 0.12
MOVES = ["right", "left", "down", "up", "pagedown", "pageup", "end", "home"]
PRESSED = ["s", "b", "S", "B", *MOVES, "#", "#", "h", "h", "d", "d", "t", "T", "1", *MOVES]
PRESSED += ["2", *MOVES, "r", "r", "r", "3", *MOVES, "4", "z", "z", "tab", "tab", "tab", "tab", "]", "["]


def letters(draw: random.Random, length: int) -> str:
    return "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=length))


def one_line(folder: Path) -> list[str]:
    """A line of 1 MB."""
    draw = random.Random(1)
    path = folder / "line.txt"
    path.write_text(" ".join(letters(draw, draw.randint(1, 12)) for _ in range(135_000))[:1_000_000])
    return [str(path)]


def many_lines(folder: Path) -> list[str]:
    """100,000 lines."""
    draw = random.Random(2)
    path = folder / "lines.txt"
    path.write_text("".join(f"{letters(draw, draw.randint(1, 9))} {n}\n" for n in range(100_000)))
    return [str(path)]


def many_pairs(folder: Path) -> list[str]:
    """More than 50,000 distinct pairs of characters that are not split."""
    draw = random.Random(3)
    signs = [chr(point) for point in range(0x4E00, 0x4E00 + 400)]
    path = folder / "pairs.txt"
    path.write_text("\n".join("".join(draw.choices(signs, k=60)) for _ in range(3000)))
    return [str(path)]


def many_files(folder: Path) -> list[str]:
    """1,000 files."""
    draw = random.Random(4)
    paths = []
    for number in range(1000):
        path = folder / f"file{number:04}.txt"
        path.write_text(" ".join(letters(draw, draw.randint(1, 9)) for _ in range(100)))
        paths.append(str(path))
    return paths


TEXTS = {
    "one line of 1 MB": one_line,
    "100,000 lines": many_lines,
    "50,000 pairs": many_pairs,
    "1,000 files": many_files,
}


def answered(terminal: Terminal, key: str) -> float:
    """Milliseconds from a key to the last byte of its answer; 0 where it has none."""
    begin = terminal.last_read = time.perf_counter()
    terminal.send(KEYS.get(key, key))
    while time.perf_counter() - terminal.last_read < QUIET:
        terminal.pump(0.005)
    return (terminal.last_read - begin) * 1e3


def main() -> None:
    chosen = sys.argv[1:] or list(TEXTS)
    with tempfile.TemporaryDirectory() as name:
        os.environ["TOKEXPLORER_HOME"] = str(Path(name) / "home")
        for text in chosen:
            folder = Path(name) / text.replace(" ", "-")
            folder.mkdir()
            alphabet = ["alphabet = 'chars'\nsplit = 'lines'\n"] if text == "50,000 pairs" else []
            (Path(name) / "home").mkdir(exist_ok=True)
            (Path(name) / "home" / "settings.toml").write_text("".join(alphabet))
            with explorer(*TEXTS[text](folder)) as terminal:
                terminal.until("step 0/", 120)
                terminal.settle(2.0)
                print(f"{text}: {terminal.text.splitlines()[0].strip()}", flush=True)
                terminal.press("t", quiet=2.0)
                terminal.press("T", quiet=2.0)
                found: dict[str, list[float]] = {}
                pane = "4"
                for _ in range(REPEATS):
                    for key in PRESSED:
                        pane = key if key in "1234" else pane
                        found.setdefault(f"{pane}:{key}", []).append(answered(terminal, key))
                for words, of in (("quickest", min), ("median", statistics.median), ("slowest", max)):
                    times = sorted(((of(values), key) for key, values in found.items()), reverse=True)[:10]
                    print(f"  by the {words:8} " + "  ".join(f"{key} {ms:.0f}" for ms, key in times), flush=True)


if __name__ == "__main__":
    main()
