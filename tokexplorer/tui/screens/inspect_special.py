"""Inspect, special tokens: which there are, and one text as text, as tokens, and forbidden."""

from __future__ import annotations

from typing import Final

import regex
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static, TextArea

from tokexplorer.analysis.specials import ATTACK, ThreeWays, overlapping, registered, three_ways
from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.glyphs import safe, show
from tokexplorer.tokenizers.base import Token, Tokenizer
from tokexplorer.tui.page_rows import ToToken, count_words
from tokexplorer.tui.screens.inspect_tab import InspectTab, ids_words
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.page_list import PageList, PageRow, blank, heading, line, row, titles, wrapped
from tokexplorer.tui.widgets.titled import Titled
from tokexplorer.tui.widgets.token_model import Mark, SequenceModel
from tokexplorer.tui.widgets.token_view import TokenView

NAMES: Final = Columns(
    Column("special token", 12, flex=1), Column("id", 7, align="right"), Column("as text", 8, flex=1, priority=1)
)


LOOKS: Final = Columns(Column("", 14, flex=1), Column("", 25))
LOOKS_LIKE: Final = regex.compile(r"<\|[^|<>\s]{1,40}\|>|\[/?[A-Z]{2,12}\]|</?s>|<(?:start|end)_of_turn>")
"""what people and models take for markers"""


class WaysPanel(Vertical, Titled):
    """The text, and its two readings."""

    DEFAULT_CSS = """
    WaysPanel {
        & TextArea { height: 6; border: tall $border; padding: 0; }
        & .ways--title { height: 1; color: $foreground 70%; }
        & TokenView { height: 1fr; min-height: 2; }
        & #ways-forbid { height: auto; max-height: 3; color: $warning; }
    }
    """

    def compose(self) -> ComposeResult:
        """Text, two views, the refusal."""
        yield TextArea(ATTACK.decode(), id="ways-text", show_line_numbers=False, tab_behavior="focus")
        yield Static("", id="ways-text-title", classes="ways--title", markup=False)
        yield TokenView(id="ways-as-text")
        yield Static("", id="ways-token-title", classes="ways--title", markup=False)
        yield TokenView(id="ways-as-tokens")
        yield Static("", id="ways-forbid", markup=False)


class SpecialTab(InspectTab):
    """Left the registered special tokens; right a text three ways."""

    LABEL = "Special"
    KEYS = frozenset({"edit", "page"})
    DEFAULT_CSS = """
    SpecialTab {
        & #special-names { width: 48; }
        &.-narrow #special-names { width: 1fr; }
    }
    """

    def compose(self) -> ComposeResult:
        """Two panels."""
        yield PageList(id="special-names", classes="panel")
        yield WaysPanel(classes="panel")

    def begin(self, tokenizer: Tokenizer) -> None:
        """Encode at once: it is little."""
        names = self.query_one("#special-names", PageList)
        names.fill(self._name_rows)
        names.retitle(f"registered · {len(tokenizer.specials):,}", "enter: the token's page")
        self._show_ways()

    def _name_rows(self, width: int) -> list[PageRow]:
        tokenizer = self._seen
        assert tokenizer is not None
        name = self.inspect.chosen
        found = registered(tokenizer)
        if not found:
            rows = wrapped("No special token is registered: nothing in a text can become one.", width)
        else:
            rows = [titles(NAMES)]
        for special in found:
            as_text = f"{count_words(len(special.as_text))}: {' '.join(map(str, special.as_text))}"
            cells = ((show(special.text), "next"), (str(special.id), "strong"), (as_text, "dim"))
            rows.append(row(NAMES, *cells, target=ToToken(((name, special.id),))))
        nested = overlapping(tokenizer)
        if nested:
            rows += [blank(), heading("one begins with the other", "the longest wins")]
            rows += [line((show(short), "next"), ("  within  ", "dim"), (show(long), "next")) for short, long in nested]
        rows += self._look_alikes(tokenizer)
        rows += [blank(), heading("what a user can smuggle in")]
        words = (
            "Text that is encoded with special tokens allowed can hold control tokens: a user who writes a marker "
            "that is registered opens a message of his own. As text it is only its letters, whatever it says. "
            "What counts as a marker is this tokenizer's list, not how it looks."
        )
        return rows + wrapped(words, width)

    def _look_alikes(self, tokenizer: Tokenizer) -> list[PageRow]:
        """What in the text looks like a marker, and whether it is one here."""
        text = self.query_one("#ways-text", TextArea).text
        names = list(dict.fromkeys(LOOKS_LIKE.findall(text)))[:12]
        rows: list[PageRow] = []
        for name in names:
            own = tokenizer.specials.get(name)
            size = len(tokenizer.encode(to_bytes(name)).ids)
            word = (
                (f"a marker here: id {own}", "next") if own is not None else (f"only text: {count_words(size)}", "made")
            )
            rows.append(row(LOOKS, (show(name, 40), "strong"), word))
        return [blank(), heading("in the text it looks like a marker"), *rows] if rows else []

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Another text."""
        event.stop()
        self._show_ways()
        if self._seen is not None:
            self.query_one("#special-names", PageList).fill(self._name_rows)

    def on_line_view_selected(self, event: LineView.Selected) -> None:
        """The page of a special token."""
        if isinstance(event.view, PageList):
            target = event.view.target_at(event.index)
            if isinstance(target, ToToken):
                self.inspect.show_page(target.names[0][1])

    def on_token_view_token_selected(self, event: TokenView.TokenSelected) -> None:
        """The page of a token."""
        event.stop()
        if event.token.id >= 0:
            self.inspect.show_page(event.token.id)

    def _show_ways(self) -> None:
        tokenizer = self._seen
        if tokenizer is None:
            return
        text = self.query_one("#ways-text", TextArea).text.encode("utf-8", "surrogateescape")
        found = three_ways(tokenizer, text)
        self._show_way("ways-as-text", "ways-text-title", "as text", found, found.as_text, tokenizer)
        self._show_way("ways-as-tokens", "ways-token-title", "as tokens", found, found.as_tokens, tokenizer)
        refused = f"forbidden: {found.forbidden}" if found.forbidden else "forbidden: nothing in it is refused"
        self.query_one("#ways-forbid", Static).update(safe(refused))
        self.query_one(WaysPanel).retitle("one text three ways", "p: type")

    def _show_way(
        self, view_id: str, title_id: str, label: str, found: ThreeWays, tokens: tuple[Token, ...], tokenizer: Tokenizer
    ) -> None:
        marks: dict[int, Mark] = {}
        for number, token in enumerate(tokens):
            if any(start <= token.start < end for start, end in found.differing):
                is_marker = label == "as tokens" and tokenizer.is_special(token.id)
                marks[number] = Mark.SPECIAL if is_marker else Mark.DIFFERS
        ids, ends = [token.id for token in tokens], [token.end for token in tokens]
        self.query_one(f"#{view_id}", TokenView).show(SequenceModel(found.text, ids, ends, marks=marks))
        specials = sum(1 for mark in marks.values() if mark is Mark.SPECIAL)
        words = f"{label}: {count_words(len(tokens))}"
        if label == "as tokens":
            words += f", {specials} of them special" if specials else "; no marker of this tokenizer is in it"
        words += f"   ids {ids_words(tokens, 8)}"
        self.query_one(f"#{title_id}", Static).update(safe(words), layout=False)
