"""How long the algorithms beside BPE take: `python tests/benchmarks/bench_algorithms.py [FILE]` prints seconds.

WordPiece to 8,000 merges, Unigram to 8,000 pieces, and the whole merge list of gpt2, on FILE or the sample texts; then
the peak memory of the process.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.corpus import TextDocument, build_corpus
from tokexplorer.engine.replay import ReplayTrainer, byte_merges
from tokexplorer.engine.splits import named
from tokexplorer.engine.unigram_training import UnigramTrainer
from tokexplorer.engine.wordpiece import WordPieceTrainer
from tokexplorer.tokenizers.builtin import load

T = TypeVar("T")
SAMPLES = Path(__file__).parents[2] / "sample_texts"


def timed(label: str, work: Callable[[], T]) -> T:
    """Run the work, print how long it took, hand back what it gave."""
    start = time.perf_counter()
    result = work()
    print(f"{time.perf_counter() - start:8.3f} s  {label}")
    return result


def main(paths: list[Path]) -> None:
    """Build the corpus of the paths and run every algorithm on it."""
    corpus = build_corpus([TextDocument(path.name, path.read_bytes()) for path in paths], named("gpt2"))
    print(f"{corpus.stats.bytes:,} bytes, {corpus.stats.unique_chunks:,} unique chunks")
    for ties in TieRule:
        wordpiece = WordPieceTrainer(corpus, ties)
        timed(f"WordPiece, ties {ties}", lambda trainer=wordpiece: trainer.run(8_000))  # type: ignore[misc]
        timed("  back to step 100", lambda trainer=wordpiece: trainer.goto(100))  # type: ignore[misc]
        timed("  200 rows", lambda trainer=wordpiece: trainer.candidates(200))  # type: ignore[misc]
    unigram = timed("Unigram, seed vocabulary", lambda: UnigramTrainer(corpus, target_size=8_000))
    timed("Unigram, rounds", lambda: unigram.run(100))
    tokenizer = load("gpt2")
    merges = byte_merges("gpt2", tokenizer.merges(), tokenizer.token_bytes, tokenizer.size)
    replay = ReplayTrainer(corpus, merges)
    timed("replay of gpt2", lambda: replay.goto(len(merges.merges)))
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MB at most")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]] or sorted(SAMPLES.iterdir()))
