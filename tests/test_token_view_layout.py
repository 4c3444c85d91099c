"""The layout of the token view: rows tile the text, any place is found again, neighbours differ in colour."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tokexplorer.tui.widgets.token_colours import COLOURS, TokenColours
from tokexplorer.tui.widgets.token_layout import BLOCK, Look, TokenLayout
from tokexplorer.tui.widgets.token_model import Mark, SequenceModel

PIECES = st.one_of(
    st.sampled_from([b"a", b" ", b"\n", b"word", b"\xff\x80", b"\r\n"]),
    st.sampled_from(["é".encode(), "漢".encode(), "👩\u200d👧".encode()]),
    st.binary(max_size=6),
)


@st.composite
def models(draw: st.DrawFn) -> SequenceModel:
    """Texts with line feeds or without, up to several blocks long, cut anywhere into tokens, empty ones among them."""
    unit = b"".join(draw(st.lists(PIECES, max_size=12)))
    text = unit * draw(st.sampled_from([1, 3, 400]))
    text = text[: 3 * BLOCK]
    lengths = draw(st.lists(st.integers(0, 5) | st.sampled_from([70, 700]), min_size=1, max_size=12))
    ids = draw(st.lists(st.integers(0, 9), min_size=1, max_size=9))
    ends: list[int] = []
    at = 0
    while at < len(text):
        at = min(len(text), at + (lengths[len(ends) % len(lengths)] if any(lengths) else 1))
        ends.append(at)
    marks = dict.fromkeys(range(0, len(ends), 3), Mark.NEXT)
    return SequenceModel(text, [ids[n % len(ids)] for n in range(len(ends))], ends, marks=marks, chunk_starts={0, 5})


LOOKS = st.builds(Look, group=st.booleans(), ids=st.booleans(), bars=st.booleans(), chunks=st.booleans())
WIDTHS = st.sampled_from([1, 3, 20, 80])


@settings(max_examples=60, deadline=None)
@given(models(), WIDTHS, LOOKS)
def test_rows_tile_the_text_and_fit(model: SequenceModel, width: int, look: Look) -> None:
    rows = TokenLayout(model, width, look).rows(0, 1 << 30)
    assert [row.start for row in rows] == [0, *(row.end for row in rows)][: len(rows)]
    assert (rows[-1].end if rows else 0) == model.size
    for row in rows:
        assert row.cells == sum(cell_len(unit.prefix + unit.text) for unit in row.units)
        assert row.cells <= width or (width < 3 and len(row.units) == 1)
        assert [unit.start for unit in row.units] == [row.start, *(unit.end for unit in row.units[:-1])]
        assert b"\n" not in model.read(row.units[0].start, row.units[-1].start)


@settings(max_examples=60, deadline=None)
@given(models(), WIDTHS, LOOKS, st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 60)), max_size=20))
def test_every_place_is_found_again(
    model: SequenceModel, width: int, look: Look, asked: list[tuple[int, int]]
) -> None:
    """The oracle is the whole text laid out from its start."""
    rows = TokenLayout(model, width, look).rows(0, 1 << 30)
    starts = [row.start for row in rows]
    layout = TokenLayout(model, width, look)
    for place, count in asked:
        if not model.size:
            break
        offset = place % model.size
        index = bisect_right(starts, offset) - 1
        assert layout.row_start(offset) == starts[index]
        assert layout.back(starts[index], count) == starts[max(0, index - count)]
        again = layout.rows(starts[index], 3)
        assert [(row.units, row.hard) for row in again] == [(row.units, row.hard) for row in rows[index : index + 3]]


@settings(max_examples=30, deadline=None)
@given(models(), st.booleans())
def test_neighbours_never_share_a_colour_and_it_never_changes(model: SequenceModel, group: bool) -> None:
    look = Look(group=group)
    blocks = list(TokenLayout(model, 80, look).blocks(0))
    palette = TokenColours(TokenLayout(model, 80, look).block_at)
    colours = [palette.colour(block) for block in blocks]
    assert all(a != b for a, b in pairwise(colours))
    assert all(0 <= colour < COLOURS for colour in colours)
    for index in range(len(blocks) - 1, -1, -7):
        assert TokenColours(TokenLayout(model, 80, look).block_at).colour(blocks[index]) == colours[index]


@settings(max_examples=60, deadline=None)
@given(models())
@example(SequenceModel("é".encode() * 40, list(range(80)), range(1, 81)))
def test_grouping_joins_exactly_the_tokens_that_share_a_character(model: SequenceModel) -> None:
    text = model.read(0, model.size)
    blocks = list(TokenLayout(model, 80, Look(group=True)).blocks(0))
    borders = {block.start for block in blocks} | {model.size}
    characters: set[int] = {0}
    at = 0
    for char in text.decode("utf-8", "surrogateescape"):
        at += len(char.encode("utf-8", "surrogateescape"))
        characters.add(at)
    assert borders == ({token.start for token in model.tokens(0, model.size)} | {model.size}) & characters
    assert [t for block in blocks for t in block.tokens] == list(model.tokens(0, model.size))


def test_the_two_tokens_of_a_marked_pair_differ_in_shade() -> None:
    for ids in ([1, 2], [2, 1], [3, 3]):
        model = SequenceModel(b"ab" * 20, ids * 20, range(1, 41), marks=dict.fromkeys(range(40), Mark.NEXT))
        layout = TokenLayout(model, 80)
        shades = [TokenColours(layout.block_at).shade(block) for block in layout.blocks(0)]
        assert all(a != b for a, b in pairwise(shades))


def test_words_stay_whole_with_their_space() -> None:
    model = SequenceModel(b"one two three four", [1], [18])
    rows = TokenLayout(model, 10).rows(0, 9)
    assert ["".join(unit.text for unit in row.units) for row in rows] == ["one·two", "·three", "·four"]


def test_long_lines_start_rows_at_blocks() -> None:
    model = SequenceModel(b"x" * (3 * BLOCK), [1] * (3 * BLOCK), range(1, 3 * BLOCK + 1))
    starts = [row.start for row in TokenLayout(model, 100).rows(0, 1000)]
    assert {BLOCK, 2 * BLOCK} <= set(starts)


def test_text_can_be_shown_as_ids() -> None:
    model = SequenceModel("aé\n".encode(), [5, 6, 7, 8], [1, 2, 3, 4])
    for group, expected in ((False, ["5 6 7 8 "]), (True, ["5 6+7 8 "])):
        rows = TokenLayout(model, 40, Look(group=group, ids=True)).rows(0, 9)
        assert ["".join(unit.text for unit in row.units) for row in rows] == expected


def test_the_wrapping_hangs_on_the_text_alone() -> None:
    """So that a merge does not move the rows: the same text in tokens of one byte and of five."""
    text = b"The quick brown fox jumps over the lazy dog.\n" * 20
    ones = SequenceModel(text, [1] * len(text), range(1, len(text) + 1))
    fives = SequenceModel(text, [2] * (len(text) // 5), range(5, len(text) + 1, 5))
    cuts = [[row.start for row in TokenLayout(model, 17).rows(0, 500)] for model in (ones, fives)]
    assert cuts[0] == cuts[1]
