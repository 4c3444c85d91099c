"""Lessons in the explorer: leaving the path and coming back, what was open before, what can go wrong, what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from explorer_driver import Driver, explorer
from lesson_player import Player
from textual.widgets import Input, OptionList

from tokexplorer import paths
from tokexplorer.lessons import progress
from tokexplorer.lessons.loading import load_lessons, read_lesson
from tokexplorer.tui import guide
from tokexplorer.tui.screens.lessons import LessonsScreen
from tokexplorer.tui.widgets.corpus_pane import CorpusPane
from tokexplorer.tui.widgets.lesson_panel import LessonPanel, Reading
from tokexplorer.tui.widgets.pair_table import PairTable

LESSONS = load_lessons()
BY_HAND = LESSONS[2]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "cats.txt"
    path.write_text("the cat sat on the mat; the hat of the bat\n" * 5)
    return path


def beside_corpus(shown: str) -> list[str]:
    """What is on screen right of the corpus pane, whose scroll position is its own affair."""
    return [line[28:] for line in shown.split("\n")]


async def begun(driver: Driver, number: int = 3) -> Player:
    player = Player(driver)
    await player.open(LESSONS[number - 1])
    return player


async def test_the_list_tells_what_each_lesson_is_about() -> None:
    async with explorer() as driver:
        await driver.press("l")
        shown = driver.shown()
        assert all(lesson.title in shown for lesson in LESSONS)
        assert " ".join(LESSONS[0].about.split()[:5]) in shown
        assert "0 of 13 done" in shown
        await driver.press("down")
        assert " ".join(LESSONS[1].about.split()[:5]) in driver.shown()
        await driver.press("escape")
        assert not isinstance(driver.app.screen, LessonsScreen)
        assert not driver.screen.query_one(LessonPanel).display


async def test_the_panel_stands_beside_the_panes_or_above_them() -> None:
    for size, beside in (((120, 36), True), ((100, 30), True), ((99, 30), False), ((80, 24), False), ((60, 20), False)):
        async with explorer(size=size) as driver:
            player = await begun(driver)
            panel, pane = player.panel.region, driver.screen.tokens_pane.region
            assert (panel.x == pane.x) is not beside
            assert (panel.bottom <= pane.y) is not beside
            assert panel.width == (40 if beside else size[0])
            assert pane.height >= 6
            assert "q quit" in driver.shown()


async def test_the_panel_moves_when_the_terminal_is_resized() -> None:
    async with explorer(size=(120, 36)) as driver:
        player = await begun(driver)
        await driver.pilot.resize_terminal(80, 24)
        await driver.idle()
        assert player.panel.region.width == 80
        await driver.pilot.resize_terminal(160, 40)
        await driver.idle()
        assert player.panel.region.width == 46
        assert not player.panel.has_class("-crowded")
        assert driver.screen.query_one("#merges").region.width > 0


async def test_esc_leaves_the_path_and_l_comes_back_to_the_same_place() -> None:
    async with explorer() as driver:
        player = await begun(driver)
        await driver.press("enter", "right", "enter")
        walk = player.guide.walk
        assert walk is not None
        assert (walk.number, driver.step) == (2, 0)
        await driver.press("escape")
        assert not player.panel.display
        assert "2 Pairs" in driver.shown()
        assert "1 Corpus" in driver.shown()
        await driver.press("s", "s", "s", "t", "number_sign")
        assert (driver.step, driver.screen.lens.chosen) == (3, "gpt2")
        assert walk.waits
        await driver.press("l")
        assert player.panel.has_focus_within
        assert (walk.number, walk.waits, driver.step, driver.screen.lens.chosen) == (2, True, 0, "own")
        assert not driver.screen.tokens_pane.view.ids
        await driver.press("s")
        assert not walk.waits


async def test_coming_back_untouched_finds_everything_as_it_was() -> None:
    async with explorer() as driver:
        player = await begun(driver)
        await driver.press("enter", "right", "s")
        walk = player.guide.walk
        assert walk is not None
        assert not walk.waits
        shown = str(player.panel.query_one("#told").render())
        await driver.press("escape", "l")
        assert not walk.waits
        assert driver.step == 1
        assert str(player.panel.query_one("#told").render()) == shown


async def test_a_chosen_pair_is_played_with_and_forgotten() -> None:
    async with explorer() as driver:
        player = await begun(driver)
        await driver.press("enter", "right", "escape", "2", "down", "down", "down", "m")
        snapshot = driver.screen.snapshot
        assert snapshot is not None
        assert snapshot.merges[0].chosen
        await driver.press("l", "s")
        snapshot = driver.screen.snapshot
        assert snapshot is not None
        assert not snapshot.merges[0].chosen
        assert player.guide.walk is not None
        assert not player.guide.walk.waits


async def test_l_from_a_pane_gives_the_panel_the_keys_and_from_the_panel_the_list() -> None:
    async with explorer() as driver:
        player = await begun(driver)
        await driver.press("4")
        assert not player.panel.has_focus_within
        await driver.press("l")
        assert player.panel.has_focus_within
        await driver.press("l")
        assert isinstance(driver.app.screen, LessonsScreen)
        await driver.press("escape")
        assert player.panel.has_focus_within


async def test_what_was_open_before_is_there_again(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("s", "s", "s", "b", "t", "p")
        await driver.type("my cat")
        await driver.press("escape", "number_sign", "3")
        screen, before = driver.screen, driver.shown()
        row = screen.query_one(CorpusPane).cursor
        session, keeper, lens = screen.session, screen.keeper, screen.lens
        player = await begun(driver)
        assert screen.session is not session
        assert screen.keeper is not keeper
        await driver.press("enter", "right", "s", "l")
        assert "leave the lessons: back to cats.txt at step 2" in driver.shown()
        await driver.press("end", "enter")
        assert player.guide.walk is None
        assert screen.session is session
        assert screen.keeper is keeper
        assert (screen.lens.chosen, screen.lens.probe) == (lens.chosen, b"my cat")
        assert screen.lens.names == lens.names
        assert (driver.step, screen.snapshot and screen.snapshot.known) == (2, 3)
        assert beside_corpus(driver.shown()) == beside_corpus(before)
        assert screen.query_one(CorpusPane).cursor == row


async def test_the_readers_own_session_is_what_is_saved_meanwhile(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("s", "s")
        keeper = driver.screen.keeper
        await begun(driver)
        await driver.press("enter", "right", "s", "e")
        saved = keeper.saved_session()
        assert saved is not None
        assert [document.name for document in saved.documents] == ["cats.txt"]
        assert saved.step == 2


async def test_opening_a_text_leaves_the_lesson(text: Path) -> None:
    async with explorer() as driver:
        player = await begun(driver)
        session = player.guide._own.session if player.guide._own is not None else None
        await driver.press("escape", "o")
        driver.app.screen.query_one(Input).value = str(text)
        driver.app.screen.query_one(Input).focus()
        await driver.press("enter")
        snapshot = driver.screen.snapshot
        assert snapshot is not None
        assert [d.name for d in snapshot.corpus.documents] == ["cats.txt"]
        assert driver.screen.session is session
        assert player.guide.walk is None
        await driver.press("l")
        assert isinstance(driver.app.screen, LessonsScreen)
        await driver.press("enter")
        assert player.guide.walk is not None
        assert player.guide.walk.lesson.id == BY_HAND.id


async def test_a_run_is_stopped_for_the_next_step() -> None:
    async with explorer() as driver:
        player = await begun(driver, 12)
        await driver.pilot.press("a")
        await driver.pilot.pause(0.2)
        assert driver.screen.busy
        await driver.press("right")
        assert player.guide.walk is not None
        assert player.guide.walk.number == 1
        assert driver.step == 744
        await driver.pilot.press("0", "a")
        await driver.press("left")
        assert (player.guide.walk.number, driver.step) == (0, 0)


async def test_leaving_while_the_engine_runs(text: Path) -> None:
    async with explorer([text]) as driver:
        player = await begun(driver, 12)
        await driver.press("l")
        await driver.pilot.press("escape", "a")
        await driver.pilot.pause(0.1)
        player.guide.leave()
        await driver.idle()
        snapshot = driver.screen.snapshot
        assert snapshot is not None
        assert [d.name for d in snapshot.corpus.documents] == ["cats.txt"]
        assert player.guide.walk is None


async def test_the_coming_pair_is_veiled_until_it_was_guessed() -> None:
    async with explorer() as driver:
        player = await begun(driver)
        await driver.press("enter")
        assert driver.screen.veiled
        assert not driver.screen.query_one(PairTable).region.width
        view = driver.screen.tokens_pane.view
        assert view.model is not None
        assert all(not token.mark for token in view.model.tokens(0, view.model.size))
        options = player.panel.query_one(OptionList)
        assert options.has_focus
        await driver.press("down", "enter")
        assert not driver.screen.veiled
        assert driver.screen.query_one(PairTable).region.width
        assert any(token.mark for token in view.model.tokens(0, view.model.size))


async def test_who_goes_to_the_pairs_looks_behind_the_veil() -> None:
    async with explorer() as driver:
        await begun(driver)
        await driver.press("enter", "2")
        assert not driver.screen.veiled
        assert driver.screen.query_one(PairTable).region.width


async def test_single_letters_go_into_a_field_and_nowhere_else() -> None:
    async with explorer() as driver:
        player = await begun(driver, 2)
        field = player.panel.query_one(Input)
        assert field.has_focus
        await driver.type("q9")
        assert field.value == "q9"
        await driver.press("enter")
        assert "A number, please" in driver.shown()
        await driver.press("enter")
        assert "It is 6." in driver.shown()
        assert player.panel.query_one(Reading).has_focus


async def test_a_finished_lesson_leads_to_the_next_one_and_back() -> None:
    async with explorer() as driver:
        player = await begun(driver)
        await driver.press(*["right"] * len(BY_HAND.steps))
        assert "That was Byte-pair encoding by hand" in " ".join(driver.shown().split())
        await driver.press("left")
        assert player.guide.walk is not None
        assert player.guide.walk.number == len(BY_HAND.steps) - 1
        await driver.press("right", "enter")
        assert player.guide.walk.lesson == LESSONS[3]
        await driver.press("escape", "L")
        rows = driver.shown()
        assert "✓  3  Byte-pair encoding by hand" in rows
        assert "1 of 13 done" in rows
        await driver.press("escape")
        await player.open(LESSONS[-1])
        await driver.press(*["right"] * (len(LESSONS[-1].steps) + 1))
        assert isinstance(driver.app.screen, LessonsScreen)


async def test_progress_is_kept_between_runs() -> None:
    async with explorer() as driver:
        await begun(driver)
        await driver.press("enter", "right")
        await driver.idle()
    assert progress.load(paths.lessons_file()).steps == {BY_HAND.id: 2}
    async with explorer() as driver:
        await driver.press("l")
        assert "step 3 of 8" in driver.shown()
        await driver.press("enter")
        assert "3/8" in driver.shown()


async def test_progress_that_cannot_be_read_begins_anew_and_that_cannot_be_written_is_told() -> None:
    path = paths.lessons_file()
    path.parent.mkdir(parents=True)
    path.write_text("[")
    async with explorer() as driver:
        await driver.press("l")
        assert any("is not the progress of lessons" in words for words in driver.words())
        path.unlink()
        path.mkdir()
        await driver.press("down", "enter", "right")
        await driver.idle()
        assert any("lessons.json: cannot be written" in words for words in driver.words())


async def test_a_broken_lesson_file_is_told_and_nothing_else_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guide, "load_lessons", lambda: (read_lesson("01_bad.toml", "title = 3"),))
    async with explorer() as driver:
        before = driver.shown().split("\n")[0]
        await driver.press("l")
        assert any("01_bad.toml: title: must be a text" in words for words in driver.words())
        assert driver.shown().split("\n")[0] == before


async def test_keys_of_the_readers_own_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async with explorer() as driver:
        monkeypatch.setattr(driver.app, "user_keys", {"ids": "x"})
        await begun(driver, 1)
        assert "Press x to see" in driver.shown()


HOSTILE = r"""
title = "[red]x[/red] [/INST]"
about = "[@click=app.quit]x[/]"
[[steps]]
text = "`[bold]\u001b[31m\u202e` and [UNK] [/INST]"
[steps.stage]
text = "[/INST]\u001b"
[steps.guess]
ask = "[/b]?"
answer = { fact = "byte_count" }
options = [{ text = "[/c] `[UNK]`", at_most = 3 }, { text = "\u200b[d]", at_least = 4 }]
"""


async def test_a_hostile_lesson_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = read_lesson("01_hostile.toml", HOSTILE)
    monkeypatch.setattr(guide, "load_lessons", lambda: (lesson,))
    async with explorer() as driver:
        await driver.press("l")
        assert "[red]x[/red] [/INST]" in driver.shown()
        await driver.press("enter")
        shown = driver.shown()
        assert "[UNK] [/INST]" in shown
        assert "[/c] [UNK]" in shown
        assert not {"\x1b", "\u202e", "\u200b"} & set(shown)
        await driver.press("enter", "down", "enter")
        assert "Right." in driver.shown()
