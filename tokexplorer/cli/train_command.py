"""`tokexplorer train`: learn a tokenizer from texts, print its merges, write it to a file."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tokexplorer.cli.output import Out, columns, narrate, ratio, several
from tokexplorer.cli.parser import Parser, positive, whole
from tokexplorer.cli.progress import progress_bar, stop_wish
from tokexplorer.engine.errors import InputError

if TYPE_CHECKING:
    from tokexplorer.cli.algorithms import Trained
    from tokexplorer.cli.learning import Learned, Options

USAGE: Final = """FILE ... --vocab-size N | --merges N
           [--split NAME|REGEX] [--alphabet bytes|chars|words] [--algorithm bpe|wordpiece|unigram]
           [--ties first|lowest] [--min-count N] [--special TEXT ...] [--word-counts]
           [--min-chunk-count N] [--max-chunks N] [-o MODEL] [--force] [--json]"""
EXAMPLE: Final = """
tokexplorer train book.txt --vocab-size 1000 -o book.tok
tokexplorer train words.tsv --word-counts --merges 10 --json"""

SHOWN_CELLS: Final = 24
CANCELLED_STATUS: Final = 130


def declare(parser: Parser) -> None:
    """The arguments of `train`."""
    parser.add_words("files", "FILE", "texts to learn from, each a document of its own; - is standard input", least=1)
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument(
        "--vocab-size", type=whole, metavar="N", help="base symbols and merges to end with (special tokens come on top)"
    )
    target.add_argument("--merges", type=whole, metavar="N", help="how many merges to make")
    parser.add_argument(
        "--split", metavar="NAME|REGEX", help="gpt2 (default), cl100k, o200k, none, lines, words, or a pattern"
    )
    parser.add_argument(
        "--alphabet", choices=("bytes", "chars", "words"), help="base symbols (default: bytes; words for word counts)"
    )
    parser.add_argument("--algorithm", choices=("bpe", "wordpiece", "unigram"), default="bpe", help="default: bpe")
    parser.add_argument(
        "--ties", choices=("first", "lowest"), default="first", help="which of several best pairs wins (default: first)"
    )
    parser.add_argument("--min-count", type=positive, default=1, metavar="N", help="merge no pair that is rarer")
    parser.add_argument(
        "--special",
        action="extend",
        nargs="+",
        default=[],
        metavar="TEXT",
        help="special tokens; their ids follow the merges",
    )
    parser.add_argument("--word-counts", action="store_true", help="the files list words: word, tab, count")
    parser.add_chunk_bounds()
    parser.add_argument("-o", "--output", metavar="MODEL", help="write the tokenizer to this file")
    parser.add_argument("--force", action="store_true", help="overwrite an existing MODEL")
    parser.add_json()


def run(args: argparse.Namespace) -> int:
    """Train; the exit status."""
    from tokexplorer.cli.learning import learn, special_texts, split_for
    from tokexplorer.engine.corpus import Cancelled
    from tokexplorer.engine.training import StopReason
    from tokexplorer.files.sources import open_documents

    options = _options(args)
    split = split_for(options)
    special_texts(options.specials)
    if args.output is not None and os.path.lexists(args.output) and not args.force:
        raise InputError(f"{args.output}: exists already; --force replaces it")
    documents = open_documents(args.files)
    for document in documents:
        if not document.size:
            narrate(f"{document.name}: is empty")
    with progress_bar() as bar, stop_wish() as wish:
        try:
            learned = learn(options, split, documents, bar, wish)
        except Cancelled:
            return CANCELLED_STATUS
    cancelled = learned.trained.stop is StopReason.CANCELLED
    if args.output is not None and not cancelled:
        _write(learned, args.output, args.force)
    out = Out()
    if args.json:
        _print_json(out, learned)
    else:
        _print_table(out, learned)
    if cancelled and args.output is not None:
        narrate(f"{args.output}: not written, training was stopped")
    return CANCELLED_STATUS if cancelled else 0


def _options(args: argparse.Namespace) -> Options:
    from tokexplorer.cli.learning import Options
    from tokexplorer.engine.alphabet import AlphabetKind
    from tokexplorer.engine.choosing import TieRule

    return Options(
        files=args.files,
        vocab_size=args.vocab_size,
        merges=args.merges,
        split=args.split,
        alphabet=AlphabetKind(args.alphabet) if args.alphabet else None,
        algorithm=args.algorithm,
        ties=TieRule(args.ties),
        min_count=args.min_count,
        specials=args.special,
        word_counts=args.word_counts,
        min_chunk_count=args.min_chunk_count,
        max_chunks=args.max_chunks,
    )


def _write(learned: Learned, path: str, force: bool) -> None:
    from tokexplorer.formats import write_model

    report = write_model(learned.model, path, "own", force)
    narrate(f"written: {', '.join(report.files)}")


def _print_json(out: Out, learned: Learned) -> None:
    trained = learned.trained
    head = {
        "algorithm": learned.options.algorithm,
        "split": learned.split_name,
        "ties": learned.options.ties.value,
        "vocab_size": trained.vocab_size,
        "bytes": learned.text_bytes,
        "tokens": trained.tokens,
        "stop": trained.stop.value,
    }
    out.object(head, "merges", _rows(trained))


def _rows(trained: Trained) -> Iterator[str]:
    for merge in trained.merges:
        yield json.dumps(
            {
                "step": merge.step,
                "left": merge.left,
                "right": merge.right,
                "id": merge.new,
                "hex": trained.data[merge.new].hex(),
                "count": merge.count,
                "tokens": merge.tokens_after,
            }
        )


def _print_table(out: Out, learned: Learned) -> None:
    stats, trained, options = learned.corpus.stats, learned.trained, learned.options
    gone = learned.corpus.left_out
    left_out = f"; {several(gone, 'place')} left out" if gone else ""
    names = ", ".join(out.safe(document.name) for document in learned.corpus.documents)
    out.line(
        f"{names}: {several(learned.text_bytes, 'byte')}, {several(stats.chunks, 'chunk')}, "
        f"{stats.unique_chunks:,} of them distinct{left_out}"
    )
    ties = f", ties {options.ties.value}" if options.algorithm != "unigram" else ""
    out.line(f"{options.algorithm}, alphabet {trained.alphabet.value}, split {out.safe(learned.split_name)}{ties}")
    out.lines(_round_lines(trained) if trained.rounds else _merge_lines(out, trained))
    if any(merge.tied > 1 for merge in trained.merges):
        out.line(f"= tied with others; the rule is {options.ties.value}")
    for text, token_id in learned.model.specials.items():
        out.line(f"special token {out.safe(text)} has id {token_id}")
    made = several(len(trained.rounds), "round") if trained.rounds else several(len(trained.merges), "merge")
    out.line(
        f"{trained.stop_words}: {made}, {trained.vocab_size:,} in the vocabulary, "
        f"{trained.start_tokens:,} -> {several(trained.tokens, 'token')}, "
        f"{ratio(learned.kept_bytes, trained.tokens)} bytes/token"
    )


def _merge_lines(out: Out, trained: Trained) -> Iterator[str]:
    labels = trained.labels
    rows = [
        (
            str(merge.step),
            out.show(labels[merge.left], SHOWN_CELLS),
            "+ " + out.show(labels[merge.right], SHOWN_CELLS),
            out.show(labels[merge.new], SHOWN_CELLS),
            str(merge.new),
            f"{merge.count:,}{'=' if merge.tied > 1 else ' '}",
            f"{merge.tokens_after:,}",
        )
        for merge in trained.merges
    ]
    heads = ("step", "left", "+ right", "token", "id", "count ", "tokens")
    return columns("><<<>>>", rows, heads) if rows else iter(())


def _round_lines(trained: Trained) -> Iterator[str]:
    rows = [
        (
            str(step.step),
            f"{step.size_before:,}",
            f"{step.size_after:,}",
            f"{step.tokens_after:,}",
            f"{step.likelihoods[-1]:,.0f}",
        )
        for step in trained.rounds
    ]
    return columns(">>>>>", rows, ("round", "pieces", "left", "tokens", "log likelihood"))
