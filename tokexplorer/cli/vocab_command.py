"""`tokexplorer vocab`: the tokens of a tokenizer, by kind, by search, or one of them with all that is known of it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from tokexplorer.cli.output import Out, several
from tokexplorer.cli.parser import Parser, whole
from tokexplorer.engine.errors import InputError, UsageError

if TYPE_CHECKING:
    from tokexplorer.analysis.kinds import VocabularyIndex
    from tokexplorer.analysis.token_page import TokenPage

USAGE: Final = "-t NAME [--split NAME|REGEX] [--kind K] [--search REGEX] [--id N] [--limit N] [--json]"
EXAMPLE: Final = """
tokexplorer vocab -t gpt2 --kind whitespace
tokexplorer vocab -t cl100k_base --search '(?i)python' --limit 20
tokexplorer vocab -t o200k_base --id 1000"""

KINDS: Final = {
    "all": "every id",
    "special": "special tokens",
    "unassigned": "ids that no token has",
    "whitespace": "nothing but white space",
    "digits": "only digits, a leading space allowed",
    "partial-utf8": "not valid UTF-8 alone, single bytes included",
    "unreachable": "its own bytes do not merge back to it",
    "split-alone": "valid text that the split pattern cuts when it stands alone",
    "never-emitted": "no valid text yields it (takes a while)",
    "glitch": "reported as a glitch token of a model",
}
SHOWN_CELLS: Final = 60
SHOWN_CHILDREN: Final = 12


def declare(parser: Parser) -> None:
    """The arguments of `vocab`."""
    parser.add_tokenizer()
    parser.add_argument("--kind", metavar="K", choices=KINDS, default="all", help="only tokens of this kind, see below")
    parser.add_argument("--search", metavar="REGEX", help="only tokens whose text matches")
    parser.add_argument("--id", type=whole, metavar="N", help="only this id, with all that is known of it")
    parser.add_argument("--limit", type=whole, metavar="N", help="list only the first N")
    parser.add_json()
    width = max(map(len, KINDS))
    kinds = "\n".join(f"  {name:<{width}}  {about}" for name, about in KINDS.items())
    parser.epilog = f"kinds:\n{kinds}\n\n{parser.epilog}"


def run(args: argparse.Namespace) -> int:
    """List tokens; the exit status."""
    from tokexplorer.analysis.kinds import Kind, VocabularyIndex
    from tokexplorer.cli.common import open_tokenizer
    from tokexplorer.cli.progress import progress_bar

    tokenizer = open_tokenizer(args)
    index = VocabularyIndex(tokenizer)
    if args.id is not None and args.id >= index.size:
        raise InputError(f"id {args.id} is out of range: the ids of {tokenizer.name} go from 0 to {index.size - 1}")
    with progress_bar() as bar:
        found = index.ids(Kind(args.kind), lambda done, total: bar.show("looking", done, total, "tokens"))
    if args.id is not None:
        found = [args.id] if args.id in found else []
    if args.search is not None:
        found = _search(index, args.search, found)
    out = Out()
    shown = list(islice(found, args.limit))
    if args.json:
        head = {"tokenizer": tokenizer.name, "size": index.size, "kind": args.kind, "total": len(found)}
        rows = _rows(index, shown) if args.id is None else map(json.dumps, (_page_row(index, i) for i in shown))
        out.object(head, "tokens", rows)
    elif args.id is not None and shown:
        _print_page(out, index, args.id)
    else:
        kind = "" if args.kind == "all" else f" of kind {args.kind}"
        out.line(f"{out.safe(tokenizer.name)}: {several(len(found), 'token')}{kind}, {index.size:,} ids in all")
        out.lines(_lines(out, index, shown))
    return 0


def _search(index: VocabularyIndex, pattern: str, ids: Sequence[int]) -> Sequence[int]:
    import regex

    try:
        regex.compile(pattern)
    except regex.error as error:
        raise UsageError(f"--search: the pattern is wrong: {error.msg}") from error
    return index.search(f"re:{pattern}", ids)


def _row(index: VocabularyIndex, token_id: int) -> dict[str, Any]:
    row = index.row(token_id)
    return {
        "id": row.id,
        "hex": None if row.data is None else row.data.hex(),
        "text": row.text,
        "special": row.special,
    }


def _rows(index: VocabularyIndex, ids: Iterable[int]) -> Iterator[str]:
    return (json.dumps(_row(index, token_id)) for token_id in ids)


def _lines(out: Out, index: VocabularyIndex, ids: Sequence[int]) -> Iterator[str]:
    if ids:
        wide = max(2, len(str(index.size)))
        yield f"{'id':>{wide}}  token"
        for token_id in ids:
            row = index.row(token_id)
            what = "(unassigned)" if row.data is None else out.show(row.label, SHOWN_CELLS)
            yield f"{token_id:>{wide}}  {what}{'  (special)' if row.special else ''}"


def _page(index: VocabularyIndex, token_id: int) -> TokenPage:
    from tokexplorer.analysis.emission import find_emission
    from tokexplorer.analysis.token_page import token_page

    row = index.row(token_id)
    emission = None if row.data is None or row.special else find_emission(index.sweep(), token_id)
    return token_page(index, token_id, emission=emission)


def _page_row(index: VocabularyIndex, token_id: int) -> dict[str, Any]:
    page = _page(index, token_id)
    emission = page.emission
    return {
        **_row(index, token_id),
        "label": page.label if page.label.isprintable() or page.valid else None,
        "rank": page.rank,
        "parents": list(page.parents) if page.parents else None,
        "children": list(page.children),
        "points": [{"hex": point.data.hex(), "point": point.point, "name": point.name} for point in page.points],
        "emitted": None if emission is None else emission.verdict.value,
        "emitted_in": None if emission is None or not emission.text else emission.text.hex(),
    }


def _print_page(out: Out, index: VocabularyIndex, token_id: int) -> None:
    page = _page(index, token_id)
    name = out.safe(page.tokenizer)
    if page.data is None:
        out.line(f"{name}: id {token_id} is unassigned, no token has it")
        return
    special = ", a special token" if page.special else ""
    rank = "" if page.rank is None else f", rank {page.rank:,}"
    out.line(f"{name}: id {token_id}  {out.show(page.label)}  {several(len(page.data), 'byte')}{rank}{special}")
    out.lines(_page_lines(out, index, page))


def _page_lines(out: Out, index: VocabularyIndex, page: TokenPage) -> Iterator[str]:
    for point in page.points:
        number = "        " if point.point is None else f"U+{point.point:04X}".ljust(8)
        yield f"  {point.data.hex(' '):<11}  {number}  {point.name}"
    if page.emission is not None:
        yield f"emitted: {page.emission.verdict.value}{_where(out, page)}"
    if page.parents:
        yield "made of"
    for node in page.tree[1:]:
        yield f"  {'  ' * node.depth}{out.show(node.label)}  id {node.id}"
    if page.children:
        more = len(page.children) - SHOWN_CHILDREN
        names = [f"{out.show(index.tokenizer.label(i))} {i}" for i in page.children[:SHOWN_CHILDREN]]
        yield f"part of {', '.join(names)}{f', and {more:,} more' if more > 0 else ''}"
    for sister in page.sisters:
        ids = " ".join(str(token.id) for token in sister.tokens)
        yield f"  {sister.kind:<16}  {out.show(sister.text, SHOWN_CELLS)}  {ids}"


def _where(out: Out, page: TokenPage) -> str:
    emission = page.emission
    if emission is None:
        return ""
    if emission.proof:
        return f" ({emission.proof.value})"
    return f" {out.show(emission.text, SHOWN_CELLS)}" if emission.text and emission.verdict.value != "alone" else ""
