"""Tokens, numbers and sizes as the screen words them. Every text here has passed `glyphs`."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style

from tokexplorer.engine.glyphs import clip, safe, show
from tokexplorer.histories import MergeHistory


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
    """A positive or negative number with three significant digits, in at most `cells` (7 or more) cells."""
    if not value:
        return "0"
    text = f"{value:.3g}"
    if "e" in text:
        head, _, power = text.partition("e")
        size = int(power)
        if 0 <= size < cells:
            return f"{value:.0f}" if len(f"{value:.0f}") <= cells else text
        return f"{float(head):.2g}e{size}"
    return text


def name_text(name: str, cells: int = 40) -> str:
    """A file's name as it may be shown, clipped."""
    return clip(safe(name), cells)
