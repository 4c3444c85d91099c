"""Stories end in what the tokenizer gives, merge by merge; branches are those that the pattern takes."""

from __future__ import annotations

import itertools

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_training import corpus_of, texts

from tokexplorer.analysis.branches import matching_branch, split_branches
from tokexplorer.analysis.story import ChunkStory, tell
from tokexplorer.engine.alphabet import AlphabetKind, to_text
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import PATTERNS, compile_split, named
from tokexplorer.engine.training import BpeTrainer
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tokenizers.baselines import CharacterTokenizer
from tokexplorer.tokenizers.builtin import load
from tokexplorer.tokenizers.learned import LearnedTokenizer

real_texts = st.one_of(
    st.text(max_size=60).map(str.encode),
    st.lists(st.sampled_from(["It's", " the", " 12345", "\n\n  ", "naïve", "👩‍👧", "THE", "!?", "  "]), max_size=8).map(
        lambda parts: "".join(parts).encode()
    ),
    st.binary(max_size=12),
)


def checked(chunk: ChunkStory) -> tuple[bytes, ...]:
    """The result of a chunk's story, every state of which follows from the one before it by one kind of merge."""
    before = chunk.pieces
    for step in chunk.steps:
        assert b"".join(step.pieces) == b"".join(before)
        assert len(step.pieces) < len(before)
        made = (len(before) - len(step.pieces)) * [step.left + step.right]
        assert sorted(before + tuple(made)) == sorted(step.pieces + tuple(len(made) * [step.left, step.right]))
        assert (step.left, step.right) in set(itertools.pairwise(before))
        before = step.pieces
    assert [step.rank for step in chunk.steps] == sorted(step.rank for step in chunk.steps)
    return chunk.result


def labels_of(tokenizer: Tokenizer, text: bytes) -> list[bytes]:
    return [token.data for token in tokenizer.encode(text)]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["gpt2", "cl100k_base", "o200k_base"]), real_texts)
@example("gpt2", b"\xf0\x9f\x91 a")
@example("cl100k_base", "éé\u200d".encode())
def test_a_builtin_story_ends_in_its_tokens(name: str, text: bytes) -> None:
    story = tell(load(name), text)
    assert (story.text, story.normalised) == (text, False)
    found = [piece for chunk in story.chunks for piece in checked(chunk)]
    assert found == labels_of(load(name), text)
    assert b"".join(chunk.data for chunk in story.chunks) == text
    assert all(text[chunk.start : chunk.end] == chunk.data for chunk in story.chunks)
    assert all(chunk.branch for chunk in story.chunks)


@settings(max_examples=150, deadline=None)
@given(texts, texts, st.sampled_from(list(AlphabetKind)), st.sampled_from(["gpt2", "none", "words", "a+"]))
def test_a_learned_story_ends_in_its_tokens(text: bytes, other: bytes, kind: AlphabetKind, split: str) -> None:
    trainer = BpeTrainer(corpus_of([text], split), kind)
    trainer.run(12)
    tokenizer = LearnedTokenizer(trainer.vocabulary, trainer.step_count, trainer.corpus.split)
    for sample in (text, other):
        story = tell(tokenizer, sample)
        found = [piece for chunk in story.chunks for piece in checked(chunk)]
        encoded = tokenizer.encode(sample)
        assert len(found) == len(encoded)
        for piece, token in zip(found, encoded, strict=True):
            if not token.note:
                assert to_text(piece) == tokenizer.label(token.id)


def test_the_story_of_a_special_token_and_of_a_whole_chunk() -> None:
    story = tell(load("gpt2"), b"a<|endoftext|>", SpecialMode.TOKEN)
    assert [(c.data, c.special) for c in story.chunks] == [(b"a", False), (b"<|endoftext|>", True)]
    assert len(tell(load("gpt2"), b"a<|endoftext|>").chunks) > 2


def test_a_story_that_cannot_be_told_is_refused() -> None:
    with pytest.raises(InputError, match="are not known"):
        tell(CharacterTokenizer(), b"abc")
    with pytest.raises(InputError, match="stories go up to"):
        tell(load("gpt2"), b"x" * 3000)


@pytest.mark.parametrize(
    ("pattern", "branches"),
    [
        ("a|b|c", ("a", "b", "c")),
        ("a", ("a",)),
        ("", ("",)),
        (r"(?:a|b)|[|\]|]|\||c", ("(?:a|b)", r"[|\]|]", r"\|", "c")),
        ("[]|]|x", ("[]|]", "x")),
        ("[^]|]|x", ("[^]|]", "x")),
        ("[[:alpha:]|]|x", ("[[:alpha:]|]", "x")),
        ("a||b", ("a", "", "b")),
    ],
)
def test_branches_of_a_pattern(pattern: str, branches: tuple[str, ...]) -> None:
    assert split_branches(pattern) == branches


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(list(PATTERNS)), real_texts)
def test_the_branch_is_the_one_that_the_pattern_takes(name: str, data: bytes) -> None:
    split, text = named(name), to_text(data)
    branches = split_branches(split.pattern)
    # The same alternatives as numbered groups: the engine itself says which one matched.
    numbered = regex.compile("|".join(f"({branch})" for branch in branches))
    for start, end in split.spans(text):
        match = numbered.match(text, start)
        assert match is not None
        assert match.end() == end
        assert matching_branch(split, text, start, end) == (match.lastindex, branches[(match.lastindex or 0) - 1])


def test_a_gap_and_a_back_reference_have_no_branch() -> None:
    assert matching_branch(compile_split("a|b"), "xa", 0, 1) is None
    assert matching_branch(compile_split("(a)|b\\1"), "a", 0, 1) is None
    assert matching_branch(compile_split("(?i)a|b"), "B", 0, 1) == (2, "b")
