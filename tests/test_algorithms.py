"""One shape for all algorithms: the same verbs hold for every trainer that the factory makes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.engine.algorithms import (
    ALPHABETS,
    HELP,
    Algorithm,
    AnyTrainer,
    Trainer,
    encoder_of,
    make_trainer,
    stop_words,
)
from tokexplorer.engine.alphabet import AlphabetKind, byte_alphabet, to_bytes
from tokexplorer.engine.baselines import BaselineTrainer
from tokexplorer.engine.corpus import Cancelled, Corpus, TextDocument, build_corpus
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.replay import alphabet_merges
from tokexplorer.engine.splits import compile_split
from tokexplorer.engine.training import BpeTrainer, StopReason
from tokexplorer.tokenizers.learned import LearnedTokenizer

CHOICES = [(a, kind) for a in Algorithm for kind in ALPHABETS[a] or (None,)]
MERGES = [(104, 101, 256), (116, 256, 257), (32, 257, 258), (97, 97, 259), (33, 33, 260)]
texts = st.one_of(st.text("aehtx ", max_size=60).map(str.encode), st.binary(max_size=30))


def corpus_of(text: bytes) -> Corpus:
    return build_corpus([TextDocument("d", text)], compile_split("gpt2"))


def made(algorithm: Algorithm, kind: AlphabetKind | None, corpus: Corpus) -> AnyTrainer:
    merges = alphabet_merges("own", byte_alphabet(), MERGES)
    return make_trainer(algorithm, corpus, kind, target_size=12, merge_list=merges)


def tokens_encoded(trainer: AnyTrainer) -> int:
    encoder, corpus = encoder_of(trainer), trainer.corpus
    return sum(len(encoder.encode(c)) * n for c, n in zip(corpus.chunks, corpus.counts, strict=True))


@pytest.mark.parametrize(("algorithm", "kind"), CHOICES)
@settings(max_examples=30, deadline=None)
@given(texts)
def test_the_verbs_and_the_encoder_agree_at_every_step(
    algorithm: Algorithm, kind: AlphabetKind | None, text: bytes
) -> None:
    trainer = made(algorithm, kind, corpus_of(text))
    shape: Trainer = trainer
    assert shape.step_count == 0
    assert shape.tokens == shape.start_tokens
    seen = []
    while True:
        encoder = encoder_of(trainer)
        seen.append((shape.tokens, shape.vocab_size, shape.candidates(5)))
        if algorithm is not Algorithm.WORDPIECE:  # greedy matching need not follow the merges
            assert tokens_encoded(trainer) == shape.tokens
        for chunk in shape.corpus.chunks:
            segments = encoder.encode(chunk)
            assert [s.start for s in segments[1:]] == [s.end for s in segments[:-1]]
            assert not any(s.unknown for s in segments)
        reason = shape.stop_reason()
        assert shape.step() is reason
        if reason is not None:
            assert stop_words(algorithm, reason)
            break
    last = len(seen) - 1
    assert shape.step_count == last == len(shape.history)
    shape.goto(last // 2)
    assert (shape.tokens, shape.vocab_size, shape.candidates(5)) == seen[last // 2]
    assert shape.run(last) is StopReason.TARGET
    while shape.back():
        assert (shape.tokens, shape.vocab_size, shape.candidates(5)) == seen[shape.step_count]
    assert shape.step_count == 0


@settings(max_examples=60, deadline=None)
@given(texts, st.text("aehtxé ", max_size=20), st.sampled_from(list(AlphabetKind)))
def test_the_bpe_encoder_equals_the_tokenizer(text: bytes, probe: str, kind: AlphabetKind) -> None:
    trainer = BpeTrainer(corpus_of(text), kind)
    trainer.run(9)
    trainer.goto(trainer.step_count // 2)
    encoder = encoder_of(trainer)
    tokenizer = LearnedTokenizer(trainer.vocabulary, trainer.step_count, trainer.corpus.split)
    for chunk in trainer.corpus.split.chunks(probe):
        mine = encoder.encode(chunk)
        theirs = tokenizer.encode(chunk.encode())
        if kind is AlphabetKind.WORDS and any(s.unknown for s in mine):
            continue
        assert [s.id for s in mine] == list(theirs.ids)
        assert [bool(s.unknown) for s in mine] == [i in theirs.notes for i in range(len(theirs))]
        spelled = chunk.encode() if kind is AlphabetKind.BYTES else chunk
        ends = [len(to_bytes(chunk[: s.end])) if isinstance(spelled, str) else s.end for s in mine]
        assert ends == list(theirs.ends)


def test_wrong_choices_are_refused() -> None:
    corpus = corpus_of(b"the cat")
    for algorithm, kind in [
        (Algorithm.WORDPIECE, AlphabetKind.BYTES),
        (Algorithm.UNIGRAM, AlphabetKind.WORDS),
        (Algorithm.CHARACTERS, AlphabetKind.BYTES),
    ]:
        with pytest.raises(UsageError, match="does not work on the alphabet"):
            make_trainer(algorithm, corpus, kind)
    with pytest.raises(UsageError, match="merge list"):
        make_trainer(Algorithm.REPLAY, corpus)
    with pytest.raises(Cancelled):
        make_trainer(Algorithm.UNIGRAM, corpus, should_stop=lambda: True)
    assert set(HELP) == set(ALPHABETS) == set(Algorithm)


def test_baselines() -> None:
    corpus = corpus_of(b"the cat the cat sat")
    words, characters = BaselineTrainer(corpus, by_character=False), BaselineTrainer(corpus, by_character=True)
    assert [(r.id, r.text, r.count) for r in words.candidates(2)] == [(1, " cat", 2), (0, "the", 1)]
    assert (words.tokens, words.vocab_size, characters.tokens) == (5, 5, 19)
    assert [r.text for r in characters.candidates(3)] == ["t", " ", "a"]
    (unknown,) = words.encoder().encode(" dog")
    assert (unknown.id, unknown.start, unknown.end, unknown.unknown) == (4, 0, 4, "unknown word")
    assert words.encoder().labels[-1] == "<|unk|>"
    assert [s.unknown for s in characters.encoder().encode("té")] == ["", "unknown character U+00E9"]
    with pytest.raises(UsageError):
        words.goto(1)
