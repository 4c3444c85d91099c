"""The contract of the command line: exit statuses, one line on stderr, streams that close, start-up, hostile text."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_runner import program, run

from tokexplorer.cli.parser import COMMANDS

FACTS = Path(__file__).parent / "facts"
SHELLS = str(Path(__file__).parent / "golden" / "input" / "shells.txt")
HOSTILE = "[/INST] [UNK] [@click=app.quit]x[/] \x1b[31m\x1b]0;t\x07 \x9b2J \u202eabc\u2066 \x00\x7f\ufeff \ud83d"


def fails(status: int, *argv: str, says: str, stdin: bytes = b"") -> None:
    """A call ends with this status, nothing on stdout, and one line on stderr that says so."""
    ended = run(*argv, stdin=stdin)
    assert (ended.status, ended.out) == (status, b""), ended
    assert ended.err.startswith("tokexplorer: ")
    assert ended.err.count("\n") == 1
    assert ended.err.endswith("\n")
    assert says in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("train", "--vocab-size --merges is required"),
        ("train --merges 3", "FILE is missing"),
        ("train --merges 3 --special a b", "FILE is missing"),
        ("train x", "--vocab-size"),
        ("train x --merges 3 --vocab-size 300", "not allowed with"),
        ("train x --merges -1", "not a whole number"),
        ("train x --merges 1e3", "not a whole number"),
        ("train x --vocab-size many", "not a whole number"),
        ("train x --merges 3 --min-count 0", "the least is 1"),
        ("train x --merges 3 --ties best", "invalid choice"),
        ("train x --merges 3 --alphabet runes", "invalid choice"),
        ("train x --merges 3 --split a(b", "at character 4"),
        ("train x --merges 3 --nonsense", "unrecognized arguments: --nonsense"),
        ("train - - --merges 3", "only once"),
        (f"train {SHELLS} --vocab-size 100", "below the 256 base symbols"),
        (f"train {SHELLS} --vocab-size 255", "ask for 256 or more"),
        (f"train {SHELLS} --vocab-size 3 --alphabet chars", "base symbols of the alphabet chars"),
        ("encode text", "-t/--tokenizer"),
        ("encode -t gpt5000 text", "no tokenizer 'gpt5000'"),
        ("encode -t gpt3 text", "did you mean"),
        ("encode -t gpt2 a -f b", "not both"),
        ("encode -t gpt2 --special perhaps a", "invalid choice"),
        ("encode -t gpt2 -abc", "put -- before"),
        ("decode -t gpt2", "ID is missing"),
        ("decode -t gpt2 one", "'one' is not a token id"),
        ("decode -t gpt2 1.5", "not a token id"),
        ("decode -t gpt2 ٣", "not a token id"),
        ("decode -t gpt2 99999999999999999999999999999", "not a token id"),
        ("compare -t gpt2 x", "two tokenizers or more"),
        ("compare -t gpt2 -t cl100k_base", "FILE is missing"),
        ("compare -t gpt2 -t cl100k_base x y", "too many words: y"),
        ("compare -t gpt2 -t gpt17 x", "no tokenizer 'gpt17'"),
        ("merges", "-t/--tokenizer"),
        ("merges -t gpt2 --limit few", "not a whole number"),
        ("merges -t gpt2 x", "unrecognized arguments: x"),
        ("vocab -t gpt2 --kind odd", "invalid choice"),
        ("vocab -t gpt2 --search (", "--search: the pattern is wrong"),
        ("vocab -t gpt2 --id -1", "not a whole number"),
        ("inspect -t gpt2", "TOPIC is missing"),
        ("inspect colours -t gpt2", "'colours' is not a topic"),
        ("inspect numbers", "-t/--tokenizer"),
        ("inspect budget -t gpt2", "needs a FILE"),
        ("inspect budget -t gpt2 x --price cheap", "'cheap' is not a price"),
        ("inspect budget -t gpt2 x --price nan", "'nan' is not a price"),
        ("inspect budget -t gpt2 x --context 0", "the least is 1"),
        ("convert gpt2", "SOURCE TARGET is missing"),
        ("convert gpt2 x --to pdf", "'pdf' is not a format"),
        ("convert gpt17 x", "no tokenizer 'gpt17'"),
        ("trian x", "did you mean train?"),
        ("--nonsense", "unrecognized arguments"),
    ],
)
def test_a_wrong_call_is_2(call: str, says: str) -> None:
    fails(2, *call.split(), says=says)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("train nothing.txt --merges 3", "nothing.txt: no such file"),
        ("train {folder} --merges 3", "is a directory"),
        ("train {file}/x --merges 3", "no such file"),
        ("train /dev/zero --merges 3", "not a regular file"),
        ("train {file} {folder}/gone --merges 3", "gone: no such file"),
        ("train {file} --word-counts --merges 3", "line 1: expected a word, a tab and a count"),
        ("train {file} --merges 3 -o {file}", "exists already"),
        ("train {file} --merges 3 -o {folder}/none/x.tok", "x.tok"),
        ("encode -t gpt2 -f nothing.txt", "nothing.txt: no such file"),
        ("encode -t gpt2 -f {folder}", "is a directory"),
        ("encode -t nothing.json x", "nothing.json: no such file"),
        ("encode -t ./nothing x", "./nothing: no such file"),
        ("encode -t gpt2 --special forbid a<|endoftext|>", "at byte 1"),
        ("encode -t gpt2 a --html {file}", "exists already"),
        ("decode -t gpt2 50257", "0 to 50256"),
        ("decode -t gpt2 -1", "id -1"),
        ("decode -t cl100k_base 100256", "not assigned"),
        ("compare -t gpt2 -t cl100k_base nothing.txt", "nothing.txt: no such file"),
        ("compare -t gpt2 -t {folder}/none.json {file}", "none.json: no such file"),
        ("vocab -t gpt2 --id 50257", "from 0 to 50256"),
        ("inspect budget -t gpt2 nothing.txt", "nothing.txt: no such file"),
        ("inspect languages -t gpt2 {folder}", "is a directory"),
        ("inspect glitch -t gpt2 /dev/zero", "not a regular file"),
        ("convert {folder}/none.tok x", "none.tok: no such file"),
    ],
)
def test_failed_work_is_1(call: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(b"some text\n")
    fails(1, *call.format(folder=tmp_path, file=file).split(), says=says)
    assert file.read_bytes() == b"some text\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["text.txt"]


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secret.txt"
    file.write_text("secret")
    file.chmod(0)
    if not os.getuid():  # root reads it all the same

        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("tokexplorer.files.sources.open", refuse, raising=False)
    fails(1, "train", str(file), "--merges", "3", says="secret.txt: permission denied")
    fails(1, "encode", "-t", "gpt2", "-f", str(file), says="secret.txt: permission denied")


@pytest.mark.parametrize("size", [["--vocab-size", "100000"], ["--merges", "999999999"]])
def test_a_target_out_of_reach_ends_with_its_reason(size: list[str]) -> None:
    ended = run("train", SHELLS, *size, "--json")
    assert ended.status == 0
    found = json.loads(ended.out)
    assert found["stop"] == "no-pairs"
    assert found["vocab_size"] == 256 + len(found["merges"])
    assert "no pair left" in run("train", SHELLS, *size).text


@pytest.mark.parametrize("data", [b"", bytes(range(256)) * 3, b"\0" * 50, b"\xef\xbb\xbfBOM\r\n\xe2\x80\xa8"])
@pytest.mark.parametrize("alphabet", ["bytes", "chars", "words"])
def test_any_bytes_train_and_come_back(data: bytes, alphabet: str, tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(data)
    ended = run("train", str(file), "--merges", "5", "--alphabet", alphabet, "--json")
    assert ended.status == 0
    assert ended.err == ("" if data else "data: is empty\n")
    assert json.loads(ended.out)["bytes"] == len(data)
    tokens = json.loads(run("encode", "-t", "gpt2", "-f", str(file), "--json").out)
    assert b"".join(bytes.fromhex(t["hex"]) for t in tokens["tokens"]) == data
    ids = " ".join(str(t["id"]) for t in tokens["tokens"])
    if data:
        assert run("decode", "-t", "gpt2", "-", stdin=ids.encode()).out == data


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_encodes_the_published_vectors(name: str) -> None:
    for row in json.loads((FACTS / "encode_vectors.json").read_text())["vectors"]:
        text = row["text"].encode()
        found = json.loads(run("encode", "-t", name, "--json", stdin=text).out)
        assert list(found) == ["tokenizer", "bytes", "chars", "tokens"]
        assert (found["tokenizer"], found["bytes"], found["chars"]) == (name, len(text), len(row["text"]))
        tokens = found["tokens"]
        assert [t["id"] for t in tokens] == row[name]
        borders = [0, *(t["end"] for t in tokens)]
        assert [t["start"] for t in tokens] == borders[:-1]
        assert borders[-1] == len(text)
        for token in tokens:
            assert list(token) == ["id", "hex", "text", "start", "end"]
            assert bytes.fromhex(token["hex"]) == text[token["start"] : token["end"]]
            assert token["text"] is None or token["text"].encode() == bytes.fromhex(token["hex"])
        if tokens:
            assert run("decode", "-t", name, *map(str, row[name])).out == text


def test_trains_the_hand_example_as_published() -> None:
    facts = json.loads((FACTS / "training_examples.json").read_text())
    words = "".join(f"{word}\t{count}\n" for word, count in facts["hand_example_corpus"].items())
    found = json.loads(run("train", "-", "--word-counts", "--merges", "99", "--json", stdin=words.encode()).out)
    assert list(found) == ["algorithm", "split", "ties", "vocab_size", "bytes", "tokens", "stop", "merges"]
    rows = facts["hand_example_merges"]
    assert [m["count"] for m in found["merges"]][: len(rows)] == [row["count"] for row in rows]
    joined = ["".join(row["pair"]).removesuffix("</w>").encode().hex() for row in rows]
    assert [m["hex"] for m in found["merges"]][: len(rows)] == joined
    for number, merge in enumerate(found["merges"], 1):
        assert list(merge) == ["step", "left", "right", "id", "hex", "count", "tokens"]
        assert merge["step"] == number
    assert found["merges"][-1]["tokens"] == found["tokens"] == sum(facts["hand_example_corpus"].values())


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    ended = run(command, "--help")
    assert (ended.status, ended.err) == (0, "")
    assert f"example:\n  tokexplorer {command} " in ended.text.replace("  echo", "  tokexplorer")
    assert ended.text.isascii()
    assert command in run("--help").text


def test_version_and_help_go_to_stdout() -> None:
    assert run("--version").text.startswith("tokexplorer ")
    assert run("--help").text.startswith("usage: tokexplorer [options] [FILE ...]")


def _printable(data: bytes) -> bool:
    text = data.decode()
    return all(c == "\n" or (c.isprintable() and not 0x202A <= ord(c) <= 0x202E) for c in text)


@pytest.mark.parametrize("options", [[], ["--trace"], ["--json"], ["--json", "--trace"], ["--special", "token"]])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_hostile_text_is_only_shown(options: list[str], encoding: str) -> None:
    text = HOSTILE.encode("utf-8", "surrogatepass") + b"\xff\xc3 <|endoftext|>"
    ended = run("encode", "-t", "gpt2", *options, stdin=text, encoding=encoding)
    assert (ended.status, ended.err) == (0, "")
    assert _printable(ended.out)
    if encoding == "ascii":
        assert ended.out.isascii()


def test_hostile_text_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = HOSTILE.encode("utf-8", "surrogatepass") + b"\xff\n"
    ids = [str(t["id"]) for t in json.loads(run("encode", "-t", "gpt2", "--json", stdin=text).out)["tokens"]]
    decoded = run("decode", "-t", "gpt2", *ids, terminal=True)
    assert _printable(decoded.out)
    assert decoded.out.endswith(b"\n")
    coloured = run("encode", "-t", "gpt2", stdin=text, terminal=True).text
    assert "\x1b[38;5;16;48;5;" in coloured
    for part in coloured.split("\x1b[")[1:]:
        codes, _, rest = part.partition("m")
        assert codes.replace(";", "").isdigit()
        assert _printable(rest.encode())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("encode", "-t", "gpt2", stdin=text, terminal=True).text


def test_hostile_names_and_arguments(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\x1b[31m[b]\n\xe2\x80\xae.txt")
    (tmp_path / name).write_bytes(b"abab abab\n")
    ended = run("train", str(tmp_path / name), "--merges", "2", "--special", "\x1b]0;x\x07", "--split", "a\x1b?b")
    assert (ended.status, ended.err) == (0, "")
    assert _printable(ended.out)
    for argv in (
        ["train", f"{name}.gone", "--merges", "2"],
        ["train", "x", "--merges", f"\x1b{name}"],
        ["train", "x", "--merges", "1", "--split", "(\x1b[31m"],
        ["encode", "-t", name, "x"],
        ["encode", "-t", "gpt2", "-f", f"{name}.gone"],
        ["encode", "-t", "gpt2", f"--\x1b{name}"],
        ["decode", "-t", "gpt2", name],
        [f"train{name}"[:6]],
    ):
        ended = run(*argv)
        assert ended.status in (1, 2)
        assert _printable(ended.err.encode())
        assert ended.err.count("\n") == 1


def test_a_page_is_escaped_and_whole(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    text = "<script>alert('x')</script> & \x1b[31m <|endoftext|>\nnext"
    argv = ["encode", "-t", "gpt2", "--special", "token", text]
    ended = run(*argv, "--html", str(page))
    assert (ended.status, ended.out) == (0, b"")
    html = page.read_text("utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert html.endswith("</html>\n")
    assert "<script" not in html
    assert html.count('<b class="c') == len(json.loads(run(*argv, "--json").out)["tokens"])
    assert ' s" title="id 50256: 3c 7c 65' in html
    assert _printable(html.encode())
    fails(1, "encode", "-t", "gpt2", "x", "--html", str(page), says="exists already")
    assert run("encode", "-t", "gpt2", "x", "--html", str(page), "--force").status == 0
    assert page.read_text("utf-8").count('<b class="c') == 1


def test_words_and_files_and_streams_are_one_text(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_bytes(b"one two")
    expected = run("encode", "-t", "gpt2", "one two", "--json").out
    assert run("encode", "--json", "one", "-t", "gpt2", "two").out == expected
    assert run("encode", "-t", "gpt2", "--json", "--", "one", "two").out == expected
    assert run("encode", "-t", "gpt2", "--json", "-f", str(file)).out == expected
    for ask in ([], ["-"], ["-f", "-"]):
        assert run("encode", "-t", "gpt2", "--json", *ask, stdin=b"one two").out == expected
    dashes = json.loads(run("encode", "-t", "gpt2", "--json", "--", "-x", "--json").out)
    assert dashes["bytes"] == len("-x --json")


def test_broken_bytes_in_an_argument_survive() -> None:
    found = json.loads(program("encode", "-t", "gpt2", "--json", b"a\xff\xc3\xa9").out)
    assert "".join(t["hex"] for t in found["tokens"]) == "61ffc3a9"


def test_ids_may_come_as_a_python_list() -> None:
    assert run("decode", "-t", "gpt2", "[15496,", "11,", "995]").out == b"Hello, world"
    assert run("decode", "-t", "gpt2", "-", stdin=b"[15496, 11,\n 995]\n").out == b"Hello, world"


def test_the_command_line_loads_neither_textual_nor_tiktoken() -> None:
    code = (
        "import sys, io, contextlib\n"
        "import tokexplorer.cli, tokexplorer.__main__\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    for argv in (['--help'], ['--version'], *[[c, '--help'] for c in tokexplorer.cli.COMMANDS]):\n"
        "        assert tokexplorer.cli.main(argv) == 0, argv\n"
        "heavy = {'textual', 'tiktoken', 'regex', 'rich', 'asyncio', 'tokenizers'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        f"    tokexplorer.cli.main(['train', {SHELLS!r}, '--merges', '3'])\n"
        "    tokexplorer.cli.main(['encode', '-t', 'gpt2', 'x'])\n"
        "print('textual' in sys.modules, 'tiktoken' in sys.modules)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.stdout == "[]\nFalse True\n", ended


PIPED = [
    f"train {SHELLS} --merges 500",
    f"train {SHELLS} --merges 500 --json",
    f"encode -t gpt2 -f {__file__} --json",
    f"encode -t gpt2 -f {__file__}",
    "--help",
]


@pytest.mark.parametrize("call", PIPED)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_ends_quietly(call: str, unbuffered: str) -> None:
    for reader in ("head -1", "true"):
        shell = ["bash", "-c", f'"$@" | {reader} > /dev/null; exit ${{PIPESTATUS[0]}}', "x"]
        ended = program(*call.split(), before=shell, env={"PYTHONUNBUFFERED": unbuffered})
        assert (ended.status, ended.err) == (0, "")


@pytest.mark.parametrize("call", PIPED)
def test_a_full_disk_or_a_closed_stream_is_said(call: str) -> None:
    if Path("/dev/full").exists():
        ended = program(*call.split(), before=["sh", "-c", '"$@" > /dev/full', "x"])
        assert (ended.status, ended.err) == (1, "tokexplorer: No space left on device\n")
    ended = program(*call.split(), before=["sh", "-c", '"$@" >&-', "x"])
    assert (ended.status, ended.err) == (1, "tokexplorer: standard output is closed\n")
    ended = program("encode", "-t", "gpt2", before=["sh", "-c", '"$@" <&-', "x"])
    assert (ended.status, ended.err) == (1, "tokexplorer: standard input is closed\n")
    assert program("nonsense.gone", "--nonsense", before=["sh", "-c", '"$@" 2>&-', "x"]).status == 2


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_other_locales(env: dict[str, str]) -> None:
    for options in ([], ["--json"], ["--trace"]):
        ended = program("encode", "-t", "gpt2", *options, "Grüße, 世界 👩‍👧".encode(), env=env)
        assert (ended.status, ended.err) == (0, "")
        assert "PYTHONUTF8" not in env or ended.out.isascii()
    assert program("decode", "-t", "gpt2", "20922", "8830", "3102", "234", env=env).out
    ended = program("train", "größe.gone", "--merges", "3", env=env)
    assert ended.status == 1
    assert ended.err.endswith("no such file\n")


def _interrupted(*argv: str, after: float, stdin: bytes | None = None) -> tuple[int, bytes, bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tokexplorer", *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    out, err = process.stdout.read(), process.stderr.read()  # type: ignore[union-attr]
    process.stdin.close()  # type: ignore[union-attr]
    return process.wait(timeout=20), out, err


def test_control_c_while_waiting_for_input() -> None:
    for argv in (["encode", "-t", "gpt2"], ["train", "-", "--merges", "3"]):
        assert _interrupted(*argv, after=1.0) == (130, b"", b"")


def test_control_c_ends_training_in_order(tmp_path: Path) -> None:
    file = tmp_path / "big.txt"
    file.write_bytes(b" ".join(b"%x" % (n * 7919 * n % 1000003) for n in range(300_000)))
    model = tmp_path / "model.tok"
    argv = ["train", str(file), "--merges", "1000000", "--split", "none", "--json", "-o", str(model)]
    status, out, err = _interrupted(*argv, after=1.5)
    assert status == 130
    assert b"Traceback" not in err
    assert not model.exists()
    assert not out or json.loads(out)["stop"] == "cancelled"
