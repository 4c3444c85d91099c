"""What is bad or hostile: one clear line, nothing lost, the explorer goes on; text is shown as text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from explorer_driver import explorer
from textual.widgets import Input

HOSTILE = (
    b"[/INST] [UNK] [@click=app.quit]x[/] [bold]b[/bold] \x1b[31mred\x1b]0;title\x07 \x00\x7f\xc2\x9b "
    b"\xe2\x80\xae\xe2\x81\xa6 \xff\xfe \xef\xbb\xbf \xe2\x80\xa8 \r\n \x08\x0c "
)


@pytest.fixture
def cats(tmp_path: Path) -> Path:
    path = tmp_path / "cats.txt"
    path.write_text("the cat sat on the mat\n" * 4)
    return path


async def test_files_that_cannot_be_opened_leave_what_is_open(cats: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    async with explorer([cats]) as driver:
        await driver.press("s", "s")
        for name, words in (("missing", "no such file"), ("folder", "is a directory"), ("a\x00b", "not a file name")):
            driver.screen.open_paths((str(tmp_path / name),))
            await driver.idle()
            assert any(words in message for message in driver.words()), (name, driver.words())
            assert driver.step == 2
            driver.app.clear_notifications()
        assert all(choice.name != "missing" for choice in driver.screen.choices)
        await driver.press("s")
        assert driver.step == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
async def test_no_permission_is_said(cats: Path) -> None:
    cats.chmod(0)
    async with explorer([cats]) as driver:
        assert any("permission denied" in message for message in driver.words())


async def test_a_start_on_a_missing_file_says_so_and_goes_on(cats: Path, tmp_path: Path) -> None:
    async with explorer([tmp_path / "missing.txt"]) as driver:
        assert any("no such file" in message for message in driver.words())
        await driver.press("s", "b", "a", "g", "t", "p", "escape", "1", "2", "3", "4", "m", "e")
        driver.screen.open_paths((str(cats),))
        await driver.idle()
        await driver.press("s")
        assert driver.step == 1


async def test_an_empty_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_bytes(b"")
    async with explorer([path]) as driver:
        assert any("is empty" in message for message in driver.words())
        await driver.press("s", "b", "e", "a", "t", "T", "slash", "escape", "right", "down", "m")
        assert driver.step == 0


async def test_a_file_that_vanishes_after_it_was_opened(cats: Path) -> None:
    async with explorer([cats]) as driver:
        cats.unlink()
        await driver.press("s", "s", "t", "t")
        assert driver.step == 2
        await driver.press("1")
        driver.screen.open_paths((str(cats),))
        await driver.idle()
        assert any("no such file" in message for message in driver.words())
        assert driver.step == 2


async def test_a_binary_file_trains_and_shows(tmp_path: Path) -> None:
    path = tmp_path / "binary"
    path.write_bytes(bytes(range(256)) * 8 + b"\xff" * 50)
    async with explorer([path]) as driver:
        await driver.press("S", "t", "t", "t", "t", "down", "right", "h", "number_sign", "end")
        assert driver.step == 10
        assert "invalid" in driver.shown()


async def test_a_target_that_cannot_be_reached_ends_with_the_reason(cats: Path) -> None:
    async with explorer([cats]) as driver:
        await driver.press("n")
        driver.app.screen.query_one(Input).value = "50000"
        await driver.press("enter", "e")
        assert "no pair left" in driver.shown()


@pytest.mark.parametrize("where", ["corpus", "probe", "name"])
async def test_hostile_text_is_shown_as_text(where: str, tmp_path: Path) -> None:
    name = "[/INST][@click=app.quit]x[bold]\x1b[31m\u202e.txt" if where == "name" else "text.txt"
    path = tmp_path / name.replace("/", "⁄")
    path.write_bytes(HOSTILE * 3 if where == "corpus" else b"plain text here")
    async with explorer([path]) as driver:
        if where == "probe":
            await driver.press("p")
            driver.screen.tokens_pane.query_one("TextArea").load_text(HOSTILE.decode("utf-8", "surrogateescape"))  # type: ignore[attr-defined]
            await driver.press("escape")
        await driver.press("S", "t", "t", "t", "t", "1", "2", "enter", "3", "4", "S")
        shown = driver.shown()
        assert "INST" in shown
        assert not any(
            (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2066\u2028\ufeff" for c in shown
        )
        if where == "corpus":
            assert driver.screen._model.read(0, len(HOSTILE)) == HOSTILE
            assert "[@click=app.quit]x[/]" in shown.replace("·", " ")
