"""`count`, and training from count files, word counts and bounded counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runner import run

INPUT = Path(__file__).parent / "golden" / "input"
GOLDEN = Path(__file__).parent / "golden"
SHELLS = str(INPUT / "shells.txt")
ODD = str(INPUT / "odd.txt")


def test_a_count_file_is_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "odd.counts"
    ended = run("count", ODD, "-o", str(file))
    assert (ended.status, ended.out) == (0, b"")
    assert ended.err == f"written: {file}: 24 distinct chunks of 26 in 89 bytes\n"
    assert file.read_bytes() == (GOLDEN / "odd.counts").read_bytes()


@pytest.mark.parametrize("split", ["gpt2", "o200k", "lines", "none", "[a-z]+"])
@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece"])
def test_training_from_counts_equals_training_from_the_texts(split: str, algorithm: str, tmp_path: Path) -> None:
    file = tmp_path / "a.counts"
    assert run("count", SHELLS, ODD, SHELLS, "-o", str(file), "--split", split).status == 0
    options = ["--merges", "30", "--algorithm", algorithm, "--json"]
    counted = run("train", str(file), *options)
    assert counted.status == 0
    assert json.loads(counted.out) == json.loads(run("train", SHELLS, ODD, SHELLS, *options, "--split", split).out)


def test_a_count_file_keeps_its_split_and_stands_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.counts"
    assert run("count", SHELLS, "-o", str(file), "--split", "cl100k").status == 0
    assert json.loads(run("train", str(file), "--merges", "3", "--json").out)["split"] == "cl100k"
    assert run("train", str(file), "--merges", "3", "--split", "cl100k").status == 0
    ended = run("train", str(file), "--merges", "3", "--split", "gpt2")
    assert (ended.status, ended.out) == (2, b"")
    assert "counted with the split cl100k" in ended.err
    ended = run("train", str(file), SHELLS, "--merges", "3")
    assert (ended.status, ended.out) == (1, b"")
    assert "open it alone" in ended.err
    file.write_bytes(file.read_bytes()[:-20])
    ended = run("train", str(file), "--merges", "3")
    assert (ended.status, ended.out) == (1, b"")
    assert ended.err.startswith("tokexplorer: a.counts, line ")


def test_rare_chunks_are_left_out_and_said(tmp_path: Path) -> None:
    file = tmp_path / "a.counts"
    ended = run("count", SHELLS, "-o", str(file), "--min-chunk-count", "2")
    assert "places left out" in ended.err
    for argv in (["train", str(file)], ["train", SHELLS, "--min-chunk-count", "2"]):
        assert "places left out" in run(*argv, "--merges", "3").text
    assert run("count", SHELLS, "-o", str(file), "--max-chunks", "3", "--force").err.startswith(
        f"written: {file}: 3 distinct chunks"
    )


def test_counting_standard_input_and_bad_calls(tmp_path: Path) -> None:
    file = tmp_path / "a.counts"
    assert run("count", "-", "-o", str(file), stdin=b"a b a").status == 0
    assert b"\n1\ta\n1\t b\n1\t a\n" in file.read_bytes()
    for status, argv, says in (
        (1, ["count", SHELLS, "-o", str(file)], "exists already"),
        (1, ["count", "gone.txt", "-o", str(tmp_path / "b")], "gone.txt: no such file"),
        (1, ["count", SHELLS, "-o", str(tmp_path / "none" / "b")], "no such folder"),
        (2, ["count", SHELLS], "-o/--output"),
        (2, ["count", "-o", str(tmp_path / "b")], "FILE is missing"),
        (2, ["count", SHELLS, "-o", str(tmp_path / "b"), "--split", "("], "--split"),
        (2, ["count", SHELLS, "-o", str(tmp_path / "b"), "--max-chunks", "0"], "the least is 1"),
        (2, ["count", "-", "-o", str(tmp_path / "b"), "--dask", "local"], "standard input"),
    ):
        ended = run(*argv)
        assert (ended.status, ended.out) == (status, b"")
        assert says in ended.err
        assert ended.err.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["a.counts"]


def test_word_counts_of_several_files_add_up(tmp_path: Path) -> None:
    one, other = tmp_path / "one.tsv", tmp_path / "other.tsv"
    one.write_text("low\t5\nlower\t2\n")
    other.write_text("low\t1\nnewest\t6\n")
    both = tmp_path / "both.txt"
    both.write_text("low\t6\nlower\t2\nnewest\t6\n")
    expected = run("train", str(both), "--word-counts", "--merges", "9", "--json").out
    assert run("train", str(one), str(other), "--merges", "9", "--json").out == expected
    assert json.loads(expected)["bytes"] == 3 * 6 + 5 * 2 + 6 * 6
    other.write_text("just text\n")
    assert json.loads(run("train", str(one), str(other), "--merges", "1", "--json").out)["split"] == "gpt2"
    ended = run("train", str(one), str(other), "--merges", "1", "--word-counts")
    assert (ended.status, "other.tsv, line 1" in ended.err) == (1, True)
