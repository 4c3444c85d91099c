"""Counting in processes, documents in files, count files: all give what one process gives, order included."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer import counting, counting_worker
from tokexplorer.counting import files, workers
from tokexplorer.engine import corpus as engine
from tokexplorer.engine.corpus import Cancelled, Corpus, Document, TextDocument
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import PATTERNS, compile_split, named
from tokexplorer.engine.training import BpeTrainer

TEXT = (Path(__file__).parent.parent / "sample_texts" / "unicode.txt").read_bytes() + b"".join(
    b"line %d of some text, don't stop: f(x_%d) = %d;\n\n  indented\n" % (i, i % 97, i * i) for i in range(4000)
)


def shape(corpus: Corpus) -> object:
    return list(corpus.chunks), list(corpus.counts), corpus.stats, corpus.starts, corpus.left_out


@pytest.mark.parametrize("split", ["gpt2", "cl100k", "o200k", "lines", "words"])
@pytest.mark.parametrize("count", [2, 3])
def test_processes_count_as_one_does(split: str, count: int) -> None:
    documents = [TextDocument("a", TEXT), TextDocument("empty", b""), TextDocument("b", b"\xff" + TEXT[::-1] + b" ")]
    told: list[tuple[int, int]] = []
    built = counting.build_corpus(documents, named(split), lambda *now: told.append(now), workers=count)
    alone = engine.build_corpus(documents, named(split))
    assert [list(s) for s in built.starts][1] == []
    assert shape(built)[:3] == shape(alone)[:3]  # type: ignore[index]
    assert built.read(0, 10**9) == alone.read(0, 10**9)
    assert built.chunk_spans(1000, 1200) == alone.chunk_spans(1000, 1200)
    assert all(0 <= done <= total == built.size for done, total in told)


def test_large_texts_are_counted_in_processes_of_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "WORTH", 1000)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    monkeypatch.setattr(engine, "build_corpus", lambda *_: pytest.fail("one process did it all"))
    monkeypatch.setattr(workers.engine_corpus, "build_corpus", lambda *_: pytest.fail("one process did it all"))
    assert counting.build_corpus([TextDocument("a", TEXT)], named("gpt2")).stats.bytes == len(TEXT)


def test_a_thread_can_count_in_processes() -> None:
    found: list[Corpus] = []
    work = threading.Thread(
        target=lambda: found.append(counting.build_corpus([TextDocument("a", TEXT)], named("gpt2"), workers=2))
    )
    work.start()
    work.join()
    assert shape(found[0])[:3] == shape(engine.build_corpus([TextDocument("a", TEXT)], named("gpt2")))[:3]  # type: ignore[index]


@pytest.mark.parametrize("trouble", ["no program", "not a program", "no module", "dies at once", "garbage"])
def test_where_no_process_works_one_does_it(trouble: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if trouble == "no program":
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
    elif trouble == "not a program":
        monkeypatch.setattr(sys, "executable", __file__)
    else:
        code = {
            "no module": "import tokexplorer_that_is_not_there",
            "dies at once": "import os; os._exit(9)",
            "garbage": "import sys; sys.stdin.buffer.read(); sys.stdout.write('what is this')",
        }[trouble]
        monkeypatch.setattr(workers, "_CODE", code)
    built = counting.build_corpus([TextDocument("a", TEXT)], named("gpt2"), workers=2)
    assert shape(built) == shape(engine.build_corpus([TextDocument("a", TEXT)], named("gpt2")))


def test_a_program_from_standard_input_can_count_in_processes() -> None:
    code = (
        "from tokexplorer import counting\n"
        "from tokexplorer.engine.corpus import TextDocument\n"
        "from tokexplorer.engine.splits import named\n"
        "print(counting.build_corpus([TextDocument('a', b'one two ' * 2000)], named('gpt2'), workers=2).stats.chunks)\n"
    )
    done = subprocess.run([sys.executable, "-"], input=code, capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("4001\n", "")


def children() -> set[str]:
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"counting_worker" in line:
                found.add(entry.name)
    return found


class Endless:
    """A document that never comes to its end, so that a worker is surely in the middle of it."""

    name = "endless"
    size = 1 << 40

    def __init__(self, fail_at: int = 1 << 40) -> None:
        self.fail_at = fail_at

    def read(self, start: int, end: int) -> bytes:
        if start > self.fail_at:
            raise InputError("endless: gone")
        return (b"some text " * 30_000)[: end - start]


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks at processes in /proc")
def test_asked_to_stop_no_process_is_left() -> None:
    before = children()
    asked: list[int] = []

    def stop() -> bool:
        asked.append(len(children() - before))
        return len(asked) > 5

    with pytest.raises(Cancelled):
        counting.build_corpus([Endless()], named("gpt2"), should_stop=stop, workers=2)
    assert max(asked) == 2
    assert not children() - before


def test_what_goes_wrong_with_a_document_is_said() -> None:
    with pytest.raises(InputError, match="endless: gone"):
        counting.build_corpus([Endless(fail_at=1 << 20)], named("gpt2"), workers=2)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks at processes in /proc")
def test_workers_end_with_their_parent() -> None:
    before = children()
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_counting import Endless\n"
        "from tokexplorer import counting\n"
        "from tokexplorer.engine.splits import named\n"
        "counting.build_corpus([Endless()], named('gpt2'), workers=2)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(Path(__file__).parent)])
    try:
        wait_until(lambda: len(children() - before) == 2)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    wait_until(lambda: not children() - before)


def wait_until(condition: object, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_worker_imports_next_to_nothing() -> None:
    code = "import sys, tokexplorer.counting_worker; print(*[m for m in sys.modules if m.startswith('tokexplorer')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {
        "tokexplorer",
        "tokexplorer.counting_worker",
        "tokexplorer.engine",
        *(f"tokexplorer.engine.{name}" for name in ("alphabet", "chunking", "errors", "splits")),
    }
    assert counting_worker.BATCH > 0


def test_a_file_is_read_in_parts_and_changes_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(TEXT)
    document: Document = counting.open_file(path)
    assert (document.name, document.size, document.read(5, 50)) == ("text.txt", len(TEXT), TEXT[5:50])
    built = counting.build_corpus([document], named("gpt2"), workers=1)
    assert shape(built) == shape(engine.build_corpus([TextDocument("text.txt", TEXT)], named("gpt2")))
    assert built.read(100, 200) == TEXT[100:200]
    with open(path, "ab") as file:
        file.write(b"more")
    with pytest.raises(InputError, match=r"text\.txt: the file has changed since it was opened"):
        built.read(100, 200)
    path.unlink()
    with pytest.raises(InputError, match=r"text\.txt: no such file"):
        counting.build_corpus([document], named("gpt2"), workers=2)


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, why in [(tmp_path, "directory"), (pipe, "not a regular file"), (tmp_path / "none", "no such file")]:
        with pytest.raises(InputError, match=why):
            counting.open_file(path)
    with pytest.raises(InputError, match="not a file name"):
        counting.open_file("a\0b")


hostile = st.text(
    alphabet=st.sampled_from([*" ab\\\n\r\t\x00\x1b\x7f\x85\u202e\u2028\udc80\udcff\xa0é漢😀", "\ufeff", "\u0301"]),
    max_size=12,
)


@settings(max_examples=300)
@given(hostile)
def test_escaped_texts_are_one_visible_line_and_come_back(text: str) -> None:
    line = files.escape(text)
    assert line.isprintable()
    assert line.encode().decode() == line
    assert files.unescape(line) == text


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=80), hostile.map(lambda t: t.encode("utf-8", "surrogateescape")))),
       st.sampled_from([*PATTERNS, r"\w+|\s", "a\tb|\\\\"]), st.integers(1, 2))  # fmt: skip
def test_count_files_lose_nothing(texts: list[bytes], split: str, least: int) -> None:
    documents = [TextDocument(f"d\t{i}\\", t) for i, t in enumerate(texts)]
    counts = counting.counts_of(engine.build_corpus(documents, compile_split(split), min_chunk_count=least))
    read = files.parse_counts(files.counts_to_bytes(counts), "c")
    assert list(read.counts.items()) == list(counts.counts.items())
    assert (read.stats, read.left_out, read.texts) == (counts.stats, counts.left_out, counts.texts)
    assert (read.split.name, read.split.pattern) == (counts.split.name, counts.split.pattern)
    corpus = read.corpus("c")
    spans = corpus.chunk_spans(0, corpus.size)
    assert [corpus.read(a, b).decode("utf-8", "surrogateescape") for a, b in spans] == list(counts.counts)
    for a, b in spans[:9]:
        assert corpus.chunk_spans(a, a + 1) == corpus.chunk_spans(b - 1, b) == [(a, b)]
        assert corpus.chunk_spans(b, b + 1) == []


def test_training_from_counts_equals_training_from_the_text(tmp_path: Path) -> None:
    source, target = tmp_path / "text.txt", tmp_path / "text.counts"
    source.write_bytes(TEXT)
    counts = counting.count_files([str(source)], named("gpt2"))
    counting.write_counts(str(target), counts)
    assert counting.is_counts(target.read_bytes()[:40])
    ours = BpeTrainer(counting.read_counts(str(target)))
    theirs = BpeTrainer(engine.build_corpus([TextDocument("t", TEXT)], named("gpt2")))
    ours.run(300)
    theirs.run(300)
    assert ours.merges == theirs.merges
    with pytest.raises(InputError, match="exists already"):
        counting.write_counts(str(target), counts)


GOOD = files.counts_to_bytes(
    counting.counts_of(engine.build_corpus([TextDocument("d", b"a b b\n")], named("gpt2")))
)  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"tokexplorer-counts 1", b"tokexplorer-counts 2", "c, line 1: this program reads version 1"),
        (b"tokexplorer-counts 1", b"something", "c, line 1: expected tokexplorer-counts 1"),
        (b"1\t\\n\n", b"", "c, line 15: 2 chunks are listed; expected 3"),
        (b"2\t b", b"3\t b", "the counts add up to 5; expected 4"),
        (b"2\t b", b"two\t b", "c, line 14: the count is not a whole number"),
        (b"2\t b", b"0\t b", "the count is 0"),
        (b"2\t b", b"2 b", "expected a count, a tab and a chunk"),
        (b"2\t b", b"2\ta", "c, line 14: this chunk is listed already"),
        (b"2\t b", b"2\t", "a chunk is empty"),
        (b"2\t b", b"2\t \\q", r"c, line 14: \\q is not an escape"),
        (b"2\t b", b"2\t \\u{D800}", "is not a character"),
        (b"2\t b", b"2\t \\x41", "is not a byte outside ASCII"),
        (b"lines\t1\n", b"", "lines is missing"),
        (b"split\tgpt2\n", b"", "the split or its pattern is missing"),
        (b"pattern\t", b"pattern\t(", "the split pattern is wrong"),
        (b"lines\t1", b"lines", "c, line 6: expected a key, a tab and a value"),
        (GOOD[60:], b"", "the file ends early"),
    ],
)
def test_a_count_file_that_is_wrong_is_refused_with_its_line(old: bytes, new: bytes, message: str) -> None:
    assert old in GOOD
    with pytest.raises(InputError, match=message):
        files.parse_counts(GOOD.replace(old, new), "c")
