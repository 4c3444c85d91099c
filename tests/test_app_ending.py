"""However the explorer ends, in a real pseudo-terminal: soon, with the terminal given back and the session saved."""

from __future__ import annotations

import random
import re
import signal
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pty_driver import Terminal, explorer

from tokexplorer import paths
from tokexplorer.files.sources import open_document
from tokexplorer.saved import saving
from tokexplorer.saved.saved_session import SavedSession
from tokexplorer.session import Session, Settings

ALWAYS_ON = {7, 25}
"""Line wrap and cursor."""
SOON = 2.0


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """10 MB of made-up words, so that training takes seconds."""
    draw = random.Random(7)
    words = ["".join(draw.choices("aeioulnrstkm", k=draw.randint(2, 12))) for _ in range(60_000)]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    path = tmp_path_factory.mktemp("large") / "large.txt"
    with path.open("w") as file:
        size = 0
        while size < 10_000_000:
            size += file.write(" ".join(draw.choices(words, weights, k=20_000)) + "\n")
    return path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.txt"
    path.write_text("the cat sat on the mat; the hat of the bat\n" * 40 + "".join(map(chr, range(200, 900))))
    return path


def step_shown(terminal: Terminal) -> int:
    found = re.search(r"step ([\d,]+)/", terminal.text)
    assert found, terminal.text
    return int(found[1].replace(",", ""))


def run_until(terminal: Terminal, step: int) -> int:
    """Let it train to at least a step; returns the step shown then."""
    until = time.monotonic() + 60
    while (shown := step_shown(terminal)) < step:
        assert terminal.status is None, terminal.text
        assert time.monotonic() < until, terminal.text
        terminal.pump(0.01)
    return shown


def assert_given_back(terminal: Terminal) -> None:
    assert terminal.screen.private <= ALWAYS_ON
    assert 25 in terminal.screen.private
    assert terminal.line_discipline == terminal.before
    assert terminal.line_discipline[3] & termios.ECHO


def assert_saved(path: Path, shown: int, merges_of: Path) -> SavedSession:
    """The session on disk is as far as the screen was, with the merges that a fresh run makes."""
    last = saving.last_session()
    assert last is not None
    assert not last.heading.clean_end
    saved = saving.load(last.path)
    assert saved.step >= shown
    assert saved.documents[0].path == str(path)
    session = Session(Settings(target=1 << 20))
    session.open([open_document(str(merges_of))])
    snapshot = session.goto(saved.step)
    assert saved.pairs[: saved.step] == tuple((m.left, m.right) for m in snapshot.merges)
    return saved


def assert_resumes(step: int) -> None:
    with explorer("--resume") as terminal:
        terminal.until(f"step {step:,}/", 30)
        terminal.settle()
        assert f"own merges at {step:,}" in terminal.text
        terminal.press("q")
        assert terminal.ends(SOON) == 0
        assert_given_back(terminal)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_in_the_middle_of_training(large: Path, number: signal.Signals) -> None:
    with explorer(str(large)) as terminal:
        terminal.until("step 0/", 30)
        terminal.send("e")
        shown = run_until(terminal, 300)
        terminal.signal(number)
        assert terminal.ends(SOON) == 128 + number
        assert_given_back(terminal)
        assert f"ended by {number.name}" in terminal.text
        assert "tokexplorer --resume" in terminal.text
    saved = assert_saved(large, shown, large)
    assert_resumes(saved.step)


@pytest.mark.slow
def test_a_closed_terminal_in_the_middle_of_training(large: Path) -> None:
    with explorer(str(large)) as terminal:
        terminal.until("step 0/", 30)
        terminal.send("e")
        shown = run_until(terminal, 300)
        terminal.hang_up()
        assert terminal.ends(SOON) == 128 + signal.SIGHUP
    saved = assert_saved(large, shown, large)
    assert_resumes(saved.step)


IN_A_WORKER = """
from tokexplorer.session import Session
whole = Session.snapshot
def snapshot(self):
    if self.trainer.step_count > 300:
        raise RuntimeError("injected [/INST] \\x1b[31m")
    return whole(self)
Session.snapshot = snapshot
"""
IN_THE_SCREEN = """
from tokexplorer.tui.widgets.pair_table import PairTable
whole = PairTable.row
def row(self, index, width):
    if self.snapshot.step > 3:
        raise ZeroDivisionError("injected")
    return whole(self, index, width)
PairTable.row = row
"""
IN_THE_KEYS = """
from tokexplorer.tui.driver import SteadyDriver
def process_message(self, message):
    if getattr(message, "key", "") == "x":
        raise LookupError("injected")
    super(SteadyDriver, self).process_message(message)
SteadyDriver.process_message = process_message
"""


HANGING = """
import time
from tokexplorer.tui.app import ExplorerApp
async def shutdown(self):
    time.sleep(60)
ExplorerApp._shutdown = shutdown
"""


def test_leaving_although_the_main_thread_hangs(small: Path) -> None:
    with explorer(str(small), before=HANGING) as terminal:
        terminal.until("step 0/")
        terminal.press("s", "s")
        terminal.send("q")
        assert terminal.ends(SOON) == 0
        assert_given_back(terminal)
    last = saving.last_session()
    assert last is not None
    assert (last.heading.clean_end, last.heading.step) == (True, 2)


def assert_told(terminal: Terminal, kind: str, home: Path) -> None:
    """One screen tells of the error; the traceback is in a file, not on the terminal."""
    told = " ".join(terminal.text.split())
    assert "tokexplorer has met an error of its own" in told
    assert f"what happened {kind}: injected" in told
    assert b"Traceback" not in terminal.raw
    assert b"\x1b[31m" not in terminal.raw
    (report,) = (home / "state" / "errors").iterdir()
    assert report.name in told.replace(" ", "")
    assert f"{kind}: injected" in report.read_text()
    assert "Traceback (most recent call last)" in report.read_text()


@pytest.mark.slow
def test_an_error_in_the_worker_in_the_middle_of_training(large: Path, home: Path) -> None:
    with explorer(str(large), before=IN_A_WORKER) as terminal:
        terminal.until("step 0/", 30)
        terminal.send("e")
        begin = time.monotonic()
        assert terminal.ends(10) == 1
        assert time.monotonic() - begin < 5
        assert_given_back(terminal)
        assert_told(terminal, "RuntimeError", home)
        assert "is saved: large.txt at step" in terminal.text
    saved = assert_saved(large, 0, large)
    assert_resumes(saved.step)


@pytest.mark.parametrize(
    ("before", "keys", "kind"),
    [(IN_THE_SCREEN, "ssss", "ZeroDivisionError"), (IN_THE_KEYS, "ssssx", "LookupError")],
)
def test_an_error_in_the_screen_or_the_keys(small: Path, home: Path, before: str, keys: str, kind: str) -> None:
    with explorer(str(small), before=before) as terminal:
        terminal.until("step 0/")
        terminal.send(keys)
        assert terminal.ends(5) == 1
        assert_given_back(terminal)
        assert_told(terminal, kind, home)
        assert "is saved: small.txt at step 4" in terminal.text
    saved = assert_saved(small, 4, small)
    assert_resumes(saved.step)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT])
def test_a_signal_while_the_terminal_takes_nothing(small: Path, number: signal.Signals) -> None:
    """As over a link that has stalled: nobody reads, so that writing to the terminal waits."""
    with explorer(str(small), size=(200, 60)) as terminal:
        terminal.until("step 0/")
        terminal.send("s" * 3)
        terminal.until("step 3/")
        for _ in range(60):
            terminal.send("E")
            time.sleep(0.05)
        terminal.signal(number)
        begin = time.monotonic()
        while terminal.status is None:
            terminal._reap(0.05)
            assert time.monotonic() - begin < SOON
    assert_saved(small, 3, small)


WITHOUT_HANGUP = """
import signal
whole = signal.signal
signal.signal = lambda number, handler: whole(number, signal.SIG_IGN if number == signal.SIGHUP else handler)
"""


def test_a_closed_terminal_of_which_no_signal_tells(small: Path) -> None:
    """Under nohup the end of its input is all that the program is told."""
    with explorer(str(small), before=WITHOUT_HANGUP) as terminal:
        terminal.until("step 0/")
        terminal.press("s", "s")
        terminal.hang_up()
        assert terminal.ends(5) == 128 + signal.SIGHUP
    assert_saved(small, 2, small)


def test_the_clock_saves_so_that_a_kill_loses_little(small: Path) -> None:
    with explorer(str(small), before="from tokexplorer.tui import safekeeping; safekeeping.CLOCK = 0.3") as terminal:
        terminal.until("step 0/")
        terminal.press("s", "s", "s")
        time.sleep(1.0)
        terminal.signal(signal.SIGKILL)
        assert terminal.ends(SOON) == -signal.SIGKILL
    assert assert_saved(small, 3, small).step == 3
    with explorer() as terminal:
        terminal.until("The last session ended unexpectedly: small.txt at step 3")
        terminal.press("R")
        terminal.until("step 3/")
        assert "unexpectedly" not in terminal.text
        terminal.press("q")
        assert terminal.ends(SOON) == 0


def test_a_session_that_ended_well_is_not_asked_about(small: Path) -> None:
    with explorer(str(small)) as terminal:
        terminal.until("step 0/")
        terminal.press("s", "s", "q")
        assert terminal.ends(SOON) == 0
        assert_given_back(terminal)
    last = saving.last_session()
    assert last is not None
    assert (last.heading.clean_end, last.heading.step) == (True, 2)
    with explorer() as terminal:
        terminal.until("step 0/")
        terminal.settle()
        assert "unexpectedly" not in terminal.text
    assert_resumes(2)


def test_no_means_no(small: Path) -> None:
    with explorer(str(small)) as terminal:
        terminal.until("step 0/")
        terminal.press("s")
        terminal.signal(signal.SIGTERM)
        terminal.ends(SOON)
    with explorer() as terminal:
        terminal.until("unexpectedly")
        terminal.press("esc", quiet=0.5)
        assert "unexpectedly" not in terminal.text
    with explorer() as terminal:
        terminal.until("step 0/")
        terminal.settle()
        assert "unexpectedly" not in terminal.text


def test_looking_at_a_sample_leaves_nothing_behind(home: Path) -> None:
    with explorer() as terminal:
        terminal.until("step 0/")
        terminal.press("right", "q")
        assert terminal.ends(SOON) == 0
    assert not (home / "state" / "sessions").exists()


def test_what_was_in_sight_comes_back(small: Path) -> None:
    with explorer(str(small)) as terminal:
        terminal.until("step 0/")
        terminal.press("s", "s", "s", "s", "b", "E", "right", "right", "right", "#", "3", "up", quiet=0.2)
        before = terminal.text
        time.sleep(1.2)
        terminal.signal(signal.SIGHUP)
        terminal.ends(SOON)
    with explorer("--resume") as terminal:
        terminal.until("step 3/")
        terminal.settle()
        assert "3 of 4" in terminal.text
        assert terminal.text.split("\n")[1:] == before.split("\n")[1:]


def test_branches_and_watched_words_come_back(small: Path) -> None:
    with explorer(str(small)) as terminal:
        terminal.until("step 0/")
        terminal.press("s", "s", "2", "down", "down", "m", "s", "w", "hats", "enter", "4", quiet=0.3)
        terminal.until("branch 1")
        before = terminal.text
        time.sleep(1.2)
        terminal.signal(signal.SIGTERM)
        terminal.ends(SOON)
    assert "hats" in before
    with explorer("--resume") as terminal:
        terminal.until("step 4/")
        terminal.settle(0.6)
        assert terminal.text.split("\n")[1:] == before.split("\n")[1:]
        assert "branch 1" in terminal.text
        terminal.press("b", "b", "s")
        terminal.until("step 3/")


def test_a_probe_comes_back(small: Path) -> None:
    with explorer(str(small)) as terminal:
        terminal.until("step 0/")
        terminal.press("p", "h", "a", "t", "s", quiet=0.2)
        time.sleep(1.2)
        terminal.signal(signal.SIGTERM)
        terminal.ends(SOON)
    with explorer("--resume") as terminal:
        terminal.until("probe")
        terminal.settle()
        assert "hats" in terminal.text


def test_a_changed_file_is_said(small: Path) -> None:
    with explorer(str(small)) as terminal:
        terminal.until("step 0/")
        terminal.press("s", "s", "q")
        terminal.ends(SOON)
    small.write_text(small.read_text() + "one more line")
    with explorer("--resume") as terminal:
        terminal.until("step 2/")
        terminal.until("has changed")


def test_a_missing_file_is_said_and_the_session_is_kept(small: Path) -> None:
    with explorer(str(small)) as terminal:
        terminal.until("step 0/")
        terminal.press("s", "s", "q")
        terminal.ends(SOON)
    text = small.read_text()
    small.unlink()
    with explorer("--resume") as terminal:
        terminal.until("no such file")
        terminal.until("step 0/")
        terminal.press("q")
        terminal.ends(SOON)
    small.write_text(text)
    assert_resumes(2)


def test_a_corrupt_session_is_set_aside_and_said(small: Path, home: Path) -> None:
    with explorer(str(small)) as terminal:
        terminal.until("step 0/")
        terminal.press("s", "q")
        terminal.ends(SOON)
    with explorer(str(small)) as terminal:
        terminal.until("step 0/")
        terminal.press("s", "s", "s", "q")
        terminal.ends(SOON)
    last = saving.last_session()
    assert last is not None
    assert last.heading.step == 3
    last.path.write_bytes(b"\x00\x1b[31m" + last.path.read_bytes()[:50])
    with explorer("--resume") as terminal:
        terminal.until("set aside as")
        terminal.until("step 1/")
    assert [path for path in last.path.parent.iterdir() if ".corrupt-" in path.name]


def test_a_session_of_a_newer_program_is_left_alone(small: Path, home: Path) -> None:
    with explorer(str(small)) as terminal:
        terminal.until("step 0/")
        terminal.press("s", "q")
        terminal.ends(SOON)
    last = saving.last_session()
    assert last is not None
    newer = re.sub(rb'"version": ?1', b'"version":99', last.path.read_bytes(), count=1)
    last.path.write_bytes(newer)
    with explorer("--resume") as terminal:
        terminal.until("newer tokexplorer")
        terminal.until("step 0/")
        terminal.press("q")
        terminal.ends(SOON)
    assert last.path.read_bytes() == newer


def test_two_explorers_at_once_keep_their_own_sessions(small: Path) -> None:
    with explorer(str(small)) as one, explorer(str(small)) as other:
        for terminal, keys in ((one, "ss"), (other, "sssss")):
            terminal.until("step 0/")
            terminal.press(*keys)
        one.signal(signal.SIGTERM)
        one.ends(SOON)
        with explorer("--resume") as third:
            third.until("step 2/")
            third.press("q")
            third.ends(SOON)
        other.signal(signal.SIGTERM)
        other.ends(SOON)
    assert sorted(found.heading.step for found in saving.sessions().found) == [2, 5]
