"""A paste is a paste, whatever it holds: no byte of it becomes a key; what is typed passes as it is."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser

from tokexplorer.tui.pastes import END, STAND_IN, START, PasteGuard, restored

PIECES = st.sampled_from(["a", "\r", "\x1b", "\x1b[", "\x1b[2", "\x1b[20", "[201~", "\x1b[A", "\x1b[200", "é", "\x1bx"])
CONTENT = st.lists(PIECES, max_size=12).map("".join).filter(lambda text: END not in text and START not in text)


def cut(text: str, seed: int) -> list[str]:
    """The text in pieces, as a terminal may send it."""
    chooser, pieces = random.Random(seed), []
    while text:
        size = chooser.randint(1, 7)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def guarded(text: str, seed: int) -> str:
    guard = PasteGuard()
    return "".join(guard.feed(piece) for piece in cut(text, seed))


@given(st.lists(st.tuples(CONTENT, CONTENT), max_size=4), st.integers(0, 1000))
def test_only_escapes_inside_pastes_are_replaced(parts: list[tuple[str, str]], seed: int) -> None:
    sent = "".join(f"{typed}{START}{pasted}{END}" for typed, pasted in parts)
    if sent.count(START) != len(parts) or sent.count(END) != len(parts):
        return
    expected = "".join(f"{typed}{START}{pasted.replace(chr(27), STAND_IN)}{END}" for typed, pasted in parts)
    assert guarded(sent, seed) == expected


@given(CONTENT)
def test_what_is_typed_is_held_back_nowhere(text: str) -> None:
    guard = PasteGuard()
    assert [guard.feed(char) for char in text] == [*text]


@pytest.mark.parametrize("pasted", ["\x1bx\r", "\x1bP$q\x1b\\x\r", "a\x1b[A\x1b[Bq", "\x1b", "\x1b[201", "\x1b[200~x"])
def test_the_parser_presses_no_key_of_a_paste(pasted: str) -> None:
    guard, parser = PasteGuard(), XTermParser()
    pieces = [guard.feed(piece) for piece in [*cut(f"{START}{pasted}{END}", 3), "z"]]
    found = [event for piece in pieces if piece for event in parser.feed(piece)]
    assert [event.key for event in found if isinstance(event, events.Key)] == ["z"]
    (paste,) = [event for event in found if isinstance(event, events.Paste)]
    assert restored(paste.text) == pasted
