"""Training against the peers that are installed, interleaved; and how the time grows with the text and the merges."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from tables import table

OURS = "tokexplorer"
BASE = "tokenizers"
PEERS = (BASE, "rustbpe", "bpeasy", "ffbpe", "gigabpe")
STEPS = {OURS: "yes, and back", "ffbpe": "yes"}
SIZE = 32_768
GROWTH = (512, 2_048, 8_192, 32_768, 50_000)

SAMPLING = 0.02
"""Seconds between two looks at the memory of a trainer and the workers that it started."""

Figures = dict[str, float]


def run(python: str, trainer: str, path: Path, size: int) -> Figures | None:
    """One training in a process of its own; None where the trainer is not installed."""
    program = [sys.executable if trainer == OURS else python, str(Path(__file__).with_name("run_trainer.py"))]
    process = subprocess.Popen(
        [*program, trainer, str(path), str(size)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _family_memory(process.pid))
        time.sleep(SAMPLING)
    out, err = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{trainer} on {path.name}: {err.strip().splitlines()[-1]}")
    figures: Figures = json.loads(out.splitlines()[-1])
    if "missing" in figures:
        return None
    figures["memory"] = max(figures["memory"], peak)
    return figures


def _family_memory(pid: int) -> float:
    """Megabytes that a process and its children hold now; 0 where /proc does not say."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        pages = sum(int(Path(f"/proc/{one}/statm").read_text().split()[1]) for one in (pid, *children))
    except OSError:
        return 0.0
    return pages * resource.getpagesize() / 1024 / 1024


def against_peers(python: str, corpora: dict[int, Path], rounds: int) -> list[str]:
    """A table for each size of text."""
    lines: list[str] = []
    for size, path in corpora.items():
        found: dict[str, list[Figures]] = {name: [] for name in (OURS, *PEERS)}
        for _ in range(rounds):
            for name in list(found):
                figures = run(python, name, path, SIZE)
                if figures is None:
                    del found[name]
                else:
                    found[name].append(figures)
        seconds = {name: median(f["seconds"] for f in runs) for name, runs in found.items()}
        base = seconds.get(BASE)
        rows = [
            [
                name,
                f"{seconds[name]:.2f}",
                f"{seconds[name] / base:.2f}" if base else "-",
                f"{median(f['processor'] for f in runs):.2f}",
                f"{max(f['memory'] for f in runs):,.0f}",
                STEPS.get(name, "no"),
            ]
            for name, runs in sorted(found.items(), key=lambda item: seconds[item[0]])
        ]
        missing = [name for name in PEERS if name not in found]
        lines += [f"{size} MB to {SIZE:,} tokens, median of {rounds} interleaved runs:", ""]
        lines += table(["trainer", "seconds", f"of {BASE}'s", "processor seconds", "memory (MB)", "steps"], rows)
        if missing:
            lines += [f"Not installed, so left out: {', '.join(missing)}.", ""]
    return lines


def growth(python: str, corpora: dict[int, Path]) -> list[str]:
    """How time and memory grow with the text and with the merges."""
    rows = []
    before: float | None = None
    for size, path in corpora.items():
        figures = run(python, OURS, path, SIZE)
        assert figures is not None
        ratio = f"{figures['seconds'] / before:.1f}" if before else "-"
        rows.append([f"{size} MB", f"{SIZE:,}", f"{figures['seconds']:.2f}", ratio, f"{figures['memory']:,.0f}"])
        before = figures["seconds"]
    size, path = min(corpora.items(), key=lambda item: abs(item[0] - 10))
    before = None
    for tokens in GROWTH:
        figures = run(python, OURS, path, tokens)
        assert figures is not None
        ratio = f"{figures['seconds'] / before:.1f}" if before else "-"
        rows.append([f"{size} MB", f"{tokens:,}", f"{figures['seconds']:.2f}", ratio, f"{figures['memory']:,.0f}"])
        before = figures["seconds"]
    head = ["text", "tokens", "seconds", "times the one above", "memory (MB)"]
    return ["Growth with the text, then with the vocabulary:", "", *table(head, rows)]
