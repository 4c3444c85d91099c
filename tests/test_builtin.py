"""The embedded tokenizers against the checked vectors, against tiktoken itself, and on bytes that are no text."""

from __future__ import annotations

import json
import random
import unicodedata
from pathlib import Path
from unittest.mock import patch

import pytest
from builtin_oracle import constructed, encoding, slow_encode
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.engine.errors import InputError
from tokexplorer.tokenizers import bulk
from tokexplorer.tokenizers.base import Encoded, SpecialMode, Tokenizer
from tokexplorer.tokenizers.builtin import load, names

FACTS = Path(__file__).parent / "facts"
VECTORS = json.loads((FACTS / "encode_vectors.json").read_text("utf-8"))["vectors"]
ENCODINGS = json.loads((FACTS / "encodings.json").read_text("utf-8"))
KINDS = ("gpt2", "p50k_edit", "cl100k_base", "o200k_harmony")
"""One encoding of each vocabulary and split."""

BITS = [
    *"abe1'.!/(éſKк中文がЖا한😀\u0301\u200d\ufeff\U0001f1e9\0\x1c\x85\xa0\u2028\u3000",
    *["12", "345", "'s", "'LL", "!?", "//", "👩\u200d👩\u200d👧"],
    *[" ", "  ", "\n", "\r\n", "\n\n", "\t", "the", " The", "Hello", " world", "ing", "Ab", "don't"],
    *["<|endoftext|>", "<|fim_prefix|>", "<|start|>", "<|reserved_200018|>", "<|endof", "|>", "<|"],
]
pieced = st.lists(st.sampled_from(BITS), max_size=40).map("".join)
valid = st.one_of(st.text(max_size=60), pieced)
broken = st.lists(
    st.one_of(st.sampled_from(BITS).map(str.encode), st.binary(max_size=5), st.sampled_from([b"\xff", b"\xe4\xb8"])),
    max_size=20,
).map(b"".join)
kinds = st.sampled_from(KINDS)


def check_tiling(encoded: Encoded, text: bytes) -> None:
    assert encoded.text == text
    assert len(encoded.ids) == len(encoded.ends)
    at = 0
    for token in encoded:
        assert token.start == at
        assert token.end > token.start
        at = token.end
    assert at == len(text)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_the_checked_vectors(name: str) -> None:
    tokenizer = load(name)
    for row in VECTORS:
        text = row["text"].encode()
        encoded = tokenizer.encode(text)
        assert list(encoded.ids) == row[name]
        assert tokenizer.split.chunks(row["text"]) == row[f"{name}_chunks"]
        check_tiling(encoded, text)
        assert tokenizer.decode(encoded.ids) == text


@pytest.mark.parametrize("name", names())
def test_the_definition_is_tiktokens_own(name: str) -> None:
    tokenizer, built = load(name), constructed(name)
    assert isinstance(tokenizer, Tokenizer)
    assert tokenizer.name == built["name"] == name
    assert tokenizer.split.pattern == built["pat_str"]
    assert tokenizer.specials == built["special_tokens"]
    assert tokenizer.size == encoding(name).n_vocab


@pytest.mark.parametrize("name", ENCODINGS)
def test_sizes_and_unassigned_ids_are_the_checked_ones(name: str) -> None:
    tokenizer, fact = load(name), ENCODINGS[name]
    assert tokenizer.size == fact["n_vocab"]
    assert tokenizer.specials == fact["special_tokens"]
    assert tokenizer.split.pattern == fact["pat_str"]
    assert len(tokenizer.ranks.ids) == fact["mergeable"]
    assert [i for i in range(tokenizer.size) if tokenizer.token_bytes(i) is None] == fact["unassigned_ids"]


@pytest.mark.parametrize("name", names())
def test_tokens_are_tiktokens_own(name: str) -> None:
    tokenizer, own = load(name), encoding(name)
    twice = {200018} if name == "o200k_harmony" else set()
    ids = [i for i in range(tokenizer.size) if tokenizer.token_bytes(i) is not None and i not in twice]
    assert [tokenizer.token_bytes(i) for i in ids] == own.decode_tokens_bytes(ids)
    assert [i for i in ids if tokenizer.is_special(i)] == [i for i in ids if own.is_special_token(i)]
    assert tokenizer.decode(ids) == own.decode_bytes(ids)


@settings(max_examples=400, deadline=None)
@given(valid, kinds)
def test_valid_text_gets_tiktokens_ids(text: str, name: str) -> None:
    tokenizer, data = load(name), text.encode()
    for mode, ids in (
        (SpecialMode.TEXT, encoding(name).encode_ordinary(text)),
        (SpecialMode.TOKEN, encoding(name).encode(text, allowed_special="all")),
    ):
        encoded = tokenizer.encode(data, mode)
        assert list(encoded.ids) == ids
        check_tiling(encoded, data)
        assert tokenizer.decode(encoded.ids) == data or "<|reserved_200018|>" in text


@settings(max_examples=300, deadline=None)
@given(broken, kinds)
def test_broken_text_is_kept_byte_for_byte(data: bytes, name: str) -> None:
    tokenizer = load(name)
    encoded = tokenizer.encode(data)
    assert list(encoded.ids) == slow_encode(data, name)
    check_tiling(encoded, data)
    assert tokenizer.decode(encoded.ids) == data
    assert all(token.data == tokenizer.token_bytes(token.id) for token in encoded)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(broken, st.integers(0, 2000)), max_size=4), kinds)
def test_special_tokens_are_cut_out_of_broken_text(parts: list[tuple[bytes, int]], name: str) -> None:
    tokenizer = load(name)
    texts = [*tokenizer.specials]
    text, ids = b"\xff", slow_encode(b"\xff", name)
    for data, choice in parts:
        plain = data.replace(b"|", b"")
        special = texts[choice % len(texts)]
        text += special.encode() + plain
        ids += [tokenizer.specials[special], *slow_encode(plain, name)]
    encoded = tokenizer.encode(text, SpecialMode.TOKEN)
    assert list(encoded.ids) == ids
    check_tiling(encoded, text)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(valid.map(str.encode), broken), max_size=6), kinds, st.integers(1, 40))
def test_cutting_into_pieces_changes_nothing(parts: list[bytes], name: str, size: int) -> None:
    tokenizer, text = load(name), b" word, ".join(parts)
    whole = tokenizer.encode(text)
    with (
        patch.object(bulk, "PIECE_SIZE", size),
        patch.object(bulk, "LONG_PIECE", 2 * size),
        patch.object(bulk, "SMALL_PIECE", max(size // 4, 1)),
    ):
        pieces = tokenizer.encode(text)
    assert (list(whole.ids), list(whole.ends)) == (list(pieces.ids), list(pieces.ends))


def test_ids_and_ends_are_compact() -> None:
    encoded = load("gpt2").encode("naïve 😀".encode())
    assert (type(encoded.ids).__name__, encoded.ids.typecode) == ("array", "I")  # type: ignore[attr-defined]
    assert encoded.ends.typecode == "q"


@pytest.mark.parametrize(("text", "place"), [(b"ab <|endoftext|>", 3), ("é\n<|endoftext|><|endoftext|>".encode(), 3)])
def test_a_forbidden_special_token_is_named_with_its_byte(text: bytes, place: int) -> None:
    for name in names():
        with pytest.raises(InputError, match=rf"<\|endoftext\|> at byte {place}"):
            load(name).encode(text, SpecialMode.FORBID)
        assert len(load(name).encode(text.replace(b"|", b""), SpecialMode.FORBID))


def test_one_id_with_two_names_spans_what_the_text_has() -> None:
    tokenizer = load("o200k_harmony")
    encoded = tokenizer.encode(b"<|endofprompt|>x<|reserved_200018|>", SpecialMode.TOKEN)
    assert [(t.id, t.start, t.end) for t in encoded] == [(200018, 0, 15), (87, 15, 16), (200018, 16, 35)]
    assert tokenizer.label(200018) == "<|endofprompt|>"


@pytest.mark.parametrize(
    ("name", "token_id", "words"),
    [
        ("cl100k_base", 100256, "id 100256 is not assigned in cl100k_base"),
        ("cl100k_base", 100277, "id 100277 is out of range: the ids of cl100k_base go from 0 to 100276"),
        ("gpt2", -1, "id -1 is out of range: the ids of gpt2 go from 0 to 50256"),
        ("o200k_base", 1 << 70, f"id {1 << 70} is out of range"),
    ],
)
def test_decode_names_the_bad_id(name: str, token_id: int, words: str) -> None:
    tokenizer = load(name)
    with pytest.raises(InputError, match=words):
        tokenizer.decode([*[13] * 40_000, token_id, 5, 10**9])
    assert tokenizer.token_bytes(token_id) is None
    assert tokenizer.label(token_id) == ""
    assert tokenizer.parents(token_id) is None
    assert not tokenizer.is_special(token_id)
    assert tokenizer.decode([]) == b""


def test_labels_and_parents() -> None:
    gpt2, harmony = load("gpt2"), load("o200k_harmony")
    assert gpt2.label(262) == " the"
    assert gpt2.label(50256) == "<|endoftext|>"
    assert gpt2.label(222) == "\udc80"
    assert harmony.label(200013) == "<|reserved_200013|>"
    assert gpt2.parents(262) == (256, 258)
    assert [gpt2.label(i) for i in (256, 258)] == [" t", "he"]
    assert [t.parents(i) for t, i in ((gpt2, 50256), (harmony, 200013), (gpt2, 255))] == [None] * 3
    assert gpt2.merges()[:2] == [(220, 83, 256), (220, 64, 257)]
    assert len(load("o200k_base").merges()) == 199_998 - 256


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_the_split_of_this_project_cuts_as_tiktokens_does(name: str) -> None:
    """Broken text and long blank runs are split here, so any character must fall into the same class."""
    assigned = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) not in ("Cn", "Cs")]
    for c in random.Random(3).sample(assigned, 4000):
        text = f"aA{c}bB 1{c}2 !{c}! {c}\n{c}{c} x'{c}"
        ids = load(name).encode(b"\xff" + text.encode()).ids
        assert list(ids[1:]) == encoding(name).encode_ordinary("\0" + text)[1:]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_ten_megabytes_of_mixed_text(name: str) -> None:
    """Half of it in the vectors' texts and the samples, half in random characters of every plane; then with flaws."""
    rng = random.Random(11)
    samples = [p.read_text("utf-8") for p in sorted((FACTS.parent.parent / "sample_texts").iterdir())]
    sources = [*samples, *(row["text"] for row in VECTORS)]
    parts: list[str] = []
    size = 0
    while size < 10_000_000:
        if rng.random() < 0.5:
            part = rng.choice(sources)
        else:
            top = rng.choice([0x7F, 0x24F, 0x2FFF, 0xD7FF, 0x2FFFF])
            part = "".join(chr(rng.randrange(top)) for _ in range(rng.randrange(4000)))
            part = part.encode("utf-8", "ignore").decode()
        parts.append(part)
        size += len(part.encode())
    text = "".join(parts)
    data = text.encode()
    tokenizer = load(name)
    encoded = tokenizer.encode(data)
    assert list(encoded.ids) == encoding(name).encode_ordinary(text)
    assert tokenizer.decode(encoded.ids) == data
    assert encoded.ends[-1] == len(data)
    flawed = bytearray(data)
    for _ in range(1000):
        flawed[rng.randrange(len(flawed))] = rng.randrange(256)
    assert tokenizer.decode(tokenizer.encode(bytes(flawed)).ids) == bytes(flawed)
