"""Unigram training against the slow model after every round, the E step on long words, and walking back."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unigram_oracle import SlowUnigram, seeds

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.corpus import Cancelled, TextDocument, build_corpus, corpus_from_counts
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.expectation import BLOCK, CorpusLattice
from tokexplorer.engine.lattice import build_edges, edge_probabilities, log_backward, weigh
from tokexplorer.engine.splits import named
from tokexplorer.engine.suffixes import frequent_substrings
from tokexplorer.engine.training import StopReason
from tokexplorer.engine.unigram_training import ITERATIONS, UnigramTrainer

words = st.dictionaries(
    st.one_of(st.text("ab", min_size=1, max_size=8), st.text("abcé", min_size=1, max_size=7)),
    st.integers(1, 9),
    min_size=1,
    max_size=8,
)


def near(values: Mapping[str, float]) -> object:
    return pytest.approx(dict(values), rel=1e-8, abs=1e-9)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(words, st.integers(1, 12), st.integers(2, 3), st.integers(3, 40), st.integers(2, 8))
def test_equals_the_slow_model_after_every_round(
    counts: dict[str, int], target: int, min_count: int, limit: int, longest: int
) -> None:
    trainer = UnigramTrainer(
        corpus_from_counts(counts), target_size=target, min_count=min_count, seed_size=limit, longest=longest
    )
    slow = SlowUnigram(counts, longest, min_count, limit, ITERATIONS)
    likelihoods: Sequence[float] = trainer.start_likelihoods
    while True:
        rows = {r.text: r for r in trainer.candidates(1000)}
        assert {t: r.probability for t, r in rows.items()} == near(slow.p)
        assert {t: r.expected for t, r in rows.items()} == near(slow.expected)
        assert {t: r.uses for t, r in rows.items() if r.uses} == dict(slow.uses)
        assert {t: r.loss for t, r in rows.items() if r.loss is not None} == near(slow.losses)
        assert [r.text for r in trainer.candidates(1000) if r.loss is not None] == slow.order
        assert likelihoods == pytest.approx(slow.likelihoods, rel=1e-9, abs=1e-9)
        assert trainer.tokens == slow.uses.total()
        assert trainer.vocab_size == 1 + len(slow.p) == trainer.encoder().size
        for before, after in pairwise(likelihoods):
            assert after >= before - 1e-9 * abs(before), "EM never lowers the likelihood"
        marked = [r.text for r in trainer.candidates(1000) if r.next_removed]
        reason = trainer.stop_reason()
        assert trainer.step() is reason
        if reason is not None:
            assert (reason is StopReason.NO_PAIRS) == (not slow.losses)
            assert slow.losses == {} or trainer.vocab_size <= target
            break
        assert marked == slow.step(target)
        made = trainer.history[-1]
        assert [r.text for r in made.removed] == marked
        assert [(r.loss, r.expected, r.uses) for r in made.removed] == [
            (rows[t].loss, rows[t].expected, rows[t].uses) for t in marked
        ]
        likelihoods = made.likelihoods
        assert made.size_after == trainer.vocab_size == made.size_before - len(marked)


@settings(max_examples=100, deadline=None)
@given(words, st.integers(2, 8), st.integers(2, 4), st.integers(0, 30))
def test_seeds_are_the_frequent_substrings(counts: dict[str, int], longest: int, least: int, limit: int) -> None:
    found = frequent_substrings(list(counts), list(counts.values()), longest, least, limit)
    weighted = {text: float(n * len(text)) for text, n in found.items()}
    assert weighted == {t: n for t, n in seeds(counts, longest, least, limit).items() if len(t) > 1}


def test_the_trainer_counts_the_tokens_of_its_encoder() -> None:
    text = "the cat sat on the mat, the hat and the bat that spat at the rat. \xe9\xe9 " * 4 + "abcabcabc" * 9
    for kind in (AlphabetKind.CHARS, AlphabetKind.BYTES):
        corpus = build_corpus([TextDocument("d", text.encode())], named("gpt2"))
        trainer = UnigramTrainer(corpus, kind, target_size=30)
        assert trainer.run(99) is StopReason.TARGET
        assert trainer.vocab_size == 30 or not trainer.candidates(1)[0].next_removed
        model = trainer.encoder()
        counted = sum(len(model.encode(c)) * n for c, n in zip(corpus.chunks, corpus.counts, strict=True))
        assert trainer.tokens == counted
        likelihood = sum(model.log_probability(c) * n for c, n in zip(corpus.chunks, corpus.counts, strict=True))
        assert trainer.likelihood == pytest.approx(likelihood)
        data = [b"".join(model.data(s.id) for s in model.encode(c)) for c in corpus.chunks]
        assert data == [c.encode() for c in corpus.chunks]


@pytest.mark.parametrize("smallest", [1e-2, 1e-12, 1e-100, 1e-300])
def test_long_words_and_tiny_probabilities(smallest: float) -> None:
    """The rescaled E step against the same in logarithms."""
    draw = random.Random(7)
    pieces = ["a", "b", "c", "ab", "bc", "abc", "aaaa", "cba"]
    ids = {text: i for i, text in enumerate(pieces)}
    p = [draw.uniform(0.01, 0.2) for _ in pieces]
    p[ids["c"]] = p[ids["bc"]] = p[ids["cba"]] = smallest
    p[ids["abc"]] = 0.0
    word_list = ["".join(draw.choices("abc", k=n)) for n in (1, 5, BLOCK, BLOCK + 1, 2 * BLOCK, 100, 1000)]
    weights = [draw.randint(1, 9) for _ in word_list]
    lattice = CorpusLattice.build(word_list, weights, ids, 4, lambda _: None)
    counts, likelihood = lattice.expect(p, lambda _: None)
    expected = [0.0] * len(pieces)
    total = 0.0
    scores = [log(x) if x else -float("inf") for x in p]
    for word, weight in zip(word_list, weights, strict=True):
        edges = build_edges(word, ids, 4)
        total += weight * log_backward(edges, scores)[0]
        for _, _, piece, share in edge_probabilities(edges, scores):
            expected[piece] += weight * share
    assert counts == pytest.approx(expected, rel=1e-9)
    assert likelihood == pytest.approx(total, rel=1e-12)
    assert sum(n * len(t) for n, t in zip(counts, pieces, strict=True)) == pytest.approx(
        sum(len(w) * n for w, n in zip(word_list, weights, strict=True))
    )


def test_best_segmentations_of_long_words_equal_those_of_the_encoder() -> None:
    draw = random.Random(3)
    texts = ["".join(draw.choices("ab", k=n)) for n in (30, 70, 200)]
    trainer = UnigramTrainer(corpus_from_counts({t: i for i, t in enumerate(texts, 1)}), target_size=20)
    trainer.run(99)
    model = trainer.encoder()
    assert trainer.tokens == sum(len(model.encode(t)) * i for i, t in enumerate(texts, 1))
    ids = {text: i for i, text in enumerate(model.labels) if i}
    whole = CorpusLattice.build(texts, [1, 1, 1], ids, trainer.longest, lambda _: None)
    uses, tokens = whole.segment([weigh(s) for s in model.scores], [len(t) for t in model.labels], lambda _: None)
    assert sum(uses) == tokens == sum(len(model.encode(t)) for t in texts)


@settings(max_examples=30, deadline=None)
@given(words, st.data())
def test_walking_back_restores_everything(counts: dict[str, int], data: st.DataObject) -> None:
    trainer = UnigramTrainer(corpus_from_counts(counts), target_size=4)

    def state() -> object:
        model = trainer.encoder()
        return trainer.candidates(99), trainer.tokens, trainer.likelihood, model.labels, model.scores

    states = [state()]
    while trainer.step() is None:
        states.append(state())
    last = len(states) - 1
    rounds = list(trainer.history)
    for _ in range(6):
        match data.draw(st.sampled_from(["back", "step", "goto"])):
            case "back":
                trainer.back()
            case "step":
                trainer.step()
            case _:
                trainer.goto(data.draw(st.integers(0, last)))
        assert state() == states[trainer.step_count]
    assert trainer.history == rounds
    with pytest.raises(UsageError):
        trainer.goto(last + 1)


def test_another_target_gives_up_the_rounds_beyond() -> None:
    counts = {"abcabc": 3, "abab": 2, "cacb": 5, "bbaacc": 1}
    trainer, straight = (UnigramTrainer(corpus_from_counts(counts), target_size=n) for n in (5, 9))
    trainer.run(99)
    straight.run(99)
    old = trainer.history
    trainer.goto(1)
    trainer.retarget(9)
    assert len(old) > len(trainer.history) == 1
    trainer.run(99)
    assert trainer.vocab_size == straight.vocab_size == 9
    assert [r.text for r in trainer.candidates(99)] == [r.text for r in straight.candidates(99)]


def test_a_stop_within_a_round_changes_nothing() -> None:
    corpus = corpus_from_counts({f"word{i}and{i * 7}": 1 + i % 3 for i in range(1500)})
    with pytest.raises(Cancelled):
        UnigramTrainer(corpus, should_stop=lambda: True)
    seen: list[tuple[int, int]] = []
    trainer = UnigramTrainer(corpus, target_size=50, on_progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert 0 < seen[-1][0] <= seen[-1][1]
    rows, calls = trainer.candidates(99), iter(range(10_000))
    assert trainer.step(should_stop=lambda: next(calls) > 20) is StopReason.CANCELLED
    assert (trainer.step_count, len(trainer.history), trainer.candidates(99)) == (0, 0, rows)
    assert trainer.run(1, should_stop=lambda: True) is StopReason.CANCELLED
    assert trainer.run(1) is StopReason.TARGET
    assert trainer.step_count == 1


def test_an_empty_corpus_and_a_wrong_alphabet() -> None:
    empty = UnigramTrainer(build_corpus([], named("gpt2")))
    assert (empty.vocab_size, empty.tokens, empty.step()) == (1, 0, StopReason.NO_PAIRS)
    with pytest.raises(UsageError):
        UnigramTrainer(corpus_from_counts({"a": 1}), AlphabetKind.WORDS)
