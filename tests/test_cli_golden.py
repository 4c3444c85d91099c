"""What every sub-command prints, byte for byte. TOKEXPLORER_WRITE_GOLDEN=1 writes the files afresh, to be read over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli_runner import run

GOLDEN = Path(__file__).parent / "golden"
INPUT = GOLDEN / "input"

CASES = {
    "train_hand": "train low.tsv --merges 20",
    "train_hand_json": "train low.tsv --vocab-size 20 --json",
    "train_bytes": "train shells.txt --vocab-size 266 --special <|end|> <|pad|>",
    "train_chars_json": "train shells.txt low.tsv --alphabet chars --split lines --ties lowest --merges 4 --json",
    "train_own_split": "train odd.txt --split \\w+ --merges 3",
    "train_min_count": "train shells.txt --merges 500 --min-count 6",
    "train_odd_none": "train odd.txt --split none --merges 2 --json",
    "encode_gpt2": "encode -t gpt2 Hello, world",
    "encode_odd": "encode -t cl100k_base -f odd.txt",
    "encode_odd_json": "encode -t o200k_base -f odd.txt --json",
    "encode_special_json": "encode -t gpt2 -f odd.txt --special token --json",
    "encode_trace": "encode -t gpt2 --trace newest's  12345",
    "encode_trace_json": "encode -t gpt2 --trace --json ab's",
    "encode_empty": "encode -t gpt2 -",
    "encode_empty_json": "encode -t gpt2 - --json",
    "decode": "decode -t gpt2 15496 11 995 50256 447",
}


@pytest.mark.parametrize("name", CASES)
def test_prints_what_it_printed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(INPUT)
    ended = run(*CASES[name].split(" "))
    assert (ended.status, ended.err) == (0, "")
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("TOKEXPLORER_WRITE_GOLDEN"):
        file.write_bytes(ended.out)
    assert ended.out == file.read_bytes()
