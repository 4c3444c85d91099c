"""Watched words: how a word is cut at any known step, and at which steps that changed."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from tokexplorer.timeline.histories import History, MergeHistory

Cut = tuple[bytes, ...]
"""The pieces of a word, in order; together they are the word."""


@dataclass(frozen=True, slots=True)
class Change:
    """From `step` on the word is cut so."""

    step: int
    cut: Cut


class Watch:
    """Follows one word through a history, and through another one when it is given that. Asking again is cheap."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._number = 0
        self._read = 0
        self._changes: list[Change] = []

    def follow(self, history: History, known: int) -> None:
        """Look at the steps up to `known` that were not looked at before."""
        if history.number != self._number:
            self._number, self._read = history.number, 0
            self._changes = [Change(0, self._cut(history, 0))]
        for step in range(self._read + 1, known + 1):
            if self._may_change(history, step):
                cut = self._cut(history, step)
                if cut != self._changes[-1].cut:
                    self._changes.append(Change(step, cut))
        self._read = max(self._read, known)

    def _may_change(self, history: History, step: int) -> bool:
        """Whether a step can have touched the word: a merge must make a part of it."""
        return not isinstance(history, MergeHistory) or history.data(history.rows[step - 1].new) in self.text

    def _cut(self, history: History, step: int) -> Cut:
        return tuple(token.data for token in history.tokenizer_for(step, self.text).encode(self.text))

    def at(self, step: int) -> Change:
        """How the word is cut at a step that was looked at, and since when."""
        return self._changes[bisect_right(self._changes, step, key=lambda change: change.step) - 1]

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every change up to the last known step; the first entry is step 0."""
        return tuple(self._changes)
