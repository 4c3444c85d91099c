"""Comparing tokenizers: every count agrees with tiktoken and with the obvious way; jumps visit every difference."""

from __future__ import annotations

from itertools import pairwise

import pytest
import regex
from builtin_oracle import encoding
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.analysis.comparison import compare, word_spans
from tokexplorer.analysis.progress import Cancelled
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import named
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tokenizers.baselines import CharacterTokenizer, WordTokenizer
from tokexplorer.tokenizers.builtin import load

GPT2, CL100K, O200K = load("gpt2"), load("cl100k_base"), load("o200k_base")
ALL: list[Tokenizer] = [GPT2, CL100K, O200K, CharacterTokenizer()]
texts = st.text(alphabet="ab Zé中'’s1\u0301\n😀ñ", max_size=60)
broken = st.lists(st.one_of(texts.map(str.encode), st.binary(max_size=4))).map(b"".join)


@settings(max_examples=80, deadline=None)
@given(texts, st.integers(2, 4))
def test_counts_agree_with_the_obvious_way(text: str, number: int) -> None:
    data = text.encode()
    found = compare(data, ALL[:number])
    words = [m.group() for m in regex.finditer(r"\p{L}[\p{L}\p{M}]*(?:['’]\p{L}[\p{L}\p{M}]*)*", text)]
    assert (found.size, found.chars, found.words) == (len(data), len(text), len(words))
    for stats, name in zip(found.stats, ("gpt2", "cl100k_base", "o200k_base")):
        theirs = encoding(name)
        ids = theirs.encode_ordinary(text)
        parts = theirs.decode_tokens_bytes(ids)
        assert (stats.name, stats.tokens, stats.distinct) == (name, len(ids), len(set(ids)))
        assert stats.partial == sum(part.decode(errors="ignore").encode() != part for part in parts)
        assert stats.bytes_per_token == (len(data) / len(ids) if ids else 0.0)
        assert stats.chars_per_token == (len(text) / len(ids) if ids else 0.0)
        assert stats.tokens_per_word == (len(ids) / len(words) if words else 0.0)


@settings(max_examples=80, deadline=None)
@given(broken, st.integers(2, 4))
def test_cuts_agree_with_sets(data: bytes, number: int) -> None:
    found = compare(data, ALL[:number])
    cuts = [{e for e in encoded.ends if e < len(data)} for encoded in found.encoded]
    place = 0
    for first in range(number):
        for second in range(first + 1, number):
            both = found.agreement[place]
            place += 1
            common, union = cuts[first] & cuts[second], cuts[first] | cuts[second]
            assert (both.first, both.second) == (ALL[first].name, ALL[second].name)
            assert (both.common, both.union) == (len(common), len(union))
            assert both.share == (len(common) / len(union) if union else 1.0)
            assert both.saved == len(found.encoded[first]) - len(found.encoded[second])
    assert place == len(found.agreement)
    differing = sorted(set.union(*cuts) - set.intersection(*cuts))
    assert list(found.differences()) == differing
    assert found.differing == len(differing)
    assert [i for i in range(-1, len(data) + 2) if found.differs_at(i)] == differing
    starts, ends = list(zip(*word_spans(data))) or ((), ())
    for stats, own in zip(found.stats, cuts):
        assert stats.whole_words == sum(not any(a < cut < b for cut in own) for a, b in zip(starts, ends))


@settings(max_examples=80, deadline=None)
@given(broken)
def test_jumps_visit_every_difference_once(data: bytes) -> None:
    found = compare(data, ALL[:3])
    cuts = [{0, len(data), *encoded.ends} for encoded in found.encoded]
    common = sorted(set.intersection(*cuts))
    stretches = [(a, b) for a, b in pairwise(common) if any(a < c < b for own in cuts for c in own)]
    onwards, backwards = [], []
    place = found.next_difference(-1)
    while place is not None:
        onwards.append(place)
        place = found.next_difference(place[0])
    place = found.previous_difference(len(data) + 1)
    while place is not None:
        backwards.append(place)
        place = found.previous_difference(place[0])
    assert onwards == stretches
    assert backwards[::-1] == stretches
    for offset in range(-2, len(data) + 2):
        assert found.next_difference(offset) == next((s for s in stretches if s[0] > offset), None)
        assert found.previous_difference(offset) == next((s for s in stretches[::-1] if s[0] < offset), None)


def test_words_are_letters_with_apostrophes_between() -> None:
    text = "Don’t 'quote' naïve e\u0301te x2y 中文 it's' ''".encode()
    assert [text[a:b].decode() for a, b in word_spans(text)] == [
        "Don’t", "quote", "naïve", "e\u0301te", "x", "y", "中文", "it's",
    ]  # fmt: skip
    long = ("wörd and word\n" * 40_000).encode()
    assert [long[a:b] for a, b in word_spans(long)] == long.split()


def test_modes_progress_and_stop() -> None:
    marked = b"a<|endoftext|>b"
    assert compare(marked, [GPT2, CL100K], SpecialMode.TOKEN).stats[0].tokens == 3
    with pytest.raises(InputError):
        compare(marked, [GPT2, CL100K], SpecialMode.FORBID)
    with pytest.raises(Cancelled):
        compare(marked, [GPT2, CL100K], should_stop=lambda: True)
    seen: list[tuple[int, int]] = []
    compare(marked, [GPT2, CL100K], on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(n, 4) for n in range(5)]
    empty = compare(b"", [GPT2, CL100K])
    assert (empty.stats[0].tokens, empty.agreement[0].share, empty.next_difference(-1)) == (0, 1.0, None)


@settings(deadline=None)
@given(broken)
def test_characters_are_tokens(data: bytes) -> None:
    tokenizer = CharacterTokenizer()
    encoded = tokenizer.encode(data)
    decoded = data.decode("utf-8", "surrogateescape")
    assert list(encoded.ids) == [ord(c) for c in decoded]
    assert b"".join(token.data for token in encoded) == data == tokenizer.decode(encoded.ids)
    assert all(tokenizer.token_bytes(i) is not None for i in encoded.ids)
    assert isinstance(tokenizer, Tokenizer)
    with pytest.raises(InputError):
        tokenizer.decode([0xD800])


@settings(deadline=None)
@given(broken, broken, st.sampled_from(["gpt2", "cl100k", "words", "lines"]))
def test_words_of_the_corpus_are_tokens(corpus: bytes, other: bytes, split: str) -> None:
    tokenizer = WordTokenizer.of_text(corpus, named(split))
    assert isinstance(tokenizer, Tokenizer)
    chunks = named(split).chunks(corpus.decode("utf-8", "surrogateescape"))
    encoded = tokenizer.encode(corpus)
    if chunks:
        assert not encoded.notes
        assert tokenizer.decode(encoded.ids) == b"".join(c.encode("utf-8", "surrogateescape") for c in chunks)
        assert tokenizer.size == len(set(chunks)) + 1
    for text in (corpus, other):
        found = tokenizer.encode(text)
        assert b"".join(token.data for token in found) == text
        parts = named(split).chunks(text.decode("utf-8", "surrogateescape"))
        if parts:
            assert [tokenizer.label(i) for i in found.ids] == [p if p in chunks else "<|unk|>" for p in parts]
            assert list(found.notes) == [i for i, own in enumerate(found.ids) if own == tokenizer.unknown_id]


def test_the_unknown_word_is_a_special_token() -> None:
    tokenizer = WordTokenizer.of_text(b"the cat")
    unknown = tokenizer.unknown_id
    assert list(tokenizer.encode(b"the<|unk|> cat", SpecialMode.TOKEN).ids) == [0, unknown, 1]
    assert set(tokenizer.encode(b"<|unk|>").ids) == {unknown}
    with pytest.raises(InputError):
        tokenizer.encode(b"<|unk|>", SpecialMode.FORBID)
    with pytest.raises(InputError):
        tokenizer.decode([3])
