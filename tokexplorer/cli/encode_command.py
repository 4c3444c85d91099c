"""`tokexplorer encode`: cut a text into tokens; for readers, as JSON, as a page, or with the story of every merge."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from tokexplorer.cli.output import RESET, Out, narrate, ratio, several, text_or_none
from tokexplorer.cli.parser import Parser
from tokexplorer.engine.errors import UsageError

if TYPE_CHECKING:
    from tokexplorer.analysis.story import ChunkStory
    from tokexplorer.tokenizers.base import Encoded, SpecialMode, Tokenizer

USAGE: Final = """-t NAME [TEXT ... | -f FILE]
           [--split NAME|REGEX] [--special text|token|forbid] [--trace] [--html PAGE] [--force] [--json]"""
EXAMPLE: Final = """
tokexplorer encode -t gpt2 'Hello, world'
tokexplorer encode -t o200k_base -f book.txt --json
echo strawberry | tokexplorer encode -t book.tok --trace"""

SHOWN_CELLS: Final = 60


def declare(parser: Parser) -> None:
    """The arguments of `encode`."""
    parser.add_tokenizer()
    parser.add_words("texts", "TEXT", "the text, several joined by a space; - or none is standard input")
    parser.add_argument("-f", "--file", metavar="FILE", help="take the text from this file; - is standard input")
    parser.add_argument(
        "--special",
        choices=("text", "token", "forbid"),
        default="text",
        help="what special strings in the text become: text (default), their token, or an error",
    )
    parser.add_argument("--trace", action="store_true", help="tell how each chunk was split off and merged")
    parser.add_argument("--html", metavar="PAGE", help="write a page with the coloured tokens to this file")
    parser.add_argument("--force", action="store_true", help="overwrite an existing PAGE")
    parser.add_json()


def run(args: argparse.Namespace) -> int:
    """Encode; the exit status."""
    from tokexplorer.cli.common import open_tokenizer, read_text
    from tokexplorer.tokenizers.base import SpecialMode

    if args.texts and args.file is not None:
        raise UsageError("give either TEXT or -f FILE, not both")
    tokenizer = open_tokenizer(args)
    text = read_text(args.texts, args.file)
    mode = SpecialMode(args.special)
    encoded = tokenizer.encode(text, mode)
    if args.html is not None:
        _write_page(tokenizer, encoded, args.html, args.force)
    if args.json:
        _print_json(Out(), tokenizer, encoded, mode, args.trace)
    elif args.trace:
        _print_story(Out(), tokenizer, encoded, mode)
    elif args.html is None:
        _print_tokens(Out(), tokenizer, encoded)
    return 0


def _write_page(tokenizer: Tokenizer, encoded: Encoded, path: str, force: bool) -> None:
    from tokexplorer.cli.page import token_page
    from tokexplorer.formats.files import drafted

    with drafted({path: token_page(tokenizer, encoded).encode()}, force) as page:
        page.put()
    narrate(f"written: {path}")


def _print_json(out: Out, tokenizer: Tokenizer, encoded: Encoded, mode: SpecialMode, trace: bool) -> None:
    from tokexplorer.engine.alphabet import to_text

    head = {"tokenizer": tokenizer.name, "bytes": len(encoded.text), "chars": len(to_text(encoded.text))}
    more = {"trace": _story_values(tokenizer, encoded, mode)} if trace else {}
    out.object(head, "tokens", token_rows(tokenizer, encoded), **more)


def token_rows(tokenizer: Tokenizer, encoded: Encoded) -> Iterator[str]:
    """The tokens as JSON texts: `{"id", "hex", "text", "start", "end"}`."""
    beginnings: dict[int, str] = {}
    start = 0
    for token_id, end in zip(encoded.ids, encoded.ends, strict=True):
        beginning = beginnings.get(token_id)
        if beginning is None:
            data = tokenizer.token_bytes(token_id) or b""
            row = {"id": token_id, "hex": data.hex(), "text": text_or_none(data)}
            beginning = beginnings[token_id] = json.dumps(row)[:-1]
        yield f'{beginning}, "start": {start}, "end": {end}}}'
        start = end


def _story_values(tokenizer: Tokenizer, encoded: Encoded, mode: SpecialMode) -> list[dict[str, Any]]:
    from tokexplorer.analysis.story import tell

    return [
        {
            "start": chunk.start,
            "end": chunk.end,
            "special": chunk.special,
            "branch": chunk.branch or None,
            "pattern": chunk.branch_pattern or None,
            "pieces": [piece.hex() for piece in chunk.pieces],
            "merges": [
                {"rank": step.rank, "id": step.id, "pieces": [piece.hex() for piece in step.pieces]}
                for step in chunk.steps
            ],
        }
        for chunk in tell(tokenizer, encoded.text, mode).chunks
    ]


def _print_tokens(out: Out, tokenizer: Tokenizer, encoded: Encoded) -> None:
    out.line(_summary(out, tokenizer, encoded))
    out.write(_cuts(out, encoded))
    if len(encoded):
        out.lines(_rows(out, tokenizer, encoded))


def _summary(out: Out, tokenizer: Tokenizer, encoded: Encoded) -> str:
    from tokexplorer.engine.alphabet import to_text

    size = len(encoded.text)
    return (
        f"{out.safe(tokenizer.name)}: {several(len(encoded), 'token')}, {several(size, 'byte')}, "
        f"{several(len(to_text(encoded.text)), 'character')}, {ratio(size, len(encoded))} bytes/token"
    )


def _cuts(out: Out, encoded: Encoded) -> Iterator[str]:
    """The text with its cuts: each token on a colour, or a space between tokens; a new line after each line end."""
    start, separator = 0, ""
    for index, end in enumerate(encoded.ends):
        data = encoded.text[start:end]
        if out.colours:
            yield f"{out.colours[index % len(out.colours)]}{out.show(data)}{RESET}"
        else:
            yield separator + out.show(data)
        separator = " "
        if data.endswith(b"\n") and end < len(encoded.text):
            yield "\n"
            separator = ""
        start = end
    if encoded.ends:
        yield "\n"


def _rows(out: Out, tokenizer: Tokenizer, encoded: Encoded) -> Iterator[str]:
    """One line a token."""
    wide = max(2, len(str(max(encoded.ids))))
    far = max(5, len(str(len(encoded.text))))
    yield f"{'id':>{wide}}  {'start':>{far}}  {'end':>{far}}  token"
    labels: dict[int, str] = {}
    start = 0
    for index, (token_id, end) in enumerate(zip(encoded.ids, encoded.ends, strict=True)):
        label = labels.get(token_id)
        if label is None:
            label = labels[token_id] = out.show(tokenizer.label(token_id), SHOWN_CELLS)
        note = encoded.notes.get(index, "")
        why = f"  ({out.safe(note)})" if note else ""
        yield f"{token_id:>{wide}}  {start:>{far}}  {end:>{far}}  {label}{why}"
        start = end


def _print_story(out: Out, tokenizer: Tokenizer, encoded: Encoded, mode: SpecialMode) -> None:
    from tokexplorer.analysis.story import tell

    story = tell(tokenizer, encoded.text, mode)
    out.line(_summary(out, tokenizer, encoded))
    if story.normalised:
        out.line(f"normalised to {out.show(story.text)}")
    for chunk in story.chunks:
        out.lines(_chunk_lines(out, chunk))


def _chunk_lines(out: Out, chunk: ChunkStory) -> Iterator[str]:
    place = f"{out.show(chunk.data, SHOWN_CELLS)}  bytes {chunk.start} to {chunk.end}"
    if chunk.special:
        yield f"special token {place}"
        return
    branch = f", branch {chunk.branch} of the split: {out.show(chunk.branch_pattern)}" if chunk.branch else ""
    yield f"chunk {place}{branch}"
    yield f"  {'start':<9}  {_pieces(out, chunk.pieces)}"
    for step in chunk.steps:
        merged = f"{out.show(step.left)} + {out.show(step.right)}"
        yield f"  id {step.id:<6}  {_pieces(out, step.pieces)}    ({merged})"
    if chunk.tokens:
        yield f"  {'tokens':<9}  {_pieces(out, chunk.tokens)}"
    if chunk.note:
        yield f"  {out.safe(chunk.note)}"


def _pieces(out: Out, pieces: tuple[bytes, ...]) -> str:
    return " ".join(map(out.show, pieces))
