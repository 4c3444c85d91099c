"""Tokenizer files on disk: read whole within a bound, written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NoReturn

from tokexplorer.engine.errors import InputError
from tokexplorer.files.sources import shown_path
from tokexplorer.formats.values import MAX_BYTES


def read_bounded(path: str, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file of at most `limit` bytes. InputError for all else: folders, pipes, devices, files
    that are larger or that never end; none of them is waited for or read beyond the limit."""
    name = shown_path(path)
    try:
        _refuse_irregular(os.stat(path).st_mode, name)
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            _refuse_irregular(status.st_mode, name)
            if status.st_size > limit:
                raise InputError(f"{name}: {status.st_size:,} bytes; expected a tokenizer file of at most {limit:,}")
            data = file.read(limit + 1)
    except OSError as error:
        raise InputError(f"{name}: {_worded(error)}") from error
    except ValueError as error:
        raise InputError(f"{name}: is not a file name ({error})") from error
    if len(data) > limit:
        raise InputError(f"{name}: goes on beyond {limit:,} bytes; expected a tokenizer file of at most that")
    return data


def _refuse_irregular(mode: int, name: str) -> None:
    if stat.S_ISDIR(mode):
        raise InputError(f"{name}: is a folder; expected a tokenizer file, such as the tokenizer.json in it")
    if not stat.S_ISREG(mode):
        raise InputError(f"{name}: is not a regular file; expected a tokenizer file")


def _worded(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return "permission denied" if isinstance(error, PermissionError) else error.strerror or "cannot be read"


class Draft:
    """New files beside their targets, complete and on disk, that are not yet in place. `put` renames them all or none;
    whatever is not put is removed by `drop`."""

    def __init__(self, contents: Mapping[str, bytes], force: bool) -> None:
        self.targets = [_resolved(path) for path in contents]
        self._force = force
        self._drafts: list[str] = []
        for path in self.targets:
            _check_target(path, force)
        try:
            for target, data in zip(self.targets, contents.values()):
                self._drafts.append(_write_beside(target, data))
        except BaseException:
            self.drop()
            raise

    def contents(self) -> list[bytes]:
        """What stands in the new files, read back from disk."""
        return [read_bounded(path, limit=os.stat(path).st_size) for path in self._drafts]

    def put(self) -> None:
        """Rename every new file to its target; where one fails, those before it are taken back."""
        done: list[tuple[str, str | None]] = []
        kept: list[str | None] = []
        target = self.targets[0]
        try:
            for draft, target in zip(self._drafts, self.targets):
                _check_target(target, self._force)
                kept.append(_keep(target) if len(self.targets) > 1 else None)
                os.replace(draft, target)
                done.append((target, kept[-1]))
            for folder in {os.path.dirname(target) for target in self.targets}:
                _sync_folder(folder)
        except (OSError, InputError) as error:
            if len(self.targets) > 1:
                _take_back(done)
            _fail(target, error)
        finally:
            for path in kept:
                _remove(path)
        self._drafts = []

    def drop(self) -> None:
        """Remove what was not put in place."""
        for path in self._drafts:
            _remove(path)
        self._drafts = []


@contextlib.contextmanager
def drafted(contents: Mapping[str, bytes], force: bool) -> Iterator[Draft]:
    """A `Draft` of path -> content that leaves nothing behind unless it was put."""
    draft = Draft(contents, force)
    try:
        yield draft
    finally:
        draft.drop()


def _resolved(path: str) -> str:
    """The file behind symbolic links: it is replaced, not the link."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError) as error:
        _fail(path, error)


def _check_target(path: str, force: bool) -> None:
    name = shown_path(path)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        _fail(path, error)
    if stat.S_ISDIR(mode):
        raise InputError(f"{name}: is a folder; expected the name of a file to write")
    if not stat.S_ISREG(mode):
        raise InputError(f"{name}: is not a regular file, and is left alone")
    if not force:
        raise InputError(f"{name}: exists already; --force replaces it")


def _write_beside(target: str, data: bytes) -> str:
    folder = os.path.dirname(target)
    draft = None
    try:
        handle, draft = tempfile.mkstemp(prefix=f".{Path(target).name[:100]}.", suffix=".part", dir=folder)
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
            os.fchmod(handle, _mode_for(target))
    except (OSError, ValueError) as error:
        _remove(draft)
        _fail(target, error)
    except BaseException:
        _remove(draft)
        raise
    return draft


def _mode_for(target: str) -> int:
    """The permissions of the file that is replaced, else what a new file gets."""
    with contextlib.suppress(FileNotFoundError):
        return stat.S_IMODE(os.stat(target).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _keep(target: str) -> str | None:
    """A second name for the file that is about to be replaced; None where there is none."""
    if not os.path.exists(target):
        return None
    folder, name = os.path.split(target)
    kept = os.path.join(folder, f".{name[:100]}.{os.getpid()}.old")
    os.link(target, kept)
    return kept


def _take_back(undo: list[tuple[str, str | None]]) -> None:
    for target, kept in undo:
        if kept is None:
            _remove(target)
        else:
            os.replace(kept, target)


def _remove(path: str | None) -> None:
    if path is not None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _sync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems sync no folders
            raise
    finally:
        os.close(handle)


def _unwritable(path: str, error: Exception) -> InputError:
    if isinstance(error, InputError):
        return error
    reason = _worded(error) if isinstance(error, OSError) else str(error)
    if isinstance(error, FileNotFoundError):
        reason = "no such folder"
    return InputError(f"{shown_path(path)}: cannot be written ({reason})")


def _fail(path: str, error: Exception) -> NoReturn:
    raise _unwritable(path, error) from error
