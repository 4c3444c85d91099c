"""A chart of curves on a log axis, drawn with quarter blocks (or stars), with levels as lines across."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.reactive import reactive
from textual.strip import Strip

from tokexplorer.engine.glyphs import cells, clip
from tokexplorer.tui.widgets.painted import PaintedLines

QUARTERS: Final = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""By the bits of the quarters that are filled: 1 upper left, 2 upper right, 4 lower left, 8 lower right."""
AXIS: Final = 6
"""Cells left of the chart for the numbers of the y axis."""

Grid = list[list[tuple[str, str]]]
"""(character, look) of each cell."""


@dataclass(frozen=True, slots=True)
class Line:
    """A curve: points ascending by x, a name, whether it is the present one, and the point to be marked."""

    name: str
    points: tuple[tuple[int, float], ...]
    present: bool = False
    now: tuple[int, float] | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """A line across at a height."""

    name: str
    y: float


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to cells. The x axis is logarithmic; where it begins with 0 it is that of 1 + x."""

    width: int
    height: int
    first: int
    last: int
    low: float
    high: float

    def _log(self, x: int) -> float:
        return log10(1 + x) if not self.first else log10(max(1, x))

    def column(self, x: int, parts: int = 1) -> int:
        """The column of x, with `parts` columns a cell."""
        start, end = self._log(self.first), self._log(self.last)
        share = (self._log(max(self.first, x)) - start) / (end - start)
        return round(share * (self.width * parts - 1))

    def line(self, y: float, parts: int = 1) -> int:
        """The line of y from the top, with `parts` lines a cell."""
        share = (y - self.low) / (self.high - self.low)
        return round((1 - share) * (self.height * parts - 1))

    def ticks(self) -> list[int]:
        """Round values of x to be named."""
        decades = [10**k for k in range(9)]
        if self.first:
            found = {self.first, self.last, *(m * x for x in decades for m in (1, 2, 5))}
        else:
            found = {0, *decades}
        return sorted(x for x in found if self.first <= x <= self.last)


class Chart(PaintedLines, can_focus=False):
    """Curves and levels; `unit` names the x axis."""

    DEFAULT_CSS = """
    Chart {
        height: 1fr; min-height: 6;
        & > .chart--axis { color: $foreground 45%; }
        & > .chart--level { color: $foreground 60%; }
        & > .chart--present { color: $primary; text-style: bold; }
        & > .chart--other { color: $secondary; }
        & > .chart--now { color: $success; text-style: bold; }
        &:ansi > .chart--axis, &:ansi > .chart--level { color: ansi_default; text-style: dim; }
    }
    """
    COMPONENT_CLASSES = {"chart--axis", "chart--level", "chart--present", "chart--other", "chart--now"}

    lines: reactive[tuple[Line, ...]] = reactive((), repaint=False)
    levels: reactive[tuple[Level, ...]] = reactive((), repaint=False)
    unit: reactive[str] = reactive("merges", repaint=False)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._built: tuple[object, list[Strip]] = (None, [])

    def watch_lines(self) -> None:
        """Other curves."""
        self.repaint()

    def watch_levels(self) -> None:
        """Other levels."""
        self.repaint()

    def in_sight(self) -> tuple[int, int, int]:
        """All of it."""
        return 0, 1, 1

    def scroll_lines(self, lines: int) -> None:
        """All of it is in sight."""

    def seek(self, fraction: float) -> None:
        """All of it is in sight."""

    def forget_looks(self) -> None:
        """Other colours."""
        self._built = (None, [])

    def build_line(self, y: int, width: int) -> Strip:
        """One line of the picture."""
        key = (width, self.line_count, self.lines, self.levels, self.unit, self.ascii)
        if self._built[0] != key:
            self._built = (key, self._build(width))
        strips = self._built[1]
        return strips[y] if y < len(strips) else Strip.blank(width)

    def _build(self, whole: int) -> list[Strip]:
        width, height = whole - AXIS - 1, self.line_count - 2
        xs = [x for line in self.lines for x, _ in line.points]
        ys = [y for line in self.lines for _, y in line.points] + [level.y for level in self.levels]
        if width < 10 or height < 3 or not xs:
            return []
        low, high = min(ys), max(ys)
        margin = max(0.05, (high - low) * 0.06)
        first = min(xs)
        last = max(*xs, first * 2 if first else 9)
        scale = Scale(width, height, first, last, max(0.0, low - margin), high + margin)
        grid: Grid = [[(" ", "axis")] * width for _ in range(height)]
        self._draw_levels(grid, scale)
        for line in sorted(self.lines, key=lambda line: line.present):
            self._draw_line(grid, line, scale)
        self._name_levels(grid, scale)
        looks = {name.removeprefix("chart--"): self.component(name) for name in self.COMPONENT_CLASSES}
        rows = [self._row(found, y, scale, looks) for y, found in enumerate(grid)]
        return [*rows, *self._x_axis(scale, looks["axis"])]

    def _draw_levels(self, grid: Grid, scale: Scale) -> None:
        for level in self.levels:
            grid[scale.line(level.y)] = [("-" if self.ascii else "╌", "level")] * scale.width

    def _name_levels(self, grid: Grid, scale: Scale) -> None:
        """At the left, where the curves are low; a name that would cover another one stands below it."""
        free = 0
        for level in sorted(self.levels, key=lambda level: -level.y):
            y = min(max(free, scale.line(level.y)), scale.height - 1)
            free = y + 1
            name = clip(f" {level.name} {level.y:.2f} ", scale.width, self.ascii)
            at = min(2, scale.width - cells(name))
            grid[y][at : at + len(name)] = [(char, "level") for char in name]

    def _draw_line(self, grid: Grid, line: Line, scale: Scale) -> None:
        look = "present" if line.present else "other"
        parts = 1 if self.ascii else 2
        found: dict[tuple[int, int], int] = {}
        for x, y in _path(line.points, scale, parts):
            key = (y // parts, x // parts)
            found[key] = found.get(key, 0) | 1 << (x % parts + 2 * (y % parts))
        for (y, x), bits in found.items():
            grid[y][x] = ("*" if self.ascii else QUARTERS[bits], look)
        if line.now is not None:
            x, y = scale.column(line.now[0]), scale.line(line.now[1])
            grid[y][x] = ("O" if self.ascii else "●", "now")

    def _row(self, found: Sequence[tuple[str, str]], y: int, scale: Scale, looks: dict[str, Style]) -> Strip:
        every = max(2, (scale.height - 1) // 4)
        label = " " * AXIS
        if y % every == 0:
            value = scale.high - (scale.high - scale.low) * y / max(1, scale.height - 1)
            label = f"{value:>{AXIS - 1}.2f} "
        pieces = [Segment(label + ("|" if self.ascii else "│"), looks["axis"])]
        for char, look in found:
            if pieces[-1].style is looks[look]:
                pieces[-1] = Segment(pieces[-1].text + char, looks[look])
            else:
                pieces.append(Segment(char, looks[look]))
        return Strip(pieces, scale.width + AXIS + 1)

    def _x_axis(self, scale: Scale, style: Style) -> list[Strip]:
        bar, corner, tick = ("-", "+", "+") if self.ascii else ("─", "└", "┴")
        ruler = [bar] * scale.width
        words = [" "] * (scale.width + AXIS + 1)
        free = 0
        for x in scale.ticks():
            column = scale.column(x)
            name = _short(x)
            at = max(0, min(AXIS + 1 + column - len(name) // 2, len(words) - len(name)))
            if at >= free:
                ruler[column] = tick
                words[at : at + len(name)] = name
                free = at + len(name) + 1
        if free + len(self.unit) < len(words):
            words[len(words) - len(self.unit) :] = self.unit
        texts = (" " * AXIS + corner + "".join(ruler), "".join(words))
        return [Strip([Segment(text, style)], len(words)) for text in texts]


def _path(points: Sequence[tuple[int, float]], scale: Scale, parts: int) -> list[tuple[int, int]]:
    """The dots of a curve, with the gaps between its points filled."""
    dots: list[tuple[int, int]] = []
    for point in points:
        x, y = scale.column(point[0], parts), scale.line(point[1], parts)
        if dots:
            left, top = dots[-1]
            steps = max(abs(x - left), abs(y - top))
            dots += [(left + (x - left) * k // steps, top + (y - top) * k // steps) for k in range(1, steps)]
        dots.append((x, y))
    return dots


def _short(number: int) -> str:
    return f"{number // 1000}k" if number >= 10_000 and number % 1000 == 0 else f"{number:,}"
