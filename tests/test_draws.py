"""Draws of whole texts, the exact shares of Unigram, and the stories of chunks with every algorithm."""

from __future__ import annotations

from math import isclose, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.analysis.story import tell, tell_at
from tokexplorer.engine.algorithms import Algorithm
from tokexplorer.engine.corpus import Cancelled, TextDocument
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.unigram import UnigramModel, unigram_model
from tokexplorer.session import Session, Settings, Snapshot
from tokexplorer.timeline.curve import curves, encoder_at, lengths, steps_shown
from tokexplorer.timeline.draws import draw
from tokexplorer.tokenizers.base import SpecialMode
from tokexplorer.tokenizers.builtin import load

CATS = b"the cat sat on the mat; the hat of the bat\n" * 5
DRAWN = (Algorithm.BPE, Algorithm.REPLAY, Algorithm.UNIGRAM)


def trained(algorithm: Algorithm, text: bytes = CATS, steps: int = 12) -> Snapshot:
    session = Session(Settings(target=20))
    session.open([TextDocument("t", text)])
    session.choose(algorithm)
    return session.run(steps)


@pytest.mark.parametrize("algorithm", DRAWN)
def test_draws_are_cuts_of_the_text_and_repeat_with_their_seed(algorithm: Algorithm) -> None:
    snapshot = trained(algorithm, steps=1 if algorithm is Algorithm.UNIGRAM else 12)
    text = b"the cat\xff, the h\xc3\xa9t"
    encoder, split = encoder_at(snapshot), snapshot.corpus.split
    ways = draw(encoder, split, text, 0.3, 500, 4)
    assert sum(way.count for way in ways) == 500
    assert all(b"".join(way.tokens) == text for way in ways)
    assert len({way.tokens for way in ways}) == len(ways) > 1
    assert [way.count for way in ways] == sorted((way.count for way in ways), reverse=True)
    assert ways == draw(encoder, split, text, 0.3, 500, 4)
    assert any(ways != draw(encoder, split, text, 0.3, 500, seed) for seed in range(5, 12))
    plain = tuple(token.data for token in snapshot.tokenizer().encode(text))
    assert [way.tokens for way in ways if way.plain] in ([], [plain])


@pytest.mark.parametrize("algorithm", [Algorithm.BPE, Algorithm.REPLAY])
def test_no_dropout_is_the_plain_encoding_and_all_of_it_the_bytes(algorithm: Algorithm) -> None:
    snapshot = trained(algorithm)
    encoder, split = encoder_at(snapshot), snapshot.corpus.split
    text = b"the cat sat; a zoo"
    (none,) = draw(encoder, split, text, 0, 50, 1)
    assert none.plain
    assert none.tokens == tuple(token.data for token in snapshot.tokenizer().encode(text))
    (every,) = draw(encoder, split, text, 1, 50, 1)
    assert every.tokens == tuple(bytes([byte]) for byte in text)


def test_what_cannot_be_drawn_is_refused() -> None:
    bpe, wordpiece = trained(Algorithm.BPE), trained(Algorithm.WORDPIECE)
    split = bpe.corpus.split
    for encoder, text, strength, count in (
        (encoder_at(bpe), b"a", 1.1, 5),
        (encoder_at(bpe), b"a", 0.1, 0),
        (encoder_at(bpe), b"a" * 401, 0.1, 5),
        (encoder_at(trained(Algorithm.UNIGRAM)), b"a", -1.0, 5),
        (encoder_at(trained(Algorithm.UNIGRAM)), b"a", float("inf"), 5),
        (encoder_at(wordpiece), b"a", 0.1, 5),
    ):
        with pytest.raises(UsageError):
            draw(encoder, split, text, strength, count, 1)
    with pytest.raises(Cancelled):
        draw(encoder_at(bpe), split, b"the cat", 0.1, 5, 1, should_stop=lambda: True)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=3), st.floats(0.01, 1), min_size=1, max_size=8),
    st.text("abx", max_size=6),
    st.floats(0, 3),
)
def test_the_shares_of_all_cuts_add_up_to_one(pieces: dict[str, float], word: str, alpha: float) -> None:
    model = unigram_model([("<unk>", 0.0), *((text, log(p)) for text, p in sorted(pieces.items()))])
    ways = model.best(word, 10_000)
    assert isclose(sum(model.share(word, way.segments, alpha) for way in ways), 1, rel_tol=1e-9)
    for way in ways:
        assert isclose(model.share(word, way.segments), way.probability, rel_tol=1e-9)


def test_expected_numbers_fit_the_draws() -> None:
    snapshot = trained(Algorithm.UNIGRAM, steps=1)
    ways = draw(encoder_at(snapshot), snapshot.corpus.split, b"the hat", 0.5, 20_000, 3)
    assert isinstance(encoder_at(snapshot), UnigramModel)
    for way in ways:
        assert way.expected is not None
        assert abs(way.count - way.expected) < 5 * max(1, way.expected) ** 0.5 + 1


@pytest.mark.parametrize("algorithm", list(Algorithm))
def test_the_story_of_each_token_with_every_algorithm(algorithm: Algorithm) -> None:
    tokenizer = trained(algorithm).tokenizer()
    text = "the cat, a th\u00e9 hat\n".encode()
    encoded = tokenizer.encode(text)
    whole = tell(tokenizer, text)
    for number, token in enumerate(encoded):
        found = tell_at(tokenizer, text, token.start)
        assert found is not None
        story, place = found
        assert story in whole.chunks
        before = sum(len(chunk.result) for chunk in whole.chunks if chunk.start < story.start)
        assert before + place == number
        assert story.branch > 0
    assert tell_at(tokenizer, b"", 0) is None


def test_the_story_of_a_token_of_others() -> None:
    gpt2 = load("gpt2")
    text = b"unbelievable <|endoftext|>"
    story, place = tell_at(gpt2, text, 3) or (None, 0)
    assert story is not None
    assert b"".join(story.result) == b"unbelievable"
    assert story.result[place] == gpt2.token_bytes(gpt2.encode(text).ids[place])
    special, _ = tell_at(gpt2, text, 15, SpecialMode.TOKEN) or (None, 0)
    assert special is not None
    assert special.special
    with pytest.raises(InputError, match="stories go up to"):
        tell_at(gpt2, b"a" * 3000, 5)


@pytest.mark.parametrize("algorithm", list(Algorithm))
def test_curves_and_lengths_add_up(algorithm: Algorithm) -> None:
    snapshot = trained(algorithm)
    (curve, *others) = curves(snapshot)
    assert not others
    assert curve.now in curve.points
    assert curve.now[1] == snapshot.bytes_per_token
    assert [x for x, _ in curve.points] == sorted({x for x, _ in curve.points})
    found = lengths(snapshot)
    assert sum(entry.tokens for entry in found) == sum(
        snapshot.tokenizer().token_bytes(i) is not None and not snapshot.tokenizer().is_special(i)
        for i in range(snapshot.tokenizer().size)
    )
    encoded = snapshot.tokenizer().encode(CATS)
    assert sum(entry.uses for entry in found) == len(encoded)
    with pytest.raises(Cancelled):
        lengths(snapshot, should_stop=lambda: True)


def test_steps_on_a_log_axis() -> None:
    assert steps_shown(0) == [0]
    assert steps_shown(9) == list(range(10))
    long = steps_shown(50_000)
    assert (long[0], long[-1]) == (0, 50_000)
    assert long[:20] == list(range(20))
    assert len(long) <= 402
