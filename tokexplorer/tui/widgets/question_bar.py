"""The question bar: one line that asks, above the keys, without standing in anybody's way."""

from __future__ import annotations

from rich.text import Text
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tokexplorer.engine.glyphs import cells


class QuestionBar(Widget):
    """Shows the longest of `wordings` that fits; hidden where there is none. A click answers yes."""

    DEFAULT_CSS = """
    QuestionBar {
        height: 1; padding: 0 1; display: none; background: $warning 20%; color: $foreground; text-style: bold;
        &.-asking { display: block; }
        &:ansi { background: ansi_default; text-style: bold reverse; }
        &:nocolor { text-style: bold reverse; }
    }
    """

    wordings: reactive[tuple[str, ...]] = reactive(())
    """the same question from long to short; safe texts"""

    class Accepted(Message):
        """The answer is yes."""

    def watch_wordings(self) -> None:
        """Show or hide it."""
        self.set_class(bool(self.wordings), "-asking")

    def render(self) -> Text:
        """The question."""
        room = self.content_size.width
        fitting = [words for words in self.wordings if cells(words) <= room]
        return Text(fitting[0] if fitting else "".join(self.wordings[-1:]), no_wrap=True, overflow="ellipsis")

    def on_click(self) -> None:
        """A click on the question."""
        self.post_message(self.Accepted())
