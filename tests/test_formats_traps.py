"""Traps that tokenizer files in the wild hold: each opens as it should, or is refused in one line that says where."""

from __future__ import annotations

import base64
import json
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as HubTokenizer

from tokexplorer.engine.errors import InputError
from tokexplorer.formats import MAX_BYTES, detect, model_of, normalised, read_model, read_tokenizer, remarks
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tokenizers.byte_spelling import CHARACTERS, spell, unspell
from tokexplorer.tokenizers.huggingface import HuggingFaceTokenizer
from tokexplorer.tokenizers.loaded import LoadedTokenizer
from tokexplorer.tokenizers.pair_merging import merge_ids

BYTES = {CHARACTERS[byte]: byte for byte in range(256)}


def ids(tokenizer: Tokenizer, text: str | bytes, mode: SpecialMode = SpecialMode.TEXT) -> list[int]:
    data = text.encode() if isinstance(text, str) else text
    encoded = tokenizer.encode(data, mode)
    assert b"".join(token.data for token in encoded) == data or not len(encoded)
    return [*encoded.ids]


def write(path: Path, content: bytes | str | dict[str, Any]) -> str:
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def hub_file(
    vocab: dict[str, int] | None = None,
    merges: list[Any] | None = None,
    added: list[dict[str, Any]] | None = None,
    model: dict[str, Any] | None = None,
    **parts: Any,
) -> dict[str, Any]:
    """A byte-level tokenizer.json; everything may be given."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added or [],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        **parts,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": BYTES if vocab is None else vocab,
            "merges": merges or [],
            **(model or {}),
        },
    }


def added(number: int, content: str, special: bool = True, **flags: bool) -> dict[str, Any]:
    off = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": content, "special": special, **off, **flags}


def both(path: Path, value: dict[str, Any]) -> tuple[Tokenizer, HubTokenizer]:
    """The file here and in its library."""
    name = write(path, value)
    return read_tokenizer(name), HubTokenizer.from_file(name)


def agree(here: Tokenizer, there: HubTokenizer, text: str) -> None:
    for special in (False, True):
        there.encode_special_tokens = not special
        found = ids(here, text, SpecialMode.TOKEN if special else SpecialMode.TEXT)
        assert found == there.encode(text, add_special_tokens=False).ids


THREE = BYTES | {"ab": 256, "abc": 257}


@pytest.mark.parametrize("merges", [["a b", "ab c"], [["a", "b"], ["ab", "c"]]], ids=["a b", '["a", "b"]'])
def test_merges_in_both_spellings(tmp_path: Path, merges: list[Any]) -> None:
    here, there = both(tmp_path / "x", hub_file(THREE, merges))
    assert isinstance(here, LoadedTokenizer)
    assert ids(here, "abcab") == [257, 256]
    assert here.merges() == [(97, 98, 256), (256, 99, 257)]
    assert here.parents(257) == (256, 99)
    agree(here, there, "abcab")


def test_tokens_with_spaces_and_line_ends(tmp_path: Path) -> None:
    vocab = {"<unk>": 0, "a": 1, " ": 2, "\n": 3, "\r": 4, "a ": 5, " \n": 6, "\r\n": 7}
    merges = [["a", " "], [" ", "\n"], ["\r", "\n"]]
    value = hub_file(vocab, merges, model={"unk_token": "<unk>"}, pre_tokenizer=None, decoder=None)
    here, there = both(tmp_path / "x", value)
    agree(here, there, "a a\n\r\n \nab")
    assert ids(here, "a a\n\r\n \nab") == [5, 1, 3, 7, 6, 1, 0]
    assert here.encode(b"ab").notes == {1: "unknown character U+0062"}


MERGES = ["a b", "# #", "ab c"]
PAIR_IDS = BYTES | {"ab": 256, "##": 257, "abc": 258}


@pytest.mark.parametrize(
    "content",
    [
        "#version: 0.2\n" + "\n".join(MERGES) + "\n",
        "\n".join(MERGES) + "\n",
        "#version: 0.2\n" + "\n".join(MERGES),
        "#version: 0.2\r\n" + "\r\n".join(MERGES) + "\r\n",
        "\ufeff#version: 0.2\n" + "\n".join(MERGES) + "\n",
        "\ufeff" + "\r\n".join(MERGES),
    ],
    ids=["header", "no header", "no last line end", "CRLF", "BOM", "BOM, CRLF, no header, no end"],
)
def test_merges_txt_in_every_dress(tmp_path: Path, content: str) -> None:
    write(tmp_path / "vocab.json", json.dumps(PAIR_IDS))
    tokenizer = read_tokenizer(write(tmp_path / "merges.txt", content))
    assert ids(tokenizer, "abc##") == [258, 257]


def test_a_merge_that_begins_with_a_hash_is_no_header(tmp_path: Path) -> None:
    write(tmp_path / "vocab.json", json.dumps(BYTES | {"##": 256, "###": 257}))
    tokenizer = read_tokenizer(write(tmp_path / "merges.txt", "# #\n## #\n"))
    assert ids(tokenizer, "###.##") == [257, 46, 256]


def test_the_pair_is_found_from_either_file_under_any_usual_name(tmp_path: Path) -> None:
    for vocab, merges in [
        ("vocab.json", "merges.txt"),
        ("encoder.json", "vocab.bpe"),
        ("my-vocab.json", "my-merges.txt"),
    ]:
        folder = tmp_path / vocab
        folder.mkdir()
        found = [
            read_tokenizer(write(folder / vocab, json.dumps(PAIR_IDS)) if name == vocab else str(folder / name))
            for name in (vocab, merges)
            if write(folder / merges, "\n".join(MERGES))
        ]
        assert [ids(t, "abc") for t in found] == [[258], [258]]


def test_gaps_in_ids_are_kept_and_shown(tmp_path: Path) -> None:
    rows = [(bytes([b]), b) for b in range(256)] + [(b"ab", 300), (b"abc", 310)]
    path = write(tmp_path / "x", "".join(f"{base64.b64encode(t).decode()} {n}\n" for t, n in rows))
    tokenizer = read_tokenizer(path, split="gpt2", specials={"<|end|>": 320})
    assert ids(tokenizer, "abcab") == [310, 300]
    assert tokenizer.size == 321
    assert tokenizer.token_bytes(299) is None
    assert tokenizer.token_bytes(310) == b"abc"
    assert "62 ids below the highest stand for no token: 256-299, 301-309, 311-319" in " ".join(remarks(tokenizer))
    with pytest.raises(InputError, match="id 299 is not assigned"):
        tokenizer.decode([299])
    model = read_model(path, split="gpt2")
    assert model.ids[256:] == (300, 310)


def test_ignore_merges_takes_a_chunk_that_is_a_token(tmp_path: Path) -> None:
    vocab = THREE | {"xyz": 258, "Ġabc": 259}
    for ignore in (False, True):
        value = hub_file(vocab, [["a", "b"], ["ab", "c"]], model={"ignore_merges": ignore})
        here, there = both(tmp_path / "x", value)
        for text in ("xyz", "abc xyz", " abc", "wxyz", "xyz abc"):
            agree(here, there, text)
        assert ids(here, "xyz") == ([258] if ignore else [120, 121, 122])
        only = "stand only for a whole chunk" if ignore else "are never used"
        assert any(only in remark for remark in remarks(here))
        assert [token.data for token in model_of(here).loose] == [b"xyz", b" abc"]


ADDED = [
    added(257, "abc"),
    added(258, "<x>"),
    added(259, "<x>y", special=False),
    added(260, "<x>yz"),
    added(261, "hello", special=False),
    added(262, " lo", special=False),
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["abc", "<x>", "y", "z", "hello", " ", "lo", "a", "<", "é"]), max_size=12).map("".join))
def test_added_tokens_inside_outside_and_overlapping(tmp_path: Path, text: str) -> None:
    here, there = both(tmp_path / "x", hub_file(THREE, [["a", "b"], ["ab", "c"]], ADDED))
    agree(here, there, text)
    assert here.specials == {"abc": 257, "<x>": 258, "<x>yz": 260}


FLAGS = [
    added(256, "<m>", lstrip=True),
    added(257, "<r>", rstrip=True, special=False),
    added(258, "ward", single_word=True, special=False),
    added(259, "Ünd", normalized=True, special=False),
    added(260, "<b>", lstrip=True, rstrip=True),
]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["<m>", "<r>", "ward", "Ünd", "ünd", "<b>", " ", "\n", "x", "é", "-", "_"]), max_size=10),
    st.sampled_from([None, {"type": "Lowercase"}, {"type": "Sequence", "normalizers": [{"type": "NFC"}]}]),
)
def test_added_tokens_with_every_flag(tmp_path: Path, parts: list[str], normaliser: Any) -> None:
    here, there = both(tmp_path / "x", hub_file(added=FLAGS, normalizer=normaliser))
    agree(here, there, "".join(parts))


def test_added_tokens_that_the_library_numbers_otherwise(tmp_path: Path) -> None:
    here, there = both(tmp_path / "x", hub_file(THREE, ["a b", "ab c"], [added(900, "<x>"), added(5, "ab", False)]))
    agree(here, there, "zab<x>c")
    assert any('"<x>" 258 instead of 900' in remark for remark in remarks(here))


NORMALISERS = [
    {"type": "NFC"},
    {"type": "NFKC"},
    {"type": "NFKD"},
    {"type": "Lowercase"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "StripAccents"},
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "_"},
    {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(NORMALISERS), min_size=1, max_size=3),
    st.text(st.sampled_from("aÉé\u0301\u0323ﬁ①中 \t\nİΣß\u200b한ᄒ"), max_size=16),
)
def test_normalisers_before_and_after(tmp_path: Path, chain: list[Any], text: str) -> None:
    here, there = both(tmp_path / "x", hub_file(normalizer={"type": "Sequence", "normalizers": chain}))
    assert there.normalizer is not None
    assert normalised(here, text.encode()).decode() == there.normalizer.normalize_str(text)
    agree(here, there, text)
    encoded = here.encode(text.encode())
    assert [*encoded.ends] == sorted(encoded.ends)


def test_spans_under_a_normaliser_lead_back_to_the_text(tmp_path: Path) -> None:
    here, _ = both(tmp_path / "x", hub_file(THREE, ["a b", "ab c"], normalizer={"type": "NFKC"}))
    encoded = here.encode("x①ab\u0063 ﬁ.".encode())
    assert [(token.id, token.data.decode()) for token in encoded] == [
        (120, "x"), (49, "①"), (257, "abc"), (32, " "), (102, "ﬁ"), (105, ""), (46, "."),
    ]  # fmt: skip
    assert normalised(here, "①".encode()) == b"1"
    assert here.normalises == "NFKC"  # type: ignore[attr-defined]
    assert normalised(read_tokenizer(write(tmp_path / "y", hub_file())), b"\xff x") == b"\xff x"


def test_padding_and_truncation_are_ignored_and_said(tmp_path: Path) -> None:
    value = hub_file(
        truncation={"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
        padding={"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None}
        | {"pad_id": 0, "pad_type_id": 0, "pad_token": "!"},
    )
    here = read_tokenizer(write(tmp_path / "x", value))
    assert ids(here, "abcd") == [97, 98, 99, 100]
    assert remarks(here) == ("truncation to 2 tokens in the file is ignored", "padding in the file is ignored")


def test_ranks_that_cannot_be_rebuilt_are_listed(tmp_path: Path) -> None:
    rows = [(bytes([b]), b) for b in range(256)] + [(b".:", 256), (b".:.:.:", 257), (b"zz", 258)]
    path = write(tmp_path / "x", "".join(f"{base64.b64encode(t).decode()} {n}\n" for t, n in rows))
    tokenizer = read_tokenizer(path, split="gpt2")
    assert isinstance(tokenizer, LoadedTokenizer)
    assert tokenizer.merges() == [(46, 58, 256), (122, 122, 258)]
    assert tokenizer.not_merged == (257,)
    assert tokenizer.parents(257) is None
    assert ids(tokenizer, ".:.:.:") == [257]
    assert ids(tokenizer, ".:.:.:.") == [256, 256, 256, 46]
    assert [(token.id, token.data) for token in model_of(tokenizer).loose] == [(257, b".:.:.:")]


def test_a_prefix_space(tmp_path: Path) -> None:
    before = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    here, there = both(tmp_path / "x", hub_file(added=[added(256, "<x>")], pre_tokenizer=before))
    for text in ("ab", " ab", "\nab", "a<x>b", "", "<x>"):
        agree(here, there, text)


SPLITS = [
    [{"type": "Split", "pattern": {"Regex": r"\p{N}{1,3}"}, "behavior": "Isolated", "invert": False}],
    [{"type": "Split", "pattern": {"Regex": r"\p{N}{1,2}+"}, "behavior": "Isolated", "invert": False}],
    [{"type": "Split", "pattern": {"Regex": r"\s+$"}, "behavior": "Isolated", "invert": False}],
    [{"type": "Split", "pattern": {"String": "ab"}, "behavior": "MergedWithPrevious", "invert": False}],
    [{"type": "Split", "pattern": {"Regex": "[ab]"}, "behavior": "MergedWithNext", "invert": True}],
    [{"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Contiguous", "invert": False}],
    [
        {"type": "Split", "pattern": {"Regex": r"\s"}, "behavior": "Removed", "invert": False},
        {"type": "Digits", "individual_digits": False},
    ],
    [{"type": "Digits", "individual_digits": True}, {"type": "WhitespaceSplit"}],
    [{"type": "BertPreTokenizer"}],
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(SPLITS), st.text(st.sampled_from("aab12345 \n\té,.中"), max_size=16))
def test_pre_tokenizers(tmp_path: Path, stages: list[dict[str, Any]], text: str) -> None:
    last = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    vocab = BYTES | {"aa": 256, "12": 257, "34": 258, "1234": 259, "ĠĠ": 260, "ab": 261}
    merges = ["a a", "1 2", "3 4", "12 34", "Ġ Ġ", "a b"]
    before = {"type": "Sequence", "pretokenizers": [*stages, last]}
    here, there = both(tmp_path / "x", hub_file(vocab, merges, pre_tokenizer=before))
    assert isinstance(here, LoadedTokenizer)
    agree(here, there, text)


METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}


def test_what_is_not_rebuilt_goes_through_the_library(tmp_path: Path) -> None:
    vocab = {"<unk>": 0, "▁": 1, "a": 2, "b": 3, "▁a": 4, "é": 5}
    parts = {"pre_tokenizer": METASPACE, "decoder": METASPACE}
    here, there = both(tmp_path / "x", hub_file(vocab, ["▁ a"], [added(6, "<s>")], {"unk_token": "<unk>"}, **parts))
    assert isinstance(here, HuggingFaceTokenizer)
    agree(here, there, "ab a<s> é aé x")
    encoded = here.encode(b"ab \xff\xc3\xa9 ")
    assert [(here.label(t.id), t.data, t.note) for t in encoded] == [
        ("▁a", b"a", ""),
        ("b", b"b", ""),
        ("▁", b" ", ""),
        ("<unk>", b"\xff", "unknown to the vocabulary"),
        ("é", "é".encode(), ""),
        ("▁", b" ", ""),
    ]
    assert here.merges() == [(1, 2, 4)]
    assert here.parents(4) == (1, 2)
    assert here.token_bytes(4) == b" a"
    assert here.specials == {"<s>": 6}
    assert any("for the pre-tokenizer Metaspace" in remark for remark in remarks(here))
    with pytest.raises(InputError, match="cannot be written in another format"):
        model_of(here)


def test_without_the_extra_the_message_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    path = write(tmp_path / "tokenizer.json", hub_file(pre_tokenizer=METASPACE))
    with pytest.raises(InputError) as caught:
        read_tokenizer(path)
    said = 'needs the tokenizers library, for the pre-tokenizer Metaspace: pip install "tokexplorer[hf]"'
    assert str(caught.value) == f"{path}: {said}"
    path = write(tmp_path / "x.model", b"\x0a\x0e\x0a\x05<unk>\x15\x00\x00\x00\x00\x18\x02")
    with pytest.raises(InputError) as caught:
        read_tokenizer(path)
    said = 'a SentencePiece model needs the sentencepiece library: pip install "tokexplorer[sentencepiece]"'
    assert str(caught.value) == f"{path}: {said}"
    assert isinstance(read_tokenizer(write(tmp_path / "y", hub_file())), LoadedTokenizer)


def test_a_library_that_refuses_a_file_is_one_line(tmp_path: Path) -> None:
    path = write(tmp_path / "x", hub_file(pre_tokenizer={"type": "Nonsense"}))
    with pytest.raises(InputError, match="the tokenizers library refuses it") as caught:
        read_tokenizer(path)
    assert "\n" not in str(caught.value)
    words = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "b"}
    path = write(tmp_path / "z", hub_file(model=words, pre_tokenizer={"type": "Whitespace"}))
    with pytest.raises(InputError, match=r"encodes no unknown text with it: .*\[UNK\]"):
        read_tokenizer(path)
    path = write(tmp_path / "y", b"\x0a\x0e\x0a\x05hello\x15\x00\x00\x00\x00\x18\x02")
    with pytest.raises(InputError, match="expected a whole SentencePiece model") as caught:
        read_tokenizer(path)
    assert "\n" not in str(caught.value)


def test_a_special_token_stays_text_unless_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "vocab.json", json.dumps(PAIR_IDS | {"<|end|>": 259}))
    tokenizer = read_tokenizer(write(tmp_path / "merges.txt", "\n".join(MERGES)))
    assert ids(tokenizer, "a<|end|>") == [97, *b"<|end|>"]
    assert ids(tokenizer, "a<|end|>", SpecialMode.TOKEN) == [97, 259]
    with pytest.raises(InputError, match="at byte 1"):
        tokenizer.encode(b"a<|end|>", SpecialMode.FORBID)
    assert tokenizer.is_special(259)
    assert tokenizer.decode([97, 259]) == b"a<|end|>"


def test_vocab_txt_with_and_without_lower_case(tmp_path: Path) -> None:
    lines = ["[PAD]", "[UNK]", "hello", "##s", "é", "e"]
    path = write(tmp_path / "vocab.txt", "\r\n".join(lines))
    assert ids(read_tokenizer(path), "Hellos É") == [2, 3, 5]
    assert ids(read_tokenizer(path, split="bert-cased"), "Hellos é hellos") == [1, 4, 2, 3]
    path = write(tmp_path / "vocab.txt", "\n".join([*lines, "Hello"]))
    assert ids(read_tokenizer(path), "Hellos é") == [6, 3, 4]
    assert ids(read_tokenizer(path, split="bert-uncased"), "Hellos é") == [2, 3, 5]
    assert ids(read_tokenizer(path, split="words"), "Hellos  é!") == [6, 3, 1]


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
