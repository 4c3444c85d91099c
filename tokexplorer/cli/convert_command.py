"""`tokexplorer convert`: write a tokenizer in another format; what is lost, and what was checked, is said."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Final

from tokexplorer.cli.output import narrate
from tokexplorer.cli.parser import Parser
from tokexplorer.engine.errors import InputError, UsageError

if TYPE_CHECKING:
    from tokexplorer.engine.model import Model

USAGE: Final = "SOURCE TARGET [--to FORMAT] [--split NAME|REGEX] [--force]"
EXAMPLE: Final = """
tokexplorer convert book.tok book.tiktoken
tokexplorer convert gpt2 tokenizer.json
tokexplorer convert ranks.tiktoken folder --to gpt2 --split cl100k"""

TARGETS: Final = {
    "own": "tokexplorer's own JSON, which holds everything",
    "tiktoken": "tiktoken ranks: base64 and rank, a token a line",
    "gpt2": "GPT-2's pair of files: vocab.json and merges.txt",
    "tokenizer.json": "Hugging Face tokenizer.json",
    "minbpe": "minbpe .model",
    "bert-vocab": "BERT vocab.txt: WordPiece, a token a line",
}
"""The formats that are written (formats.FORMATS, which takes long to import)."""


def declare(parser: Parser) -> None:
    """The arguments of `convert`."""
    parser.add_words("names", "SOURCE TARGET", "a tokenizer's name or file, and the file to write", least=2, most=2)
    parser.add_argument("--to", metavar="FORMAT", help="the format to write; by the name of TARGET where not given")
    parser.add_argument("--split", metavar="NAME|REGEX", help="the split of a SOURCE that holds none")
    parser.add_argument("--force", action="store_true", help="replace an existing TARGET")
    width = max(map(len, TARGETS))
    formats = "\n".join(f"  {name:<{width}}  {about}" for name, about in TARGETS.items())
    parser.epilog = f"formats:\n{formats}\n\n{parser.epilog}"


def run(args: argparse.Namespace) -> int:
    """Convert; the exit status. All that it says is narration."""
    from tokexplorer.formats import format_for, losses, write_model

    source, target = args.names
    if os.path.isfile(target) and not args.force:
        raise InputError(f"{target}: exists already; --force replaces it")
    if args.to is not None and args.to not in TARGETS:
        raise UsageError(f"--to: {args.to!r} is not a format that is written here: there are {', '.join(TARGETS)}")
    model = _model(source, args.split)
    fmt = args.to or format_for(target)
    for lost in losses(model, fmt):
        narrate(f"{fmt} cannot hold: {lost}")
    report = write_model(model, target, fmt, args.force)
    narrate(f"written as {fmt}: {', '.join(report.files)}")
    for check in report.checks:
        narrate(f"checked: {check}")
    return 0


def _model(source: str, split: str | None) -> Model:
    from tokexplorer.cli.common import find
    from tokexplorer.formats import model_of

    return model_of(find(source, split))
