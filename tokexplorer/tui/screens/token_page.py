"""The page of one token: what it is, its parents, its sister forms, what is built on it, and its uses in the corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from tokexplorer.analysis.emission import find_emission
from tokexplorer.analysis.token_page import Sister, TokenPage, code_points, parent_tree, sisters, token_page
from tokexplorer.engine.glyphs import safe, show
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui import page_rows
from tokexplorer.tui.actions import bindings
from tokexplorer.tui.knowing import classes, places_of, swept
from tokexplorer.tui.labels import name_text
from tokexplorer.tui.lens import CYCLE
from tokexplorer.tui.page_rows import ToPlace, ToToken
from tokexplorer.tui.screens.dialogs import ChooseScreen
from tokexplorer.tui.screens.study import Hold, StudyScreen
from tokexplorer.tui.shelf import CHARACTERS, Jump, Scene, Shelf, title_of
from tokexplorer.tui.study_actions import TOKEN_PAGE
from tokexplorer.tui.tallies import Places
from tokexplorer.tui.widgets.key_bar import KeyBar
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.page_list import PageList, PageRow
from tokexplorer.tui.widgets.study_bar import StudyBar

WIDE: Final = 96
"""Cells from which on the page has two halves side by side."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose page is shown."""

    name: str
    tokenizer: Tokenizer
    id: int


@dataclass(frozen=True, slots=True)
class Learned:
    """What a worker found out about a token. `forms` go tokenizer by tokenizer, named as in `names`."""

    page: TokenPage
    names: tuple[str, ...]
    titles: tuple[str, ...]
    forms: tuple[Sister, ...]


def quick_page(tokenizer: Tokenizer, token_id: int) -> TokenPage:
    """The page without what needs the whole vocabulary."""
    data = tokenizer.token_bytes(token_id)
    return TokenPage(
        tokenizer=tokenizer.name,
        id=token_id,
        data=data,
        label="" if data is None else tokenizer.label(token_id),
        special=data is not None and tokenizer.is_special(token_id),
        rank=None,
        valid=data is not None and all(point.point is not None for point in code_points(data)),
        points=() if data is None else code_points(data),
        parents=None if data is None else tokenizer.parents(token_id),
        tree=() if data is None else parent_tree(tokenizer, token_id),
        children=(),
        sisters=(),
        category=None,
        flags=(),
        emission=None,
    )


class TokenPageScreen(StudyScreen):
    """Shows one token; lines that name other tokens lead to their pages, places lead to the explorer."""

    ACTIONS = TOKEN_PAGE
    TITLE_WORDS = "A token's page"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(TOKEN_PAGE)]
    AUTO_FOCUS = "#left"
    CSS = """
    TokenPageScreen {
        & PageList { border: round $border; border-title-color: $foreground 70%; border-title-background: transparent; }
        & PageList:focus { border: round $accent; border-title-color: $accent; border-title-style: bold; }
        & #right { display: none; }
        &.-wide #right { display: block; }
    }
    """

    def __init__(self, shelf: Shelf, scene: Scene, name: str, tokenizer: Tokenizer, token_id: int) -> None:
        super().__init__(shelf, scene)
        self.subject = Subject(name, tokenizer, token_id)
        self.history: list[Subject] = []
        self._page = quick_page(tokenizer, token_id)
        self._learned: Learned | None = None
        self._places: Places | None = None

    def compose(self) -> ComposeResult:
        """Two halves that become one where the terminal is narrow."""
        yield StudyBar()
        with Horizontal():
            yield PageList(id="left")
            yield PageList(id="right")
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin with the page that was asked for."""
        super().on_mount()
        self._arrange()
        self._begin()

    def show_token(self, subject: Subject) -> None:
        """Show another token's page; the present one is kept to go back to."""
        self.history.append(self.subject)
        self.subject = subject
        self._begin()

    def _begin(self) -> None:
        subject = self.subject
        self._page = quick_page(subject.tokenizer, subject.id)
        self._learned = self._places = None
        self.withdraw("page", "places")
        text, facts, special = self.scene.text, self.shelf.facts(subject.tokenizer), self.scene.lens.special

        def find(hold: Hold) -> Places:
            assert text is not None
            return places_of(facts, text, subject.id, special, hold.on_progress, hold.should_stop)

        if text is not None:
            self.submit("places", "finding its uses", find, self._take_places, quiet=True)
        self.submit("page", "reading the vocabulary", lambda hold: self._learn(subject, hold), self._take, quiet=True)
        self._fill(keep=False)

    def _learn(self, subject: Subject, hold: Hold) -> Learned:
        facts = self.shelf.facts(subject.tokenizer)
        page = self._page
        names = tuple(dict.fromkeys((subject.name, *(n for n in self.shelf.names() if n != CHARACTERS))))
        if self.scene.snapshot is None:
            names = tuple(name for name in names if name != CYCLE[0] or name == subject.name)
        others = [subject.tokenizer, *(self.shelf.load(name, self.scene.snapshot) for name in names[1:])]
        found = () if page.data is None else sisters(others, page.data)
        titles = tuple(title_of(n, t, 0).removesuffix("_base") for n, t in zip(names, others, strict=True))
        if subject.name == CHARACTERS:
            return Learned(page, names, titles, found)
        sweep = swept(facts, hold.on_progress, hold.should_stop)
        ordinary = page.data is not None and not page.special
        emission = find_emission(sweep, subject.id) if ordinary else None
        kinds = classes(facts, None, hold.on_progress, hold.should_stop)
        full = token_page(facts.index, subject.id, (), kinds, emission)
        return Learned(full, names, titles, found)

    def _take(self, learned: Learned) -> None:
        self._learned, self._page = learned, learned.page
        self._fill()

    def _take_places(self, places: Places) -> None:
        self._places = places
        self._fill()

    def _fill(self, keep: bool = True) -> None:
        wide = self.has_class("-wide")
        self.query_one("#left", PageList).fill(self._left if wide else lambda w: self._left(w) + self._right(w), keep)
        self.query_one("#right", PageList).fill(self._right if wide else None, keep)
        self._word()

    def _left(self, width: int) -> list[PageRow]:
        subject = self.subject
        waiting = self._learned is None and not self._settled
        rows = page_rows.about(self._page, subject.name, subject.tokenizer, width, waiting)
        left = self.query_one("#left", PageList)
        return rows + page_rows.points(self._page) + page_rows.tree(self._page, subject.name, left.ascii)

    def _right(self, width: int) -> list[PageRow]:
        subject, learned, text = self.subject, self._learned, self.scene.text
        rows: list[PageRow] = []
        if learned is not None:
            rows += page_rows.forms(learned.forms, learned.names, learned.titles)
        label = "" if text is None else self._text_name()
        if self._page.data is not None:
            rows += page_rows.uses(self._places, text, width, label)
        rows += page_rows.children(self._page, subject.name, subject.tokenizer, learned is None and not self._settled)
        return rows[1:] if rows and self.has_class("-wide") else rows

    def refuse(self, slot: str, reason: str) -> None:
        """Show what is known."""
        super().refuse(slot, reason)
        self._fill()

    @property
    def _settled(self) -> bool:
        """Whether nothing more will be found out."""
        return self._learned is None and not self.working("page")

    def _text_name(self) -> str:
        documents = self.scene.text.documents if self.scene.text is not None else ()
        return name_text(documents[0].name, 24) if len(documents) == 1 else f"{len(documents)} documents"

    def _word(self) -> None:
        subject = self.subject
        data = self._page.data
        token = "unassigned" if data is None else show(data, 40)
        title = safe(title_of(subject.name, subject.tokenizer), 40)
        steps = f"{len(self.history)} before it" if self.history else ""
        parts = [(0, "strong", f"token {token}"), (1, "", title), (2, "", f"id {subject.id}"), (3, "dim", steps)]
        self.show_parts(*(part for part in parts if part[2]))
        self.query_one("#left", PageList).retitle(token)
        self.query_one("#right", PageList).retitle("forms, uses, what is built on it")
        self.show_keys()

    def on_resize(self) -> None:
        """One half or two."""
        self._arrange()

    def _arrange(self) -> None:
        wide = self.app.size.width >= WIDE
        if wide != self.has_class("-wide"):
            self.set_class(wide, "-wide")
            if self.is_mounted:
                self._fill()

    def on_line_view_selected(self, event: LineView.Selected) -> None:
        """Follow a line."""
        if isinstance(event.view, PageList):
            self._follow(event.view.target_at(event.index))

    def action_follow(self) -> None:
        """Follow the line under the cursor."""
        focused = self.focused
        if isinstance(focused, PageList):
            self._follow(focused.target)

    def _follow(self, target: object) -> None:
        if isinstance(target, ToPlace):
            self.dismiss(Jump(target.offset, self.subject.name))
        elif isinstance(target, ToToken):
            if len(target.names) == 1:
                self._go(*target.names[0])
                return
            own = self.subject.name
            rows = [(name, f"{name}  {token_id}", "here" if name == own else "") for name, token_id in target.names]
            of = dict(target.names)
            self.app.push_screen(
                ChooseScreen("In which vocabulary", "Enter goes to its page there", rows, own),
                lambda name: None if name is None else self._go(name, of[name]),
            )

    def _go(self, name: str, token_id: int) -> None:
        own = self.subject
        found = own.tokenizer if name == own.name else self.shelf.ready(name, self.scene.snapshot)
        if found is not None and (name, token_id) != (own.name, own.id):
            self.show_token(Subject(name, found, token_id))

    def action_back(self) -> None:
        """To the page before, or back to where the user came from."""
        if not self.history:
            self.leave()
            return
        self.subject = self.history.pop()
        self._begin()

    def action_vocabulary(self) -> None:
        """Show the token among its neighbours."""
        from tokexplorer.tui.screens.vocabulary import VocabularyScreen

        subject = self.subject

        def came_back(jump: Jump | None) -> None:
            if jump is not None:
                self.dismiss(jump)

        self.app.push_screen(VocabularyScreen(self.shelf, self.scene, subject.name, subject.id), came_back)

    def action_next_pane(self) -> None:
        """To the other half."""
        left, right = self.query_one("#left"), self.query_one("#right")
        if self.has_class("-wide"):
            (right if left.has_focus else left).focus()

    def action_copy(self) -> None:
        """Copy the token's text."""
        if self._page.data is not None:
            self.app.copy_to_clipboard(self._page.data.decode("utf-8", "surrogateescape"))
