"""`inspect numbers`: how regularly numbers are cut, and how the numbers of a text are, beside groups of three."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tokexplorer.analysis.cut import bars
from tokexplorer.analysis.numbers import NumberGrid, NumberSplit, number_grids, other_digits, split_numbers
from tokexplorer.cli.output import Out, columns, text_or_none
from tokexplorer.cli.topics.asked import Asked, token_values
from tokexplorer.tokenizers.base import Tokenizer

SAMPLES: Final = (b"1234 + 5678", b"1234567", b"3.14159", b"2024-01-31")
SHOWN_SHAPES: Final = 4


def values(tokenizer: Tokenizer, asked: Asked) -> dict[str, Any]:
    """The topic as JSON values."""
    return {
        "grids": [
            {
                "digits": grid.digits,
                "after_space": grid.after_space,
                "shapes": [{"shape": list(s.shape), "numbers": s.numbers, "share": s.share} for s in grid.regularity],
            }
            for grid in _grids(tokenizer, asked)
        ],
        "splits": [
            {
                "text": text_or_none(split.text),
                "tokens": token_values(split.tokens),
                "groups": [list(span) for span in split.groups],
                "numbers": [
                    {"text": run.text, "start": run.start, "end": run.end, "shape": run.shape, "grouped": run.grouped}
                    for run in split.runs
                ],
            }
            for split in _splits(tokenizer, asked)
        ],
        "scripts": [
            {"name": row.name, "text": row.text, "tokens": token_values(row.tokens), "is_number": row.is_number}
            for row in other_digits(tokenizer)
        ],
    }


def _grids(tokenizer: Tokenizer, asked: Asked) -> tuple[NumberGrid, ...]:
    return number_grids(tokenizer, lambda done, total: asked.bar.show("numbers", done, total, "grids"))


def _splits(tokenizer: Tokenizer, asked: Asked) -> list[NumberSplit]:
    return [split_numbers(tokenizer, text) for text in asked.texts or SAMPLES]


def lines(out: Out, tokenizer: Tokenizer, asked: Asked) -> Iterator[str]:
    """The topic for a reader."""
    rows = [
        (
            f"{grid.digits} digit{'s' if grid.digits > 1 else ''}",
            "yes" if grid.after_space else "no",
            *_shares(grid),
        )
        for grid in _grids(tokenizer, asked)
    ]
    yield from columns("<<<", rows, ("numbers of", "after a space", "are cut as"))
    yield ""
    for split in _splits(tokenizer, asked):
        yield f"tokens       {_bars(out, split.text, [(t.start, t.end) for t in split.tokens])}"
        yield f"place value  {_bars(out, split.text, list(split.groups))}"
    yield ""
    yield "digits of other scripts, and other signs (+ taken for a digit, - not)"
    for row in other_digits(tokenizer):
        sign = "?" if row.is_number is None else "+" if row.is_number else "-"
        yield f"{sign} {len(row.tokens):>3} for {len(row.text)}  {out.show(row.text)}  {out.safe(row.name)}"


def _shares(grid: NumberGrid) -> tuple[str]:
    shapes = [f"{_shape(s.shape)} {s.share:.1%}" for s in grid.regularity[:SHOWN_SHAPES]]
    more = len(grid.regularity) - SHOWN_SHAPES
    return ("   ".join([*shapes, *([f"and {more} more"] if more > 0 else [])]),)


def _shape(shape: tuple[int, ...]) -> str:
    """`12|34` for (2, 2): as the digits of 1234 would be cut."""
    digits = iter("1234567890" * 4)
    return "|".join("".join(next(digits) for _ in range(size)) for size in shape)


def _bars(out: Out, text: bytes, spans: list[tuple[int, int]]) -> str:
    return out.show(bars(text, spans))
