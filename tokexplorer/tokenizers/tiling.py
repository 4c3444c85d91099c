"""Tokens as an encoder yields them, with spans that tile the text whatever it drops or repeats."""

from __future__ import annotations

from array import array
from collections.abc import Iterable


class Tiling:
    """Ids and ends so far; ends only move forward."""

    def __init__(self) -> None:
        self.ids, self.ends = array("I"), array("q")
        self.notes: dict[int, str] = {}
        self.end = 0
        """the byte that the tokens so far reach"""

    def add(self, token: int, end: int, note: str = "") -> None:
        """A token that ends at byte `end`."""
        self.end = max(self.end, end)
        if note:
            self.notes[len(self.ids)] = note
        self.ids.append(token)
        self.ends.append(self.end)

    def reach(self, end: int) -> None:
        """Whatever was dropped up to byte `end` belongs to the last token."""
        if self.ends and end > self.end:
            self.end = self.ends[-1] = end

    def extend(self, ids: Iterable[int], ends: Iterable[int]) -> None:
        """Tokens that tile their part of the text, with their ends."""
        self.ids.extend(ids)
        self.ends.extend(ends)
        if self.ends:
            self.end = self.ends[-1]
