"""Segmenting with a Unigram vocabulary against all segmentations listed, and against the library."""

from __future__ import annotations

from itertools import pairwise
from math import log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unigram_oracle import all_cuts, order, shares

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.corpus import corpus_from_counts
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.lattice import build_edges, log_backward, log_forward
from tokexplorer.engine.segments import Segment
from tokexplorer.engine.unigram import UNKNOWN, UNKNOWN_PENALTY, Segmentation, UnigramModel, unigram_model
from tokexplorer.engine.unigram_training import UnigramTrainer

scores = st.one_of(st.sampled_from([-1.0, -2.0, -3.0, -4.5]), st.floats(-12, -0.01))
vocabularies = st.dictionaries(st.text("abc", min_size=2, max_size=4), scores, max_size=12).flatmap(
    lambda longer: st.tuples(scores, scores, scores).map(lambda s: dict(zip("abc", s, strict=True)) | longer)
)
probes = st.text("abc", min_size=1, max_size=9)


def model_of(vocabulary: dict[str, float]) -> UnigramModel:
    return unigram_model([(UNKNOWN, 0.0), *vocabulary.items()])


def texts(model: UnigramModel, cut: Segmentation) -> tuple[str, ...]:
    return tuple(model.labels[s.id] for s in cut)


@settings(max_examples=300, deadline=None)
@given(vocabularies, probes)
def test_the_best_and_the_n_best_are_those_of_all_segmentations_listed(vocabulary: dict[str, float], word: str) -> None:
    model = model_of(vocabulary)
    expected = sorted(all_cuts(word, vocabulary), key=lambda cut: order(cut, vocabulary))
    assert texts(model, model.encode(word)) == expected[0]
    ranked = model.best(word, 10_000)
    assert [texts(model, r.segments) for r in ranked] == expected
    assert model.best(word, 3) == ranked[:3]
    exact = shares(word, vocabulary)
    assert {texts(model, r.segments): r.probability for r in ranked} == pytest.approx(exact)
    assert sum(r.probability for r in ranked) == pytest.approx(1)
    for r in ranked:
        assert r.score == pytest.approx(sum(vocabulary[t] for t in texts(model, r.segments)))
        assert [word[s.start : s.end] for s in r.segments] == list(texts(model, r.segments))
        assert r.probability == pytest.approx(exact[texts(model, r.segments)])


@settings(max_examples=150, deadline=None)
@given(vocabularies, probes)
def test_sums_and_marginals_are_those_of_all_segmentations_listed(vocabulary: dict[str, float], word: str) -> None:
    model = model_of(vocabulary)
    exact = shares(word, vocabulary)
    expected: dict[tuple[int, int], float] = {}
    for cut, share in exact.items():
        at = 0
        for text in cut:
            expected[at, at + len(text)] = expected.get((at, at + len(text)), 0.0) + share
            at += len(text)
    marginals = model.marginals(word)
    assert {(m.segment.start, m.segment.end): m.probability for m in marginals if m.probability > 1e-12} == (
        pytest.approx({place: share for place, share in expected.items() if share > 1e-12})
    )
    edges = build_edges(word, model.ids, model.longest)
    assert log_forward(edges, model.scores)[-1] == pytest.approx(log_backward(edges, model.scores)[0])
    top = model.best(word, 1)[0]
    assert model.log_probability(word) == pytest.approx(top.score - log(top.probability))


@settings(max_examples=150, deadline=None)
@given(vocabularies, st.text("abcxyé\u4e00", min_size=0, max_size=12))
def test_unknown_symbols_are_one_token_over_their_span(vocabulary: dict[str, float], word: str) -> None:
    model = model_of(vocabulary)
    segments = model.encode(word)
    assert "".join(word[s.start : s.end] for s in segments) == word
    for segment in segments:
        text = word[segment.start : segment.end]
        if segment.id == model.unknown_id:
            assert set(text).isdisjoint("abc")
            assert segment.unknown.startswith(f"unknown character U+{ord(text[0]):04X}")
        else:
            assert (model.labels[segment.id], segment.unknown) == (text, "")
    unknown = [s.id == model.unknown_id for s in segments]
    assert not any(a and b for a, b in pairwise(unknown))
    ranked = model.best(word, 10_000)
    assert ranked[0].segments == segments
    assert sum(r.probability for r in ranked) == pytest.approx(1)
    draw, random = model.drawer(word, 1.0), Random(1)
    assert {draw(random) for _ in range(20)} <= {r.segments for r in ranked}


def test_reasons_name_the_symbols() -> None:
    model = model_of({"a": -1.0})
    assert model.encode("aéa\udcff") == (
        Segment(1, 0, 1),
        Segment(0, 1, 2, "unknown character U+00E9"),
        Segment(1, 2, 3),
        Segment(0, 3, 4, "unknown byte 0xFF"),
    )
    (one,) = model.encode("bcdef")
    assert one.unknown == "unknown character U+0062, character U+0063, character U+0064 and 2 more"
    assert model.encode("") == ()
    assert model.best("", 5)[0].probability == 1.0
    assert model.scores[0] == -1.0 - UNKNOWN_PENALTY


def test_ties_have_a_rule() -> None:
    """Equal scores: fewest pieces, then the longest first."""
    flat = model_of(dict.fromkeys(["a", "b", "ab", "ba", "aba"], -1.0) | {"abab": -2.0})
    assert texts(flat, flat.encode("abab")) == ("abab",)
    assert [texts(flat, r.segments) for r in flat.best("abab", 9)][:4] == [
        ("abab",),
        ("aba", "b"),
        ("ab", "ab"),
        ("ab", "a", "b"),
    ]
    halves = model_of({"a": -1.0, "aa": -2.0})
    assert texts(halves, halves.encode("aaa")) == ("aa", "a")


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.text("abcé ", min_size=1, max_size=8).filter(str.strip), st.integers(1, 9), min_size=1))
def test_encoding_equals_the_library(counts: dict[str, int]) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    trainer = UnigramTrainer(corpus_from_counts({w.replace(" ", "_"): n for w, n in counts.items()}), target_size=12)
    trainer.run(3)
    model = trainer.encoder()
    theirs = tokenizers.Tokenizer(tokenizers.models.Unigram(list(zip(model.labels, model.scores, strict=True)), 0))
    for word in [*trainer.corpus.chunks, "abcabc", "xaxxb", "éé", "_a_b"]:
        ranked = model.best(word, 2)
        if len(ranked) == 1 or ranked[0].score - ranked[1].score > 1e-9:
            assert theirs.encode(word).ids == [s.id for s in model.encode(word)]


def test_bytes_as_symbols() -> None:
    model = unigram_model([(UNKNOWN, 0.0), ("a", -1.0), ("\xc3\xa9", -1.5)], AlphabetKind.BYTES)
    segments = model.encode("aé\udcff")
    assert [(s.id, s.start, s.end) for s in segments] == [(1, 0, 1), (2, 1, 3), (0, 3, 4)]
    assert [model.data(s.id) for s in segments] == [b"a", "é".encode(), b""]


def test_vocabularies_that_cannot_be_taken_are_refused() -> None:
    with pytest.raises(InputError):
        unigram_model([])
    with pytest.raises(InputError):
        unigram_model([(UNKNOWN, 0.0), ("a", -1.0), ("a", -2.0)])
