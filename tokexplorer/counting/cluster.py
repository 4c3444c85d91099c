"""Counting on a Dask cluster: ranges of files are counted where a worker is free, and added up as a tree, in order.

Dask gives a range that failed, or whose worker died, to another worker. A range starts and ends at the first sure chunk
border after its bounds, so two workers that never speak to each other agree on every byte.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from tokexplorer.counting.files import ChunkCounts
from tokexplorer.engine.chunking import ChunkTally, count_broken
from tokexplorer.engine.corpus import Cancelled, CorpusStats, Progress, ShouldStop, TextDocument, read_pieces
from tokexplorer.engine.errors import InputError, TokexplorerError, UsageError
from tokexplorer.engine.glyphs import safe
from tokexplorer.engine.splits import Split, compile_split

LOCAL: Final = "local"
RANGE: Final = 32 * 1024 * 1024
"""Bytes that one task counts."""
FAN_IN: Final = 4
"""Results that one task adds up."""
RETRIES: Final = 3
_CONNECT: Final = 10.0
_POLL: Final = 0.1
_WINDOW: Final = 1 << 16
_KEYS: Final = ("size", "mtime", "ETag", "LastModified", "last_modified", "etag")

Part = tuple[dict[str, int], int, int, int]
"""counts in order, characters, lines, places left out"""


@dataclass(frozen=True, slots=True)
class Remote:
    """A file that fsspec opens. `size` is None where it is not known beforehand."""

    url: str
    size: int | None
    mark: tuple[str, ...]
    """what changes when the file does"""

    @property
    def name(self) -> str:
        return safe(self.url)


class _Opened:
    """A document that is read from an open file."""

    def __init__(self, name: str, file: Any, size: int) -> None:
        self.name = name
        self.size = size
        self._file = file

    def read(self, start: int, end: int) -> bytes:
        self._file.seek(start)
        return bytes(self._file.read(end - start))


def count_on_cluster(
    paths: Sequence[str],
    split: Split,
    address: str,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
    min_chunk_count: int = 1,
    max_chunks: int | None = None,
) -> ChunkCounts:
    """`count_files` on the cluster at `address`, or on one of this machine's own processes for `local`."""
    files = list(_expand(paths))
    with ExitStack() as stack:
        client = stack.enter_context(_connected(address))
        futures = _submit(client, files, split, max_chunks or 0)
        try:
            _wait(futures, on_progress, should_stop)
            part: Part = _result(futures[-1][0]) if futures else ({}, 0, 0, 0)
        finally:
            client.cancel([future for future, _ in futures], force=True)
    if [f.mark for f in _expand([f.url for f in files])] != [f.mark for f in files]:
        raise InputError("a file has changed while it was counted; count again")
    tally = ChunkTally(split, max_chunks)
    tally.merge(*part)
    tally.cut(min_chunk_count, max_chunks)
    return _assemble(files, split, tally)


def _assemble(files: Sequence[Remote], split: Split, tally: ChunkTally) -> ChunkCounts:
    sizes = [f.size or 0 for f in files]
    stats = CorpusStats(
        bytes=sum(sizes),
        characters=tally.characters,
        lines=tally.lines,
        chunks=sum(tally.counts.values()) + tally.left_out,
        unique_chunks=len(tally.counts),
        invalid_bytes=count_broken(tally.counts),
    )
    return ChunkCounts(split, tally.counts, stats, tally.left_out, tuple(zip([f.name for f in files], sizes)))


def _expand(paths: Sequence[str]) -> Iterator[Remote]:
    """The files behind paths, URLs and globs, those of a glob in the order of their names."""
    fsspec = _fsspec()
    for path in paths:
        try:
            system, inner = fsspec.core.url_to_fs(path)
            found = [inner]
            if any(c in inner for c in "*?[") and not system.exists(inner):
                found = sorted(system.glob(inner))
            if not found:
                raise InputError(f"{safe(path)}: no file matches")
            for name in found:
                info = system.info(name)
                if info.get("type") == "directory":
                    raise InputError(f"{safe(path)}: is a directory, not a file")
                url = name if len(found) == 1 and name == path else system.unstrip_protocol(name)
                yield Remote(url, info.get("size"), tuple(str(info.get(key)) for key in _KEYS))
        except FileNotFoundError as error:
            raise InputError(f"{safe(path)}: no such file") from error
        except (OSError, ValueError, ImportError) as error:
            raise InputError(f"{safe(path)}: {_line(error)}") from error


def _fsspec() -> Any:
    try:
        return import_module("fsspec")
    except ImportError as error:
        raise _not_installed() from error


def _not_installed() -> UsageError:
    return UsageError('counting on a cluster needs Dask: pip install "tokexplorer[dask]"')


def _line(error: BaseException) -> str:
    return safe(" ".join(str(error).split()) or type(error).__name__, 200)


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise _not_installed() from error
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        stack.callback(logger.setLevel, level)
        try:
            if address == LOCAL:
                cluster = distributed.LocalCluster(
                    threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
                )
                client = distributed.Client(stack.enter_context(cluster))
            else:
                client = distributed.Client(address, timeout=_CONNECT)
            stack.enter_context(client)
        except (OSError, ValueError, TimeoutError, RuntimeError) as error:
            raise InputError(f"no Dask cluster at {safe(address)}: {_line(error)}") from error
        yield client


def _submit(client: Any, files: Sequence[Remote], split: Split, bound: int) -> list[tuple[Any, int]]:
    """The tasks with the bytes that each counts (0 where it adds up), the last one being the whole result."""
    options = {"pure": False, "retries": RETRIES}
    tasks: list[tuple[Any, int]] = []
    for file in files:
        for start, end in _ranges(file, split):
            future = client.submit(count_range, file, start, end, split.pattern, bound, **options)
            tasks.append((future, _width(file, start, end)))
    level = [future for future, _ in tasks]
    while len(level) > 1:
        groups = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
        level = [client.submit(add_up, group, split.pattern, bound, **options) for group in groups]
        tasks += [(future, 0) for future in level]
    return tasks


def _width(file: Remote, start: int, end: int | None) -> int:
    return ((file.size or 0) if end is None else end) - start


def _ranges(file: Remote, split: Split) -> Iterator[tuple[int, int | None]]:
    """The ranges of a file; the end None is the file's end."""
    size = file.size
    if size is None or not split.has_cuts or size <= RANGE:
        yield 0, None
        return
    parts = -(-size // RANGE)
    for i in range(parts):
        yield i * size // parts, (i + 1) * size // parts if i + 1 < parts else None


def _wait(tasks: Sequence[tuple[Any, int]], on_progress: Progress | None, should_stop: ShouldStop | None) -> None:
    total = sum(width for _, width in tasks)
    told = 0
    while tasks and tasks[-1][0].status == "pending":
        if should_stop is not None and should_stop():
            raise Cancelled
        failed = [future for future, _ in tasks if future.status in ("error", "cancelled", "lost")]
        if failed:
            _result(failed[0])
        told = max(told, sum(width for future, width in tasks if future.status == "finished"))
        if on_progress is not None:
            on_progress(told, total)
        time.sleep(_POLL)
    if on_progress is not None:
        on_progress(total, total)


def _result(future: Any) -> Part:
    try:
        part: Part = future.result()
    except TokexplorerError:
        raise
    except Exception as error:
        raise InputError(f"the cluster could not count: {type(error).__name__}: {_line(error)}") from error
    return part


def count_range(file: Remote, start: int, end: int | None, pattern: str, bound: int) -> Part:
    """Count the chunks between the first borders after two offsets; runs on a worker."""
    split = compile_split(pattern)
    tally = ChunkTally(split, bound or None)
    try:
        with _fsspec().open(file.url, "rb") as opened:
            if file.size is None:
                document: Any = TextDocument(file.name, opened.read())
            else:
                document = _Opened(file.name, opened, file.size)
            first = _border_after(document, split, start) if start else 0
            stop = document.size if end is None else _border_after(document, split, end)
            for at, piece in read_pieces(document, split, start=first, stop=stop):
                tally.add(piece, at + len(piece) >= document.size)
    except FileNotFoundError as error:
        raise InputError(f"{file.name}: no such file on a worker of the cluster") from error
    return dict(tally.counts), tally.characters, tally.lines, tally.left_out


def add_up(parts: Sequence[Part], pattern: str, bound: int) -> Part:
    """Add up what was counted in texts that follow each other; runs on a worker."""
    tally = ChunkTally(compile_split(pattern), bound or None)
    for part in parts:
        tally.merge(*part)
    return dict(tally.counts), tally.characters, tally.lines, tally.left_out


def _border_after(document: Any, split: Split, at: int) -> int:
    """The first sure chunk border after an offset, the document's end where there is none."""
    window = _WINDOW
    while at + window < document.size:
        cut = split.safe_cut(document.read(at, at + window), 0)
        if cut is not None:
            return int(at + cut)
        window *= 2
    cut = split.safe_cut(document.read(at, document.size), 0)
    return int(document.size if cut is None else at + cut)
