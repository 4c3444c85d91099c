"""What every sub-command prints, byte for byte. TOKEXPLORER_WRITE_GOLDEN=1 writes the files afresh, to be read over."""

from __future__ import annotations

import os
import unicodedata
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
    "train_wordpiece": "train low.tsv --algorithm wordpiece --merges 6",
    "train_wordpiece_json": "train shells.txt --algorithm wordpiece --vocab-size 40 --json",
    "train_unigram": "train shells.txt --algorithm unigram --vocab-size 30",
    "train_unigram_json": "train shells.txt --algorithm unigram --vocab-size 30 --json",
    "encode_gpt2": "encode -t gpt2 Hello, world",
    "encode_odd": "encode -t cl100k_base -f odd.txt",
    "encode_odd_json": "encode -t o200k_base -f odd.txt --json",
    "encode_special_json": "encode -t gpt2 -f odd.txt --special token --json",
    "encode_trace": "encode -t gpt2 --trace newest's  12345",
    "encode_trace_json": "encode -t gpt2 --trace --json ab's",
    "encode_empty": "encode -t gpt2 -",
    "encode_empty_json": "encode -t gpt2 - --json",
    "decode": "decode -t gpt2 15496 11 995 50256 447",
    "compare": "compare -t gpt2 -t cl100k_base -t characters -t words odd.txt",
    "compare_json": "compare -t gpt2 -t o200k_base shells.txt --json",
    "merges": "merges -t cl100k_base --limit 12",
    "merges_json": "merges -t gpt2 --limit 3 --json",
    "vocab_whitespace": "vocab -t gpt2 --kind whitespace",
    "vocab_search_json": "vocab -t cl100k_base --search ^.?[Tt]he$ --json",
    "vocab_special": "vocab -t o200k_base --kind special",
    "vocab_partial_json": "vocab -t gpt2 --kind partial-utf8 --limit 3 --json",
    "vocab_id": "vocab -t gpt2 --id 43453",
    "vocab_id_json": "vocab -t cl100k_base --id 9468 --json",
    "vocab_id_unassigned": "vocab -t cl100k_base --id 100256",
    "inspect_numbers": "inspect numbers -t gpt2 1234+5678 1234567",
    "inspect_spaces": "inspect spaces -t gpt2 -t cl100k_base hello",
    "inspect_spaces_json": "inspect spaces -t gpt2 --json",
    "inspect_special": "inspect special -t cl100k_base a<|endoftext|><|im_start|>system",
    "inspect_special_json": "inspect special -t gpt2 a<|endoftext|> --json",
    "inspect_languages": "inspect languages -t gpt2 odd.txt",
    "inspect_budget": "inspect budget -t cl100k_base shells.txt --price 2.5 --context 10 1000",
    "inspect_budget_json": "inspect budget -t gpt2 shells.txt --context 10 --json",
    "inspect_glitch": "inspect glitch -t gpt2 shells.txt",
}

WRITTEN = {
    "convert_tiktoken": ("convert m.tok m.tiktoken", ("m.tiktoken",)),
    "convert_minbpe": ("convert m.tok m.model", ("m.model",)),
    "count": ("count shells.txt odd.txt -o all.counts --min-chunk-count 2", ("all.counts",)),
}
"""Sub-commands that write files and tell of them on standard error: the call, and the files."""

OF_UNICODE = ("inspect_numbers",)


@pytest.mark.parametrize("name", CASES)
def test_prints_what_it_printed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in OF_UNICODE and unicodedata.unidata_version != "14.0.0":
        pytest.skip("its list of scripts is that of Unicode 14")
    monkeypatch.chdir(INPUT)
    ended = run(*CASES[name].split(" "))
    assert (ended.status, ended.err) == (0, "")
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("TOKEXPLORER_WRITE_GOLDEN"):
        file.write_bytes(ended.out)
    assert ended.out == file.read_bytes()


@pytest.mark.parametrize("name", WRITTEN)
def test_writes_what_it_wrote(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in INPUT.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    run(*["train", "shells.txt", "--vocab-size", "266", "--special", "<|end|>", "-o", "m.tok"])
    call, files = WRITTEN[name]
    ended = run(*call.split(" "))
    assert (ended.status, ended.out) == (0, b"")
    found = ended.err.encode() + b"".join(f"== {file}\n".encode() + Path(file).read_bytes() for file in files)
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("TOKEXPLORER_WRITE_GOLDEN"):
        golden.write_bytes(found)
    assert found == golden.read_bytes()
