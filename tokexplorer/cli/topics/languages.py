"""`inspect languages`: one paragraph in many languages, what each costs beside English; and files of the user's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from tokexplorer.analysis.languages import LanguageTable, language_table
from tokexplorer.cli.output import Out, columns
from tokexplorer.cli.topics.asked import Asked
from tokexplorer.tokenizers.base import Tokenizer

BAR: Final = 30
"""Characters of the longest bar."""


def _table(tokenizer: Tokenizer, asked: Asked) -> LanguageTable:
    return language_table(
        tokenizer, asked.files, on_progress=lambda done, total: asked.bar.show("languages", done, total, "texts")
    )


def values(tokenizer: Tokenizer, asked: Asked) -> dict[str, Any]:
    """The topic as JSON values."""
    table = _table(tokenizer, asked)
    return {
        "reference": table.reference,
        "languages": [asdict(row) for row in table.rows],
        "files": [{k: v for k, v in asdict(row).items() if k not in ("code", "script", "cost")} for row in table.own],
    }


def lines(out: Out, tokenizer: Tokenizer, asked: Asked) -> Iterator[str]:
    """The topic for a reader, the dearest language last."""
    table = _table(tokenizer, asked)
    most = max((row.cost or 0 for row in table.rows), default=0) or 1
    rows = [
        (
            out.safe(row.name),
            row.script,
            f"{row.tokens:,}",
            f"{row.chars_per_token:.2f}",
            "" if row.cost is None else f"{row.cost:.2f}",
            "" if row.cost is None else "#" * max(1, round(BAR * row.cost / most)),
        )
        for row in (*sorted(table.rows, key=lambda row: row.cost or 0), *table.own)
    ]
    yield from columns(
        "<<>>><", rows, ("language", "script", "tokens", "chars/token", "cost", f"{table.reference} = 1")
    )
