"""BPE training against a naive recount, step by step, both tie rules, every split; and walking back."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle import choose, count_pairs, replace_pair

from tokexplorer.engine.alphabet import AlphabetKind, id_of, ids_of
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.corpus import Corpus, TextDocument, build_corpus, corpus_from_counts
from tokexplorer.engine.splits import PATTERNS, compile_split
from tokexplorer.engine.training import BpeTrainer, StopReason

FACTS = json.loads((Path(__file__).parent / "facts" / "training_examples.json").read_text())

texts = st.one_of(
    st.binary(max_size=60),
    st.text(alphabet="ab ", max_size=60).map(str.encode),
    st.text(alphabet="abcd", min_size=12, max_size=40).map(str.encode),
    st.text(alphabet="abcd", min_size=20, max_size=60).map(str.encode),
    st.lists(
        st.sampled_from([b"a", b"aa", b" ", b"\n", b"\r\n", b"1", b"12", b"'s", b".", b"\xff", "é".encode(), b"/"]),
        max_size=40,
    ).map(b"".join),
)
splits = st.sampled_from([*PATTERNS, r"\w+|\s", "a+"])


def corpus_of(documents: list[bytes], split: str) -> Corpus:
    return build_corpus([TextDocument(f"d{i}", d) for i, d in enumerate(documents)], compile_split(split))


def counts_of(trainer: BpeTrainer) -> dict[tuple[int, int], int]:
    return {(id_of(p[0]), id_of(p[1])): n for p, n in trainer.table.counts.items()}


def words_of(trainer: BpeTrainer) -> list[tuple[tuple[int, ...], int]]:
    return [(tuple(ids_of(w)), n) for w, n in zip(trainer.table.words, trainer.table.weights, strict=True)]


@example([b"babbbbdbaacbbadaccbb"], "none", TieRule.FIRST, AlphabetKind.BYTES)
def ranked(counts: dict[tuple[int, int], int], ties: TieRule) -> list[tuple[int, int]]:
    if ties is TieRule.FIRST:
        return sorted(counts, key=lambda p: -counts[p])
    return sorted(counts, key=lambda p: (-counts[p], p))


def replaceable(words: list[tuple[tuple[int, ...], int]], pair: tuple[int, int]) -> int:
    return sum((len(w) - len(replace_pair(w, pair, -1))) * n for w, n in words)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(texts, min_size=1, max_size=3), splits, st.sampled_from(list(TieRule)), st.sampled_from(list(AlphabetKind))
)
def test_equals_a_naive_recount_after_every_step(
    documents: list[bytes], split: str, ties: TieRule, kind: AlphabetKind
) -> None:
    trainer = BpeTrainer(corpus_of(documents, split), kind, ties)
    words = words_of(trainer)
    while True:
        counts = count_pairs(words)
        assert counts_of(trainer) == counts
        assert trainer.tokens == sum(len(w) * n for w, n in words)
        top = trainer.candidates(7)
        assert [(c.left, c.right) for c in top] == ranked(counts, ties)[:7]
        for row in top:
            assert row.count == counts[row.left, row.right]
            assert row.tied == (list(counts.values()).count(row.count) > 1)
            assert row.replaced == replaceable(words, (row.left, row.right))
        if trainer.step() is not None:
            assert not counts
            break
        winner = choose(counts, ties)
        made = trainer.merges[-1]
        assert (made.left, made.right) == winner == (top[0].left, top[0].right)
        assert made.count == counts[winner]
        assert made.tied == list(counts.values()).count(counts[winner])
        before = sum(len(w) * n for w, n in words)
        words = [(replace_pair(w, winner, made.new), n) for w, n in words]
        assert words == words_of(trainer)
        assert made.replaced == before - trainer.tokens == top[0].replaced
    assert len(set(trainer.vocabulary.data)) == len(trainer.vocabulary.data) or kind is AlphabetKind.WORDS


@pytest.mark.parametrize("way", [None, (False, True), (False, False), (True, True), (True, False)])
@settings(max_examples=60, deadline=None)
@given(text=texts, ties=st.sampled_from(list(TieRule)), data=st.data())
def test_walking_back_and_jumping_restore_everything(
    way: tuple[bool, bool] | None, text: bytes, ties: TieRule, data: st.DataObject
) -> None:
    trainer = BpeTrainer(corpus_of([text], "gpt2"), ties=ties)
    states = []
    while True:
        states.append(
            (
                counts_of(trainer),
                list(trainer.table.words),
                trainer.candidates(9),
                trainer.tokens,
                trainer.chooser.best(),
            )
        )
        if trainer.step() is not None:
            break
    last = len(states) - 1
    for _ in range(6):
        kind = data.draw(st.sampled_from(["back", "step", "goto"]))
        if kind == "back":
            assert trainer.back() == (trainer.step_count < last or last > 0) or trainer.step_count == 0
        elif kind == "step":
            trainer.step()
        else:
            with patch.object(BpeTrainer, "_cheapest_way", (lambda *_: way) if way else BpeTrainer._cheapest_way):
                trainer.goto(data.draw(st.integers(0, last)))
        state = (
            counts_of(trainer),
            list(trainer.table.words),
            trainer.candidates(9),
            trainer.tokens,
            trainer.chooser.best(),
        )
        assert state == states[trainer.step_count]


@settings(max_examples=100, deadline=None)
@given(texts, st.data())
def test_a_merge_of_ones_own_choice_starts_another_path(text: bytes, data: st.DataObject) -> None:
    trainer = BpeTrainer(corpus_of([text], "none"))
    trainer.run(6)
    old = list(trainer.merges)
    vocabulary = trainer.vocabulary
    trainer.goto(data.draw(st.integers(0, trainer.step_count)))
    pairs = trainer.candidates(50)
    if not pairs:
        return
    pick = data.draw(st.sampled_from(pairs))
    trainer.merge(pick.left, pick.right)
    assert vocabulary.merges[: len(old)] == old
    trainer.run(trainer.step_count + 5)
    assert counts_of(trainer) == count_pairs(words_of(trainer))
    while trainer.back():
        assert counts_of(trainer) == count_pairs(words_of(trainer))


@pytest.mark.parametrize("far", [3, 40])
def test_far_jumps_equal_stepping(far: int) -> None:
    text = b"the cat sat on the mat, the hat and the bat that spat at the rat. " * 3 + bytes(range(97, 123)) * 2
    stepped, jumped = (BpeTrainer(corpus_of([text], "gpt2")) for _ in range(2))
    stepped.run(45)
    jumped.run(45)
    assert jumped.step_count == 45
    jumped.goto(45 - far)
    jumped.goto(44)
    stepped.back()
    assert counts_of(stepped) == counts_of(jumped)
    assert stepped.chooser.best() == jumped.chooser.best()


def test_tied_pairs_of_one_word_win_in_the_order_of_their_places() -> None:
    trainer = BpeTrainer(corpus_of([b"babbbbdbaacbbadaccbb"], "none"))
    trainer.run(3)
    assert (trainer.merges[2].left, trainer.merges[2].right) == (97, 99)


def label_of(trainer: BpeTrainer, token: int) -> str:
    return trainer.vocabulary.labels[token]


def test_the_hand_example() -> None:
    trainer = BpeTrainer(corpus_from_counts(FACTS["hand_example_corpus"]), AlphabetKind.WORDS)
    for row in FACTS["hand_example_merges"]:
        pairs = {(label_of(trainer, a), label_of(trainer, b)): n for (a, b), n in counts_of(trainer).items()}
        if row.get("pair_counts"):
            assert pairs == {(a, b): n for a, b, n in row["pair_counts"]}
        assert trainer.step() is None
        made = trainer.merges[-1]
        assert [label_of(trainer, made.left), label_of(trainer, made.right)] == row["pair"]
        assert made.count == row["count"]
        if row.get("tied_with") is not None:
            assert made.tied == len(row["tied_with"]) + 1
    assert len(trainer.merges) == 15
    assert trainer.step() is StopReason.NO_PAIRS


def test_nine_words_become_nine_tokens() -> None:
    facts = FACTS["nine_words"]
    trainer = BpeTrainer(corpus_from_counts(facts["words_freqs"]), AlphabetKind.CHARS)
    assert len(trainer.alphabet) == 10
    for row in facts["merges"]:
        pairs = {(label_of(trainer, a), label_of(trainer, b)): n for (a, b), n in counts_of(trainer).items()}
        if row.get("pair_counts"):
            assert pairs == {(a, b): n for a, b, n in row["pair_counts"]}
        trainer.step()
        made = trainer.merges[-1]
        assert [label_of(trainer, made.left), label_of(trainer, made.right)] == row["pair"]
    assert trainer.vocab_size == 27
    assert trainer.step() is StopReason.NO_PAIRS
    assert {len(w) for w in trainer.table.words} == {1}


def test_symbols_do_not_match_across_borders() -> None:
    facts = FACTS["space_joined_trainer_bug"]
    trainer = BpeTrainer(corpus_from_counts(facts["corpus"]), AlphabetKind.WORDS)
    trainer.run(len(facts["correct"]))
    assert [[label_of(trainer, m.left), label_of(trainer, m.right)] for m in trainer.merges] == facts["correct"]


def test_overlapping_places_are_counted_but_not_all_replaced() -> None:
    trainer = BpeTrainer(corpus_of([b"aaaaa"], "none"))
    (row,) = trainer.candidates(3)
    assert (row.count, row.replaced) == (4, 2)
    trainer.step()
    assert trainer.merges[0].replaced == 2


def test_a_minimum_count_ends_the_run_with_its_reason() -> None:
    trainer = BpeTrainer(corpus_of([b"aab aab xy"], "gpt2"), min_count=2)
    assert trainer.run(100) is StopReason.MIN_COUNT
    assert all(m.count >= 2 for m in trainer.merges)
