"""TokenView in an app: keys, marks, toggles, looks; the place is kept, only changes are sent, text stays text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from rich.cells import cell_len
from rich.color import ColorSystem
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.theme import Theme

from tokexplorer.engine.glyphs import Kind
from tokexplorer.tui.themes import DARK, LIGHT
from tokexplorer.tui.widgets.token_colours import COLOURS
from tokexplorer.tui.widgets.token_model import Mark, SequenceModel, ShownToken
from tokexplorer.tui.widgets.token_styles import GlyphLook, TokenStyles
from tokexplorer.tui.widgets.token_view import TokenView

WORDS = b"The quick brown fox jumps over the lazy dog and runs.\n"


def in_tokens(text: bytes, length: int = 4, marks: dict[int, Mark] | None = None) -> SequenceModel:
    """The text in tokens of so many bytes; the id is the token's number modulo 100."""
    ends = [*range(length, len(text), length), len(text)] if text else []
    return SequenceModel(text, [n % 100 for n in range(len(ends))], ends, marks=marks)


class ViewApp(App[None]):
    """One TokenView of 8 x 31 cells: rows of 30 and the thumb; keeps the messages."""

    CSS = "TokenView { width: 31; height: 8; }"

    def __init__(self, model: SequenceModel | None) -> None:
        super().__init__()
        self.view = TokenView(model)
        self.told: list[tuple[str, int]] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def on_token_view_token_highlighted(self, event: TokenView.TokenHighlighted) -> None:
        assert event.control is self.view
        self.told.append(("highlighted", event.token.start))

    def on_token_view_token_selected(self, event: TokenView.TokenSelected) -> None:
        self.told.append(("selected", event.token.start))

    def lines(self) -> list[str]:
        """The visible rows as text, without the thumb."""
        return [self.view.build_line(y, self.view.line_width).text.rstrip() for y in range(self.view.line_count)]

    def starts(self) -> list[int]:
        """Which tokens are drawn as the one under the cursor."""
        block = self.view.cursor_block
        return [] if block is None else [token.start for token in block.tokens]


async def test_keys_go_token_by_token_and_row_by_row() -> None:
    app = ViewApp(in_tokens(WORDS * 50))
    async with app.run_test() as pilot:
        assert app.lines()[:2] == ["The·quick·brown·fox·jumps·over", "·the·lazy·dog·and·runs.↵"]
        for key, start in [("right", 4), ("right", 8), ("left", 4), ("left", 0), ("left", 0), ("down", 28)]:
            await pilot.press(key)
            assert app.starts() == [start], key
        await pilot.press("right", "up")
        assert app.starts() == [0]
        await pilot.press("end")
        assert app.starts() == [(len(WORDS) * 50 - 1) // 4 * 4]
        assert app.lines()[-1] == "·the·lazy·dog·and·runs.↵"
        await pilot.press("right", "down")
        assert app.starts() == [(len(WORDS) * 50 - 1) // 4 * 4]
        await pilot.press("home", "enter")
        assert app.told[-1] == ("selected", 0)
        assert app.view.token == ShownToken(0, 0, 4)


async def test_down_passes_a_token_longer_than_a_row() -> None:
    text = b"x" * 200
    app = ViewApp(SequenceModel(text, [1, 2], [100, 200]))
    async with app.run_test() as pilot:
        for offset in (30, 60, 90, 120):
            await pilot.press("down")
            assert app.view.cursor_offset == offset
        assert app.told == [("highlighted", 100)]
        await pilot.press("up", "up", "up", "up")
        assert app.view.cursor_offset == 0


async def test_pages_keep_the_cursors_line() -> None:
    app = ViewApp(in_tokens(WORDS * 50))
    async with app.run_test() as pilot:
        await pilot.press("down", "down", "pagedown")
        assert app.view.top_offset == app.view._laid.rows(0, 8)[7].start
        row = app.view._laid.row_start(app.view.cursor_offset)
        assert app.view._laid.back(row, 2) == app.view.top_offset
        await pilot.press("pageup")
        assert app.view.top_offset == 0
        await pilot.press("pageup")
        assert app.starts() == [0]
        await pilot.press("end", "pagedown")
        assert app.lines()[-1] != ""


async def test_long_lines_and_many_lines_answer_at_once() -> None:
    """No key asks for more than a few thousand bytes of a text of a million, wherever it is."""

    class Counting(SequenceModel):
        asked = 0

        def tokens(self, start: int, end: int) -> list[ShownToken]:
            found = super().tokens(start, end)
            self.asked += len(found)
            return found

    for text in (b"abcd efgh" * 110_000, b"ab\n" * 330_000):
        model = Counting(text, range(len(text) // 3), range(3, len(text) + 1, 3))
        app = ViewApp(model)
        async with app.run_test() as pilot:
            for key in ("end", "up", "pageup", "pageup", "home", "pagedown", "down", "right", "end", "left"):
                model.asked = 0
                await pilot.press(key)
                assert 0 < model.asked < 6000, key


async def test_a_model_over_the_same_text_keeps_the_place_and_sends_only_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = ViewApp(in_tokens(WORDS * 50))
    async with app.run_test() as pilot:
        app.view.go_to(2000)
        await pilot.pause()
        top, cursor = app.view.top_offset, app.view.cursor_offset
        sent: list[Region] = []
        monkeypatch.setattr(app.view, "refresh", lambda *regions: sent.extend(regions))
        app.view.show(in_tokens(WORDS * 50))
        assert (app.view.top_offset, app.view.cursor_offset, sent) == (top, cursor, [])
        second = app.view._laid.rows(top, 2)[1]
        app.view.show(in_tokens(WORDS * 50, marks={second.start // 4 + 2: Mark.NEXT}))
        assert [(region.y, region.height) for region in sent] == [(1, 1)]
        assert sent[0].width < 12
        app.view.show(in_tokens(WORDS), keep_position=False)
        assert (app.view.top_offset, app.view.cursor_offset) == (0, 0)
        app.view.show(None)
        assert app.lines()[0] == "no text"
        assert app.view.token is None


async def test_a_shorter_text_keeps_what_it_can() -> None:
    app = ViewApp(in_tokens(WORDS * 50))
    async with app.run_test() as pilot:
        await pilot.press("end")
        app.view.show(in_tokens(WORDS * 2))
        assert app.view.cursor_offset == len(WORDS) * 2 - 1
        assert app.lines()[0] == "The·quick·brown·fox·jumps·over"
        app.view.show(in_tokens(b""))
        await pilot.press("down", "right", "enter", "pagedown", "end", "home", "up")
        assert app.lines()[0] == "no text"


@pytest.mark.parametrize("finder", [True, False])
async def test_marks_are_found_place_by_place(finder: bool) -> None:
    class Plain:
        """A model that does not know where its marks are."""

        def __init__(self, model: SequenceModel) -> None:
            self.size, self.read, self.tokens = model.size, model.read, model.tokens

    model = in_tokens(WORDS * 500, marks={3: Mark.NEXT, 4: Mark.NEXT, 900: Mark.MADE, 6000: Mark.NEXT})
    app = ViewApp(model if finder else Plain(model))  # type: ignore[arg-type]
    async with app.run_test():
        for forward, start in [(True, 12), (True, 3600), (True, 24000), (False, 3600), (False, 12)]:
            assert app.view.find_next_mark(forward)
            assert app.starts() == [start]
            assert app.view._rows is not None
            assert app.view.top_offset <= start < app.view._visible()[-1].end
        assert not app.view.find_next_mark(False)
        assert app.starts() == [12]


async def test_a_click_chooses_the_token_under_it() -> None:
    app = ViewApp(in_tokens(WORDS * 3))
    async with app.run_test() as pilot:
        await pilot.click(app.view, offset=(9, 1))
        assert app.told == [("highlighted", 36), ("selected", 36)]
        await pilot.click(app.view, offset=(29, 1))
        assert len(app.told) == 2


async def test_wheel_and_thumb_take_the_cursor_along() -> None:
    app = ViewApp(in_tokens(WORDS * 500))
    async with app.run_test() as pilot:
        app.view.scroll_lines(3)
        assert app.view.cursor_offset == app.view.top_offset > 0
        await pilot.click(app.view, offset=(30, 7))
        assert app.view._visible()[-1].end == len(WORDS) * 500
        app.view.scroll_lines(-10_000)
        assert app.view.top_offset == 0


async def test_cut_characters_are_hex_until_grouped() -> None:
    text = "né漢 ".encode()
    app = ViewApp(SequenceModel(text, range(len(text)), range(1, len(text) + 1)))
    async with app.run_test() as pilot:
        assert app.lines()[0] == "nC3A9E6BCA2·"
        app.view.group = True
        await pilot.pause()
        assert app.lines()[0] == "né漢·"
        await pilot.press("right")
        assert app.starts() == [1, 2]
        app.view.ids = True
        await pilot.pause()
        assert app.lines()[0] == "0 1+2 3+4+5 6"


async def test_cuts_show_without_colour() -> None:
    app = ViewApp(in_tokens(b"abcdefgh"))
    async with app.run_test() as pilot:

        def underlined() -> str:
            line = app.view.build_line(0, 30)
            return "".join(text if style and style.underline else "-" * len(text) for text, style, _ in line)[:8]

        assert underlined() == "a---e---"
        app.view.cuts = "none"
        await pilot.pause()
        assert underlined() == "--------"
        app.view.cuts = "bars"
        await pilot.pause()
        assert app.lines()[0] == "▏abcd▏efgh"
        app.view.ascii = True
        await pilot.pause()
        assert app.lines()[0] == "|abcd|efgh"


async def test_chunk_borders_can_be_shown() -> None:
    app = ViewApp(SequenceModel(b"abcdef", [1, 2, 3], [2, 4, 6], chunk_starts={0, 4}))
    async with app.run_test() as pilot:
        app.view.chunks = True
        await pilot.pause()
        assert app.lines()[0] == "┊abcd┊ef"


MARKED = (Mark.NEXT, Mark.MADE)
THEMES = ["textual-dark", "textual-light", "ansi-dark", "ansi-light"]


@pytest.mark.parametrize("theme", THEMES)
async def test_neighbours_never_look_alike(theme: str) -> None:
    app = ViewApp(in_tokens(b"abcd" * 40, marks=dict.fromkeys((7, 8), Mark.NEXT) | dict.fromkeys((20, 21), Mark.MADE)))
    async with app.run_test() as pilot:
        app.theme = theme
        await pilot.pause()
        app.view.go_to(159)
        pens = [
            (style.color, style.bgcolor)
            for y in range(3)
            for text, style, _ in app.view.build_line(y, 30)
            if style is not None and style.underline
        ]
        assert len(pens) > 20
        assert all(a != b for a, b in pairwise(pens))


@pytest.mark.parametrize("theme", [DARK, LIGHT, *THEMES[:2]])
@pytest.mark.parametrize("system", [ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT])
async def test_the_palette_stays_apart_in_256_colours(theme: Theme | str, system: ColorSystem) -> None:
    app = ViewApp(in_tokens(WORDS))
    async with app.run_test() as pilot:
        if isinstance(theme, Theme):
            app.register_theme(theme)
        app.theme = theme if isinstance(theme, str) else theme.name
        await pilot.pause()
        styles = TokenStyles(app.view)
        looks = [GlyphLook(colour, Mark.NONE, 0, False, Kind.PLAIN, False) for colour in range(COLOURS)]
        looks += [GlyphLook(0, mark, shade, False, Kind.PLAIN, False) for mark in MARKED for shade in (0, 1)]
        backs = [back.downgrade(system) for look in looks if (back := styles.of(look).bgcolor) is not None]
        assert len(set(backs)) == len(looks)


@pytest.mark.parametrize("theme", [*THEMES, "none"])
async def test_every_mark_has_its_look_and_a_cue_besides_colour(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if theme == "none":
        monkeypatch.setenv("NO_COLOR", "1")
    app = ViewApp(in_tokens(WORDS))
    async with app.run_test() as pilot:
        app.theme = theme if theme != "none" else "textual-dark"
        await pilot.pause()
        styles = TokenStyles(app.view)
        ways = [GlyphLook(0, mark, 0, cursor, Kind.PLAIN, False) for mark in Mark for cursor in (False, True)]
        looks = [styles.of(look) for look in ways]
        cues = [(s.bold, s.italic, s.underline, s.reverse, s.strike) for s in looks]
        assert all(cue != cues[0] for cue in cues[1:])
        marked = looks[::2]
        assert len({(s.color, s.bgcolor, cue) for s, cue in zip(marked, cues[::2], strict=True)}) == len(Mark)
        if theme == "none":
            assert len(set(cues[::2])) == len(Mark)


async def test_hostile_text_is_shown_as_text() -> None:
    text = "[/INST] [UNK] [@click=app.quit]x[/] \x1b[31m\x9b2J \u202eevil \u2028\x07 ".encode() + bytes(range(256))
    app = ViewApp(in_tokens(text, 3))
    async with app.run_test() as pilot:
        await pilot.press("right", "enter")
        assert app.lines()[0] == "[/INST]·[UNK]·[@click=app.quit"
        assert app.lines()[1].startswith("]x[/]·␛[31mC29B2J·")
        for look in ("group", "chunks", "ascii", "ids"):
            if look == "chunks":
                assert app.lines()[1].startswith("]x[/]·␛[31m‹U+009B›2J")
            for y in range(app.view.line_count):
                line = app.view.render_line(y)
                assert line.text.isprintable()
                assert line.cell_length == cell_len(line.text) == 31
            setattr(app.view, look, True)
            await pilot.pause()
        assert app.is_running


async def test_a_resize_keeps_the_place() -> None:
    app = ViewApp(in_tokens(WORDS * 50))
    async with app.run_test() as pilot:
        app.view.go_to(1500)
        await pilot.pause()
        for width, height in ((20, 3), (2, 2), (1, 1), (60, 20)):
            app.view.styles.width, app.view.styles.height = width, height
            await pilot.pause()
            assert app.starts() == [1500]
            if width > 1:
                assert app.view.top_offset <= 1500 < app.view._visible()[-1].end
