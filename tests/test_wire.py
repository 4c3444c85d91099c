"""The wire: after any sequence of updates the terminal shows what Textual meant, in fewer bytes."""

from __future__ import annotations

import re

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import ComposeResult
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Static

from tokexplorer.tui.wire import PLAIN, Pen, ThriftyApp, Wire, pen_of, transition

WIDTH, HEIGHT = 12, 4
CUT = 6
"""Where the screen's two columns meet; a wide character that lies across it becomes two spaces."""
STYLES = st.sampled_from(
    [Style.parse(text) for text in ("red on blue", "bold", "underline", "bold dim #102030", "reverse", "default", "")]
    + [None]
)
TEXTS = st.sampled_from(["a", "ab", " ", "漢", "é", "x漢y", "·the", "e\u0301"])


@st.composite
def lines(draw: st.DrawFn) -> Strip:
    """A line of exactly WIDTH cells."""
    segments = [Segment(draw(TEXTS), draw(STYLES)) for _ in range(draw(st.integers(0, 8)))]
    line = Strip(segments).adjust_cell_length(WIDTH)
    return Strip.join(line.divide([CUT, WIDTH]))


PICTURES = st.lists(lines(), min_size=HEIGHT, max_size=HEIGHT)


def chops(lines: list[Strip], spans: list[tuple[int, int, int]]) -> ChopsUpdate:
    """An update of parts of a screen that is cut in two columns."""
    parts = [dict(zip((0, CUT), line.divide([CUT, WIDTH]), strict=True)) for line in lines]
    return ChopsUpdate(parts, spans, [[CUT, WIDTH]] * HEIGHT)


def full(lines: list[Strip]) -> LayoutUpdate:
    return LayoutUpdate([[line] for line in lines], Region(0, 0, WIDTH, HEIGHT))


def terminal() -> tuple[pyte.Screen, pyte.Stream]:
    screen = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    stream.feed("\x1b[?7l")
    return screen, stream


def picture(screen: pyte.Screen) -> list[list[object]]:
    return [[screen.buffer[y][x] for x in range(WIDTH)] for y in range(HEIGHT)]


@settings(max_examples=80, deadline=None)
@given(st.lists(PICTURES, min_size=1, max_size=4), st.data())
def test_the_terminal_shows_what_was_meant(pictures: list[list[Strip]], data: st.DataObject) -> None:
    wire = Wire()
    screen, stream = terminal()
    meant = list(pictures[0])
    stream.feed(wire.encode(full(meant), WIDTH, HEIGHT, ColorSystem.TRUECOLOR))
    for lines in pictures[1:]:
        rows = sorted(data.draw(st.sets(st.integers(0, HEIGHT - 1), min_size=1)))
        for row in rows:
            meant[row] = lines[row]
        stream.feed(wire.encode(chops(meant, [(row, 0, WIDTH) for row in rows]), WIDTH, HEIGHT, ColorSystem.TRUECOLOR))
        expected, plain = terminal()
        plain.feed(full(meant).render_segments(Console(color_system="truecolor", force_terminal=True)))
        assert picture(screen) == picture(expected)


def test_an_equal_picture_costs_nothing() -> None:
    lines = [Strip([Segment("hello", Style.parse("red")), Segment("       ")])] * HEIGHT
    wire = Wire()
    assert wire.encode(full(lines), WIDTH, HEIGHT, ColorSystem.TRUECOLOR)
    assert wire.encode(full(lines), WIDTH, HEIGHT, ColorSystem.TRUECOLOR) == ""
    wire.forget()
    assert "hello" in wire.encode(full(lines), WIDTH, HEIGHT, ColorSystem.TRUECOLOR)
    assert "hello" in wire.encode(full(lines), WIDTH + 1, HEIGHT, ColorSystem.TRUECOLOR)


def test_only_the_changed_cells_are_written() -> None:
    wire = Wire()
    before = [Strip([Segment("one two tree")])] * HEIGHT
    after = [*before[:1], Strip([Segment("one 2wo tree")]), *before[2:]]
    wire.encode(full(before), WIDTH, HEIGHT, ColorSystem.TRUECOLOR)
    assert wire.encode(chops(after, [(1, 0, WIDTH)]), WIDTH, HEIGHT, ColorSystem.TRUECOLOR) == "\x1b[2;5H2"


ATTRIBUTES = st.frozensets(st.sampled_from(["1", "2", "3", "4", "7", "9"]))
PENS = st.builds(Pen, ATTRIBUTES, st.sampled_from(["", "31", "38;2;1;2;3"]), st.sampled_from(["", "44"]), st.just(""))


@given(PENS, PENS)
def test_a_transition_leaves_exactly_the_new_pen(old: Pen, new: Pen) -> None:
    def drawn(*sequences: str) -> object:
        screen, stream = terminal()
        stream.feed("".join(sequences) + "x")
        return screen.buffer[0][0]

    assert drawn(transition(PLAIN, old), transition(old, new)) == drawn(transition(PLAIN, new))
    # The emulator knows no dim, so bold is looked at in the codes themselves.
    codes = re.findall(r"\d+", transition(old, new)) if old != new and new != PLAIN else []
    if "22" in codes:
        assert {"1", "2"} & new.attributes <= set(codes)


def test_a_pen_follows_the_colour_system() -> None:
    style = Style.parse("bold #ff0000 on #00ff00")
    assert pen_of(style, ColorSystem.TRUECOLOR).color == "38;2;255;0;0"
    assert pen_of(style, ColorSystem.EIGHT_BIT).color == "38;5;196"
    assert pen_of(style, ColorSystem.STANDARD).color in ("31", "91")
    assert pen_of(style + Style(meta={"@click": "quit"}), ColorSystem.TRUECOLOR) == pen_of(style, ColorSystem.TRUECOLOR)


@pytest.mark.parametrize("hostile", ["\x1b[31m", "\x07", "\x9b2J", "\x00", "\ud800", "a\nb"])
def test_no_control_character_gets_through(hostile: str) -> None:
    line = Strip([Segment(hostile + "漢")], WIDTH)
    out = Wire().encode(full([line] * HEIGHT), WIDTH, HEIGHT, ColorSystem.TRUECOLOR)
    rest = re.sub(r"\x1b\[[0-9;]*[Hm]", "", out)
    assert "漢" in rest
    assert not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", rest)


async def test_an_app_forgets_at_a_resize_and_at_redraw() -> None:
    class Small(ThriftyApp[None]):
        def compose(self) -> ComposeResult:
            yield Static("hello")

    app = Small()
    async with app.run_test(size=(20, 5)) as pilot:
        update = app.screen._compositor.render_update(full=True)
        assert isinstance(update, LayoutUpdate)

        def cost() -> int:
            return len(app.wire.encode(update, 20, 5, ColorSystem.TRUECOLOR))

        assert cost() > 0
        assert cost() == 0
        app.action_redraw()
        assert cost() > 0
        await pilot.resize_terminal(30, 6)
        assert app.wire._lines == []
