"""`tokexplorer compare`: one text through several tokenizers, side by side."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from tokexplorer.cli.output import Out, columns, several
from tokexplorer.cli.parser import Parser
from tokexplorer.engine.errors import UsageError

if TYPE_CHECKING:
    from tokexplorer.analysis.comparison import Comparison
    from tokexplorer.tokenizers.base import Tokenizer

USAGE: Final = "-t NAME -t NAME ... FILE|- [--split NAME|REGEX] [--json]"
EXAMPLE: Final = """
tokexplorer compare -t gpt2 -t cl100k_base -t o200k_base book.txt
tokexplorer compare -t book.tok -t gpt2 -t characters -t words book.txt --json"""

CHARACTERS: Final = "characters"
WORDS: Final = "words"
WORD_HEADS: Final = ("whole words", "partial", "distinct", "unknown")


def declare(parser: Parser) -> None:
    """The arguments of `compare`."""
    parser.add_tokenizer(repeated=True)
    parser.add_words("file", "FILE", "the text; - is standard input", least=1, most=1)
    parser.add_json()
    parser.description = (
        f"{parser.description} Two plain baselines are named {CHARACTERS} and {WORDS} (the words of this very text)."
    )


def run(args: argparse.Namespace) -> int:
    """Compare; the exit status."""
    from tokexplorer.analysis.comparison import compare
    from tokexplorer.cli.common import read_text
    from tokexplorer.cli.progress import progress_bar

    if len(args.tokenizer) < 2:
        raise UsageError("compare takes two tokenizers or more: -t NAME -t NAME (see tokexplorer compare --help)")
    tokenizers = [_open(name, args.split) for name in args.tokenizer]
    text = read_text([], args.file[0])
    with progress_bar() as bar:
        found = compare(
            text,
            [tokenizer or _words_of(text) for tokenizer in tokenizers],
            on_progress=lambda done, total: bar.show("comparing", done, total, "steps"),
        )
    out = Out()
    if args.json:
        out.object(_as_json(found))
    else:
        _print(out, found)
    return 0


def _open(name: str, split: str | None) -> Tokenizer | None:
    """The tokenizer of a name; None for the words of a text that is not read yet."""
    from tokexplorer.cli.common import find
    from tokexplorer.tokenizers.baselines import CharacterTokenizer

    if name == CHARACTERS:
        return CharacterTokenizer()
    return None if name == WORDS else find(name, split)


def _words_of(text: bytes) -> Tokenizer:
    from tokexplorer.tokenizers.baselines import WordTokenizer

    return WordTokenizer.of_text(text)


def _as_json(found: Comparison) -> dict[str, Any]:
    return {
        "tokenizers": [asdict(stats) for stats in found.stats],
        "agreement": [asdict(agreement) for agreement in found.agreement],
    }


def _print(out: Out, found: Comparison) -> None:
    out.line(
        f"{several(found.size, 'byte')}, {several(found.chars, 'character')}, {several(found.words, 'word')}; "
        f"{several(found.differing, 'cut')} not made by all"
    )
    heads = ("tokenizer", "vocabulary", "tokens", "bytes/token", "chars/token", "tokens/word", *WORD_HEADS)
    rows = [
        (
            out.safe(stats.name),
            f"{stats.size:,}",
            f"{stats.tokens:,}",
            f"{stats.bytes_per_token:.2f}",
            f"{stats.chars_per_token:.2f}",
            f"{stats.tokens_per_word:.2f}",
            f"{stats.whole_word_share:.1%}",
            f"{stats.partial:,}",
            f"{stats.distinct:,}",
            f"{stats.unknown:,}",
        )
        for stats in found.stats
    ]
    out.lines(columns("<" + ">" * 9, rows, heads))
    out.line()
    pairs = [
        (
            out.safe(agreement.first),
            out.safe(agreement.second),
            f"{agreement.share:.1%}",
            f"{agreement.common:,} of {agreement.union:,}",
            f"{agreement.saved:,}",
            f"{agreement.saved_share:.1%}",
        )
        for agreement in found.agreement
    ]
    pair_heads = ("first", "second", "agreement", "common cuts", "second saves", "share")
    out.lines(columns("<<>>>>", pairs, pair_heads))
