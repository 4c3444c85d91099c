"""Counting the chunks of files: on this machine, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Sequence

from tokexplorer.counting.files import ChunkCounts, counts_of
from tokexplorer.counting.workers import build_corpus
from tokexplorer.engine.corpus import Document, Progress, ShouldStop
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.splits import Split
from tokexplorer.files.file_documents import open_file


def count_files(
    paths: Sequence[str | Document],
    split: Split,
    dask: str | None = None,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
    min_chunk_count: int = 1,
    max_chunks: int | None = None,
) -> ChunkCounts:
    """The chunks of files with their counts, in the order of first occurrence over the files in the given order.

    `dask`: None counts here; `local` starts a cluster of processes on this machine, anything else is the address of
    one that runs, and paths may then be globs and whatever fsspec opens; the counts are the same. Chunks below
    `min_chunk_count` and the rarest beyond `max_chunks` are left out, which `left_out` says in places. InputError
    where a file cannot be read, UsageError where Dask is not installed, Cancelled where `should_stop` says so.
    """
    if dask is not None:
        if not all(isinstance(path, str) for path in paths):
            raise UsageError("standard input cannot be counted on a cluster; write it to a file that the workers see")
        names = [path for path in paths if isinstance(path, str)]
        from tokexplorer.counting.cluster import count_on_cluster

        return count_on_cluster(names, split, dask, on_progress, should_stop, min_chunk_count, max_chunks)
    documents = [open_file(path) if isinstance(path, str) else path for path in paths]
    corpus = build_corpus(documents, split, on_progress, should_stop, min_chunk_count, max_chunks)
    return counts_of(corpus)
