"""BPE-dropout and Unigram sampling: their ends, their seeds, and frequencies against exact probabilities."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unigram_oracle import shares

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.corpus import Cancelled, TextDocument, build_corpus, corpus_from_counts
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.merge_encoder import vocabulary_encoder
from tokexplorer.engine.sampling import Drawn, draw_many, drop_merges, sample_bpe, sample_merges, sample_unigram
from tokexplorer.engine.splits import named
from tokexplorer.engine.training import BpeTrainer
from tokexplorer.engine.unigram import UNKNOWN, unigram_model

DRAWS = 4000
Pair = tuple[int, int]


def chi_square_limit(freedom: int) -> float:
    """The value that chi-square exceeds once in a thousand times (Wilson and Hilferty 1931)."""
    spread = 2 / (9 * freedom)
    return float(freedom * (1 - spread + 3.0902 * sqrt(spread)) ** 3)


def fits(drawn: Sequence[Drawn[Hashable]], exact: Mapping[Hashable, float], draws: int) -> bool:
    """Pearson's test; results expected less than five times are taken together."""
    seen = {d.segmentation: d.count for d in drawn}
    assert set(seen) <= {key for key, share in exact.items() if share > 0}
    cells = [(seen.get(key, 0), draws * share) for key, share in exact.items() if draws * share >= 5]
    rest = draws - sum(expected for _, expected in cells)
    if rest > 1:
        cells.append((draws - sum(n for n, _ in cells), rest))
    if len(cells) < 2:
        return True
    return sum((n - expected) ** 2 / expected for n, expected in cells) < chi_square_limit(len(cells) - 1)


def exact_dropout(ids: tuple[int, ...], ranks: Mapping[Pair, int], base: int, p: float) -> dict[tuple[int, ...], float]:
    """Every outcome of algorithm 1 with its probability: the k-th best place is taken where the k - 1 better ones are
    dropped and it is not; all are dropped with p to the power of their number."""
    places = sorted((ranks[pair], at) for at, pair in enumerate(pairwise(ids)) if pair in ranks)
    found = {ids: p ** len(places)}
    for k, (rank, at) in enumerate(places):
        share = p**k * (1 - p)
        for end, rest in exact_dropout((*ids[:at], base + rank, *ids[at + 2 :]), ranks, base, p).items():
            found[end] = found.get(end, 0.0) + share * rest
    return found


def test_the_chi_square_limit_is_that_of_the_tables() -> None:
    assert [chi_square_limit(k) for k in (1, 5, 10, 30)] == pytest.approx([10.828, 20.515, 29.588, 59.703], rel=0.04)


@settings(max_examples=150, deadline=None)
@given(
    st.text("ab c", max_size=50), st.text("ab cx", max_size=20), st.sampled_from(list(AlphabetKind)), st.integers(0, 9)
)
def test_without_dropout_it_is_the_plain_encoding_and_with_all_the_base_symbols(
    text: str, probe: str, kind: AlphabetKind, seed: int
) -> None:
    trainer = BpeTrainer(build_corpus([TextDocument("d", text.encode())], named("gpt2")), kind)
    trainer.run(12)
    base = len(trainer.alphabet)
    steps = trainer.step_count // 2
    encoder = vocabulary_encoder(trainer.vocabulary, steps)
    new_ids = range(base, base + steps)
    ranks = trainer.vocabulary.ranks
    symbols = encoder.base_ids(probe)
    assert drop_merges(symbols, ranks, new_ids, 0.0, Random(seed)) == tuple(encoder.ids(probe))
    assert drop_merges(symbols, ranks, new_ids, 1.0, Random(seed)) == tuple(symbols)
    if kind is AlphabetKind.BYTES:
        assert symbols == list(probe.encode())
    (plain,) = sample_bpe(encoder, probe, 0.0, 3, seed)
    assert (plain.segmentation, plain.count) == (encoder.encode(probe), 3)
    some = drop_merges(symbols, ranks, new_ids, 0.5, Random(seed))
    data = trainer.vocabulary.data
    if kind is AlphabetKind.BYTES:
        assert b"".join(data[i] for i in some) == probe.encode()


@pytest.mark.parametrize(("p", "seed"), [(0.1, 1), (0.5, 2), (0.9, 3)])
def test_dropout_fits_the_exact_probabilities(p: float, seed: int) -> None:
    trainer = BpeTrainer(corpus_from_counts({"low": 5, "lower": 2, "newest": 6, "widest": 3}), AlphabetKind.WORDS)
    trainer.run(10)
    base = len(trainer.alphabet)
    word = tuple(vocabulary_encoder(trainer.vocabulary, 10).base_ids("lowest"))
    exact = exact_dropout(word, trainer.vocabulary.ranks, base, p)
    assert sum(exact.values()) == pytest.approx(1)
    drawn = sample_merges(word, trainer.vocabulary.ranks, range(base, base + 10), p, DRAWS, seed)
    assert sum(d.count for d in drawn) == DRAWS
    assert fits(drawn, exact, DRAWS)
    assert not fits(drawn, exact_dropout(word, trainer.vocabulary.ranks, base, p * 0.8), DRAWS)


@pytest.mark.parametrize(("alpha", "seed"), [(0.0, 1), (0.2, 2), (0.5, 3), (1.0, 4), (2.0, 5)])
def test_unigram_draws_fit_the_exact_probabilities(alpha: float, seed: int) -> None:
    vocabulary = {"a": -2.0, "b": -2.5, "c": -3.0, "ab": -2.2, "bc": -3.1, "abc": -4.0, "ca": -3.3, "cab": -5.0}
    model = unigram_model([(UNKNOWN, 0.0), *vocabulary.items()])
    drawn = sample_unigram(model, "abcab", alpha, DRAWS, seed)
    named_draws = [Drawn(tuple(model.labels[s.id] for s in d.segmentation), d.count) for d in drawn]
    assert fits(named_draws, shares("abcab", vocabulary, alpha), DRAWS)
    assert not fits(named_draws, shares("abcab", vocabulary, alpha + 0.4), DRAWS)
    assert [d.count for d in drawn] == sorted((d.count for d in drawn), reverse=True)


def test_seeds_repeat_and_differ() -> None:
    model = unigram_model([(UNKNOWN, 0.0), ("a", -1.0), ("aa", -1.5)])
    one, same, other = (sample_unigram(model, "aaaaaaaa", 1.0, 50, seed) for seed in (1, 1, 2))
    assert one == same != other


def test_values_out_of_range_are_refused() -> None:
    model = unigram_model([(UNKNOWN, 0.0), ("a", -1.0)])
    for alpha in (-0.1, float("nan"), float("inf")):
        with pytest.raises(UsageError):
            sample_unigram(model, "a", alpha, 1, 1)
    for dropout in (-0.1, 1.1, float("nan")):
        with pytest.raises(UsageError):
            sample_merges([1, 2], {}, [], dropout, 1, 1)
    with pytest.raises(UsageError):
        sample_unigram(model, "a", 1.0, 0, 1)
    with pytest.raises(Cancelled):
        draw_many(Random.random, 5, 1, should_stop=lambda: True)
