"""Replay of merge lists: against lowest-rank-first encoding of each chunk, against tiktoken, and walking back."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.engine.alphabet import AlphabetKind, fixed_alphabet, ids_of, to_bytes, to_text
from tokexplorer.engine.corpus import Corpus, TextDocument, build_corpus, corpus_from_counts
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.replay import UNKNOWN_ID, MergeList, ReplayTrainer, Triple, alphabet_merges, byte_merges
from tokexplorer.engine.splits import compile_split
from tokexplorer.engine.training import BpeTrainer, StopReason
from tokexplorer.tokenizers.builtin import load

SAMPLES = Path(__file__).parent.parent / "sample_texts"
texts = st.one_of(
    st.binary(max_size=60), st.text(alphabet="ab ", max_size=60).map(str.encode), st.text(max_size=40).map(str.encode)
)


def corpus_of(documents: list[bytes], split: str = "gpt2") -> Corpus:
    return build_corpus([TextDocument(f"d{i}", d) for i, d in enumerate(documents)], compile_split(split))


@cache
def published(name: str) -> MergeList:
    tokenizer = load(name)
    return byte_merges(name, tokenizer.merges(), tokenizer.token_bytes, tokenizer.size)


@cache
def theirs(name: str) -> tiktoken.Encoding:
    """The encoding built from the embedded ranks alone, without the library's own files."""
    tokenizer = load(name)
    ranks = {tokenizer.token_bytes(i): i for i in range(256)}
    ranks |= {tokenizer.token_bytes(new): new for _, _, new in tokenizer.merges()}
    return tiktoken.Encoding(name, pat_str=tokenizer.split.pattern, mergeable_ranks=ranks, special_tokens={})


def lowest_rank_first(word: list[int], merges: list[Triple]) -> list[int]:
    """The slow obvious encoder: of all adjacent pairs the one merged earliest, the leftmost first, one place a time."""
    while True:
        found = [
            (rank, at)
            for at, pair in enumerate(pairwise(word))
            for rank, (left, right, _) in enumerate(merges)
            if pair == (left, right)
        ]
        if not found:
            return word
        rank, at = min(found)
        word = [*word[:at], merges[rank][2], *word[at + 2 :]]


def renumbered(text: bytes, seed: int) -> tuple[list[Triple], dict[int, bytes]]:
    """Merges learned on a text, with the ids shuffled as GPT-2's bytes are."""
    learned = BpeTrainer(corpus_of([text]))
    learned.run(40)
    ids = list(range(len(learned.vocabulary.data) + 5))
    random.Random(seed).shuffle(ids)
    merges = [(ids[m.left], ids[m.right], ids[m.new]) for m in learned.merges]
    return merges, {ids[i]: data for i, data in enumerate(learned.vocabulary.data)}


@settings(max_examples=100, deadline=None)
@given(texts, texts, st.integers(0, 9), st.sampled_from(["gpt2", "none", "words"]))
def test_in_order_over_the_corpus_is_lowest_rank_first_in_each_chunk(
    learned: bytes, text: bytes, seed: int, split: str
) -> None:
    merges, data = renumbered(learned, seed)
    own = byte_merges("own", merges, data.get, max(data) + 1)
    trainer = ReplayTrainer(corpus_of([text, learned], split), own)
    ids = {d[0]: i for i, d in data.items() if len(d) == 1}
    while trainer.step() is None:
        encoder, done = trainer.encoder(), merges[: trainer.step_count]
        if trainer.step_count % 7 == 1 or trainer.step_count == len(merges):
            for chunk, word in zip(trainer.corpus.chunks, trainer.table.words, strict=True):
                expected = lowest_rank_first([ids[b] for b in to_bytes(chunk)], done)
                assert ids_of(word) == expected == encoder.ids(chunk)
                segments = encoder.encode(chunk)
                assert [s.id for s in segments] == expected
                assert b"".join(to_bytes(chunk)[s.start : s.end] for s in segments) == to_bytes(chunk)
                assert all(to_bytes(chunk)[s.start : s.end] == data[s.id] == own.data(s.id) for s in segments)
    assert trainer.step_count == len(merges)
    assert trainer.stop_reason() is StopReason.NO_PAIRS


@settings(max_examples=100, deadline=None)
@given(texts, texts, st.data())
def test_walking_back_and_jumping_restore_everything(learned: bytes, text: bytes, data: st.DataObject) -> None:
    merges, tokens = renumbered(learned, 3)
    trainer = ReplayTrainer(corpus_of([text]), byte_merges("own", merges, tokens.get, max(tokens) + 1))

    def state() -> object:
        table = trainer.table
        return list(table.words), dict(table.counts), trainer.candidates(99), trainer.next_firing(), trainer.fired

    states = [state()]
    while trainer.step() is None:
        states.append(state())
    fired = [m.step for m in trainer.history if m.replaced]
    for step, (_, _, rows, following, so_far) in enumerate(states):  # type: ignore[misc]
        assert following == min((f for f in fired if f > step), default=None)
        assert so_far == sum(f <= step for f in fired)
        assert [r.step for r in rows][:1] == ([following] if following else [])
    for _ in range(6):
        match data.draw(st.sampled_from(["back", "goto", "firing"])):
            case "back":
                trainer.back()
            case "goto":
                trainer.goto(data.draw(st.integers(0, len(merges))))
            case _:
                following = trainer.next_firing()
                assert trainer.run_to_firing() is (None if following else StopReason.NO_PAIRS)
                assert trainer.step_count == (following or len(merges))
        assert state() == states[trainer.step_count]


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_replay_ends_in_the_tokens_of_tiktoken(name: str) -> None:
    documents = [path.read_bytes() for path in sorted(SAMPLES.iterdir())]
    documents.append(bytes(range(256)) + b" " * 90 + b"aaaaaaaaaaaaaaaaaaaaaaa")
    trainer = ReplayTrainer(corpus_of(documents, load(name).split.pattern), published(name))
    trainer.goto(len(published(name).merges))
    encoding = theirs(name)
    for chunk, word in zip(trainer.corpus.chunks, trainer.table.words, strict=True):
        assert ids_of(word) == encoding._encode_single_piece(to_bytes(chunk))
    chunks = [c for d in documents for c in trainer.corpus.split.chunks(to_text(d))]
    assert trainer.tokens == sum(len(encoding._encode_single_piece(to_bytes(chunk))) for chunk in chunks)
    middle = len(trainer.history) // 2
    trainer.goto(middle)
    assert trainer.tokens == trainer.history[middle].tokens_before
    trainer.goto(0)
    assert trainer.tokens == trainer.start_tokens


@settings(max_examples=8, deadline=None)
@given(st.lists(st.text(max_size=40), min_size=20, max_size=40))
def test_replay_of_any_text_ends_in_the_tokens_of_tiktoken(documents: list[str]) -> None:
    trainer = ReplayTrainer(corpus_of([d.encode() for d in documents]), published("gpt2"))
    trainer.goto(50_000)
    words = dict(zip(trainer.corpus.chunks, trainer.table.words, strict=True))
    for document in documents:
        ids = [i for chunk in trainer.corpus.split.chunks(document) for i in ids_of(words[chunk])]
        assert ids == theirs("gpt2").encode_ordinary(document)


def test_the_merges_that_fire_are_told_from_those_that_do_not() -> None:
    trainer = ReplayTrainer(corpus_of([b"the the"]), published("gpt2"))
    seen = []
    while trainer.run_to_firing() is None:
        row = trainer.history[trainer.step_count - 1]
        seen.append((row.step, trainer.merge_list.data(row.new), row.replaced))
    assert seen == [(1, b" t", 1), (3, b"he", 2), (7, b" the", 1), (914, b"the", 1)]
    assert (trainer.step_count, trainer.fired) == (50_000, 4)


def test_characters_and_end_marks() -> None:
    alphabet = fixed_alphabet("lowest", end_mark=True)
    learned = [(0, 1, 7), (7, 2, 8), (8, 6, 9)]
    own = alphabet_merges("own", alphabet, learned)
    trainer = ReplayTrainer(corpus_from_counts({"low": 3, "slow": 1, "láw": 1}), own)
    trainer.goto(3)
    assert [ids_of(w) for w in trainer.table.words] == [[9], [4, 9], [0, UNKNOWN_ID, 2, 6]]
    assert [own.label(i) for i in (9, 8, 6)] == ["low</w>", "low", "</w>"]
    segments = trainer.encoder().encode("láw")
    assert [(s.start, s.end, s.unknown) for s in segments] == [
        (0, 1, ""),
        (1, 2, "unknown character U+00E1"),
        (2, 3, ""),
        (3, 3, ""),
    ]


def test_wrong_lists_are_refused() -> None:
    alphabet = fixed_alphabet("ab", end_mark=False)
    with pytest.raises(InputError, match="merge 1 uses token 7"):
        alphabet_merges("own", alphabet, [(0, 7, 8), (0, 1, 7)])
    with pytest.raises(InputError, match="byte 0x00 has no token"):
        byte_merges("own", [], {0: b"a"}.get, 1)
    trainer = ReplayTrainer(corpus_from_counts({"ab": 1}), alphabet_merges("own", alphabet, [(0, 1, 2)]))
    with pytest.raises(UsageError, match="own has 1 merges"):
        trainer.goto(2)
    assert trainer.merge_list.kind is AlphabetKind.CHARS
