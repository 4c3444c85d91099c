"""Frames are held back where the link is slow, and the newest state of the screen is always painted in the end."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pty_driver import explorer

from tokexplorer import paths
from tokexplorer.tui.frames import BACKLOG, SLOW_FRAME, SLOW_RATE, Frames


def test_a_quick_link_is_only_held_by_what_it_has_not_taken() -> None:
    frames = Frames()
    for _ in range(3):
        assert frames.may_pass(1.0, BACKLOG)
        frames.passed(1.0, 1 << 20)
    assert not frames.may_pass(1.0, BACKLOG + 1)
    assert frames.wait(1.0) == 0


@given(st.lists(st.tuples(st.floats(0, 2), st.integers(0, 60_000)), min_size=1, max_size=60))
def test_a_slow_link_has_few_and_small_frames(asked: list[tuple[float, int]]) -> None:
    """Whatever is asked for, frames are half a second apart, and none comes before the one before it can be through."""
    frames, now, sent = Frames(slow=True), 0.0, []
    for pause, size in asked:
        now += pause
        if frames.may_pass(now, 0):
            sent.append((now, size))
            frames.passed(now, size)
        else:
            wait = frames.wait(now)
            assert wait > 0
            assert frames.may_pass(now + wait + 1e-9, 0)
    for (at, size), (later, _) in itertools.pairwise(sent):
        assert later - at >= SLOW_FRAME - 1e-9
        assert (later - at) * SLOW_RATE >= size - 1e-3
    assert sent[0][0] == asked[0][0]


def test_what_was_held_back_is_painted_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    text = tmp_path / "text.txt"
    text.write_text("the cat sat on the mat; the hat of the bat\n" * 40)
    shown = []
    for options in ((), ("--low-bandwidth",)):
        with explorer(*options, str(text)) as terminal:
            terminal.until("step 0/")
            for key in "sssbssS#sh":
                terminal.send(key)
                terminal.pump(0.02)
            terminal.until("step 15/")
            terminal.settle(1.5)
            shown.append(terminal.text)
            terminal.resize(100, 30)
            terminal.settle(1.5)
            shown.append(terminal.text)
    assert shown[:2] == shown[2:]
