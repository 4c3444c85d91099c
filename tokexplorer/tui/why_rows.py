"""The lines of the Why page: the branch of the split that matched, then each merge that applied, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tokexplorer.analysis.branches import split_branches
from tokexplorer.analysis.story import ChunkStory
from tokexplorer.engine.alphabet import AlphabetKind, to_bytes, to_text
from tokexplorer.engine.glyphs import cells, clip, safe, show
from tokexplorer.engine.segments import Segment
from tokexplorer.engine.splits import Split
from tokexplorer.engine.unigram import UnigramModel
from tokexplorer.engine.wordpiece import WordPieceModel
from tokexplorer.tui.labels import figure_text
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.page_list import PageRow, Piece, blank, heading, line, row, titles, wrapped

BEST: Final = 8
"""Segmentations of Unigram that are listed."""
MERGES: Final = Columns(
    Column("", 3, align="right", priority=1),
    Column("step", 7, align="right"),
    Column("left", 4, flex=1),
    Column("right", 5, flex=1),
    Column("then the chunk is", 12, flex=4),
)
RANKS: Final = Columns(
    Column("", 3, align="right", priority=1),
    Column("rank", 7, align="right"),
    Column("left", 4, flex=1),
    Column("right", 5, flex=1),
    Column("then the chunk is", 12, flex=4),
)
WAYS: Final = Columns(
    Column("share", 8, align="right"), Column("log p", 8, align="right", priority=1), Column("cut", 12, flex=1)
)
TAKEN: Final = Columns(
    Column("from", 5, align="right"), Column("longest that fits", 17, flex=1), Column("longer ones tried", 12, flex=2)
)


@dataclass(frozen=True, slots=True)
class ToStep:
    """Leads to a step of the training."""

    step: int


@dataclass(frozen=True, slots=True)
class Told:
    """What a Why page tells of. `own`: merges are steps of our own training, which one can travel to; `number`: which
    token of the chunk is asked for; `before`, `after`: some of the text around the chunk."""

    story: ChunkStory
    number: int
    id: int
    split: Split | None
    own: bool
    before: bytes
    after: bytes
    encoder: object = None


def pieces_of(parts: Sequence[bytes], chosen: int = -1, look: str = "strong", ascii: bool = False) -> list[Piece]:
    """Tokens with bars between them; one of them in a look."""
    found: list[Piece] = []
    for number, part in enumerate(parts):
        if number:
            found.append(("|" if ascii else "│", "dim"))
        found.append((part, look if number == chosen else ""))
    return found


def page(told: Told, width: int, ascii: bool = False) -> list[PageRow]:
    """All lines."""
    story = told.story
    if story.special:
        return [*_place(told), blank(), line("a special token: found before the split, and no merge touches it")]
    rows = [*_place(told), *_split(told, width, ascii)]
    if isinstance(told.encoder, UnigramModel):
        return [*rows, *_ways(told, told.encoder, width, ascii)]
    if isinstance(told.encoder, WordPieceModel):
        return [*rows, *_matches(told, told.encoder, width, ascii)]
    return [*rows, *_merges(told, width, ascii)]


def _place(told: Told) -> list[PageRow]:
    story = told.story
    name = story.result[told.number] if story.result else story.data
    place: list[Piece] = [(told.before, "dim"), (story.data, "next"), (told.after, "dim")]
    return [
        heading("the token"),
        line(
            (name, "made"),
            f"   id {told.id}",
            (f"   token {told.number + 1} of {len(story.result)} in its chunk", "dim"),
        ),
        line(*place),
    ]


def _split(told: Told, width: int, ascii: bool) -> list[PageRow]:
    story, split = told.story, told.split
    if split is None:
        return [blank(), heading("the chunk", "how the text was split is not known")]
    name = "a pattern of your own" if split.name == "custom" else split.name
    rows = [blank(), heading("the split", f"{safe(name)}: the first alternative that matches cuts the chunk")]
    if not story.branch:
        return [*rows, line((story.data, "next"), "  no alternative of the pattern alone says why")]
    room = max(12, width - 5)
    for number, branch in enumerate(split_branches(split.pattern), 1):
        took = number == story.branch
        mark = (">" if ascii else "▸") if took else " "
        words = clip(safe(branch), room, ascii)
        rows.append(line((f"{mark}{number:>2} ", "next" if took else "dim"), (words, "" if took else "dim")))
    return rows


def _merges(told: Told, width: int, ascii: bool) -> list[PageRow]:
    story = told.story
    columns = MERGES if told.own else RANKS
    rows = [blank(), heading("the merges", _count(story, told.own))]
    if story.note:
        rows += wrapped(safe(story.note), width, "next")
    if not story.steps and story.tokens:
        return [*rows, line(*pieces_of(story.result, told.number, "made", ascii))]
    rows += [titles(columns), row(columns, "", ("start", "dim"), "", "", pieces_of(story.pieces, ascii=ascii))]
    for number, step in enumerate(story.steps, 1):
        last = number == len(story.steps)
        chosen, look = _made(step.pieces, step.left + step.right), "strong"
        if last and not story.tokens:
            chosen, look = told.number, "made"
        rank = step.rank + 1 if told.own else step.rank
        state = pieces_of(step.pieces, chosen, look, ascii)
        target = ToStep(rank) if told.own else None
        rows.append(row(columns, (str(number), "dim"), f"{rank:,}", step.left, step.right, state, target=target))
    if story.tokens:
        rows.append(row(columns, "", ("whole", "dim"), "", "", pieces_of(story.tokens, told.number, "made", ascii)))
    elif not story.steps:
        rows.append(line(("no merge applies: the chunk stays as it is", "dim")))
    return rows


def _made(parts: Sequence[bytes], joined: bytes) -> int:
    return next((number for number, part in enumerate(parts) if part == joined), -1)


def _count(story: ChunkStory, own: bool) -> str:
    order = "in the order of the steps" if own else "the lowest rank first"
    count = len(story.steps)
    return f"{count} merge{' applies' if count == 1 else 's apply'}, {order}" if count else ""


def _ways(told: Told, model: UnigramModel, width: int, ascii: bool) -> list[PageRow]:
    chunk = to_text(told.story.data)
    ways = model.best(chunk, BEST)
    note = "the most probable cut is taken; share: its part of the probability of all cuts"
    rows = [blank(), heading("the cuts", clip(note, max(10, width - 10), ascii)), titles(WAYS)]
    for number, way in enumerate(ways):
        parts = [_part(chunk, s, model.kind) for s in way.segments]
        cut = pieces_of(parts, told.number if not number else -1, "made", ascii)
        share = f"{way.probability:.1%}" if way.probability >= 0.001 else figure_text(way.probability)
        rows.append(row(WAYS, (share, "" if number else "strong"), (f"{way.score:.2f}", "dim"), cut))
    rows += _unknown(told.story.note, width)
    rows += [blank(), heading("its pieces", "log probabilities in nats; a cut's is their sum")]
    for segment in ways[0].segments if ways else ():
        shown = (show(_part(chunk, segment, model.kind), 30, ascii), "")
        rows.append(line((f"{model.scores[segment.id]:>8.2f}  ", "dim"), shown, (f"  id {segment.id}", "dim")))
    return rows


def _part(chunk: str, segment: Segment, kind: AlphabetKind) -> bytes:
    if kind is AlphabetKind.BYTES:
        return to_bytes(chunk)[segment.start : segment.end]
    return to_bytes(chunk[segment.start : segment.end])


def _matches(told: Told, model: WordPieceModel, width: int, ascii: bool) -> list[PageRow]:
    chunk = to_text(told.story.data)
    segments = model.encode(chunk)
    rows = [blank(), heading("the pieces", "from the left, the longest piece that fits, again and again")]
    if segments and segments[0].unknown:
        rows.append(line((safe(model.labels[model.unknown_id]), "next"), f"  {safe(segments[0].unknown)}"))
        return rows
    rows.append(titles(TAKEN))
    for number, segment in enumerate(segments):
        first = min(len(chunk), segment.start + model.longest)
        tried = [chunk[segment.start : end] for end in range(first, segment.end, -1)]
        prefix = "##" if segment.start else ""
        look = "made" if number == told.number else ""
        words = _tried(tried, prefix, max(12, width // 2), ascii)
        rows.append(row(TAKEN, str(segment.start), (show(model.labels[segment.id], ascii=ascii), look), (words, "dim")))
    return rows


def _tried(texts: Sequence[str], prefix: str, room: int, ascii: bool) -> str:
    """Some texts, the shortest last, in so many cells."""
    shown: list[str] = []
    for text in reversed(texts):
        name = show(prefix + text, 24, ascii)
        if cells(", ".join([name, *shown])) > room - 4:
            return "… " + ", ".join(shown) if shown else name
        shown.insert(0, name)
    return ", ".join(shown)


def _unknown(note: str, width: int) -> list[PageRow]:
    _, _, reasons = note.partition("; ")
    return wrapped(safe(reasons), width, "next") if reasons else []
