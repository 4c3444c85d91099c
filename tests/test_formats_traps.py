"""Traps that tokenizer files in the wild hold: each opens as it should, or is refused in one line that says where."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hub_files import ADDED, BYTES, MERGES, PAIR_IDS, THREE, added, agree, both, hub_file, ids, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokexplorer.engine.errors import InputError
from tokexplorer.formats import model_of, normalised, read_model, read_tokenizer, remarks
from tokexplorer.tokenizers.base import SpecialMode
from tokexplorer.tokenizers.huggingface import HuggingFaceTokenizer
from tokexplorer.tokenizers.loaded import LoadedTokenizer


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
