"""Opening texts: what is read, what is refused in a line, what stays on disk."""

from __future__ import annotations

import io
import os
import socket
import sys
import threading
from pathlib import Path

import pytest

from tokexplorer.engine.corpus import Cancelled, TextDocument
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.splits import named
from tokexplorer.files import sources
from tokexplorer.files.sources import (
    open_document,
    open_documents,
    read_file,
    read_stream,
    sample_files,
    shown_path,
)
from tokexplorer.loading import load_corpus


def test_a_small_file_is_held_and_a_large_one_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(b"one two three\n" * 10)
    held = open_document(str(file))
    assert isinstance(held, TextDocument)
    monkeypatch.setattr(sources, "HELD", 20)
    on_disk = open_document(str(file))
    assert not isinstance(on_disk, TextDocument)
    assert (on_disk.name, on_disk.size) == ("text.txt", 140)
    assert on_disk.read(4, 7) == held.read(4, 7) == b"two"
    one, other = (load_corpus([document], named("gpt2")) for document in (held, on_disk))
    assert (one.chunks, one.counts, one.stats) == (other.chunks, other.counts, other.stats)
    file.unlink()
    with pytest.raises(InputError, match=r"^text\.txt: "):
        on_disk.read(0, 3)
    assert held.read(0, 3) == b"one"


def test_a_pipe_is_read_where_it_may_be(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="not a regular file"):
        read_file(pipe)
    with pytest.raises(InputError, match="not a regular file"):
        open_document(str(pipe), pipes=False)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"through a pipe",))
    writer.start()
    assert open_document(str(pipe)).read(0, 99) == b"through a pipe"
    writer.join()


def test_devices_and_sockets_are_never_read(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        for path in ("/dev/zero", str(tmp_path / "socket")):
            with pytest.raises(InputError, match="not a regular file"):
                open_document(path)


def test_what_has_no_end_is_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "STREAM_LIMIT", 5 << 20)
    with open("/dev/zero", "rb") as endless, pytest.raises(InputError, match="more than 5 MB"):
        read_stream(endless)
    assert read_stream(io.BytesIO(b"x" * (5 << 20))) == b"x" * (5 << 20)


def test_reading_a_stream_tells_and_stops() -> None:
    told: list[tuple[int, int]] = []
    assert read_stream(io.BytesIO(b"abc"), lambda done, total: told.append((done, total))) == b"abc"
    assert told == [(3, 0)]
    with pytest.raises(Cancelled):
        read_stream(io.BytesIO(b"abc"), should_stop=lambda: True)


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"file")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"piped")))
    assert [d.read(0, 9) for d in open_documents([str(file), "-"])] == [b"file", b"piped"]
    with pytest.raises(UsageError, match="only once"):
        open_documents(["-", str(file), "-"])
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        open_document("-")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("gone", "no such file"),
        ("/", "is a directory"),
        ("a\0b", "is not a file name"),
        ("x" * 5000, "file name too long"),
    ],
)
def test_what_cannot_be_opened_is_one_line(path: str, says: str) -> None:
    for open_it in (read_file, open_document):
        with pytest.raises(InputError, match=says) as found:
            open_it(path)
        assert str(found.value).isprintable()


def test_a_path_is_shown_safely() -> None:
    shown = shown_path(os.fsdecode(b"my book\xff\x1b[31m\n.txt"))
    assert shown.startswith("my book")
    assert shown.isprintable()


def test_the_samples_are_found() -> None:
    names = [file.name for file in sample_files()]
    assert names[0] == "english.txt"
    assert {"hand_example.tsv", "nine_words.tsv", "code.py", "numbers.txt", "unicode.txt", "whitespace.txt"} < set(
        names
    )
