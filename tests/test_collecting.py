"""The collector works while nobody waits, and what is made anew at every step does not wait for it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass, field
from weakref import ref

import pytest

from tokexplorer.engine.corpus import TextDocument
from tokexplorer.session import Session, Settings
from tokexplorer.texts import Text, TokenizedText
from tokexplorer.tui import collecting
from tokexplorer.tui.collecting import MANY, QUIET, YOUNG, Collecting
from tokexplorer.tui.token_models import MarkedText


@dataclass
class Clock:
    """A clock that is set by hand, and the generations that were collected."""

    now: float = 100.0
    collected: list[int] = field(default_factory=list)


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Only what nobody refers to any more goes."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(collecting.time, "monotonic", lambda: found.now)
    monkeypatch.setattr(collecting.gc, "collect", lambda generation=2: found.collected.append(generation))
    return found


def test_it_collects_after_a_while_without_keys(clock: Clock) -> None:
    mine = Collecting()
    mine.touched()
    clock.now += QUIET / 4
    assert mine.collect() == pytest.approx(QUIET * 3 / 4)
    mine.touched()
    clock.now += QUIET * 3 / 4
    assert mine.collect() == pytest.approx(QUIET / 4)
    assert not clock.collected
    clock.now += QUIET / 2
    wait = mine.collect()
    assert clock.collected == [1]
    clock.now += wait / 2
    assert mine.collect() == pytest.approx(wait / 2)
    assert clock.collected == [1]
    clock.now += wait
    assert mine.collect() == 0
    assert clock.collected == [1, 2]


def test_who_never_pauses_for_long_has_all_collected_too(clock: Clock) -> None:
    mine = Collecting()
    for _ in range(2 * MANY + 2):
        mine.touched()
        clock.now += 1.5 * QUIET
        mine.collect()
    assert clock.collected == ([1] * MANY + [2]) * 2


def test_it_begins_with_what_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[object] = []
    monkeypatch.setattr(collecting.gc, "freeze", lambda: said.append("freeze"))
    monkeypatch.setattr(collecting.gc, "set_threshold", lambda *limits: said.append(limits))
    mine = Collecting()
    assert not mine.begun
    mine.begin()
    assert mine.begun
    assert said == ["freeze", (YOUNG, *gc.get_threshold()[1:])]


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
