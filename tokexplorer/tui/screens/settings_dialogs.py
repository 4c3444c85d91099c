"""The explorer's questions: split, alphabet, ties, minimum count, target, and what to search for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.splits import HELP, compile_split
from tokexplorer.session import Settings
from tokexplorer.travel import parse_target
from tokexplorer.tui.screens.dialogs import AskScreen, ChooseScreen
from tokexplorer.tui.widgets.pair_table import PairTable

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen

OWN_PATTERN = "a pattern of your own …"
ALPHABETS = {
    AlphabetKind.BYTES: "256 bytes: every text can be encoded",
    AlphabetKind.CHARS: "the characters of the corpus; others become <unk>",
    AlphabetKind.WORDS: "characters, and </w> at the end of each chunk",
}
TIES = {
    TieRule.FIRST: "of equal counts the pair that stands first in the text wins",
    TieRule.LOWEST: "of equal counts the pair with the lowest ids wins",
}


def ask(screen: ExplorerScreen, setting: str) -> None:
    """Ask for one setting, or first for which one."""
    now = screen.session.settings
    if setting == "split":
        _ask_split(screen)
    elif setting == "alphabet":
        rows = [(kind.value, kind.value, words) for kind, words in ALPHABETS.items()]
        _choose(screen, "Start from", rows, now.alphabet.value, lambda v: replace(now, alphabet=AlphabetKind(v)))
    elif setting == "ties":
        rows = [(rule.value, rule.value, words) for rule, words in TIES.items()]
        _choose(screen, "Ties", rows, now.ties.value, lambda v: replace(now, ties=TieRule(v)))
    elif setting == "min-count":
        _ask_min_count(screen)
    elif setting == "target":
        _ask_target(screen)
    else:
        rows = [
            ("split", "split", "how the text is cut into chunks before merging"),
            ("alphabet", "start from", "bytes or characters"),
            ("ties", "ties", "which of equal pairs wins"),
            ("min-count", "minimum count", "pairs below it are not merged"),
            ("target", "target", "the vocabulary size to run to"),
        ]
        hint = "All but the target start the merges afresh; the corpus stays open."

        def chosen(value: str | None) -> None:
            if value is not None:
                ask(screen, value)

        screen.app.push_screen(ChooseScreen("Settings", hint, rows), chosen)


def _choose(
    screen: ExplorerScreen, title: str, rows: list[tuple[str, str, str]], now: str, take: Callable[[str], Settings]
) -> None:
    def chosen(value: str | None) -> None:
        if value is not None:
            screen.configure(take(value))

    screen.app.push_screen(ChooseScreen(title, "The merges start afresh; the corpus stays open.", rows, now), chosen)


def _ask_split(screen: ExplorerScreen) -> None:
    now = screen.session.settings.split
    rows = [(name, name, words) for name, words in HELP.items()]
    rows.append((OWN_PATTERN, OWN_PATTERN, "a regular expression; what it leaves out is a chunk of its own"))

    def chosen(value: str | None) -> None:
        if value == OWN_PATTERN:
            start = now if now not in HELP else r" ?\w+|[^\w\s]+|\s+"
            hint = "Syntax of the `regex` module: \\p{L}, possessive ++, look-ahead. It is compiled before it is taken."
            screen.app.push_screen(AskScreen("A split pattern of your own", hint, start, compile_split), typed)
        elif value is not None:
            typed(value)

    def typed(value: str | None) -> None:
        if value is not None:
            screen.configure(replace(screen.session.settings, split=value))

    title_now = now if now in HELP else OWN_PATTERN
    screen.app.push_screen(ChooseScreen("Split", "Merges never cross the border of a chunk.", rows, title_now), chosen)


def _min_count(text: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit()) or not 1 <= int(text) < 10**9:
        raise UsageError("a minimum count is a whole number from 1")
    return int(text)


def _ask_min_count(screen: ExplorerScreen) -> None:
    def typed(value: str | None) -> None:
        if value is not None:
            screen.configure(replace(screen.session.settings, min_count=_min_count(value)))

    now = str(screen.session.settings.min_count)
    hint = "Pairs with a lower count are not merged."
    screen.app.push_screen(AskScreen("Minimum count", hint, now, _min_count), typed)


def _ask_target(screen: ExplorerScreen) -> None:
    snapshot = screen.snapshot
    if snapshot is None:
        return
    base = snapshot.base_size

    def typed(value: str | None) -> None:
        if value is not None:
            screen.configure(replace(screen.session.settings, target=parse_target(value, base)))

    hint = f"A vocabulary size: {base:,} base symbols and the merges. `e` runs to it."
    now = str(snapshot.target_step + base)
    screen.app.push_screen(AskScreen("Target", hint, now, lambda text: parse_target(text, base)), typed)


def ask_search(screen: ExplorerScreen) -> None:
    """Ask for a text and search it in the present pane."""
    what = {"pairs": "pairs", "merges": "tokens of the merge log"}.get(screen.pane, "the text")

    def typed(value: str | None) -> None:
        if value is not None:
            screen.search(value)

    hint = f"Searches {what}; a space is typed as a space or ·. Empty shows everything again."
    screen.app.push_screen(AskScreen("Search", hint, screen.last_search), typed)


def shown_query(text: str) -> str:
    """A typed query as labels write it."""
    return text.replace(" ", "·")


def pairs_query(screen: ExplorerScreen, text: str) -> None:
    """Show only the pairs that hold the text."""
    screen.query_one(PairTable).query_text = shown_query(text)
