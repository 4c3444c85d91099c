"""Tokenizer files that are broken, damaged, huge or hostile: one worded line, with the file and the place."""

from __future__ import annotations

import base64
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hub_files import ADDED, BYTES, MERGES, PAIR_IDS, THREE, hub_file, ids, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokexplorer.engine.errors import InputError
from tokexplorer.formats import MAX_BYTES, detect, read_tokenizer
from tokexplorer.tokenizers.byte_spelling import spell, unspell
from tokexplorer.tokenizers.pair_merging import merge_ids

RANKS = b"".join(base64.b64encode(bytes([b])) + b" %d\n" % b for b in range(256))
VOCAB = json.dumps(PAIR_IDS)

OWN = '{"format": "tokexplorer", "version": 1, "algorithm": "bpe", "alphabet": {"kind": "bytes"}, "merges": []}'

BAD: dict[str, tuple[bytes | str | dict[str, Any], str]] = {
    "empty": (b"", ": is no tokenizer file (it is empty); expected one of own, tiktoken, gpt2, tokenizer.json, minbpe"),
    "html": (
        b"<!DOCTYPE html>\n<html><body>404</body></html>",
        ": is no tokenizer file (it is an HTML page); expected",
    ),
    "lfs": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        "it is a Git LFS pointer, not the file itself",
    ),
    "gzip": (b"\x1f\x8b\x08\x00", "it is packed with gzip: unpack it first"),
    "binary": (bytes(range(256)), 'it begins with "␀␁'),
    "prose": (b"Once upon a time\nthere was\n", 'it begins with "Once·upon'.replace("·", " ")),
    "ranks cut in a line": (RANKS + b"YWI=", ', line 257: expected base64, a space and a rank, found "YWI="'),
    "ranks cut early": (RANKS[:898], "expected all 256 single bytes among the tokens; "),
    "ranks with a bad line": (RANKS + b"YWI= x\n", ', line 257: expected base64, a space and a rank, found "YWI= x"'),
    "ranks not base64": (
        RANKS + b"YW=I 256\n",
        ', line 257: expected base64, a space and a rank; "YW=I" is not base64',
    ),
    "rank twice": (RANKS + b"YWI= 97\n", ", line 257: expected each rank once; 97 stands in line 98 too"),
    "token twice": (RANKS + b"YQ== 256\n", ', line 257: expected each token once; "a" has rank 97 too'),
    "rank too high": (RANKS + b"YWI= 99999999\n", ", line 257: expected a rank from 0 to 4,194,303, found 99999999"),
    "ranks not UTF-8": (RANKS + b"\xff\n", f", byte {len(RANKS)}: expected UTF-8 text"),
    "json cut off": (
        json.dumps(hub_file())[:700],
        ", line 1, column 701: expected JSON; the file ends early: expecting",
    ),
    "json wrong": ('{"model": {"vocab": }}', ", line 1, column 21: expected JSON; expecting value"),
    "json nested": (b'{"model": ' + b"[" * 200_000, ": expected JSON; it is nested too deeply"),
    "json key twice": (
        '{"model": {}, "model": {}}',
        ': expected each name once; "model" stands twice in one JSON object',
    ),
    "no model": ('{"added_tokens": [], "version": "1.0"}', ": expected an object at model, found nothing"),
    "model is a list": ('{"model": []}', ": expected an object at model, found a list"),
    "no vocab": (hub_file(model={"vocab": None}), ": expected an object at model.vocab, found null"),
    "id not a number": (hub_file({**BYTES, "ab": "x"}), ', model.vocab, token "ab": expected a token id from 0 to'),
    "id negative": (hub_file({**BYTES, "ab": -1}), ', model.vocab, token "ab": expected a token id from 0 to'),
    "id huge": (
        hub_file({**BYTES, "ab": 10**30}),
        ', model.vocab, token "ab": expected a token id from 0 to 4,194,303',
    ),
    "id true": (hub_file({**BYTES, "ab": True}), ', model.vocab, token "ab": expected a token id from 0 to'),
    "id twice": (hub_file({**BYTES, "ab": 97}), ', model.vocab: expected each id once; 97 is both "a" and "ab"'),
    "merge of three": (hub_file(THREE, ["a b", "a b c"]), ', merge 2: expected "a b" or ["a", "b"], found "a b c"'),
    "merge a number": (hub_file(THREE, [7]), ', merge 1: expected "a b" or ["a", "b"], found a whole number'),
    "merge without id": (hub_file(THREE, ["b c"]), ', merge 1: merges "b" and "c", but "bc" has no id'),
    "token not byte-level": (
        hub_file(BYTES | {"日": 256, "a日": 257}, ["a 日"]),
        ': expected GPT-2\'s byte-level characters; the token "a日" has another',
    ),
    "half a surrogate": (hub_file(BYTES | {"\ud800x": 256}), "holds half a surrogate pair"),
    "added without content": (
        hub_file(added=[{"id": 3}]),
        ", added token 1: expected an object with an id and a content",
    ),
    "unknown token missing": (
        hub_file({"a": 0}, model={"unk_token": "<unk>"}, pre_tokenizer=None),
        ', model.unk_token: expected a token of the vocabulary, found "<unk>"',
    ),
    "minbpe version": (b"minbpe v2\n\n0\n", ', line 1: expected minbpe v1, found "minbpe v2"'),
    "minbpe cut off": (b"minbpe v1\n", ", line 2: expected the split pattern, but the file ends"),
    "minbpe count": (b"minbpe v1\n\nx\n", ', line 3: expected the number of special tokens, found "x"'),
    "minbpe special": (b"minbpe v1\n\n1\na b 256\n", ', line 4: expected a special token and its id, found "a b 256"'),
    "minbpe merge": (b"minbpe v1\n\n0\n97 98\n99\n", ', line 5: expected two ids, found "99"'),
    "minbpe forward": (b"minbpe v1\n\n0\n97 256\n", ", line 4: expected ids below 256, the id that this merge makes"),
    "minbpe taken": (b"minbpe v1\n\n1\n<x> 256\n97 98\n", "\"<x>\" has id 256, which is a byte's or a merge's"),
    "minbpe pattern": (b"minbpe v1\n(a\n0\n", "the split pattern is wrong at character 3"),
    "vocab.txt twice": (b"[UNK]\na\n##b\n##c\na\n", ', line 5: expected each token once; "a" is in line 2 too'),
    "vocab.txt empty line": (b"[UNK]\na\n\n##b\n##c\n", ", line 3: expected a token, found an empty line"),
    "vocab.txt no unknown": (b"a\n##b\n##c\n", ": expected the token [UNK] in a line of its own"),
    "own newer": (
        '{"format": "tokexplorer", "version": 2}',
        "expected version 1 of this format, found 2: it needs a newer",
    ),
    "own algorithm": (
        '{"format": "tokexplorer", "version": 1, "algorithm": "x"}',
        ': expected bpe, wordpiece or unigram at algorithm, found "x"',
    ),
    "own merge": (
        OWN.replace("[]", '[{"left": 1}]'),
        ", merge 1: expected a whole number at right, found nothing",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_line_that_says_where(tmp_path: Path, name: str) -> None:
    content, said = BAD[name]
    path = write(tmp_path / "x.tiktoken", content)
    with pytest.raises(InputError) as caught:
        read_tokenizer(path)
    assert str(caught.value).startswith(path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


PAIRS: dict[str, tuple[str, str | None, str]] = {
    "one file only": (
        VOCAB,
        None,
        "vocab.json: its merges are in a second file; expected merges.txt or vocab.bpe beside it",
    ),
    "not two parts": (
        VOCAB,
        "a b\na\n",
        'merges.txt, line 2: expected two tokens with a space between them, found "a"',
    ),
    "three parts": (VOCAB, "a b\na b c\n", 'line 2: expected two tokens with a space between them, found "a b c"'),
    "empty line": (VOCAB, "a b\n\nab c\n", 'line 2: expected two tokens with a space between them, found ""'),
    "twice": (VOCAB, "#version\na b\na b\n", "line 3: expected each merge once; it stands in line 2 too"),
    "no id": (VOCAB, "#version\nb c\n", 'line 2: merges "b" and "c", but "bc" has no id'),
    "end marks": (
        json.dumps({"a": 0, "b</w>": 1, "ab</w>": 2}),
        "a b</w>\n",
        "line 1: expected GPT-2's byte-level merges; these mark the ends of words with </w>",
    ),
    "not merges": (VOCAB, "<html>\n", "merges.txt: expected merges, the second file of "),
    "vocab cut off": (VOCAB[:-9], "a b\n", "vocab.json, line 1, column "),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_bad_pair_is_one_line_that_says_where(tmp_path: Path, name: str) -> None:
    vocab, merges, said = PAIRS[name]
    path = write(tmp_path / "vocab.json", vocab)
    if merges is not None:
        write(tmp_path / "merges.txt", merges)
    with pytest.raises(InputError) as caught:
        read_tokenizer(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path))


def test_huge_and_endless_files_are_refused_at_once(tmp_path: Path) -> None:
    big = tmp_path / "big.json"
    with open(big, "wb") as file:
        file.write(b"{")
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(
        InputError, match=r"big.json: 200,000,001 bytes; expected a tokenizer file of at most 200,000,000"
    ):
        read_tokenizer(str(big))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (str(pipe), "/dev/zero"):
        with pytest.raises(InputError, match="is not a regular file"):
            read_tokenizer(path)
    with pytest.raises(InputError, match="is a folder; expected a tokenizer file"):
        read_tokenizer(str(tmp_path))
    with pytest.raises(InputError, match="no such file"):
        read_tokenizer(str(tmp_path / "none"))
    with pytest.raises(InputError, match="is not a file name"):
        read_tokenizer("a\0b")


def test_a_name_with_escapes_cannot_reach_the_terminal(tmp_path: Path) -> None:
    path = write(tmp_path / "a\x1b[31m\u202eb.json", b"nothing")
    with pytest.raises(InputError) as caught:
        read_tokenizer(path)
    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["own", "ranks", "hub", "minbpe", "vocab.txt", "pair"]), st.data())
def test_damaged_files_raise_input_errors_only(tmp_path: Path, kind: str, data: st.DataObject) -> None:
    whole = {
        "own": OWN.encode(),
        "ranks": RANKS,
        "hub": json.dumps(hub_file(THREE, ["a b", "ab c"], ADDED)).encode(),
        "minbpe": b"minbpe v1\n\n1\n<x> 257\n97 98\n",
        "vocab.txt": b"[UNK]\na\n##b\n##c\n",
        "pair": VOCAB.encode(),
    }[kind]
    at = data.draw(st.integers(0, len(whole)))
    drop = data.draw(st.integers(0, 12))
    damaged = whole[:at] + data.draw(st.binary(max_size=6)) + whole[at + drop :]
    write(tmp_path / "merges.txt", "\n".join(MERGES))
    path = write(tmp_path / "vocab.json", damaged)
    try:
        tokenizer = read_tokenizer(path, split="gpt2" if kind == "ranks" else None)
    except InputError as error:
        said = str(error)
    else:
        said = ""
        ids(tokenizer, "abc <x> ##é\x00")
    assert "\n" not in said


@given(st.binary(max_size=200))
def test_any_bytes_are_detected_or_not(data: bytes) -> None:
    detect(data)
    assert unspell(spell(data)) == data


RULES = {(97, 98): (0, 256), (256, 256): (1, 257), (98, 97): (2, 258), (97, 97): (3, 259), (259, 97): (4, 260)}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([97, 98, 99]), max_size=120))
def test_merging_by_a_list_of_pairs_equals_a_naive_scan(symbols: list[int]) -> None:
    naive = list(symbols)
    while found := [(RULES[pair][0], at) for at, pair in enumerate(pairwise(naive)) if pair in RULES]:
        at = min(found)[1]
        naive[at : at + 2] = [RULES[naive[at], naive[at + 1]][1]]
    merged, sizes = list(symbols), [1] * len(symbols)
    merge_ids(merged, sizes, RULES)
    assert merged == naive
    assert sum(sizes) == len(symbols)
