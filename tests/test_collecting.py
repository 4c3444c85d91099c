"""The collector works while nobody waits, and what is made anew at every step does not wait for it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from tokexplorer.engine.corpus import TextDocument
from tokexplorer.session import Session, Settings
from tokexplorer.texts import Text, TokenizedText
from tokexplorer.tui import collecting
from tokexplorer.tui.collecting import QUIET, SELDOM, Collecting
from tokexplorer.tui.token_models import MarkedText


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Only what nobody refers to any more goes."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_it_collects_after_a_while_without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    now, done = 100.0, []
    monkeypatch.setattr(collecting.time, "monotonic", lambda: now)
    monkeypatch.setattr(collecting.gc, "collect", lambda: done.append(now))
    mine = Collecting()
    mine.touched()
    now += QUIET / 4
    assert mine.collect() == pytest.approx(QUIET * 3 / 4)
    mine.touched()
    now += QUIET * 3 / 4
    assert mine.collect() == pytest.approx(QUIET / 4)
    assert not done
    now += QUIET / 2
    assert mine.collect() == 0
    assert done == [now]


def test_it_begins_with_what_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[object] = []
    monkeypatch.setattr(collecting.gc, "freeze", lambda: said.append("freeze"))
    monkeypatch.setattr(collecting.gc, "set_threshold", lambda *limits: said.append(limits))
    mine = Collecting()
    assert not mine.begun
    mine.begin()
    assert mine.begun
    assert said == ["freeze", (*gc.get_threshold()[:2], SELDOM)]


@pytest.mark.usefixtures("no_collector")
def test_what_a_step_shows_goes_with_it() -> None:
    session = Session(Settings())
    session.open([TextDocument("cats", b"the cat sat on the mat, the fat cat " * 20)])
    snapshot = session.step()
    tokenizer = snapshot.tokenizer()
    tokenized = TokenizedText(Text(snapshot.corpus.documents), tokenizer)
    model = MarkedText(tokenized)
    assert model.tokens(0, 100)
    gone = [ref(tokenizer), ref(tokenized), ref(model), ref(snapshot.history), ref(session.trainer)]
    session.open([TextDocument("dogs", b"a dog")])
    del tokenizer, tokenized, model, snapshot
    assert [of() for of in gone] == [None] * len(gone)
