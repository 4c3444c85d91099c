"""How well a text is compressed at each step, on each branch; and how long the tokens are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from tokexplorer.engine.corpus import Cancelled, Progress, ShouldStop
from tokexplorer.engine.merge_encoder import vocabulary_encoder
from tokexplorer.engine.segments import Encoder
from tokexplorer.timeline.histories import BpeHistory, RoundHistory
from tokexplorer.timeline.snapshots import Snapshot
from tokexplorer.tokenizers.trained import TrainedTokenizer

POINTS: Final = 400
"""Points of a curve; they lie closer to each other at its start, as a log axis shows them."""
EVERY: Final = 500
"""Chunks between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Bytes per token (y) against merges, or against the size of the vocabulary where it shrinks (x), ascending by x.
    `now` is the point of the present step."""

    name: str
    points: tuple[tuple[int, float], ...]
    now: tuple[int, float] | None = None


@dataclass(frozen=True, slots=True)
class Length:
    """Tokens of one length in bytes: how many the vocabulary has, and how often they stand in the text."""

    bytes: int
    tokens: int
    uses: int


def steps_shown(last: int) -> list[int]:
    """Steps from 0 to the last one for a log axis: every one at the start, ever fewer later."""
    steps = {0, last}
    for number in range(POINTS):
        steps.add(round((last + 1) ** (number / (POINTS - 1))) - 1)
    return sorted(step for step in steps if 0 <= step <= last)


def curves(snapshot: Snapshot) -> tuple[Curve, ...]:
    """The curve of the present line first, as far as it is known, then those of the other branches."""
    size = snapshot.text_bytes
    history = snapshot.history

    def ratio(tokens: int) -> float:
        return size / tokens if tokens else 0.0

    if isinstance(history, RoundHistory):
        found = [(history.vocab_size(k), ratio(history.tokens_after(k))) for k in range(snapshot.known + 1)]
        return (Curve("Unigram", tuple(sorted(found)), found[snapshot.step]),)
    points = tuple((step, ratio(history.tokens_after(step))) for step in steps_shown(snapshot.known))
    now = (snapshot.step, snapshot.bytes_per_token)
    own = [Curve(snapshot.branch or "main", points, now)]
    for branch in snapshot.branches:
        if branch.name != snapshot.branch:
            steps = steps_shown(branch.known)
            along = ((step, ratio(branch.tokens_at(branch.base_size + step) or 0)) for step in steps)
            own.append(Curve(branch.title, tuple(along)))
    return tuple(own)


def encoder_at(snapshot: Snapshot) -> Encoder:
    """What cuts chunks at the step of a snapshot."""
    if isinstance(snapshot.history, BpeHistory):
        return vocabulary_encoder(snapshot.history.names, snapshot.step)
    tokenizer = snapshot.tokenizer()
    assert isinstance(tokenizer, TrainedTokenizer)
    return tokenizer.encoder


def lengths(
    snapshot: Snapshot, on_progress: Progress | None = None, should_stop: ShouldStop | None = None
) -> tuple[Length, ...]:
    """The tokens by their length in bytes, ascending; the unknown token is left out. The text is encoded anew, chunk by
    chunk. Raises Cancelled."""
    tokenizer, corpus = snapshot.tokenizer(), snapshot.corpus
    encode = encoder_at(snapshot).encode
    used: Counter[int] = Counter()
    for number, (chunk, count) in enumerate(zip(corpus.chunks, corpus.counts, strict=True)):
        if number % EVERY == 0:
            if should_stop is not None and should_stop():
                raise Cancelled
            if on_progress is not None:
                on_progress(number, len(corpus.chunks))
        for segment in encode(chunk):
            used[segment.id] += count
    tokens: Counter[int] = Counter()
    uses: Counter[int] = Counter()
    for token_id in range(tokenizer.size):
        data = tokenizer.token_bytes(token_id)
        if data is not None and not tokenizer.is_special(token_id):
            tokens[len(data)] += 1
            uses[len(data)] += used[token_id]
    return tuple(Length(size, tokens[size], uses[size]) for size in sorted(tokens))
