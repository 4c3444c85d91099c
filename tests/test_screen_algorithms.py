"""The explorer over every algorithm, key by key: choosing one, its tables and log, and the verbs of a debugger."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from explorer_driver import Driver, explorer
from textual.widgets import Input, OptionList

from tokexplorer.engine import expectation
from tokexplorer.engine.algorithms import Algorithm
from tokexplorer.tokenizers.builtin import load
from tokexplorer.tui.screens.branches import BranchesScreen
from tokexplorer.tui.screens.curve import CurveScreen, LengthTable
from tokexplorer.tui.screens.dialogs import AskScreen, ChooseScreen
from tokexplorer.tui.screens.draws import DrawsScreen
from tokexplorer.tui.screens.why import WhyScreen
from tokexplorer.tui.widgets.chart import Chart
from tokexplorer.tui.widgets.corpus_pane import CorpusPane
from tokexplorer.tui.widgets.merge_log import MergeLog
from tokexplorer.tui.widgets.pair_table import PairTable
from tokexplorer.tui.widgets.token_model import Mark
from tokexplorer.tui.widgets.watch_strip import WatchStrip

SAMPLES = Path(__file__).parent.parent / "sample_texts"
SIZES = [(120, 36), *(pytest.param(size, marks=pytest.mark.slow) for size in ((80, 24), (60, 20)))]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "cats.txt"
    path.write_text("the cat sat on the mat; the hat of the bat\n" * 5)
    return path


async def choose(driver: Driver, name: str, *more: str) -> None:
    """Choose an algorithm by its key and dialog; `more` are the keys of the dialogs after it."""
    await driver.press("A")
    assert isinstance(driver.app.screen, ChooseScreen)
    driver.app.screen.query_one(OptionList).highlighted = [a.value for a in Algorithm].index(name)
    await driver.press("enter", *more)


async def answer(driver: Driver, text: str) -> None:
    """Put an answer into the dialog and give it."""
    driver.app.screen.query_one(Input).value = text
    await driver.press("enter")


async def until(driver: Driver, name: str, typed: str | None = None) -> None:
    """Run until a condition, chosen by its name in the dialog."""
    await driver.press("u")
    screen = driver.app.screen
    assert isinstance(screen, ChooseScreen)
    names = [row[1] for row in screen._rows]
    screen.query_one(OptionList).highlighted = names.index(name)
    await driver.press("enter")
    if typed is not None:
        await answer(driver, typed)


async def settled(driver: Driver) -> None:
    """Until no screen's worker is at work."""
    await driver.app.workers.wait_for_complete()
    for _ in range(20):
        await driver.pilot.pause()
        await driver.app.workers.wait_for_complete()


@pytest.mark.parametrize("size", SIZES)
async def test_the_hand_example_on_the_screen(size: tuple[int, int]) -> None:
    async with explorer([SAMPLES / "hand_example.tsv"], size) as driver:
        await driver.press("e")
        assert driver.step == 15
        assert "no pair left: every word is one token" in driver.shown()
        await driver.press("g")
        await answer(driver, "12")
        await driver.press("p")
        await driver.type("lowest")
        await driver.press("escape")
        model = driver.screen._model
        assert model is not None
        tokenizer = driver.screen.tokenizer
        assert [tokenizer.label(t.id) for t in model.tokens(0, 6)] == ["low", "est</w>"]


async def test_nine_words_on_the_screen() -> None:
    async with explorer([SAMPLES / "nine_words.tsv"]) as driver:
        await driver.press("1")
        pane = driver.screen.query_one(CorpusPane)
        row = next(n for n, line in enumerate(pane._lines) if line[0] == "alphabet")
        pane.move_cursor(row)
        await driver.press("enter")
        driver.app.screen.query_one(OptionList).highlighted = 1
        await driver.press("enter")
        assert driver.screen.snapshot.base_size == 10
        await driver.press("e")
        snapshot = driver.screen.snapshot
        assert (snapshot.step, snapshot.vocab_size) == (17, 27)
        assert snapshot.tokens == sum(snapshot.corpus.counts)


@pytest.mark.parametrize("algorithm", list(Algorithm))
@pytest.mark.parametrize("size", SIZES)
async def test_every_pane_and_screen_with_every_algorithm(
    text: Path, algorithm: Algorithm, size: tuple[int, int]
) -> None:
    async with explorer([text], size) as driver:
        if algorithm is not Algorithm.BPE:
            await choose(driver, algorithm.value, *(["enter"] if algorithm is Algorithm.REPLAY else []))
            assert any("the training starts afresh" in words for words in driver.words())
        snapshot = driver.screen.snapshot
        assert snapshot.settings.algorithm is algorithm
        assert snapshot.step == 0
        trains = algorithm not in (Algorithm.CHARACTERS, Algorithm.WORDS)
        if algorithm is Algorithm.UNIGRAM:
            await driver.press("n")
            await answer(driver, "20")
        for key in ("1", "2", "r", "r", "r", "enter", "3", "s", "down", "4", "right", "S", "b", "3", "enter", "2", "/"):
            await driver.press(key if key != "/" else "slash")
        await answer(driver, "a")
        table = driver.screen.query_one(PairTable)
        assert all("a" in table._format.text(row) for _, row in table._shown)  # type: ignore[union-attr]
        assert (driver.step > 0) == trains
        for key, screen in (("W", WhyScreen), ("C", CurveScreen), ("D", DrawsScreen)):
            await driver.press("4", key)
            assert isinstance(driver.app.screen, screen)
            await settled(driver)
            await driver.press("escape")
        for key in ("v", "V", "c"):
            await driver.press("4", key)
            await settled(driver)
            assert driver.app.screen is not driver.screen
            while driver.app.screen is not driver.screen:
                await driver.press("escape")
        await driver.press("p")
        await driver.type("the zoo")
        await driver.press("escape")
        shown = driver.screen._model.tokens(0, 7)  # type: ignore[union-attr]
        assert (shown[0].start, shown[-1].end) == (0, 7)
        unknown = [token for token in shown if token.mark is Mark.UNKNOWN]
        assert bool(unknown) == (algorithm not in (Algorithm.BPE, Algorithm.REPLAY))
        assert all("unknown" in token.note for token in unknown)


async def test_the_corpus_pane_offers_what_the_algorithm_lets_one_choose(text: Path) -> None:
    async with explorer([text]) as driver:

        def rows() -> list[str]:
            return [line[0] for line in driver.screen.query_one(CorpusPane)._lines if line[0] not in ("fact", "title")]

        assert rows()[:6] == ["algorithm", "split", "alphabet", "ties", "min-count", "target"]
        pane = driver.screen.query_one(CorpusPane)
        await driver.press("1")
        pane.move_cursor(next(n for n, line in enumerate(pane._lines) if line[0] == "algorithm"))
        await driver.press("enter", "down", "enter")
        assert driver.screen.snapshot.settings.algorithm is Algorithm.WORDPIECE
        assert driver.screen.snapshot.settings.split == "words"
        await choose(driver, "replay", "enter")
        assert rows()[:3] == ["algorithm", "split", "target"]
        await choose(driver, "words")
        assert rows()[:2] == ["algorithm", "split"]
        assert "target" not in rows()


async def test_wordpiece_shows_scores_with_their_counts(text: Path) -> None:
    async with explorer([text], (140, 36)) as driver:
        await choose(driver, "wordpiece")
        table = driver.screen.query_one(PairTable)
        first = driver.screen.snapshot.rows[0]
        assert first.score == first.count / (first.left_count * first.right_count)
        cells = table._format.cells(0, first, False)
        counts = [str(n) for n in (first.count, first.left_count, first.right_count)]
        assert cells[5:8] == counts
        assert "score" in driver.shown()
        await driver.press("e")
        assert "every word is one token" in driver.shown()
        assert "##" in driver.shown()


async def test_unigram_prunes_by_rounds_and_rewinds() -> None:
    async with explorer() as driver:
        await choose(driver, "unigram")
        log = driver.screen.query_one(MergeLog)
        assert "2 Pieces" in driver.shown()
        assert "3 Pruning" in driver.shown()
        assert "round 0/6" in driver.shown()
        await driver.press("s", "s")
        assert "round 2/6" in driver.shown()
        first = driver.screen.snapshot.history.rows[0]
        assert log.row_count == 1 + sum(1 + len(r.removed) for r in driver.screen.snapshot.history.rows)
        rows = {log._lines.text(i) for i in range(2, 2 + len(first.removed))}
        assert len(rows) == len(first.removed)
        await driver.press("3")
        log.move_cursor(5)
        await driver.press("enter")
        assert driver.step == 1
        assert log.step_at(log.cursor) == 1
        await driver.press("b")
        assert (driver.step, driver.screen.snapshot.known) == (0, 2)
        await driver.press("e")
        assert "target size reached" in driver.shown()
        assert driver.screen.snapshot.vocab_size == 1000
        await driver.press("n")
        await answer(driver, "800")
        await driver.press("e")
        assert driver.screen.snapshot.vocab_size == 800


async def test_a_round_can_be_stopped_and_the_screen_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, waiting = threading.Event(), threading.Event()
    real = expectation.CorpusLattice.expect

    def slow(self, probabilities, tick):  # type: ignore[no-untyped-def]
        def ticking(count: int) -> None:
            tick(count)
            waiting.set()
            gate.wait(20)

        return real(self, probabilities, ticking)

    async with explorer() as driver:
        await choose(driver, "unigram")
        monkeypatch.setattr(expectation.CorpusLattice, "expect", slow)
        await driver.pilot.press("s")
        while not waiting.is_set():
            await driver.pilot.pause(0.01)
        await driver.pilot.pause()
        assert driver.screen.busy == "pruning"
        assert driver.screen.progress[1] > 0
        assert driver.screen.check_action("step", (1,)) is None
        before = driver.screen.tokens_pane.view.cursor_offset
        await driver.pilot.press("down", "escape")
        assert driver.screen.tokens_pane.view.cursor_offset > before
        gate.set()
        await driver.idle()
        assert driver.step == 0
        assert driver.screen.snapshot.stop_words == "stopped"
        await driver.press("s")
        assert driver.step == 1


async def test_a_replay_steps_from_merge_to_merge_that_fires(text: Path) -> None:
    async with explorer([text]) as driver:
        assert driver.screen.check_action("fire", ()) is None
        await choose(driver, "replay", "enter")
        log = driver.screen.query_one(MergeLog)
        assert "next firing" in driver.shown()
        seen = []
        for _ in range(4):
            await driver.press("f")
            seen.append(driver.step)
        history = driver.screen.snapshot.history
        assert seen == list(history.fired[:4])
        await driver.press("e")
        assert driver.step == 50_000
        assert driver.screen.snapshot.tokens == len(load("gpt2").encode(text.read_bytes()))
        assert log.row_count == 50_001
        await driver.press("3", "F")
        assert log.row_count == 1 + len(history.fired)
        assert f"only the {len(history.fired)} fired" in driver.shown()
        await driver.press("home", "down", "down", "enter")
        assert driver.step == history.fired[1]
        await driver.press("F")
        assert log.cursor == history.fired[1]


async def test_running_until_says_what_ended_it(text: Path) -> None:
    async with explorer([text]) as driver:
        await until(driver, "a token exists", "·the")
        assert "·the exists, id 259, made at step 4" in driver.shown().split("\n")[0]
        assert "·the exists, id 259, made at step 4" in driver.words()[-1]
        assert driver.step == 4
        await until(driver, "a token exists", "·the")
        assert "exists already" in str(driver.app.screen.query_one(".problem").render())
        await driver.press("escape")
        await until(driver, "a tie decides")
        assert "pairs share the first place" in driver.words()[-1]
        await until(driver, "the probe changes")
        assert "type a probe first" in driver.words()[-1]
        await driver.press("0", "p")
        await driver.type("the hat")
        await driver.press("escape")
        await until(driver, "the probe becomes n tokens", "3")
        assert "the probe is 3 tokens" in driver.words()[-1]
        await until(driver, "bytes/token reach r", "x")
        assert "such as 3.5" in str(driver.app.screen.query_one(".problem").render())
        await answer(driver, "3")
        assert driver.screen.snapshot.bytes_per_token >= 3


async def test_a_branch_is_named_listed_compared_and_returned_to(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("S", "b", "b", "b", "b", "2", "down", "m")
        assert "branch 1" in driver.shown().split("\n")[0]
        await driver.press("s", "s", "M")
        screen = driver.app.screen
        assert isinstance(screen, BranchesScreen)
        shown = driver.shown()
        assert "main at 6" in shown
        size = screen._table.size_shown
        assert size == 256 + 9
        main, branch = screen._table.branches
        for one in (main, branch):
            assert f"{one.tokens_at(size):,}" in shown
        await driver.press("right")
        assert screen._table.size_shown == 256 + 10
        await driver.press("up", "enter")
        assert (driver.screen.snapshot.branch, driver.step, driver.screen.snapshot.known) == ("", 6, 10)
        await driver.press("M", "down", "x")
        assert len(driver.screen.snapshot.branches) == 1
        await driver.press("x")
        assert "the branch we are on" in driver.words()[-1]


async def test_watched_words_tell_how_they_are_cut(text: Path) -> None:
    async with explorer([text]) as driver:
        assert not driver.screen.query(WatchStrip)
        await driver.press("w")
        assert isinstance(driver.app.screen, AskScreen)
        assert driver.app.screen.query_one(Input).value == "the"
        await answer(driver, " hat")
        await driver.press("w")
        await answer(driver, "the bat")
        await driver.press("S", "s")
        strip = driver.screen.query_one(WatchStrip)
        assert strip.size.height == 2
        cut = strip._watches[" hat"].at(11)
        assert ("│".join(p.decode().replace(" ", "·") for p in cut.cut)) in driver.shown()
        assert "changed at step" in driver.shown()
        await driver.press("0")
        assert "next at" in driver.shown()
        await driver.press("w")
        await answer(driver, " hat")
        assert driver.screen.watched == ("the bat",)
        for word in ("a", "b", "c"):
            await driver.press("w")
            await answer(driver, word)
        await driver.press("w")
        await answer(driver, "d")
        assert "4 words are watched" in str(driver.app.screen.query_one(".problem").render())
        await answer(driver, "")
        assert driver.screen.watched == ()
        assert not strip.display


async def test_why_tells_the_split_and_each_merge(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("S", "4", "right", "W")
        screen = driver.app.screen
        assert isinstance(screen, WhyScreen)
        told = screen._told
        assert told is not None
        assert told.story.data == b" cat"
        ids = driver.screen.snapshot.tokenizer().encode(b" cat").ids
        assert len(told.story.result) == len(ids)
        assert told.story.branch == 2
        shown = driver.shown()
        assert "the split" in shown
        assert "▸ 2" in shown
        await driver.press("right")
        assert screen._told.story.data == b" sat"
        await driver.press("left", "left")
        assert screen._told.story.data == b"the"
        await driver.press("left")
        assert "the start of the text" in driver.words()[-1]
        first = screen._told.story.steps[0].rank + 1
        page = screen.query_one("#story")
        at = next(n for n, row in enumerate(page._lines) if row.target is not None)  # type: ignore[attr-defined]
        page.move_cursor(at)  # type: ignore[attr-defined]
        await driver.press("enter")
        assert driver.app.screen is driver.screen
        assert driver.step == first


async def test_why_of_a_loaded_tokenizer_gives_ranks(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("t")
        await driver.idle()
        await driver.press("W")
        shown = driver.shown()
        assert "the lowest rank first" in shown
        assert "rank" in shown


async def test_the_curve_has_the_others_as_lines_and_counts_lengths() -> None:
    async with explorer() as driver:
        await driver.press("e", "C")
        await settled(driver)
        chart = driver.app.screen.query_one(Chart)
        snapshot = driver.screen.snapshot
        assert chart.lines[0].points[0] == (0, 1.0)
        assert chart.lines[0].points[-1] == (744, snapshot.bytes_per_token)
        data = (SAMPLES / "english.txt").read_bytes()
        assert {level.name: round(level.y, 6) for level in chart.levels} == {
            name.removesuffix("_base"): round(len(data) / len(load(name).encode(data)), 6)
            for name in ("gpt2", "cl100k_base", "o200k_base")
        }
        lengths = driver.app.screen.query_one(LengthTable)._lengths
        assert sum(entry.tokens for entry in lengths) == snapshot.vocab_size
        assert sum(entry.uses for entry in lengths) == snapshot.tokens
        assert sum(entry.bytes * entry.uses for entry in lengths) == len(data)
        shown = driver.shown()
        for words in ("gpt2 3.92", "cl100k 4.11", "o200k 4.20", "100", "merges"):
            assert words in shown


async def test_draws_follow_p_alpha_seed_and_number(text: Path) -> None:
    async with explorer([text]) as driver:
        await driver.press("S", "4", "right", "D")
        await settled(driver)
        screen = driver.app.screen
        assert isinstance(screen, DrawsScreen)
        first = screen._ways
        assert sum(way.count for way in first) == 1000
        for _ in range(3):
            await driver.press("minus")
        await settled(driver)
        assert screen._strength == 0
        assert [(way.count, way.plain) for way in screen._ways] == [(1000, True)]
        await driver.press("a")
        await answer(driver, "1")
        await settled(driver)
        assert [way.tokens for way in screen._ways] == [tuple(bytes([b]) for b in b" cat")]
        await driver.press("n")
        await answer(driver, "20")
        await driver.press("s")
        await answer(driver, "7")
        await driver.press("a")
        await answer(driver, "0.1")
        await settled(driver)
        seven = screen._ways
        assert sum(way.count for way in seven) == 20
        await driver.press("r", "s")
        await answer(driver, "7")
        await settled(driver)
        assert screen._ways == seven
        await driver.press("p")
        await answer(driver, "the hat")
        await settled(driver)
        assert all(b"".join(way.tokens) == b"the hat" for way in screen._ways)
        await driver.press("n")
        await answer(driver, "0")
        assert "from 1" in str(driver.app.screen.query_one(".problem").render())


async def test_hostile_text_passes_through_every_new_screen(tmp_path: Path) -> None:
    path = tmp_path / "hostile.txt"
    path.write_bytes(
        "[/INST] [UNK] [@click=app.quit]x[/] \x1b[31m \u202e \xff\u0301 é\n".encode() * 3 + b"\xff\xfe\x00"
    )
    async with explorer([path]) as driver:
        for algorithm in ("wordpiece", "unigram", "words", "bpe"):
            await choose(driver, algorithm)
            await driver.press("s", "s", "w")
            await answer(driver, "[/INST]\u202e")
            for key in ("W", "C", "D"):
                await driver.press("4", "right", "right", key)
                await settled(driver)
                assert all(line.isprintable() for line in driver.shown().split("\n"))
                await driver.press("escape")
            assert all(line.isprintable() for line in driver.shown().split("\n"))
            await driver.press("w")
            await answer(driver, "")
