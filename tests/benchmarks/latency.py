"""How long a step, a step back and a jump take, and what a screen asks for while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tables import spread, table

from tokexplorer import counting
from tokexplorer.engine.splits import named
from tokexplorer.engine.training import BpeTrainer

STEPS = 1_000
MERGES = 32_512


def timed(work: Callable[[], object]) -> float:
    """Seconds that the work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(corpora: dict[int, Path]) -> list[str]:
    """A table of latencies and one of jumps for each size of text."""
    lines: list[str] = []
    for size, path in corpora.items():
        corpus = counting.build_corpus([counting.open_file(path)], named("gpt2"))
        trainer = BpeTrainer(corpus)
        rows = [
            [f"step, the first {STEPS:,}", *spread([timed(trainer.step) for _ in range(STEPS)])],
            [f"back, over the first {STEPS:,}", *spread([timed(trainer.back) for _ in range(STEPS)])],
            ["step again", *spread([timed(trainer.step) for _ in range(STEPS)])],
        ]
        to_end = timed(lambda: trainer.run(MERGES))  # noqa: B023
        reached = trainer.step_count
        rows.append([f"back, from step {reached:,}", *spread([timed(trainer.back) for _ in range(STEPS)])])
        trainer.goto(reached)
        rows.append(["200 best pairs", *spread([timed(lambda: trainer.candidates(200)) for _ in range(100)])])  # noqa: B023
        lines += [f"{size} MB, milliseconds:", "", *table(["", "p50", "p99", "max"], rows)]
        lines += _jumps(size, path, trainer, to_end)
    return lines


def _jumps(size: int, path: Path, trainer: BpeTrainer, to_end: float) -> list[str]:
    """Jumps against training as far as they go, from the text on."""
    reached = trainer.step_count
    fresh: list[float] = []
    for target in (100, 1_000, reached // 2, reached):

        def train(target: int = target) -> None:
            corpus = counting.build_corpus([counting.open_file(path)], named("gpt2"))
            BpeTrainer(corpus).run(target)

        fresh.append(timed(train))
    rows = []
    for start, target, against in (
        (reached, 100, fresh[0]),
        (reached, 1_000, fresh[1]),
        (0, reached // 2, fresh[2]),
        (0, reached, fresh[3]),
        (reached, 0, fresh[3]),
        (reached, reached // 2, fresh[2]),
    ):
        trainer.goto(start)
        taken = timed(lambda: trainer.goto(target))  # noqa: B023
        rows.append([f"{start:,} to {target:,}", f"{taken:.3f}", f"{against:.3f}", f"{taken / against:.2f}"])
    head = ["jump", "seconds", "training that far", "ratio"]
    return [f"{size} MB, jumps ({to_end:.2f} s for the merges alone):", "", *table(head, rows)]
