"""The key bar at the bottom: as many keys as fit, the most useful first; help and quit are always there."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import events
from textual.reactive import reactive
from textual.widget import Widget

KeyHint = tuple[str, str, str, int, bool]
"""(key as shown, label, action, weight, enabled)"""


class KeyBar(Widget):
    """One line of keys. Textual's Footer scrolls sideways where the room is short and so hides help and quit."""

    DEFAULT_CSS = """
    KeyBar {
        height: 1; padding: 0 1; background: $panel;
        & .key-bar--key { color: $accent; text-style: bold; }
        & .key-bar--off { text-style: dim; }
        &:ansi { background: ansi_default; }
        &:ansi .key-bar--off { color: ansi_default; text-style: dim; }
    }
    """
    COMPONENT_CLASSES = {"key-bar--key", "key-bar--off"}

    hints: reactive[Sequence[KeyHint]] = reactive(())

    def render(self) -> Text:
        """The keys that fit, in the registry's order."""
        room = self.content_size.width
        kept: set[int] = set()
        for number in sorted(range(len(self.hints)), key=lambda n: -self.hints[n][3]):
            key, label, *_ = self.hints[number]
            cost = len(key) + 1 + len(label) + (2 if kept else 0)
            if cost <= room:
                kept.add(number)
                room -= cost
        line = Text(no_wrap=True)
        key_style = self.get_component_rich_style("key-bar--key", partial=True)
        off = self.get_component_rich_style("key-bar--off", partial=True)
        for number, (key, label, action, _, enabled) in enumerate(self.hints):
            if number not in kept:
                continue
            if line:
                line.append("  ")
            start = len(line)
            line.append(key, key_style if enabled else off)
            line.append(" " + label, None if enabled else off)
            if enabled:
                line.apply_meta({"hint": action}, start, len(line))
        return line

    async def on_click(self, event: events.Click) -> None:
        """A click on a key does what the key does."""
        action = event.style.meta.get("hint")
        if action is not None:
            await self.run_action(action)
