"""Small terminals: every pane can be reached, and the way to help and out is always in sight."""

from __future__ import annotations

from pathlib import Path

import pty_driver
import pytest
from explorer_driver import explorer
from textual.widgets import Input
from wire_reader import places

from tokexplorer.tui.widgets.key_bar import KeyBar

SIZES = [(120, 36), (80, 24), (60, 20), (40, 15)]
PANES = {"corpus": "bytes", "pairs": "count", "merges": "step", "tokens": "mat"}


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "cats.txt"
    path.write_text("the cat sat on the mat; the hat of the bat\n" * 5)
    return path


@pytest.mark.parametrize("size", SIZES)
async def test_every_pane_is_in_sight_when_it_is_gone_to(text: Path, size: tuple[int, int]) -> None:
    async with explorer([text], size) as driver:
        await driver.press("s", "s")
        for number, (name, words) in enumerate(PANES.items(), 1):
            await driver.press(str(number))
            shown = driver.shown()
            pane = driver.screen.query_one(f"#{name}")
            assert pane.region.width >= min(size[0], 28)
            assert pane.region.height >= 8
            assert words in shown
            assert "step 2" in shown.split("\n")[0]
        if size[0] >= 80:
            assert all(driver.screen.query_one(f"#{name}").region for name in ("merges", "tokens"))


@pytest.mark.parametrize("size", [*SIZES, (28, 8)])
@pytest.mark.parametrize("key", ["", "c", "v", "i"])
async def test_help_and_the_way_out_are_always_in_sight(text: Path, size: tuple[int, int], key: str) -> None:
    async with explorer([text], size) as driver:
        if key:
            await driver.pilot.press(key)
            await driver.pilot.pause(0.3)
        bar = driver.app.screen.query_one(KeyBar)
        assert bar.region.height == 1
        assert bar.region.bottom <= size[1]
        last = driver.shown().split("\n")[bar.region.y]
        assert "? help" in last
        assert "q quit" in last or "esc back" in last
        await driver.pilot.press("escape")


@pytest.mark.parametrize("size", [(40, 15), (20, 6), (5, 2), (1, 1)])
async def test_dialogs_and_tiny_screens(text: Path, size: tuple[int, int]) -> None:
    async with explorer([text], size) as driver:
        for key in ("o", "g", "comma", "slash", "question_mark", "colon"):
            await driver.pilot.press(key)
            await driver.pilot.pause()
            if size == (40, 15) and key == "g":
                field = driver.app.screen.query_one(Input)
                assert field.region.width > 20
            for _ in range(3):
                await driver.pilot.press("escape")
            await driver.pilot.pause()
        await driver.press("s")
        assert driver.step == 1


def test_a_tiny_terminal_grows_again(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEXPLORER_HOME", str(tmp_path / "home"))
    with pty_driver.explorer(str(text), size=(40, 15)) as terminal:
        terminal.until("step 0/")
        terminal.settle()
        whole = terminal.text
        terminal.resize(9, 3)
        terminal.press("s", "b")
        assert all(row <= 15 and column <= 40 for row, column in places(bytes(terminal.raw)))
        assert len(terminal.text.split("\n")) == 3
        assert terminal.text.split("\n")[0].strip()
        terminal.resize(40, 15)
        terminal.settle()
        assert terminal.text.split("\n")[1:] == whole.replace("0 of 0", "0 of 1").split("\n")[1:]
