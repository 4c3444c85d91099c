"""Unigram segmentation exactly as Hugging Face tokenizers does it, ties and rounding included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tokexplorer.engine.segments import Segment, name_character
from tokexplorer.engine.unigram import UNKNOWN_PENALTY, UnigramModel


@dataclass(frozen=True, slots=True, eq=False)
class ForwardUnigram:
    """Viterbi from the left in floats; of equal ways to a place the one whose last piece is longest stays. (The
    engine's own segmentation prefers fewer pieces, then longer first ones.) Made by `forward_unigram`."""

    model: UnigramModel
    scores: Sequence[float]
    """by id; the unknown token is an ordinary piece too, with a score of its own"""
    ids: Mapping[str, int]
    longest: int
    unknown_score: float
    """of a symbol that is no piece"""

    def encode(self, chunk: str) -> tuple[Segment, ...]:
        """The tokens of a chunk, spans in symbols; unknown symbols next to each other are one token."""
        word = self.model.spell(chunk)
        best = [0.0] * (len(word) + 1)
        came: list[tuple[int, int] | None] = [None] * (len(word) + 1)
        for start in range(len(word)):
            single = False
            for end in range(start + 1, min(len(word), start + self.longest) + 1):
                piece = self.ids.get(word[start:end])
                if piece is None:
                    continue
                single = single or end == start + 1
                score = best[start] + self.scores[piece]
                if came[end] is None or score > best[end]:
                    best[end], came[end] = score, (start, piece)
            score = best[start] + self.unknown_score
            if not single and (came[start + 1] is None or score > best[start + 1]):
                best[start + 1], came[start + 1] = score, (start, self.model.unknown_id)
        return self._segments(word, came)

    def _segments(self, word: str, came: Sequence[tuple[int, int] | None]) -> tuple[Segment, ...]:
        unknown = self.model.unknown_id
        found: list[Segment] = []
        end = len(word)
        while end:
            step = came[end]
            assert step is not None, "every place can be reached, by an unknown symbol at worst"
            start, piece = step
            if piece == unknown and found and found[-1].id == unknown:
                last = found.pop().end
            else:
                last = end
            reason = f"unknown {name_character(word[start])}" if piece == unknown else ""
            found.append(Segment(piece, start, last, reason))
            end = start
        return tuple(reversed(found))


def forward_unigram(model: UnigramModel, unknown_score: float) -> ForwardUnigram:
    """The encoder of a model; `unknown_score` is what its file gives for the unknown token's own text."""
    scores = list(model.scores)
    scores[model.unknown_id] = unknown_score
    name = model.labels[model.unknown_id]
    ids = {**model.ids, name: model.unknown_id}
    return ForwardUnigram(model, scores, ids, max(model.longest, len(name)), min(scores) - UNKNOWN_PENALTY)
