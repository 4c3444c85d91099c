"""What terminals can do, the bytes that reach them beside the screen, and giving them back on real pseudo-terminals."""

from __future__ import annotations

import base64
import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
import tty

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.terminal import (
    CLIPBOARD_LIMIT,
    RESTORE,
    TITLE_CELLS,
    ColorChoice,
    Multiplexer,
    clipboard_text,
    color_system,
    examine,
    is_tmux,
    locale_problem,
    multiplexer,
    osc52,
    startup_environment,
    textual_environment,
    title,
)
from tokexplorer.terminal_modes import give_back, modes_of

TRUE, C256, C16, NONE = ColorChoice.TRUE, ColorChoice.C256, ColorChoice.C16, ColorChoice.NONE


@pytest.mark.parametrize(
    ("environment", "colors"),
    [
        ("TERM=xterm", C16),
        ("TERM=xterm-256color", C256),
        ("TERM=xterm-256color COLORTERM=truecolor", TRUE),
        ("TERM=xterm COLORTERM=24bit", TRUE),
        ("TERM=xterm COLORTERM=yes", C16),
        ("TERM=xterm-kitty", TRUE),
        ("TERM=alacritty", TRUE),
        ("TERM=foot-extra", TRUE),
        ("TERM=xterm-direct", TRUE),
        ("TERM=xterm-256color WT_SESSION=1", TRUE),
        ("TERM=linux", C16),
        ("TERM=linux COLORTERM=truecolor", C16),
        ("TERM=screen", C16),
        ("TERM=screen-256color", C256),
        ("TERM=screen-256color COLORTERM=truecolor", C256),
        ("TERM=screen-256color COLORTERM=truecolor STY=1.x", C256),
        ("TERM=screen-256color COLORTERM=truecolor TMUX=/tmp/tmux,1,0", TRUE),
        ("TERM=tmux-256color", C256),
        ("TERM=tmux-256color COLORTERM=truecolor", TRUE),
        ("TERM=vt100", NONE),
        ("TERM=vt220", NONE),
        ("TERM=xterm-mono", NONE),
        ("TERM=xterm-16color", C16),
        ("TERM=xterm-256color COLORTERM=truecolor NO_COLOR=1", NONE),
        ("TERM=xterm-256color NO_COLOR=", C256),
    ],
)
def test_colors_told_from_the_environment(environment: str, colors: ColorChoice) -> None:
    given = dict(entry.split("=", 1) for entry in environment.split()) | {"LANG": "C.UTF-8"}
    assert color_system(given) is colors
    assert examine(given).colors is colors
    assert examine(given, ColorChoice.C256).colors is C256


@pytest.mark.parametrize("term", ["dumb", "", None, "unknown"])
def test_a_terminal_without_a_screen_is_refused(term: str | None) -> None:
    with pytest.raises(UsageError, match="no screen to draw on"):
        examine({} if term is None else {"TERM": term}, ColorChoice.TRUE, ascii=True)


@pytest.mark.parametrize(
    ("environment", "fine"),
    [
        ("LANG=de_DE.UTF-8", True),
        ("LANG=en_US.utf8", True),
        ("LANG=C LC_ALL=C.UTF-8", True),
        ("LC_CTYPE=UTF-8", True),
        ("LANG=C LC_CTYPE=sr_RS.UTF-8@latin", True),
        ("", True),
        ("LANG= LC_ALL=", True),
        ("LANG=C", False),
        ("LC_ALL=POSIX LANG=C.UTF-8", False),
        ("LANG=de_DE.ISO-8859-1", False),
        ("LANG=de_DE", False),
        ("LC_ALL=de_DE@euro", False),
        ("TMUX=x", False),
        ("TMUX=x LANG=C.UTF-8", True),
    ],
)
def test_only_a_utf8_locale_gets_more_than_ascii(environment: str, fine: bool) -> None:
    given = dict(entry.split("=", 1) for entry in environment.split()) | {"TERM": "xterm"}
    assert (locale_problem(given) is None) is fine
    found = examine(given)
    assert found.ascii is not fine
    assert len(found.notes) == (0 if fine else 1)
    assert examine(given, ascii=True).ascii
    assert examine(given, ascii=True).notes == ()


def test_a_hostile_locale_is_said_safely() -> None:
    (note,) = examine({"TERM": "xterm", "LANG": "\x1b]2;x\x07\udcff"}).notes
    assert note.isascii()
    assert note.isprintable()
    assert "LANG=\\x1b]2;x\\x07\\xff is not UTF-8" in note


def test_the_environment_at_the_start_tells_a_c_locale() -> None:
    code = "import tokexplorer.terminal as t; print(t.locale_problem(t.startup_environment()) is None)"
    base = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))}
    for extra, fine in (({"LANG": "C"}, "False"), ({"LANG": "C.UTF-8"}, "True"), ({}, str("TMUX" not in base))):
        run = subprocess.run([sys.executable, "-c", code], env=base | extra, capture_output=True, text=True, check=True)
        assert run.stdout.strip() == fine
    assert startup_environment()


def test_multiplexers() -> None:
    assert multiplexer({"TERM": "screen", "STY": "1.tty"}) is Multiplexer.SCREEN
    assert multiplexer({"TERM": "screen-256color"}) is Multiplexer.NONE
    assert is_tmux({"TERM": "tmux-256color"})
    assert is_tmux({"TERM": "xterm", "TMUX": "/tmp/x,1,0"})
    assert not is_tmux({"TERM": "xterm", "TMUX": ""})


def test_what_textual_is_told() -> None:
    plain = examine({"TERM": "xterm-256color"})
    assert textual_environment(plain) == {"TEXTUAL_COLOR_SYSTEM": "256", "NO_COLOR": None}
    slow = textual_environment(examine({"TERM": "xterm", "NO_COLOR": "1"}), low_bandwidth=True)
    assert slow["NO_COLOR"] == "1"
    assert slow["TEXTUAL_ANIMATIONS"] == "none"


def unwrapped(sequence: bytes) -> bytes:
    """What tmux or screen hand on of their DCS strings."""
    tmux = re.findall(rb"\x1bPtmux;(.*?)(?<!\x1b)\x1b\\", sequence, re.DOTALL)
    if tmux:
        return b"".join(tmux).replace(b"\x1b\x1b", b"\x1b")
    return b"".join(re.findall(rb"\x1bP(.*?)\x1b\\", sequence, re.DOTALL))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=2000))
def test_the_clipboard_sequence_holds_the_very_bytes(data: bytes) -> None:
    plain = osc52(data)
    assert plain.startswith(b"\x1b]52;c;")
    assert base64.b64decode(plain[7:-1], validate=True) == data
    assert osc52(data, Multiplexer.TMUX) == plain + osc52(data, Multiplexer.TMUX)[len(plain) :]
    assert unwrapped(osc52(data, Multiplexer.TMUX)[len(plain) :]) == plain
    assert unwrapped(osc52(data, Multiplexer.SCREEN)) == plain


def test_the_clipboard_has_a_limit() -> None:
    assert len(osc52(b"x" * CLIPBOARD_LIMIT)) <= 100_000 + len("\x1b]52;c;\x07")
    with pytest.raises(InputError, match="74,995 bytes are more than the 74,994"):
        osc52(b"x" * (CLIPBOARD_LIMIT + 1))
    with pytest.raises(InputError, match="write them to a file"):
        osc52(b"four", limit=3)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80) | st.text(max_size=40).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_what_is_copied_cannot_steer(data: bytes) -> None:
    copied, replaced = clipboard_text(data)
    text = copied.decode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert (copied == data) is (replaced == 0)


def test_what_is_harmless_is_copied_exactly() -> None:
    text = "a\tb\n👩‍👩‍👧 é ﷽ \u00a0x".encode()
    assert clipboard_text(text) == (text, 0)
    assert clipboard_text(b"\x1b[201~\r\xff") == ("␛[201~␍‹FF›".encode(), 3)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=100), st.booleans())
def test_a_title_cannot_leave_its_sequence(text: str, ascii: bool) -> None:
    written = title(text, {"TERM": "xterm"}, ascii)
    assert written.startswith(b"\x1b]2;")
    assert written.endswith(b"\x07")
    inside = written[4:-1].decode("utf-8")
    assert inside == "" or inside.isprintable()
    assert len(inside) <= 6 * TITLE_CELLS
    assert not ascii or inside.isascii()
    assert title(text, {"TERM": "linux"}) == b""
    assert title(text, {"TERM": "vt100"}) == b""


def test_restore_undoes_every_mode_in_a_real_emulator() -> None:
    screen = pyte.Screen(20, 4)
    stream = pyte.ByteStream(screen)
    stream.feed(b"before")
    clean = set(screen.mode)
    stream.feed(b"\x1b[?25l\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1004h\x1b[?7l\x1b[31m")
    assert set(screen.mode) != clean
    stream.feed(RESTORE)
    assert set(screen.mode) == clean
    assert not screen.cursor.hidden
    assert screen.cursor.attrs.fg == "default"
    for mode in (1000, 1002, 1003, 1006, 1015, 1016, 1004, 2004, 2026, 2048, 1049):
        assert f"\x1b[?{mode}l".encode() in RESTORE
    assert RESTORE.index(b"\x1b[<u") < RESTORE.index(b"\x1b[?1049l") < RESTORE.index(b"\x1b[?25h")


def test_the_line_discipline_is_given_back() -> None:
    master, slave = pty.openpty()
    try:
        before = modes_of(slave)
        assert before is not None
        tty.setraw(slave)
        os.write(master, b"\x1b[<35;1;1M")
        assert modes_of(slave) != before
        assert give_back(slave, before)
        assert modes_of(slave) == before
        assert os.get_blocking(slave)
        assert os.read(master, 4096) == RESTORE
        os.write(master, b"next\n")
        assert os.read(slave, 100) == b"next\n"
    finally:
        os.close(master)
        os.close(slave)


def test_a_terminal_that_is_gone_or_stalled_is_not_waited_for() -> None:
    master, slave = pty.openpty()
    modes = modes_of(slave)
    os.set_blocking(slave, False)
    with contextlib.suppress(BlockingIOError):
        while os.write(slave, b"x" * 4096):
            pass
    os.set_blocking(slave, True)
    assert not give_back(slave, modes, patience=0.05)
    assert os.get_blocking(slave)
    os.close(master)
    assert not give_back(slave, modes)
    os.close(slave)
    assert not give_back(slave, modes)
    read, write = os.pipe()
    assert modes_of(read) is None
    os.close(read)
    os.close(write)


BACKGROUND = """
import os, sys, time
from tokexplorer.terminal_modes import give_back, modes_of
modes = modes_of(0)
if os.fork() == 0:
    os.setpgid(0, 0)
    modes[3] &= ~8
    os._exit(0 if give_back(0, modes) else 1)
_, status = os.waitpid(-1, os.WUNTRACED)
print("stopped" if os.WIFSTOPPED(status) else f"left {os.WEXITSTATUS(status)}", flush=True)
time.sleep(60)
"""


def test_a_process_in_the_background_is_not_stopped_by_it() -> None:
    pid, master = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", BACKGROUND])
    try:
        seen = b""
        until = time.monotonic() + 20
        while b"stopped" not in seen and b"left" not in seen and time.monotonic() < until:
            seen += os.read(master, 1024)
        assert b"left 0" in seen
        assert not termios.tcgetattr(master)[3] & termios.ECHO
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(master)
