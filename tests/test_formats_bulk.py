"""The fast way for loaded vocabularies gives the ids of the plain one, or stands aside."""

from __future__ import annotations

from dataclasses import replace

import pytest
from formats_help import CORPUS, bpe_model
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.engine.model import Model
from tokexplorer.engine.splits import named
from tokexplorer.formats import model_of, tokenizer_of
from tokexplorer.tokenizers import loaded
from tokexplorer.tokenizers.builtin import load
from tokexplorer.tokenizers.bulk_pairs import bulk_pairs
from tokexplorer.tokenizers.loaded import LoadedTokenizer
from tokexplorer.tokenizers.pair_encoder import BytePairs

Rows = tuple[tuple[int, int, int], ...]


@st.composite
def merge_lists(draw: st.DrawFn) -> tuple[Rows, dict[int, bytes]]:
    """Any merge list over a, b and c that makes each token once, trained or not."""
    tokens = {byte: bytes([byte]) for byte in range(256)}
    usable = [97, 98, 99]
    rows: list[tuple[int, int, int]] = []
    for left, right in draw(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=14)):
        a, b = usable[left % len(usable)], usable[right % len(usable)]
        joined = tokens[a] + tokens[b]
        if joined not in tokens.values():
            new = 1000 - len(rows)
            tokens[new] = joined
            usable.append(new)
            rows.append((a, b, new))
    return tuple(rows), tokens


def plain(rows: Rows) -> BytePairs:
    return BytePairs(tuple(range(256)), {(a, b): (rank, new) for rank, (a, b, new) in enumerate(rows)}, {})


@settings(max_examples=600, deadline=None)
@given(merge_lists(), st.lists(st.text("abc", max_size=24), min_size=1, max_size=8))
def test_where_the_fast_way_is_taken_it_equals_the_plain_one(
    found: tuple[Rows, dict[int, bytes]], texts: list[str]
) -> None:
    rows, tokens = found
    fast = bulk_pairs("x", range(256), rows, tokens, named("gpt2"))
    for text in texts if fast is not None else ():
        assert fast is not None
        ids = [i for batch in fast.encode(text.encode()) for i in batch]
        assert ids == [segment.id for segment in plain(rows).encode(text)]


def test_a_list_that_tiktoken_would_read_otherwise_takes_the_plain_way() -> None:
    """`a` and `bc` make `abc` by rank, but no row joins them."""
    tokens = {byte: bytes([byte]) for byte in range(256)} | {256: b"bc", 257: b"ab", 258: b"abc"}
    rows = ((98, 99, 256), (97, 98, 257), (257, 99, 258))
    assert bulk_pairs("x", range(256), rows, tokens, named("gpt2")) is None
    assert bulk_pairs("x", range(256), rows[:2], tokens, named("gpt2")) is not None
    assert bulk_pairs("x", range(256), rows[:2], tokens, named("lines")) is None


@pytest.mark.parametrize("split", ["gpt2", "cl100k", "o200k", "lines"])
def test_a_long_text_gives_the_same_ids_and_spans(split: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = bpe_model(split=split, specials=("<|end|>",))
    shifted = tokenizer_of(_renumbered(model_of(tokenizer_of(model, "x"))), "y")
    assert isinstance(shifted, LoadedTokenizer)
    text = (CORPUS + "x\xff<|end|> ").encode("latin-1", "replace") * 3
    slow = shifted.encode(text)
    monkeypatch.setattr(loaded, "BULK", 10)
    fast = shifted.encode(text)
    assert ([*fast.ids], fast.ends) == ([*slow.ids], slow.ends)
    assert (shifted._bulk is not None) == (split != "lines")


def _renumbered(model: Model) -> Model:
    ids = tuple(range(10, 10 + model.learned_size))
    return replace(model, ids=ids, specials={"<|end|>": 5})


def test_gpt2s_own_merges_take_the_fast_way() -> None:
    builtin = load("gpt2")
    assert isinstance(tokenizer_of(model_of(builtin), "x"), LoadedTokenizer)
    base = [builtin.ranks.ids[bytes([byte])] for byte in range(256)]
    tokens = {i: data for i, data in enumerate(builtin.ranks.tokens) if data is not None}
    assert bulk_pairs("x", base, builtin.merges(), tokens, builtin.split) is not None
