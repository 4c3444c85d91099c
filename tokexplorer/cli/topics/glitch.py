"""`inspect glitch`: each token of a vocabulary in one category, and what the reported glitch tokens are in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tokexplorer.analysis.glitch import STATEMENT, encoding_of, reported_in
from tokexplorer.analysis.kinds import VocabularyIndex
from tokexplorer.analysis.reachability import MEANINGS, Category, Classification, count_uses
from tokexplorer.cli.output import Out, text_or_none
from tokexplorer.cli.topics.asked import Asked
from tokexplorer.tokenizers.base import Tokenizer


def _classification(tokenizer: Tokenizer, asked: Asked) -> Classification:
    index = VocabularyIndex(tokenizer)
    index.sweep(lambda done, total: asked.bar.show("looking through", done, total, "tokens"))
    asked.bar.restart()
    return index.classification(
        _uses(tokenizer, asked), lambda done, total: asked.bar.show("asking of", done, total, "doubtful tokens")
    )


def _uses(tokenizer: Tokenizer, asked: Asked) -> Mapping[int, int] | None:
    if not asked.files:
        return None
    uses: Counter[int] = Counter()
    for _, text in asked.files:
        uses.update(count_uses(tokenizer.encode(text)))
    return uses


def values(tokenizer: Tokenizer, asked: Asked) -> dict[str, Any]:
    """The topic as JSON values."""
    found = _classification(tokenizer, asked)
    return {
        "size": found.size,
        "statement": STATEMENT,
        "categories": {category.value: count for category, count in found.counts},
        "flagged": {
            category.value: list(ids) for category, ids in found.flags.items() if category is not Category.UNUSED
        },
        "reported_for": encoding_of(tokenizer),
        "reported": [
            {
                "encoding": row.reported.encoding,
                "id": row.reported.id,
                "hex": row.reported.data.hex(),
                "text": text_or_none(row.reported.data),
                "category": row.reported.category,
                "reachable": row.reported.reachable,
                "models": row.reported.models,
                "sources": row.reported.sources,
                "own": row.own,
                "ids": [token.id for token in row.tokens],
            }
            for row in reported_in(tokenizer)
        ],
    }


def lines(out: Out, tokenizer: Tokenizer, asked: Asked) -> Iterator[str]:
    """The topic for a reader."""
    found = _classification(tokenizer, asked)
    for category, count in found.counts:
        if count or category not in (Category.UNUSED,):
            yield f"{count:>9,}  {category.value:<14}  {MEANINGS[category]}"
    yield f"{found.size:>9,}  ids in all"
    yield STATEMENT
    rows = reported_in(tokenizer)
    own = [row for row in rows if row.own]
    others = [row for row in rows if not row.own]
    if own:
        yield f"reported for {encoding_of(tokenizer)}, by whom, and in how many models it was measured as under-trained"
    for row in own:
        reported = row.reported
        yield f"{reported.id:>9}  {out.show(reported.data)}  {reported.category}; {reported.sources}; {reported.models}"
    single = sum(row.single is not None for row in others)
    yield f"of {len(others):,} strings that were reported for other vocabularies, {single:,} are one token here"
