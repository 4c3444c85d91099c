"""Exporting in the explorer: what is written, what a format loses before it is written, where it goes, what is said."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from explorer_driver import Driver, explorer
from formats_help import bpe_model
from textual.widgets import Input, OptionList, Static

from tokexplorer import __version__
from tokexplorer.engine.algorithms import Algorithm
from tokexplorer.engine.errors import InputError
from tokexplorer.exporting import ENDINGS, model_at, renamed, stem_for
from tokexplorer.formats import FORMATS, files, read_model, read_tokenizer, write_model
from tokexplorer.tui.screens import exporting
from tokexplorer.tui.screens.dialogs import ChooseScreen
from tokexplorer.tui.screens.exporting import OFFERED, ExportScreen

TEXT = "the cat sat on the mat; the hat of the bat\n" * 5


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, where the text is not."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def cats(tmp_path: Path) -> Path:
    path = tmp_path / "cats.txt"
    path.write_text(TEXT)
    return path


async def settled(driver: Driver) -> None:
    """Until everything was found out and written."""
    for _ in range(2000):
        await driver.pilot.pause()
        if all(w.is_finished for w in driver.app.workers if w.group == "export"):
            await driver.pilot.pause()
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the export does not end")


@asynccontextmanager
async def exporter(
    paths: Sequence[Path | str], *keys: str, size: tuple[int, int] = (120, 36)
) -> AsyncIterator[tuple[Driver, ExportScreen]]:
    """The export screen, after some keys in the explorer."""
    async with explorer(paths, size) as driver:
        await driver.press(*keys, "x")
        screen = driver.app.screen
        assert isinstance(screen, ExportScreen)
        await settled(driver)
        yield driver, screen


async def press(driver: Driver, *keys: str) -> None:
    await driver.pilot.press(*keys)
    await settled(driver)


async def go_to(driver: Driver, fmt: str) -> None:
    driver.app.screen.query_one(OptionList).highlighted = OFFERED.index(fmt)
    await driver.pilot.pause()


def problem(screen: ExportScreen) -> str:
    return str(screen.query_one(".problem", Static).render())


def details(screen: ExportScreen) -> str:
    return str(screen.query_one(".details", Static).render())


def field(screen: ExportScreen) -> Input:
    return screen.query_one(Input)


async def test_enter_writes_our_own_merges_at_this_step_with_where_they_come_from(cats: Path, here: Path) -> None:
    async with exporter([cats], "S", "s", "b") as (driver, screen):
        assert "Write own merges at 10 of cats.txt, 266 tokens" in driver.shown()
        assert "It holds everything." in details(screen)
        assert field(screen).value == "cats-10.tok"
        await press(driver, "enter")
        assert details(screen).startswith("Written: cats-10.tok\nchecked: read back here: ")
        assert "ids of" in details(screen)
        snapshot = driver.screen.snapshot
        await press(driver, "escape")
        assert driver.app.screen is driver.screen
    model = read_model(str(here / "cats-10.tok"))
    assert len(model.merges) == 10
    assert model.ties == "first"
    assert model.min_count == 1
    assert model.provenance == {
        "program": f"tokexplorer {__version__}",
        "texts": f"cats.txt ({len(TEXT)} bytes)",
        "bytes": str(len(TEXT)),
        "tokens": str(snapshot.tokens),
    }
    assert [merge.count for merge in model.merges] == [merge.count for merge in snapshot.merges[:10]]
    own = snapshot.tokenizer()
    again = read_tokenizer(str(here / "cats-10.tok"))
    assert [*again.encode(TEXT.encode()).ids] == [*own.encode(TEXT.encode()).ids]


@pytest.mark.parametrize("fmt", [fmt for fmt in OFFERED if fmt != "bert-vocab"])
async def test_each_format_has_a_name_of_its_own_and_is_written(cats: Path, here: Path, fmt: str) -> None:
    async with exporter([cats], "S") as (driver, screen):
        await go_to(driver, fmt)
        assert field(screen).value == "cats-10" + ENDINGS[fmt]
        assert ("It cannot hold:" in details(screen)) is (fmt != "own")
        if fmt == "tiktoken":
            assert "- the split (gpt2): whoever opens the file must give it" in details(screen)
        await press(driver, "enter")
        assert "Written: cats-10" in details(screen)
        own = driver.screen.snapshot.tokenizer()
    names = sorted(path.name for path in here.iterdir())
    assert names == (["cats-10-merges.txt", "cats-10-vocab.json"] if fmt == "gpt2" else ["cats-10" + ENDINGS[fmt]])
    again = read_tokenizer(names[0])
    assert [*again.encode(TEXT.encode()).ids] == [*own.encode(TEXT.encode()).ids]


async def test_a_format_that_cannot_hold_it_says_so_and_writes_nothing(cats: Path, here: Path) -> None:
    async with exporter([cats], "s") as (driver, screen):
        await go_to(driver, "bert-vocab")
        assert "It cannot hold this: vocab.txt holds WordPiece vocabularies only" in details(screen)
        assert "cannot hold it" in driver.shown()
        await press(driver, "enter")
        assert "bert-vocab cannot hold this" in problem(screen)
        assert not any(here.iterdir())
        await go_to(driver, "own")
        assert problem(screen) == ""


async def test_the_tokenizer_that_is_looked_through_or_our_own(cats: Path, here: Path) -> None:
    async with exporter([cats], "s", "t") as (driver, screen):
        assert "Write gpt2, 50,257 tokens" in driver.shown()
        assert "t: our own instead" in driver.shown()
        assert field(screen).value == "gpt2.tok"
        await press(driver, "t")
        assert "Write own merges at 1 of cats.txt" in driver.shown()
        assert field(screen).value == "cats-1.tok"
        field(screen).value = "mine.tok"
        await press(driver, "t")
        assert field(screen).value == "mine.tok"
        await go_to(driver, "tiktoken")
        assert field(screen).value == "mine.tiktoken"
        assert "loses 2" in driver.shown()
        await press(driver, "enter")
        assert "Written: mine.tiktoken" in details(screen)
    assert read_tokenizer(str(here / "mine.tiktoken")).size == 50257


async def test_a_loaded_tokenizer_is_written_in_another_format(cats: Path, tmp_path: Path, here: Path) -> None:
    made = write_model(bpe_model(), str(tmp_path / "made.tok"), "own").files[0]
    async with exporter([cats, made]) as (driver, screen):
        assert "Write made.tok, 316 tokens" in driver.shown()
        await go_to(driver, "tokenizer.json")
        assert field(screen).value == "made-tokenizer.json"
        await press(driver, "enter")
        assert "made-tokenizer.json" in details(screen)
    assert json.loads((here / "made-tokenizer.json").read_text())["model"]["type"] == "BPE"


async def test_what_cannot_be_written_at_all_says_why(cats: Path, here: Path) -> None:
    async with explorer([cats]) as driver:
        driver.screen.choose_algorithm(Algorithm.REPLAY, "gpt2")
        await driver.idle()
        await driver.press("x")
        await settled(driver)
        screen = driver.app.screen
        assert isinstance(screen, ExportScreen)
        assert "cannot be written" in details(screen)
        await press(driver, "enter")
        assert "cannot be written" in problem(screen)
        assert not any(here.iterdir())


@pytest.mark.parametrize(
    ("algorithm", "fmt"),
    [
        (Algorithm.WORDPIECE, "bert-vocab"),
        (Algorithm.WORDPIECE, "own"),
        (Algorithm.UNIGRAM, "tokenizer.json"),
        (Algorithm.UNIGRAM, "own"),
    ],
)
async def test_other_algorithms_are_written_too(cats: Path, here: Path, algorithm: Algorithm, fmt: str) -> None:
    async with explorer([cats]) as driver:
        driver.screen.choose_algorithm(algorithm)
        await driver.idle()
        await driver.press("s", "x")
        await settled(driver)
        await go_to(driver, fmt)
        await press(driver, "enter")
        assert f"Written: cats-{driver.step}" in details(driver.app.screen)  # type: ignore[arg-type]
        own = driver.screen.snapshot.tokenizer()
        expected = [own.label(i) for i in own.encode(b"the cat sat").ids]
    (path,) = here.iterdir()
    again = read_tokenizer(str(path))
    found = [again.label(i) for i in again.encode(b"the cat sat").ids]
    assert found == expected


async def test_merges_chosen_by_hand_are_told(cats: Path) -> None:
    async with explorer([cats]) as driver:
        await driver.press("s", "2", "down", "down", "m", "s")
        model = model_at(driver.screen.snapshot)
        assert model.provenance["chosen by hand"] == "the merges of steps 2"


async def test_a_file_that_exists_is_replaced_only_after_a_question(cats: Path, here: Path) -> None:
    (here / "cats-1.tok").write_text("mine")
    async with exporter([cats], "s") as (driver, screen):
        for keys in (("enter",), ("escape",)):
            await press(driver, "enter")
            assert isinstance(driver.app.screen, ChooseScreen)
            assert "cats-1.tok exists already" in driver.shown()
            await press(driver, *keys)
            assert driver.app.screen is screen
            assert (here / "cats-1.tok").read_text() == "mine"
        await press(driver, "enter", "down", "enter")
        assert "Written: cats-1.tok" in details(screen)
    assert read_tokenizer(str(here / "cats-1.tok")).size == 257


async def test_half_a_pair_that_exists_is_asked_about(cats: Path, here: Path) -> None:
    (here / "cats-1-merges.txt").write_text("mine")
    async with exporter([cats], "s") as (driver, screen):
        await go_to(driver, "gpt2")
        await press(driver, "enter")
        assert "cats-1-merges.txt exists already" in driver.shown()
        await press(driver, "down", "enter")
        assert "Written: cats-1-vocab.json, cats-1-merges.txt" in details(screen)


async def test_a_name_is_typed_and_a_tilde_is_home(cats: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    async with exporter([cats], "s") as (driver, screen):
        field(screen).focus()
        field(screen).value = ""
        await driver.type("~")
        field(screen).value = "~/x t.tok"
        await press(driver, "enter")
        assert "Written: " in details(screen)
    assert read_tokenizer(str(tmp_path / "x t.tok")).size == 257


async def test_letters_go_into_the_field_and_not_to_the_keys(cats: Path) -> None:
    async with exporter([cats], "s", "t") as (driver, screen):
        await press(driver, "tab", "tab")
        assert screen.focused is field(screen)
        await press(driver, "t", "x", "q")
        assert field(screen).value == "gpt2.toktxq"
        assert "Write gpt2" in driver.shown()


async def test_places_that_cannot_be_written_are_worded(cats: Path, here: Path) -> None:
    (here / "file").write_text("x")
    (here / "folder").mkdir()
    os.mkfifo(here / "pipe")
    places = {
        "": "type the name of a file",
        "   ": "type the name of a file",
        "none/x.tok": "cannot be written (no such folder)",
        "file/x.tok": "cannot be written",
        "folder": "is a folder",
        "pipe": "is not a regular file, and is left alone",
        "/dev/null": "is not a regular file, and is left alone",
        "a\0b": "a file cannot be called so",
        "a\ud800b": "a file cannot be called so",
        "y" * 300: "cannot be written",
        "[/INST]/\x1b]0;x\x07": "cannot be written (no such folder)",
    }
    async with exporter([cats], "s") as (driver, screen):
        for path, said in places.items():
            field(screen).value = path
            await press(driver, "enter")
            assert said in problem(screen), path
            assert "\x1b" not in problem(screen)
            assert "\n" not in problem(screen)
            assert driver.app.screen is screen
    assert sorted(path.name for path in here.iterdir()) == ["file", "folder", "pipe"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
async def test_a_folder_without_permission_is_worded(cats: Path, here: Path) -> None:
    here.chmod(0o500)
    async with exporter([cats], "s") as (driver, screen):
        await press(driver, "enter")
        assert "permission denied" in problem(screen)


async def test_a_full_disk_is_worded_and_leaves_nothing(
    cats: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device")

    async with exporter([cats], "s") as (driver, screen):
        with monkeypatch.context() as patch:
            patch.setattr(files.os, "fsync", fail)
            await press(driver, "enter")
        assert problem(screen).endswith("cats-1.tok: cannot be written (No space left on device)")
        assert not any(here.iterdir())
        await press(driver, "enter")
        assert problem(screen) == ""
        assert "Written" in details(screen)


async def test_a_check_that_fails_is_said(cats: Path) -> None:
    from dataclasses import replace

    async with explorer([cats]) as driver:
        driver.screen.configure(replace(driver.screen.session.settings, split="[a-z]+"))
        await driver.idle()
        await driver.press("s", "x")
        await settled(driver)
        await go_to(driver, "tiktoken")
        await press(driver, "enter")
        screen = driver.app.screen
        assert isinstance(screen, ExportScreen)
        assert "texts get other ids" in details(screen)
        assert "The file stands, but gives other ids than here." in details(screen)


async def test_who_leaves_is_told_when_it_is_written(
    cats: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def slow(*arguments: object) -> object:
        gate.wait(10)
        return write_model(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(exporting, "write_model", slow)
    async with exporter([cats], "s") as (driver, _):
        await driver.pilot.press("enter", "enter")
        await driver.pilot.pause(0.1)
        assert "writing cats-1.tok …" in driver.shown()
        await driver.pilot.press("escape")
        await driver.pilot.pause(0.1)
        assert driver.app.screen is driver.screen
        await driver.press("s")
        gate.set()
        for _ in range(200):
            if any(words.startswith("written: ") for words in driver.words()):
                break
            await driver.pilot.pause(0.02)
        assert "written: cats-1.tok" in driver.words()
        assert driver.step == 2
    assert read_tokenizer(str(here / "cats-1.tok")).size == 257


async def test_export_needs_something_to_write(tmp_path: Path) -> None:
    async with explorer([tmp_path / "missing"]) as driver:
        await driver.press("x")
        assert driver.app.screen is driver.screen
        assert driver.screen.check_action("export", ()) is None


async def test_a_training_that_runs_does_not_hinder(cats: Path, here: Path) -> None:
    async with explorer() as driver:
        await driver.press("S")
        await driver.pilot.press("a")
        await driver.pilot.pause(0.3)
        assert driver.screen.busy
        await driver.pilot.press("x")
        await driver.pilot.pause(0.2)
        screen = driver.app.screen
        assert isinstance(screen, ExportScreen)
        await settled(driver)
        step = int(field(screen).value.removeprefix("english-").removesuffix(".tok"))
        await press(driver, "enter")
        assert "Written" in details(screen)
        await driver.pilot.press("escape", "escape")
        await driver.idle()
    assert len(read_model(str(here / f"english-{step}.tok")).merges) == step


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 20), (40, 12)])
async def test_it_fits_small_terminals(cats: Path, size: tuple[int, int]) -> None:
    async with exporter([cats], "s", size=size) as (driver, screen):
        await press(driver, "down", "enter")
        await driver.pilot.pause()
        shown = driver.shown()
        assert "tiktoken" in shown
        assert "File cats-1.tiktoken" in shown
        if size[1] >= 20:
            assert "Written: cats-1.tiktoken" in shown
            assert "Enter writes" in shown
        assert field(screen).region.bottom <= size[1]


async def test_hostile_names_are_shown_as_text(tmp_path: Path, here: Path) -> None:
    path = tmp_path / "[INST][@click=app.quit]x\x1b[31m\u202e.txt"
    path.write_text(TEXT)
    async with exporter([path], "s") as (driver, screen):
        assert "[INST]" not in field(screen).value
        assert field(screen).value.isprintable()
        shown = driver.shown()
        assert "[@click=app.quit]" in shown
        assert not any((ord(c) < 32 and c != "\n") or c == "\u202e" for c in shown)
        field(screen).value = "[bold]x[/].tok"
        (here / "[bold]x[").mkdir()
        (here / "[bold]x[" / "].tok").write_text("mine")
        await press(driver, "enter")
        assert "].tok exists already" in driver.shown()


def test_names_of_files() -> None:
    stems = {
        "english.txt": "english",
        "gpt2": "gpt2",
        "a b/vocab.json": "a-b",
        "hand_example.tsv": "hand_example",
        "../../etc/passwd": "etc-passwd",
        "Füße 1.txt": "Füße-1",
        "tokenizer.json": "tokenizer",
        "\x1b[31m": "31m",
        "": "tokenizer",
        ".": "tokenizer",
        "v1.5": "v1.5",
        "x" * 200: "x" * 60,
    }
    assert {name: stem_for(name) for name in stems} == stems
    assert set(ENDINGS) == {name for name, entry in FORMATS.items() if entry.writes}


@pytest.mark.parametrize("old", OFFERED)
@pytest.mark.parametrize("new", OFFERED)
def test_the_ending_follows_the_format(old: str, new: str) -> None:
    assert renamed(f"a/b.c{ENDINGS[old]}", old, new) == f"a/b.c{ENDINGS[new]}"
    assert renamed("", old, new) == ""
    if old != "gpt2":
        assert renamed("my.file", old, new) == "my.file"
    else:
        assert renamed("my.tok", old, new) == "my.tok"


def test_a_model_that_cannot_be_made_is_an_input_error() -> None:
    from tokexplorer.engine.corpus import TextDocument
    from tokexplorer.session import Session, Settings

    session = Session(Settings(algorithm=Algorithm.CHARACTERS))
    snapshot = session.open([TextDocument("x", TEXT.encode())])
    with pytest.raises(InputError, match="cannot be written"):
        model_at(snapshot)
