"""The lesson panel: a step's text beside the live panes, what it asks for, options or a field to answer with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tokexplorer.engine.glyphs import safe, show
from tokexplorer.lessons.walk import Page
from tokexplorer.lessons.wording import KEY, LITERAL, NUMBER, TERM, Piece
from tokexplorer.tui.widgets.titled import Titled


class Reading(VerticalScroll, can_focus=True, inherit_bindings=False):
    """The text. Left and right are the panel's, not the scroll bar's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", "Up", show=False),
        Binding("down", "scroll_down", "Down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown", "page_down", "Page down", show=False),
    ]


class Answer(Input):
    """The field for a number. As long as it is empty, left and right are the panel's."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether the field takes a key."""
        return bool(self.value) or action not in ("cursor_left", "cursor_right")


class LessonPanel(Vertical, Titled):
    """Shows pages. What the reader does is told in messages; the single letters pass it and reach the explorer."""

    DEFAULT_CSS = """
    LessonPanel {
        border: round $accent 60%;
        border-title-color: $accent;
        border-subtitle-color: $foreground 70%;
        padding: 0 1;
        background: $background;
        &:focus-within { border: round $accent; border-title-style: bold; }
        & Reading {
            height: auto; max-height: 1fr; min-height: 1; background: $background;
            scrollbar-size-vertical: 1; scrollbar-background: $background; scrollbar-color: $foreground 25%;
        }
        & Static { width: 1fr; height: auto; background: $background; }
        & OptionList, & OptionList:focus {
            height: auto; max-height: 6; border: none; padding: 0; display: none;
            background: $background; background-tint: transparent;
        }
        & Input { display: none; background: $panel; }
        & #asked { display: none; margin-top: 1; }
        &.-asking #asked { display: block; }
        &.-choosing OptionList { display: block; }
        &.-crowded Reading { height: 1fr; }
        &.-crowded #asked { margin-top: 0; }
        &.-typing Input { display: block; }
        & .lesson--literal { background: $primary 22%; }
        & .lesson--term { text-style: bold italic; }
        & .lesson--number { text-style: bold; }
        & .lesson--key { color: $accent; text-style: bold reverse; }
        & .lesson--ask { color: $warning; }
        & .lesson--good { color: $success; }
        & .lesson--past { color: $foreground 55%; }
        &:ansi .lesson--literal { background: ansi_default; text-style: underline; }
        &:nocolor .lesson--literal { text-style: underline; }
        &:ansi .lesson--past { color: ansi_default; text-style: dim; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "lesson--literal",
        "lesson--term",
        "lesson--number",
        "lesson--key",
        "lesson--ask",
        "lesson--good",
        "lesson--past",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "go_on", "On", show=False),
        Binding("right", "skip", "Next step", show=False),
        Binding("left,backspace", "go_back", "Step before", show=False),
    ]

    class WentOn(Message):
        """The reader wants the next step; `skipping`: whatever is asked for."""

        def __init__(self, skipping: bool) -> None:
            super().__init__()
            self.skipping = skipping

    class WentBack(Message):
        """The reader wants the step before."""

    class Chose(Message):
        """The reader has chosen an option."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class Typed(Message):
        """The reader has typed an answer; empty: gives up."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def compose(self) -> ComposeResult:
        """Text, options, field."""
        with Reading():
            yield Static(id="told", markup=False)
        yield Static(id="asked", markup=False)
        yield OptionList(markup=False)
        yield Answer(compact=True, placeholder="a number, then Enter")

    def show_page(self, page: Page, title: str, subtitle: str, roomy: bool) -> None:
        """Show a page under titles that are safe to show; `roomy`: there are lines enough for all of it."""
        self.retitle(title, subtitle)
        choosing = bool(page.options) and not page.done
        self.set_class(choosing, "-choosing")
        self.set_class(page.typed, "-typing")
        if choosing:
            self._show_options(page)
        if page.typed:
            self.query_one(Input).clear()
        asking = bool(page.asked) and not page.done
        self.set_class(asking, "-asking")
        self.set_class(not roomy, "-crowded")
        self.query_one("#told", Static).update(self._told(page, roomy))
        if asking:
            self.query_one("#asked", Static).update(self._asked(page))
        self.query_one(Reading).scroll_home(animate=False)

    def take_focus(self) -> None:
        """Put the focus where the reader answers, or on the text."""
        self.answering.focus()

    @property
    def answering(self) -> Widget:
        """What takes the reader's keys."""
        if self.has_class("-choosing"):
            return self.query_one(OptionList)
        return self.query_one(Input) if self.has_class("-typing") else self.query_one(Reading)

    def _show_options(self, page: Page) -> None:
        options = self.query_one(OptionList)
        at = options.highlighted
        options.clear_options()
        for number, words in enumerate(page.options):
            tried = number in page.wrong
            text = Text("✗ " if tried else "  ", self._style("past") if tried else "")
            text.append_text(self._line(words))
            if tried:
                text.stylize(self._style("past"))
            options.add_option(Option(text, disabled=tried))
        left = [n for n in range(len(page.options)) if n not in page.wrong]
        options.highlighted = at if at in left else left[0] if left else None

    def _told(self, page: Page, roomy: bool) -> Text:
        """The step's text; when all is done, what became of it and the text after it, alone where room is short."""
        told = self._paragraphs(page.told)
        if not page.done:
            return told
        became = Text()
        if page.note:
            became.append_text(self._marked("✓ " if page.good else "", page.note, "good" if page.good else "ask"))
        if page.then:
            became.append(" ").append_text(self._paragraphs(page.then))
        told.stylize(self._style("past"))
        whole = Text("\n\n").join([told, became])
        return whole if roomy or self._lines(whole) <= self.content_size.height else became

    def _lines(self, text: Text) -> int:
        return len(text.wrap(self.app.console, max(1, self.content_size.width - 1)))

    def _asked(self, page: Page) -> Text:
        """What is to be done or guessed, and what became of the last answer."""
        parts = [self._marked("▸ ", page.asked, "ask")]
        if page.note:
            parts.append(self._paragraphs(page.note))
        return Text("\n").join(parts)

    def _marked(self, mark: str, words: Sequence[Sequence[Piece]], look: str) -> Text:
        text = Text(mark).append_text(self._paragraphs(words))
        text.stylize_before(self._style(look))
        return text

    def _paragraphs(self, words: Sequence[Sequence[Piece]]) -> Text:
        return Text("\n\n").join(self._line(pieces) for pieces in words)

    def _line(self, pieces: Sequence[Piece]) -> Text:
        line = Text()
        for kind, text in pieces:
            shown = show(text) if kind == LITERAL else safe(text)
            line.append(shown, self._style(kind) if kind in (LITERAL, NUMBER, TERM, KEY) else "")
        return line

    def _style(self, look: str) -> Style:
        """What the style sheet says of a look and nothing else, its colours blended over the panel's background."""
        styles = self.get_component_styles(f"lesson--{look}")
        behind = self.background_colors[1]
        back = styles.background if styles.has_rule("background") else None
        if back is not None and back.ansi is None:
            back = behind = behind + back
        color = styles.color if styles.has_rule("color") else None
        if color is not None and color.ansi is None:
            color = behind + color
        style = Style(color=color and color.rich_color, bgcolor=back and back.rich_color)
        return style + styles.text_style if styles.has_rule("text_style") else style

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """An answer was chosen."""
        event.stop()
        self.post_message(self.Chose(event.option_index))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """An answer was typed."""
        event.stop()
        self.post_message(self.Typed(event.value))

    def action_go_on(self) -> None:
        """To the next step where nothing is left to do."""
        self.post_message(self.WentOn(False))

    def action_skip(self) -> None:
        """To the next step in any case."""
        self.post_message(self.WentOn(True))

    def action_go_back(self) -> None:
        """To the step before."""
        self.post_message(self.WentBack())
