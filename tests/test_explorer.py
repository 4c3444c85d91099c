"""The explorer, key by key: each does what the key bar and the help say, and everything on screen follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from explorer_driver import explorer
from textual.widgets import Input, OptionList

from tokexplorer.tui import pacing
from tokexplorer.tui.actions import EXPLORER
from tokexplorer.tui.screens.dialogs import AskScreen, ChooseScreen
from tokexplorer.tui.screens.help import HelpScreen
from tokexplorer.tui.screens.opening import OpenScreen
from tokexplorer.tui.widgets.merge_log import MergeLog
from tokexplorer.tui.widgets.pair_table import PairTable


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "cats.txt"
    path.write_text("the cat sat on the mat; the hat of the bat\n" * 5)
    return path


async def test_a_first_run_shows_the_first_sample_and_says_what_to_press() -> None:
    async with explorer() as driver:
        shown = driver.shown()
        assert "english.txt" in shown
        assert "step 0/744" in shown
        assert "s makes the first merge" in shown
        for words in ("s step", "a run", "? help", "q quit"):
            assert words in shown


async def test_stepping_and_going_back_moves_everything(text: Path) -> None:
    async with explorer([text]) as driver:
        start = driver.shown()
        winner = driver.screen.query_one(PairTable).chosen
        await driver.press("s")
        assert driver.step == 1
        merge = driver.screen.snapshot.merges[0]
        assert winner is not None
        assert (merge.left, merge.right) == (winner.left, winner.right)
        assert driver.screen.query_one(MergeLog).cursor == 1
        assert "own merges at 1" in driver.shown()
        await driver.press("space", "b", "b")
        assert driver.step == 0
        assert "undone" in driver.shown()
        await driver.press("S")
        assert driver.step == 10
        await driver.press("B")
        assert driver.step == 0
        assert driver.shown().split("\n")[0] == start.split("\n")[0]


async def test_running_to_the_target_and_home(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("e")
        assert "no pair left" in driver.shown()
        end = driver.step
        await driver.press("0")
        assert (driver.step, driver.screen.snapshot.known) == (0, end)
        await driver.press("e")
        assert driver.step == end


async def test_auto_run_pauses_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "DOUBLING", 1e9)
    async with explorer() as driver:
        for _ in range(2):
            before = driver.step
            await driver.pilot.press("a", "minus", "minus", "minus")
            await driver.pilot.pause(0.3)
            assert driver.screen.busy
            assert "pause" in driver.shown().split("\n")[-1]
            assert driver.screen.check_action("step", (1,)) is None
            await driver.pilot.press("plus", "minus", "s")
            await driver.press("a" if before == 0 else "escape")
            assert before < driver.step < driver.screen.snapshot.target_step
            assert "stopped" in driver.shown()


@pytest.mark.parametrize(
    ("typed", "step"), [("12", 12), ("+7", 12), ("-3", 2), ("v266", 10), ("0", 0), ("16", 16), (" 1 ", 1)]
)
async def test_going_to_a_step(text: Path, typed: str, step: int) -> None:
    async with explorer([text]) as driver:
        await driver.press("s", "s", "s", "s", "s")
        await driver.press("g")
        assert isinstance(driver.app.screen, AskScreen)
        await driver.type(typed)
        await driver.press("enter")
        assert driver.step == step


@pytest.mark.parametrize("typed", ["", "x", "v12", "1.5", "-", "999999999999", "٣"])
async def test_a_step_that_cannot_be_is_refused_in_the_dialog(text: Path, typed: str) -> None:
    async with explorer([text]) as driver:
        await driver.press("g")
        driver.app.screen.query_one(Input).value = typed
        await driver.press("enter")
        assert isinstance(driver.app.screen, AskScreen)
        assert driver.app.screen.query_one(".problem").render() != ""
        await driver.press("escape")
        assert driver.step == 0


async def test_enter_in_the_merge_log_travels_both_ways(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("S", "3", "up", "up", "up", "enter")
        assert driver.step == 7
        await driver.press("end", "enter")
        assert driver.step == 10


async def test_enter_on_a_pair_shows_where_it_stands_and_m_merges_it(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("2", "down", "down", "enter")
        pair = driver.screen.query_one(PairTable).chosen
        assert pair is not None
        assert driver.screen.lookup == (pair.left, pair.right)
        data = driver.screen._model.read(*[getattr(driver.screen.tokens_pane.view.token, a) for a in ("start", "end")])
        assert data == driver.screen.snapshot.vocabulary.data[pair.left]
        await driver.press("m")
        merge = driver.screen.snapshot.last
        assert (merge.left, merge.right, merge.chosen) == (pair.left, pair.right, True)
        assert "branch 1" in driver.shown()
        assert driver.screen.lookup is None


async def test_the_pair_table_is_searched_and_sorted(text: Path) -> None:
    async with explorer([text]) as driver:
        table = driver.screen.query_one(PairTable)
        every = table.row_count
        await driver.press("2", "slash")
        await driver.type(" ")
        await driver.press("enter")
        assert 0 < table.row_count < every
        assert "/·" in driver.shown()
        await driver.press("slash", "backspace", "enter")
        assert table.row_count == every
        await driver.press("r")
        assert "by text" in driver.shown()


async def test_searching_merges_and_text(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("e", "0", "3", "slash")
        await driver.type("the")
        await driver.press("enter")
        log = driver.screen.query_one(MergeLog)
        assert b"the" in driver.screen.snapshot.vocabulary.data[driver.screen.snapshot.merges[log.cursor - 1].new]
        await driver.press("4", "slash")
        driver.app.screen.query_one(Input).value = "mat"
        await driver.press("enter")
        token = driver.screen.tokens_pane.view.token
        assert token is not None
        assert token.start == text.read_text().index("mat")


async def test_the_tokenizers_take_turns_and_agree_with_tiktoken() -> None:
    async with explorer() as driver:
        for name, tokens in (("gpt2", None), ("cl100k_base", None), ("o200k_base", None)):
            await driver.press("t")
            assert name in driver.shown()
            tokenizer = driver.screen.tokenizer
            assert tokenizer is not None
            text = driver.screen._looked_at()
            assert text is not None
            tokens = len(tokenizer.encode(text.read(0, text.size)))
            assert f"{tokens:,} tokens" in driver.shown().split("4 Tokens")[1]
        await driver.press("t")
        assert "own merges" in driver.shown()
        await driver.press("T")
        assert "o200k_base" in driver.shown()


async def test_a_probe_is_looked_at_as_it_is_typed(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("e", "p")
        await driver.type("the cat")
        await driver.idle()
        assert driver.screen.lens.probe == b"the cat"
        assert "probe" in driver.shown()
        step = driver.step
        await driver.press("escape")
        assert not driver.screen.tokens_pane.probing
        await driver.press("b")
        assert driver.step == step - 1
        assert driver.screen.lens.probe == b"the cat"
        await driver.press("p")
        assert driver.screen.lens.probe is None


async def test_special_tokens_are_text_until_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "special.txt"
    path.write_text("a<|endoftext|>b")
    async with explorer([path]) as driver:
        await driver.press("t")
        assert "special as text · 9 tokens" in driver.shown()
        await driver.press("k")
        assert "special as token · 3 tokens" in driver.shown()


async def test_ids_groups_chunks_zoom_and_panes(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("number_sign")
        assert "116" in driver.shown().split("4 Tokens")[1]
        await driver.press("number_sign", "h", "d")
        assert driver.screen.tokens_pane.view.group
        assert driver.screen.tokens_pane.view.chunks
        for key, name in (("1", "corpus"), ("2", "pairs"), ("3", "merges"), ("4", "tokens"), ("tab", "corpus")):
            await driver.press(key)
            assert driver.screen.pane == name
        await driver.press("shift+tab")
        assert driver.screen.pane == "tokens"
        await driver.press("z")
        assert "2 Pairs" not in driver.shown()
        await driver.press("escape")
        assert "2 Pairs" in driver.shown()


async def test_settings_start_the_merges_afresh_and_keep_the_corpus(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("s", "s", "comma", "down")
        assert isinstance(driver.app.screen, ChooseScreen)
        await driver.press("enter")
        driver.app.screen.query_one(OptionList).highlighted = 1
        await driver.press("enter")
        assert driver.screen.snapshot.settings.split == "cl100k"
        assert driver.step == 0
        await driver.press("n")
        driver.app.screen.query_one(Input).value = "100"
        await driver.press("enter")
        assert "below the 256" in str(driver.app.screen.query_one(".problem").render())
        driver.app.screen.query_one(Input).value = "300"
        await driver.press("enter")
        assert "step 0/44" in driver.shown()


async def test_a_bad_pattern_of_ones_own_keeps_the_old_and_says_where(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("1")
        pane = driver.screen.query_one("#corpus")
        pane.move_cursor(8)  # type: ignore[attr-defined]
        await driver.press("enter", "end", "enter")
        driver.app.screen.query_one(Input).value = "a(b"
        await driver.press("enter")
        assert "at character" in str(driver.app.screen.query_one(".problem").render())
        assert driver.screen.snapshot.settings.split == "gpt2"
        driver.app.screen.query_one(Input).value = r"\w+"
        await driver.press("enter")
        assert driver.screen.snapshot.settings.split == r"\w+"


async def test_help_opens_and_closes_and_names_every_key() -> None:
    async with explorer(size=(120, 100)) as driver:
        await driver.press("question_mark")
        assert isinstance(driver.app.screen, HelpScreen)
        shown = driver.shown()
        for action in EXPLORER:
            assert action.help.split(",")[0][:30] in shown
        await driver.press("escape")
        assert not isinstance(driver.app.screen, HelpScreen)


async def test_themes_take_turns() -> None:
    async with explorer() as driver:
        seen = {driver.app.theme}
        for _ in range(3):
            await driver.press("E")
            seen.add(driver.app.theme)
        assert len(seen) == 3


async def test_opening_by_a_typed_path_several_files_and_samples(text: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("zzzz")
    async with explorer() as driver:
        await driver.press("o")
        assert isinstance(driver.app.screen, OpenScreen)
        driver.app.screen.query_one(Input).value = str(text)
        driver.app.screen.query_one(Input).focus()
        await driver.press("enter")
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["cats.txt"]
        await driver.press("o")
        driver.app.screen.query_one(Input).value = str(tmp_path / "missing.txt")
        driver.app.screen.query_one(Input).focus()
        await driver.press("enter")
        assert "no such file" in str(driver.app.screen.query_one(".problem").render())
        driver.app.screen.query_one(Input).value = str(tmp_path)
        await driver.press("enter")
        await driver.pilot.pause(0.3)
        await driver.press("down", "space", "down", "space", "enter")
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["cats.txt", "other.txt"]


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 15)])
async def test_small_terminals_keep_what_is_needed(size: tuple[int, int]) -> None:
    async with explorer(size=size) as driver:
        assert "? help" in driver.shown()
        assert "q quit" in driver.shown()
        await driver.press("s")
        for key, words in (("1", "english.txt"), ("2", "left"), ("3", "step"), ("4", "4 Tokens")):
            await driver.press(key)
            assert words in driver.shown()
            assert "q quit" in driver.shown()
