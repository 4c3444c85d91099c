"""A chart of curves on a log axis, drawn with dots of Braille (or stars), with levels as lines across."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tokexplorer.engine.glyphs import cells, clip

DOTS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a Braille cell by row and column."""
AXIS: Final = 6
"""Cells left of the chart for the numbers of the y axis."""


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
class _Scale:
    """From values to cells. x counts from `first`, 0 and up, on a log axis of 1 + x - first."""

    width: int
    height: int
    first: int
    last: int
    low: float
    high: float

    def column(self, x: int, parts: int = 1) -> int:
        """The column of x, in `parts` columns a cell."""
        span = log10(1 + max(1, self.last - self.first))
        return round(log10(1 + max(0, x - self.first)) / span * (self.width * parts - 1))

    def line(self, y: float, parts: int = 1) -> int:
        """The line of y from the top, in `parts` lines a cell."""
        share = (y - self.low) / (self.high - self.low)
        return round((1 - share) * (self.height * parts - 1))


class Chart(Widget):
    """Curves and levels; `unit` names the x axis."""

    DEFAULT_CSS = """
    Chart {
        height: 1fr; min-height: 6;
        & > .chart--axis { color: $foreground 45%; }
        & > .chart--level { color: $foreground 60%; }
        & > .chart--present { color: $primary; text-style: bold; }
        & > .chart--other { color: $secondary; }
        & > .chart--now { color: $success; text-style: bold; }
        &:ansi > .chart--axis, &:ansi > .chart--level { color: ansi_bright_black; }
    }
    """
    COMPONENT_CLASSES = {"chart--axis", "chart--level", "chart--present", "chart--other", "chart--now"}

    lines: reactive[tuple[Line, ...]] = reactive(())
    levels: reactive[tuple[Level, ...]] = reactive(())
    unit: reactive[str] = reactive("merges")
    starts_at_zero: reactive[bool] = reactive(True)
    """x counts from 0; else from the least x of all curves"""
    ascii: reactive[bool] = reactive(False)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._built: tuple[object, list[Strip]] = (None, [])

    def render_line(self, y: int) -> Strip:
        """One line of the picture."""
        key = (self.content_size, self.lines, self.levels, self.unit, self.ascii, self.starts_at_zero)
        if self._built[0] != key:
            self._built = (key, self._build())
        strips = self._built[1]
        return strips[y] if y < len(strips) else Strip.blank(self.content_size.width, self.rich_style)

    def notify_style_update(self) -> None:
        """Other colours."""
        super().notify_style_update()
        self._built = (None, [])

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"chart--{name}", partial=True)

    def _build(self) -> list[Strip]:
        width, height = self.content_size.width - AXIS - 1, self.content_size.height - 2
        ys = [y for line in self.lines for _, y in line.points] + [level.y for level in self.levels]
        if width < 10 or height < 3 or not ys:
            return []
        xs = [x for line in self.lines for x, _ in line.points] or [0]
        low, high = min(ys), max(ys)
        margin = max(0.05, (high - low) * 0.06)
        first = 0 if self.starts_at_zero else min(xs)
        scale = _Scale(width, height, first, max(*xs, first + 9), max(0.0, low - margin), high + margin)
        grid = [[(" ", "axis")] * width for _ in range(height)]
        self._draw_levels(grid, scale)
        for line in sorted(self.lines, key=lambda line: line.present):
            self._draw_line(grid, line, scale)
        rows = [self._row(cells_of, y, scale) for y, cells_of in enumerate(grid)]
        return [*rows, *self._x_axis(scale)]

    def _draw_levels(self, grid: list[list[tuple[str, str]]], scale: _Scale) -> None:
        dash = "-" if self.ascii else "╌"
        taken: set[int] = set()
        for level in sorted(self.levels, key=lambda level: -level.y):
            y = scale.line(level.y)
            for x in range(scale.width):
                grid[y][x] = (dash, "level")
            while y in taken and y + 1 < scale.height:
                y += 1
            taken.add(y)
            name = clip(f" {level.name} {level.y:.2f} ", scale.width, self.ascii)
            at = scale.width - cells(name) - 1
            for offset, char in enumerate(name):
                if 0 <= at + offset < scale.width:
                    grid[y][at + offset] = (char, "level")

    def _draw_line(self, grid: list[list[tuple[str, str]]], line: Line, scale: _Scale) -> None:
        look = "present" if line.present else "other"
        across, down = (1, 1) if self.ascii else (2, 4)
        bits: dict[tuple[int, int], int] = {}
        for x, y in _path(line.points, scale, across, down):
            key = (y // down, x // across)
            bits[key] = bits.get(key, 0) | DOTS[y % down][x % across]
        for (y, x), dots in bits.items():
            grid[y][x] = ("*" if self.ascii else chr(0x2800 + dots), look)
        if line.now is not None:
            x, y = scale.column(line.now[0]), scale.line(line.now[1])
            grid[y][x] = ("O" if self.ascii else "●", "now")

    def _row(self, found: Sequence[tuple[str, str]], y: int, scale: _Scale) -> Strip:
        label = " " * AXIS
        every = max(1, (scale.height - 1) // 4)
        if y % every == 0 or y == scale.height - 1:
            value = scale.high - (scale.high - scale.low) * y / max(1, scale.height - 1)
            label = f"{value:>{AXIS - 1}.2f} "
        axis = self._style("axis")
        pieces = [Segment(label + ("|" if self.ascii else "│"), axis)]
        for char, look in found:
            style = self._style(look)
            if pieces[-1].style == style:
                pieces[-1] = Segment(pieces[-1].text + char, style)
            else:
                pieces.append(Segment(char, style))
        return Strip(pieces).apply_style(self.rich_style)

    def _x_axis(self, scale: _Scale) -> list[Strip]:
        bar, corner, tick = ("-", "+", "+") if self.ascii else ("─", "└", "┴")
        ruler = [bar] * scale.width
        words = [" "] * (scale.width + AXIS + 1)
        free = 0
        for x in _ticks(scale.first, scale.last):
            column = scale.column(x)
            name = _short(x)
            at = max(0, min(AXIS + 1 + column - len(name) // 2, len(words) - len(name)))
            ruler[column] = tick
            if at >= free:
                words[at : at + len(name)] = name
                free = at + len(name) + 1
        if free + len(self.unit) < len(words):
            words[len(words) - len(self.unit) :] = self.unit
        style = self._style("axis")
        first = Strip([Segment(" " * AXIS + corner + "".join(ruler), style)])
        return [
            first.apply_style(self.rich_style),
            Strip([Segment("".join(words), style)]).apply_style(self.rich_style),
        ]


def _path(points: Sequence[tuple[int, float]], scale: _Scale, across: int, down: int) -> list[tuple[int, int]]:
    """The dots of a curve, with the gaps between its points filled."""
    dots: list[tuple[int, int]] = []
    for point in points:
        x, y = scale.column(point[0], across), scale.line(point[1], down)
        if dots:
            left, top = dots[-1]
            steps = max(abs(x - left), abs(y - top))
            dots += [(left + (x - left) * k // steps, top + (y - top) * k // steps) for k in range(1, steps)]
        dots.append((x, y))
    return dots


def _ticks(first: int, last: int) -> list[int]:
    if first:
        return [first, *(x for x in (10**k for k in range(1, 9)) if first < x < last), last]
    return [0, *(x for x in (10**k for k in range(9)) if x <= last)]


def _short(number: int) -> str:
    if number >= 10_000 and number % 1000 == 0:
        return f"{number // 1000}k"
    return f"{number:,}"
