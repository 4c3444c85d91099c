"""Encoding with learned merges against bare tiktoken that was given the same ranks."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

import tiktoken
from tables import table

from tokexplorer import counting
from tokexplorer.engine.splits import GPT2_PATTERN, named
from tokexplorer.engine.training import BpeTrainer
from tokexplorer.tokenizers.learned import LearnedTokenizer

MERGES = 32_512


def measure(corpora: dict[int, Path], rounds: int) -> list[str]:
    """A table for the text nearest to 10 MB."""
    size, path = min(corpora.items(), key=lambda item: abs(item[0] - 10))
    trainer = BpeTrainer(counting.build_corpus([counting.open_file(path)], named("gpt2")))
    trainer.run(MERGES)
    ours = LearnedTokenizer(trainer.vocabulary, trainer.step_count, trainer.corpus.split)
    ranks = {token: number for number, token in enumerate(trainer.vocabulary.data)}
    bare = tiktoken.Encoding("bare", pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens={})
    data = path.read_bytes()
    text = data.decode()
    taken: dict[str, list[float]] = {"tokexplorer": [], "tiktoken": []}
    for _ in range(rounds):
        start = time.perf_counter()
        found = ours.encode(data)
        taken["tokexplorer"].append(time.perf_counter() - start)
        start = time.perf_counter()
        expected = bare.encode_ordinary(text)
        taken["tiktoken"].append(time.perf_counter() - start)
    assert list(found.ids) == expected
    speeds = {name: len(data) / median(seconds) / 1e6 for name, seconds in taken.items()}
    rows = [[name, f"{speed:.2f}", f"{speed / speeds['tiktoken']:.2f}"] for name, speed in speeds.items()]
    return [
        f"Encoding {size} MB with {MERGES:,} learned merges; ours also gives the place of each token:",
        "",
        *table(["", "MB/s", "of tiktoken's speed"], rows),
    ]
