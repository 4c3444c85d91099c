"""The figures of a comparison as a table, and the agreement of each two as lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from tokexplorer.analysis.comparison import Comparison
from tokexplorer.tui.compared import agreement_words, figures
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.page_list import PageRow, blank, heading, row, titles


def agreement_text(comparison: Comparison, names: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
    """For each two columns (who, agreement, tokens saved), under safe names."""
    pairs = combinations(range(len(names)), 2)
    return tuple(
        agreement_words(found, names[a], names[b]) for found, (a, b) in zip(comparison.agreement, pairs, strict=True)
    )


def sheet(comparison: Comparison, names: Sequence[str]) -> list[PageRow]:
    """All figures: measures as rows, tokenizers as columns; then how far each two agree."""
    wide = [max(9, len(name)) for name in names]
    columns = Columns(
        Column("", 13, flex=1), *(Column(n, w, align="right") for n, w in zip(names, wide, strict=True)), gap=2
    )
    each = [figures(comparison, number) for number in range(len(names))]
    rows = [heading("figures", f"{comparison.chars:,} characters, {comparison.words:,} words"), titles(columns)]
    for measures in zip(*each, strict=True):
        cells = [(figure.value, "made" if figure.best else "") for figure in measures]
        rows.append(row(columns, measures[0].label, *cells))
    rows += [blank(), heading("between each two")]
    pairs = Columns(Column("", 20), Column("", 20), Column("", 20, flex=1))
    for who, agree, saved in agreement_text(comparison, names):
        rows.append(row(pairs, who, agree, (saved, "")))
    return rows
