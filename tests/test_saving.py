"""Sessions on disk: nothing is lost or half written, one writer each, and broken files are said."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tokexplorer import paths
from tokexplorer.engine.errors import InputError
from tokexplorer.files import whole_files
from tokexplorer.saved import saving
from tokexplorer.saved.saved_session import VERSION, SavedSession
from tokexplorer.saved.saving import InUse, Slot, dismiss, load, open_slot, sessions, take


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path))
    return paths.sessions_folder()


@contextlib.contextmanager
def slot_in(folder: Path) -> Iterator[Slot]:
    slot = open_slot(folder)
    try:
        yield slot
    finally:
        slot.close()


def left_behind(folder: Path, step: int = 0) -> Path:
    """A session whose program was killed."""
    slot = open_slot(folder)
    slot.save(SavedSession(step=step))
    os.close(slot._lock)
    slot._open = False
    return slot.path


def test_a_session_is_found_again(folder: Path) -> None:
    assert sessions().found == ()
    assert not folder.exists()
    with slot_in(folder) as slot:
        assert slot.save(SavedSession(step=0, probe=b"\xffa"))
        assert slot.path.stat().st_mode & 0o777 == 0o600
        assert folder.stat().st_mode & 0o777 == 0o700
        (found,) = sessions().found
        assert found.in_use
        assert saving.last_session() is None
        assert saving.ended_badly() == ()
        assert slot.save(SavedSession(probe=b"b"), clean_end=True)
    (found,) = sessions().found
    assert (found.in_use, found.heading.clean_end) == (False, True)
    assert saving.last_session() == found
    assert saving.ended_badly() == ()
    session, slot = take(found.path)
    assert session.probe == b"b"
    assert slot.created == found.heading.created
    slot.save(session)
    slot.close()
    assert [p.name for p in folder.iterdir()] == [found.path.name]
    with pytest.raises(InputError, match="given back"):
        slot.save(session)
    slot.close()


def test_a_bad_end_is_told_until_it_is_dismissed(folder: Path) -> None:
    path = left_behind(folder)
    with slot_in(folder) as slot:
        slot.save(SavedSession(), clean_end=True)
    assert [f.path for f in saving.ended_badly()] == [path]
    before = load(path)
    dismiss(path)
    assert saving.ended_badly() == ()
    assert load(path) == before
    assert {f.path for f in sessions().found} == {path, slot.path}


def test_the_last_session_is_the_one_saved_last(folder: Path) -> None:
    first = left_behind(folder)
    time.sleep(0.002)
    second = left_behind(folder)
    assert [f.path for f in sessions().found] == [second, first]
    _, slot = take(first)
    time.sleep(0.002)
    slot.save(SavedSession())
    slot.close()
    last = saving.last_session()
    assert last is not None
    assert last.path == first


def test_only_the_newest_sessions_are_kept(folder: Path) -> None:
    made = [left_behind(folder) for _ in range(5)]
    for number, path in enumerate(made):
        os.utime(path, ns=(number, number))
    (folder / f"{made[4].name}.tmp-7").write_bytes(b"half")
    (folder / "session-x.json.lock").touch()
    (folder / "other.txt").touch()
    session, held = take(made[0])
    slot = open_slot(folder, keep=2)
    assert {p.name for p in folder.iterdir()} == {
        made[0].name,
        f"{made[0].name}.lock",
        made[3].name,
        made[4].name,
        f"{slot.path.name}.lock",
        "other.txt",
    }
    held.save(session)
    held.close()
    slot.close()


def test_a_corrupt_file_is_set_aside_and_said(folder: Path) -> None:
    path = left_behind(folder)
    good = left_behind(folder)
    path.write_bytes(b"{ not json")
    listing = sessions()
    assert [f.path for f in listing.found] == [good]
    (note,) = listing.notes
    assert note.startswith(f"{path.name}: is not a saved session, or broken")
    assert note.endswith(f"it is set aside as {path.name}.corrupt-1")
    assert sessions().notes == ()
    data = good.read_bytes()
    for number in (1, 2):
        good.write_bytes(data[:-5])
        with pytest.raises(InputError, match=rf"is cut off; it is set aside as {good.name}\.corrupt-{number}"):
            take(good)
    assert sorted(p.name for p in folder.iterdir()) == sorted(
        [f"{path.name}.corrupt-1", f"{good.name}.corrupt-1", f"{good.name}.corrupt-2"]
    )
    with pytest.raises(InputError, match="there is no such saved session"):
        take(good)


def test_a_newer_form_is_left_alone_and_said(folder: Path) -> None:
    path = left_behind(folder)
    first, rest = path.read_bytes().split(b"\n", 1)
    newer = json.dumps(json.loads(first) | {"version": VERSION + 1, "program": "9.0\x1b"}).encode() + b"\n" + rest
    path.write_bytes(newer)
    (note,) = sessions().notes
    assert "was saved by a newer tokexplorer (9.0␛, form 2; this one reads 1); it is left as it is" in note
    with pytest.raises(InputError, match="newer"):
        take(path)
    assert path.read_bytes() == newer
    assert [p.name for p in folder.iterdir()] == [path.name]


def test_saves_of_several_threads_leave_the_newest(folder: Path) -> None:
    with slot_in(folder) as slot:
        begun = threading.Barrier(5)

        def save(number: int) -> None:
            begun.wait()
            for step in range(20):
                slot.save(SavedSession(extra={"by": number, "step": step}))

        threads = [threading.Thread(target=save, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        begun.wait()
        for thread in threads:
            thread.join()
        slot.save(SavedSession(extra={"by": "last"}))
        assert load(slot.path).extra == {"by": "last"}
        assert len(list(folder.iterdir())) == 2


def test_a_save_inside_a_save_keeps_the_later_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a signal's handler saves in the middle of a save on the clock."""
    with slot_in(folder) as slot:
        sync = os.fsync
        calls: list[int] = []

        def interrupted(handle: int) -> None:
            calls.append(handle)
            if len(calls) == 1:
                assert slot.save(SavedSession(probe=b"handler"))
            sync(handle)

        monkeypatch.setattr(os, "fsync", interrupted)
        assert not slot.save(SavedSession(probe=b"clock"))
        assert load(slot.path).probe == b"handler"
        assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EACCES])
def test_a_full_or_broken_disk_is_worded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int
) -> None:
    with slot_in(folder) as slot:
        slot.save(SavedSession(probe=b"old"))

        def fail(*_: object, **__: object) -> None:
            raise OSError(code, os.strerror(code))

        with monkeypatch.context() as patched:
            patched.setattr(os, call, fail)
            with pytest.raises(InputError, match=f"(?i)cannot be written: {os.strerror(code)}"):
                slot.save(SavedSession(probe=b"new"))
        assert load(slot.path).probe == b"old"
        assert len(list(folder.iterdir())) == 2
        assert slot.save(SavedSession(probe=b"new"))


def test_a_really_full_disk_leaves_the_old_session(folder: Path) -> None:
    """The limit on a file's size stands for the disk: the write itself fails half way."""
    code = f"""
import resource, signal
from pathlib import Path
from tokexplorer.saved.saved_session import SavedSession
from tokexplorer.saved.saving import open_slot
slot = open_slot(Path({str(folder)!r}))
slot.save(SavedSession(probe=b"old"))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    slot.save(SavedSession(probe=b"x" * 100_000))
except Exception as error:
    print(type(error).__name__, error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("InputError")
    assert "cannot be written: file too large" in run.stdout
    (found,) = sessions().found
    assert load(found.path).probe == b"old"


def test_a_folder_that_cannot_be_written_is_worded(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written: not a directory"):
        open_slot(tmp_path / "file" / "sessions")
    with pytest.raises(InputError, match="cannot be written: file exists"):
        open_slot(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be read"):
        sessions(tmp_path / "file")


def test_a_folder_that_went_away_is_made_again(folder: Path) -> None:
    with slot_in(folder) as slot:
        (folder / f"{slot.path.name}.lock").unlink()
        folder.rmdir()
        assert slot.save(SavedSession(probe=b"a"))
        assert load(slot.path).probe == b"a"


def test_a_file_system_without_locks_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(InputError, match=r"has no locks.*set TOKEXPLORER_HOME to a folder on a local disk"):
        open_slot(folder)


def test_a_link_in_the_place_of_the_draft_is_not_followed(folder: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    with slot_in(folder) as slot:
        (folder / f"{slot.path.name}{whole_files.TEMPORARY}1").symlink_to(victim)
        with pytest.raises(InputError, match="cannot be written"):
            slot.save(SavedSession())
        assert victim.read_bytes() == b"precious"


HOLDER = """
import sys, time
from pathlib import Path
from tokexplorer.saved.saved_session import SavedSession
from tokexplorer.saved.saving import InUse, open_slot, take
folder, path = Path(sys.argv[1]), sys.argv[2]
try:
    slot = take(Path(path))[1] if path else open_slot(folder)
except InUse as error:
    print("refused", error, flush=True)
    sys.exit()
slot.save(SavedSession(probe=b"other"))
print("holds", slot.path, flush=True)
time.sleep(60)
"""


def started(folder: Path, path: Path | str = "") -> tuple[subprocess.Popen[str], str, str]:
    """Another process that takes a session, and what it said: `holds` with a path, or `refused` with the reason."""
    command = [sys.executable, "-c", HOLDER, str(folder), str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    word, _, rest = process.stdout.readline().strip().partition(" ")
    return process, word, rest


def ended(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_two_explorers_never_write_the_same_session(folder: Path) -> None:
    path = left_behind(folder)
    one, first, said = started(folder, path)
    two, second, reason = started(folder, path)
    three, third, own = started(folder)
    try:
        assert (first, Path(said)) == ("holds", path)
        assert (second, third) == ("refused", "holds")
        assert reason == f"{path.name}: a running explorer (process {one.pid}) has it open"
        assert Path(own) != path
        with pytest.raises(InUse):
            take(path)
        with pytest.raises(InUse):
            dismiss(path)
        saving.prune(folder, keep=0)
        assert {f.path for f in sessions().found if f.in_use} == {path, Path(own)}
        assert saving.ended_badly() == ()
    finally:
        ended(one)
        ended(two)
        ended(three)
    assert {f.path for f in saving.ended_badly()} == {path, Path(own)}
    session, slot = take(path)
    assert session.probe == b"other"
    slot.close()


def test_of_many_that_want_the_last_session_one_gets_it(folder: Path) -> None:
    path = left_behind(folder)
    found = [started(folder, path) for _ in range(3)]
    try:
        assert sorted(word for _, word, _ in found) == ["holds", "refused", "refused"]
    finally:
        for process, _, _ in found:
            ended(process)


SAVER = """
import os, sys, time
from pathlib import Path
from tokexplorer.saved.saved_session import SavedSession
from tokexplorer.saved.saving import open_slot
slot = open_slot(Path(sys.argv[1]))
both = [SavedSession(pairs=tuple((n, i) for i in range(20_000)), step=n) for n in (1, 2)]
slot.save(both[0])
print(slot.path, flush=True)

def halt(*_):
    print("halted", flush=True)
    time.sleep(60)

if sys.argv[2] != "anywhere":
    real, left = getattr(os, sys.argv[2]), [int(sys.argv[3])]

    def counted(*given):
        left[0] -= 1
        return real(*given) if left[0] else halt()

    setattr(os, sys.argv[2], counted)
while True:
    for session in reversed(both):
        slot.save(session)
"""


def killed_while_saving(folder: Path, call: str, time_of_call: int = 1, delay: float = 0.0) -> SavedSession:
    """What is on disk of a process that saves without end and is killed where it calls `os.call`, or after a delay."""
    command = [sys.executable, "-c", SAVER, str(folder), call, str(time_of_call)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    path = Path(process.stdout.readline().strip())
    if call == "anywhere":
        time.sleep(delay)
    else:
        assert process.stdout.readline() == "halted\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    session = load(path)
    assert set(session.pairs) == {(session.step, i) for i in range(20_000)}
    assert [f.path for f in saving.ended_badly()] == [path]
    return session


@pytest.mark.parametrize(
    ("call", "time_of_call", "step", "drafts"),
    [("fsync", 1, 1, 1), ("replace", 1, 1, 1), ("fsync", 2, 2, 0)],
    ids=["before the draft is on disk", "before it is renamed", "before the folder is on disk"],
)
def test_kill_in_the_middle_of_a_save_leaves_the_old_or_the_new_file_whole(
    folder: Path, call: str, time_of_call: int, step: int, drafts: int
) -> None:
    assert killed_while_saving(folder, call, time_of_call).step == step
    assert len(list(folder.glob("*.tmp-*"))) == drafts
    open_slot(folder).close()
    assert not list(folder.glob("*.tmp-*"))


@pytest.mark.parametrize("delay", [0.0, 0.013, 0.029, 0.047])
def test_kill_at_any_moment_leaves_a_whole_file(folder: Path, delay: float) -> None:
    killed_while_saving(folder, "anywhere", delay=delay)
