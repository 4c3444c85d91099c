"""Draws of a text: BPE-dropout and sampling from the Unigram model, over all chunks of the text at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, prod
from random import Random

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.corpus import ShouldStop
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.merge_encoder import MergeEncoder
from tokexplorer.engine.sampling import draw_many, drop_merges
from tokexplorer.engine.segments import Encoder, Segment
from tokexplorer.engine.splits import Split
from tokexplorer.engine.unigram import UnigramModel

MOST_DRAWS = 100_000
LONGEST = 400
"""Bytes of the longest text that is drawn from."""

Cut = tuple[tuple[Segment, ...], ...]
"""The segments of each chunk."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to cut the text: its tokens as bytes, how many draws gave it, and how many are to be expected, where that
    is known. `plain`: it is what encoding gives without chance."""

    tokens: tuple[bytes, ...]
    count: int
    expected: float | None
    plain: bool


def can_draw(encoder: object) -> bool:
    """Whether there is a way to draw from an encoder."""
    return isinstance(encoder, MergeEncoder | UnigramModel)


def draw(
    encoder: Encoder,
    split: Split,
    text: bytes,
    strength: float,
    count: int,
    seed: int,
    should_stop: ShouldStop | None = None,
) -> tuple[Way, ...]:
    """`count` draws of a text, the most frequent way first. `strength` is the dropout p for merges, alpha for Unigram.

    UsageError where a number is out of its range, the text is too long, or the encoder is of another kind; Cancelled.
    """
    if not 1 <= count <= MOST_DRAWS:
        raise UsageError(f"the number of draws is a whole number from 1 to {MOST_DRAWS:,}")
    if len(text) > LONGEST:
        raise UsageError(f"the text has {len(text):,} bytes; draws are made of {LONGEST} at most")
    chunks = [chunk for chunk in split.chunks(to_text(text)) if chunk]
    if isinstance(encoder, MergeEncoder):
        if not 0 <= strength <= 1:
            raise UsageError("p is from 0 (the plain encoding) to 1 (no merge at all)")
        drawers = [_dropper(encoder, chunk, strength) for chunk in chunks]
    elif isinstance(encoder, UnigramModel):
        if not 0 <= strength < inf or not isfinite(strength):
            raise UsageError("alpha is 0 (all cuts alike) or more; 1 is the model's own, large ones come to the best")
        drawers = [encoder.drawer(chunk, strength) for chunk in chunks]
    else:
        raise UsageError("draws are made with BPE, with a replay, or with Unigram")

    def draw_all(random: Random) -> Cut:
        return tuple(drawer(random) for drawer in drawers)

    plain = tuple(encoder.encode(chunk) for chunk in chunks)
    found = draw_many(draw_all, count, seed, should_stop)
    return tuple(
        Way(
            _tokens(encoder, chunks, drawn.segmentation),
            drawn.count,
            _expected(encoder, chunks, drawn.segmentation, strength, count),
            drawn.segmentation == plain,
        )
        for drawn in found
    )


def _dropper(encoder: MergeEncoder, chunk: str, dropout: float) -> Callable[[Random], tuple[Segment, ...]]:
    ids = encoder.base_ids(chunk)
    new_ids = [row.new for row in encoder.rows[: encoder.limit]]
    return lambda random: encoder.segments(chunk, drop_merges(ids, encoder.ranks, new_ids, dropout, random))


def _tokens(encoder: MergeEncoder | UnigramModel, chunks: Sequence[str], cut: Cut) -> tuple[bytes, ...]:
    found: list[bytes] = []
    for chunk, segments in zip(chunks, cut, strict=True):
        data = to_bytes(chunk)
        in_bytes = len(data) == max((segment.end for segment in segments), default=0)
        for segment in segments:
            part = data[segment.start : segment.end] if in_bytes else to_bytes(chunk[segment.start : segment.end])
            found.append(part)
    return tuple(found)


def _expected(
    encoder: MergeEncoder | UnigramModel, chunks: Sequence[str], cut: Cut, alpha: float, count: int
) -> float | None:
    """How many of the draws should give a cut; None where it is not known (dropout)."""
    if not isinstance(encoder, UnigramModel):
        return None
    return count * prod(encoder.share(chunk, s, alpha) for chunk, s in zip(chunks, cut, strict=True))
