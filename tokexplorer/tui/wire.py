"""What goes over the wire: only cells that differ from those on the terminal, with the shortest change of style.

Textual rewrites a changed line from its left edge, with every colour named anew for every piece: a screen full of
coloured tokens costs 1-2 kB a line. This layer remembers the screen and sends the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, Generic, NamedTuple

from rich.cells import split_graphemes
from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App, ReturnType
from textual.geometry import Size
from textual.screen import Screen

from tokexplorer.tui.plain import harmless, to_ascii


class Pen(NamedTuple):
    """How a cell is drawn: SGR attributes, and the codes of its colours (empty: the terminal's own)."""

    attributes: frozenset[str]
    color: str
    back: str
    link: str = ""


class Spot(NamedTuple):
    """One cell: its text (empty for the right half of a wide character) and how it is drawn."""

    text: str
    pen: Pen


PLAIN: Final = Pen(frozenset(), "", "")
_GAP: Final = 3
"""Unchanged cells that are cheaper to write again than to jump over."""
_CHEAP: Final = 9
"""Bytes up to which a change of pen is cheaper than coming back to the place later."""
_BAND: Final = 8
"""Lines of a band of a large update."""
_MANY: Final = 400
"""Chains from which on an update is large."""
_ATTRIBUTES: Final = (
    ("bold", "1"), ("dim", "2"), ("italic", "3"), ("underline", "4"), ("blink", "5"), ("blink2", "6"),
    ("reverse", "7"), ("conceal", "8"), ("strike", "9"), ("underline2", "21"), ("frame", "51"), ("encircle", "52"),
    ("overline", "53"),
)  # fmt: skip
_OFF: Final = {
    "1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "6": "25", "7": "27", "8": "28", "9": "29", "21": "24",
    "51": "54", "52": "54", "53": "55",
}  # fmt: skip
_SHARED: Final = {"22": ("1", "2"), "24": ("4", "21"), "25": ("5", "6"), "54": ("51", "52")}


@lru_cache(maxsize=4096)
def pen_of(style: Style, system: ColorSystem) -> Pen:
    """A style as it is drawn in a colour system; what cannot be seen (meta data) is left out."""
    attributes = frozenset([code for name, code in _ATTRIBUTES if getattr(style, name)])
    color = ";".join(style.color.downgrade(system).get_ansi_codes()) if style.color else ""
    back = ";".join(style.bgcolor.downgrade(system).get_ansi_codes(foreground=False)) if style.bgcolor else ""
    color, back = "" if color == "39" else color, "" if back == "49" else back
    link = f"id={style.link_id};{style.link}" if style.link and style.link.isprintable() else ""
    return Pen(attributes, color, back, link)


@lru_cache(maxsize=8192)
def transition(old: Pen, new: Pen) -> str:
    """The shortest escape sequence that turns one pen into another."""
    if old == new:
        return ""
    codes: list[str] = []
    removed, added = old.attributes - new.attributes, set(new.attributes - old.attributes)
    for code in sorted({_OFF[code] for code in removed}):
        codes.append(code)
        added.update(new.attributes.intersection(_SHARED.get(code, ())))
    codes.extend(sorted(added))
    if old.color != new.color:
        codes.append(new.color or "39")
    if old.back != new.back:
        codes.append(new.back or "49")
    if not (new.attributes or new.color or new.back):
        codes = [""] if codes else []
    sequence = f"\x1b[{';'.join(codes)}m" if codes else ""
    if old.link != new.link:
        sequence += f"\x1b]8;{new.link or ';'}\x1b\\"
    return sequence


@lru_cache(maxsize=8192)
def _split(text: str) -> tuple[str, ...]:
    """A text cell by cell, `""` after each wide character."""
    found: list[str] = []
    kept = harmless(text)
    for start, end, wide in split_graphemes(kept)[0]:
        if wide:
            found.append(kept[start:end])
            found.extend([""] * (wide - 1))
        elif found:
            last = len(found) - 1 if found[-1] else len(found) - 2
            found[last] += kept[start:end]
    return tuple(found)


class Wire:
    """The cells that are on the terminal, and how to bring it from there to the next picture."""

    def __init__(self, ascii: bool = False) -> None:
        self._lines: list[list[Spot | None]] = []
        self._width = 0
        self._ascii = ascii

    def forget(self) -> None:
        """The terminal's content is not known any more (it was resized, or another program wrote to it)."""
        self._lines = []
        self._width = 0

    def thrifty(self, update: RenderableType | None, width: int, height: int) -> RenderableType | None:
        """An update of the compositor as one that writes only differences; anything else is given back as it is."""
        if isinstance(update, ChopsUpdate | LayoutUpdate):
            return ThriftyUpdate(self, update, width, height)
        return update

    def encode(self, update: ChopsUpdate | LayoutUpdate, width: int, height: int, system: ColorSystem) -> str:
        """The text to write for an update of a screen of width x height cells; remembers the new picture."""
        if (self._width, len(self._lines)) != (width, height):
            self._width = width
            self._lines = [[None] * width for _ in range(height)]
        chains: list[_Chain] = []
        for y, x, segments in _pieces(update):
            if 0 <= y < height:
                self._compare(chains, y, x, _spots(segments, system, self._ascii))
        return _write(chains, width)

    def _compare(self, chains: list[_Chain], y: int, x: int, spots: list[Spot]) -> None:
        """Take over one piece of a line; append what differs as chains."""
        line = self._lines[y]
        chain: _Chain | None = None
        del spots[max(0, self._width - x) :]
        for index, spot in enumerate(spots):
            if line[x + index] == spot:
                continue
            line[x + index] = spot
            if not spot.text:
                continue
            wide = 2 if index + 1 < len(spots) and not spots[index + 1].text else 1
            if chain is None or not chain.take(spot, x + index, wide, line):
                chain = _Chain(y, x + index, wide, spot)
                chains.append(chain)


class _Chain:
    """Changed cells of one line that are written at one go, since a change of pen or a leap is cheaper than a move."""

    __slots__ = ("end", "first", "last", "parts", "x", "y")

    def __init__(self, y: int, x: int, wide: int, spot: Spot) -> None:
        self.y = y
        self.x = x
        self.first = self.last = spot.pen
        self.parts = [spot.text]
        self.end = x + wide

    def take(self, spot: Spot, x: int, wide: int, line: list[Spot | None]) -> bool:
        """Append what stands in `wide` cells from x on, or say that a chain of its own is cheaper."""
        gap = x - self.end
        change = transition(self.last, spot.pen)
        if gap:
            between = line[self.end : x]
            if not change and gap <= _GAP and all(cell is not None and cell.pen == spot.pen for cell in between):
                self.parts.extend([cell.text for cell in between if cell is not None])
            else:
                leap = f"\x1b[{gap}C"
                if len(leap) + len(change) > _CHEAP:
                    return False
                self.parts.append(leap)
        elif len(change) > _CHEAP:
            return False
        self.parts.append(change)
        self.parts.append(spot.text)
        self.last = spot.pen
        self.end = x + wide
        return True


def _write(chains: list[_Chain], width: int) -> str:
    """All chains, those of one pen together: a move of the cursor is shorter than the names of two colours.

    Large updates are written in bands of lines, so that a slow link still paints from top to bottom.
    """
    band = _BAND if len(chains) > _MANY else 1 << 16
    chains.sort(key=lambda chain: (chain.y // band, _order(chain.first), chain.y, chain.x))
    out: list[str] = []
    pen, at_y, at_x = PLAIN, -1, -1
    for chain in chains:
        if chain.y != at_y or chain.x < at_x:
            out.append(f"\x1b[{chain.y + 1};{chain.x + 1}H")
        elif chain.x > at_x:
            out.append(f"\x1b[{chain.x - at_x}C")
        out.append(transition(pen, chain.first))
        out.extend(chain.parts)
        pen = chain.last
        at_y, at_x = chain.y, chain.end
        if at_x >= width:
            at_y = -1
    if pen != PLAIN:
        out.append(transition(pen, PLAIN))
    return "".join(out)


@lru_cache(maxsize=4096)
def _order(pen: Pen) -> tuple[list[str], str, str]:
    """Pens that differ little stand side by side."""
    return sorted(pen.attributes), pen.color, pen.back


class ThriftyUpdate(CompositorUpdate):
    """A compositor's update that is written as differences."""

    def __init__(self, wire: Wire, update: ChopsUpdate | LayoutUpdate, width: int, height: int) -> None:
        self.wire = wire
        self.update = update
        self.size = (width, height)

    def __rich_console__(self, console: Console, options: object) -> Iterator[Segment]:
        yield Segment(self.render_segments(console))

    def render_segments(self, console: Console) -> str:
        """The escape sequences and texts to write."""
        system = console._color_system or ColorSystem.TRUECOLOR
        return self.wire.encode(self.update, *self.size, system)


class ThriftyApp(App[ReturnType], Generic[ReturnType]):
    """An App whose screen goes over the wire as differences."""

    def __init__(self, *args: Any, ascii: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.wire = Wire(ascii)

    def on_mount(self) -> None:
        """After a suspension the terminal's content is another."""
        self.app_resume_signal.subscribe(self, lambda _: self.action_redraw(), immediate=True)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        super()._display(screen, self.wire.thrifty(renderable, *self.terminal_size))

    @property
    def terminal_size(self) -> Size:
        """The terminal's own size, which the app's may be larger than."""
        return self.size

    def on_resize(self, event: events.Resize) -> None:
        """A terminal may do anything to its content when it is resized."""
        self.wire.forget()

    def action_redraw(self) -> None:
        """Write the whole screen again, in case something else has written over it."""
        self.wire.forget()
        self.screen.refresh()


def _pieces(update: ChopsUpdate | LayoutUpdate) -> Iterator[tuple[int, int, Iterable[Segment]]]:
    """The line, the first column and the segments of every piece of an update."""
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in strips:
                yield y, x, strip
                x += strip.cell_length
        return
    for y, first, last in update.spans:
        for end, (x, chop) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if chop is not None and x < last and end > first:
                yield y, x, chop


def _spots(segments: Iterable[Segment], system: ColorSystem, ascii: bool) -> list[Spot]:
    spots: list[Spot] = []
    for text, style, control in segments:
        if control:
            continue
        pen = pen_of(style, system) if style is not None else PLAIN
        if ascii:
            text = to_ascii(text)
        parts: Iterable[str] = text if text.isascii() and text.isprintable() else _split(text)
        spots.extend([Spot(part, pen) for part in parts])
    return spots
