"""The named rules for ties: which of several pairs with the highest count is merged."""

from __future__ import annotations

from enum import StrEnum


class TieRule(StrEnum):
    """Which of several pairs with the highest count wins."""

    FIRST = "first"
    """the pair whose first occurrence in the text comes first: what `max()` over a fresh recount gives"""
    LOWEST = "lowest"
    """the smallest (left id, right id)"""
