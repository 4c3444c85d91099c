"""The lines of a token's page: what it is, the tree of its parents, its sister forms, what is built on it, its uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tokexplorer.analysis.emission import Emission, Verdict
from tokexplorer.analysis.glitch import encoding_of, load_reported
from tokexplorer.analysis.reachability import MEANINGS, Category
from tokexplorer.analysis.token_page import Sister, TokenPage, TreeNode
from tokexplorer.engine.glyphs import safe, show
from tokexplorer.texts import Text
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.tallies import Places
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.page_list import PageRow, Piece, blank, heading, line, row, titles, wrapped

POINTS: Final = Columns(
    Column("at", 3, align="right", priority=2),
    Column("", 6),
    Column("code", 8),
    Column("name", 8, flex=1),
    Column("", 2, priority=1),
)
NODES: Final = Columns(Column("made from", 8, flex=1), Column("id", 7, align="right"))
BUILT: Final = Columns(Column("id", 7, align="right"), Column("token", 8, flex=1), Column("made from", 8, flex=1))
MOST_POINTS: Final = 40
LABEL: Final = 11
"""Cells of a fact's label"""


@dataclass(frozen=True, slots=True)
class ToToken:
    """Leads to a token's page; `names`: where several tokenizers have it, (tokenizer, id) of each."""

    names: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ToPlace:
    """Leads to a byte of the corpus."""

    offset: int


def fact(label: str, *pieces: Piece | str) -> PageRow:
    """One fact, its label dim."""
    return line((f"{label:<{LABEL}}", "dim"), *pieces)


def long_fact(label: str, text: str, width: int, look: str = "") -> list[PageRow]:
    """A fact whose safe text is wrapped under its label."""
    rows = wrapped(text, max(10, width - LABEL), look)
    first, *rest = rows
    return [fact(label, *first.cells[0]), *(fact("", *other.cells[0]) for other in rest)]


def about(page: TokenPage, name: str, tokenizer: Tokenizer, width: int, waiting: bool) -> list[PageRow]:
    """What the token is; `waiting`: what needs the sweep is still to come."""
    if page.data is None:
        return [heading(f"id {page.id}", "unassigned"), *wrapped("No token has this id: it stands for nothing.", width)]
    rows = [heading("token"), fact("text", (page.data, "strong"))]
    if page.label and page.label.encode("utf-8", "surrogateescape") != page.data:
        rows.append(fact("label", safe(page.label)))
    rank = "" if page.rank is None else f"   rank {page.rank:,}"
    rows.append(fact("id", (f"{page.id}", "strong"), rank, f"   {_bytes(len(page.data))}"))
    rows += long_fact("bytes", page.data.hex(" "), width)
    if page.special:
        rows += long_fact("kind", "special: stands outside the merges", width, "next")
    elif waiting:
        rows.append(fact("kind", ("…", "dim")))
    elif page.category is not None:
        rows += _kinds(page, width)
    if page.emission is not None:
        rows += long_fact("yielded by", emission_words(page.emission), width)
    for reported in load_reported():
        if reported.id == page.id and reported.data == page.data and reported.encoding == encoding_of(tokenizer):
            words = f"as a glitch token ({reported.category}) by {reported.sources}"
            rows += long_fact("reported", safe(words), width, "next")
    return rows


def _kinds(page: TokenPage, width: int) -> list[PageRow]:
    rows: list[PageRow] = []
    kinds = [c for c in page.flags if c is not Category.UNUSED] or [Category.ORDINARY]
    for number, kind in enumerate(kinds):
        rows += long_fact("" if number else "kind", f"{kind.value}: {MEANINGS[kind]}", width)
    return rows


def _bytes(size: int) -> str:
    return f"{size} byte{'' if size == 1 else 's'}"


def emission_words(emission: Emission) -> str:
    """Which text yields a token, as a safe sentence."""
    if emission.verdict is Verdict.ALONE:
        return "its own text, alone"
    if emission.verdict is Verdict.INSIDE:
        return f"only inside other text, such as {show(emission.text)} at byte {emission.start}"
    if emission.verdict is Verdict.NEVER:
        return f"no valid text: {emission.proof.value}"
    return f"no text that was found; {emission.tried:,} were tried, which proves nothing"


def points(page: TokenPage) -> list[PageRow]:
    """The characters with their names, bytes of cut ones as hex."""
    if not page.points:
        return []
    shown = page.points[:MOST_POINTS]
    note = "" if page.valid else "cut inside a character: not valid UTF-8 alone"
    rows = [blank(), heading("characters", note)]
    for point in shown:
        code = f"U+{point.point:04X}" if point.point is not None else point.data.hex().upper()
        rows.append(row(POINTS, (str(point.start), "dim"), point.data, code, point.name.lower(), point.category))
    if len(shown) < len(page.points):
        rows.append(line((f"… and {len(page.points) - len(shown):,} more", "dim")))
    return rows


def tree(page: TokenPage, name: str, ascii: bool = False) -> list[PageRow]:
    """What the token was merged from, down to base symbols."""
    if page.data is None or page.special:
        return []
    if len(page.tree) < 2:
        return [blank(), heading("made from", "nothing: a base symbol")]
    rows = [blank(), heading("made from")]
    for node in page.tree:
        target = ToToken(((name, node.id),)) if node.depth else None
        look = "dim" if node.leaf else ""
        label: str | bytes = safe(node.label) if _has_own_label(node) else node.data
        pieces: list[Piece] = [(branch(node.last, ascii), "dim"), (label, look or ("strong" if not node.depth else ""))]
        rows.append(row(NODES, pieces, (str(node.id), look), target=target))
    return rows


def count_words(count: int) -> str:
    """A number of tokens."""
    return f"{count:,} token{'' if count == 1 else 's'}"


def _has_own_label(node: TreeNode) -> bool:
    return bool(node.label) and node.label.encode("utf-8", "surrogateescape") != node.data


def branch(last: Sequence[bool], ascii: bool = False) -> str:
    """The lines before a node of a tree."""
    if not last:
        return ""
    bar, gap, end, fork = ("|  ", "   ", "`- ", "|- ") if ascii else ("│  ", "   ", "└─ ", "├─ ")
    return "".join(gap if flag else bar for flag in last[:-1]) + (end if last[-1] else fork)


def forms(sisters: Sequence[Sister], names: Sequence[str], titles_of: Sequence[str]) -> list[PageRow]:
    """Each way to write the word, with its id in each tokenizer; Enter leads to where it is one token."""
    if not sisters:
        return []
    columns = Columns(
        Column("", 6, flex=1),
        Column("", 15, priority=1),
        *(Column(safe(title, 9), 8, align="right") for title in titles_of),
    )
    each = len(sisters) // len(names)
    rows = [blank(), heading("forms", "ids; 2 t. stands for two tokens"), titles(columns)]
    for number in range(each):
        own = [sisters[number + each * place] for place in range(len(names))]
        found: list[Piece] = []
        options: list[tuple[str, int]] = []
        for name, sister in zip(names, own, strict=True):
            single = sister.tokens[0].id if len(sister.tokens) == 1 and not sister.tokens[0].note else None
            if single is None:
                found.append((f"{len(sister.tokens)} t.", "dim"))
            else:
                found.append((str(single), ""))
                options.append((name, single))
        target = ToToken(tuple(options)) if options else None
        rows.append(row(columns, own[0].text, (own[0].kind, "dim"), *found, target=target))
    return rows


def children(page: TokenPage, name: str, tokenizer: Tokenizer, waiting: bool) -> list[PageRow]:
    """The tokens that were merged from it."""
    if page.data is None or page.special:
        return []
    if waiting:
        return [blank(), heading("built on it", "…")]
    if not page.children:
        return [blank(), heading("built on it", "nothing")]
    rows = [blank(), heading("built on it", count_words(len(page.children))), titles(BUILT)]
    for child in page.children:
        left, right = (tokenizer.token_bytes(i) or b"" for i in tokenizer.parents(child) or (child, child))
        made: list[Piece] = [(left, "dim"), (" + ", "dim"), (right, "dim")]
        own = tokenizer.token_bytes(child) or b""
        rows.append(row(BUILT, str(child), own, made, target=ToToken(((name, child),))))
    return rows


def uses(places: Places | None, text: Text | None, width: int, label: str) -> list[PageRow]:
    """Where the token stands in the corpus; Enter jumps there."""
    if text is None:
        return []
    if places is None:
        return [blank(), heading("in the corpus", "…")]
    note = f"{places.total:,} place{'' if places.total == 1 else 's'} in {label}"
    if len(places.spans) < places.total:
        note += f", the first {len(places.spans):,} listed"
    rows = [blank(), heading("in the corpus", note)]
    columns = Columns(Column("", 9, align="right"), Column("", 8, flex=1))
    room = max(4, (width - 10) // 2)
    for start, end in places.spans:
        before, after = _around(text, start, end, room)
        pieces: list[Piece] = [(before, "dim"), (text.read(start, min(end, start + 200)), "next"), (after, "dim")]
        rows.append(row(columns, (f"{start:,}", "dim"), pieces, target=ToPlace(start)))
    return rows


def _around(text: Text, start: int, end: int, room: int) -> tuple[bytes, bytes]:
    """Some bytes before and after a place, from the same document, not cut inside a character."""
    number = text.document_at(start)
    first, last = text.offsets[number], text.offsets[number + 1]
    size = max(2, room - min(room // 2, (end - start) // 2))
    before = text.read(max(first, start - size), start)
    after = text.read(end, min(last, end + size))
    while before and start - len(before) > first and 0x80 <= before[0] < 0xC0:
        before = before[1:]
    return before, after
