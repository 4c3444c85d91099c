"""Files of the program's own, written whole or not at all: a temporary file in the same folder, synced, renamed."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe

TEMPORARY: Final = ".tmp-"
"""What stands between a file's name and the number of the write in the name of a file that is not finished."""


def write_whole(path: Path, data: bytes, number: int = 0, may_replace: Callable[[], bool] | None = None) -> bool:
    """Put `data` in place of the file at `path`, readable by its owner only; the folder is made where it is missing.

    Whoever reads, and a crash at any moment, finds the old file or the new one. Two writes at the same time need
    different numbers. `may_replace` is asked when all is on disk; where it says no, the old file stays and the result
    is False. InputError where it cannot be written; the old file is then as it was.
    """
    draft = path.with_name(f"{path.name}{TEMPORARY}{number}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            _write_synced(draft, data)
            if may_replace is not None and not may_replace():
                draft.unlink(missing_ok=True)
                return False
            os.replace(draft, path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error
    return True


def unwritable(path: Path, error: OSError | ValueError) -> InputError:
    """The one line that says why a file could not be written."""
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(f"{safe(str(path))}: cannot be written: {reason[:1].lower()}{reason[1:]}")


def _write_synced(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Bring a renaming to the disk. Some file systems cannot sync a folder; the renaming itself is done by then."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(handle)
