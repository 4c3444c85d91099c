"""Figures as Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table, numbers to the right, and an empty line."""
    lines = [f"| {' | '.join(head)} |", "| --- |" + " ---: |" * (len(head) - 1)]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return [*lines, ""]


def spread(seconds: Sequence[float]) -> list[str]:
    """Median, 99th percentile and maximum, in milliseconds."""
    ordered = sorted(seconds)
    picked = (ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)], ordered[-1])
    return [f"{value * 1000:.2f}" for value in picked]
