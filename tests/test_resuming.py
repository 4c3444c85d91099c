"""Sessions come back as they were: documents, merges, step; and what has changed is said."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.corpus import Cancelled, TextDocument
from tokexplorer.engine.errors import InputError
from tokexplorer.saved.resuming import capture, check_documents, describe, reopen, replay, restore
from tokexplorer.saved.saved_session import SavedSession, heading_for, session_from, to_file
from tokexplorer.session import Session, Settings

FAST = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_documents_on_disk_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("same", "gone", "longer", "other", "folder"):
        (tmp_path / name).write_bytes(b"some text")
    typed = SavedSession(documents=(describe(TextDocument("typed", b"\xff text")),))
    saved = SavedSession(
        documents=(
            *(describe(TextDocument(n, b"some text"), n) for n in ("same", "gone", "longer", "other", "folder")),
            *typed.documents,
        )
    )
    assert check_documents(saved) == []
    assert [d.path for d in saved.documents] == [*(str(tmp_path / d.name) for d in saved.documents[:5]), None]
    assert [d.read(0, d.size) for d in reopen(saved)] == [b"some text"] * 5 + [b"\xff text"]
    (tmp_path / "gone").unlink()
    (tmp_path / "longer").write_bytes(b"some texts")
    (tmp_path / "other").write_bytes(b"some tent")
    (tmp_path / "folder").unlink()
    (tmp_path / "folder").mkdir()
    assert check_documents(saved) == [
        ("gone", f"is missing: {tmp_path}/gone"),
        ("longer", "has changed: it had 9 bytes and has 10 now"),
        ("other", "has changed: the size is the same, the content is not"),
        ("folder", "is not a regular file any more"),
    ]
    with pytest.raises(InputError, match="gone: no such file"):
        reopen(saved)


def test_a_large_file_is_trusted_by_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokexplorer.saved.resuming.ALWAYS_HASHED", 4)
    path = tmp_path / "large"
    path.write_bytes(b"large text")
    saved = SavedSession(documents=(describe(TextDocument("large", b"large text"), str(path)),))
    monkeypatch.setattr("tokexplorer.saved.resuming._hash_of", lambda _: "read")
    assert check_documents(saved) == []
    os.utime(path, ns=(1, 1))
    assert check_documents(saved) == [("large", "has changed: the size is the same, the content is not")]


def test_a_text_that_cannot_be_had_again_is_saved_whole(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (None, str(tmp_path / "gone"), str(tmp_path / "pipe")):
        saved = describe(TextDocument("t", b"text" * 1000), path)
        assert saved.path is None
        assert saved.packed is not None
        assert len(saved.packed) < 200
        assert saved.unpacked() == b"text" * 1000
    broken = dataclasses.replace(saved, packed="AAAA")
    with pytest.raises(InputError, match="t: the saved text is broken"):
        broken.unpacked()
    for size in (3999, 4001):
        with pytest.raises(InputError, match=r"not .* bytes"):
            dataclasses.replace(saved, size=size).unpacked()


@FAST
@given(st.binary(max_size=200))
def test_typed_texts_come_back(data: bytes) -> None:
    saved = SavedSession(documents=(describe(TextDocument("typed", data)),))
    _, found = session_from(to_file(heading_for(saved, "", "", True), saved), "x")
    (document,) = reopen(found)
    assert document.read(0, document.size) == data
    assert check_documents(found) == []


def state(session: Session) -> tuple[object, ...]:
    shown = session.snapshot()
    return (
        shown.settings,
        shown.step,
        shown.known,
        list(shown.merges),
        shown.tokens,
        shown.candidates,
        shown.row_total,
        [d.read(0, d.size) for d in session.documents],
    )


@FAST
@given(
    st.binary(min_size=1, max_size=80) | st.text("ab ", min_size=5, max_size=60).map(str.encode),
    st.sampled_from(TieRule),
    st.sampled_from([AlphabetKind.BYTES, AlphabetKind.CHARS]),
    st.lists(st.sampled_from(["step", "step", "back", "choose", "far"]), max_size=25),
    st.integers(0, 99),
)
def test_a_session_comes_back_as_it_was(
    data: bytes, ties: TieRule, kind: AlphabetKind, verbs: list[str], seed: int
) -> None:
    session = Session(Settings(alphabet=kind, ties=ties, target=300))
    document = TextDocument("t", data)
    session.open([document])
    for verb in verbs:
        shown = session.snapshot()
        if verb == "choose" and shown.candidates:
            pair = shown.candidates[seed % len(shown.candidates)]
            session.merge(pair.left, pair.right)
        elif verb == "far":
            session.goto(min(3, shown.known))
        elif verb == "back":
            session.back()
        else:
            session.step()
    saved = capture(session.snapshot(), [describe(document)])
    _, found = session_from(to_file(heading_for(saved, "", "", False), saved), "x")
    other = Session(Settings(split="none"))
    restored = restore(other, found)
    assert restored.problem is None
    assert restored.made == len(saved.pairs)
    assert state(other) == state(session)
    assert saved.chosen == tuple(m.step for m in other.trainer.merges if m.chosen)


def test_word_counts_come_back_with_the_alphabet_that_was_taken() -> None:
    session = Session()
    document = TextDocument("words.tsv", b"low\t5\nlower\t2\n")
    session.open([document])
    session.configure(dataclasses.replace(session.settings, alphabet=AlphabetKind.BYTES))
    session.step(3)
    saved = capture(session.snapshot(), [describe(document)])
    other = Session()
    assert restore(other, saved).problem is None
    assert other.settings.alphabet is AlphabetKind.BYTES
    assert state(other) == state(session)


def trained(data: bytes, steps: int) -> tuple[Session, SavedSession]:
    session = Session()
    document = TextDocument("t", data)
    session.open([document])
    session.step(steps)
    return session, capture(session.snapshot(), [describe(document)])


def test_a_changed_text_is_restored_as_far_as_the_merges_are_there() -> None:
    _, saved = trained(b"abab cdcd cdcd efef efef efef", 5)
    other = Session()
    other.open([TextDocument("t", b"efef efef cdcd")])
    restored = replay(other, saved)
    assert restored.problem is not None
    assert restored.problem.startswith(f"the pair of step {restored.made + 1} (")
    assert 0 < restored.made < 5
    assert restored.snapshot.step == restored.made
    made = [(m.left, m.right) for m in other.trainer.merges]
    assert made == list(saved.pairs[: restored.made])


def test_restoring_shows_progress_and_can_be_stopped() -> None:
    session, saved = trained(bytes(range(97, 123)) * 40 + b" x" * 900, 20)
    seen: list[tuple[int, int]] = []
    restore(Session(), saved, lambda done, total: seen.append((done, total)))
    assert (0, 20) in seen
    calls = iter(range(10_000))

    def after(count: int) -> Callable[[], bool]:
        nonlocal calls
        calls = iter(range(10_000))
        return lambda: next(calls) >= count

    other = Session(Settings(split="lines"))
    other.open([TextDocument("kept", b"kept")])
    before = state(other)
    with pytest.raises(Cancelled):
        restore(other, saved, should_stop=after(0))
    assert state(other) == before
    replayed = Session()
    replayed.open(reopen(saved))
    restored = replay(replayed, saved, should_stop=after(7))
    assert (restored.made, restored.problem) == (7, "stopped at step 7 of 20")
    assert session.snapshot().step == 20


def test_a_missing_file_leaves_the_session_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"abab")
    saved = SavedSession(documents=(describe(TextDocument("t", b"abab"), str(path)),))
    path.unlink()
    session = Session(Settings(split="lines"))
    session.open([TextDocument("kept", b"kept")])
    before = state(session)
    with pytest.raises(InputError, match="no such file"):
        restore(session, saved)
    assert state(session) == before


def test_why_no_session_can_be_taken_up(tmp_path: Path) -> None:
    from tokexplorer.saved.saving import Listing, open_slot, sessions
    from tokexplorer.tui.screens.keeping import why_none_is_free

    assert why_none_is_free(Listing((), ())) == "there is no saved session to go on with"
    session = Session(Settings())
    documents = [TextDocument("a", b"some text")]
    snapshot = session.open(documents)
    slot = open_slot(tmp_path)
    slot.save(capture(snapshot, tuple(describe(document, None) for document in documents)), clean_end=False)
    assert why_none_is_free(sessions(tmp_path)) == "all saved sessions are open in other explorers"
    slot.close()
