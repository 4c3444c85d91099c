"""Inspect: one tab for each question about a tokenizer. Tabs are made at their first visit and kept."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from tokexplorer.engine.glyphs import safe
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.actions import Action, bindings
from tokexplorer.tui.labels import name_text, size_text
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.screens.inspect_budget import BudgetTab
from tokexplorer.tui.screens.inspect_glitch import GlitchTab
from tokexplorer.tui.screens.inspect_languages import LanguagesTab
from tokexplorer.tui.screens.inspect_numbers import NumbersTab
from tokexplorer.tui.screens.inspect_spaces import SpacesTab
from tokexplorer.tui.screens.inspect_special import SpecialTab
from tokexplorer.tui.screens.inspect_tab import InspectTab
from tokexplorer.tui.screens.study import StudyScreen
from tokexplorer.tui.shelf import CHARACTERS, Scene, Shelf, title_of
from tokexplorer.tui.study_actions import INSPECT
from tokexplorer.tui.widgets.key_bar import KeyBar
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.study_bar import StudyBar
from tokexplorer.tui.widgets.tab_line import TabLine

TABS: Final = (GlitchTab, NumbersTab, SpacesTab, SpecialTab, LanguagesTab, BudgetTab)


class InspectScreen(StudyScreen):
    """The tabs share one tokenizer; what each found out is kept on the shelf."""

    ACTIONS = INSPECT
    TITLE_WORDS = "Inspect"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(INSPECT)]
    AUTO_FOCUS = ""
    CSS = """
    InspectScreen #tabs { height: 1fr; }
    InspectScreen InspectTab { display: none; }
    InspectScreen InspectTab.-on { display: block; }
    """

    def __init__(self, shelf: Shelf, scene: Scene, name: str) -> None:
        super().__init__(shelf, scene)
        self.chosen = name if name != CHARACTERS else OWN
        self.tokenizer: Tokenizer | None = None
        self._tabs: dict[int, InspectTab] = {}
        self._now = 0

    def compose(self) -> ComposeResult:
        """The tabs' labels, and the present tab."""
        yield StudyBar()
        line = TabLine()
        line.set_reactive(TabLine.labels, [tab.LABEL for tab in TABS])
        yield line
        yield Container(id="tabs")
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin with the tab of the last time."""
        super().on_mount()
        last = self.shelf.choices.get("inspect", ("0",))[0]
        self.action_tab(int(last))
        self._turn_to(self.chosen)

    @property
    def tab(self) -> InspectTab:
        """The present tab."""
        return self._tabs[self._now]

    def action_tab(self, number: int) -> None:
        """To a tab, counted from 0."""
        self._now = number
        self.shelf.choices["inspect"] = (str(number),)
        self.query_one(TabLine).chosen = number
        fresh = number not in self._tabs
        if fresh:
            self._tabs[number] = TABS[number]()
            self.query_one("#tabs").mount(self._tabs[number])
        for at, tab in self._tabs.items():
            tab.set_class(at == number, "-on")
        if not fresh:
            tab = self._tabs[number]
            tab.go_to_panel(tab.shown)
            if self.tokenizer is not None:
                tab.turn_to(self.tokenizer)
        self.show_keys()

    def action_next_tab(self, direction: int) -> None:
        """To the next tab."""
        self.action_tab((self._now + direction) % len(TABS))

    def on_tab_line_tab_chosen(self, event: TabLine.TabChosen) -> None:
        """A tab was clicked."""
        self.action_tab(event.index)

    def _turn_to(self, name: str) -> None:
        """Look at another tokenizer."""

        def loaded(tokenizer: Tokenizer) -> None:
            self.chosen, self.tokenizer = name, tokenizer
            self.word()
            if self.tab.is_mounted:
                self.tab.turn_to(tokenizer)

        self.chosen = name
        self.word()
        self.with_tokenizer(name, loaded)

    def word(self) -> None:
        """The line on top."""
        tokenizer = self.shelf.ready(self.chosen, self.scene.snapshot)
        parts = [(0, "strong", "inspect"), (1, "strong", safe(title_of(self.chosen, tokenizer), 40))]
        if tokenizer is not None:
            parts.append((3, "", f"{tokenizer.size:,} ids"))
        parts.append((4, "dim", self.text_words))
        self.show_parts(*parts)

    @property
    def text_words(self) -> str:
        """The corpus, in words."""
        text = self.scene.text
        if text is None:
            return "no text is open"
        name = name_text(text.documents[0].name, 24) if len(text.documents) == 1 else f"{len(text.documents)} documents"
        return f"{name} {size_text(text.size)}"

    def lists(self, action: Action) -> bool:
        """Leave out what means nothing on the present tab."""
        special = {"edit", "filter", "sort", "turn", "page"}
        return action.id not in special or (self._now in self._tabs and action.id in self.tab.KEYS)

    def action_tokenizer(self, direction: int) -> None:
        """The next tokenizer."""
        names = self.shelf.names()
        at = names.index(self.chosen) if self.chosen in names else 0
        self._turn_to(names[(at + direction) % len(names)])

    def action_choose(self) -> None:
        """Choose a tokenizer from a list, or open one."""
        self.choose_tokenizer(self.chosen, self._turn_to)

    def action_next_pane(self, direction: int) -> None:
        """To the next panel of the tab."""
        self.tab.next_panel(direction)

    def action_edit(self) -> None:
        """Into the tab's text field."""
        self.tab.edit()

    def action_filter(self) -> None:
        """What the tab narrows."""
        self.tab.choose_filter()

    def action_sort(self) -> None:
        """What the tab sorts."""
        self.tab.sort()

    def action_turn(self) -> None:
        """What the tab turns over."""
        self.tab.turn()

    def action_page(self) -> None:
        """Follow the line under the cursor."""
        if isinstance(self.focused, LineView):
            self.focused.action_select()

    def show_page(self, token_id: int) -> None:
        """The page of a token of the present tokenizer."""
        if self.tokenizer is not None:
            self.page_of(self.chosen, self.tokenizer, token_id)

    def leave(self) -> None:
        """Out of a text field, then back."""
        if not self.tab.leave_field():
            super().leave()

    def on_resize(self) -> None:
        """Panels side by side, or one at a time."""
        for tab in self._tabs.values():
            tab.fold()
