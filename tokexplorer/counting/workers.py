"""Counting the chunks of large texts in several processes at once; the result is that of one process, in its order."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from tokexplorer import counting_worker
from tokexplorer.engine import corpus as engine_corpus
from tokexplorer.engine.chunking import ChunkTally
from tokexplorer.engine.corpus import (
    READ_SIZE,
    Cancelled,
    Corpus,
    Document,
    Progress,
    ShouldStop,
    corpus_of_tally,
    read_pieces,
)
from tokexplorer.engine.splits import Split

WORTH: Final = 4_000_000
"""Bytes of text from which on starting processes pays."""
MOST_WORKERS: Final = 4
"""More workers would wait for the one process that adds up what they found."""
_POLL: Final = 0.05
_CUT_WINDOWS: Final = (1 << 16, 1 << 20)

Span = tuple[int, int, int]
"""(number of the document, start, end) in bytes"""

_CODE: Final = (
    "import sys; sys.path[:] = sys.argv.pop(1).split('\\n'); from tokexplorer.counting_worker import main; main()"
)


def build_corpus(
    documents: Sequence[Document],
    split: Split,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
    min_chunk_count: int = 1,
    max_chunks: int | None = None,
    workers: int | None = None,
) -> Corpus:
    """`engine.corpus.build_corpus`, with large texts counted in several processes (None: as the processor has cores).

    Where no process can be started, or one dies, all is counted in this one. Raises what the other does.
    """
    count = _worker_count(documents, split) if workers is None else workers
    if count > 1:
        shares = [share for share in _shares(documents, split, count) if share]
        if len(shares) > 1:
            built = _count_in_processes(documents, split, shares, on_progress, should_stop, max_chunks)
            if built is not None:
                tally, starts = built
                tally.cut(min_chunk_count, max_chunks)
                return corpus_of_tally(documents, split, tally, starts)
    return engine_corpus.build_corpus(documents, split, on_progress, should_stop, min_chunk_count, max_chunks)


def _worker_count(documents: Sequence[Document], split: Split) -> int:
    if not split.has_cuts or not sys.executable or getattr(sys, "frozen", False):
        return 1
    if sum(d.size for d in documents) < WORTH:
        return 1
    return min(_cores(), MOST_WORKERS)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _shares(documents: Sequence[Document], split: Split, count: int) -> list[list[Span]]:
    """The documents' bytes in `count` shares of about the same size, in order, cut at sure chunk borders."""
    total = sum(d.size for d in documents)
    shares: list[list[Span]] = [[] for _ in range(count)]
    before = 0
    for number, document in enumerate(documents):
        start = 0
        while start < document.size:
            share = min(before * count // total, count - 1)
            wanted = (share + 1) * total // count - before + start
            end = _cut_near(document, split, wanted) if share < count - 1 and wanted < document.size else document.size
            shares[share].append((number, start, end))
            before += end - start
            start = end
    return shares


def _cut_near(document: Document, split: Split, at: int) -> int:
    """The first sure border after `at`, the document's end where none is near."""
    for window in _CUT_WINDOWS:
        cut = split.safe_cut(document.read(at, min(document.size, at + window)), 0)
        if cut is not None:
            return at + cut
    return document.size


@dataclass(slots=True)
class _Share:
    """One worker with what it is fed and what came back."""

    spans: list[Span]
    process: subprocess.Popen[bytes]
    starts: list[tuple[int, int]] = field(default_factory=list)
    """(number of the document, start of a piece)"""
    fed: int = 0
    batches: list[dict[str, int]] = field(default_factory=list)
    totals: counting_worker.Totals | None = None
    error: BaseException | None = None
    thread: threading.Thread | None = None

    def work(self, documents: Sequence[Document], split: Split) -> None:
        """Feed the worker and gather its counts; runs in a thread of its own."""
        try:
            self._feed(documents, split)
            output = self.process.stdout
            assert output is not None
            for found in counting_worker.read_counts(output):
                if isinstance(found, tuple):
                    self.totals = found
                else:
                    self.batches.append(found)
        except (EOFError, ValueError, TypeError):
            self.totals = None
        except BaseException as error:
            self.error = error

    def _feed(self, documents: Sequence[Document], split: Split) -> None:
        stream = self.process.stdin
        assert stream is not None
        for number, start, end in self.spans:
            document = documents[number]
            for at, piece in read_pieces(document, split, start=start, stop=end):
                self.starts.append((number, at))
                if not _send(stream, piece, at + len(piece) >= document.size):
                    raise EOFError
                self.fed += len(piece)
        if not _send(stream, None, True):
            raise EOFError

    def is_working(self) -> bool:
        """Whether it is not done yet; waits a moment for it."""
        assert self.thread is not None
        self.thread.join(_POLL)
        return self.thread.is_alive()

    def end(self) -> None:
        """End the worker, whatever it does."""
        self.process.kill()
        if self.thread is not None:
            self.thread.join()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                _close(stream)
        self.process.wait()


def _send(stream: IO[bytes], piece: bytes | None, last: bool) -> bool:
    """Whether the worker still takes a piece (None: the end)."""
    try:
        if piece is None:
            counting_worker.write_end(stream)
            stream.close()
        else:
            counting_worker.write_piece(stream, piece, last)
    except (BrokenPipeError, ConnectionError):
        return False
    return True


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:
        return


def _start(split: Split, bound: int | None) -> subprocess.Popen[bytes]:
    path = "\n".join([str(Path(counting_worker.__file__).parent.parent), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _CODE, path, split.pattern, str(bound or 0)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=READ_SIZE,
        start_new_session=True,
    )


def _count_in_processes(
    documents: Sequence[Document],
    split: Split,
    spans: Sequence[list[Span]],
    on_progress: Progress | None,
    should_stop: ShouldStop | None,
    bound: int | None,
) -> tuple[ChunkTally, list[array[int]]] | None:
    """The tally and the starts of the pieces; None where the processes could not do it."""
    total = sum(d.size for d in documents)
    shares: list[_Share] = []
    try:
        if not _start_all(shares, documents, split, spans, bound):
            return None
        while any(share.is_working() for share in shares):
            if should_stop is not None and should_stop():
                raise Cancelled
            if on_progress is not None:
                on_progress(sum(share.fed for share in shares), total)
            for share in shares:
                if share.error is not None:
                    raise share.error
    finally:
        for share in shares:
            share.end()
    for share in shares:
        if share.error is not None:
            raise share.error
        if share.totals is None:
            return None
    return _add_up(documents, split, shares, should_stop, bound)


def _start_all(
    shares: list[_Share],
    documents: Sequence[Document],
    split: Split,
    spans: Sequence[list[Span]],
    bound: int | None,
) -> bool:
    """Fill `shares` with workers that run; False where they cannot be started."""
    try:
        for own in spans:
            shares.append(_Share(own, _start(split, bound)))
        for share in shares:
            thread = threading.Thread(target=share.work, args=(documents, split), daemon=True)
            thread.start()
            share.thread = thread
    except (OSError, RuntimeError):
        return False
    return True


def _add_up(
    documents: Sequence[Document],
    split: Split,
    shares: Sequence[_Share],
    should_stop: ShouldStop | None,
    bound: int | None,
) -> tuple[ChunkTally, list[array[int]]]:
    tally = ChunkTally(split, bound)
    starts: list[array[int]] = [array("q") for _ in documents]
    for share in shares:
        for number, at in share.starts:
            starts[number].append(at)
        assert share.totals is not None
        tally.merge({}, *share.totals)
        share.batches.reverse()
        while share.batches:
            if should_stop is not None and should_stop():
                raise Cancelled
            tally.merge(share.batches.pop(), 0, 0, 0)
    return tally, starts
