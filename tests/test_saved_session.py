"""The form of saved sessions: all of it comes back equal, and what is damaged is refused and named."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.errors import InputError
from tokexplorer.saved.saved_session import (
    VERSION,
    SavedBranch,
    SavedDocument,
    SavedSession,
    Unreadable,
    heading_for,
    session_from,
    to_file,
)
from tokexplorer.session import Settings

FAST = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
names = st.binary(max_size=12).map(lambda b: b.decode("utf-8", "surrogateescape"))
ids = st.integers(0, 1_114_111 - 2048)
pairs = st.lists(st.tuples(ids, ids), max_size=8).map(tuple)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
documents = st.builds(
    SavedDocument,
    names,
    st.integers(0, 1 << 40),
    st.text("0123456789abcdef", max_size=64),
    st.none() | names,
    st.integers(0, 1 << 62),
    st.none() | st.text("AZaz09+/=", max_size=20),
)
training = st.builds(
    Settings,
    algorithm=st.sampled_from(["bpe", "unigram"]),
    alphabet=st.sampled_from(AlphabetKind),
    split=names,
    ties=st.sampled_from(TieRule),
    min_count=st.integers(1, 9),
    target=st.none() | st.integers(1, 99_999),
)


@st.composite
def saved_sessions(draw: st.DrawFn) -> SavedSession:
    found = draw(pairs)
    return SavedSession(
        documents=tuple(draw(st.lists(documents, max_size=3))),
        settings=draw(training),
        word_counts=draw(st.none() | st.booleans()),
        step=draw(st.integers(0, len(found))),
        pairs=found,
        chosen=tuple(draw(st.lists(st.integers(1, 99), max_size=3))),
        branches=tuple(draw(st.lists(st.builds(SavedBranch, names, pairs, st.just((5, 4))), max_size=2))),
        probe=draw(st.none() | st.binary(max_size=20)),
        watches=tuple(draw(st.lists(names, max_size=2))),
        tokenizer=draw(names),
        position=draw(st.dictionaries(st.text(max_size=5), st.integers(), max_size=3)),
        theme=draw(st.none() | names),
        extra=draw(st.dictionaries(st.text(max_size=5), plain, max_size=3)),
    )


@FAST
@given(saved_sessions(), st.booleans())
def test_what_is_saved_comes_back_equal(session: SavedSession, clean: bool) -> None:
    data = to_file(heading_for(session, "then", "now", clean), session)
    assert data.isascii()
    assert data.count(b"\n") == 2
    heading, found = session_from(data, "x")
    assert found == session
    assert (heading.version, heading.clean_end, heading.step) == (VERSION, clean, session.step)


@FAST
@given(saved_sessions(), st.data())
def test_a_damaged_file_is_refused_or_read_as_something_valid(session: SavedSession, data: st.DataObject) -> None:
    whole = to_file(heading_for(session, "then", "now", True), session)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(Unreadable) as caught:
        session_from(whole[:cut], "x")
    assert str(caught.value).isprintable()
    junk = data.draw(st.binary(min_size=1, max_size=4))
    said = ""
    try:
        session_from(whole[:cut] + junk + whole[cut + len(junk) :], "x")
    except InputError as error:
        said = str(error)
    assert said.isprintable()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"step": "9"}, 'x: step: expected a whole number, found "9"'),
        ({"step": 9}, "x: step 9 is beyond the 1 saved merges"),
        ({"step": -1}, "x: step -1 is beyond the 1 saved merges"),
        ({"pairs": [[1]]}, "x: pairs, entry 1: expected 2 values, found 1"),
        ({"pairs": [[1, "b"]]}, 'x: pairs, entry 1: expected a whole number, found "b"'),
        ({"documents": [{"name": "a"}]}, "x: documents, entry 1: size is missing"),
        ({"settings": {"ties": "last"}}, 'x: settings: ties: expected one of first, lowest, found "last"'),
        ({"probe": "\ud800"}, "x: probe: holds a character that stands for no bytes"),
        ({"probe": []}, "x: probe: expected a text, found []"),
        ({"position": {"a": None}}, "x: position.a: expected a whole number, found None"),
    ],
)
def test_a_wrong_value_is_named(change: dict[str, Any], message: str) -> None:
    first, second, _ = to_file(heading_for(SavedSession(), "", "", True), SavedSession(pairs=((1, 2),))).split(b"\n")
    data = first + b"\n" + json.dumps(json.loads(second) | change).encode() + b"\n"
    with pytest.raises(Unreadable) as caught:
        session_from(data, "x")
    assert str(caught.value) == message


def test_keys_that_a_later_program_added_are_passed_over() -> None:
    first, second, _ = to_file(heading_for(SavedSession(), "", "", True), SavedSession(step=0)).split(b"\n")
    data = json.dumps(json.loads(first) | {"new": 1}) + "\n" + json.dumps(json.loads(second) | {"new": [2]}) + "\n"
    assert session_from(data.encode(), "x")[1] == SavedSession()
    assert session_from(first + b"\n{}\n", "x")[1] == SavedSession()
