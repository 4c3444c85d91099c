"""The list of reported glitch tokens as rows: each string in the present tokenizer and in those it was reported for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tokexplorer.analysis.glitch import Reported, load_reported
from tokexplorer.analysis.searching import finder
from tokexplorer.engine.alphabet import to_text
from tokexplorer.engine.glyphs import safe, show
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.page_rows import ToToken
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.page_list import PageRow, Piece, row

ENCODINGS: Final = ("r50k_base", "cl100k_base", "o200k_base")
"""Those that the list is about."""
EVERY: Final = "every list"
COLUMNS: Final = Columns(
    Column("string", 10, flex=2),
    Column("reported for", 11, priority=2),
    Column("here", 7, align="right"),
    Column("gpt2", 7, align="right", priority=1),
    Column("cl100k", 7, align="right", priority=1),
    Column("o200k", 7, align="right", priority=1),
    Column("kind", 8, flex=1, priority=3),
)


@dataclass(frozen=True, slots=True)
class Here:
    """A reported string in four tokenizers: the present one, then those of ENCODINGS; each as its ids."""

    reported: Reported
    ids: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class ReportedList:
    """Some reported strings, to be searched."""

    rows: Sequence[Here]

    @cached_property
    def data(self) -> Sequence[bytes]:
        """The strings as bytes."""
        return [here.reported.data for here in self.rows]

    @cached_property
    def texts(self) -> Sequence[str]:
        """The strings."""
        return [to_text(data) for data in self.data]

    @cached_property
    def folded(self) -> Sequence[str]:
        """The strings in one case."""
        return [text.casefold() for text in self.texts]

    def of(self, encoding: str) -> ReportedList:
        """Those that were reported for an encoding, or all; those with control characters stand last."""
        rows = [here for here in self.rows if encoding in (EVERY, here.reported.encoding)]
        return ReportedList(sorted(rows, key=lambda here: min(here.reported.data, default=0) < 0x20))

    def search(self, query: str) -> ReportedList:
        """Those that a query finds (see searching); the ids are those that were reported. InputError."""
        finds = finder(query, self, [here.reported.id for here in self.rows])
        return ReportedList([here for at, here in enumerate(self.rows) if finds(at)])


def everywhere(tokenizer: Tokenizer, others: Sequence[Tokenizer]) -> ReportedList:
    """Every reported string in the present tokenizer and in those of ENCODINGS."""
    tokenizers = (tokenizer, *others)
    return ReportedList([Here(r, tuple(tuple(t.encode(r.data).ids) for t in tokenizers)) for r in load_reported()])


def reported_row(here: Here, name: str) -> PageRow:
    """One string; it leads to its token's page where it is one token of the present tokenizer, which is `name`."""
    target = ToToken(((name, here.ids[0][0]),)) if len(here.ids[0]) == 1 else None
    cells = [_id_or_count(ids) for ids in here.ids]
    kind = (safe(here.reported.category), "dim")
    return row(COLUMNS, here.reported.data, here.reported.encoding, *cells, kind, target=target)


def _id_or_count(ids: tuple[int, ...]) -> Piece:
    return (str(ids[0]), "strong") if len(ids) == 1 else (f"{len(ids)} t.", "dim")


def reported_words(here: Here, tokenizer: Tokenizer | None) -> str:
    """All about a reported string."""
    reported = here.reported
    words = f"{show(reported.data)} · id {reported.id} of {reported.encoding} · {reported.category}"
    words += f" · reachable {reported.reachable} · sources: {reported.sources}"
    if tokenizer is not None and len(here.ids[0]) > 1:
        parts = "|".join(show(tokenizer.token_bytes(i) or b"") for i in here.ids[0])
        words += f" · here {parts}"
    return words
