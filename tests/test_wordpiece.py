"""WordPiece against a naive recount after every step; walking back; encoding against the library."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Word, count_pairs, replace_pair

from tokexplorer.engine.alphabet import id_of, ids_of
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.corpus import Corpus, TextDocument, build_corpus, corpus_from_counts
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.splits import compile_split
from tokexplorer.engine.training import StopReason
from tokexplorer.engine.wordpiece import UNKNOWN, WordPieceTrainer, model_of_pieces

texts = st.one_of(
    st.text(alphabet="ab ", max_size=60),
    st.text(alphabet="abcd", max_size=40),
    st.text(max_size=30),
    st.lists(st.sampled_from(["a", "aa", "ab", " ", "\n", "é", "b", "bc", "c", "#", "##"]), max_size=40).map("".join),
)
splits = st.sampled_from(["gpt2", "words", "none", "lines"])
rules = st.sampled_from(list(TieRule))
Pair = tuple[int, int]


def corpus_of(text: str, split: str = "words") -> Corpus:
    data = text.encode("utf-8", "surrogateescape" if text.isascii() else "surrogatepass")
    return build_corpus([TextDocument("d", data)], compile_split(split))


def words_of(trainer: WordPieceTrainer) -> list[tuple[Word, int]]:
    return [(tuple(ids_of(w)), n) for w, n in zip(trainer.table.words, trainer.table.weights, strict=True)]


def naive_scores(words: list[tuple[Word, int]], min_count: int) -> dict[Pair, Fraction]:
    """Pair -> exact score, in the order of first occurrence."""
    symbols: dict[int, int] = {}
    for word, weight in words:
        for token in word:
            symbols[token] = symbols.get(token, 0) + weight
    counts = count_pairs(words)
    return {p: Fraction(n, symbols[p[0]] * symbols[p[1]]) for p, n in counts.items() if n >= min_count}


def ranked(scores: dict[Pair, Fraction], ties: TieRule) -> list[Pair]:
    if ties is TieRule.FIRST:
        return sorted(scores, key=lambda p: -scores[p])
    return sorted(scores, key=lambda p: (-scores[p], p))


def state_of(trainer: WordPieceTrainer) -> object:
    model = trainer.encoder()
    return (
        list(trainer.table.words),
        dict(trainer.table.counts),
        trainer.candidates(1000),
        trainer.stop_reason(),
        trainer.tokens,
        trainer.vocab_size,
        [model.encode(chunk) for chunk in trainer.corpus.chunks],
    )


@settings(max_examples=400, deadline=None)
@given(texts, splits, rules, st.integers(1, 3))
def test_equals_a_naive_recount_after_every_step(text: str, split: str, ties: TieRule, min_count: int) -> None:
    trainer = WordPieceTrainer(corpus_of(text, split), ties, min_count)
    words = words_of(trainer)
    while True:
        scores = naive_scores(words, min_count)
        order = ranked(scores, ties)
        rows = trainer.candidates(1000)
        assert [(r.left, r.right) for r in rows] == order
        assert [Fraction(r.count, r.left_count * r.right_count) for r in rows] == [scores[p] for p in order]
        assert trainer.candidates(3) == rows[:3]
        assert [r.tied for r in rows] == [list(scores.values()).count(scores[p]) > 1 for p in order]
        assert trainer.tokens == sum(len(w) * n for w, n in words)
        reason = trainer.stop_reason()
        assert trainer.step() is reason
        if reason is not None:
            assert not scores
            assert (reason is StopReason.NO_PAIRS) == (not count_pairs(words))
            break
        made = trainer.history[-1]
        assert (made.left, made.right) == order[0]
        assert (made.count, made.left_count, made.right_count) == (
            rows[0].count,
            rows[0].left_count,
            rows[0].right_count,
        )
        assert made.tied == list(scores.values()).count(scores[order[0]])
        before = sum(len(w) * n for w, n in words)
        words = [(replace_pair(w, order[0], made.new), n) for w, n in words]
        assert words == words_of(trainer)
        assert made.replaced == before - trainer.tokens == rows[0].replaced
    texts_of_ids = [*trainer.vocabulary.heads.values(), *trainer.vocabulary.tails.values()]
    assert sorted(texts_of_ids) == list(range(1, trainer.vocab_size)), "two pairs never make the same piece"


@settings(max_examples=150, deadline=None)
@given(texts, splits, rules, st.data())
def test_walking_back_and_jumping_restore_everything(text: str, split: str, ties: TieRule, data: st.DataObject) -> None:
    trainer = WordPieceTrainer(corpus_of(text, split), ties, data.draw(st.integers(1, 2)))
    states = [state_of(trainer)]
    while trainer.step() is None:
        states.append(state_of(trainer))
    last = len(states) - 1
    for _ in range(8):
        match data.draw(st.sampled_from(["back", "step", "goto", "run"])):
            case "back":
                assert trainer.back() == (trainer.step_count < last or last > 0) or trainer.step_count == 0
            case "step":
                trainer.step()
            case "goto":
                trainer.goto(data.draw(st.integers(0, last)))
            case _:
                trainer.run(data.draw(st.integers(0, last + 2)))
        assert state_of(trainer) == states[trainer.step_count]


def test_far_jumps_equal_stepping() -> None:
    text = "the cat sat on the mat, the hat and the bat that spat at the rat. " * 3 + "abcdefghijklmnopqrstuvwxyz" * 2
    stepped, jumped = (WordPieceTrainer(corpus_of(text, "gpt2")) for _ in range(2))
    stepped.run(45)
    jumped.run(45)
    jumped.goto(2)
    jumped.goto(44)
    stepped.back()
    assert state_of(stepped) == state_of(jumped)
    assert jumped.run(45) is StopReason.TARGET
    assert jumped.run(99, should_stop=lambda: True) is StopReason.CANCELLED
    with pytest.raises(UsageError):
        jumped.goto(46)


@settings(max_examples=100, deadline=None)
@given(texts, st.data())
def test_a_merge_of_ones_own_choice_starts_another_path(text: str, data: st.DataObject) -> None:
    trainer = WordPieceTrainer(corpus_of(text))
    trainer.run(6)
    old, model = list(trainer.history), trainer.encoder()
    cut = [model.encode(chunk) for chunk in trainer.corpus.chunks]
    trainer.goto(data.draw(st.integers(0, trainer.step_count)))
    rows = trainer.candidates(50)
    if not rows:
        return
    pick = data.draw(st.sampled_from(rows))
    made = trainer.merge(pick.left, pick.right)
    assert made.chosen == ((pick.left, pick.right) != (rows[0].left, rows[0].right))
    kept = trainer.step_count - 1
    assert list(trainer.history[:kept]) == old[:kept]
    trainer.run(trainer.step_count + 5)
    assert [model.encode(chunk) for chunk in trainer.corpus.chunks] == cut
    assert {(r.left, r.right) for r in trainer.candidates(1000)} == set(count_pairs(words_of(trainer)))
    while trainer.back():
        counts = {(id_of(p[0]), id_of(p[1])): n for p, n in trainer.table.counts.items()}
        assert counts == count_pairs(words_of(trainer))


def test_a_pair_that_stands_nowhere_is_refused() -> None:
    with pytest.raises(UsageError):
        WordPieceTrainer(corpus_of("ab")).merge(1, 1)


def test_a_hand_example() -> None:
    """hug 10, pug 5, pun 12, bun 4, hugs 5. 5/(20*5) = 1/20; then all pairs with `##u` have 1/36, `h ##u` stands first;
    then `hu ##gs` has 5/(15*5) = 1/15 and `hu ##g` 10/(15*15)."""
    trainer = WordPieceTrainer(corpus_from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}))
    assert trainer.alphabet.labels == ("[UNK]", "b", "h", "p", "##g", "##n", "##s", "##u")
    trainer.run(3)
    assert [trainer.vocabulary.labels[m.new] for m in trainer.history] == ["##gs", "hu", "hugs"]
    first = trainer.history[0]
    assert (first.count, first.left_count, first.right_count, first.score) == (5, 20, 5, 0.05)
    assert [trainer.encoder().labels[s.id] for s in trainer.encoder().encode("hugg")] == ["hu", "##g", "##g"]
    (unknown,) = trainer.encoder().encode("bug!")
    assert (unknown.id, unknown.start, unknown.end) == (0, 0, 4)


def test_greedy_matching_may_part_from_the_merges() -> None:
    trainer = WordPieceTrainer(corpus_of(" a  aea", "gpt2"))
    trainer.run(3)
    labels = trainer.vocabulary.labels
    assert [labels[m.new] for m in trainer.history] == ["##ae", "##aea", " a"]
    assert [labels[i] for i in ids_of(trainer.table.words[2])] == [" ", "##aea"]
    assert [labels[s.id] for s in trainer.encoder().encode(" aea")] == [" a", "##e", "##a"]


def test_a_word_that_cannot_be_built_says_why() -> None:
    model = WordPieceTrainer(corpus_of("ab abc")).encoder()
    reasons = {word: model.encode(word)[0].unknown for word in ["xb", "axb", "ba", "aa", "a\udcff", "é", "a" * 101]}
    assert reasons == {
        "xb": "unknown character U+0078",
        "axb": "unknown character U+0078",
        "ba": "unknown character U+0062 at the start of a word",
        "aa": "unknown character U+0061 inside a word",
        "a\udcff": "unknown byte 0xFF",
        "é": "unknown character U+00E9",
        "a" * 101: "longer than 100 characters",
    }
    assert model.encode("") == ()


@settings(max_examples=100, deadline=None)
@given(texts, st.integers(0, 30), st.lists(st.text(alphabet="abcé#d", max_size=12), max_size=8))
def test_encoding_is_the_longest_match_and_equals_the_library(text: str, steps: int, probes: list[str]) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    trainer = WordPieceTrainer(corpus_of(text))
    trainer.run(steps)
    model = trainer.encoder()
    labels = list(model.labels[: model.size])
    theirs = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(
            {t: i for i, t in enumerate(labels)}, unk_token=UNKNOWN, max_input_chars_per_word=100
        )
    )
    for chunk in [*trainer.corpus.chunks, *probes]:
        segments = model.encode(chunk)
        if chunk:
            assert (segments[0].start, segments[-1].end) == (0, len(chunk))
            assert all(a.end == b.start for a, b in pairwise(segments))
        unbroken = not any("\ud800" <= c <= "\udfff" for c in chunk)
        if unbroken and len(set(labels)) == len(labels) and "##" not in chunk:
            assert [s.id for s in segments] == theirs.encode(chunk).ids
        loaded = model_of_pieces(labels)
        if "##" not in text + chunk:
            assert loaded.encode(chunk) == segments


def test_a_vocabulary_without_the_unknown_token_is_refused() -> None:
    with pytest.raises(InputError):
        model_of_pieces(["a", "##b"])
