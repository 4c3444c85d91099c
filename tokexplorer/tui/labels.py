"""Tokens, numbers and sizes as the screen words them. Every text here has passed `glyphs`."""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from rich.style import Style

from tokexplorer.engine.algorithms import Algorithm
from tokexplorer.engine.glyphs import clip, safe, show
from tokexplorer.timeline.histories import MergeHistory
from tokexplorer.timeline.snapshots import Settings

NAMES: Final = {
    Algorithm.BPE: "bpe",
    Algorithm.WORDPIECE: "WordPiece",
    Algorithm.UNIGRAM: "Unigram",
    Algorithm.REPLAY: "replay of",
    Algorithm.CHARACTERS: "characters",
    Algorithm.WORDS: "words",
}


def token_text(history: MergeHistory, token_id: int, ascii: bool = False) -> str:
    """A merged token as a safe string with stand-ins: `·the`, `est</w>`, `##ing`, `‹e2›`."""
    return show(history.name_of(token_id), ascii=ascii)


def styled(text: str, style: Style | None) -> Segment:
    """A safe text in a style."""
    return Segment(text, style)


def size_text(size: int) -> str:
    """A number of bytes: `812 B`, `31 kB`, `10.0 MB`."""
    if size < 1000:
        return f"{size} B"
    for unit in ("kB", "MB", "GB"):
        size_in = size / 1000 if unit == "kB" else size / 1e6 if unit == "MB" else size / 1e9
        if size_in < 999.5 or unit == "GB":
            return f"{size_in:.1f} {unit}" if size_in < 10 and unit != "kB" else f"{size_in:,.0f} {unit}"
    raise AssertionError(size)


def count_text(count: int, cells: int = 9) -> str:
    """A count with separators, or shortened where it would take more than `cells` cells."""
    text = f"{count:,}"
    if len(text) <= cells:
        return text
    return f"{count / 1e6:,.1f}M" if count >= 1e6 else f"{count / 1e3:,.1f}k"


def figure_text(value: float, cells: int = 7) -> str:
    """A number with three significant digits, fewer where they would take more than `cells` (6 or more) cells."""
    if not value:
        return "0"
    if 0.001 <= abs(value) < 10**cells:
        text = f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"
        return text if len(text) <= cells else f"{value:.{cells - 3}f}"
    head, _, power = f"{value:.1e}".partition("e")
    text = f"{head}e{int(power)}"
    return text if len(text) <= cells else f"{float(head):.0f}e{int(power)}"


def algorithm_text(settings: Settings, cells: int = 24) -> str:
    """An algorithm with the alphabet that it starts from, or with what it replays; safe."""
    name = NAMES[settings.algorithm]
    if settings.algorithm is Algorithm.REPLAY:
        return f"{name} {name_text(settings.replay.rpartition('/')[2], cells)}"
    return f"{name} {settings.alphabet.value}" if len(settings.alphabets) > 1 else name


def name_text(name: str, cells: int = 40) -> str:
    """A file's name as it may be shown, clipped."""
    return clip(safe(name), cells)
