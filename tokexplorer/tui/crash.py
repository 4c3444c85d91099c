"""An internal error as a reader is told of it: what happened in one line; the traceback goes into a file to send."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from textual.worker import WorkerFailed

from tokexplorer import __version__, paths
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe
from tokexplorer.files.whole_files import write_whole

KEEP: Final = 10
"""Reports that are kept, the newest ones."""
_PREFIX: Final = "error-"
_WORDS: Final = 300
"""Cells of an error's own words on screen."""


def cause(error: BaseException) -> BaseException:
    """The error itself where Textual has wrapped it."""
    return error.error if isinstance(error, WorkerFailed) and error.error is not None else error


def what_happened(error: BaseException) -> str:
    """The error in one safe line: its kind, its words, its place."""
    error = cause(error)
    words = safe(str(error), _WORDS)
    kind = type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if f"{os.sep}tokexplorer{os.sep}" in frame.filename] or frames
    place = f" ({os.path.basename(own[-1].filename)}, line {own[-1].lineno})" if own else ""
    return (f"{kind}: {words}" if words else kind) + place


def write_report(error: BaseException, doing: str = "") -> Path:
    """Write a file with the traceback and the versions; holds no text but what the error's own words quote.

    InputError where it cannot be written. Only the newest KEEP reports stay.
    """
    folder = paths.state_folder() / "errors"
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    path = folder / f"{_PREFIX}{stamp}-{os.getpid()}.txt"
    trace = "".join(traceback.format_exception(cause(error)))
    lines = [
        f"tokexplorer {__version__}, Python {platform.python_version()}, {platform.platform()}",
        "textual {}, rich {}".format(*map(_version, ("textual", "rich"))),
        f"TERM={os.environ.get('TERM', '')} COLORTERM={os.environ.get('COLORTERM', '')}",
        f"arguments: {len(sys.argv) - 1}" + (f", at work: {doing}" if doing else ""),
        "",
        trace,
    ]
    write_whole(path, "\n".join(lines).encode("utf-8", "backslashreplace"))
    for old in sorted(folder.glob(f"{_PREFIX}*"))[:-KEEP]:
        old.unlink(missing_ok=True)
    return path


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def screen(error: BaseException, kept: str, doing: str = "") -> str:
    """The lines that tell of an internal error. `kept` says in one clause where the session is."""
    try:
        report = f"send this file, which holds the details: {safe(str(write_report(error, doing)))}"
    except (InputError, OSError) as problem:
        report = f"the details could not be written ({safe(str(problem))}); send the line above"
    return (
        "tokexplorer has met an error of its own and had to end.\n"
        f"  what happened  {what_happened(error)}\n"
        f"  your session   {kept}\n"
        f"  to report it   {report}\n"
    )
