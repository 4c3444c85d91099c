"""Choosing a tokenizer: from a list, or a model's name or a file that is typed and loaded in a worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.screens.dialogs import AskScreen, ChooseScreen
from tokexplorer.tui.shelf import CHARACTERS, WORDS

if TYPE_CHECKING:
    from tokexplorer.tui.screens.study import StudyScreen

TYPED: Final = "\0typed"
WHAT: Final = {
    OWN: "the merges of the explorer at its present step",
    "gpt2": "GPT-2, GPT-3 (the same ranks as r50k_base)",
    "cl100k_base": "GPT-3.5, GPT-4",
    "o200k_base": "GPT-4o and later",
    "p50k_base": "Codex: gpt2 and 24 runs of spaces",
    "p50k_edit": "p50k_base with the edit models' special tokens",
    "o200k_harmony": "o200k_base with the special tokens of gpt-oss",
    CHARACTERS: "baseline: every character a token",
    WORDS: "baseline: every chunk of this corpus a token, else <|unk|>",
}


def choose_tokenizer(screen: StudyScreen, now: str, take: Callable[[str], None], baselines: bool) -> None:
    """See StudyScreen.choose_tokenizer."""
    rows = [(name, name, WHAT.get(name, "from a file")) for name in screen.shelf.offered(baselines)]
    rows.append((TYPED, "a file or a model …", "type a path, or a name such as gpt-4"))

    def chosen(value: str | None) -> None:
        if value == TYPED:
            hint = "A model's name (gpt-4, gpt-4o), an encoding, or a file: tokenizer.json, vocab + merges, ranks …"
            screen.app.push_screen(AskScreen("Tokenizer", hint, placeholder="gpt-4 or path/to/tokenizer.json"), typed)
        elif value is not None:
            take(value)

    def typed(value: str | None) -> None:
        if value is not None and value.strip():
            _load(screen, value.strip(), take)

    hint = "Enter chooses · Esc leaves it as it is"
    screen.app.push_screen(ChooseScreen("Tokenizer", hint, rows, now), chosen)


def _load(screen: StudyScreen, name: str, take: Callable[[str], None]) -> None:
    """Load it before it is taken, so that a wrong name changes nothing."""

    def loaded(_: Tokenizer) -> None:
        take(screen.shelf.key_of(name))

    screen.with_tokenizer(name, loaded, slot="opening")
