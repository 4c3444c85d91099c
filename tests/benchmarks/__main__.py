"""All measurements for the README: `python -m tests.benchmarks` prints Markdown; `--help` lists the options.

The peers that are compared with are those that the Python of `--peers-python` has: tokenizers, rustbpe, bpeasy, ffbpe,
gigabpe. Machines are noisy: only ratios of one run say much.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import corpora
import encoding
import latency
import screen
import training


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--text", type=Path, help="a file to measure on (default: Python sources of this machine)")
    parser.add_argument("--sizes", default="1,10,100", help="megabytes of text (default: 1,10,100)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each; medians are shown (default: 3)")
    parser.add_argument("--only", default="training,growth,latency,encoding,screen", help="parts, with commas between")
    parser.add_argument("--peers-python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--output", type=Path, help="write the Markdown to this file too")
    options = parser.parse_args()
    parts = options.only.split(",")
    with tempfile.TemporaryDirectory() as folder:
        sizes = sorted(int(size) for size in options.sizes.split(","))
        texts, what = corpora.build(Path(folder), sizes, options.text)
        larger = {size: path for size, path in texts.items() if size >= 10} or texts
        work: dict[str, Callable[[], list[str]]] = {
            "training": lambda: training.against_peers(options.peers_python, larger, options.rounds),
            "growth": lambda: training.growth(options.peers_python, texts),
            "latency": lambda: latency.measure(larger),
            "encoding": lambda: encoding.measure(texts, options.rounds),
            "screen": lambda: [*screen.startup(options.rounds), *screen.keys(texts)],
        }
        lines = [
            f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} cores. Text: {what}.",
            *([f"Too little text for {left} MB, so left out."] if (left := sorted(set(sizes) - set(texts))) else []),
            "",
        ]
        print("\n".join(lines), flush=True)
        for part in parts:
            found = work[part]()
            print("\n".join(found), flush=True)
            lines += found
    if options.output is not None:
        options.output.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
