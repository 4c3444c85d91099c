"""Opening tokenizers in the explorer: known by content, read beside the text, named, listed, kept; or a worded line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from explorer_driver import Driver, explorer
from formats_help import bpe_model
from textual.widgets import Input

from tokexplorer.formats import tokenizer_of, write_model
from tokexplorer.paths import HOME_VARIABLE
from tokexplorer.saved import saving
from tokexplorer.saved.saved_session import SavedSession
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.screens.compare import CompareScreen
from tokexplorer.tui.screens.dialogs import ChooseScreen
from tokexplorer.tui.screens.explorer import ExplorerScreen
from tokexplorer.tui.screens.inspect import InspectScreen
from tokexplorer.tui.screens.vocabulary import VocabularyScreen

TEXT = "the cat sat on the mat; the hat of the bat\n" * 5
WORDS = "\n".join(["[UNK]", "the", "cat", "sat", *(f"word{n}" for n in range(30))]) + "\n"


@pytest.fixture
def cats(tmp_path: Path) -> Path:
    path = tmp_path / "cats.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A tokenizer of 60 merges."""
    return Path(write_model(bpe_model(), str(tmp_path / "made.tok"), "own").files[0])


async def opened(driver: Driver, *paths: Path | str) -> None:
    driver.screen.open_asking([str(path) for path in paths])
    await driver.idle()


async def test_o_opens_a_tokenizer_beside_the_text(cats: Path, made: Path) -> None:
    async with explorer([cats]) as driver:
        await driver.press("s", "s", "o")
        driver.app.screen.query_one(Input).focus()
        driver.app.screen.query_one(Input).value = str(made)
        await driver.press("enter")
        lens = driver.screen.lens
        assert lens.chosen == "made.tok"
        assert lens.tokenizer is not None
        assert lens.tokenizer.size == 316
        assert driver.step == 2
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["cats.txt"]
        assert driver.words() == ["made.tok: 316 tokens"]
        assert "4 Tokens · corpus · made.tok" in driver.shown()
        assert any(choice.group == "tokenizers" for choice in driver.screen.choices)
        await driver.press("s")
        assert driver.step == 3
        assert driver.screen.lens.chosen == "made.tok"


@pytest.mark.parametrize("fmt", ["tiktoken", "gpt2", "tokenizer.json", "minbpe"])
async def test_every_format_is_known_by_content_whatever_its_name(cats: Path, tmp_path: Path, fmt: str) -> None:
    target = tmp_path / "other"
    target.mkdir()
    report = write_model(bpe_model(), str(target / "x"), fmt)
    async with explorer([cats]) as driver:
        await opened(driver, *report.files)
        lens = driver.screen.lens
        assert len([name for name in lens.loaded if name.startswith("x")]) == 1
        assert lens.tokenizer is not None
        assert lens.tokenizer.name == lens.chosen
        expected = tokenizer_of(bpe_model(), "oracle").encode(b"the lazy dog")
        assert [*lens.tokenizer.encode(b"the lazy dog").ids] == [*expected.ids]


async def test_what_is_guessed_is_said(cats: Path, tmp_path: Path) -> None:
    report = write_model(bpe_model(), str(tmp_path / "x.tiktoken"), "tiktoken")
    async with explorer([cats]) as driver:
        await opened(driver, *report.files)
        (said,) = [words for words in driver.words() if words.startswith("x.tiktoken: 316 tokens")]
        assert "split" in said


async def test_it_joins_the_cycle_compare_vocabulary_and_inspect(cats: Path, made: Path) -> None:
    async with explorer([cats]) as driver:
        await opened(driver, made)
        await driver.press("t")
        assert driver.screen.lens.chosen == OWN
        await driver.press("T")
        assert driver.screen.lens.chosen == "made.tok"
        await driver.press("c")
        compare = driver.app.screen
        assert isinstance(compare, CompareScreen)
        assert "made.tok" in compare.shelf.names()
        await driver.pilot.press("t", "t", "t", "t", "t")
        await driver.pilot.pause()
        assert "made.tok" in driver.shown()
        await driver.pilot.press("escape", "escape", "v")
        await driver.pilot.pause()
        assert isinstance(driver.app.screen, VocabularyScreen)
        assert "made.tok" in driver.shown()
        await driver.pilot.press("escape", "escape", "i")
        await driver.pilot.pause()
        assert isinstance(driver.app.screen, InspectScreen)
        assert "made.tok" in driver.shown()


async def test_the_command_line_takes_texts_and_tokenizers(cats: Path, made: Path) -> None:
    async with explorer([made, cats]) as driver:
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["cats.txt"]
        assert driver.screen.lens.chosen == "made.tok"
        assert [(c.group, c.name) for c in driver.screen.choices][:3] == [
            ("opened", "cats.txt"),
            ("tokenizers", "made.tok"),
            ("samples", "english.txt"),
        ]


async def test_a_tokenizer_alone_comes_with_the_first_sample(made: Path) -> None:
    async with explorer([made]) as driver:
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["english.txt"]
        assert driver.screen.lens.chosen == "made.tok"
        assert not driver.screen.keeper.is_worth_keeping


async def test_enter_on_it_in_the_corpus_pane_chooses_it(cats: Path, made: Path) -> None:
    async with explorer([cats]) as driver:
        await opened(driver, made)
        await driver.press("t", "1")
        pane = driver.screen.query_one("#corpus")
        made.unlink()
        rows = [row[1] for row in pane._lines]  # type: ignore[attr-defined]
        pane.move_cursor(rows.index("made.tok"))  # type: ignore[attr-defined]
        await driver.press("enter")
        assert driver.screen.lens.chosen == "made.tok"
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["cats.txt"]


BROKEN = {
    "cut.json": ('{"added_tokens": [], "truncation": null, "padding": null, "model": {"ty', "expected JSON"),
    "merges.txt": ("#version: 0.2\na b\nab c\n", "its ids are in a second file"),
    "own.tok": ('{"format": "tokexplorer", "version": 999999}', "own.tok"),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_bad_tokenizer_is_one_line_and_changes_nothing(
    cats: Path, made: Path, tmp_path: Path, name: str
) -> None:
    content, said = BROKEN[name]
    (tmp_path / name).write_text(content)
    other = tmp_path / "other.txt"
    other.write_text("another text")
    async with explorer([cats]) as driver:
        await driver.press("s", "t")
        before = (driver.screen.lens, driver.screen.choices)
        driver.app.clear_notifications()
        await opened(driver, other, made, tmp_path / name)
        assert len(driver.words()) == 1
        assert said in driver.words()[0]
        assert "\n" not in driver.words()[0]
        assert (driver.screen.lens, driver.screen.choices) == before
        assert driver.step == 1
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["cats.txt"]


async def test_json_that_is_no_tokenizer_is_a_text(cats: Path, tmp_path: Path) -> None:
    path = tmp_path / "requests.json"
    path.write_text('{"model": "gpt-4", "messages": []}\n' * 20)
    async with explorer([cats]) as driver:
        await opened(driver, path)
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["requests.json"]
        assert driver.screen.lens.chosen == OWN


async def test_where_it_may_be_either_it_is_asked(cats: Path, tmp_path: Path) -> None:
    words = tmp_path / "vocab.txt"
    words.write_text(WORDS)
    async with explorer([cats]) as driver:
        await driver.press("s")
        await opened(driver, words)
        assert isinstance(driver.app.screen, ChooseScreen)
        assert "vocab.txt" in driver.shown()
        assert "as a tokenizer" in driver.shown()
        await driver.press("escape")
        assert driver.step == 1
        assert driver.screen.lens.chosen == OWN
        await opened(driver, words)
        await driver.press("enter")
        assert driver.screen.lens.chosen.endswith("vocab.txt")
        assert driver.step == 1
        await opened(driver, words)
        await driver.press("down", "enter")
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["vocab.txt"]


async def test_several_doubtful_ones_are_asked_about_one_by_one(cats: Path, made: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text(WORDS)
    second.write_text(WORDS)
    async with explorer([first, made, second]) as driver:
        assert isinstance(driver.app.screen, ChooseScreen)
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["english.txt"]
        await driver.press("down", "enter")
        assert isinstance(driver.app.screen, ChooseScreen)
        await driver.press("enter")
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["a.txt"]
        assert {"made.tok", "b.txt"} <= set(driver.screen.lens.loaded)


async def test_names_are_safe_and_unlike_each_other(cats: Path, tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    for name in ("gpt2", "x.tok", "[INST]\x1b[31m\u202e" + "y" * 100):
        for folder in folders:
            write_model(bpe_model(), str(folder / name), "own")
    async with explorer([cats]) as driver:
        await opened(driver, *folders[0].iterdir(), *folders[1].iterdir())
        names = [name for name in driver.screen.lens.names if name in driver.screen.from_files]
        assert len(names) == len(set(names)) == 6
        assert {"gpt2 (2)", "gpt2 (3)", "x.tok", "x.tok (2)"} <= set(names)
        assert all(name.isprintable() and len(name) <= 40 for name in names)
        for name in names:
            assert driver.screen.lens.loaded[name].name == name
        for _ in range(12):
            await driver.press("t")
        assert not any(ord(c) < 32 and c != "\n" for c in driver.shown())


async def test_the_same_file_is_not_read_twice_but_a_newer_one_stands_beside_it(cats: Path, made: Path) -> None:
    async with explorer([cats]) as driver:
        await opened(driver, made)
        first = driver.screen.lens.tokenizer
        await opened(driver, made)
        assert isinstance(driver.app.screen, ChooseScreen)
        await driver.press("enter")
        assert driver.screen.lens.tokenizer is first
        write_model(bpe_model(merges=20), str(made), "own", force=True)
        os.utime(made, ns=(1, 1))
        await opened(driver, made)
        assert driver.screen.lens.chosen == "made.tok (2)"
        assert driver.screen.lens.tokenizer.size == 276
        assert driver.screen.lens.loaded["made.tok"] is first


async def test_what_is_open_already_may_be_opened_as_a_text(cats: Path, made: Path) -> None:
    async with explorer([cats]) as driver:
        await opened(driver, made)
        await opened(driver, made)
        await driver.press("down", "enter")
        assert [d.name for d in driver.screen.snapshot.corpus.documents] == ["made.tok"]


def saved(driver: Driver) -> SavedSession:
    driver.screen.note_scene()
    session = driver.screen.keeper.saved_session()
    assert session is not None
    return session


async def test_a_session_that_is_taken_up_again_has_them(
    cats: Path, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "state"))
    other = Path(write_model(bpe_model(merges=10), str(tmp_path / "other.tok"), "own").files[0])
    async with explorer([cats, made, other]) as driver:
        await driver.press("s", "s", "T")
        assert driver.screen.lens.chosen == "made.tok"
        slot = saving.open_slot()
        slot.save(saved(driver), clean_end=True)
        slot.close()
    other.unlink()
    async with explorer([cats]) as driver:
        driver.screen.resume(None)
        await driver.idle()
        assert driver.step == 2
        assert driver.screen.lens.chosen == "made.tok"
        assert driver.screen.lens.tokenizer.size == 316
        assert any("other.tok is not open any more" in words for words in driver.words())
        assert "other.tok" not in driver.screen.lens.loaded


async def test_a_path_is_typed_at_once(cats: Path, made: Path) -> None:
    async with explorer([cats]) as driver:
        await driver.press("o")
        await driver.pilot.pause(0.3)
        await driver.press(*str(made), "enter")
        assert driver.screen.lens.chosen == "made.tok"


async def test_what_another_screen_opened_is_kept_too(
    cats: Path, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "state"))
    async with explorer([cats]) as driver:
        await driver.press("i", "o", "end", "enter", *str(made), "enter")
        await driver.idle()
        await driver.pilot.pause(0.2)
        await driver.press("escape")
        assert "made.tok" in driver.screen.lens.names
        assert driver.screen.saved_tokenizers() == [["made.tok", str(made)]]
        assert made.name in driver.shown()


async def test_a_saved_list_that_is_nonsense_is_passed_over(cats: Path, made: Path) -> None:
    async with explorer([cats]) as driver:
        for nonsense in (None, 5, "x", [1], [["a"]], [["a", 5]], [[5, "a"]], {"a": "b"}):
            assert driver.screen.reopen_tokenizers(nonsense) == []
        assert driver.screen.reopen_tokenizers([["../[/x]\x1b", str(made)]]) == []
        driver.screen.take_tokenizers(choose=False)
        (name,) = driver.screen.from_files
        assert name.isprintable()
        assert driver.screen.lens.chosen == OWN


async def test_merges_of_a_file_can_be_replayed(cats: Path, made: Path) -> None:
    from tokexplorer.engine.algorithms import Algorithm

    async with explorer([cats]) as driver:
        await opened(driver, made)
        driver.screen.session.replays.learn("made.tok", driver.screen.lens.loaded["made.tok"])
        snapshot = driver.screen.session.choose(Algorithm.REPLAY, "made.tok")
        assert snapshot.target_step == 60


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 20)])
async def test_the_question_fits(size: tuple[int, int], tmp_path: Path) -> None:
    words = tmp_path / "vocab.txt"
    words.write_text(WORDS)
    async with explorer([words], size=size) as driver:
        await driver.pilot.pause(0.1)
        shown = driver.shown()
        assert "as a tokenizer" in shown
        assert "as a text" in shown
        assert "Esc leaves" in shown


async def test_counts_stay_in_sight_beside_many_names(cats: Path, tmp_path: Path) -> None:
    made = [write_model(bpe_model(), str(tmp_path / f"tokenizer-number-{n}.tok"), "own").files[0] for n in range(9)]
    async with explorer([cats, *made]) as driver:
        for _ in range(3):
            lines = driver.shown().split("\n")
            (line,) = [line for line in lines if "special as text" in line]
            assert "bytes/token" in line
            assert line.rstrip().endswith("╯")
            following = driver.screen.lens.turned(1).chosen
            assert f"t: {following.removesuffix('_base')}" in line
            await driver.press("t")


async def test_several_are_told_in_one_line(
    cats: Path, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(ExplorerScreen, "say", lambda self, words, severity="information": said.append(words))
    other = write_model(bpe_model(), str(tmp_path / "x.tiktoken"), "tiktoken").files[0]
    async with explorer([cats, made, other]):
        (words,) = said
        assert words.startswith("made.tok: 316 tokens · x.tiktoken: 316 tokens; ")
