"""From the explorer to the screens that study tokenizers, and back to a place in the corpus."""

from __future__ import annotations

from explorer_driver import Driver, explorer

from tokexplorer.tui.lens import OWN
from tokexplorer.tui.screens.compare import CompareScreen
from tokexplorer.tui.screens.dialogs import ChooseScreen
from tokexplorer.tui.screens.explorer import ExplorerScreen
from tokexplorer.tui.screens.inspect import InspectScreen
from tokexplorer.tui.screens.study import StudyScreen
from tokexplorer.tui.screens.token_page import TokenPageScreen
from tokexplorer.tui.screens.vocabulary import VocabularyScreen
from tokexplorer.tui.widgets.page_list import PageList


async def settled(driver: Driver) -> None:
    """Until no screen works."""
    for _ in range(2000):
        await driver.pilot.pause(0.005)
        if not any(s.is_working for s in driver.app.screen_stack if isinstance(s, StudyScreen)):
            await driver.pilot.pause()
            return
    raise AssertionError("the work did not end")


async def test_each_screen_is_a_key_and_esc_leads_back() -> None:
    async with explorer() as driver:
        for key, screen in (("c", CompareScreen), ("v", VocabularyScreen), ("i", InspectScreen)):
            await driver.press(key)
            await settled(driver)
            assert isinstance(driver.app.screen, screen)
            await driver.pilot.press("question_mark")
            await driver.pilot.pause()
            assert screen.TITLE_WORDS in driver.shown()
            await driver.pilot.press("escape", "escape")
            await driver.pilot.pause()
            assert isinstance(driver.app.screen, ExplorerScreen)


async def test_enter_on_a_token_opens_its_page_and_a_use_leads_back() -> None:
    async with explorer() as driver:
        await driver.press("s", "s", "s", "s", "right", "right", "enter")
        await settled(driver)
        page = driver.app.screen
        assert isinstance(page, TokenPageScreen)
        assert page.subject.name == OWN
        view = page.query_one("#right", PageList)
        places = [i for i in range(view.row_count) if type(view.target_at(i)).__name__ == "ToPlace"]
        offset = view.target_at(places[1]).offset  # type: ignore[attr-defined]
        view.focus()
        view.move_cursor(places[1])
        await driver.pilot.press("enter")
        await driver.idle()
        assert driver.app.screen is driver.screen
        assert driver.screen.tokens_pane.view.cursor_offset == offset
        assert driver.screen.tokens_pane.view.has_focus


async def test_a_place_in_another_vocabulary_turns_the_lens() -> None:
    async with explorer() as driver:
        await driver.press("v")
        await settled(driver)
        await driver.pilot.press("t")
        await settled(driver)
        vocabulary = driver.app.screen
        assert isinstance(vocabulary, VocabularyScreen)
        vocabulary.table.move_cursor(262)
        await driver.pilot.press("enter")
        await settled(driver)
        page = driver.app.screen
        assert isinstance(page, TokenPageScreen)
        view = page.query_one("#right", PageList)
        at = next(i for i in range(view.row_count) if type(view.target_at(i)).__name__ == "ToPlace")
        view.focus()
        view.move_cursor(at)
        await driver.pilot.press("enter")
        await driver.idle()
        assert driver.screen.lens.chosen == "gpt2"
        token = driver.screen.tokens_pane.view.token
        assert token is not None
        assert token.id == 262


async def test_a_merge_and_a_pair_lead_to_pages() -> None:
    async with explorer() as driver:
        await driver.press(*["s"] * 4, "b", "b", "3")
        await driver.press("end", "V")
        await settled(driver)
        page = driver.app.screen
        assert isinstance(page, TokenPageScreen)
        assert driver.screen.snapshot is not None
        assert page.subject.id == driver.screen.snapshot.merges[3].new
        await driver.pilot.press("escape")
        await driver.pilot.pause()
        await driver.press("2", "V")
        assert isinstance(driver.app.screen, ChooseScreen)
        await driver.pilot.press("enter")
        await settled(driver)
        page = driver.app.screen
        assert isinstance(page, TokenPageScreen)
        winner = driver.screen.snapshot.winner
        assert winner is not None
        assert page.subject.id == winner.left


async def test_what_was_loaded_elsewhere_is_in_the_explorers_cycle() -> None:
    async with explorer() as driver:
        await driver.press("v")
        await settled(driver)
        await driver.pilot.press("o")
        await driver.pilot.pause()
        assert isinstance(driver.app.screen, ChooseScreen)
        driver.app.screen.dismiss("p50k_base")
        await settled(driver)
        await driver.pilot.press("escape")
        await driver.idle()
        assert "p50k_base" in driver.screen.lens.names
