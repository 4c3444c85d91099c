"""A line of tabs with their keys; the present one stands out by more than its colour."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class TabLine(Widget):
    """Labels numbered from 1."""

    DEFAULT_CSS = """
    TabLine {
        height: 1; padding: 0 1; background: $panel;
        & .tab-line--on { color: $accent; text-style: bold reverse; }
        & .tab-line--key { color: $accent; text-style: bold; }
        &:ansi { background: ansi_default; }
    }
    """
    COMPONENT_CLASSES = {"tab-line--on", "tab-line--key"}

    labels: reactive[Sequence[str]] = reactive(())
    chosen: reactive[int] = reactive(0)

    class TabChosen(Message):
        """A tab was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def render(self) -> Text:
        """The labels; with more room between them where there is room."""
        on = self.get_component_rich_style("tab-line--on", partial=True)
        key = self.get_component_rich_style("tab-line--key", partial=True)
        tight = sum(len(label) + 5 for label in self.labels) > self.content_size.width
        text = Text(no_wrap=True)
        for number, label in enumerate(self.labels):
            text.append((" " if tight else "   ") if number else "")
            start = len(text)
            if number == self.chosen:
                text.append(f"{number + 1} {label}" if tight else f" {number + 1} {label} ", on)
            else:
                text.append(f"{number + 1}", key)
                text.append(f" {label}")
            text.apply_meta({"tab": number}, start, len(text))
        return text

    def on_click(self, event: events.Click) -> None:
        """Tell which tab was clicked."""
        tab = event.style.meta.get("tab")
        if tab is not None:
            self.post_message(self.TabChosen(tab))
