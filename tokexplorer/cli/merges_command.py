"""`tokexplorer merges`: the merges of a tokenizer, in the order in which they apply."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from tokexplorer.cli.output import Out, several
from tokexplorer.cli.parser import Parser, whole
from tokexplorer.engine.errors import InputError

if TYPE_CHECKING:
    from tokexplorer.tokenizers.base import Tokenizer

USAGE: Final = "-t NAME [--split NAME|REGEX] [--limit N] [--json]"
EXAMPLE: Final = """
tokexplorer merges -t gpt2 --limit 20
tokexplorer merges -t book.tok --json"""

SHOWN_CELLS: Final = 24


def declare(parser: Parser) -> None:
    """The arguments of `merges`."""
    parser.add_tokenizer()
    parser.add_argument("--limit", type=whole, metavar="N", help="list only the first N")
    parser.add_json()


def run(args: argparse.Namespace) -> int:
    """List the merges; the exit status. InputError for a tokenizer that has none."""
    from tokexplorer.cli.common import open_tokenizer

    tokenizer = open_tokenizer(args)
    merges = merges_of(tokenizer)
    if not merges:
        raise InputError(f"{tokenizer.name}: has no merges")
    shown = islice(enumerate(merges, 1), args.limit)
    out = Out()
    if args.json:
        head = {"tokenizer": tokenizer.name, "size": tokenizer.size, "total": len(merges)}
        out.object(head, "merges", _rows(tokenizer, shown))
        return 0
    out.line(f"{out.safe(tokenizer.name)}: {several(len(merges), 'merge')}")
    out.lines(_lines(out, tokenizer, shown, len(merges)))
    return 0


def merges_of(tokenizer: Tokenizer) -> list[tuple[int, int, int]]:
    """The merges as (left id, right id, new id) in rank order; by ascending id where the tokenizer gives no list."""
    listed = getattr(tokenizer, "merges", None)
    if callable(listed):
        return list(listed())
    found = ((token_id, tokenizer.parents(token_id)) for token_id in range(tokenizer.size))
    return [(pair[0], pair[1], token_id) for token_id, pair in found if pair is not None]


def _rows(tokenizer: Tokenizer, merges: Iterable[tuple[int, tuple[int, int, int]]]) -> Iterator[str]:
    for step, (left, right, new) in merges:
        data = tokenizer.token_bytes(new) or b""
        yield json.dumps({"step": step, "left": left, "right": right, "id": new, "hex": data.hex()})


def _lines(
    out: Out, tokenizer: Tokenizer, merges: Iterable[tuple[int, tuple[int, int, int]]], total: int
) -> Iterator[str]:
    wide, far = max(4, len(str(total))), len(str(tokenizer.size))
    yield f"{'step':>{wide}}  {'id':>{far}}  left + right -> token"
    label = tokenizer.label
    for step, (left, right, new) in merges:
        first, second, joined = (out.show(label(i), SHOWN_CELLS) for i in (left, right, new))
        yield f"{step:>{wide}}  {new:>{far}}  {first} + {second} -> {joined}"
