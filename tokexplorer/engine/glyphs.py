"""Bytes -> what may be shown: the one place where bytes, characters and terminal cells meet.

Whatever could move the cursor, hide, reorder or change the width of its neighbours is shown by a visible stand-in,
so the width of every glyph is the same in every terminal.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

import regex

from tokexplorer.engine.alphabet import to_text


class Kind(StrEnum):
    """What a glyph stands for, so that a view can give stand-ins another style than text."""

    PLAIN = "plain"
    """the character itself, with its combining marks"""
    SPACE = "space"
    """any white space that is neither a tab nor a line end"""
    NEWLINE = "newline"
    """a line feed"""
    TAB = "tab"
    CONTROL = "control"
    """C0, DEL, C1"""
    INVISIBLE = "invisible"
    """draws nothing, or steers others: joiners, bidi controls, zero-width, variation selectors, tags, BOM"""
    NAMED = "named"
    """shown by its name, since terminals disagree on its width, or by its number, since it is not a character"""
    BROKEN = "broken"
    """one byte that is no part of valid UTF-8 here, as two hex digits"""


class Glyph(NamedTuple):
    """One thing to draw: `shown` takes `cells` cells; it stands for the bytes [start, end) of the data."""

    shown: str
    cells: int
    start: int
    end: int
    kind: Kind


SPACE: Final = "·"
NEWLINE: Final = "↵"
TAB: Final = "⇥"
NO_BREAK_SPACE: Final = "⍽"
NO_BASE: Final = "◌"
ELLIPSIS: Final = "…"
MARKS_AT_MOST: Final = 4
"""Combining marks that one base may carry; further marks stand on a base of their own (`zalgo` text)."""

# Rich (Unicode 16) and terminals (mostly older tables) disagree on the width of these; emoji with a variation
# selector, skin tones, flags and spacing marks (Mc) are caught by their class.
_DOUBTFUL: Final = (
    (0x2630, 0x2637),  # trigrams
    (0x268A, 0x268F),  # monograms, digrams
    (0x4DC0, 0x4DFF),  # hexagrams
    (0x1D300, 0x1D356),  # Tai Xuan Jing
    (0x1D360, 0x1D376),  # counting rods
    (0xD7B0, 0xD7FB),  # extended jamo
)
_SHORT_NAMES: Final = {
    0x00A0: "NBSP", 0x00AD: "SHY", 0x034F: "CGJ", 0x061C: "ALM", 0x180E: "MVS", 0x200B: "ZWSP", 0x200C: "ZWNJ",
    0x200D: "ZWJ", 0x200E: "LRM", 0x200F: "RLM", 0x2028: "LS", 0x2029: "PS", 0x202A: "LRE", 0x202B: "RLE",
    0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO", 0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI",
    0x2069: "PDI", 0x202F: "NNBSP", 0x3000: "IDSP", 0xFEFF: "BOM",
}  # fmt: skip
_DRAWS_NOTHING: Final = regex.compile(r"[\p{Default_Ignorable_Code_Point}\u2800]")
_NAME_LENGTH: Final = 8
_KEPT: Final = 1 << 15
"""Characters that a table holds before it starts anew: more than any text's working set."""


class _Role(StrEnum):
    """How a character joins its neighbours."""

    BASE = "base"
    ALONE = "alone"
    MARK = "mark"
    VOWEL = "vowel"
    TAIL = "tail"


class _Entry(NamedTuple):
    """How one character is shown; `raw`: its bytes; `own`: the cells it adds when written as it is."""

    shown: str
    cells: int
    kind: Kind
    role: _Role
    raw: int
    own: int


def _name(point: int) -> str:
    """A short name in brackets for a character that is not shown itself."""
    name = _SHORT_NAMES.get(point, "")
    if 0xFE00 <= point <= 0xFE0F:
        name = f"VS{point - 0xFDFF}"
    elif 0xE0100 <= point <= 0xE01EF:
        name = f"VS{point - 0xE0100 + 17}"
    elif 0xE0020 <= point <= 0xE007E:
        name = f"TAG-{chr(point - 0xE0000)}" if point > 0xE0020 else "TAG-SP"
    elif 0x1F1E6 <= point <= 0x1F1FF:
        name = f"RI-{chr(point - 0x1F1E6 + 65)}"
    elif 0x1F3FB <= point <= 0x1F3FF:
        name = f"TONE{point - 0x1F3FB + 2}"
    elif unicodedata.category(chr(point)) == "Mc":
        sign = unicodedata.name(chr(point), "").rpartition("SIGN ")[2].lower()
        name = sign if sign and len(sign) <= _NAME_LENGTH else ""
    return f"‹{name or f'U+{point:04X}'}›"


def _stand_in(point: int, category: str) -> tuple[str, Kind] | None:
    """What is shown instead of a character, with its kind; None where it is shown as it is."""
    if point == 0x20:
        return SPACE, Kind.SPACE
    if point in (0x0A, 0x09):
        return (NEWLINE, Kind.NEWLINE) if point == 0x0A else (TAB, Kind.TAB)
    if point < 0x20 or point == 0x7F:
        return chr(0x2400 + point) if point < 0x20 else "␡", Kind.CONTROL
    if category == "Cc":
        return _name(point), Kind.CONTROL
    if category == "Zs":
        return NO_BREAK_SPACE if point == 0xA0 else _name(point), Kind.SPACE
    if category in ("Cf", "Zl", "Zp") or _DRAWS_NOTHING.match(chr(point)):
        return _name(point), Kind.INVISIBLE
    if category in ("Cn", "Co", "Cs", "Mc") or point == 0xFFFD or 0x1F1E6 <= point <= 0x1F1FF:
        return _name(point), Kind.NAMED
    if 0x1F3FB <= point <= 0x1F3FF or any(first <= point <= last for first, last in _DOUBTFUL):
        return _name(point), Kind.NAMED
    return None


def _describe(char: str) -> _Entry:
    point = ord(char)
    if 0xDC80 <= point <= 0xDCFF:
        return _Entry(f"{point - 0xDC00:02X}", 2, Kind.BROKEN, _Role.ALONE, 1, 0)
    raw = 1 if point < 0x80 else 2 if point < 0x800 else 3 if point < 0x10000 else 4
    category = unicodedata.category(char)
    stand_in = _stand_in(point, category)
    if stand_in is not None:
        shown, kind = stand_in
        own = 1 if category == "Zs" else 0
        return _Entry(shown, len(shown), kind, _Role.ALONE, raw, own)
    if category in ("Mn", "Me"):
        return _Entry(NO_BASE + char, 1, Kind.PLAIN, _Role.MARK, raw, 0)
    if 0x1161 <= point <= 0x11FF:
        role = _Role.VOWEL if point <= 0x11A7 else _Role.TAIL
        name = _name(point)
        return _Entry(name, len(name), Kind.NAMED, role, raw, 0)
    width = 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return _Entry(char, width, Kind.PLAIN, _Role.BASE, raw, width)


class _Table(dict[str, _Entry]):
    """Character -> entry, filled as characters are met."""

    def __missing__(self, char: str) -> _Entry:
        if len(self) >= _KEPT:
            self.clear()
        entry = self[char] = _describe(char)
        return entry


class _AsciiTable(dict[str, _Entry]):
    """Character -> entry where only printable ASCII may be shown."""

    def __missing__(self, char: str) -> _Entry:
        plain = _TABLE[char]
        point = ord(char)
        shown, kind = char, plain.kind
        if plain.kind is Kind.BROKEN:
            shown = f"\\x{point - 0xDC00:02x}"
        elif point == 0x20:
            shown = "_"
        elif not 0x20 < point < 0x7F:
            shown = {0x0A: "\\n", 0x09: "\\t", 0x0D: "\\r"}.get(point) or _escape(point)
            kind = Kind.NAMED if kind is Kind.PLAIN else kind
        if len(self) >= _KEPT:
            self.clear()
        entry = self[char] = _Entry(shown, len(shown), kind, _Role.ALONE, plain.raw, 0)
        return entry


_TABLE: Final = _Table()
_ASCII_TABLE: Final = _AsciiTable()


def _escape(point: int) -> str:
    """A character's number in Python's notation."""
    if point < 0x80:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def _joins(entry: _Entry, last: Glyph, marks: int) -> bool:
    """Whether a mark or jamo is drawn in the cells of the glyph before it."""
    if last.kind is not Kind.PLAIN or marks >= MARKS_AT_MOST:
        return False
    if entry.role is _Role.MARK:
        return True
    before = ord(last.shown[-1])
    lead = 0x1100 <= before <= 0x115E or 0xA960 <= before <= 0xA97C
    if entry.role is _Role.VOWEL:
        return lead
    return 0x1161 <= before <= 0x11A7 or 0xAC00 <= before <= 0xD7A3


def _scan(text: str, ascii: bool) -> list[Glyph]:
    """The glyphs of a text; spans count the bytes of its UTF-8 form."""
    table: dict[str, _Entry] = _ASCII_TABLE if ascii else _TABLE
    found: list[Glyph] = []
    at = marks = 0
    alone, base = _Role.ALONE, _Role.BASE
    for char in text:
        shown, width, kind, role, raw, _ = entry = table[char]
        end = at + raw
        if role is base or role is alone:
            found.append(Glyph(shown, width, at, end, kind))
            marks = 0
        elif found and _joins(entry, found[-1], marks):
            last = found[-1]
            found[-1] = Glyph(last.shown + char, last.cells, last.start, end, last.kind)
            marks += 1
        else:
            found.append(Glyph(shown, width, at, end, kind))
            marks = 1
        at = end
    return found


@lru_cache(maxsize=1 << 15)
def _cached_glyphs(data: bytes, ascii: bool) -> tuple[Glyph, ...]:
    return tuple(_scan(to_text(data), ascii))


def glyphs(data: bytes, ascii: bool = False) -> tuple[Glyph, ...]:
    """The glyphs that show `data`, in order; their byte spans tile it.

    Bytes that are not valid UTF-8 become one BROKEN glyph each. With `ascii`, nothing but printable ASCII is shown.
    """
    if len(data) <= 64:
        return _cached_glyphs(data, ascii)
    return tuple(_scan(to_text(data), ascii))


def _runs(found: list[Glyph], ascii: bool) -> Iterator[str]:
    """The glyphs as plain text: a run of broken bytes is put in brackets, so that it cannot be taken for text."""
    broken: list[str] = []
    for glyph in found:
        if glyph.kind is Kind.BROKEN and not ascii:
            broken.append(glyph.shown)
            continue
        if broken:
            yield f"‹{' '.join(broken)}›"
            broken.clear()
        yield glyph.shown
    if broken:
        yield f"‹{' '.join(broken)}›"


def _show(data: bytes | str, ascii: bool, spaces: bool) -> str:
    text = data if isinstance(data, str) else to_text(data)
    space = ("_" if ascii else SPACE) if spaces else " "
    if text.isascii() and text.isprintable():
        return text.replace(" ", space) if spaces else text
    if spaces:
        return "".join(_runs(_scan(text, ascii), ascii))
    return " ".join(["".join(_runs(_scan(part, ascii), ascii)) for part in text.split(" ")])


_cached_show = lru_cache(maxsize=1 << 15)(_show)


def _bounded(data: bytes | str, limit_cells: int | None, ascii: bool, spaces: bool) -> str:
    if limit_cells is not None:
        # A glyph takes at least a cell and stands for at most one base and its marks.
        data = data[: (limit_cells + 2) * (1 + MARKS_AT_MOST) * (1 if isinstance(data, str) else 4)]
    shown = (_cached_show if len(data) <= 64 else _show)(data, ascii, spaces)
    return shown if limit_cells is None else clip(shown, limit_cells, ascii)


def show(data: bytes | str, limit_cells: int | None = None, ascii: bool = False) -> str:
    """A token or piece of text as one safe line with stand-ins, spaces included, of at most `limit_cells` cells.

    The result holds no control (Cc), format (Cf), surrogate (Cs), line or paragraph separator character.
    """
    return _bounded(data, limit_cells, ascii, True)


def safe(text: bytes | str, limit_cells: int | None = None, ascii: bool = False) -> str:
    """As `show`, but the space U+0020 stays a space: for names, titles, error messages and other sentences."""
    return _bounded(text, limit_cells, ascii, False)


def cells(text: str) -> int:
    """The terminal cells that a text takes when it is written as it is. Meant for what `show` and `safe` gave."""
    if text.isascii() and text.isprintable():
        return len(text)
    table = _TABLE
    return sum([table[char].own for char in text])


def clip(text: str, limit: int, ascii: bool = False) -> str:
    """A safe text cut to at most `limit` cells; where something was cut off it ends in `…` (`>` with `ascii`)."""
    if 2 * len(text) <= limit or cells(text) <= limit:
        return text
    if limit <= 0:
        return ""
    room = limit - 1
    kept: list[str] = []
    for char in text:
        room -= _TABLE[char].own
        if room < 0:
            break
        kept.append(char)
    return "".join(kept) + (">" if ascii else ELLIPSIS)
