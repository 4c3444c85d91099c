"""Signs of the screen for terminals that take nothing but ASCII, and what no terminal must get: cell for cell."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

import regex
from rich.cells import cell_len, split_graphemes

UNSHOWN: Final = "?"
"""What stands for a character that has no like in ASCII."""
_SIGNS: Final = {
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋", "+"),
    **dict.fromkeys("─━╌╍┄┅┈┉╸╺╶╴╼╾▔–—‒―−", "-"),
    **dict.fromkeys("│┃┆┇┊┋╎╏║▌▍▎▏▐▊▋▉▕¦", "|"),
    **dict.fromkeys("‘’‚′", "'"),
    **dict.fromkeys("“”„″", '"'),
    **dict.fromkeys("›»→⇥▸▶▷►❯", ">"),
    **dict.fromkeys("‹«←⇤◂◀◁◄❮", "<"),
    **dict.fromkeys("↓▾▼▽", "v"),
    **dict.fromkeys("↑▴▲△", "^"),
    **dict.fromkeys("•●◉◆■⏺⬤", "*"),
    **dict.fromkeys("○◌◇□⭘◯", "o"),
    **dict.fromkeys("·…", "."),
    **dict(zip("▁▂▃▄▅▆▇█", "_.-=+*%#", strict=True)),
    **dict(zip("░▒▓▀", ".:#^", strict=True)),
    "═": "=", "×": "x", "✕": "x", "✗": "x", "✓": "v", "↵": "/", "⏎": "/", "≈": "~", "≤": "<", "≥": ">", "≠": "!",
    "°": "o", "⍽": "_", "␣": "_", "¶": "/",
}  # fmt: skip
_FORBIDDEN: Final = regex.compile(r"[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]")


def harmless(text: str) -> str:
    """A text without the characters that steer a terminal or its reading order, and those that it may draw in any
    width, which text fields show as they are; at the same width."""
    replaced: str = _FORBIDDEN.sub(lambda found: UNSHOWN * max(0, cell_len(found.group())), text)
    return replaced


@lru_cache(maxsize=8192)
def to_ascii(text: str) -> str:
    """A text in printable ASCII that takes as many cells: signs by their likes, letters without accents, else `?`."""
    if text.isascii() and text.isprintable():
        return text
    text = harmless(text)
    return "".join([_like(text[start:end])[:width].ljust(width) for start, end, width in split_graphemes(text)[0]])


@lru_cache(maxsize=4096)
def _like(cluster: str) -> str:
    first = cluster[0]
    if first in _SIGNS:
        return _SIGNS[first]
    plain = unicodedata.normalize("NFKD", first).encode("ascii", "ignore").decode("ascii")
    return plain if plain and plain.isprintable() else UNSHOWN * 2
