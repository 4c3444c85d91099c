"""The explorer through a real ssh, and inside a real tmux: links drop, and nothing is lost."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pty_driver import Terminal, terminal
from ssh_server import SSH, SSHD, TMUX, Server, server
from test_app_ending import run_until, step_shown

from tokexplorer import paths
from tokexplorer.files.sources import open_document
from tokexplorer.saved import saving
from tokexplorer.session import Session, Settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (SSHD and SSH), reason="needs sshd and ssh (openssh-server, openssh-client)"),
]
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(tmp_path_factory.mktemp("sshd")) as found:
        yield found


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_bytes(b"".join(p.read_bytes() for p in sorted((ROOT / "sample_texts").iterdir()) if p.is_file()) * 4)
    return path


def command(home: Path, *argv: str) -> list[str]:
    """How tokexplorer is called over there."""
    called = [sys.executable, "-m", "tokexplorer", *argv]
    return ["cd", shlex.quote(str(ROOT)), "&&", f"{paths.HOME_VARIABLE}={shlex.quote(str(home))}", shlex.join(called)]


def wait_for_saved(step: int) -> int:
    """The step of the session that a program left behind which has ended; at least `step`."""
    until = time.monotonic() + 5
    while True:
        last = saving.last_session()
        if last is not None and last.heading.step >= step:
            assert not last.heading.clean_end
            return last.heading.step
        assert time.monotonic() < until, last
        time.sleep(0.05)


def assert_same_merges(text: Path) -> None:
    last = saving.last_session()
    assert last is not None
    saved = saving.load(last.path)
    session = Session(Settings(target=1 << 20))
    session.open([open_document(str(text))])
    assert saved.pairs[: saved.step] == tuple((m.left, m.right) for m in session.goto(saved.step).merges)


def work(shown: Terminal) -> int:
    """Step, resize, run; returns the step that was shown last while it runs on."""
    shown.until("step 0/", 30)
    shown.press("s", "s")
    shown.until("step 2/")
    shown.resize(80, 24)
    shown.settle()
    assert "1 Corpus  ▸2 Pairs" in shown.text
    shown.press("s")
    shown.until("step 3/")
    shown.resize(120, 36)
    shown.settle()
    shown.send("a")
    return run_until(shown, 20)


def test_a_link_that_drops(sshd: Server, home: Path, text: Path) -> None:
    with sshd.login(command(home, str(text))) as shown:
        step = work(shown)
        shown.signal(signal.SIGKILL)
        shown.ends(5)
    saved = wait_for_saved(step)
    assert_same_merges(text)
    with sshd.login(command(home, "--resume")) as shown:
        shown.until(f"step {saved:,}/", 30)
        shown.press("s")
        shown.until(f"step {saved + 1:,}/")
        shown.send("q")
        assert shown.ends(5) == 0
        assert shown.screen.private <= {7, 25}
        assert shown.line_discipline == shown.before


def test_a_link_that_stalls_first(sshd: Server, home: Path, text: Path) -> None:
    """The client takes nothing more, as when a laptop sleeps, and is gone later."""
    with sshd.login(command(home, str(text))) as shown:
        step = work(shown)
        shown.signal(signal.SIGSTOP)
        time.sleep(2.0)
        shown.signal(signal.SIGKILL)
        shown.ends(5)
    saved = wait_for_saved(step)
    assert_same_merges(text)
    with sshd.login(command(home)) as shown:
        shown.until("The last session ended unexpectedly: text.txt", 30)
        shown.press("R")
        shown.until(f"step {saved:,}/", 30)


def test_leaving_over_ssh(sshd: Server, home: Path, text: Path) -> None:
    with sshd.login(command(home, "--low-bandwidth", str(text)), size=(80, 24)) as shown:
        shown.until("step 0/", 30)
        shown.press("s", quiet=1.0)
        shown.until("step 1/")
        shown.send("q")
        assert shown.ends(5) == 0
        assert shown.screen.private <= {7, 25}


@pytest.mark.skipif(TMUX is None, reason="needs tmux")
def test_inside_tmux_over_ssh(sshd: Server, home: Path, text: Path, tmp_path: Path) -> None:
    """A link drops and the explorer runs on; tmux ends, and the session is there."""
    assert TMUX is not None
    tmux = [TMUX, "-u", "-S", str(tmp_path / "tmux"), "-f", "/dev/null"]
    inner = " ".join(command(home, str(text)))
    try:
        with sshd.login([*tmux, "new-session", "-s", "x", shlex.quote(inner)]) as shown:
            step = work(shown)
            shown.press("a")
            shown.until("running", absent=True)
            step = step_shown(shown)
            shown.press("y")
            shown.signal(signal.SIGKILL)
            shown.ends(5)
        with sshd.login([*tmux, "attach", "-t", "x"], size=(100, 32)) as shown:
            shown.until(f"step {step:,}/", 30)
            shown.press("s")
            shown.until(f"step {step + 1:,}/")
            assert shown.text.count("1 Corpus") == 1
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
    assert wait_for_saved(step + 1) == step + 1
    with sshd.login(command(home, "--resume")) as shown:
        shown.until(f"step {step + 1:,}/", 30)


@pytest.mark.skipif(TMUX is None, reason="needs tmux")
@pytest.mark.parametrize("term", ["tmux-256color", "screen-256color"])
def test_inside_tmux(home: Path, text: Path, tmp_path: Path, term: str) -> None:
    assert TMUX is not None
    (tmp_path / "conf").write_text(f"set -g default-terminal {term}\nset -g status off\nset -g set-clipboard on\n")
    tmux = [TMUX, "-u", "-S", str(tmp_path / "tmux"), "-f", str(tmp_path / "conf")]
    inner = " ".join(command(home, str(text)))
    try:
        with terminal([*tmux, "new-session", "-s", "x", f"{inner}; sleep 60"]) as shown:
            work(shown)
            shown.press("a")
            shown.until("running", absent=True)
            step = step_shown(shown)
            plain = shown.text
            shown.press("!")
            assert shown.text == plain
            shown.press("y")
            assert b"\x1b]52;" in shown.raw
            assert len(subprocess.check_output([*tmux, "show-buffer"])) >= 1
            shown.send("q")
            shown.until("step", absent=True)
            shown.settle()
            modes = [*tmux, "display-message", "-p", "#{mouse_any_flag}#{alternate_on}#{cursor_flag}"]
            assert subprocess.check_output(modes).strip() == b"001"
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
    assert step >= 20
