"""`tokexplorer inspect`: one topic for one or several tokenizers."""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Protocol

from tokexplorer.cli.output import Out
from tokexplorer.cli.parser import Parser, positive
from tokexplorer.engine.errors import UsageError

if TYPE_CHECKING:
    from tokexplorer.cli.progress import ProgressBar
    from tokexplorer.cli.topics.asked import Asked
    from tokexplorer.tokenizers.base import Tokenizer

USAGE: Final = """numbers|spaces|special|languages|budget|glitch -t NAME ...
           [TEXT ... | FILE ...] [--split NAME|REGEX] [--price P] [--context N ...] [--json]"""
EXAMPLE: Final = """
tokexplorer inspect numbers -t gpt2 -t cl100k_base '1234 + 5678'
tokexplorer inspect spaces -t gpt2 hello
tokexplorer inspect special -t o200k_base '<|im_start|>system'
tokexplorer inspect languages -t gpt2 -t o200k_base
tokexplorer inspect budget -t gpt-4o book.txt --price 2.50
tokexplorer inspect glitch -t gpt2"""

TOPICS: Final = {
    "numbers": "how numbers are cut; TEXT: numbers or sums of your own",
    "spaces": "what white space costs; TEXT: a word of your own",
    "special": "the special tokens, and one TEXT three ways",
    "languages": "what languages cost; FILE: texts of your own",
    "budget": "a text against contexts and a price; FILE: the text",
    "glitch": "tokens that are suspect; FILE: a text to find the unused ones",
}
TAKES_FILES: Final = ("languages", "budget", "glitch")


class Topic(Protocol):
    """A topic's module."""

    def values(self, tokenizer: Tokenizer, asked: Asked) -> dict[str, Any]:
        """The topic as JSON values."""

    def lines(self, out: Out, tokenizer: Tokenizer, asked: Asked) -> Iterator[str]:
        """The topic for a reader."""


def declare(parser: Parser) -> None:
    """The arguments of `inspect`."""
    parser.add_words("words", "TOPIC", "one of the topics below, then texts or files for it", least=1)
    parser.add_tokenizer(repeated=True)
    parser.add_argument("--price", type=_price, metavar="P", help="budget: the price of a million tokens")
    parser.add_argument(
        "--context", type=positive, action="extend", nargs="+", default=[], metavar="N", help="budget: context sizes"
    )
    parser.add_json()
    width = max(map(len, TOPICS))
    topics = "\n".join(f"  {name:<{width}}  {about}" for name, about in TOPICS.items())
    parser.epilog = f"topics:\n{topics}\n\n{parser.epilog}"


def _price(text: str) -> float:
    try:
        price = float(text)
    except ValueError:
        price = math.nan
    if not 0 <= price < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a price")
    return price


def run(args: argparse.Namespace) -> int:
    """Inspect; the exit status."""
    from tokexplorer.cli.common import find
    from tokexplorer.cli.progress import progress_bar

    name, words = args.words[0], args.words[1:]
    if name not in TOPICS:
        raise UsageError(f"{name!r} is not a topic: there are {', '.join(TOPICS)}")
    if name == "budget" and not words:
        raise UsageError("budget needs a FILE, or - for standard input")
    tokenizers = [find(tokenizer, args.split) for tokenizer in args.tokenizer]
    topic: Topic = importlib.import_module(f"tokexplorer.cli.topics.{name}")
    with progress_bar() as bar:
        asked = _asked(name, words, args, bar)
        if args.json:
            rows = [json.dumps({"tokenizer": t.name, **topic.values(t, asked)}) for t in tokenizers]
            bar.close()
            Out().object({"topic": name}, "tokenizers", rows)
            return 0
        out = Out()
        for number, tokenizer in enumerate(tokenizers):
            found = list(topic.lines(out, tokenizer, asked))
            bar.close()
            out.lines([*([""] if number else []), f"{out.safe(tokenizer.name)}: {name}", *found])
    return 0


def _asked(name: str, words: list[str], args: argparse.Namespace, bar: ProgressBar) -> Asked:
    from tokexplorer.cli.topics.asked import Asked
    from tokexplorer.files.sources import open_documents

    if name not in TAKES_FILES:
        return Asked(bar, texts=[os.fsencode(word) for word in words])
    documents = open_documents(words)
    files = [(document.name, document.read(0, document.size)) for document in documents]
    return Asked(bar, files=files, price=args.price, contexts=args.context)
