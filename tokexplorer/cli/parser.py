"""The argument parsers: the sub-commands' names, errors on one line, and the options of the explorer."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NoReturn

from tokexplorer.engine.errors import InputError, UsageError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

PROGRAM: Final = "tokexplorer"

COMMANDS: Final[dict[str, str]] = {
    "train": "learn a tokenizer from texts and list its merges",
    "encode": "cut a text into tokens",
    "decode": "turn token ids back into bytes",
    "compare": "count one text through several tokenizers",
    "merges": "list the merges of a tokenizer",
    "vocab": "list, filter and search the tokens of a tokenizer",
    "inspect": "look at numbers, spaces, special tokens, languages, budget or glitch tokens",
    "convert": "write a tokenizer in another format",
    "count": "count the chunks of texts, for training elsewhere",
}

NAMES_HELP: Final = (
    "gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, o200k_harmony, a model's name (gpt-4o), "
    "or a tokenizer file"
)


class Parser(argparse.ArgumentParser):
    """argparse with errors on one line, options and other words in any order, and nothing but words after `--`."""

    _words: tuple[str, str, int, int | None] | None = None

    def error(self, message: str) -> NoReturn:
        """A UsageError in place of argparse's usage text and exit."""
        hint = ""
        if message.startswith("unrecognized arguments: -"):
            hint = "; put -- before a word that begins with a dash"
        raise UsageError(f"{message}{hint} (see {self.prog} --help)")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; unlike argparse's own this does not hide that it could not be written."""
        if file is None and sys.stdout is None:
            raise InputError("standard output is closed")
        (file or sys.stdout).write(self.format_help())

    def add_words(self, dest: str, metavar: str, about: str, least: int = 0, most: int | None = None) -> None:
        """The words that are not options: a list, `least` to `most` of them."""
        self._words = dest, metavar, least, most
        self.add_argument(dest, metavar=metavar, nargs="*", help=about)

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments; UsageError where they are wrong."""
        end = words.index("--") if "--" in words else len(words)
        args = self.parse_intermixed_args(words[:end])
        if self._words is None:
            return args
        dest, metavar, least, most = self._words
        found = [*getattr(args, dest), *words[end + 1 :]]
        setattr(args, dest, found)
        if len(found) < least:
            self.error(f"{metavar} is missing")
        if most is not None and len(found) > most:
            self.error(f"too many words: {' '.join(found[most:])}")
        return args

    def add_tokenizer(self, repeated: bool = False) -> None:
        """The option -t NAME, which names a tokenizer, and --split for a file that holds none."""
        action = "append" if repeated else "store"
        self.add_argument(
            "-t", "--tokenizer", metavar="NAME", action=action, required=True, type=given, help=NAMES_HELP
        )
        self.add_argument(
            "--split", metavar="NAME|REGEX", help="the split of a tokenizer file that holds none; else it is guessed"
        )

    def add_chunk_bounds(self) -> None:
        """The options that keep the distinct chunks of a large text few."""
        self.add_argument(
            "--min-chunk-count", type=positive, default=1, metavar="N", help="leave out chunks that are rarer"
        )
        self.add_argument(
            "--max-chunks", type=positive, metavar="N", help="keep no more distinct chunks than this, the commonest"
        )

    def add_json(self) -> None:
        """The option --json."""
        self.add_argument("--json", action="store_true", help="print one JSON object")


def given(text: str) -> str:
    """The type of a name: any text but an empty one."""
    if not text:
        raise argparse.ArgumentTypeError("is empty")
    return text


def whole(text: str) -> int:
    """The type of a number of things: a whole number, not negative."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def positive(text: str) -> int:
    """The type of a number of things: a whole number of 1 or more."""
    number = whole(text)
    if not number:
        raise argparse.ArgumentTypeError("0 is too small, the least is 1")
    return number


def command_parser(name: str, usage: str, example: str) -> Parser:
    """The empty parser of a sub-command; `example` closes its help."""
    return Parser(
        prog=f"{PROGRAM} {name}",
        usage=f"{PROGRAM} {name} {usage}",
        description=COMMANDS[name][0].upper() + COMMANDS[name][1:] + ".",
        epilog="example:\n" + "\n".join(f"  {line}" for line in example.strip().splitlines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


class _ExplorerParser(Parser):
    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        first = words[0] if words else ""
        if first and not first.startswith("-") and not os.path.lexists(first):
            near = difflib.get_close_matches(first, COMMANDS, n=1, cutoff=0.7)
            if near:
                raise UsageError(f"{first}: there is no such file, and no such command; did you mean {near[0]}?")
        return super().parse(words)


def explorer_parser() -> Parser:
    """The parser for a call without a sub-command."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {about}" for name, about in COMMANDS.items())
    parser = _ExplorerParser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [options] [FILE ...]\n       {PROGRAM} COMMAND ...",
        description="A time-travel debugger for tokenizers. Without a command it opens the explorer on the files.",
        epilog=f"commands:\n{commands}\n\n"
        f"{PROGRAM} COMMAND --help tells more. A file named like a command: write ./train.\n\n"
        f"examples:\n  {PROGRAM} book.txt\n  {PROGRAM} encode -t gpt2 'Hello, world'\n"
        f"  {PROGRAM} train book.txt --vocab-size 1000 -o book.tok",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_words("files", "FILE", "texts or tokenizers to open; - is standard input")
    parser.add_argument("--resume", action="store_true", help="go on where the last session ended")
    parser.add_argument(
        "--colors", choices=("auto", "true", "256", "16", "none"), default="auto", help="how many colours to use"
    )
    parser.add_argument("--ascii", action="store_true", help="draw borders and stand-ins in plain ASCII")
    parser.add_argument("--low-bandwidth", action="store_true", help="no animation, at most 2 frames a second")
    parser.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    return parser
