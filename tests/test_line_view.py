"""LineView and columns: cursor, scrolling, messages, clipping; only visible rows are built, only changed ones sent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual.app import App, ComposeResult
from textual.geometry import Region

from tokexplorer.tui.widgets.columns import Column, Columns, fill
from tokexplorer.tui.widgets.line_view import LineView, Row, token_pieces

HOSTILE = ["[/INST]", "[UNK]", "[@click=app.quit]x[/]", "\x1b[31mred", "a\nb", "\u202ertl"]


class Rows:
    """A source that notes which rows were asked for."""

    def __init__(self, count: int, text: str = "row") -> None:
        self.row_count = count
        self.text = text
        self.asked: list[int] = []

    def row(self, index: int, width: int) -> Row:
        self.asked.append(index)
        return [Segment(f"{self.text} {index}")]


class ViewApp(App[None]):
    """One LineView of 10 x 40 cells with a header; keeps the messages."""

    CSS = "LineView { width: 40; height: 10; }"

    def __init__(self, view: LineView) -> None:
        super().__init__()
        self.view = view
        self.told: list[tuple[str, int]] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def on_line_view_highlighted(self, event: LineView.Highlighted) -> None:
        self.told.append(("highlighted", event.index))

    def on_line_view_selected(self, event: LineView.Selected) -> None:
        assert event.control is self.view
        self.told.append(("selected", event.index))

    def lines(self) -> list[str]:
        """The view's lines as text."""
        return [self.view.render_line(y).text.rstrip() for y in range(self.view.size.height)]


def view_of(rows: Rows, **options: bool) -> LineView:
    return LineView(rows, columns=Columns(Column("what", 10)), **options)


async def test_a_million_rows_cost_what_is_visible() -> None:
    rows = Rows(1_000_000)
    app = ViewApp(view_of(rows))
    async with app.run_test() as pilot:
        await pilot.press("end")
        assert app.view.cursor == 999_999
        assert app.lines()[-1].startswith("▸row 999999")
        assert len(set(rows.asked)) <= 18
        assert app.told == [("highlighted", 999_999)]


async def test_keys_move_the_cursor_and_the_header_stays() -> None:
    app = ViewApp(view_of(Rows(30)))
    async with app.run_test() as pilot:
        for key, cursor in [
            ("down", 1), ("down", 2), ("up", 1), ("up", 0), ("up", 0), ("pagedown", 8), ("pagedown", 16),
            ("pageup", 8), ("end", 29), ("down", 29), ("pagedown", 29), ("home", 0), ("pageup", 0),
        ]:  # fmt: skip
            await pilot.press(key)
            assert app.view.cursor == cursor, key
            lines = app.lines()
            assert lines[0] == " what" + lines[0][5:]
            assert any(line.startswith(f"▸row {cursor}") for line in lines[1:])
        await pilot.press("enter")
        assert app.told[-1] == ("selected", 0)


async def test_a_click_chooses_a_row() -> None:
    app = ViewApp(view_of(Rows(5)))
    async with app.run_test() as pilot:
        await pilot.click(app.view, offset=(3, 3))
        assert app.told == [("highlighted", 2), ("selected", 2)]
        await pilot.click(app.view, offset=(3, 9))
        await pilot.click(app.view, offset=(3, 0))
        assert len(app.told) == 2


async def test_the_wheel_and_the_thumb_scroll() -> None:
    app = ViewApp(view_of(Rows(1000)))
    async with app.run_test() as pilot:
        app.view.scroll_lines(100)
        assert (app.view.top, app.view.cursor) == (100, 100)
        app.view.scroll_lines(-1000)
        assert (app.view.top, app.view.cursor) == (0, 8)
        await pilot.click(app.view, offset=(39, 9))
        assert app.view.top == 1000 - 9


async def test_update_keeps_the_place() -> None:
    rows = Rows(30)
    app = ViewApp(view_of(rows))
    async with app.run_test() as pilot:
        app.view.move_cursor(20)
        top = app.view.top
        rows.row_count = 40
        app.view.update_rows()
        assert (app.view.cursor, app.view.top) == (20, top)
        app.view.move_cursor(-1)
        rows.row_count = 50
        app.view.update_rows(keep="end")
        assert app.view.cursor == 49
        app.view.move_cursor(10)
        rows.row_count = 60
        app.view.update_rows(keep="end")
        assert app.view.cursor == 10
        rows.row_count = 3
        app.view.update_rows()
        assert (app.view.cursor, app.view.top) == (2, 0)
        app.view.update_rows(keep="none")
        assert app.view.cursor == 0
        await pilot.pause()
        assert [told for told in app.told if told[0] == "highlighted"] == [
            ("highlighted", 20), ("highlighted", 39), ("highlighted", 10),
        ]  # fmt: skip


async def test_no_rows_and_no_room() -> None:
    app = ViewApp(LineView(None, columns=Columns(Column("what", 10)), empty="nothing yet"))
    async with app.run_test() as pilot:
        assert app.lines()[1] == " nothing yet"
        await pilot.press("down", "end", "enter", "pageup")
        assert app.told == []
        app.view.styles.width = app.view.styles.height = 1
        await pilot.pause()
        assert app.lines() == [""]


async def test_it_can_be_asked_before_it_has_a_size() -> None:
    view = view_of(Rows(3))
    assert view.render_line(0).text == ""
    view.update_rows()
    view.move_cursor(2)


async def test_only_changed_rows_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Rows(30)
    app = ViewApp(view_of(rows))
    async with app.run_test() as pilot:
        await pilot.pause()
        sent: list[Region] = []
        monkeypatch.setattr(app.view, "refresh", lambda *regions: sent.extend(regions))
        app.view.update_rows()
        assert sent == []
        app.view.move_cursor(1)
        assert [region.y for region in sent] == [1, 2]
        app.view.update_rows()
        sent.clear()
        rows.text = "now"
        app.view.update_rows()
        assert [region.y for region in sent] == list(range(1, 10))


async def test_hostile_text_is_shown_as_text() -> None:
    class Hostile(LineView):
        @property
        def row_count(self) -> int:
            return len(HOSTILE)

        def row(self, index: int, width: int) -> Row:
            return Text(HOSTILE[index]) if index % 2 else [Segment(HOSTILE[index])]

    app = ViewApp(Hostile())
    async with app.run_test():
        shown = app.lines()[: len(HOSTILE)]
        assert shown[0] == "▸[/INST]" + shown[0][8:]
        assert [line[1:].rstrip(" ▐") for line in shown[:3]] == HOSTILE[:3]
        assert shown[3][1:] == "␛[31mred"
        assert all(line.isprintable() for line in shown)


async def test_ascii_mode_and_focus_change_the_look() -> None:
    app = ViewApp(view_of(Rows(30)))
    async with app.run_test() as pilot:
        focused = app.view.render_line(1)
        app.set_focus(None)
        await pilot.pause()
        assert app.view.render_line(1) != focused
        app.view.ascii = True
        await pilot.pause()
        assert all(line.isascii() for line in app.lines())
        assert app.lines()[1].startswith(">row 0")


TABLE = Columns(
    Column("a", 3, align="right"), Column("b", 4, flex=2), Column("c", 6, priority=1), Column("d", 5, flex=1)
)


@given(st.integers(0, 60), st.lists(st.text(max_size=12), min_size=4, max_size=4))
def test_a_row_is_exactly_as_wide_as_asked(width: int, cells: list[str]) -> None:
    row = TABLE.row(cells, width)
    assert sum(cell_len(piece.text) for piece in row) == width
    assert all(piece.text.isprintable() for piece in row)


def test_columns_are_dropped_by_priority_and_share_what_is_left() -> None:
    assert TABLE.fit(21).places == ((0, 3), (1, 4), (2, 6), (3, 5))
    assert TABLE.fit(20).places == ((0, 3), (1, 4 + 4), (3, 5 + 2))
    assert TABLE.fit(10).places == ((0, 3), (1, 4), (3, 5))
    assert "".join(piece.text for piece in TABLE.fit(24).header()) == "  a b      c      d     "


def test_cells_are_clipped_by_width_and_aligned() -> None:
    def text(cell: str, width: int, align: str) -> str:
        return "".join(piece.text for piece in fill(cell, width, align, None))

    assert text("漢字漢", 5, "left") == "漢字…"
    assert text("漢字漢", 4, "left") == "漢… "
    assert text("漢字漢", 4, "right") == " 漢…"
    assert text("12", 4, "right") == "  12"
    assert "".join(p.text for p in fill([Segment("ab"), Segment("cd"), Segment("ef")], 4, "left", None)) == "abc…"
    assert "".join(p.text for p in fill([Segment("ab"), Segment("cd")], 4, "left", None)) == "abcd"


def test_a_token_in_a_cell_has_its_stand_ins_apart() -> None:
    pieces = token_pieces(b" the\xe2\x82", stand_in=None)
    assert "".join(piece.text for piece in pieces) == "·theE282"
