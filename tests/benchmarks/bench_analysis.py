"""How long the analyses take: `python tests/benchmarks/bench_analysis.py` prints seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tokexplorer.analysis.comparison import compare
from tokexplorer.analysis.emission import find_emissions
from tokexplorer.analysis.kinds import Kind, Order, VocabularyIndex
from tokexplorer.analysis.languages import language_table
from tokexplorer.analysis.numbers import number_grids, other_digits
from tokexplorer.analysis.reachability import classify, count_uses, sweep
from tokexplorer.analysis.token_page import token_page, uses_of
from tokexplorer.tokenizers.baselines import CharacterTokenizer, WordTokenizer
from tokexplorer.tokenizers.builtin import load

T = TypeVar("T")
TEXT = (Path(__file__).parents[2] / "sample_texts" / "english.txt").read_bytes()
LARGE = TEXT * (10_000_000 // len(TEXT))


def timed(label: str, work: Callable[[], T]) -> T:
    """Run the work, print how long it took, hand back what it gave."""
    start = time.perf_counter()
    result = work()
    print(f"{time.perf_counter() - start:8.3f} s  {label}")
    return result


def main() -> None:
    """All measurements, one line each."""
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        tokenizer = load(name)
        timed(f"{name}: load and encode one word", lambda: tokenizer.encode(b"word"))  # noqa: B023
        swept = timed(f"{name}: sweep", lambda: sweep(tokenizer))  # noqa: B023
        emissions = timed(f"{name}: never emitted", lambda: find_emissions(swept))  # noqa: B023
        timed(f"{name}: categories", lambda: classify(swept, emissions))  # noqa: B023
        timed(f"{name}: number grids", lambda: number_grids(tokenizer))  # noqa: B023
    o200k = load("o200k_base")
    index = VocabularyIndex(o200k)
    timed("o200k_base: texts of all tokens", lambda: index.texts)
    for kind in Kind:
        timed(f"o200k_base: kind {kind}", lambda: index.ids(kind))  # noqa: B023
    for query in ("the", " The", "hex:d0be", "id:5-900", "re:^ ?[a-z]+ing$"):
        timed(f"o200k_base: search {query!r}", lambda: index.search(query, index.ids(Kind.ALL)))  # noqa: B023
    timed("o200k_base: scripts", lambda: index.script_counts)
    encoded = timed("o200k_base: encode 10 MB", lambda: o200k.encode(LARGE))
    uses = timed("count uses in 10 MB", lambda: count_uses(encoded))
    timed("sort by uses", lambda: index.sort(index.ids(Kind.ALL), Order.USES, uses))
    timed("all uses of a token in 10 MB", lambda: uses_of(encoded, 290))
    timed("token page, first", lambda: token_page(index, 290, [load("gpt2"), load("cl100k_base")]))
    timed("token page, next", lambda: token_page(index, 291, [load("gpt2"), load("cl100k_base")]))
    timed("digits of other scripts", lambda: other_digits(o200k))
    timed("languages", lambda: language_table(o200k))
    four = [load("gpt2"), load("cl100k_base"), o200k, WordTokenizer.of_text(TEXT)]
    timed("compare four on 60 bytes", lambda: compare(TEXT[:60], four))
    timed("compare four on 30 kB", lambda: compare(TEXT, four))
    timed("compare four on 10 MB", lambda: compare(LARGE, four))
    timed("compare two on 10 MB", lambda: compare(LARGE, [o200k, CharacterTokenizer()]))


if __name__ == "__main__":
    main()
