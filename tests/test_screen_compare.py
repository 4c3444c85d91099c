"""Compare, key by key: counts against tiktoken, columns that move together, marks, the probe, our own merges."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from builtin_oracle import encoding
from explorer_driver import explorer
from study_host import OWN, SAMPLE, Host, session_of, settle, shown
from textual.pilot import Pilot
from textual.widgets import TextArea

from tokexplorer.engine import glyphs
from tokexplorer.engine.corpus import TextDocument
from tokexplorer.session import Session, Settings
from tokexplorer.tokenizers.base import SpecialMode
from tokexplorer.tui.lens import Lens
from tokexplorer.tui.screens.compare import CompareScreen
from tokexplorer.tui.screens.dialogs import ChooseScreen
from tokexplorer.tui.screens.help import HelpScreen
from tokexplorer.tui.screens.token_page import TokenPageScreen
from tokexplorer.tui.widgets.token_model import Mark

FOUR = (OWN, "gpt2", "cl100k_base", "o200k_base")
HOSTILE = "[/INST] [red]x[/red] \x1b]0;t\x07 \x9b31m \u202e ab\u200b [UNK] \ufffe"


def host(names: Sequence[str] = FOUR, text: str | bytes = SAMPLE, lens: Lens | None = None) -> Host:
    def make(app: Host) -> CompareScreen:
        app.shelf.choices["compare"] = tuple(names)
        return CompareScreen(app.shelf, app.scene)

    return Host(make, session_of(text), lens)


def compare_of(app: Host) -> CompareScreen:
    return next(s for s in app.screen_stack if isinstance(s, CompareScreen))


def counts(app: Host) -> list[int]:
    comparison = compare_of(app).comparison
    assert comparison is not None
    return [stats.tokens for stats in comparison.stats]


def offsets(app: Host) -> set[tuple[int, int]]:
    """Where the columns look: top, and the byte under the cursor's token start."""
    return {(c.view.top_offset, c.view.cursor_offset) for c in compare_of(app).columns}


async def test_counts_are_tiktokens_and_our_own_are_the_snapshots() -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        snapshot = app.session.snapshot()
        want = [len(encoding(name).encode_ordinary(SAMPLE)) for name in FOUR[1:]]
        assert counts(app) == [snapshot.tokens, *want]
        screen = shown(app)
        for count in counts(app):
            assert f"{count:,}" in screen
        for words in ("bytes/token", "tokens/word", "whole words", "partial", "ids used", "cuts agree", "fewer"):
            assert words in screen


async def test_the_first_esc_leaves_the_probe_field() -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await pilot.press("p", *"abc")
        await pilot.pause()
        assert "leaves the field" in shown(app).splitlines()[-1]
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen.focused, TextArea)
        assert "next difference" in shown(app).splitlines()[-1]
        before = compare_of(app).probe
        await pilot.press("n", "m")
        await settle(pilot)
        assert compare_of(app).probe == before


async def test_special_strings_as_tokens() -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await pilot.press("k")
        await settle(pilot)
        assert "special as token" in shown(app)
        want = [len(encoding(name).encode(SAMPLE, allowed_special="all")) for name in FOUR[1:]]
        assert counts(app)[1:] == want
        await pilot.press("k")
        await settle(pilot)
        assert compare_of(app).special is SpecialMode.TEXT


async def test_columns_move_together() -> None:
    app = host(text="".join(SAMPLE.splitlines(keepends=True)[:2]) * 40)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        views = [column.view for column in compare_of(app).columns]
        for key in ("down", "pagedown", "pagedown", "right", "up", "end", "pageup", "home", "pagedown"):
            await pilot.press(key)
            await pilot.pause()
            assert len({view.top_offset for view in views}) == 1, key
            at = views[0].cursor_offset
            for view in views:
                token = view.token
                assert token is not None
                assert token.start <= at < token.end
        views[0].scroll_lines(3)
        await pilot.pause()
        assert len({view.top_offset for view in views}) == 1


async def test_marks_and_jumps_are_where_cuts_differ() -> None:
    app = host(("gpt2", "cl100k_base"))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        screen = compare_of(app)
        data = SAMPLE.encode()
        cuts = []
        for name in ("gpt2", "cl100k_base"):
            at, ends = 0, {0}
            for own in encoding(name).encode_ordinary(SAMPLE):
                at += len(encoding(name).decode_bytes([own]))
                ends.add(at)
            cuts.append(ends)
        differing = cuts[0] ^ cuts[1]
        for column in screen.columns:
            model = column.view.model
            assert model is not None
            for token in model.tokens(0, len(data)):
                inside = any(token.start <= cut <= token.end for cut in differing)
                assert (token.mark is Mark.DIFFERS) == inside
        stops = []
        for _ in range(100):
            before = offsets(app)
            await pilot.press("n")
            await pilot.pause()
            if offsets(app) == before:
                break
            assert len(offsets(app)) == 1
            stops.append(screen.columns[0].view.cursor_offset)
        assert stops == sorted(set(stops))
        assert stops
        assert all(stop in cuts[0] & cuts[1] for stop in stops)
        await pilot.press("N")
        await pilot.pause()
        assert screen.columns[0].view.cursor_offset == stops[-2]
        await pilot.press("m")
        model = screen.columns[0].view.model
        assert model is not None
        assert not any(token.mark for token in model.tokens(0, len(data)))


async def test_the_probe_is_compared_as_it_is_typed() -> None:
    app = host(("gpt2", "cl100k_base"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("p")
        await pilot.pause()
        for typed in range(1, len("strawberry") + 1):
            await pilot.press("strawberry"[typed - 1])
            await pilot.pause()
            text = "strawberry"[:typed]
            assert counts(app) == [len(encoding(n).encode_ordinary(text)) for n in ("gpt2", "cl100k_base")]
        await pilot.press("escape", "p")
        await settle(pilot)
        assert counts(app) == [len(encoding(n).encode_ordinary(SAMPLE)) for n in ("gpt2", "cl100k_base")]


async def test_the_explorers_probe_is_taken_along() -> None:
    app = host(("gpt2", "o200k_base"), lens=Lens(probe=b"1234 + 5678"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert compare_of(app).query_one(TextArea).text == "1234 + 5678"
        assert counts(app) == [len(encoding(n).encode_ordinary("1234 + 5678")) for n in ("gpt2", "o200k_base")]


async def test_columns_are_added_dropped_and_turned() -> None:
    app = host((OWN, "gpt2"))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        screen = compare_of(app)
        await pilot.press("plus", "plus")
        await settle(pilot)
        assert screen.names == FOUR
        await pilot.press("plus")
        await settle(pilot)
        assert screen.names == FOUR
        await pilot.press("tab", "t")
        await settle(pilot)
        assert screen.names == (OWN, "characters", "cl100k_base", "o200k_base")
        assert counts(app)[1] == len(SAMPLE)
        await pilot.press("t")
        await settle(pilot)
        assert screen.names[1] == "words"
        assert counts(app)[1] == len(app.session.snapshot().corpus.split.chunks(SAMPLE))
        await pilot.press("T", "T")
        await settle(pilot)
        assert screen.names == FOUR
        await pilot.press("minus", "minus", "minus")
        await settle(pilot)
        assert len(screen.names) == 2
        await pilot.press("shift+tab", "o")
        await pilot.pause()
        assert isinstance(app.screen, ChooseScreen)
        app.screen.dismiss("p50k_base")
        await settle(pilot)
        assert "p50k_base" in screen.names
        assert app.shelf.choices["compare"] == screen.names


async def test_words_that_are_not_in_the_corpus_are_unknown() -> None:
    app = host(("words", "gpt2"), lens=Lens(probe=b"The cat zzyzx"))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        comparison = compare_of(app).comparison
        assert comparison is not None
        assert comparison.stats[0].unknown == 1
        assert "unknown" in shown(app)


async def test_looks_figures_pages_and_leaving() -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        screen = compare_of(app)
        await pilot.press("number_sign", "h", "d")
        views = [column.view for column in screen.columns]
        assert all(view.ids and view.group and view.chunks for view in views)
        await pilot.press("number_sign", "h", "d", "f")
        await pilot.pause()
        assert "between each two" in shown(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "between each two" not in shown(app)
        await pilot.press("tab", "right", "enter")
        await settle(pilot)
        page = app.screen
        assert isinstance(page, TokenPageScreen)
        assert page.subject.name == "gpt2"
        assert page.subject.id == encoding("gpt2").encode_ordinary(SAMPLE)[1]
        await pilot.press("escape", "E", "question_mark")
        await pilot.pause()
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert app.left


async def test_documents_are_not_joined() -> None:
    session = Session(Settings())
    session.open([TextDocument("a.txt", b"the en"), TextDocument("b.txt", b"d of it")])

    def make(app: Host) -> CompareScreen:
        app.shelf.choices["compare"] = ("gpt2", "cl100k_base")
        return CompareScreen(app.shelf, app.scene)

    app = Host(make, session)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        parts = ("the en", "d of it")
        want = [sum(len(encoding(n).encode_ordinary(part)) for part in parts) for n in ("gpt2", "cl100k_base")]
        assert counts(app) == want


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 20), (40, 12)])
@pytest.mark.parametrize("names", [FOUR, ("gpt2", "words")])
async def test_hostile_text_at_any_size(size: tuple[int, int], names: Sequence[str]) -> None:
    app = host(names, text=HOSTILE.encode() + b"\xff\xc3 \xf0\x9f\x98")
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for keys in ((), ("f",), ("f",), ("number_sign",), ("number_sign", "d"), ("E",), ("E",)):
            await pilot.press(*keys)
            await pilot.pause()
            text = shown(app)
            assert all(glyphs.cells(line) <= size[0] for line in text.splitlines())
            assert not set(text) & set("\x1b\x9b\x07\u202e\u200b")
        assert "[/INST]" in shown(app).replace("┊", "")
        assert "special as text" in shown(app) or size[0] < 60


async def test_the_page_of_a_character_is_refused_in_words() -> None:
    app = host(("characters", "gpt2"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, CompareScreen)


async def steps_to(pilot: Pilot[int], screen: CompareScreen, want: int) -> None:
    for _ in range(500):
        await pilot.pause(0.01)
        comparison = screen.comparison
        snapshot = screen.snapshot
        if comparison is not None and not screen.is_working and snapshot is not None and snapshot.step == want:
            return
    raise AssertionError("the step did not come")


async def test_our_own_column_follows_the_explorers_step() -> None:
    async with explorer() as driver:
        await driver.press(*["s"] * 5, "c")
        screen = driver.app.screen
        assert isinstance(screen, CompareScreen)
        for keys, step in ((("s",), 6), (("S",), 16), (("b",), 15), (("B",), 5)):
            await driver.pilot.press(*keys)
            await steps_to(driver.pilot, screen, step)
            assert driver.step == step
            snapshot, comparison = screen.snapshot, screen.comparison
            assert snapshot is not None
            assert comparison is not None
            assert comparison.stats[0].tokens == snapshot.tokens
            assert f"{snapshot.tokens:,}" in driver.shown()
