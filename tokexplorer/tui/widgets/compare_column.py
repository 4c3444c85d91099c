"""One column of the compare screen: a text as one tokenizer's tokens, and its figures below."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tokexplorer.engine.glyphs import cells
from tokexplorer.tui.widgets.titled import Titled
from tokexplorer.tui.widgets.token_model import TokenModel
from tokexplorer.tui.widgets.token_view import TokenView

FigureWords = tuple[str, str, bool]
"""(label, value, whether no other column has a better one)"""


class ComparedView(TokenView):
    """A token view that tells where it looks, so that others can look there too."""

    class Moved(Message):
        """The view looks elsewhere: from byte `top` on, the cursor at byte `cursor`."""

        def __init__(self, view: ComparedView, top: int, cursor: int) -> None:
            super().__init__()
            self.view = view
            self.top = top
            self.cursor = cursor

    _told = (0, 0)

    def repaint(self) -> None:
        """Paint, and tell where it looks now."""
        super().repaint()
        place = (self.top_offset, self.cursor_offset)
        if place != self._told:
            self._told = place
            if self.has_focus:
                self.post_message(self.Moved(self, *place))

    def follow(self, top: int, cursor: int) -> None:
        """Look where another view looks."""
        self.look_from(top, cursor)
        self._told = (self.top_offset, self.cursor_offset)


class Figures(Widget):
    """Labels and values; in two columns where there are more of them than lines."""

    DEFAULT_CSS = """
    Figures {
        height: auto; padding: 0 0;
        & > .figures--label { color: $foreground 55%; }
        & > .figures--best { color: $success; text-style: bold; }
        &:ansi > .figures--label { color: ansi_bright_black; }
    }
    """
    COMPONENT_CLASSES = {"figures--label", "figures--best"}

    figures: reactive[Sequence[FigureWords]] = reactive(())
    double: reactive[bool] = reactive(False, layout=True)
    """Two columns of figures"""

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Lines that the figures take."""
        count = len(self.figures) or 8
        return (count + 1) // 2 if self.double else count

    def render(self) -> Text:
        """The figures, values to the right."""
        width = self.content_size.width
        label = self.get_component_rich_style("figures--label", partial=True)
        best = self.get_component_rich_style("figures--best", partial=True)
        text = Text(no_wrap=True, overflow="crop")
        columns = 2 if self.double else 1
        room = (width - (columns - 1) * 3) // columns
        lines = -(-len(self.figures) // columns)
        for number in range(lines):
            for column in range(columns):
                at = number + column * lines
                if at >= len(self.figures):
                    continue
                name, value, is_best = self.figures[at]
                name = name[: max(0, room - len(value) - 1)]
                text.append("   " if column else "")
                text.append(name, label)
                text.append(" " * max(1, room - len(name) - len(value)))
                text.append(value, best if is_best else None)
            text.append("\n")
        text.rstrip()
        return text


class CompareColumn(Vertical, Titled):
    """A view with figures. The screen gives it models and words."""

    DEFAULT_CSS = """
    CompareColumn {
        width: 1fr;
        & ComparedView { height: 1fr; }
        & Figures { border-top: solid $border; }
    }
    """

    def compose(self) -> ComposeResult:
        """View and figures."""
        yield ComparedView()
        yield Figures()

    @property
    def view(self) -> ComparedView:
        """The view."""
        return self.query_one(ComparedView)

    def show(self, model: TokenModel | None) -> None:
        """Show a text; the view stays where it is."""
        self.view.show(model)

    def tell(self, figures: Sequence[FigureWords]) -> None:
        """Show figures."""
        self.query_one(Figures).figures = tuple(figures)


class AgreementLines(Widget):
    """How far each two columns agree: (who, agreement, tokens saved), two on a line where there is room."""

    DEFAULT_CSS = """
    AgreementLines {
        height: auto; padding: 0 1;
        & > .agreement--who { color: $foreground 70%; }
        & > .agreement--saved { text-style: bold; }
        &:ansi > .agreement--who { color: ansi_bright_black; }
    }
    """
    COMPONENT_CLASSES = {"agreement--who", "agreement--saved"}

    pairs: reactive[tuple[tuple[str, str, str], ...]] = reactive((), layout=True)

    def _abreast(self, width: int) -> int:
        longest = max((sum(map(cells, pair)) + 4 for pair in self.pairs), default=1)
        return max(1, min(len(self.pairs), (width + 3) // (longest + 3)))

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Lines that the pairs take."""
        return -(-len(self.pairs) // self._abreast(width))

    def render(self) -> Text:
        """The pairs."""
        width = self.content_size.width
        abreast = self._abreast(width)
        who_style = self.get_component_rich_style("agreement--who", partial=True)
        saved_style = self.get_component_rich_style("agreement--saved", partial=True)
        room = (width + 3) // abreast
        longest = [max((cells(pair[part]) for pair in self.pairs), default=0) for part in range(2)]
        text = Text(no_wrap=True, overflow="ellipsis")
        for number, (who, agree, saved) in enumerate(self.pairs):
            if number:
                text.append("\n" if number % abreast == 0 else "")
            start = len(text)
            text.append(who + " " * (longest[0] - cells(who) + 2), who_style)
            text.append(agree + " " * (longest[1] - cells(agree) + 2))
            text.append(saved, saved_style)
            if (number + 1) % abreast:
                text.append(" " * max(1, room - cells(text.plain[start:])))
        return text
