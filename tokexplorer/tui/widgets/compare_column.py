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
    """Labels and values, most important first. `low`: half as many lines, in two columns where they fit."""

    DEFAULT_CSS = """
    Figures {
        height: auto; padding: 0 0;
        & > .figures--label { color: $foreground 55%; }
        & > .figures--best { color: $success; text-style: bold; }
        &:ansi > .figures--label { color: ansi_default; text-style: dim; }
    }
    """
    COMPONENT_CLASSES = {"figures--label", "figures--best"}
    USUAL = 8
    """Lines that are kept free for the figures before they come"""

    figures: reactive[Sequence[FigureWords]] = reactive(())
    low: reactive[bool] = reactive(False, layout=True)

    def watch_figures(self, old: Sequence[FigureWords], new: Sequence[FigureWords]) -> None:
        """Make room for one more."""
        if max(self.USUAL, len(old)) != max(self.USUAL, len(new)):
            self.refresh(layout=True)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Lines that the figures take."""
        count = max(self.USUAL, len(self.figures))
        return (count + 1) // 2 if self.low else count

    def render(self) -> Text:
        """The figures, values to the right."""
        width, lines = self.content_size.width, self.content_size.height
        gap = 3
        room = (width - gap) // 2
        fits = all(len(label) + len(value) < room for label, value, _ in self.figures)
        columns = 2 if self.low and fits else 1
        room = room if columns == 2 else width
        label_style = self.get_component_rich_style("figures--label", partial=True)
        best_style = self.get_component_rich_style("figures--best", partial=True)
        text = Text(no_wrap=True, overflow="crop")
        for number in range(lines):
            for label, value, best in self.figures[number : columns * lines : lines]:
                text.append(" " * gap if len(text) and not text.plain.endswith("\n") else "")
                label = label[: max(0, room - len(value) - 1)]
                text.append(label, label_style)
                text.append(" " * max(1, room - len(label) - len(value)))
                text.append(value, best_style if best else None)
            text.append("\n")
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
        &:ansi > .agreement--who { color: ansi_default; text-style: dim; }
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
