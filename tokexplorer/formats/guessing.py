"""Guesses where a format is silent: which split a vocabulary was learned with."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from tokexplorer.engine.splits import PATTERNS, Split, named

CANDIDATES: Final = ("cl100k", "gpt2", "o200k")
_SAMPLE: Final = 4000
_CUT_AT_MOST: Final = 0.05


def guess_split(tokens: Iterable[bytes]) -> tuple[Split, str]:
    """The split that cuts the fewest tokens when they stand alone, and a remark that says so. A token cannot have been
    learned across a chunk border, so the right split cuts next to none; where every GPT split cuts many, it is none."""
    texts = [*islice(_texts(tokens), _SAMPLE * 8)]
    texts = texts[:: max(1, len(texts) // _SAMPLE)]
    cuts = {name: sum(len(named(name).chunks(text)) > 1 for text in texts) for name in CANDIDATES}
    best = min(CANDIDATES, key=lambda name: cuts[name])
    if cuts[best] > _CUT_AT_MOST * len(texts):
        best = "none"
    figures = ", ".join(f"{name} {cuts[name]:,}" for name in CANDIDATES)
    remark = (
        f"the file holds no split pattern: {best} is a guess (of {len(texts):,} tokens it cuts the fewest: {figures}); "
        f"give the split to be sure ({', '.join(PATTERNS)}, or a pattern)"
    )
    return named(best), remark


def _texts(tokens: Iterable[bytes]) -> Iterable[str]:
    for token in tokens:
        try:
            text = token.decode()
        except UnicodeDecodeError:
            continue
        if len(text) > 1:
            yield text
