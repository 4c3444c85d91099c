"""What several sub-commands share: the tokenizer of -t, a split by name, the text of a call."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokexplorer.cli.output import is_terminal, narrate
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.files.sources import STDIN, read_file, read_stdin
from tokexplorer.finding import find_tokenizer

if TYPE_CHECKING:
    from tokexplorer.engine.splits import Split
    from tokexplorer.tokenizers.base import Tokenizer


def find(name: str, split: str | None = None) -> Tokenizer:
    """The tokenizer of a name, with what its reader should know said on stderr."""
    if split is not None:
        named_split(split)
    tokenizer = find_tokenizer(name, split)
    for remark in getattr(tokenizer, "remarks", ()):
        narrate(f"{tokenizer.name}: {remark}")
    return tokenizer


def named_split(source: str) -> Split:
    """The split that a call names. UsageError where a pattern is wrong."""
    from tokexplorer.engine.splits import compile_split

    try:
        return compile_split(source)
    except InputError as error:
        raise UsageError(f"--split: {error}") from error


def open_tokenizer(args: argparse.Namespace) -> Tokenizer:
    """The one tokenizer that -t names."""
    return find(args.tokenizer, args.split)


def read_text(texts: Sequence[str], file: str | None = None) -> bytes:
    """The text of a call: words joined by a space, a file, or standard input where there are neither or `-`."""
    if file is not None and file != STDIN:
        return read_file(file, pipes=True)
    if texts and list(texts) != [STDIN]:
        return b" ".join(map(os.fsencode, texts))
    if is_terminal(sys.stdin):
        narrate("reading standard input; Ctrl-D ends it")
    return read_stdin()
