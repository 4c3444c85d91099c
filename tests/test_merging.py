"""The table of words under any merges, also such that make a symbol twice: counts, undoing, redoing, forgetting."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.engine.corpus import Cancelled
from tokexplorer.engine.merging import WordTable

words = st.lists(st.text(alphabet="abc", max_size=12), max_size=6)


def naive_counts(table: WordTable) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word, weight in zip(table.words, table.weights, strict=True):
        for pair in map(str.__add__, word, word[1:]):
            counts[pair] = counts.get(pair, 0) + weight
    return counts


def check(table: WordTable) -> None:
    counts = naive_counts(table)
    assert table.counts == counts
    assert table.tokens == sum(len(w) * n for w, n in zip(table.words, table.weights, strict=True))
    if table.watched:
        assert table.at_watched == list(counts.values()).count(table.watched)
    for pair, count in counts.items():
        assert {i for i, w in enumerate(table.words) if pair in w} <= set(table.numbers(pair))
        assert list(table.numbers(pair)) == sorted(set(table.numbers(pair)))
        number = next(i for i, w in enumerate(table.words) if pair in w)
        assert table.first_place(pair) == (number, table.words[number].index(pair))
        replaced = sum((len(w) - len(w.replace(pair, "!"))) * n for w, n in zip(table.words, table.weights))
        assert table.replaceable(pair) == replaced <= count
        assert table.pairs_with(count) == list(counts.values()).count(count)


@settings(max_examples=300, deadline=None)
@given(words, st.data())
def test_any_merges_can_be_undone_and_redone(given_words: list[str], data: st.DataObject) -> None:
    table = WordTable(given_words, [i + 1 for i in range(len(given_words))])
    check(table)
    states = [list(table.words)]
    made: list[tuple[str, str, int]] = []
    for number in range(data.draw(st.integers(0, 6))):
        if not table.counts:
            break
        table.watch(0, 0)
        if data.draw(st.booleans()):
            count = data.draw(st.sampled_from(sorted(set(table.counts.values()))))
            table.watch(count, list(table.counts.values()).count(count))
        pair = data.draw(st.sampled_from(sorted(table.counts)))
        # A list of merges may make one symbol from several pairs.
        new = data.draw(st.sampled_from("XYZ"[: number + 1])) if data.draw(st.booleans()) else chr(ord("0") + number)
        if new in pair:
            continue
        made.append((pair, new, table.counts[pair]))
        before = dict(table.counts)
        change = table.merge(pair, new)
        check(table)
        assert {p for p, n in table.counts.items() if n > before.get(p, 0)} <= set(change.raised)
        states.append(list(table.words))
    at = len(made)
    for _ in range(12):
        step = data.draw(st.integers(0, len(made)))
        counting = data.draw(st.booleans())
        if data.draw(st.booleans()):
            table.restart(states[0])
            at = 0
        while at < step:
            pair, new, count = made[at]
            if counting:
                table.merge(pair, new, known=True)
            else:
                table.replace_only(pair, new)
            at += 1
        while at > step:
            at -= 1
            pair, new, count = made[at]
            if counting:
                before = dict(table.counts)
                change = table.unmerge(pair, new, count)
                assert {p for p, n in table.counts.items() if n > before.get(p, 0)} <= set(change.raised)
            else:
                table.restore_only(pair, new)
        if not counting:
            table.recount()
        assert table.words == states[at]
        check(table)


@given(words)
def test_forgotten_merges_leave_nothing_behind(given_words: list[str]) -> None:
    table, fresh = (WordTable(given_words, [1] * len(given_words)) for _ in range(2))
    if "ab" in table.counts:
        count = table.counts["ab"]
        table.merge("ab", "X")
        table.unmerge("ab", "X", count)
        table.forget(["X"])
        check(table)
    if "bc" in table.counts:
        table.merge("bc", "X")
        fresh.merge("bc", "X")
        check(table)
    assert {p: list(table.numbers(p)) for p in table.counts} == {p: list(fresh.numbers(p)) for p in fresh.counts}
    assert table.words == fresh.words


def test_building_tells_progress_and_can_be_stopped() -> None:
    told: list[tuple[int, int]] = []
    WordTable(["ab"] * 20_000, [1] * 20_000, lambda *now: told.append(now))
    assert told[0] == (0, 20_000)
    assert told == sorted(told)
    with pytest.raises(Cancelled):
        WordTable(["ab"], [1], should_stop=lambda: True)
