"""Inspect, glitch tokens: every id in one category, the tokens of each, and the list of those that were reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from tokexplorer.analysis.emission import Emission, Emissions
from tokexplorer.analysis.glitch import STATEMENT, SUSPICIOUS, encoding_of
from tokexplorer.analysis.reachability import MEANINGS, Category, Classification
from tokexplorer.analysis.searching import WAYS
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe, show
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.knowing import classes, uses_in
from tokexplorer.tui.page_rows import ToToken, emission_words
from tokexplorer.tui.reported_rows import (
    COLUMNS,
    ENCODINGS,
    EVERY,
    ReportedList,
    everywhere,
    reported_row,
    reported_words,
)
from tokexplorer.tui.screens.dialogs import ChooseScreen
from tokexplorer.tui.screens.inspect_tab import InspectTab
from tokexplorer.tui.screens.study import Hold
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.page_list import LazyRows, PageList, PageRow, Piece, blank, line, row, wrapped
from tokexplorer.tui.widgets.titled import Titled

KINDS: Final = Columns(
    Column("", 13),
    Column("", 8, align="right"),
    Column("", 7, align="right", priority=1),
    Column("", 30, flex=1, priority=2),
)
TOKENS: Final = Columns(
    Column("id", 7, align="right"),
    Column("token", 10, flex=2),
    Column("bytes", 12, flex=1, priority=2),
    Column("uses", 6, align="right", priority=3),
    Column("yielded by", 12, flex=2, priority=1),
)
LIST: Final = "reported"


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found out about a vocabulary."""

    classes: Classification
    emissions: Emissions
    uses: dict[int, int] | None
    encoding: str | None
    """whose list of reported tokens is about this very vocabulary"""


class GlitchList(Vertical, Titled):
    """The tokens of a kind, and one line on the token under the cursor."""

    def compose(self) -> ComposeResult:
        """Search, list and detail."""
        yield Input(id="glitch-search", placeholder=f"/ searches: {WAYS}", compact=True)
        yield PageList(id="glitch-tokens")
        yield Static("", id="glitch-detail", markup=False)


class GlitchTab(InspectTab):
    """Left the kinds, whose counts add up to the vocabulary; right the tokens of the kind under the cursor."""

    LABEL = "Glitch"
    KEYS = frozenset({"edit", "filter", "page"})
    DEFAULT_CSS = """
    GlitchTab {
        & #glitch-kinds { width: 46; }
        &.-narrow #glitch-kinds { width: 1fr; }
        & #glitch-search { margin-bottom: 0; }
        & #glitch-detail { height: 3; color: $foreground 80%; padding: 0 1; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._findings: Findings | None = None
        self._reported = ReportedList(())
        self.listed = ReportedList(())
        self._kind: Category | str = ""
        self._encoding = ""
        """whose list of reported tokens is wanted; empty: the one for this vocabulary, or all where there is none"""
        self._query = ""

    def compose(self) -> ComposeResult:
        """Two panels."""
        yield PageList(id="glitch-kinds", classes="panel")
        yield GlitchList(classes="panel")

    @property
    def kinds(self) -> PageList:
        """The kinds."""
        return self.query_one("#glitch-kinds", PageList)

    @property
    def tokens(self) -> PageList:
        """The tokens of a kind."""
        return self.query_one("#glitch-tokens", PageList)

    @property
    def encoding(self) -> str:
        """Whose list of reported tokens is shown."""
        found = self._findings
        return self._encoding or (found.encoding if found is not None else None) or EVERY

    def begin(self, tokenizer: Tokenizer) -> None:
        """Look through the vocabulary in a worker."""
        inspect = self.inspect
        facts, scene = inspect.shelf.facts(tokenizer), inspect.scene
        self._findings, self._reported = None, ReportedList(())
        self._show_kinds()
        self._show_tokens()

        def find(hold: Hold) -> tuple[Findings, ReportedList]:
            uses = None
            if scene.text is not None:
                uses = uses_in(facts, scene.text, scene.lens.special, hold.on_progress, hold.should_stop)
            found = classes(facts, uses, hold.on_progress, hold.should_stop)
            emissions = facts.index.emissions(hold.on_progress, hold.should_stop)
            others = [inspect.shelf.load(name if name != "r50k_base" else "gpt2", scene.snapshot) for name in ENCODINGS]
            return Findings(found, emissions, uses, encoding_of(tokenizer)), everywhere(tokenizer, others)

        def take(found: tuple[Findings, ReportedList]) -> None:
            if self.is_present(tokenizer):
                self._findings, self._reported = found
                self._show_kinds()
                self._show_tokens()

        inspect.submit("glitch", f"looking through {tokenizer.size:,} tokens", find, take)

    def _show_kinds(self) -> None:
        self.kinds.fill(self._kind_rows)
        self.kinds.retitle("each id in one kind")

    def _kind_rows(self, width: int) -> list[PageRow]:
        found = self._findings
        if found is None:
            return [line(("looking through the vocabulary …", "dim"))]
        rows: list[PageRow] = []
        size = found.classes.size
        for kind, count in found.classes.counts:
            if kind is Category.UNUSED and found.uses is None:
                continue
            share = "" if not count else f"{count / size:.1%}" if count / size >= 0.0005 else "<0.1%"
            meaning = MEANINGS[kind]
            cells = (kind.value, (f"{count:,}", "strong" if count else "dim"), (share, "dim"), (meaning, "dim"))
            rows.append(row(KINDS, *cells, target=kind))
        rows.append(row(KINDS, ("all ids", "strong"), (f"{size:,}", "strong"), "", ""))
        rows.append(blank())
        reported = self._reported.of(self.encoding).rows
        about = "this vocabulary" if self.encoding == found.encoding else self.encoding
        rows.append(row(KINDS, LIST, (f"{len(reported):,}", "strong"), "", (about, "dim"), target=LIST))
        rows.append(blank())
        chosen = self._kind
        if isinstance(chosen, Category):
            rows += wrapped(f"{chosen.value}: {MEANINGS[chosen]}.", width, "")
            rows.append(blank())
        rows += wrapped(STATEMENT, width, "next")
        return rows

    def on_line_view_highlighted(self, event: LineView.Highlighted) -> None:
        """The tokens follow the kind under the cursor."""
        if event.view is self.kinds:
            target = self.kinds.target
            if isinstance(target, Category) or target == LIST:
                self._kind = target if isinstance(target, Category) else LIST
                self._show_kinds()
                self._show_tokens()
        elif event.view is self.tokens:
            self._tell()

    def on_line_view_selected(self, event: LineView.Selected) -> None:
        """From a kind to its tokens, from a token to its page."""
        if event.view is self.kinds:
            self.go_to_panel(1)
            return
        target = self.tokens.target
        if isinstance(target, ToToken):
            self.inspect.show_page(target.names[0][1])

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the tokens while it is typed."""
        event.stop()
        self._query = event.value
        self._show_tokens()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """To the tokens that were found."""
        event.stop()
        self.focus_in(self.query_one(GlitchList))

    def _show_tokens(self) -> None:
        panel = self.query_one(GlitchList)
        found = self._findings
        if found is None:
            self.tokens.fill(None)
            panel.retitle("tokens")
            return
        if not self._kind:
            counts = dict(found.classes.counts)
            first = next((k for k in SUSPICIOUS if counts[k]), Category.ORDINARY)
            self._kind = first
            self._point_at(first)
        if self._kind == LIST:
            self._show_reported(panel)
        else:
            self._search_kind(panel, found, Category(self._kind))

    def _search_kind(self, panel: GlitchList, found: Findings, kind: Category) -> None:
        ids, query, tokenizer = found.classes.ids(kind), self._query, self._seen
        assert tokenizer is not None
        facts = self.inspect.shelf.facts(tokenizer)
        if not query:
            self.inspect.withdraw("glitch-search")
            self._show_kind(panel, found, kind, ids)
            return

        def search(_: Hold) -> Sequence[int] | InputError:
            try:
                return facts.index.search(query, ids)
            except InputError as error:
                return error

        def take(narrowed: Sequence[int] | InputError) -> None:
            if not self.is_present(tokenizer) or self._kind is not kind or self._query != query:
                return
            if isinstance(narrowed, InputError):
                panel.retitle(kind.value, str(narrowed))
            else:
                self._show_kind(panel, found, kind, narrowed)

        self.inspect.submit("glitch-search", "searching", search, take, quiet=True)

    def _show_kind(self, panel: GlitchList, found: Findings, kind: Category, ids: Sequence[int]) -> None:
        tokenizer = self._seen
        assert tokenizer is not None
        name = self.inspect.chosen

        def make(index: int) -> PageRow:
            own = ids[index]
            data = tokenizer.token_bytes(own)
            uses = "" if found.uses is None else f"{found.uses.get(own, 0):,}"
            if data is None:
                return row(TOKENS, str(own), ("unassigned", "dim"), "", "", "")
            target = ToToken(((name, own),))
            as_hex = (data[:24].hex(" "), "dim")
            if tokenizer.is_special(own):
                return row(TOKENS, str(own), (show(data), "next"), as_hex, uses, "", target=target)
            return row(TOKENS, str(own), data, as_hex, uses, _yielded(found.emissions.of(own)), target=target)

        self.tokens.fill(lambda _: LazyRows(len(ids), make), keep=False, header=TOKENS)
        self.tokens.empty = self._nothing if self._query else "none"
        of = f" of {len(found.classes.ids(kind)):,}" if self._query else ""
        panel.retitle(f"{kind.value} · {len(ids):,}{of}", "enter: the token's page")
        self._tell()

    @property
    def _nothing(self) -> str:
        """Said where a search finds nothing among the tokens of a kind: whether it would among the reported ones."""
        found = len(self._reported.of(self.encoding).search(self._query).rows)
        reported = f"; {found:,} among the reported ones" if found else ""
        return f"nothing is found in this kind{reported} (f: another kind)"

    def _show_reported(self, panel: GlitchList) -> None:
        rows = self._reported.of(self.encoding)
        try:
            self.listed = found = rows.search(self._query) if self._query else rows
        except InputError as error:
            panel.retitle(LIST, str(error))
            return
        name = self.inspect.chosen
        shown = found.rows
        self.tokens.fill(
            lambda _: LazyRows(len(shown), lambda at: reported_row(shown[at], name)), keep=False, header=COLUMNS
        )
        self.tokens.empty = "nothing is found" if self._query else "none"
        of = f" of {len(rows.rows):,}" if self._query else ""
        only = "" if self.encoding == EVERY else f" for {self.encoding}"
        panel.retitle(f"reported{only} · {len(shown):,}{of}", "id, or how many tokens · f: another list")
        self._tell()

    def _tell(self) -> None:
        """Two or three lines on the token under the cursor."""
        words = ""
        found, at, shown = self._findings, self.tokens.cursor, self.listed.rows
        if found is not None and self._kind == LIST:
            if at < len(shown):
                words = reported_words(shown[at], self._seen)
        elif found is not None and isinstance(self.tokens.target, ToToken):
            own = self.tokens.target.names[0][1]
            flags = [
                kind.value for kind, ids in found.classes.flags.items() if own in ids and kind is not Category.UNUSED
            ]
            words = f"id {own}"
            if self._seen is not None and self._seen.is_special(own):
                words += f" · {show(self._seen.token_bytes(own) or b'')} · special: stands outside the merges"
            if self._seen is not None and not self._seen.is_special(own):
                words += f" · {', '.join(flags) or 'ordinary'} · yielded by {emission_words(found.emissions.of(own))}"
        self.query_one("#glitch-detail", Static).update(safe(words), layout=False)

    def choose_filter(self) -> None:
        """Choose a kind, or a list."""
        found = self._findings
        if found is None:
            return
        if self._kind == LIST:
            lists = [(name, name, "") for name in (EVERY, *ENCODINGS)]
            self.app.push_screen(
                ChooseScreen("Reported for", "whose list is shown", lists, self.encoding), self._narrow
            )
            return
        rows = [(kind.value, kind.value, MEANINGS[kind]) for kind, count in found.classes.counts if count]
        rows.append((LIST, LIST, "the list of reported glitch tokens, with its sources"))
        self.app.push_screen(ChooseScreen("Kind", "whose tokens are shown", rows, str(self._kind)), self._narrow)

    def _narrow(self, value: str | None) -> None:
        if value is None:
            return
        if value in (EVERY, *ENCODINGS):
            self._encoding = value
        else:
            self._kind = LIST if value == LIST else Category(value)
            self._point_at(self._kind)
        self._show_kinds()
        self._show_tokens()

    def _point_at(self, kind: Category | str) -> None:
        """Put the cursor on the line of a kind."""
        for number in range(self.kinds.row_count):
            if self.kinds.target_at(number) == kind:
                self.kinds.move_cursor(number, quiet=True)


def _yielded(emission: Emission) -> Piece:
    """Which text yields a token, short."""
    verdict = emission.verdict.value
    if emission.text:
        return (emission.text, "")
    return (verdict, "dim" if verdict == "alone" else "next")
