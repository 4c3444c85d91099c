"""Inspect, tab by tab and key by key, against tiktoken's own counts."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from builtin_oracle import encoding
from study_host import OWN, SAMPLE, Host, session_of, settle, shown
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tokexplorer.analysis.glitch import STATEMENT, load_reported
from tokexplorer.analysis.languages import load_paragraphs
from tokexplorer.analysis.reachability import Category
from tokexplorer.engine import glyphs
from tokexplorer.engine.corpus import TextDocument
from tokexplorer.session import Session, Settings
from tokexplorer.tui.reported_rows import Here
from tokexplorer.tui.screens.dialogs import ChooseScreen
from tokexplorer.tui.screens.help import HelpScreen
from tokexplorer.tui.screens.inspect import TABS, InspectScreen
from tokexplorer.tui.screens.inspect_glitch import GlitchTab
from tokexplorer.tui.screens.inspect_languages import bar
from tokexplorer.tui.screens.inspect_numbers import NumbersTab
from tokexplorer.tui.screens.token_page import TokenPageScreen
from tokexplorer.tui.widgets.number_grid import NumberGridView
from tokexplorer.tui.widgets.page_list import PageList

HOSTILE = "[/INST] [red]x[/red] \x1b]0;t\x07 \x9b31m \u202e ab\u200b [UNK] \ufffe <|endoftext|>"


def host(name: str = "gpt2", tab: int = 0, text: str | bytes = SAMPLE) -> Host:
    def make(app: Host) -> InspectScreen:
        app.shelf.choices["inspect"] = (str(tab),)
        return InspectScreen(app.shelf, app.scene, name)

    return Host(make, session_of(text))


def inspect_of(app: Host) -> InspectScreen:
    return next(s for s in app.screen_stack if isinstance(s, InspectScreen))


def lines_of(app: Host, page_id: str, width: int = 110) -> list[str]:
    """The lines of a page, as text."""
    view = inspect_of(app).query_one(page_id, PageList)
    return ["".join(s.text for s in view.row(i, width)).rstrip() for i in range(view.row_count)]


def line_with(lines: list[str], words: str) -> str:
    return next(line for line in lines if words in line)


def cut(name: str, text: str) -> str:
    """A text with bars between its tokens, by tiktoken."""
    return "|".join(encoding(name).decode([i]) for i in encoding(name).encode_ordinary(text))


def app_reported(app: Host) -> Sequence[Here]:
    """The reported tokens that are listed."""
    tab = inspect_of(app).tab
    assert isinstance(tab, GlitchTab)
    return tab.listed.rows


async def type_into(pilot: Pilot[None], field: str, text: str) -> None:
    pilot.app.screen.query_one(field, Input).value = text
    await settle(pilot)


async def test_the_tabs_are_a_key_each() -> None:
    app = host()
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        for number, tab in enumerate(TABS):
            await pilot.press(str(number + 1))
            await settle(pilot)
            assert isinstance(inspect_of(app).tab, tab)
            assert f"{number + 1} {tab.LABEL}" in shown(app)
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert isinstance(inspect_of(app).tab, TABS[0])
        await pilot.press("left_square_bracket")
        await settle(pilot)
        assert isinstance(inspect_of(app).tab, TABS[-1])
        assert app.shelf.choices["inspect"] == ("5",)
        await pilot.press("E", "question_mark")
        await pilot.pause()
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert app.left


async def test_tokenizers_take_turns_in_all_tabs() -> None:
    app = host(OWN, tab=5)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        assert f"{app.session.snapshot().tokens:,} tokens" in shown(app)
        await pilot.press("t")
        await settle(pilot)
        assert f"{len(encoding('gpt2').encode_ordinary(SAMPLE)):,} tokens" in shown(app)
        await pilot.press("1")
        await settle(pilot)
        assert "50,257" in line_with(lines_of(app, "#glitch-kinds"), "all ids")
        await pilot.press("T")
        await settle(pilot)
        assert "276" in line_with(lines_of(app, "#glitch-kinds"), "all ids")
        await pilot.press("o")
        await pilot.pause()
        assert isinstance(app.screen, ChooseScreen)
        app.screen.dismiss("cl100k_base")
        await settle(pilot)
        assert "100,277" in shown(app)


async def test_glitch_kinds_add_up_and_lead_to_their_tokens() -> None:
    app = host("cl100k_base")
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        tab = inspect_of(app).tab
        assert isinstance(tab, GlitchTab)
        lines = lines_of(app, "#glitch-kinds")
        of = {line.split()[0]: line.split()[1] for line in lines if len(line.split()) > 1}
        counts = {kind: int(of[kind.value].replace(",", "")) for kind in Category}
        assert sum(counts.values()) == 100277 == int(line_with(lines, "all ids").split()[2].replace(",", ""))
        assert counts[Category.UNASSIGNED] == 16
        used = set(encoding("cl100k_base").encode_ordinary(SAMPLE))
        assert counts[Category.ORDINARY] <= len(used)
        assert " ".join(STATEMENT.split()) in " ".join(" ".join(lines_of(app, "#glitch-kinds", 44)).split())
        await pilot.press("home")
        await settle(pilot)
        assert [line.split()[0] for line in lines_of(app, "#glitch-tokens")][:2] == ["100256", "100261"]
        await pilot.press("down", "enter", "enter")
        await settle(pilot)
        assert isinstance(app.screen, TokenPageScreen)
        assert app.screen.subject.id == 100257
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert app.left


async def test_reported_glitch_tokens_in_all_vocabularies() -> None:
    app = host("cl100k_base")
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await pilot.press("f")
        await pilot.pause()
        assert isinstance(app.screen, ChooseScreen)
        app.screen.dismiss("reported")
        await settle(pilot)
        own = [r for r in load_reported() if r.encoding == "cl100k_base"]
        assert len(lines_of(app, "#glitch-tokens")) == len(own)
        assert str(len(own)) in line_with(lines_of(app, "#glitch-kinds"), "reported")
        await pilot.press("f")
        await pilot.pause()
        assert isinstance(app.screen, ChooseScreen)
        app.screen.dismiss("every list")
        await settle(pilot)
        lines = lines_of(app, "#glitch-tokens")
        assert len(lines) == len(load_reported())
        assert str(len(lines)) in line_with(lines_of(app, "#glitch-kinds"), "reported")
        magikarp = line_with(lines, "SolidGoldMagikarp").split()
        assert magikarp[2:6] == ["5", "t.", "43453", "5"]
        controls = [any(byte < 0x20 for byte in here.reported.data) for here in app_reported(app)]
        assert controls == sorted(controls)
        await pilot.press("tab")
        await pilot.pause()
        screen = " ".join(shown(app).split())
        assert "sources:" in screen


async def test_the_tokens_of_a_kind_and_the_reported_ones_are_searched() -> None:
    app = host("cl100k_base")
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"magikarp")
        await settle(pilot)
        assert "nothing is found in this kind (f: another kind)" in shown(app)
        await pilot.press(*["backspace"] * 8, *"tPanel")
        await settle(pilot)
        assert "nothing is found in this kind; 1 among the reported ones" in shown(app)
        await pilot.press(*["backspace"] * 6, *"id:x")
        await settle(pilot)
        assert "id: wants a number" in shown(app)
        await pilot.press(*["backspace"] * 4, *"magikarp", "escape", "f")
        await pilot.pause()
        app.screen.dismiss("reported")
        await settle(pilot)
        assert "nothing is found" in shown(app)
        await pilot.press("f")
        await pilot.pause()
        app.screen.dismiss("every list")
        await settle(pilot)
        found = lines_of(app, "#glitch-tokens")
        assert found
        assert all("Magikarp" in line for line in found)
        await pilot.press("slash", *["backspace"] * 8, *"hex:0")
        await settle(pilot)
        assert "hex: wants pairs" in shown(app)
        await pilot.press(*["backspace"] * 5, *"id:188", "enter")
        await settle(pilot)
        assert all(here.reported.id == 188 for here in app_reported(app))
        assert app.screen.focused is not None
        assert app.screen.focused.id == "glitch-tokens"


async def test_keys_that_do_nothing_on_a_tab_are_not_listed() -> None:
    app = host("cl100k_base")
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        for tab, there, missing in (("1", "filter", "sort"), ("2", "after a space", "filter"), ("5", "sort", "type")):
            await pilot.press(tab)
            await settle(pilot)
            keys = shown(app).splitlines()[-1]
            assert there in keys
            assert missing not in keys


async def test_esc_stops_the_sweep_that_is_waited_for() -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        with app.shelf.lock:
            await pilot.press("t")
            await pilot.pause()
            assert inspect_of(app).is_working
            await pilot.press("escape")
            await pilot.pause()
        await settle(pilot)
        assert not app.left


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
async def test_the_grid_is_what_tiktoken_gives(name: str) -> None:
    app = host(name, tab=1)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        tab = inspect_of(app).tab
        assert isinstance(tab, NumbersTab)
        rng = random.Random(1)
        for lead in ("", " "):
            grids = {g.digits: g for g in tab._grids if g.after_space is bool(lead)}
            for digits in (1, 2, 3, 4):
                for number in rng.sample(range(0 if digits < 4 else 1000, 10**digits), min(10**digits - 1, 60)):
                    text = f"{number:0{digits}d}"
                    tokens = [encoding(name).decode([i]) for i in encoding(name).encode_ordinary(lead + text)]
                    want = tuple(len(t.strip()) for t in tokens if t.strip())
                    assert grids[digits].shape(number) == want
        grid = tab.query_one(NumberGridView)
        assert grid.number == (grid._grids[0], 0)
        await pilot.press("right", "right", "down", "down", "left")
        await pilot.pause()
        found = grid.number
        assert found is not None
        assert found[1] == 1
        assert cut(name, f"{found[1]:02d}") in shown(app)
        await pilot.press("w")
        await settle(pilot)
        assert "after a space" in shown(app)
        assert all(g.after_space for g in grid._grids)


@pytest.mark.parametrize(
    ("name", "typed", "tokens", "groups"),
    [
        ("gpt2", "1234 + 5678", "12|34|·+|·5|678", "1|234|·+·|5|678"),
        ("cl100k_base", "1234567", "123|456|7", "1|234|567"),
    ],
)
async def test_numbers_that_are_typed(name: str, typed: str, tokens: str, groups: str) -> None:
    app = host(name, tab=1)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        await pilot.press("p")
        assert isinstance(app.focused, Input)
        await type_into(pilot, "TypedPanel Input", typed)
        lines = lines_of(app, "#number-page")
        assert line_with(lines, "its tokens").split()[2] == tokens
        assert line_with(lines, "by thousands").split()[2] == groups
        assert cut(name, typed).replace(" ", "·") == tokens
        await pilot.press("escape")
        assert not isinstance(app.focused, Input)
        assert any("Devanagari" in line for line in lines)


async def test_spaces() -> None:
    app = host(tab=2)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        lines = lines_of(app, "#space-page")
        for form, own in (("bare", "1169"), ("space + bare", "262"), ("capital", "464")):
            line = next(line for line in lines if line.startswith(form + " "))
            assert line.split()[-1] == own
        await pilot.press("p")
        await type_into(pilot, "#space-word", "strawberry")
        lines = lines_of(app, "#space-page")
        for form, text in (("bare", "strawberry"), ("space + bare", " strawberry"), ("upper", "STRAWBERRY")):
            line = next(line for line in lines if line.startswith(form + " "))
            assert cut("gpt2", text).replace(" ", "·") in line
        await pilot.press("p")
        await type_into(pilot, "#space-prompt", "Once upon a")
        assert cut("gpt2", "Once upon a ").replace(" ", "·") in line_with(lines_of(app, "#space-page"), "with a space")
        runs = lines_of(app, "#space-runs")
        space = line_with(runs, "space").split()
        assert space[1:10] == [str(len(encoding("gpt2").encode(" " * n))) for n in (1, 2, 3, 4, 8, 12, 16, 24, 32)]
        await pilot.press("enter", "tab")
        view = inspect_of(app).query_one("#space-runs", PageList)
        assert view.has_focus
        await pilot.press("end", "enter")
        await settle(pilot)
        assert isinstance(app.screen, TokenPageScreen)


async def test_special_tokens_three_ways() -> None:
    app = host("cl100k_base", tab=3)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        names = lines_of(app, "#special-names")
        for name, own in encoding("cl100k_base")._special_tokens.items():
            assert str(own) in line_with(names, name)
        await pilot.press("p")
        field = inspect_of(app).query_one(TextArea)
        assert field.has_focus
        field.text = "a<|endoftext|>b<|fim_prefix|>"
        await settle(pilot)
        screen = shown(app)
        as_text = len(encoding("cl100k_base").encode_ordinary(field.text))
        assert f"as text: {as_text} tokens" in screen
        assert "as tokens: 4 tokens, 2 of them special" in screen
        assert "<|endoftext|> at byte 1" in screen
        field.text = "a<|im_start|>"
        await settle(pilot)
        assert "no marker of this tokenizer" in shown(app)
        assert "nothing in it is refused" in shown(app)
        await pilot.press("escape", "shift+tab", "down", "enter")
        await settle(pilot)
        assert isinstance(app.screen, TokenPageScreen)


async def test_languages_are_counted_by_tiktoken() -> None:
    app = host("o200k_base", tab=4)
    async with app.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        lines = lines_of(app, "#languages")
        paragraphs = load_paragraphs()
        assert len(paragraphs) >= 16
        english = next(p for p in paragraphs if p.code == "en")
        base = len(encoding("o200k_base").encode_ordinary(english.text))
        for paragraph in paragraphs:
            count = len(encoding("o200k_base").encode_ordinary(paragraph.text))
            line = next(line for line in lines if line.startswith(paragraph.name + " "))
            assert f" {count:,} " in line
            assert f" {count / base:.2f}x" in line
        assert str(len(encoding("o200k_base").encode_ordinary(SAMPLE))) in line_with(lines, "sample.txt")
        costs = [float(line.split("x")[0].split()[-1]) for line in lines if "x " in line or line.endswith("x")]
        assert costs == sorted(costs)
        await pilot.press("r")
        await pilot.pause()
        after = [line.split("  ")[0] for line in lines_of(app, "#languages")][6:]
        assert after == [paragraph.name for paragraph in paragraphs]


async def test_the_budget() -> None:
    app = host(tab=5)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        tokens = len(encoding("gpt2").encode_ordinary(SAMPLE))
        lines = lines_of(app, "#budget-contexts")
        assert f"{tokens:,} tokens" in lines[0]
        assert f"{1024 - tokens:,}" in line_with(lines, "1,024")
        await pilot.press("p")
        await type_into(pilot, "#budget-price", "2.50")
        assert f"{tokens * 2.5 / 1e6:.6f}".rstrip("0") in "".join(lines_of(app, "#budget-contexts"))
        await type_into(pilot, "#budget-price", "cheap")
        assert "is not a price" in "".join(lines_of(app, "#budget-contexts"))
        await pilot.press("p")
        await type_into(pilot, "#budget-width", "768")
        assert f"{50257 * 768:,}" in "".join(lines_of(app, "#budget-models"))
        assert "31.0%" in line_with(lines_of(app, "#budget-models"), "GPT-2 small")
        await type_into(pilot, "#budget-width", "1.5")
        assert "is not a width" in "".join(lines_of(app, "#budget-models"))


async def test_without_a_text() -> None:
    app = host(tab=0)
    app.text = None
    async with app.run_test(size=(80, 24)) as pilot:
        for number in range(len(TABS)):
            await pilot.press(str(number + 1))
            await settle(pilot)
        assert "no text is open" in shown(app)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (34, 10)])
async def test_hostile_texts_and_names_at_any_size(size: tuple[int, int]) -> None:
    session = Session(Settings())
    session.open([TextDocument(HOSTILE, HOSTILE.encode("utf-8", "surrogatepass") + b"\xff\xc3")])
    app = Host(lambda a: InspectScreen(a.shelf, a.scene, OWN), session)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for number in range(len(TABS)):
            await pilot.press(str(number + 1))
            await settle(pilot)
            for field in inspect_of(app).tab.query(Input):
                field.value = "[/INST] [red]x[/red] [UNK]"
            await settle(pilot)
            for key in ("end", "tab", "end"):
                await pilot.press(key)
                await pilot.pause()
                text = shown(app)
                assert all(glyphs.cells(line) <= size[0] for line in text.splitlines())
                assert not set(text) & set("\x1b\x9b\x07\u202e\u200b")
        await pilot.resize_terminal(size[0] + 50, size[1] + 10)
        await settle(pilot)


def test_bars() -> None:
    assert bar(0.0, 10) == ""
    assert bar(1.0, 10) == bar(7.0, 10) == "█" * 10
    assert bar(0.5, 9) == "████▌"
    assert all(len(bar(n / 100, 12)) <= 12 for n in range(101))
    assert bar(1e-9, 10) == "▏"
