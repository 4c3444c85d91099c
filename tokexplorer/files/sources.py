"""Opening texts: files, standard input, the samples; every failure is one worded line."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import IO, Final

from tokexplorer.engine.corpus import Cancelled, Document, Progress, ShouldStop, TextDocument
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.glyphs import safe
from tokexplorer.files.file_documents import open_file, reason

STDIN: Final = "-"
STDIN_NAME: Final = "standard input"
HELD: Final = 1 << 25
"""Bytes up to which a file is held in memory as a whole; a larger one is read where it is looked at."""
STREAM_LIMIT: Final = 1 << 29
"""Bytes that are taken at most from what cannot be read twice: a pipe, standard input."""
_PART: Final = 1 << 20


def shown_path(path: str | Path) -> str:
    """A path as it may be shown: what is not printable stands in."""
    return safe(os.fsencode(os.fspath(path)))


def read_file(path: str | Path, pipes: bool = False) -> bytes:
    """The bytes of a regular file, or of a pipe where `pipes` allows it, which waits for the other end.

    InputError says why it could not be read; a device or a directory is never read.
    """
    with _open(path, pipes) as file:
        try:
            return read_stream(file, name=shown_path(path))
        except OSError as error:
            raise InputError(f"{shown_path(path)}: {reason(error)}") from error


def _open(path: str | Path, pipes: bool) -> IO[bytes]:
    name = shown_path(path)
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise InputError(f"{name}: is a directory, not a file")
        if not stat.S_ISREG(mode) and not (pipes and stat.S_ISFIFO(mode)):
            raise InputError(f"{name}: is not a regular file")
        return open(path, "rb")
    except OSError as error:
        raise InputError(f"{name}: {reason(error)}") from error
    except ValueError as error:
        raise InputError(f"{name}: is not a file name ({error})") from error


def read_stream(
    stream: IO[bytes],
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
    name: str = STDIN_NAME,
) -> bytes:
    """Everything that a stream gives; progress has 0 for the total, which is not known. What is no regular file is
    read up to STREAM_LIMIT, beyond it is an InputError. Raises Cancelled when asked to stop."""
    limit = None if _is_regular(stream) else STREAM_LIMIT
    parts: list[bytes] = []
    done = 0
    take = getattr(stream, "read1", stream.read)  # what is there now, where a stream can say so
    while part := take(_PART):
        parts.append(part)
        done += len(part)
        if limit is not None and done > limit:
            raise InputError(f"{name}: more than {limit >> 20} MB; write it to a file, which may be larger")
        if should_stop is not None and should_stop():
            raise Cancelled
        if on_progress is not None:
            on_progress(done, 0)
    return b"".join(parts)


def _is_regular(file: IO[bytes]) -> bool:
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except OSError:
        return False


def read_stdin() -> bytes:
    """All of standard input. InputError where it is closed, cannot be read, or has no end."""
    try:
        if sys.stdin is None:
            raise InputError(f"{STDIN_NAME} is closed")
        return read_stream(sys.stdin.buffer)
    except OSError as error:
        raise InputError(f"{STDIN_NAME}: {reason(error)}") from error


def open_document(path: str, pipes: bool = True) -> Document:
    """A document from a path, or from standard input for `-`. InputError where it cannot be read."""
    if path == STDIN:
        return TextDocument(STDIN_NAME, read_stdin())
    name = Path(path).name or path
    with _open(path, pipes) as file:
        if _is_regular(file) and os.fstat(file.fileno()).st_size > HELD:
            return open_file(path)
        try:
            return TextDocument(name, read_stream(file, name=shown_path(path)))
        except OSError as error:
            raise InputError(f"{shown_path(path)}: {reason(error)}") from error


def open_documents(paths: Sequence[str], pipes: bool = True) -> list[Document]:
    """The documents of several paths in order. InputError for the first that cannot be read, UsageError where
    standard input is named twice."""
    if list(paths).count(STDIN) > 1:
        raise UsageError("standard input can be read only once, but - is given twice")
    return [open_document(path, pipes) for path in paths]


def sample_folder() -> Path:
    """The folder of the sample texts: beside the package in a checkout, inside it when installed."""
    inside = Path(str(resources.files("tokexplorer"))) / "sample_texts"
    return inside if inside.is_dir() else inside.parent.parent / "sample_texts"


SAMPLE_ORDER: Final = ("english.txt", "hand_example.tsv", "nine_words.tsv", "code.py", "numbers.txt", "unicode.txt")


def sample_files() -> list[Path]:
    """The sample texts, the first one to open first."""
    folder = sample_folder()
    if not folder.is_dir():
        return []
    files = [p for p in folder.iterdir() if p.is_file() and not p.name.startswith(".")]
    order = {name: number for number, name in enumerate(SAMPLE_ORDER)}
    return sorted(files, key=lambda p: (order.get(p.name, len(order)), p.name))
