"""Terminals of every kind: what the explorer writes to them is what they can take, and keys and copies reach them."""

from __future__ import annotations

import base64
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from pty_driver import Terminal, explorer
from rich.cells import cell_len

from tokexplorer import paths
from tokexplorer.tui.plain import harmless, to_ascii

SGR = re.compile(rb"\x1b\[([0-9;:]*)m")
SOON = 2.0


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("the cat sat on the mat; naïve café 漢字 — “x”\n" * 20)
    return path


def kinds(terminal: Terminal) -> set[str]:
    """Which kinds of colours were written: `true`, `256`, `16`."""
    found = set()
    for match in SGR.findall(bytes(terminal.raw)):
        codes = match.decode().split(";")
        while codes:
            code = codes.pop(0)
            if code in ("38", "48"):
                found.add({"2": "true", "5": "256"}[codes[0]])
                del codes[: 4 if codes[0] == "2" else 2]
            elif code and (30 <= int(code) <= 37 or 40 <= int(code) <= 47 or 90 <= int(code) <= 107):
                found.add("16")
    return found




def tour(terminal: Terminal) -> None:
    """Through panes, dialogs and screens."""
    terminal.until("step 0/")
    terminal.press("s", "s", "right", "#", "#", "3", "up", "z", "z", quiet=0.1)
    for key, words in (("?", "Esc closes"), ("o", "Enter opens"), (",", "minimum count"), ("c", "agree")):
        terminal.send(key)
        terminal.until(words)
        terminal.press("esc", quiet=0.2)
        terminal.until(words, absent=True)
    terminal.until("step 2/")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "env", "expected"),
    [
        ((), {}, {"true"}),
        (("--colors", "256"), {}, {"256"}),
        (("--colors", "16"), {}, {"16"}),
        (("--colors", "none"), {}, set()),
        ((), {"NO_COLOR": "1"}, set()),
        ((), {"COLORTERM": ""}, {"256"}),
        ((), {"TERM": "linux"}, {"16"}),
        ((), {"TERM": "xterm", "COLORTERM": ""}, {"16"}),
        ((), {"TERM": "screen-256color"}, {"256"}),
        ((), {"TERM": "tmux-256color", "COLORTERM": ""}, {"256"}),
        (("--colors", "true"), {"TERM": "linux", "NO_COLOR": "1"}, {"true"}),
    ],
)
def test_colours(text: Path, options: tuple[str, ...], env: dict[str, str], expected: set[str]) -> None:
    with explorer(*options, str(text), env=env) as terminal:
        tour(terminal)
        assert kinds(terminal) == expected


def test_a_dumb_terminal_is_refused_with_a_word(text: Path) -> None:
    with explorer(str(text), env={"TERM": "dumb"}) as terminal:
        assert terminal.ends(10) == 2
        assert "no screen to draw on" in " ".join(terminal.text.split())
        assert b"\x1b" not in terminal.raw


def test_the_linux_console_gets_nothing_that_it_may_print(text: Path) -> None:
    with explorer(str(text), env={"TERM": "linux", "COLORTERM": ""}) as terminal:
        tour(terminal)
        terminal.send("q")
        assert terminal.ends(SOON) == 0
        for unknown in (b"\x1b[>", b"\x1b[<", b"$p", b"\x1b]"):
            assert unknown not in terminal.raw, unknown


def assert_only_ascii(terminal: Terminal) -> None:
    assert not [byte for byte in terminal.raw if byte > 0x7E]


def test_ascii(text: Path) -> None:
    with explorer("--ascii", str(text)) as terminal:
        tour(terminal)
        assert_only_ascii(terminal)
        assert "+- 1 Corpus" in terminal.text
        assert "naive" not in terminal.text


def test_a_locale_without_utf8_gets_ascii_and_is_told(text: Path) -> None:
    with explorer(str(text), env={"LC_ALL": "en_US.ISO-8859-1"}) as terminal:
        terminal.until("is not UTF-8")
        terminal.press("s")
        assert_only_ascii(terminal)


@pytest.mark.parametrize("sign", [*"─│╭▸·…é漢ﬁ🙂a", "\u0301", "\u202e", "\x1b", "\udc80"])
def test_ascii_takes_as_many_cells(sign: str) -> None:
    found = to_ascii(f"x{sign}y")
    assert found.isascii()
    assert found.isprintable()
    assert len(found) == cell_len(f"x{sign}y")
    assert cell_len(harmless(f"x{sign}y")) == cell_len(f"x{sign}y")


def test_the_users_settings_are_taken(text: Path, home: Path) -> None:
    (home / "settings.toml").write_text(
        'colors = "16"\nascii = true\nmouse = false\ntarget = 300\nalphabet = "chars"\n'
        '[keys]\nstep = ["x", "space"]\nquit = "Q"\n'
    )
    with explorer(str(text)) as terminal:
        terminal.until("x step")
        assert "Q quit" in terminal.text
        assert "characters" in terminal.text
        assert b"\x1b[?1000h" not in terminal.raw
        terminal.press("s", "x", "space")
        terminal.until("step 2/")
        assert kinds(terminal) == {"16"}
        assert_only_ascii(terminal)
        terminal.press("q")
        assert terminal.status is None
        terminal.send("Q")
        assert terminal.ends(SOON) == 0


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("colors = 17\n", "settings.toml: colors"),
        ("colors = \n", "settings.toml, line 1"),
        ('theme = "nope"\n', "there is no nope"),
        ('[keys]\nstepp = "x"\n', "did you mean step"),
        ('[keys]\nstep = "x"\nback = "x"\n', "is also given to"),
    ],
)
def test_wrong_settings_are_told_and_the_defaults_taken(text: Path, home: Path, settings: str, told: str) -> None:
    (home / "settings.toml").write_text(settings)
    with explorer(str(text)) as terminal:
        terminal.until("step 0/")
        terminal.settle()
        flat = "".join(re.sub(r"[│|╭╮╰╯─]", "", terminal.text).split())
        assert told.replace(" ", "") in flat
        terminal.press("s")
        terminal.until("step 1/")


def copied(terminal: Terminal) -> bytes:
    """What was put on the clipboard last."""
    return base64.b64decode(re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", bytes(terminal.raw))[-1])


def test_copying_and_writing_the_copy(text: Path, tmp_path: Path) -> None:
    text.write_text("the cat sat on the mat\n" * 20)
    with explorer(str(text)) as terminal:
        terminal.until("step 0/")
        terminal.press("s", "y")
        assert copied(terminal)
        terminal.until("sent to the terminal: 1 byte")
        terminal.press("2", "y")
        pair = copied(terminal)
        assert len(pair) >= 2
        path = tmp_path / "copy.bin"
        terminal.press("Y")
        terminal.until("Write the copy to a file")
        terminal.press(*["backspace"] * 12, quiet=0.05)
        terminal.press(str(path), "enter")
        terminal.until("bytes written")
        assert path.read_bytes() == pair
        terminal.press("Y", *["backspace"] * 12, quiet=0.05)
        terminal.press(str(path), "enter")
        terminal.until("is there already")


def test_copies_are_wrapped_for_tmux(text: Path) -> None:
    with explorer(str(text), env={"TMUX": "/tmp/tmux-0/default,1,0", "TERM": "tmux-256color"}) as terminal:
        terminal.until("step 0/")
        terminal.press("y")
        assert b"\x1bPtmux;\x1b\x1b]52;c;" in terminal.raw


def test_a_copy_that_would_steer_the_terminal_is_made_harmless(tmp_path: Path) -> None:
    path = tmp_path / "evil.txt"
    path.write_bytes(b"\x1b[201~rm -rf\r" * 3)
    with explorer(str(path)) as terminal:
        terminal.until("step 0/")
        terminal.press("y")
        assert b"\x1b" not in copied(terminal)
        terminal.until("1 stand-in")


def test_the_mouse_can_be_left_to_the_terminal(text: Path) -> None:
    with explorer("--no-mouse", str(text)) as terminal:
        terminal.until("step 0/")
        terminal.settle()
        assert 1000 not in terminal.screen.private
        assert b"\x1b[?1000h" not in terminal.raw
    with explorer(str(text)) as terminal:
        terminal.until("step 0/")
        assert {1000, 1003, 1006} <= terminal.screen.private
        terminal.press("P")
        assert not {1000, 1003, 1006, 1015, 1016} & terminal.screen.private
        terminal.until("left to the terminal")
        terminal.press("P")
        assert {1000, 1003, 1006} <= terminal.screen.private


@pytest.mark.parametrize("key", ["!", "ctrl+l"])
def test_redrawing(text: Path, key: str) -> None:
    with explorer(str(text)) as terminal:
        terminal.until("step 0/")
        terminal.press("s", quiet=0.5)
        before = terminal.text
        terminal.screen.reset()
        assert terminal.text != before
        terminal.press(key)
        assert terminal.text == before


def test_suspending_gives_the_terminal_back_for_a_while(text: Path) -> None:
    with explorer(str(text)) as terminal:
        terminal.until("step 0/")
        terminal.press("s", quiet=0.5)
        before = terminal.text
        terminal.signal(signal.SIGTSTP)
        terminal.pump(1.0)
        assert terminal.screen.private <= {7, 25}
        assert terminal.line_discipline == terminal.before
        terminal.signal(signal.SIGCONT)
        terminal.pump(1.0)
        terminal.settle()
        assert terminal.text == before
        terminal.press("s")
        terminal.until("step 2/")


def test_what_is_typed_need_not_be_utf8(text: Path) -> None:
    with explorer(str(text)) as terminal:
        terminal.until("step 0/")
        for hostile in (b"\xff\xfe", b"\x1b[99999999u", b"\x1b[55296u", b"\x1b[<0;999999999;1M", b"\x1b[M\xff\xff\xff"):
            terminal.send(hostile)
            terminal.settle(0.2)
        terminal.press("p", quiet=0.2)
        for hostile in (b"\xff\xfe", b"\x1b[55296u", b"\x1b[200~\x1b[31m\x00\xc0\xe2\x80\xae\x1b[201~"):
            terminal.send(hostile)
            terminal.settle(0.2)
        terminal.press("esc", quiet=0.4)
        terminal.press("s")
        terminal.until("step 1/")


@pytest.mark.parametrize(
    ("key", "words"), [("g", "Go to step"), ("?", "Esc closes"), ("o", "Enter opens"), (":", "Search for")]
)
def test_dialogs_can_be_left_without_escape(text: Path, key: str, words: str) -> None:
    with explorer(str(text)) as terminal:
        terminal.until("step 0/")
        terminal.send(key)
        terminal.until(words)
        terminal.send("\x07")
        terminal.until(words, absent=True)
        terminal.press("s")
        terminal.until("step 1/")
