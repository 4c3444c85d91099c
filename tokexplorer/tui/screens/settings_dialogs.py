"""The explorer's questions: split, alphabet, ties, minimum count, target, and what to search for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tokexplorer.engine.algorithms import Algorithm
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
    AlphabetKind.CHARS: "the characters of the corpus; others are unknown",
    AlphabetKind.WORDS: "characters, and </w> at the end of each chunk",
}
TIES = {
    TieRule.FIRST: "of equal counts the pair that stands first in the text wins",
    TieRule.LOWEST: "of equal counts the pair with the lowest ids wins",
}
ALGORITHMS = {
    Algorithm.BPE: ("BPE", "merge the most frequent pair"),
    Algorithm.WORDPIECE: ("WordPiece", "merge the pair most frequent for its parts; ##pieces"),
    Algorithm.UNIGRAM: ("Unigram", "prune many substrings by what they are worth"),
    Algorithm.REPLAY: ("replay", "the merges of GPT-2, cl100k, o200k, a file"),
    Algorithm.CHARACTERS: ("characters", "baseline: each character a token"),
    Algorithm.WORDS: ("words", "baseline: each chunk a token, others <|unk|>"),
}
REPLAYED = ("gpt2", "cl100k_base", "o200k_base")
FILE = "a file …"


def ask(screen: ExplorerScreen, setting: str) -> None:
    """Ask for one setting, or first for which one."""
    now = screen.session.settings
    if setting == "algorithm":
        _ask_algorithm(screen)
    elif setting == "split":
        _ask_split(screen)
    elif setting == "alphabet":
        rows = [(kind.value, kind.value, ALPHABETS[kind]) for kind in now.alphabets]
        _choose(screen, "Start from", rows, now.alphabet.value, lambda v: replace(now, alphabet=AlphabetKind(v)))
    elif setting == "ties":
        rows = [(rule.value, rule.value, words) for rule, words in TIES.items()]
        _choose(screen, "Ties", rows, now.ties.value, lambda v: replace(now, ties=TieRule(v)))
    elif setting == "min-count":
        _ask_min_count(screen)
    elif setting == "target":
        _ask_target(screen)
    else:
        _ask_which(screen, now)


def _ask_which(screen: ExplorerScreen, now: Settings) -> None:
    rows = [
        ("algorithm", "algorithm", "BPE, WordPiece, Unigram, a replay, a baseline"),
        ("split", "split", "how the text is cut into chunks before anything else"),
        ("alphabet", "start from", "bytes or characters"),
        ("ties", "ties", "which of equal pairs wins"),
        ("min-count", "minimum count", "what is rarer is not taken"),
        ("target", "target", "the vocabulary size to run to"),
    ]
    trains = now.algorithm not in (Algorithm.CHARACTERS, Algorithm.WORDS)
    has = {
        "alphabet": bool(now.alphabets),
        "ties": now.has_ties,
        "min-count": trains and bool(now.alphabets),
        "target": trains,
    }
    hint = "All but the target start the training afresh; the text stays open."

    def chosen(value: str | None) -> None:
        if value is not None:
            ask(screen, value)

    kept = [row for row in rows if has.get(row[0], True)]
    screen.app.push_screen(ChooseScreen("Settings", hint, kept), chosen)


def _ask_algorithm(screen: ExplorerScreen) -> None:
    now = screen.session.settings.algorithm
    rows = [(algorithm.value, *words) for algorithm, words in ALGORITHMS.items()]
    hint = "The text stays open; the training starts afresh, with the split and the symbols that suit."

    def chosen(value: str | None) -> None:
        if value == Algorithm.REPLAY.value:
            _ask_replay(screen)
        elif value is not None:
            screen.choose_algorithm(Algorithm(value))

    screen.app.push_screen(ChooseScreen("Algorithm", hint, rows, now.value), chosen)


def _ask_replay(screen: ExplorerScreen) -> None:
    now = screen.session.settings.replay
    others = [name for name in screen.lens.loaded if name not in REPLAYED]
    rows = [(name, name, "") for name in (*REPLAYED, *others)]
    rows.append((FILE, FILE, "in any format that has merges; or a model's name"))
    hint = "Its merges are applied to this text in their order, and the text is split as it splits."

    def chosen(value: str | None) -> None:
        if value == FILE:
            screen.app.push_screen(AskScreen("Replay the merges of", "A path, an encoding's or a model's name."), typed)
        else:
            typed(value)

    def typed(value: str | None) -> None:
        if value and value.strip():
            screen.choose_algorithm(Algorithm.REPLAY, value.strip())

    screen.app.push_screen(ChooseScreen("Replay", hint, rows, now), chosen)


def _choose(
    screen: ExplorerScreen, title: str, rows: list[tuple[str, str, str]], now: str, take: Callable[[str], Settings]
) -> None:
    def chosen(value: str | None) -> None:
        if value is not None:
            screen.configure(take(value))

    screen.app.push_screen(ChooseScreen(title, "The training starts afresh; the text stays open.", rows, now), chosen)


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
    if screen.session.settings.algorithm is Algorithm.UNIGRAM:
        hint = "Substrings with fewer places are not among the pieces to begin with (2 at least)."
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
    if snapshot.slow_steps:
        hint = f"A vocabulary size, {base:,} (the single symbols) or more. Rounds that were undone are given up."
    now = str(snapshot.target_size)
    screen.app.push_screen(AskScreen("Target", hint, now, lambda text: parse_target(text, base)), typed)


def ask_search(screen: ExplorerScreen) -> None:
    """Ask for a text and search it in the present pane."""
    titles = {"pairs": screen.query_one(PairTable).title.lower(), "merges": "the tokens of the log"}
    what = titles.get(screen.pane, "the text")

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
