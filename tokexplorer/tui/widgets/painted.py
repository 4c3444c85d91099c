"""A widget that draws itself line by line, repaints only lines that changed, and scrolls without layout passes."""

from __future__ import annotations

from rich.color import ColorType
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.geometry import Region, Size
from textual.reactive import Reactive, reactive
from textual.strip import Strip
from textual.widget import Widget


def changed_columns(old: Strip, new: Strip) -> tuple[int, int]:
    """The cells [first, last) outside which two strips of equal length look alike; (0, 0) where they are equal."""
    before, after = list(old), list(new)
    if before == after:
        return 0, 0
    first = 0
    same = 0
    for left, right in zip(before, after, strict=False):
        if left != right:
            break
        first += left.cell_length
        same += 1
    last = new.cell_length
    for left, right in zip(reversed(before[same:]), reversed(after[same:]), strict=False):
        if left != right:
            break
        last -= left.cell_length
    return first, max(first, last)


def faded(style: Style, amount: float) -> Style:
    """A style whose text is drawn nearer to its background; where the terminal chooses the colours, dim."""
    color, back = style.color, style.bgcolor
    if color is None or back is None or ColorType.TRUECOLOR is not color.type or color.type is not back.type:
        return style + Style(dim=True)
    return style + Style(color=Color.from_rich_color(color).blend(Color.from_rich_color(back), amount).rich_color)


class PaintedLines(Widget, can_focus=True):
    """The base of views of any length. A subclass builds line y on demand and says which part of the whole is in sight.

    Nothing here has a virtual size: a view of a million rows costs what its visible rows cost. The last column
    is a scroll thumb.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"painted--thumb"}
    DEFAULT_CSS = """
    PaintedLines {
        width: 1fr;
        height: 1fr;
        & > .painted--thumb { color: $foreground 35%; }
        &:ansi > .painted--thumb { color: ansi_default; text-style: dim; }
    }
    """

    virtual_size = Reactive(Size(0, 0), repaint=False)
    """As every widget's, but it asks for no layout when it changes: there is nothing inside to be laid out."""
    ascii: reactive[bool] = reactive(False)
    """Draw with printable ASCII alone."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._painted: dict[int, Strip] = {}
        self._dragging = False

    def on_mount(self) -> None:
        """Draw in the character set that the app says."""
        self.ascii = getattr(self.app, "ascii_only", False)

    def build_line(self, y: int, width: int) -> Strip:
        """Line y of the visible part, exactly `width` cells."""
        raise NotImplementedError

    def in_sight(self) -> tuple[int, int, int]:
        """(first, shown, total) in any one unit: which part of the whole is visible."""
        raise NotImplementedError

    def scroll_lines(self, lines: int) -> None:
        """Move the visible part by so many lines, without moving the cursor more than needed."""
        raise NotImplementedError

    def seek(self, fraction: float) -> None:
        """Bring the place at `fraction` (0 to 1) of the whole in sight."""
        raise NotImplementedError

    def forget_looks(self) -> None:
        """Drop everything that was built with the present colours; called when theme, focus or classes change."""

    @property
    def line_width(self) -> int:
        """Cells of a line without the scroll thumb."""
        return max(0, self.content_size.width - 1)

    @property
    def line_count(self) -> int:
        """Lines that are visible."""
        return self.content_size.height

    def component(self, name: str) -> Style:
        """The style of a component class: only what its own CSS rules say, to be laid over others.

        Colours with an alpha are blended over the widget's own background.
        """
        styles = self.get_component_styles(name)
        _, behind = self.background_colors
        back = styles.background if styles.has_rule("background") else None
        if back is not None and back.ansi is None:
            back = behind = behind + back
        color = styles.color if styles.has_rule("color") else None
        if color is not None and color.ansi is None:
            color = behind + color
        style = Style(color=color and color.rich_color, bgcolor=back and back.rich_color)
        return style + styles.text_style if styles.has_rule("text_style") else style

    def render_line(self, y: int) -> Strip:
        """Line y with its piece of the scroll thumb."""
        if self.content_size.width <= 0 or not 0 <= y < self.line_count:
            return Strip.blank(max(0, self.content_size.width))
        strip = self._line(y)
        self._painted[y] = strip
        return strip

    def _line(self, y: int) -> Strip:
        width = self.line_width
        thumb = Segment(" ")
        first, last = self._thumb()
        if first <= y < last:
            thumb = Segment("|" if self.ascii else "▐", self.component("painted--thumb"))
        return Strip([*self.build_line(y, width), thumb], width + 1).apply_style(self.rich_style)

    def _thumb(self) -> tuple[int, int]:
        """The lines [first, last) that the thumb covers; (0, 0) where everything is in sight."""
        first, shown, total = self.in_sight()
        height = self.line_count
        if shown >= total or height < 2:
            return 0, 0
        length = max(1, round(height * shown / total))
        start = round((height - length) * min(1.0, first / max(1, total - shown)))
        return start, start + length

    def repaint(self) -> None:
        """Send to the screen those lines whose look differs from what was painted last."""
        if not self.is_mounted or not self.content_size:
            return
        regions = []
        for y in range(self.line_count):
            old = self._painted.get(y)
            new = self._line(y)
            if old is None or old.cell_length != new.cell_length:
                regions.append(Region(0, y, self.content_size.width, 1))
                continue
            first, last = changed_columns(old, new)
            if first != last:
                regions.append(Region(first, y, last - first, 1))
        if regions:
            self.refresh(*regions)

    def notify_style_update(self) -> None:
        """The theme or a class changed: every colour may have."""
        super().notify_style_update()
        self._painted.clear()
        self.forget_looks()

    def watch_ascii(self) -> None:
        """Draw anew in the other character set."""
        self.forget_looks()
        self.repaint()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Three lines down."""
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Three lines up."""
        event.stop()
        self.scroll_lines(-3)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the thumb's column."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.x == self.line_width and self._thumb() != (0, 0):
            self._dragging = True
            self.capture_mouse()
            self._seek_line(offset.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse while the thumb is held."""
        if self._dragging:
            self._seek_line(event.y - self.gutter.top)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let the thumb go."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _seek_line(self, y: int) -> None:
        self.seek(min(1.0, max(0.0, y / max(1, self.line_count - 1))))
