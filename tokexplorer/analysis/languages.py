"""One paragraph in many languages: what each costs in tokens, beside the user's own files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from tokexplorer.analysis.progress import Progress, ShouldStop, report
from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.tokenizers.base import Tokenizer

REFERENCE: Final = "en"
_FILE: Final = "languages.json"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The paragraph in one language."""

    code: str
    name: str
    script: str
    text: str


@lru_cache(maxsize=1)
def load_paragraphs() -> tuple[Paragraph, ...]:
    """The embedded paragraphs, which all say the same; data/NOTICE.md says where they come from."""
    raw = files("tokexplorer.data").joinpath(_FILE).read_text(encoding="utf-8")
    return tuple(Paragraph(p["code"], p["name"], p["script"], p["text"]) for p in json.loads(raw)["paragraphs"])


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """What one text costs."""

    code: str
    """empty for a file of the user's"""
    name: str
    script: str
    bytes: int
    chars: int
    tokens: int
    chars_per_token: float
    bytes_per_token: float
    cost: float | None
    """tokens by those of the reference language for the same content; None for a text with other content"""


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """The languages in one tokenizer, in the order of the paragraphs; then the user's own texts."""

    tokenizer: str
    reference: str
    """the name of the language that costs 1.0"""
    rows: tuple[LanguageRow, ...]
    own: tuple[LanguageRow, ...]


def language_table(
    tokenizer: Tokenizer,
    own_texts: Sequence[tuple[str, bytes]] = (),
    reference: str = REFERENCE,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> LanguageTable:
    """Count the paragraphs, and the user's texts as (name, bytes); progress counts texts.

    KeyError where no paragraph has the code `reference`; Cancelled when `should_stop` says so.
    """
    paragraphs = load_paragraphs()
    total = len(paragraphs) + len(own_texts)
    base = next((p for p in paragraphs if p.code == reference), None)
    if base is None:
        raise KeyError(reference)
    base_tokens = len(tokenizer.encode(to_bytes(base.text)))
    rows: list[LanguageRow] = []
    for paragraph in paragraphs:
        report(len(rows), total, on_progress, should_stop)
        rows.append(_row(tokenizer, paragraph, to_bytes(paragraph.text), base_tokens))
    own: list[LanguageRow] = []
    for name, text in own_texts:
        report(len(rows) + len(own), total, on_progress, should_stop)
        own.append(_row(tokenizer, Paragraph("", name, "", ""), text, None))
    report(total, total, on_progress, should_stop)
    return LanguageTable(tokenizer.name, base.name, tuple(rows), tuple(own))


def _row(tokenizer: Tokenizer, paragraph: Paragraph, text: bytes, base_tokens: int | None) -> LanguageRow:
    tokens, chars = len(tokenizer.encode(text)), len(to_text(text))
    return LanguageRow(
        code=paragraph.code,
        name=paragraph.name,
        script=paragraph.script,
        bytes=len(text),
        chars=chars,
        tokens=tokens,
        chars_per_token=chars / tokens if tokens else 0.0,
        bytes_per_token=len(text) / tokens if tokens else 0.0,
        cost=tokens / base_tokens if base_tokens else None,
    )
