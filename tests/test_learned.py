"""Encoding with learned merges: equal to training, to tiktoken, to its own trace; spans tile; decode gives back."""

from __future__ import annotations

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from test_training import corpus_of, texts

from tokexplorer.engine.alphabet import AlphabetKind, ids_of
from tokexplorer.engine.corpus import corpus_from_counts
from tokexplorer.engine.encoding import _encode_long, encode_word, trace_word
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import compile_split, named
from tokexplorer.engine.training import BpeTrainer
from tokexplorer.tokenizers import learned
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tokenizers.learned import LearnedTokenizer

# Characters of the newest Unicode version may be letters to `regex` and not yet to tiktoken.
known = st.text(st.characters(exclude_categories=["Cn", "Cs"]), max_size=80)


def tokenizer_of(trainer: BpeTrainer, **more: object) -> LearnedTokenizer:
    return LearnedTokenizer(trainer.vocabulary, trainer.step_count, trainer.corpus.split, **more)  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(texts, st.sampled_from(["gpt2", "cl100k", "o200k", "none", "lines", "a+"]), st.integers(0, 30), texts)
def test_encodes_the_corpus_as_training_left_it(text: bytes, split: str, steps: int, other: bytes) -> None:
    trainer = BpeTrainer(corpus_of([text], split))
    trainer.run(steps)
    words = dict(zip(trainer.corpus.chunks, trainer.table.words, strict=True))
    tokenizer = tokenizer_of(trainer)
    assert isinstance(tokenizer, Tokenizer)
    for chunk, word in words.items():
        base = trainer.alphabet.spell(chunk)
        vocabulary = trainer.vocabulary
        assert encode_word(base, vocabulary.merges, vocabulary.ranks, trainer.step_count) == ids_of(word)
        assert _encode_long(base, vocabulary.merges, trainer.step_count) == word
        trace = trace_word(base, vocabulary.merges, vocabulary.ranks, trainer.step_count)
        assert (list(trace[-1].ids) if trace else ids_of(base)) == ids_of(word)
        assert [t.rank for t in trace] == sorted({t.rank for t in trace})
    for sample in (text, other):
        encoded = tokenizer.encode(sample)
        assert b"".join(t.data for t in encoded) == sample
        assert tokenizer.decode(encoded.ids) == sample


@settings(max_examples=80, deadline=None)
@given(known, st.sampled_from(["gpt2", "cl100k", "o200k"]), known)
def test_equals_tiktoken_built_from_our_ranks(text: str, split: str, other: str) -> None:
    trainer = BpeTrainer(corpus_of([text.encode()], split))
    trainer.run(20)
    ranks = {d: i for i, d in enumerate(trainer.vocabulary.data)}
    theirs = tiktoken.Encoding("t", pat_str=named(split).pattern, mergeable_ranks=ranks, special_tokens={})
    for sample in (text, other):
        assert list(tokenizer_of(trainer).encode(sample.encode()).ids) == theirs.encode_ordinary(sample)


def test_a_large_text_gives_the_same_through_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Es war einmal ein König, der hatte 12345 Töchter.\n  Und 👩‍👩‍👧 dazu!\n".encode() * 40
    trainer = BpeTrainer(corpus_of([text], "cl100k"))
    trainer.run(90)
    slow = tokenizer_of(trainer).encode(text)
    monkeypatch.setattr(learned, "BULK", 100)
    fast = tokenizer_of(trainer).encode(text)
    assert list(fast.ids) == list(slow.ids)
    assert fast.ends == slow.ends


def test_what_tiktoken_may_cut_otherwise_is_encoded_here(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "A\U0003d000".encode() * 40
    trainer = BpeTrainer(corpus_of([text], "gpt2"))
    trainer.run(9)
    slow = tokenizer_of(trainer).encode(text)
    monkeypatch.setattr(learned, "BULK", 100)
    assert list(tokenizer_of(trainer).encode(text).ids) == list(slow.ids)


def test_lowest_is_low_and_est() -> None:
    trainer = BpeTrainer(corpus_from_counts({"low": 5, "lower": 2, "newest": 6, "widest": 3}), AlphabetKind.WORDS)
    trainer.run(99)
    tokenizer = tokenizer_of(trainer)
    encoded = tokenizer.encode(b"lowest  xlow ")
    assert [tokenizer.label(i) for i in encoded.ids] == ["low", "est</w>", "<unk>", "low</w>"]
    assert [(t.start, t.end) for t in encoded] == [(0, 3), (3, 8), (8, 9), (9, 13)]
    assert encoded.notes == {2: "unknown character U+0078"}
    assert tokenizer.decode(encoded.ids[:2]) == b"lowest "


@settings(max_examples=100, deadline=None)
@given(texts, texts)
def test_unseen_characters_are_unknown_over_their_span(text: bytes, other: bytes) -> None:
    trainer = BpeTrainer(corpus_of([text], "gpt2"), AlphabetKind.CHARS)
    trainer.run(10)
    tokenizer = tokenizer_of(trainer)
    encoded = tokenizer.encode(other)
    assert b"".join(t.data for t in encoded) == other
    for number, token in enumerate(encoded):
        assert (token.id == tokenizer.unknown_id) == (number in encoded.notes)
        if token.id != tokenizer.unknown_id:
            assert tokenizer.token_bytes(token.id) == token.data


def test_special_tokens_are_text_unless_asked_for() -> None:
    trainer = BpeTrainer(corpus_of([b"hello <|end|> hello"], "gpt2"))
    tokenizer = tokenizer_of(trainer, specials={"<|end|>": 300, "<|end|>x": 301})
    text = b"a<|end|>x<|end|>"
    assert list(tokenizer.encode(text).ids) == list(text)
    assert list(tokenizer.encode(text, SpecialMode.TOKEN).ids) == [97, 301, 300]
    with pytest.raises(InputError, match="at byte 1"):
        tokenizer.encode(text, SpecialMode.FORBID)
    assert tokenizer.decode([97, 301]) == b"a<|end|>x"
    with pytest.raises(InputError, match="id 299"):
        tokenizer.decode([299])


def test_parents_lead_down_to_single_bytes() -> None:
    trainer = BpeTrainer(corpus_of([b"abab abab"], "gpt2"))
    trainer.run(3)
    tokenizer = tokenizer_of(trainer)
    assert tokenizer.parents(97) is None
    left, right = tokenizer.parents(256) or (0, 0)
    assert (tokenizer.token_bytes(left), tokenizer.token_bytes(right)) == (b"a", b"b")


def test_a_bad_pattern_says_where() -> None:
    with pytest.raises(InputError, match="at character"):
        compile_split("a(b")
