"""The command palette: the registry's actions, and no error where it is closed in the middle of a search."""

from __future__ import annotations

from pathlib import Path

import pytest
from explorer_driver import explorer
from pty_driver import explorer as in_terminal
from textual.command import CommandList
from textual.widgets import OptionList

from tokexplorer.tui.actions import EXPLORER
from tokexplorer.tui.palette import Palette


@pytest.fixture
def cats(tmp_path: Path) -> Path:
    path = tmp_path / "cats.txt"
    path.write_text("the cat sat on the mat\n" * 5)
    return path


async def test_it_lists_the_actions_and_not_what_our_own_replace(cats: Path) -> None:
    async with explorer([cats]) as driver:
        listed = {command.title for command in driver.app.get_system_commands(driver.screen)}
        labels = {title.partition(" (")[0] for title in listed}
        assert {"step", "compare"} <= labels & {action.label for action in EXPLORER}
        assert not {"keys", "maximize", "minimize"} & listed
        assert {"theme", "quit"} <= listed
        assert all(title == title.lower() for title in {title.partition(" (")[0] for title in listed})


async def test_an_action_is_found_and_done(cats: Path) -> None:
    async with explorer([cats]) as driver:
        await driver.press("ctrl+p")
        palette = driver.app.screen
        assert isinstance(palette, Palette)
        await driver.type("step")
        for _ in range(50):
            await driver.pilot.pause(0.02)
            if palette.query_one(OptionList).option_count and palette.has_class("-ready"):
                break
        await driver.press("enter")
        await driver.pilot.pause(0.1)
        assert driver.step == 1


async def test_a_search_that_goes_on_after_its_widgets_does_not_fail(cats: Path) -> None:
    async with explorer([cats]) as driver:
        await driver.press("ctrl+p")
        palette = driver.app.screen
        assert isinstance(palette, Palette)
        for _ in range(50):
            await driver.pilot.pause(0.02)
            if palette.has_class("-ready"):
                break
        gone = palette.query_one(CommandList)
        await palette.query("*").remove()
        palette._list_visible = palette._show_busy = False
        palette._refresh_command_list(gone, [], True)
        palette._list_visible = palette._show_busy = True
        await driver.pilot.pause(0.1)
        assert driver.app._exception is None
        await driver.press("escape")
        assert driver.app.screen is driver.screen


@pytest.mark.parametrize("way", ["", "v", "i"])
def test_enter_runs_nothing_that_was_not_typed(way: str) -> None:
    with in_terminal() as terminal:
        terminal.until("step 0/")
        for key in ("s", "s", *way):
            terminal.press(key)
        terminal.send("\x10zzzz\r")
        terminal.until("No matches found")
        assert terminal.status is None
        terminal.press("esc")
        for _ in way:
            terminal.press("esc")
        terminal.until("step 2/")


def test_enter_waits_for_what_is_found() -> None:
    with in_terminal() as terminal:
        terminal.until("step 0/")
        terminal.settle(0.5)
        terminal.send("\x10compare\r")
        terminal.until("cuts agree")
