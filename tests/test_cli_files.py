"""Tokenizer files through the command line: trained, written, opened again, converted; bad ones refused in a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_runner import Ended, run

INPUT = Path(__file__).parent / "golden" / "input"
TEXT = "She sells sea shells; naïve <|end|> 1234 👩‍👧\r\n\tthe end"


def done(*argv: str, stdin: bytes = b"") -> Ended:
    ended = run(*argv, stdin=stdin)
    assert ended.status == 0, ended
    return ended


def found(*argv: str) -> Any:
    return json.loads(done(*argv, "--json").out)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "shells.tok"
    ended = done(
        "train", str(INPUT / "shells.txt"), "--vocab-size", "280", "--special", "<|end|>", "-o", str(file), "--json"
    )
    assert ended.err == f"written: {file}\n"
    return file


def test_what_was_trained_encodes_as_it_left_the_text(model: Path, tmp_path: Path) -> None:
    trained = found("train", str(INPUT / "shells.txt"), "--vocab-size", "280")
    encoded = found("encode", "-t", str(model), "-f", str(INPUT / "shells.txt"))
    assert encoded["tokenizer"] == "shells.tok"
    assert len(encoded["tokens"]) == trained["tokens"]
    hexes = {m["id"]: m["hex"] for m in trained["merges"]}
    assert all(t["hex"] == hexes[t["id"]] for t in encoded["tokens"] if t["id"] >= 256)
    merges = found("merges", "-t", str(model))["merges"]
    assert [(m["left"], m["right"], m["id"]) for m in merges] == [
        (m["left"], m["right"], m["id"]) for m in trained["merges"]
    ]
    vocab = found("vocab", "-t", str(model), "--kind", "special")
    assert (vocab["size"], [(t["id"], t["text"]) for t in vocab["tokens"]]) == (281, [(280, "<|end|>")])
    compared = found("compare", "-t", str(model), "-t", "gpt2", str(INPUT / "shells.txt"))
    assert compared["tokenizers"][0]["tokens"] == trained["tokens"]


@pytest.mark.parametrize(
    "target",
    ["a.tok", "a.tiktoken", "vocab.json", "tokenizer.json", "a.model"],
)
def test_every_format_keeps_the_ids(model: Path, target: str, tmp_path: Path) -> None:
    file = tmp_path / "out" / target
    file.parent.mkdir()
    ended = done("convert", str(model), str(file))
    assert ended.out == b""
    assert "written as " in ended.err
    assert "checked: read back here" in ended.err
    assert ("cannot hold: the split" in ended.err) == (target == "a.tiktoken")
    split = ["--split", "gpt2"] if target == "a.tiktoken" else []
    expected = [t["id"] for t in found("encode", "-t", str(model), TEXT)["tokens"]]
    tokens = found("encode", "-t", str(file), *split, TEXT)["tokens"]
    assert [t["id"] for t in tokens] == expected
    assert done("decode", "-t", str(file), *split, *map(str, expected)).out == TEXT.encode()
    before = {p.name: p.read_bytes() for p in file.parent.iterdir()}
    again = run("convert", str(model), str(file))
    assert (again.status, again.out) == (1, b"")
    assert "exists already" in again.err
    assert done("convert", str(model), str(file), "--force").status == 0
    assert {p.name: p.read_bytes() for p in file.parent.iterdir()} == before


@pytest.mark.parametrize("algorithm", ["wordpiece", "unigram"])
def test_the_other_algorithms_are_written_and_opened(algorithm: str, tmp_path: Path) -> None:
    file, hugging_face = tmp_path / "a.tok", tmp_path / "tokenizer.json"
    argv = ["train", str(INPUT / "shells.txt"), "--algorithm", algorithm, "--vocab-size", "40", "--special", "[CLS]"]
    trained = json.loads(done(*argv, "-o", str(file), "--json").out)
    assert list(trained) == ["algorithm", "split", "ties", "vocab_size", "bytes", "tokens", "stop", "merges"]
    assert (trained["algorithm"], trained["vocab_size"]) == (algorithm, 40)
    tokens = found("encode", "-t", str(file), "-f", str(INPUT / "shells.txt"))["tokens"]
    assert tokens[-1]["end"] == trained["bytes"]
    if algorithm == "unigram":
        assert len(tokens) == trained["tokens"]
        assert trained["merges"] == []
    special = found("encode", "-t", str(file), "--special", "token", "[CLS]she")["tokens"][0]
    assert (special["id"], special["text"]) == (40, "[CLS]")
    done("convert", str(file), str(hugging_face))
    text = "she sells shells"
    ids = [[t["id"] for t in found("encode", "-t", str(f), text)["tokens"]] for f in (file, hugging_face)]
    assert ids[0] == ids[1]
    assert "[CLS]" in done("vocab", "-t", str(hugging_face)).text


def test_a_target_of_unigram(tmp_path: Path) -> None:
    call = ["train", str(INPUT / "shells.txt"), "--algorithm", "unigram"]
    for more, says in ((["--merges", "5"], "give --vocab-size"), (["--vocab-size", "5"], "single symbols")):
        ended = run(*call, *more)
        assert (ended.status, ended.out) == (2, b"")
        assert says in ended.err
    ended = done(*call, "--vocab-size", "100000")
    assert "no more pieces to start from" in ended.text
    assert found(*call, "--vocab-size", "100000")["stop"] == "no-pairs"
    ended = run("train", str(INPUT / "shells.txt"), "--algorithm", "wordpiece", "--alphabet", "bytes", "--merges", "3")
    assert ended.status == 2


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram"])
@pytest.mark.parametrize("alphabet", ["bytes", "chars", "words"])
def test_stories_of_what_was_trained(algorithm: str, alphabet: str, tmp_path: Path) -> None:
    file = tmp_path / "a.tok"
    options = [] if algorithm == "wordpiece" else ["--alphabet", alphabet]
    argv = ["train", str(INPUT / "shells.txt"), "--algorithm", algorithm, *options, "--vocab-size", "290"]
    if (algorithm, alphabet) == ("unigram", "words"):
        assert run(*argv, "-o", str(file)).status == 2
        return
    done(*argv, "-o", str(file))
    for encoding in ("utf-8", "ascii"):
        ended = run("encode", "-t", str(file), "--trace", "She sells naïve [shells]", encoding=encoding)
        assert (ended.status, ended.err) == (0, "")
        assert "chunk She" in ended.text
    traced = found("encode", "-t", str(file), "--trace", "She sells naïve [shells]")
    assert list(traced)[-1] == "trace"
    assert traced["trace"][0]["start"] == 0


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("page.tiktoken", b"<!DOCTYPE html><html>not found</html>", "HTML"),
        ("cut.tok", b'{\n  "format": "tokexplorer",\n  "version": 1,\n  "algo', "line"),
        ("empty.json", b"", "empty"),
        ("noise.model", bytes(range(256)), "tokenizer file"),
        ("other.json", b'{"a": 1}', "expected"),
    ],
)
def test_a_bad_file_is_one_line(name: str, data: bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    for argv in (
        ["encode", "-t", str(file), "x"],
        ["decode", "-t", str(file), "1"],
        ["vocab", "-t", str(file)],
        ["merges", "-t", str(file)],
        ["inspect", "spaces", "-t", str(file)],
        ["convert", str(file), str(tmp_path / "out.tok")],
        ["compare", "-t", "gpt2", "-t", str(file), "-"],
    ):
        ended = run(*argv)
        assert (ended.status, ended.out) == (1, b"")
        assert ended.err.startswith("tokexplorer: ")
        assert f"{name}: " in ended.err or f"{name}, line" in ended.err
        assert ended.err.count("\n") == 1
        assert says in ended.err
    assert not (tmp_path / "out.tok").exists()


def test_what_is_guessed_is_said_and_may_be_given(model: Path, tmp_path: Path) -> None:
    ranks = tmp_path / "a.tiktoken"
    done("convert", str(model), str(ranks))
    guessed = done("encode", "-t", str(ranks), "--json", "it's")
    assert "is a guess" in guessed.err
    given = done("encode", "-t", str(ranks), "--split", "none", "--json", "it's")
    assert given.err == ""
    ended = run("encode", "-t", str(ranks), "--split", "(", "x")
    assert (ended.status, ended.out) == (2, b"")


def test_an_existing_model_is_kept_unless_forced(model: Path) -> None:
    before = model.read_bytes()
    argv = ["train", str(INPUT / "shells.txt"), "--merges", "2", "-o", str(model)]
    ended = run(*argv)
    assert (ended.status, ended.out) == (1, b"")
    assert model.read_bytes() == before
    assert done(*argv, "--force").text
    assert model.read_bytes() != before
