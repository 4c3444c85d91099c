"""`tokexplorer decode`: token ids back into bytes, exactly."""

from __future__ import annotations

import argparse
from typing import Final

from tokexplorer.cli.output import Out
from tokexplorer.cli.parser import Parser
from tokexplorer.engine.errors import UsageError

USAGE: Final = "-t NAME [--split NAME|REGEX] ID ..."
EXAMPLE: Final = """
tokexplorer decode -t gpt2 15496 11 995
echo '[15496, 11, 995]' | tokexplorer decode -t gpt2 -"""

LONGEST_ID: Final = 18


def declare(parser: Parser) -> None:
    """The arguments of `decode`."""
    parser.add_tokenizer()
    parser.add_words("ids", "ID", "token ids, also with commas and brackets; - reads them from standard input", least=1)


def run(args: argparse.Namespace) -> int:
    """Decode; the exit status. To a file or a pipe the bytes go as they are; a terminal gets control characters as
    stand-ins, and a line end at the end."""
    from tokexplorer.cli.common import open_tokenizer, read_text

    tokenizer = open_tokenizer(args)
    data = tokenizer.decode(_ids(args.ids) if args.ids != ["-"] else _ids([_ascii(read_text(["-"]))]))
    out = Out()
    if not out.terminal:
        out.data(data)
        return 0
    for line in data.removesuffix(b"\n").split(b"\n"):
        out.line(out.safe(line))
    return 0


def _ascii(data: bytes) -> str:
    return data.decode("ascii", "backslashreplace")


def _ids(words: list[str]) -> list[int]:
    """The ids in some words; UsageError names what is no id."""
    ids = []
    for word in " ".join(words).translate(str.maketrans("[](),", "     ")).split():
        digits = word.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_ID):
            raise UsageError(f"{word!r} is not a token id: a whole number is expected")
        ids.append(int(word))
    return ids
