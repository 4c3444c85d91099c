"""The session over every algorithm: one set of verbs, snapshots that stay true, branches, conditions, watched words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tokexplorer.engine.algorithms import Algorithm
from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.corpus import Cancelled, TextDocument
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.training import StopReason
from tokexplorer.formats.making import tokenizer_of
from tokexplorer.formats.unmaking import model_of
from tokexplorer.formats.writing import write_model
from tokexplorer.saved.resuming import capture, describe, restore
from tokexplorer.saved.saved_session import heading_for, session_from, to_file
from tokexplorer.session import Session, Settings, Snapshot
from tokexplorer.timeline.branches import MAIN, equal_size
from tokexplorer.timeline.histories import ReplayHistory, RoundHistory
from tokexplorer.timeline.until import (
    Condition,
    CountBelow,
    PairWins,
    ProbeBecomes,
    ProbeChanges,
    RatioReached,
    TieDecides,
    TokenExists,
    TokenGone,
)
from tokexplorer.timeline.watching import Watch
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tokenizers.builtin import load
from tokexplorer.tokenizers.trained import TrainedTokenizer

FACTS = json.loads((Path(__file__).parent / "facts" / "training_examples.json").read_text())
SAMPLES = Path(__file__).parent.parent / "sample_texts"
CATS = b"the cat sat on the mat; the hat of the bat\n" * 5
CHOICES = [(a, kind) for a in Algorithm for kind in Settings(algorithm=a).alphabets or (AlphabetKind.BYTES,)]
texts = st.one_of(st.text("aehtx ", max_size=60).map(str.encode), st.binary(max_size=30))


def opened(text: bytes, settings: Settings | None = None) -> Session:
    session = Session(settings)
    session.open([TextDocument("t", text)])
    return session


def of_counts(words: dict[str, int], kind: AlphabetKind = AlphabetKind.WORDS) -> Session:
    session = Session(Settings(alphabet=kind))
    data = "".join(f"{word}\t{count}\n" for word, count in words.items()).encode()
    session.open([TextDocument("words.tsv", data)])
    if session.settings.alphabet is not kind:
        session.configure(Settings(alphabet=kind))
    return session


def texts_of(tokenizer: Tokenizer, text: bytes) -> list[str]:
    return [tokenizer.label(i) for i in tokenizer.encode(text).ids]


def last_pair(snapshot: Snapshot) -> list[str]:
    assert snapshot.merging is not None
    assert snapshot.last is not None
    return [snapshot.merging.label(i) for i in (snapshot.last.left, snapshot.last.right)]


def check(snapshot: Snapshot, text: bytes) -> None:
    """What holds for a snapshot of any algorithm."""
    tokenizer = snapshot.tokenizer()
    assert snapshot.tokenizer() is tokenizer
    encoded = tokenizer.encode(text)
    assert not encoded.notes
    assert b"".join(token.data for token in encoded) == text
    if not snapshot.greedy:
        assert len(encoded) == snapshot.tokens
    for token_id in set(encoded.ids):
        assert tokenizer.token_bytes(token_id) is not None
        assert not tokenizer.is_special(token_id)
    assert snapshot.tokens == snapshot.tokens_after(snapshot.step)
    assert snapshot.title


@pytest.mark.parametrize(("algorithm", "kind"), CHOICES)
@hypothesis_settings(max_examples=12, deadline=None)
@given(texts)
def test_the_verbs_hold_for_every_algorithm(algorithm: Algorithm, kind: AlphabetKind, text: bytes) -> None:
    session = opened(text, Settings(algorithm=algorithm, alphabet=kind, target=12))
    seen = [session.snapshot()]
    while len(seen) < 40:
        snapshot = session.step()
        if snapshot.stop is not None:
            assert snapshot.stop_words
            break
        seen.append(snapshot)
    for number, snapshot in enumerate(seen):
        assert snapshot.step == number
        check(snapshot, text)
    end = len(seen) - 1
    for step in (end // 2, 0, end):
        again = session.goto(step)
        assert (again.step, again.tokens, again.rows) == (step, seen[step].tokens, seen[step].rows)
        assert again.known == end
    assert session.back().step == max(0, end - 1)
    assert session.run(end).step == end


def test_choosing_an_algorithm_keeps_the_text_and_takes_what_suits() -> None:
    session = opened(CATS)
    session.step(5)
    snapshot = session.choose(Algorithm.WORDPIECE)
    assert (snapshot.step, snapshot.known, snapshot.settings.alphabet) == (0, 0, AlphabetKind.CHARS)
    assert snapshot.settings.split == "words"
    assert snapshot.corpus.documents == session.documents
    snapshot = session.choose(Algorithm.REPLAY, "cl100k_base")
    assert (snapshot.settings.split, snapshot.target_step) == ("cl100k", 100_000)
    snapshot = session.choose(Algorithm.UNIGRAM)
    assert (snapshot.settings.split, snapshot.settings.alphabet) == ("gpt2", AlphabetKind.CHARS)
    snapshot = session.choose(Algorithm.BPE)
    assert snapshot.settings == Settings(replay="cl100k_base")
    words = of_counts({"low": 5})
    words.choose(Algorithm.UNIGRAM)
    assert words.choose(Algorithm.BPE).settings.alphabet is AlphabetKind.WORDS


def test_what_cannot_be_chosen_changes_nothing() -> None:
    session = opened(CATS)
    session.step(3)
    for verb in (
        lambda: session.choose(Algorithm.REPLAY, "no-such-tokenizer"),
        lambda: session.choose(Algorithm.UNIGRAM, should_stop=lambda: True),
    ):
        with pytest.raises((UsageError, Cancelled)):
            verb()
        assert session.snapshot().step == 3
        assert session.settings == Settings()
    session.choose(Algorithm.UNIGRAM)
    with pytest.raises(UsageError, match="no pair to choose"):
        session.merge(1, 2)
    with pytest.raises(UsageError, match="only a replay"):
        session.fire()
    with pytest.raises(UsageError, match="no merges"):
        _ = session.snapshot().vocabulary


def test_the_hand_example_step_by_step() -> None:
    session = of_counts(FACTS["hand_example_corpus"])
    for row in FACTS["hand_example_merges"]:
        snapshot = session.step()
        assert snapshot.last is not None
        assert (last_pair(snapshot), snapshot.last.count) == (row["pair"], row["count"])
    snapshot = session.step()
    assert (snapshot.step, snapshot.stop, snapshot.stop_words) == (
        15,
        StopReason.NO_PAIRS,
        "no pair left: every word is one token",
    )
    assert texts_of(session.goto(12).tokenizer(), b"lowest") == ["low", "est</w>"]


def test_symbols_are_merged_and_not_text() -> None:
    bug = FACTS["space_joined_trainer_bug"]
    session = of_counts(bug["corpus"])
    pairs = [last_pair(session.step()) for _ in bug["correct"]]
    assert pairs == bug["correct"]


def test_nine_words_become_nine_tokens() -> None:
    facts = FACTS["nine_words"]
    session = of_counts(facts["words_freqs"], AlphabetKind.CHARS)
    assert session.snapshot().base_size == 10
    snapshot = session.run(999)
    assert (snapshot.step, snapshot.vocab_size, snapshot.tokens) == (17, 27, sum(facts["words_freqs"].values()))
    for word in facts["words_freqs"]:
        assert len(snapshot.tokenizer().encode(word.encode())) == 1


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_a_replay_ends_in_the_tokens_of_its_tokenizer(name: str) -> None:
    text = b"".join((SAMPLES / file).read_bytes() for file in ("english.txt", "code.py", "unicode.txt"))
    session = opened(text)
    session.choose(Algorithm.REPLAY, name)
    snapshot = session.run()
    assert snapshot.stop is StopReason.TARGET
    theirs = load(name)
    mine = snapshot.tokenizer().encode(text)
    assert mine.ids.tolist() == theirs.encode(text).ids.tolist()  # type: ignore[attr-defined]
    assert snapshot.tokens == len(mine)
    history = snapshot.history
    assert isinstance(history, ReplayHistory)
    assert 0 < len(history.fired) < history.length
    assert all(history.rows[step - 1].replaced for step in history.fired)
    tokenizer = session.goto(300).tokenizer()
    assert tokenizer.token_bytes(256 + 300) is None
    assert tokenizer.parents(256 + 299) == theirs.parents(256 + 299)


def test_a_replay_runs_to_the_next_merge_that_fires() -> None:
    session = opened(b"the the")
    session.choose(Algorithm.REPLAY, "gpt2")
    steps = [(session.fire().step, session.snapshot().stop_words) for _ in range(4)]
    assert steps == [(1, ""), (3, ""), (7, ""), (914, "")]
    end = session.fire()
    assert (end.step, end.stop_words) == (50_000, "no merge that was left stands in this text: the list has ended")
    assert [row.step for row in session.goto(2).rows] == [3, 39, 145]  # type: ignore[union-attr]


def test_the_merges_of_a_file_are_replayed(tmp_path: Path) -> None:
    own = opened(CATS)
    learned = own.run(20)
    path = tmp_path / "own.tok"
    write_model(model_of(learned.tokenizer()), str(path), "own")
    session = opened(CATS)
    snapshot = session.choose(Algorithm.REPLAY, str(path))
    assert snapshot.settings.split == "gpt2"
    assert session.run().tokens == learned.tokens


def test_wordpiece_says_why_a_word_is_unknown() -> None:
    session = opened(CATS)
    session.choose(Algorithm.WORDPIECE)
    encoded = session.run(30).tokenizer().encode("thé cat mathat".encode())
    tokens = list(encoded)
    assert [token.note for token in tokens[:1]] == ["unknown character U+00E9"]
    assert tokens[0].data == "thé ".encode()
    assert texts_of(session.snapshot().tokenizer(), b"the cat") == ["the", "cat"]
    long = session.snapshot().tokenizer().encode(b"t" * 101)
    assert long.notes == {0: "longer than 100 characters"}


def test_unknown_characters_are_shown_over_their_span() -> None:
    session = opened(b"abab", Settings(alphabet=AlphabetKind.CHARS))
    encoded = session.step().tokenizer().encode("ab\u00e9ab".encode())
    assert [(t.start, t.end, bool(t.note)) for t in encoded] == [(0, 2, False), (2, 4, True), (4, 6, False)]
    session.choose(Algorithm.UNIGRAM)
    encoded = session.snapshot().tokenizer().encode("ab\u00e9\u00e8ab".encode())
    assert [(t.data, t.note) for t in encoded if t.note] == [
        ("\u00e9\u00e8".encode(), "unknown character U+00E9, character U+00E8")
    ]
    session.choose(Algorithm.WORDS)
    encoded = session.snapshot().tokenizer().encode(b"abab dog")
    assert [(t.data, t.note) for t in encoded] == [(b"abab", ""), (b" dog", "unknown word")]


@pytest.mark.parametrize("algorithm", [Algorithm.WORDPIECE, Algorithm.UNIGRAM])
def test_what_was_trained_can_be_written(algorithm: Algorithm) -> None:
    session = opened(CATS)
    session.choose(algorithm)
    tokenizer = session.run(12).tokenizer()
    assert isinstance(tokenizer, TrainedTokenizer)
    again = tokenizer_of(tokenizer.model, "again")
    probe = b"the bat of that cat sat"
    assert again.encode(probe).ids.tolist() == tokenizer.encode(probe).ids.tolist()  # type: ignore[attr-defined]
    assert again.decode(again.encode(probe).ids) == tokenizer.decode(tokenizer.encode(probe).ids) == probe
    session.choose(Algorithm.CHARACTERS)
    with pytest.raises(InputError, match="cannot be written"):
        _ = session.snapshot().tokenizer().model  # type: ignore[attr-defined]


def test_rounds_are_foretold_and_retargeted() -> None:
    session = opened((SAMPLES / "english.txt").read_bytes(), Settings(algorithm=Algorithm.UNIGRAM, target=1500))
    session.configure(Settings(algorithm=Algorithm.UNIGRAM, alphabet=AlphabetKind.CHARS, target=1500))
    start = session.snapshot()
    assert isinstance(start.history, RoundHistory)
    sizes = start.history.sizes()
    assert start.target_step == len(sizes) - 1
    end = session.run()
    assert end.step == start.target_step
    assert [end.history.vocab_size(k) for k in range(end.step + 1)] == sizes
    assert end.vocab_size == 1500
    assert end.history.step_for_size(sizes[1]) == 1
    removed = start.history.next_removed(0)
    assert {start.tokenizer().label(i) for i in removed} == {row.text for row in end.history.rows[0].removed}
    farther = session.configure(Settings(algorithm=Algorithm.UNIGRAM, alphabet=AlphabetKind.CHARS, target=1200))
    assert (farther.step, farther.known) == (end.step, end.known)
    assert session.run().vocab_size == 1200
    with pytest.raises(UsageError, match="set the target"):
        start.history.step_for_size(5)


@pytest.mark.parametrize("algorithm", list(Algorithm))
def test_every_algorithm_comes_back_from_a_saved_session(algorithm: Algorithm) -> None:
    session = opened(CATS, Settings(target=20) if algorithm is Algorithm.UNIGRAM else None)
    session.choose(algorithm)
    session.run(6)
    before = session.back(2)
    saved = capture(before, [describe(document) for document in session.documents])
    _, saved = session_from(to_file(heading_for(saved, "", "", True), saved), "x")
    again = Session()
    restored = restore(again, saved)
    assert restored.problem is None
    after = restored.snapshot
    assert (after.settings, after.step, after.tokens, after.rows) == (
        before.settings,
        before.step,
        before.tokens,
        before.rows,
    )
    check(after, CATS)


def test_branches_come_back_from_a_saved_session() -> None:
    session = opened(CATS)
    session.run(8)
    session.goto(3)
    session.merge(*pick(session.snapshot(), 4))
    before = session.run(9)
    saved = capture(before, [describe(document) for document in session.documents])
    _, saved = session_from(to_file(heading_for(saved, "", "", True), saved), "x")
    again = Session()
    after = restore(again, saved).snapshot
    assert (after.branch, after.step) == ("branch 1", 9)
    assert [(b.name, b.parent, b.start, b.step, b.known) for b in after.branches] == [
        (b.name, b.parent, b.start, b.step, b.known) for b in before.branches
    ]
    main = again.enter(after.branches[0])
    assert main.tokens == session.enter(before.branches[0]).tokens
    assert [m.count for m in main.merges] == [m.count for m in session.snapshot().merges]


def pick(snapshot: Snapshot, number: int) -> tuple[int, int]:
    row = snapshot.candidates[number]
    return row.left, row.right


@pytest.mark.parametrize("algorithm", [Algorithm.BPE, Algorithm.WORDPIECE])
def test_branches_are_kept_and_returned_to(algorithm: Algorithm) -> None:
    session = opened(CATS)
    session.choose(algorithm)
    main = session.run(8)
    assert (main.branch, [b.name for b in main.branches]) == (MAIN, [MAIN])
    session.goto(3)
    same = session.merge(main.merges[3].left, main.merges[3].right)
    assert (same.branch, same.known) == (MAIN, 8)
    session.goto(3)
    session.merge(*pick(session.snapshot(), 4))
    one = session.run(10)
    assert (one.branch, one.known) == ("branch 1", 10)
    assert one.merges[3].chosen
    kept, now = one.branches
    assert (kept.name, kept.known, kept.step, now.parent, now.start) == (MAIN, 8, 3, MAIN, 3)
    assert [kept.rows[k].new for k in range(8)] == [m.new for m in main.merges[:8]]
    size = equal_size(one.branches)
    assert (kept.tokens_at(size), now.tokens_at(size)) == (main.tokens, one.tokens_after(8))
    assert kept.tokens_at(size + 1) is None
    back = session.enter(kept)
    assert (back.branch, back.step, back.known) == (MAIN, 3, 8)
    assert [(m.left, m.right, m.count, m.tokens_after) for m in back.merges[:8]] == [
        (m.left, m.right, m.count, m.tokens_after) for m in main.merges[:8]
    ]
    assert session.goto(8).tokens == main.tokens
    there = session.enter(next(b for b in session.snapshot().branches if b.name == "branch 1"))
    assert (there.step, there.tokens, there.merges[3].chosen) == (10, one.tokens, True)
    assert len(session.drop(next(b for b in there.branches if b.name == MAIN)).branches) == 1


def test_a_choice_at_the_end_of_the_main_line_leaves_it_as_it_was() -> None:
    session = opened(CATS)
    session.run(4)
    session.merge(*pick(session.snapshot(), 3))
    snapshot = session.merge(*pick(session.snapshot(), 2))
    assert (snapshot.branch, snapshot.step, len(snapshot.branches)) == ("branch 1", 6, 2)
    main = session.enter(snapshot.branches[0])
    assert (main.step, main.known, main.branch) == (4, 4, MAIN)
    again = opened(CATS).run(7)
    assert [(m.left, m.right) for m in session.run(7).merges] == [(m.left, m.right) for m in again.merges]


def test_a_return_that_is_stopped_loses_nothing() -> None:
    session = opened(CATS)
    session.run(12)
    session.goto(2)
    session.merge(*pick(session.snapshot(), 3))
    main = session.snapshot().branches[0]
    polls = iter([False, False, False, True])
    stopped = session.enter(main, should_stop=lambda: next(polls))
    assert (stopped.stop, stopped.branch) == (StopReason.CANCELLED, MAIN)
    assert stopped.step < 12
    branch = next(b for b in stopped.branches if b.name == "branch 1")
    session.enter(branch)
    whole = next(b for b in session.snapshot().branches if b.name == MAIN)
    assert whole.known == 12


CONDITIONS: list[tuple[Callable[[], Condition], int, str]] = [
    (lambda: TokenExists(" the"), 4, "·the exists, id 259, made at step 4"),
    (lambda: TokenExists("·the"), 4, "·the exists"),
    (lambda: PairWins("· + the"), 3, "wins: it is the next"),
    (lambda: CountBelow(6), 6, "the winner's count is 5, below 6"),
    (lambda: RatioReached(2.0), 6, "bytes/token are 2."),
    (lambda: TieDecides(), 3, "a tie decides: 2 pairs share the first place"),
    (lambda: ProbeChanges(b"what"), 1, "the probe changes: 4 tokens become 3"),
    (lambda: ProbeBecomes(b"the cat", 2), 9, "the probe is 2 tokens"),
]


@pytest.mark.parametrize(("make", "step", "words"), CONDITIONS)
def test_running_until_something_happens(make: Callable[[], Condition], step: int, words: str) -> None:
    session = opened(CATS)
    snapshot = session.run_until(make())
    checked = opened(CATS)
    assert words in snapshot.stop_words
    assert snapshot.stop is None
    # the very step: one step before, it does not hold
    assert snapshot.step >= 1
    again = checked.goto(snapshot.step - 1)
    assert again.step == snapshot.step - 1
    met = checked.run_until(make())
    assert (met.step, met.stop_words) == (snapshot.step, snapshot.stop_words)
    session.goto(0)
    assert session.run_until(make()).step == snapshot.step  # over known steps too


def test_a_condition_that_is_met_already_is_refused() -> None:
    session = opened(CATS)
    session.run(10)
    for condition in (TokenExists(" the"), CountBelow(10**6), RatioReached(1.5), ProbeBecomes(b"q", 1)):
        with pytest.raises(UsageError, match="already"):
            session.run_until(condition)
    assert session.snapshot().step == 10
    for make in (lambda: PairWins("the"), lambda: TokenExists("")):
        with pytest.raises(UsageError):
            make()


def test_a_condition_that_never_comes_ends_with_the_training() -> None:
    session = opened(CATS)
    snapshot = session.run_until(TokenExists("zebra"))
    assert snapshot.stop is StopReason.NO_PAIRS
    assert snapshot.stop_words == "no pair left: every word is one token, before the token zebra exists"
    session.goto(0)
    polls = iter([False, False, True])
    stopped = session.run_until(TokenExists("zebra"), should_stop=lambda: next(polls))
    assert (stopped.stop, stopped.step) == (StopReason.CANCELLED, 2)


def test_running_until_a_piece_is_removed() -> None:
    session = opened((SAMPLES / "english.txt").read_bytes())
    session.choose(Algorithm.UNIGRAM)
    first = session.snapshot()
    assert isinstance(first.history, RoundHistory)
    gone = next(row.text for row in session.run(2).history.rows[1].removed)
    session.goto(0)
    snapshot = session.run_until(TokenGone(gone))
    assert (snapshot.step, "round 2 removed" in snapshot.stop_words) == (2, True)
    with pytest.raises(UsageError, match="there is no piece"):
        session.run_until(TokenGone(gone))
    session.goto(0)
    ratio = first.bytes_per_token
    assert "bytes/token are" in session.run_until(RatioReached(ratio * 0.98)).stop_words


@hypothesis_settings(max_examples=40, deadline=None)
@given(st.text("theca b\u00e9", max_size=12), st.sampled_from([AlphabetKind.CHARS, AlphabetKind.BYTES]))
def test_the_pieces_of_a_text_alone_cut_it_as_all_do(probe: str, kind: AlphabetKind) -> None:
    session = opened(CATS, Settings(algorithm=Algorithm.UNIGRAM, alphabet=kind, target=20))
    snapshot = session.run(3)
    for step in range(snapshot.known + 1):
        whole = snapshot.history.tokenizer(step).encode(probe.encode())
        alone = snapshot.history.tokenizer_for(step, probe.encode()).encode(probe.encode())
        assert list(alone.ends) == list(whole.ends)
        assert dict(alone.notes) == dict(whole.notes)


@pytest.mark.parametrize("algorithm", [a for a in Algorithm if a not in (Algorithm.CHARACTERS, Algorithm.WORDS)])
def test_a_watched_word_tells_when_it_changed(algorithm: Algorithm) -> None:
    session = opened(CATS, Settings(target=20))
    session.choose(algorithm)
    snapshot = session.run(40)
    watch = Watch(b"the hat")
    watch.follow(snapshot.history, snapshot.known)
    before = None
    for step in range(snapshot.known + 1):
        cut = tuple(token.data for token in snapshot.history.make_tokenizer(step).encode(b"the hat"))
        assert watch.at(step).cut == cut
        assert (step in {change.step for change in watch.changes}) == (cut != before)
        before = cut
    longer = session.run(snapshot.known + 3)
    watch.follow(longer.history, longer.known)
    assert watch.at(longer.step).cut == tuple(t.data for t in longer.tokenizer().encode(b"the hat"))
