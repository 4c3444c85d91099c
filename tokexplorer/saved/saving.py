"""Saved sessions on disk: one file and one lock for each running explorer, so that no two write the same file.

The lock (flock on a file beside the session's) goes with the process, however it ends: a session that did not end
cleanly and whose lock is free was left behind by a program that was killed or broke off.
"""

from __future__ import annotations

import errno
import itertools
import os
import secrets
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Final

from tokexplorer import paths
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe
from tokexplorer.files.whole_files import unwritable, write_whole
from tokexplorer.saved.saved_session import (
    HEADING_LIMIT,
    Heading,
    SavedSession,
    Unreadable,
    heading_for,
    heading_from,
    session_from,
    to_file,
    with_clean_end,
)

KEEP: Final = 20
"""Sessions that are kept, the newest ones."""
PREFIX: Final = "session-"
SUFFIX: Final = ".json"
_LOCK: Final = ".lock"
_CORRUPT: Final = ".corrupt-"
_PATIENCE: Final = 0.2
"""Seconds that a lock is waited for: others hold it for a moment while they look whether it is free."""


class InUse(InputError):
    """Another running explorer owns the session."""


@dataclass(frozen=True, slots=True)
class Found:
    """A saved session in the list. `in_use`: a running explorer writes it."""

    path: Path
    heading: Heading
    in_use: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """The saved sessions, the last one first, and lines for the user on files that could not be read."""

    found: tuple[Found, ...]
    notes: tuple[str, ...]

    @property
    def last(self) -> Found | None:
        """The last session that no running explorer owns."""
        return next((f for f in self.found if not f.in_use), None)

    @property
    def ended_badly(self) -> tuple[Found, ...]:
        """Sessions whose program was killed or broke off."""
        return tuple(f for f in self.found if not f.in_use and not f.heading.clean_end)


class Slot:
    """The session file of this very explorer. Saving may be asked for by several threads at once."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self.created = _now()
        self._lock = lock
        self._numbers = itertools.count(1)
        self._newest = 0
        self._replacing = RLock()
        self._open = True

    def save(self, session: SavedSession, clean_end: bool = False) -> bool:
        """Write the session whole. False where a save that was begun later was quicker: its state is newer and stays.

        It waits for the disk, so it belongs into a thread while a screen is live. InputError where it cannot be
        written; what was saved before is then untouched.
        """
        number = next(self._numbers)
        data = to_file(heading_for(session, self.created, _now(), clean_end), session)

        def newest() -> bool:
            if number < self._newest:
                return False
            self._newest = number
            return True

        with self._replacing:
            if not self._open:
                raise InputError(f"{safe(self.path.name)}: the session was given back already")
            return write_whole(self.path, data, number, newest)

    def close(self) -> None:
        """Give the session back: its file stays, its lock goes."""
        with self._replacing:
            if self._open:
                self._open = False
                _unlock(self.path, self._lock)


def open_slot(folder: Path | None = None, keep: int = KEEP) -> Slot:
    """A new session file of our own, locked; it is written at the first save. Removes all but the newest `keep`.

    InputError where the folder cannot be written or its file system knows no locks.
    """
    folder = folder or paths.sessions_folder()
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    path = folder / f"{PREFIX}{stamp}-{secrets.token_hex(4)}{SUFFIX}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        slot = Slot(path, _locked(path))
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        prune(folder, keep)
    except OSError as error:
        slot.close()
        raise unwritable(folder, error) from error
    return slot


def take(path: Path) -> tuple[SavedSession, Slot]:
    """Go on with a saved session: what is in it, and its file as our own.

    Do not save before all of it is restored, or what was not would be lost. InUse where a running explorer owns it;
    InputError where it is missing, newer than this program, or broken: a broken one is set aside, which is said.
    """
    where = safe(path.name)
    try:
        if not path.is_file():
            raise InputError(f"{where}: there is no such saved session")
        lock = _locked(path)
    except OSError as error:
        raise unwritable(path, error) from error
    slot = Slot(path, lock)
    try:
        heading, session = session_from(_read(path), where)
    except Unreadable as error:
        with closing(slot):
            raise InputError(f"{error}; it is set aside as {safe(set_aside(path).name)}") from error
    except BaseException:
        slot.close()
        raise
    slot.created = heading.created
    return session, slot


def load(path: Path) -> SavedSession:
    """What is in a saved session's file, without taking it. InputError where it cannot be read."""
    return session_from(_read(path), safe(path.name))[1]


def dismiss(path: Path) -> None:
    """Mark a session that ended badly as ended, so that it is not asked about again; it is kept. Raises as `take`."""
    _, slot = take(path)
    try:
        write_whole(path, with_clean_end(_read(path), safe(path.name)))
    finally:
        slot.close()


def sessions(folder: Path | None = None) -> Listing:
    """All saved sessions. Only headings are read; what is broken is set aside, what is newer left alone, both said."""
    folder = folder or paths.sessions_folder()
    found: list[Found] = []
    notes: list[str] = []
    for path in _files(folder):
        try:
            found.append(Found(path, _heading(path), _in_use(path)))
        except FileNotFoundError:
            continue  # another explorer has just removed it
        except Unreadable as error:
            notes.append(_aside_unless_used(path, str(error)))
        except InputError as error:
            notes.append(str(error))
    found.sort(key=lambda f: (f.heading.updated, f.path.name), reverse=True)
    return Listing(tuple(found), tuple(notes))


def last_session(folder: Path | None = None) -> Found | None:
    """The last session that no running explorer owns."""
    return sessions(folder).last


def ended_badly(folder: Path | None = None) -> tuple[Found, ...]:
    """The sessions whose program was killed or broke off, the last one first."""
    return sessions(folder).ended_badly


def set_aside(path: Path) -> Path:
    """Rename a broken file to `….corrupt-N`, the first N that is free. InputError where that fails."""
    for number in itertools.count(1):
        aside = path.with_name(f"{path.name}{_CORRUPT}{number}")
        if not aside.exists():
            break
    try:
        return path.rename(aside)
    except OSError as error:
        raise unwritable(path, error) from error


def prune(folder: Path, keep: int = KEEP) -> None:
    """Remove all sessions but the newest `keep`, as many broken ones, and what killed programs left half written.
    What a running explorer owns is left alone."""
    by_time = sorted(((_modified(p), p) for p in folder.glob(f"{PREFIX}*")), reverse=True)
    names = [path for _, path in by_time]
    kept = set([p for p in names if p.name.endswith(SUFFIX)][:keep])
    kept.update([p for p in names if _CORRUPT in p.name][:keep])
    for path in names:
        if path in kept:
            continue
        session = path.with_name(path.name.partition(SUFFIX)[0] + SUFFIX)
        try:
            lock = _locked(session, patience=0.0)
        except InUse:
            continue
        try:
            path.unlink(missing_ok=True)
        finally:
            _unlock(session, lock)


def _aside_unless_used(path: Path, reason: str) -> str:
    """Set a broken session aside and say so."""
    try:
        lock = _locked(path)
    except InUse:
        return reason
    except OSError as error:
        return f"{reason}; {unwritable(path, error)}"
    try:
        return f"{reason}; it is set aside as {safe(set_aside(path).name)}"
    except InputError as error:
        return f"{reason}; {error}"
    finally:
        _unlock(path, lock)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _files(folder: Path) -> list[Path]:
    try:
        return [p for p in folder.iterdir() if p.name.startswith(PREFIX) and p.name.endswith(SUFFIX)]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"{safe(str(folder))}: cannot be read: {error.strerror}") from error


def _modified(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{safe(path.name)}: cannot be read: {error.strerror}") from error


def _heading(path: Path) -> Heading:
    try:
        with path.open("rb") as file:
            line = file.readline(HEADING_LIMIT)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InputError(f"{safe(path.name)}: cannot be read: {error.strerror}") from error
    return heading_from(line, safe(path.name))


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + _LOCK)


def _locked(path: Path, patience: float = _PATIENCE) -> int:
    """The session's lock as an open file descriptor. InUse where another process has it."""
    name = _lock_path(path)
    until = time.monotonic() + patience
    while True:
        handle = os.open(name, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            free = _flock(handle, shared=False)
            if free and _is_at(handle, name):
                os.truncate(handle, 0)
                os.write(handle, str(os.getpid()).encode("ascii"))
                return handle
            owner = os.pread(handle, 20, 0).decode("ascii", "replace")
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if not free and time.monotonic() >= until:
            raise InUse(f"{safe(path.name)}: a running explorer (process {safe(owner) or 'unknown'}) has it open")
        time.sleep(0.01)


def _unlock(path: Path, lock: int) -> None:
    _lock_path(path).unlink(missing_ok=True)
    os.close(lock)


def _in_use(path: Path) -> bool:
    try:
        handle = os.open(_lock_path(path), os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InputError(f"{safe(path.name)}: cannot be read: {error.strerror}") from error
    try:
        return not _flock(handle, shared=True)
    finally:
        os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    """Whether the file is still the one of that name: whoever gave the lock back has removed it."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


_NO_LOCKS: Final = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


def _flock(handle: int, shared: bool) -> bool:
    """Lock without waiting; False where another has it. InputError where the file system or system has no locks."""
    try:
        import fcntl
    except ImportError as error:
        raise InputError("sessions cannot be saved: this system has no file locks") from error
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        raise InputError(
            f"sessions cannot be saved: their file system has no locks ({error.strerror}); "
            f"set {paths.HOME_VARIABLE} to a folder on a local disk"
        ) from error
    return True
