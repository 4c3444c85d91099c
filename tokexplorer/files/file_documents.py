"""Documents that stay in their files, however large."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe


@dataclass(frozen=True, slots=True)
class FileDocument:
    """A regular file, opened for each read, so that one that was changed or removed meanwhile is noticed.

    Made by `open_file`; `status` is what the file was when it was opened: size and time of change (ns).
    """

    path: str
    name: str
    status: tuple[int, int]

    @property
    def size(self) -> int:
        """Its size in bytes when it was opened."""
        return self.status[0]

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end). InputError where the file has changed, is gone or cannot be read."""
        try:
            with open(self.path, "rb", buffering=0) as file:
                now = os.fstat(file.fileno())
                if (now.st_size, now.st_mtime_ns) != self.status:
                    raise InputError(f"{self.name}: the file has changed since it was opened; open it again")
                file.seek(start)
                return _read_all(file, min(end, self.size) - start)
        except OSError as error:
            raise InputError(f"{self.name}: {reason(error)}") from error


def open_file(path: str | os.PathLike[str]) -> FileDocument:
    """The document of a regular file. InputError where it is none or cannot be read."""
    source = os.fspath(path)
    name = safe(os.fsencode(Path(source).name or source))
    try:
        with open(source, "rb", buffering=0, opener=_open_at_once) as file:
            status = os.fstat(file.fileno())
    except OSError as error:
        raise InputError(f"{name}: {reason(error)}") from error
    except ValueError as error:
        raise InputError(f"{name}: is not a file name ({error})") from error
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{name}: is not a regular file")
    return FileDocument(source, name, (status.st_size, status.st_mtime_ns))


def _open_at_once(path: str, flags: int) -> int:
    """Open without waiting for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _read_all(file: RawIOBase, size: int) -> bytes:
    parts: list[bytes] = []
    while size > 0:
        part = file.read(size)
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def reason(error: OSError) -> str:
    """Why a file could not be read, in a few words."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, NotADirectoryError):
        return "no such file (a part of the path is not a directory)"
    if isinstance(error, IsADirectoryError):
        return "is a directory, not a file"
    return (error.strerror or "cannot be read").lower()
