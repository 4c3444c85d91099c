"""Glyphs: every byte and code point has a safe stand-in of a width that the terminal library agrees with."""

from __future__ import annotations

import sys
import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tokexplorer.engine import glyphs
from tokexplorer.engine.glyphs import Kind

UNSAFE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
HOSTILE = "\x00\t\n\r\x1b\x7f\x85\x9b\xa0\xad\u034f\u0301\u061c\u1161\u11a8\u115f\u200b\u200d\u202e\u2028\u2066\u2800"
HOSTILE += "\u3000\ufe0f\ufeff\ufffd\ue000\u0378\U0001f1e9\U0001f3fd\U0001f469\U000e0041\U0010ffff\u093f漢한e[/]"
TEXTS = st.text(st.one_of(st.sampled_from(HOSTILE), st.characters(exclude_categories=["Cs"])), max_size=40)
DATA = st.one_of(st.binary(max_size=40), TEXTS.map(lambda text: text.encode()))


def assigned() -> list[str]:
    """Every code point that Python's Unicode data know, surrogates aside."""
    return [chr(p) for p in range(sys.maxunicode + 1) if unicodedata.category(chr(p)) not in ("Cn", "Cs", "Co")]


def is_safe(text: str) -> bool:
    return not any(unicodedata.category(char) in UNSAFE for char in text)


@given(DATA, st.booleans())
def test_glyphs_tile_the_bytes_and_know_their_width(data: bytes, ascii: bool) -> None:
    found = glyphs.glyphs(data, ascii)
    assert b"".join(data[glyph.start : glyph.end] for glyph in found) == data
    assert [glyph.start for glyph in found] == [0, *(glyph.end for glyph in found)][: len(found)]
    for glyph in found:
        assert glyph.cells == cell_len(glyph.shown) > 0
        assert is_safe(glyph.shown)
        assert not ascii or (glyph.shown.isascii() and glyph.shown.isprintable())


@given(DATA, st.booleans())
def test_a_row_of_glyphs_is_as_wide_as_its_parts(data: bytes, ascii: bool) -> None:
    """Nothing joins across glyphs: neither for the library's width nor by grapheme clusters that change it."""
    found = glyphs.glyphs(data, ascii)
    row = "".join(glyph.shown for glyph in found)
    assert cell_len(row) == sum(glyph.cells for glyph in found) == glyphs.cells(row)
    assert not {"\u200d", "\ufe0f", "\ufe0e"} & set(row)


@given(DATA | TEXTS, st.integers(0, 30) | st.none(), st.booleans())
def test_show_is_one_safe_line_within_its_limit(data: bytes | str, limit: int | None, ascii: bool) -> None:
    for shown in (glyphs.show(data, limit, ascii), glyphs.safe(data, limit, ascii)):
        assert is_safe(shown)
        assert "\ufffd" not in shown
        assert limit is None or cell_len(shown) <= limit
        assert cell_len(shown) == glyphs.cells(shown)
        assert not ascii or shown.isascii()
    assert " " not in glyphs.show(data, ascii=True)


@given(DATA, st.integers(0, 12))
def test_a_limit_cuts_what_would_be_shown(data: bytes, limit: int) -> None:
    whole, cut = glyphs.show(data), glyphs.show(data, limit)
    if cell_len(whole) <= limit:
        assert cut == whole
    else:
        assert cut == "" or (cut.endswith("…") and whole.startswith(cut[:-1]))


@pytest.mark.parametrize("byte", range(256))
def test_every_single_byte(byte: int) -> None:
    (glyph,) = glyphs.glyphs(bytes([byte]))
    assert is_safe(glyph.shown)
    if byte >= 0x80:
        assert glyph == (f"{byte:02X}", 2, 0, 1, Kind.BROKEN)
    elif 0x21 <= byte < 0x7F:
        assert glyph == (chr(byte), 1, 0, 1, Kind.PLAIN)
    else:
        assert glyph.kind is not Kind.PLAIN


def test_every_code_point_is_safe_and_as_wide_as_the_library_says() -> None:
    others = [chr(point) for point in range(0, sys.maxunicode + 1, 61)]
    for char in [*assigned(), *others, *map(chr, range(0xD800, 0xE000, 7))]:
        point = ord(char)
        shown = glyphs.show(char)
        assert is_safe(shown), hex(point)
        assert shown, hex(point)
        assert glyphs.cells(shown) == cell_len(shown), hex(point)


def test_characters_shown_as_themselves_and_those_that_are_not() -> None:
    """The deliberate exceptions: what is assigned and draws something, but is shown by name all the same."""
    named = regex.compile(
        r"[\p{Cf}\p{Cc}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"
        r"\u2800\ufffd\u2630-\u2637\u268A-\u268F\u4DC0-\u4DFF\U0001D300-\U0001D356\U0001D360-\U0001D376"
        r"\uD7B0-\uD7FB\u1160-\u11FF\U0001F1E6-\U0001F1FF\U0001F3FB-\U0001F3FF]"
    )
    for char in assigned():
        shown = glyphs.show(char)
        if named.fullmatch(char) or unicodedata.category(char) == "Mc":
            assert char not in shown, hex(ord(char))
        else:
            assert shown in (char, "◌" + char), hex(ord(char))
            assert cell_len(shown) == cell_len(char) or shown[0] == "◌"


def test_stand_ins() -> None:
    assert glyphs.show("a b\n\t\r\x00\x1b\x7f") == "a·b↵⇥␍␀␛␡"
    assert glyphs.show("\x85\u2028\u202e\u200b\ufeff\xad\u200d") == "‹U+0085›‹LS›‹RLO›‹ZWSP›‹BOM›‹SHY›‹ZWJ›"
    assert glyphs.show("\xa0\u3000\u2003") == "⍽‹IDSP›‹U+2003›"
    assert glyphs.show("\ue000\u0378\ud800\ufffd") == "‹U+E000›‹U+0378›‹U+D800›‹U+FFFD›"
    assert glyphs.show("\U000e0041\U000e0020\U000e007f") == "‹TAG-A›‹TAG-SP›‹U+E007F›"
    assert glyphs.safe("no such file: a\nb") == "no such file: a↵b"
    assert glyphs.safe("  two  ") == "  two  "


def test_sequences_are_taken_apart_where_terminals_differ() -> None:
    assert glyphs.show("👩\u200d👧") == "👩‹ZWJ›👧"
    assert glyphs.show("👍🏽") == "👍‹TONE4›"
    assert glyphs.show("🇩🇪") == "‹RI-D›‹RI-E›"
    assert glyphs.show("❤\ufe0f") == "❤‹VS16›"
    assert glyphs.show("हिन्दी") == "ह‹i›न्द‹ii›"


def test_marks_stay_with_their_base_up_to_a_bound() -> None:
    assert glyphs.show("e\u0301x") == "e\u0301x"
    assert glyphs.show("\u0301x") == "◌\u0301x"
    assert glyphs.show(" \u0301") == "·◌\u0301"
    marks = "\u0300\u0301\u0302\u0303\u0304\u0305"
    assert glyphs.show("a" + marks) == "a" + marks[:4] + "◌" + marks[4:]
    assert [glyph.cells for glyph in glyphs.glyphs(("a" + marks).encode())] == [1, 1]


def test_jamo_join_only_where_they_make_a_syllable() -> None:
    assert glyphs.show("\u1112\u1161\u11ab") == "\u1112\u1161\u11ab"
    assert glyphs.show("하\u11ab") == "하\u11ab"
    assert glyphs.show("x\u1161") == "x‹U+1161›"
    assert glyphs.show("\u1112\u11ab") == "\u1112‹U+11AB›"


def test_a_cut_character_is_hex_and_never_a_question_mark() -> None:
    for char in "é€😀":
        data = char.encode()
        for end in range(1, len(data)):
            shown = glyphs.show(data[:end])
            assert shown == f"‹{' '.join(f'{b:02X}' for b in data[:end])}›"
            assert glyphs.show(data[:end], ascii=True) == "".join(f"\\x{b:02x}" for b in data[:end])


def test_ascii_has_a_number_for_everything_else() -> None:
    assert glyphs.show("é\u200b😀\x1b\n\t\r a\xff", ascii=True) == "\\u00e9\\u200b\\U0001f600\\x1b\\n\\t\\r_a\\u00ff"


def test_clip_counts_cells() -> None:
    assert glyphs.clip("漢漢漢", 5) == "漢漢…"
    assert glyphs.clip("漢漢漢", 4) == "漢…"
    assert glyphs.clip("e\u0301e\u0301e\u0301", 2) == "e\u0301…"
    assert glyphs.clip("abc", 3) == "abc"
    assert glyphs.clip("abcd", 3, ascii=True) == "ab>"
    assert glyphs.clip("abcd", 0) == ""


def test_a_limit_makes_ten_megabytes_cheap() -> None:
    assert glyphs.show(b"a" * 10_000_000, 10) == "a" * 9 + "…"
    assert glyphs.safe("\u0301" * 1_000_000, 3) == glyphs.safe("\u0301" * 8, 2) + "…"
