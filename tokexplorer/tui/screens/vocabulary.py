"""All tokens of a tokenizer: searched, filtered, sorted; the token under the cursor beside them, its page on Enter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from tokexplorer.analysis.kinds import Kind, Order
from tokexplorer.analysis.reachability import Category
from tokexplorer.analysis.searching import WAYS
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.glyphs import safe
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui import page_rows
from tokexplorer.tui.actions import bindings
from tokexplorer.tui.knowing import Uses, classes, known_classes, known_uses, read, swept, uses_in
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.screens.dialogs import AskScreen, ChooseScreen
from tokexplorer.tui.screens.study import Hold, StudyScreen
from tokexplorer.tui.screens.token_page import quick_page
from tokexplorer.tui.shelf import CHARACTERS, Scene, Shelf, title_of
from tokexplorer.tui.study_actions import VOCABULARY
from tokexplorer.tui.widgets.key_bar import KeyBar
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.page_list import PageList, PageRow
from tokexplorer.tui.widgets.study_bar import StudyBar
from tokexplorer.tui.widgets.vocabulary_table import VocabularyTable

WIDE: Final = 110
"""Cells from which on the token under the cursor is told of beside the table."""
KINDS: Final = {
    Kind.ALL: "every id, the unassigned ones too",
    Kind.SPECIAL: "control tokens outside the merges",
    Kind.UNASSIGNED: "ids that stand for nothing",
    Kind.WHITESPACE: "nothing but white space",
    Kind.DIGITS: "nothing but digits, a leading space allowed",
    Kind.PARTIAL_UTF8: "not valid UTF-8 alone: cut characters, single bytes of them",
    Kind.UNREACHABLE: "its own bytes do not merge back to it",
    Kind.SPLIT_ALONE: "the split pattern cuts it when it stands alone",
    Kind.NEVER_EMITTED: "no valid text yields it",
    Kind.GLITCH: "reported as a glitch token of a model with this vocabulary",
}
NOTES: Final = {
    Category.ONLY_PART: "only a part",
    Category.NEVER_EMITTED: "never emitted",
    Category.UNREACHABLE: "unreachable",
    Category.SPLIT_ALONE: "cut alone",
    Category.PARTIAL_UTF8: "partial UTF-8",
}
SCRIPT: Final = "script "
ORDERS: Final = (Order.ID, Order.LENGTH, Order.USES)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rows are shown, and how. `script` narrows a kind further where it is not empty."""

    name: str
    kind: Kind = Kind.ALL
    script: str = ""
    query: str = ""
    order: Order = Order.ID

    @property
    def plain(self) -> bool:
        """Whether all ids are shown in their order."""
        return self.kind is Kind.ALL and not self.script and not self.query and self.order is Order.ID


class VocabularyScreen(StudyScreen):
    """A table of any size; what takes long is done in a worker while the table stays live."""

    ACTIONS = VOCABULARY
    TITLE_WORDS = "Vocabulary"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(VOCABULARY)]
    AUTO_FOCUS = "#table"
    CSS = """
    VocabularyScreen {
        & #table, & #card {
            border: round $border; border-title-color: $foreground 70%; border-title-background: transparent;
            border-subtitle-color: $foreground 70%;
        }
        & #table { width: 3fr; }
        & #card { width: 2fr; display: none; }
        &.-wide #card { display: block; }
        & #table:focus, & #card:focus { border: round $accent; border-title-color: $accent; }
        & #search { height: 1; border: none; padding: 0 1; display: none; background: $surface; }
        &.-searching #search { display: block; }
    }
    """

    def __init__(
        self, shelf: Shelf, scene: Scene, name: str, token_id: int | None = None, kind: Kind = Kind.ALL
    ) -> None:
        super().__init__(shelf, scene)
        self.choice = Choice(name if name != CHARACTERS else OWN, kind)
        self.tokenizer: Tokenizer | None = None
        self._wanted = token_id
        self._problem = ""
        self._from_top = False

    def compose(self) -> ComposeResult:
        """The search field, the table, the token under the cursor."""
        yield StudyBar()
        yield Input(id="search", placeholder=WAYS, compact=True)
        with Horizontal():
            yield VocabularyTable(id="table")
            yield PageList(id="card")
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin with the tokenizer that was asked for."""
        super().on_mount()
        self._arrange()
        self._turn_to(self.choice.name)

    @property
    def table(self) -> VocabularyTable:
        """The table."""
        return self.query_one("#table", VocabularyTable)

    def _turn_to(self, name: str) -> None:
        """Look through another tokenizer's vocabulary."""

        def loaded(tokenizer: Tokenizer) -> None:
            self.choice = replace(self.choice, name=name)
            self.tokenizer = tokenizer
            self._prepare()
            self._select()

        self.choice = replace(self.choice, name=name)
        self._word()
        self.with_tokenizer(name, loaded)

    def _prepare(self) -> None:
        """Find out in the background what rows and filters need."""
        tokenizer, text = self.tokenizer, self.scene.text
        if tokenizer is None:
            return
        facts, special = self.shelf.facts(tokenizer), self.scene.lens.special
        self.withdraw("uses", "classes", "select")
        self.submit("read", "reading", lambda hold: read(facts), lambda _: None, quiet=True)
        if text is not None and known_uses(facts, text, special) is None:

            def count(hold: Hold) -> Uses:
                assert text is not None
                return uses_in(facts, text, special, hold.on_progress, hold.should_stop)

            self.submit("uses", "counting uses", count, lambda _: self._note(), quiet=True)
        if known_classes(facts) is None:

            def sort_out(hold: Hold) -> object:
                return classes(facts, None, hold.on_progress, hold.should_stop)

            self.submit("classes", "looking through all tokens", sort_out, lambda _: self._note(), quiet=True)

    def _uses(self) -> Uses | None:
        """The uses in the corpus, None where they are not counted yet; empty without a corpus."""
        if self.tokenizer is None:
            return None
        if self.scene.text is None:
            return Uses()
        return known_uses(self.shelf.facts(self.tokenizer), self.scene.text, self.scene.lens.special)

    def _note(self) -> None:
        """More is known: show it."""
        if self.tokenizer is None:
            return
        found = known_classes(self.shelf.facts(self.tokenizer))
        kinds = found.category_of if found is not None else ()
        self.table.update_notes(self._uses(), lambda i: NOTES.get(kinds[i], "") if i < len(kinds) else "")

    def _select(self) -> None:
        """Find the rows of the present choice, and show them."""
        tokenizer, choice = self.tokenizer, self.choice
        if tokenizer is None:
            return
        self._problem = ""
        if choice.plain:
            self.withdraw("select")
            self._show(range(tokenizer.size))
            return
        label = f"searching {safe(choice.query, 20)}" if choice.query else "choosing"
        self.submit("select", label, lambda hold: self._find(choice, tokenizer, hold), self._show)

    def _find(self, choice: Choice, tokenizer: Tokenizer, hold: Hold) -> Sequence[int]:
        """The ids of a choice; for workers."""
        facts, text = self.shelf.facts(tokenizer), self.scene.text
        index = facts.index
        if choice.kind in (Kind.UNREACHABLE, Kind.SPLIT_ALONE, Kind.NEVER_EMITTED, Kind.PARTIAL_UTF8):
            swept(facts, hold.on_progress, hold.should_stop)
        ids = index.ids(choice.kind, hold.on_progress, hold.should_stop)
        if choice.script:
            ids = index.in_script(choice.script, ids)
        if choice.query:
            ids = index.search(choice.query, ids)
        uses = None
        if choice.order is Order.USES and text is not None:
            uses = uses_in(facts, text, self.scene.lens.special, hold.on_progress, hold.should_stop)
        return ids if choice.order is Order.ID else index.sort(ids, choice.order, uses)

    def _show(self, ids: Sequence[int]) -> None:
        table = self.table
        keep = self._wanted if self._wanted is not None or self._from_top else table.chosen
        self._wanted, self._from_top = None, False
        table.show_ids(self.tokenizer, ids, keep)
        self._note()
        self._word()
        self._tell()

    def refuse(self, slot: str, reason: str) -> None:
        """A query that cannot be understood is said where it is typed."""
        if slot == "select":
            self._problem = reason
            self._word()
        else:
            super().refuse(slot, reason)

    def _word(self) -> None:
        choice, tokenizer = self.choice, self.tokenizer
        title = safe(title_of(choice.name, tokenizer), 40)
        parts = [(0, "strong", "vocabulary"), (1, "strong", title)]
        if tokenizer is not None:
            parts.append((3, "", f"{tokenizer.size:,} ids"))
        if self._problem:
            parts.append((0, "next", safe(self._problem)))
        self.show_parts(*parts)
        shown = len(self.table.ids)
        query = f" · {safe(choice.query, 30)}" if choice.query else ""
        script = f" · {choice.script}" if choice.script else ""
        order = "by id" if choice.order is Order.ID else "longest first" if choice.order is Order.LENGTH else "by uses"
        self.table.retitle(f"{choice.kind.value}{script}{query}", f"{shown:,} shown · {order}")
        self.show_keys()

    def _tell(self) -> None:
        """Tell of the token under the cursor."""
        if not self.has_class("-wide"):
            return
        tokenizer, own = self.tokenizer, self.table.chosen
        card = self.query_one("#card", PageList)
        if tokenizer is None or own is None:
            card.fill(None)
            card.retitle("token")
            return
        page, name = quick_page(tokenizer, own), self.choice.name

        def build(width: int) -> list[PageRow]:
            rows = page_rows.about(page, name, tokenizer, width, waiting=False)
            return [*rows[1:], *page_rows.points(page), *page_rows.tree(page, name, card.ascii)]

        card.fill(build, keep=False)
        card.retitle("token", "enter: its page")

    def on_line_view_highlighted(self, event: LineView.Highlighted) -> None:
        """The cursor of the table has moved."""
        if event.view is self.table:
            self._tell()

    def on_line_view_selected(self, event: LineView.Selected) -> None:
        """Show the page of the chosen token."""
        own = self.table.chosen
        if self.tokenizer is None:
            return
        if isinstance(event.view, PageList):
            target = event.view.target_at(event.index)
            if isinstance(target, page_rows.ToToken):
                self.page_of(self.choice.name, self.tokenizer, target.names[0][1])
        elif own is not None:
            self.page_of(self.choice.name, self.tokenizer, own)

    def action_page(self) -> None:
        """The page of the token under the cursor."""
        if self.tokenizer is not None and self.table.chosen is not None:
            self.page_of(self.choice.name, self.tokenizer, self.table.chosen)

    def action_search(self) -> None:
        """Type a search; rows follow while it is typed."""
        self.add_class("-searching")
        self.query_one("#search", Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search for what is typed."""
        self.choice = replace(self.choice, query=event.value)
        self._select()
        self._word()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """To the rows that were found."""
        self.table.focus()

    def action_filter(self) -> None:
        """Choose a kind of tokens, or a script."""
        rows = [(kind.value, kind.value, words) for kind, words in KINDS.items()]
        tokenizer = self.tokenizer
        if tokenizer is None:
            return

        def ask(counts: dict[str, int]) -> None:
            more = [(SCRIPT + s, f"{SCRIPT}{s.replace('_', ' ')}", f"{n:,} tokens") for s, n in counts.items()]
            now = SCRIPT + self.choice.script if self.choice.script else self.choice.kind.value
            hint = "Scripts follow the kinds; a script narrows the kind that is chosen."
            self.app.push_screen(ChooseScreen("Show", hint, rows + more, now), chosen)

        def chosen(value: str | None) -> None:
            if value is None:
                return
            if value.startswith(SCRIPT):
                self.choice = replace(self.choice, script=value.removeprefix(SCRIPT))
            else:
                self.choice = replace(self.choice, kind=Kind(value), script="")
            self._select()
            self._word()

        index = self.shelf.facts(tokenizer).index
        self.submit("scripts", "counting scripts", lambda hold: dict(index.script_counts), ask)

    def action_sort(self) -> None:
        """The next order."""
        order = ORDERS[(ORDERS.index(self.choice.order) + 1) % len(ORDERS)]
        self.choice = replace(self.choice, order=order)
        self._from_top = True
        self._select()
        self._word()

    def action_goto(self) -> None:
        """Ask for an id and go there."""
        tokenizer = self.tokenizer
        if tokenizer is None:
            return
        size = tokenizer.size

        def check(text: str) -> int:
            if not (text.strip().isascii() and text.strip().isdigit()) or int(text) >= size:
                raise UsageError(f"an id is a whole number from 0 to {size - 1}")
            return int(text)

        def go(answer: str | None) -> None:
            if answer is None:
                return
            own = check(answer)
            if own not in self.table.ids:
                self.lift()
            self._wanted = own
            self._select()

        hint = f"0 to {size - 1:,}; what hides it is lifted"
        self.app.push_screen(AskScreen("Go to id", hint, check=check), go)

    def lift(self) -> None:
        """Lift search and filters."""
        self.choice = Choice(self.choice.name)
        with self.prevent(Input.Changed):
            self.query_one("#search", Input).value = ""
        self.remove_class("-searching")

    def action_tokenizer(self, direction: int) -> None:
        """The next tokenizer."""
        names = self.shelf.names()
        at = names.index(self.choice.name) if self.choice.name in names else 0
        self._turn_to(names[(at + direction) % len(names)])

    def action_choose(self) -> None:
        """Choose a tokenizer from a list, or open one."""
        self.choose_tokenizer(self.choice.name, self._turn_to)

    def action_copy(self) -> None:
        """Copy the token under the cursor."""
        own = self.table.chosen
        data = self.tokenizer.token_bytes(own) if self.tokenizer is not None and own is not None else None
        if data is not None:
            self.app.copy_to_clipboard(data.decode("utf-8", "surrogateescape"))

    def action_next_pane(self) -> None:
        """Between table and token, where both are in sight."""
        card = self.query_one("#card")
        if self.has_class("-wide") and self.table.has_focus:
            card.focus()
        else:
            self.table.focus()

    def leave(self) -> None:
        """Close the search, lift what hides rows, then leave."""
        if self.has_class("-searching") or not replace(self.choice, order=Order.ID).plain:
            self.lift()
            self.table.focus()
            self._select()
        else:
            super().leave()

    def on_resize(self) -> None:
        """One half or two."""
        self._arrange()

    def _arrange(self) -> None:
        self.set_class(self.app.size.width >= WIDE, "-wide")
        if self.is_mounted:
            self._tell()
