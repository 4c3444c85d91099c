"""`tokexplorer count`: the chunks of texts with their counts, here or on a Dask cluster; all that training needs."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Final

from tokexplorer.cli.output import narrate, several
from tokexplorer.cli.parser import Parser
from tokexplorer.cli.progress import progress_bar, stop_wish
from tokexplorer.engine.errors import InputError, UsageError

if TYPE_CHECKING:
    from tokexplorer.counting import ChunkCounts

USAGE: Final = """FILE ... -o COUNTS [--split NAME|REGEX]
           [--min-chunk-count N] [--max-chunks N] [--dask ADDRESS] [--force]"""
EXAMPLE: Final = """
tokexplorer count *.txt -o corpus.counts
tokexplorer count 's3://bucket/*.txt' -o corpus.counts --dask tcp://10.0.0.1:8786
tokexplorer train corpus.counts --vocab-size 32768 -o corpus.tok"""

CANCELLED_STATUS: Final = 130


def declare(parser: Parser) -> None:
    """The arguments of `count`."""
    parser.add_words(
        "files", "FILE", "the texts; - is standard input; with --dask also globs and s3://, gs://, https://", least=1
    )
    parser.add_argument("-o", "--output", metavar="COUNTS", required=True, help="the file to write")
    parser.add_argument(
        "--split",
        metavar="NAME|REGEX",
        default="gpt2",
        help="gpt2 (default), cl100k, o200k, none, lines, words, or a pattern",
    )
    parser.add_chunk_bounds()
    parser.add_argument("--dask", metavar="ADDRESS", help="count on this Dask cluster; local starts one here")
    parser.add_argument("--force", action="store_true", help="replace existing COUNTS")


def run(args: argparse.Namespace) -> int:
    """Count; the exit status. All that it says is narration."""
    from tokexplorer.cli.common import named_split
    from tokexplorer.counting import count_files, write_counts
    from tokexplorer.engine.corpus import Cancelled
    from tokexplorer.files.sources import STDIN, open_documents

    split = named_split(args.split)
    if os.path.lexists(args.output) and not args.force:
        raise InputError(f"{args.output}: exists already; --force replaces it")
    if args.dask is not None and STDIN in args.files:
        raise UsageError("--dask cannot read standard input: write it to a file that all workers see")
    with progress_bar() as bar:
        texts = args.files if args.dask is not None else open_documents(args.files)
        try:
            with stop_wish() as wish:
                counts = count_files(
                    texts,
                    split,
                    args.dask,
                    lambda done, total: bar.show("counting", done, total, "bytes"),
                    wish,
                    args.min_chunk_count,
                    args.max_chunks,
                )
        except Cancelled:
            narrate(f"{args.output}: not written, counting was stopped")
            return CANCELLED_STATUS
    write_counts(args.output, counts, args.force)
    _tell(args.output, counts)
    return 0


def _tell(path: str, counts: ChunkCounts) -> None:
    stats = counts.stats
    left_out = f"; {several(counts.left_out, 'place')} left out" if counts.left_out else ""
    narrate(
        f"written: {path}: {several(len(counts.counts), 'distinct chunk')} of {stats.chunks:,} in "
        f"{several(stats.bytes, 'byte')}{left_out}"
    )
