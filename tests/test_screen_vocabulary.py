"""The vocabulary and the token pages, key by key: rows, search, filters, order, the page and where it leads."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from builtin_oracle import encoding
from study_host import OWN, SAMPLE, Host, session_of, settle, shown
from textual.pilot import Pilot
from textual.widgets import Input

from tokexplorer.analysis.kinds import Kind, Order
from tokexplorer.engine import glyphs
from tokexplorer.tui.screens.dialogs import AskScreen, ChooseScreen
from tokexplorer.tui.screens.help import HelpScreen
from tokexplorer.tui.screens.token_page import TokenPageScreen
from tokexplorer.tui.screens.vocabulary import VocabularyScreen
from tokexplorer.tui.shelf import Jump
from tokexplorer.tui.widgets.columns import fill
from tokexplorer.tui.widgets.page_list import PageList

MAGIKARP = 43453


def host(name: str = "gpt2", text: str = SAMPLE) -> Host:
    return Host(lambda app: VocabularyScreen(app.shelf, app.scene, name), session_of(text))


def page_host(token_id: int, name: str = "gpt2", text: str = SAMPLE) -> Host:
    def make(app: Host) -> TokenPageScreen:
        return TokenPageScreen(app.shelf, app.scene, name, app.shelf.load(name, app.scene.snapshot), token_id)

    return Host(make, session_of(text))


def vocabulary(app: Host) -> VocabularyScreen:
    return next(s for s in app.screen_stack if isinstance(s, VocabularyScreen))


def page(app: Host) -> TokenPageScreen:
    screen = app.screen
    assert isinstance(screen, TokenPageScreen)
    return screen


async def type_text(pilot: Pilot[None], text: str) -> None:
    field = pilot.app.screen.query_one(Input)
    field.value = text
    await settle(pilot)


def lines_of(app: Host, which: str) -> list[str]:
    """The lines of one half of a page, as text."""
    view = app.screen.query_one(f"#{which}", PageList)
    return ["".join(s.text for s in view.row(i, 100)).rstrip() for i in range(view.row_count)]


async def test_all_ids_are_rows_and_enter_opens_a_page() -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        table = vocabulary(app).table
        assert table.row_count == 50257
        await pilot.press("end")
        assert table.chosen == 50256
        assert "<|endoftext|>" in shown(app)
        assert "special" in shown(app)
        await pilot.press("home", "enter")
        await settle(pilot)
        assert page(app).subject.id == 0


async def test_unassigned_ids_are_shown_as_such() -> None:
    app = host("cl100k_base")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert vocabulary(app).table.row_count == 100277
        await pilot.press("g")
        await type_text(pilot, "100261")
        await pilot.press("enter")
        await settle(pilot)
        assert vocabulary(app).table.chosen == 100261
        row = next(line for line in shown(app).splitlines() if "100261" in line)
        assert "unassigned" in row
        await pilot.press("enter")
        await settle(pilot)
        assert "unassigned" in shown(app)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("SolidGoldMagikarp", [MAGIKARP]),
        ("id:262,464,1169", [262, 464, 1169]),
        ("hex:206f6620746865", []),
        ("re:^ the$", [262]),
    ],
)
async def test_search(query: str, found: list[int]) -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await pilot.press("slash")
        await type_text(pilot, query)
        assert list(vocabulary(app).table.ids) == found
        await pilot.press("enter")
        assert vocabulary(app).table.has_focus
        await pilot.press("escape")
        await settle(pilot)
        assert vocabulary(app).table.row_count == 50257
        assert not app.left
        await pilot.press("escape")
        await pilot.pause()
        assert app.left


async def test_a_wrong_pattern_is_said_and_nothing_else_happens() -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await pilot.press("slash")
        await type_text(pilot, "re:(")
        assert "the pattern is wrong" in shown(app)
        await type_text(pilot, "re:^ing$")
        assert "the pattern is wrong" not in shown(app)
        assert len(vocabulary(app).table.ids) == 1


async def test_letters_in_the_search_field_are_text_not_keys() -> None:
    app = host(OWN)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"tfrq")
        await settle(pilot)
        assert app.screen.query_one(Input).value == "tfrq"
        assert vocabulary(app).choice.name == OWN


async def test_kinds_and_scripts_narrow_the_rows() -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await pilot.press("f")
        await settle(pilot)
        dialog = app.screen
        assert isinstance(dialog, ChooseScreen)
        dialog.dismiss(Kind.DIGITS.value)
        await settle(pilot)
        ids = vocabulary(app).table.ids
        want = [i for i in range(50257) if re.fullmatch(rb" ?[0-9]+", encoding("gpt2").decode_bytes([i]))]
        assert set(want) <= set(ids)
        await pilot.press("f")
        await settle(pilot)
        assert isinstance(app.screen, ChooseScreen)
        app.screen.dismiss(Kind.ALL.value)
        await settle(pilot)
        await pilot.press("f")
        await settle(pilot)
        assert isinstance(app.screen, ChooseScreen)
        app.screen.dismiss("script Cyrillic")
        await settle(pilot)
        assert "Cyrillic" in shown(app)
        texts = [encoding("gpt2").decode_bytes([i]).decode("utf-8", "ignore") for i in vocabulary(app).table.ids]
        assert texts
        assert all(any("CYRILLIC" in unicodedata.name(c, "") for c in text) for text in texts)


async def test_the_never_emitted_bytes_of_gpt2() -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await pilot.press("f")
        await settle(pilot)
        assert isinstance(app.screen, ChooseScreen)
        app.screen.dismiss(Kind.NEVER_EMITTED.value)
        await settle(pilot)
        found = sorted(encoding("gpt2").decode_bytes([i]) for i in vocabulary(app).table.ids)
        assert found == [bytes([b]) for b in (0xC0, 0xC1, *range(0xF5, 0x100))]


async def test_order_by_length_and_by_uses() -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        table = vocabulary(app).table
        uses = Counter(encoding("gpt2").encode_ordinary(SAMPLE))
        await pilot.press("r")
        await settle(pilot)
        assert vocabulary(app).choice.order is Order.LENGTH
        lengths = [len(encoding("gpt2").decode_bytes([i])) for i in table.ids[:500]]
        assert lengths == sorted(lengths, reverse=True)
        await pilot.press("r")
        await settle(pilot)
        assert [uses[i] for i in table.ids[:50]] == sorted(uses.values(), reverse=True)[:50]
        assert table.uses is not None
        assert dict(table.uses) == uses
        await pilot.press("r")
        await settle(pilot)
        assert list(table.ids[:3]) == [0, 1, 2]


async def test_tokenizers_take_turns_and_can_be_chosen() -> None:
    app = host(OWN)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = vocabulary(app)
        assert screen.table.row_count == 276
        await pilot.press("t")
        await settle(pilot)
        assert screen.choice.name == "gpt2"
        assert screen.table.row_count == 50257
        await pilot.press("T")
        await settle(pilot)
        assert screen.table.row_count == 276
        await pilot.press("o")
        await pilot.pause()
        assert isinstance(app.screen, ChooseScreen)
        app.screen.dismiss("p50k_base")
        await settle(pilot)
        assert screen.table.row_count == 50281


async def test_a_model_name_can_be_typed_and_a_wrong_one_is_refused() -> None:
    app = host(OWN)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for typed, size in (("no-such-thing", 276), ("gpt-4", 100277)):
            await pilot.press("o")
            await pilot.pause()
            assert isinstance(app.screen, ChooseScreen)
            app.screen.dismiss("\0typed")
            await pilot.pause()
            await pilot.pause()
            assert isinstance(app.screen, AskScreen)
            await type_text(pilot, typed)
            await pilot.press("enter")
            await settle(pilot)
            assert vocabulary(app).table.row_count == size
        assert vocabulary(app).choice.name == "cl100k_base"


async def test_a_tokenizer_from_a_file_goes_by_a_safe_name(tmp_path: Path) -> None:
    ranks = "".join(f"{base64.b64encode(bytes([b])).decode()} {b}\n" for b in range(256))
    paths = [tmp_path / "a" / "x\x1b[31m\u202e.tiktoken", tmp_path / "b" / "x\x1b[31m\u202e.tiktoken"]
    app = host(OWN)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for path, more in zip(paths, ("", "dGhl 256\n"), strict=True):
            path.parent.mkdir()
            path.write_text(ranks + more)
            await pilot.press("o")
            await pilot.pause()
            assert isinstance(app.screen, ChooseScreen)
            app.screen.dismiss("\0typed")
            await pilot.pause()
            await pilot.pause()
            assert isinstance(app.screen, AskScreen)
            await type_text(pilot, str(path))
            await pilot.press("enter")
            await settle(pilot)
        assert vocabulary(app).table.row_count == 257
        assert len(app.shelf.loaded) == 2
        assert all(name.isprintable() and "\u202e" not in name for name in app.shelf.loaded)


async def test_copy_help_theme_and_the_other_half() -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await pilot.press("g")
        await type_text(pilot, "262")
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("y")
        assert app.copied == " the"
        await pilot.press("tab")
        assert vocabulary(app).query_one("#card").has_focus
        await pilot.press("tab", "E", "question_mark")
        await pilot.pause()
        assert isinstance(app.screen, HelpScreen)
        assert "id:5-9" in shown(app)
        await pilot.press("escape", "q")
        await pilot.pause()
        assert app.left


async def test_a_page_has_forms_in_all_vocabularies() -> None:
    app = page_host(262)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        right = lines_of(app, "right")
        the = {line.split()[0]: line for line in right if line.split() and line.split()[0] in ("the", "·the", "The")}
        for form, ids in (("the", ("1169", "1820", "3086")), ("·the", ("262", "279", "290")), ("The", ("464", "791"))):
            for own in ids:
                assert own in the[form].split()
        left = "\n".join(lines_of(app, "left"))
        assert "latin small letter t" in left
        assert "├─" in left


async def test_a_page_leads_to_parents_and_back() -> None:
    app = page_host(MAGIKARP)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        screen = page(app)
        left = screen.query_one("#left", PageList)
        index = next(i for i, line in enumerate(lines_of(app, "left")) if line.endswith("42202"))
        left.move_cursor(index)
        await pilot.press("enter")
        await settle(pilot)
        assert screen.subject.id == 42202
        await pilot.press("backspace")
        await settle(pilot)
        assert screen.subject.id == MAGIKARP
        await pilot.press("v")
        await settle(pilot)
        assert isinstance(app.screen, VocabularyScreen)
        assert vocabulary(app).table.chosen == MAGIKARP
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("y", "tab")
        assert app.copied == " SolidGoldMagikarp"
        assert screen.query_one("#right").has_focus
        await pilot.press("b")
        await pilot.pause()
        assert app.left
        assert app.jump is None


async def test_the_tree_of_a_page_is_the_tree_of_the_merges() -> None:
    app = page_host(MAGIKARP)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        nodes = page(app)._page.tree
        leaves = b"".join(node.data for node in nodes if node.leaf)
        assert leaves == b" SolidGoldMagikarp"
        assert sum(node.leaf for node in nodes) == 18
        assert len(nodes) == 2 * 18 - 1


async def test_uses_lead_to_their_place_in_the_corpus() -> None:
    app = page_host(262)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        ids = encoding("gpt2").encode_ordinary(SAMPLE)
        lines = lines_of(app, "left")
        at = next(i for i, line in enumerate(lines) if line.startswith("in the corpus"))
        assert f"{ids.count(262)} places" in lines[at]
        view = page(app).query_one("#left", PageList)
        view.move_cursor(at + 2)
        await pilot.press("enter")
        await pilot.pause()
        second = [i for i, own in enumerate(ids) if own == 262][1]
        assert app.jump == Jump(len(encoding("gpt2").decode_bytes(ids[:second])), "gpt2")


async def test_a_jump_from_a_page_leaves_the_vocabulary_too() -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("g")
        await type_text(pilot, "262")
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        at = next(i for i, line in enumerate(lines_of(app, "left")) if line.startswith("in the corpus"))
        page(app).query_one("#left", PageList).move_cursor(at + 1)
        await pilot.press("enter")
        await pilot.pause()
        await pilot.pause()
        assert app.left
        assert app.jump == Jump(SAMPLE.encode().index(b" the mat"), "gpt2")


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 20), (30, 8)])
async def test_pages_and_rows_fit_any_size(size: tuple[int, int]) -> None:
    app = host()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("end", "enter")
        await settle(pilot)
        await pilot.press("pagedown", "tab", "end")
        assert all(glyphs.cells(line) <= size[0] for line in shown(app).splitlines())
        await pilot.resize_terminal(size[0] + 30, size[1])
        await settle(pilot)
        assert "<|endoftext|>" in shown(app)


async def test_esc_stops_a_search_that_is_waited_for() -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        with app.shelf.lock:
            await pilot.press("r")
            await pilot.pause()
            assert vocabulary(app).is_working
            await pilot.press("escape")
            await pilot.pause()
            assert not app.left
        await settle(pilot)
        assert list(vocabulary(app).table.ids[:3]) == [0, 1, 2]
        assert not app.left
        await pilot.press("escape")
        await pilot.pause()
        assert app.left


@pytest.mark.slow
@pytest.mark.parametrize(("ascii", "stride"), [(False, 1), (True, 7)])
async def test_every_token_of_o200k_goes_through_the_row_renderer(ascii: bool, stride: int) -> None:
    """No control, format or surrogate character, no wrong width, whatever the bytes of a token are."""
    app = host("o200k_base")
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        table = vocabulary(app).table
        table.ascii = ascii
        width = 96
        seen: set[str] = set()
        for index in range(0, table.row_count, stride):
            row = fill(list(table.row(index, width)), width, "left", None, ascii)
            text = "".join(segment.text for segment in row)
            assert glyphs.cells(text) == width, (index, text)
            seen.update(text)
        bad = {
            c
            for c in seen
            if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") or c == "\N{REPLACEMENT CHARACTER}"
        }
        assert not bad
        assert not ascii or all(c in "…" or " " <= c <= "~" for c in seen)
