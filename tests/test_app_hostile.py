"""Hostile texts, names and input through every pane: what a real pseudo-terminal receives is only what Textual and
`glyphs` write."""

from __future__ import annotations

import csv
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from pty_driver import Terminal, explorer
from pty_driver import terminal as any_program
from wire_reader import harmful, places

from tokexplorer import paths

SIZE = (120, 36)
SGR = re.compile(rb"\x1b\[[0-9;]*[mK]")
ATTACKS = b" ".join(
    [
        b"\x1b]2;pwned\x07 \x1b[2J\x1b[777;7H \x1b[?1049l \x1bP$q\x1b\\ \x1b]52;c;cHduZWQ=\x07 \x9b31m \xc2\x9b31m",
        b"\x1bc \x0e\x0f \x08\x08 \x7f \r\n\x0b\x0c \xe2\x80\xae rtl \xe2\x80\x8b \xf3\xa0\x81\x81 \xef\xbb\xbf",
        b"\xed\xa0\x80 \xf4\x90\x80\x80 \xc0\xaf [/INST] [UNK] [bold] [@click=app.quit]x[/] {{{ \\[",
        b"e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea \u270c\ufe0f \u270c\U0001f3ff".encode(),
        "\ufdfd \ua9c5 \u2e3b 漢字 한글 ภาษา".encode(),
    ]
)


def every_byte() -> bytes:
    return bytes(range(256)) + b"".join(b"a%cb %c%c\n" % (byte, byte, byte) for byte in range(256))


def characters() -> bytes:
    """All of Cc and Cf, every 997th of Co and Cn, all of what Unicode lets draw nothing, lone surrogates as bytes."""
    chosen = []
    for point in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(point))
        step = {"Cc": 1, "Cf": 1, "Zl": 1, "Zp": 1, "Co": 997, "Cn": 997, "Cs": 97}.get(category)
        if step is not None and point % step == 0:
            chosen.append(chr(point))
    return "\n".join(f"x{c}y{c}{c}" for c in chosen).encode("utf-8", "surrogatepass")


def glitches() -> bytes:
    """The reported glitch tokens."""
    with (Path(__file__).parents[1] / "tokexplorer" / "data" / "glitch_tokens.tsv").open(encoding="utf-8") as file:
        rows = list(csv.reader((line for line in file if not line.startswith("#")), delimiter="\t"))
    return b"\n".join("\t".join(row).encode() for row in rows)


CORPORA = {"bytes": every_byte, "characters": characters, "glitches": glitches, "attacks": lambda: ATTACKS * 20}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


def assert_harmless(terminal: Terminal) -> None:
    raw = bytes(terminal.raw)
    assert harmful(raw) == []
    assert b"\x1b]2;" not in raw
    assert b"cHduZWQ=\x07" not in raw
    assert all(row <= SIZE[1] and column <= SIZE[0] for row, column in places(raw))
    assert 1049 in terminal.screen.private
    assert terminal.status is None, terminal.text


def walk(terminal: Terminal, quiet: float = 0.04) -> None:
    """Through every pane and screen, each of them scrolled."""
    terminal.until("step 0/")
    down = ["pagedown"] * 3
    terminal.press("S", "right", "right", "y", *down, "end", "home", "#", *down, quiet=quiet)
    terminal.press("#", "h", "d", "home", *down, quiet=quiet)
    for pane in "123":
        terminal.press(pane, "z", *down, "y", "end", "home", "z", quiet=quiet)
    terminal.press("4", "t", quiet=1.0)
    terminal.press(*down, "t", "home", *down, "T", "T", "home", "enter", quiet=0.12)
    terminal.press(*down, quiet=quiet)
    leave(terminal)
    for screen, keys in (("v", [*down, "end"]), ("c", [*down, "f", "f"]), ("i", ["n", "n", "n", "n", "n"])):
        terminal.press(screen, quiet=0.6)
        terminal.press(*keys, quiet=0.12)
        leave(terminal)


def leave(terminal: Terminal) -> None:
    """Back to the explorer; the first Esc may only stop what runs."""
    for _ in range(5):
        terminal.press("esc", quiet=0.3)
        if "own merges" in terminal.text:
            return
    raise AssertionError(terminal.text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("corpus", "options"), [*((corpus, ()) for corpus in CORPORA), ("bytes", ("--ascii",)), ("attacks", ("--ascii",))]
)
def test_corpora(tmp_path: Path, corpus: str, options: tuple[str, ...]) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(CORPORA[corpus]())
    with explorer(*options, str(path), size=SIZE) as terminal:
        walk(terminal)
        assert_harmless(terminal)
        if options:
            assert not [byte for byte in terminal.raw if byte > 0x7E]


def pasted(data: bytes) -> bytes:
    return b"\x1b[200~" + data.replace(b"\x1b[201~", b"") + b"\x1b[201~"


@pytest.mark.slow
def test_pastes_into_every_field(tmp_path: Path) -> None:
    """A paste cannot hold the sequence that ends it, but anything else."""
    path = tmp_path / "corpus.txt"
    path.write_text("the cat sat on the mat\n" * 9)
    with explorer(str(path), size=SIZE) as terminal:
        terminal.until("step 0/")
        for field in ("p", "/", "g", "n", "o"):
            for data in (ATTACKS, every_byte(), characters()[:3000]):
                terminal.press(field, quiet=0.15)
                if field == "o":
                    terminal.press("tab", quiet=0.1)
                terminal.send(pasted(data))
                terminal.settle(0.3)
                terminal.press("enter", quiet=0.2)
                terminal.press("esc", quiet=0.3)
                terminal.press("esc", quiet=0.3)
        assert_harmless(terminal)


def test_names_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "f\x1b[31mo\nl\u202ed"
    folder.mkdir()
    names = ["e\x1b]2;pwned\x07\nv\u202ei\udc80l.txt", "[bold]x[@click=app.quit].txt", "\x9b2J", "\u200b"]
    for name in names:
        (folder / name).write_text("the cat sat on the mat\n" * 9)
    with explorer(*[str(folder / name) for name in names], size=SIZE) as terminal:
        terminal.until("step 0/")
        terminal.press("1", "end", "up", "up", "enter", quiet=0.3)
        terminal.press("s", quiet=0.3)
        assert_harmless(terminal)
        terminal.send("q")
        assert terminal.ends(3) == 0
    (folder / names[0]).write_text("another text")
    with explorer("--resume", size=SIZE) as terminal:
        terminal.until("step")
        terminal.settle(0.5)
        assert_harmless(terminal)
    with explorer(str(folder / "missing\x1b[31m"), size=SIZE) as terminal:
        terminal.until("no such file")
        assert_harmless(terminal)


def test_sub_commands(tmp_path: Path) -> None:
    """Texts, names and models on the command line; `decode` is left out, whose output is the bytes themselves."""
    name = "e\x1b]2;pwned\x07v\u202ei\udc80l \x9b31m.txt"
    corpus = tmp_path / name
    corpus.write_bytes(every_byte() + ATTACKS * 3)
    model = tmp_path / "m\x1b[31m.tok"
    calls = [
        ["train", str(corpus), "--merges", "40", "-o", str(model), "--special", "<\x1b[31m>"],
        ["train", str(corpus), "--merges", "40", "--alphabet", "chars"],
        ["encode", "-t", "gpt2", "-f", str(corpus)],
        ["encode", "-t", str(model), "-f", str(corpus), "--trace"],
        ["encode", "-t", "gpt2", "\x1b]2;pwned\x07 \x9b31m \u202e"],
        ["compare", "-t", "gpt2", "-t", str(model), str(corpus)],
        ["merges", "-t", str(model)],
        ["vocab", "-t", str(model), "--limit", "400"],
        ["vocab", "-t", "gpt2", "--kind", "glitch"],
        ["inspect", "special", "-t", str(model)],
        ["inspect", "spaces", "-t", str(model)],
        ["encode", "-t", "no\x1b[31m\u202e", "x"],
        ["train", str(corpus) + "\x1b[31m", "--merges", "2"],
        ["vocab", "-t", "gpt2", "--search", "(\x1b[31m\u202e"],
        ["trian\x1b"],
        ["train", "--nope\x1b[31m"],
    ]
    for call in calls:
        with any_program([sys.executable, "-m", "tokexplorer", *call], size=SIZE) as ran:
            status = ran.ends(30)
            shown = SGR.sub(b"", bytes(ran.raw)).replace(b"\r\n", b"").replace(b"\r", b"")
            assert harmful(shown) == [], (call, ran.text)
            assert b"\x1b[31m" not in ran.raw, call
            assert status in (0, 1, 2), call
