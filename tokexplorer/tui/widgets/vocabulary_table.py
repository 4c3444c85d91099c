"""The vocabulary table: ids of a tokenizer as rows, of which only the visible ones are ever built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.glyphs import show
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.labels import count_text
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.line_view import LineView, token_pieces
from tokexplorer.tui.widgets.titled import Titled


class VocabularyTable(LineView, Titled):
    """Shows `ids` of a tokenizer. `uses`: their uses in the corpus, None while they are counted; `notes`: what is
    special about an id, in a word."""

    TABLE: ClassVar[Columns] = Columns(
        Column("id", 7, align="right"),
        Column("token", 12, flex=3),
        Column("bytes", 11, flex=2, priority=4),
        Column("length", 6, align="right", priority=2),
        Column("uses", 7, align="right", priority=1),
        Column("what", 13, priority=3),
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(columns=self.TABLE, empty="no such token", id=id)
        self.tokenizer: Tokenizer | None = None
        self.ids: Sequence[int] = ()
        self.uses: Mapping[int, int] | None = None
        self.notes: Callable[[int], str] = _no_note

    def show_ids(self, tokenizer: Tokenizer | None, ids: Sequence[int], keep: int | None = None) -> None:
        """Show other rows; the cursor goes to the row of the id `keep` where there is one, else to the top."""
        self.tokenizer, self.ids = tokenizer, ids
        place = _place_of(keep, ids) if keep is not None else None
        self.update_rows("none")
        if place:
            self.move_cursor(place, quiet=True)

    def update_notes(self, uses: Mapping[int, int] | None, notes: Callable[[int], str]) -> None:
        """More is known about the rows."""
        self.uses, self.notes = uses, notes
        self.update_rows()

    @property
    def row_count(self) -> int:
        """Ids shown."""
        return len(self.ids)

    @property
    def chosen(self) -> int | None:
        """The id under the cursor."""
        return self.ids[self.cursor] if self.cursor < len(self.ids) else None

    def row(self, index: int, width: int) -> list[Segment]:
        """One id."""
        tokenizer, own = self.tokenizer, self.ids[index]
        assert tokenizer is not None
        data = tokenizer.token_bytes(own)
        dim = self.component("line-view--dim")
        if data is None:
            cells: list[str | Segment | list[Segment]] = [str(own), Segment("unassigned", dim), "", "", "", ""]
            return self.TABLE.row(cells, width, None, self.ascii)
        uses = "…" if self.uses is None else count_text(self.uses.get(own, 0), 7)
        special = tokenizer.is_special(own)
        cells = [
            Segment(str(own)),
            self._token(tokenizer, own, data, special, width),
            Segment(data[:24].hex(" ") + (" …" if len(data) > 24 else ""), dim),
            str(len(data)),
            Segment(uses, dim if uses in ("0", "…") else None),
            Segment("special" if special else self.notes(own), self.component("line-view--next") if special else dim),
        ]
        return self.TABLE.row(cells, width, None, self.ascii)

    def _token(self, tokenizer: Tokenizer, own: int, data: bytes, special: bool, width: int) -> list[Segment]:
        if special:
            return [Segment(show(data, width, self.ascii), self.component("line-view--next"))]
        stand_in = self.component("line-view--stand-in")
        label = to_bytes(tokenizer.label(own))
        if label == data:
            return token_pieces(data, None, stand_in, width, self.ascii)
        return [Segment(show(label, width, self.ascii))]


def _no_note(token_id: int) -> str:
    return ""


def _place_of(token_id: int, ids: Sequence[int]) -> int | None:
    """Where an id stands among others."""
    try:
        return ids.index(token_id)
    except ValueError:
        return None
