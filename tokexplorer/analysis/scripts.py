"""The Unicode scripts of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex

SCRIPTS: Final = (
    "Latin", "Greek", "Cyrillic", "Armenian", "Hebrew", "Arabic", "Syriac", "Thaana", "Nko", "Devanagari", "Bengali",
    "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao", "Tibetan",
    "Myanmar", "Georgian", "Hangul", "Ethiopic", "Cherokee", "Canadian_Aboriginal", "Ogham", "Runic", "Khmer",
    "Mongolian", "Hiragana", "Katakana", "Bopomofo", "Han", "Yi", "Gothic", "Coptic", "Glagolitic", "Tifinagh",
    "Balinese", "Javanese", "Sundanese", "Cham", "Ol_Chiki", "Vai", "Egyptian_Hieroglyphs", "Cuneiform",
)  # fmt: skip
"""The scripts that are told apart; letters of any further one count as OTHER."""
OTHER: Final = "Other"
_LETTERS: Final = regex.compile(r"\p{L}")
_LATIN: Final = regex.compile(r"[A-Za-z]")
_PATTERNS: Final = {name: rf"\p{{Script={name}}}" for name in SCRIPTS}


def scripts_of(texts: Sequence[str]) -> list[frozenset[str]]:
    """For each text the scripts of its letters; none where it has no letter."""
    latin, nothing = frozenset({"Latin"}), frozenset[str]()
    foreign = {char for text in texts if not text.isascii() for char in text}
    of = _script_of(foreign)
    return [
        (latin if _LATIN.search(text) else nothing)
        if text.isascii()
        else frozenset(of[char] for char in text if char in of)
        for text in texts
    ]


def _script_of(chars: set[str]) -> dict[str, str]:
    """letter -> script; other characters are left out."""
    letters = _LETTERS.findall("".join(chars))
    joined = "".join(letters)
    found: dict[str, str] = dict.fromkeys(letters, OTHER)
    for name, pattern in _PATTERNS.items():
        found.update(dict.fromkeys(regex.findall(pattern, joined), name))
    return found
