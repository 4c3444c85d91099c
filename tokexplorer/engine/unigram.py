"""The Unigram language model as a vocabulary to encode with: best segmentation, the n best, sums over all, drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Final

from tokexplorer.engine.alphabet import AlphabetKind, to_bytes
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.lattice import (
    Edges,
    best_path,
    best_paths,
    build_edges,
    draw_path,
    edge_probabilities,
    log_backward,
    weigh,
)
from tokexplorer.engine.segments import Segment, name_character

UNKNOWN: Final = "<unk>"
UNKNOWN_ID: Final = 0
UNKNOWN_PENALTY: Final = 10.0
"""An unknown symbol costs this many nats more than the least probable piece (as in SentencePiece)."""

Segmentation = tuple[Segment, ...]


def spell(chunk: str, kind: AlphabetKind) -> str:
    """A chunk as a string of symbols: its characters, or its bytes as the characters U+0000 to U+00FF."""
    return to_bytes(chunk).decode("latin-1") if kind is AlphabetKind.BYTES else chunk


def piece_bytes(piece: str, kind: AlphabetKind) -> bytes:
    """The bytes of a piece, which is a string of symbols."""
    return piece.encode("latin-1") if kind is AlphabetKind.BYTES else to_bytes(piece)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A segmentation with its log probability (joint with the text) and its share among all segmentations."""

    segments: Segmentation
    score: float
    probability: float


@dataclass(frozen=True, slots=True)
class Marginal:
    """A piece at a place, with the probability that a segmentation holds it."""

    segment: Segment
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class UnigramModel:
    """Pieces with log probabilities; piece 0 is `<unk>`. Immutable.

    Pieces are strings of symbols: characters, or for the alphabet `bytes` characters whose code points are the bytes'
    values. Made by `unigram_model`.
    """

    labels: tuple[str, ...]
    scores: tuple[float, ...]
    """log probabilities by id; that of the unknown token is the least one less UNKNOWN_PENALTY"""
    kind: AlphabetKind
    ids: Mapping[str, int]
    weights: tuple[int, ...]
    longest: int
    unknown_id: int = UNKNOWN_ID

    @property
    def size(self) -> int:
        """Pieces in the vocabulary, `<unk>` included."""
        return len(self.labels)

    def data(self, token: int) -> bytes:
        """The bytes of a piece; none for `<unk>`."""
        if token == self.unknown_id:
            return b""
        return piece_bytes(self.labels[token], self.kind)

    def spell(self, chunk: str) -> str:
        """A chunk as a string of symbols."""
        return spell(chunk, self.kind)

    def _edges(self, word: str) -> Edges:
        return build_edges(word, self.ids, self.longest, self.unknown_id)

    def encode(self, chunk: str) -> Segmentation:
        """The most probable segmentation (Viterbi). Of equals the one with the fewest pieces; then with the longest
        first piece, the longest second piece, and so on. Unknown symbols next to each other are one token."""
        word = self.spell(chunk)
        return self._segments(word, best_path(self._edges(word), self.weights) or [])

    def best(self, chunk: str, limit: int) -> tuple[Ranked, ...]:
        """The `limit` most probable segmentations, exactly, the best first, in the order of `encode`; fewer where there
        are fewer."""
        word = self.spell(chunk)
        edges = self._edges(word)
        total = log_backward(edges, self.scores)[0]
        found = []
        for path in best_paths(edges, self.weights, limit):
            score = sum(self.scores[piece] for _, piece in path)
            found.append(Ranked(self._segments(word, path), score, exp(score - total)))
        return tuple(found)

    def log_probability(self, chunk: str) -> float:
        """The log of the sum of the probabilities of all segmentations, in nats."""
        return log_backward(self._edges(self.spell(chunk)), self.scores)[0]

    def marginals(self, chunk: str) -> tuple[Marginal, ...]:
        """For every piece at every place the probability that it is used there, by start, then by end."""
        word = self.spell(chunk)
        rows = edge_probabilities(self._edges(word), self.scores)
        return tuple(Marginal(self._segment(word, piece, start, end), p) for start, end, piece, p in rows)

    def drawer(self, chunk: str, alpha: float) -> Callable[[Random], Segmentation]:
        """What draws a segmentation of a chunk with a probability in proportion to its probability to the power
        `alpha`: 1 is the model's own, 0 makes all alike, large ones come to the best (Kudo 2018, over all of them)."""
        word = self.spell(chunk)
        edges = self._edges(word)
        scores = [score * alpha for score in self.scores]
        sums = log_backward(edges, scores)
        return lambda random: self._segments(word, draw_path(edges, scores, sums, random))

    def share(self, chunk: str, segments: Sequence[Segment], alpha: float = 1.0) -> float:
        """The probability that `drawer(chunk, alpha)` gives a segmentation of a chunk."""
        scores = [score * alpha for score in self.scores]
        pieces = (s.id for s in segments for _ in range(s.end - s.start if s.id == self.unknown_id else 1))
        return exp(sum(scores[piece] for piece in pieces) - log_backward(self._edges(self.spell(chunk)), scores)[0])

    def _segments(self, word: str, path: Sequence[tuple[int, int]]) -> Segmentation:
        segments: list[Segment] = []
        start = 0
        for at, (end, piece) in enumerate(path):
            last = at + 1 == len(path)
            if piece != self.unknown_id or last or path[at + 1][1] != piece:
                segments.append(self._segment(word, piece, start, end))
                start = end
        return tuple(segments)

    def _segment(self, word: str, piece: int, start: int, end: int) -> Segment:
        if piece != self.unknown_id:
            return Segment(piece, start, end)
        names = [name_character(char) for char in word[start : min(end, start + 3)]]
        more = f" and {end - start - 3} more" if end - start > 3 else ""
        return Segment(piece, start, end, f"unknown {', '.join(names)}{more}")


def unigram_model(
    pieces: Sequence[tuple[str, float]], kind: AlphabetKind = AlphabetKind.CHARS, unknown_id: int = UNKNOWN_ID
) -> UnigramModel:
    """A model from pieces with log probabilities in id order; `unknown_id` is the place of the unknown token, whose own
    score is not used. InputError on a vocabulary without it, or with a piece twice."""
    if not 0 <= unknown_id < len(pieces):
        raise InputError("the Unigram vocabulary has no unknown token")
    ids = {text: i for i, (text, _) in enumerate(pieces) if i != unknown_id}
    if len(ids) != len(pieces) - 1:
        raise InputError("the Unigram vocabulary holds a piece twice")
    scores = [score for _, score in pieces]
    known = [score for i, score in enumerate(scores) if i != unknown_id]
    scores[unknown_id] = min(known, default=0.0) - UNKNOWN_PENALTY
    return UnigramModel(
        tuple(text for text, _ in pieces),
        tuple(scores),
        kind,
        ids,
        tuple(map(weigh, scores)),
        max(map(len, ids), default=1),
        unknown_id,
    )
