"""Reachability: equal to brute force over tiktoken; verdicts on emission hold against every small text."""

from __future__ import annotations

from functools import cache

import pytest
from analysis_oracle import PairTokenizer, small_texts
from builtin_oracle import encoding
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.analysis import utf8
from tokexplorer.analysis.chunk_language import chunk_language
from tokexplorer.analysis.emission import Emissions, Proof, Verdict, find_emission, find_emissions
from tokexplorer.analysis.merge_table import merge_table
from tokexplorer.analysis.progress import Cancelled
from tokexplorer.analysis.reachability import Category, Sweep, classify, count_uses, sweep
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import PATTERNS, compile_split, named
from tokexplorer.tokenizers.builtin import load

NAMES = ("gpt2", "cl100k_base", "o200k_base")
CHARS = "aé€😀я"


@cache
def swept(name: str) -> Sweep:
    return sweep(load(name))


@cache
def emissions(name: str) -> Emissions:
    return find_emissions(swept(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_sweep_equals_brute_force_over_tiktoken(name: str) -> None:
    theirs = encoding(name)
    special = {theirs.encode_single_token(text) for text in theirs.special_tokens_set}
    fence = theirs.encode_single_token(b"\xff")  # no merge holds this byte, so it fences off what merges do alone
    partial, unreachable, split_alone, unassigned = [], [], [], []
    for token_id in range(theirs.n_vocab):
        if token_id in special:
            continue
        try:
            data = theirs.decode_single_token_bytes(token_id)
        except KeyError:
            unassigned.append(token_id)
            continue
        if theirs._encode_single_piece(b"\xff" + data + b"\xff") != [fence, token_id, fence]:
            unreachable.append(token_id)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            partial.append(token_id)
            continue
        if theirs.encode_ordinary(text) != [token_id]:
            split_alone.append(token_id)
    found = swept(name)
    assert sum(b"\xff" in theirs.decode_single_token_bytes(i) for i in load(name).ranks.ids.values()) == 1
    assert list(found.partial) == partial
    assert list(found.unreachable) == unreachable
    assert list(found.split_alone) == split_alone
    assert list(found.unassigned) == unassigned
    assert set(found.special) == special


@pytest.mark.parametrize("name", NAMES)
def test_texts_named_for_tokens_yield_them_in_tiktoken(name: str) -> None:
    theirs, found = encoding(name), emissions(name)
    assert set(found.found) == {*swept(name).partial, *swept(name).split_alone, *swept(name).unreachable}
    for token_id, emission in found.found.items():
        if emission.verdict is Verdict.INSIDE:
            ids = theirs.encode_ordinary(emission.text.decode())
            assert token_id in ids
            before = theirs.decode_bytes(ids[: ids.index(token_id)])
            assert len(before) == emission.start
    assert not found.not_found


def test_what_is_never_emitted() -> None:
    in_no_utf8 = {load("o200k_base").ranks.ids[bytes([b])] for b in (0xC0, 0xC1, *range(0xF5, 0x100))}
    assert set(emissions("gpt2").never) == {load("gpt2").ranks.ids[bytes([b])] for b in (0xC0, 0xC1, *range(0xF5, 256))}
    assert set(emissions("o200k_base").never) == {439} | in_no_utf8
    assert load("o200k_base").token_bytes(439) == b"\xd0\xbe\xd0"
    verdict = emissions("o200k_base").of(439)
    assert (verdict.verdict, verdict.proof) == (Verdict.NEVER, Proof.COMPLETIONS)
    assert find_emission(swept("o200k_base"), 439) == verdict
    theirs = encoding("o200k_base")
    for last in range(0x80, 0xC0):
        own = (b"\xd0\xbe\xd0" + bytes([last])).decode()
        for before in ("", " ", "ж", "A", "1"):
            for after in ("", "ы", "Ы", ".", "́", "'s"):
                assert 439 not in theirs.encode_ordinary(before + own + after)
    assert 439 in theirs._encode_single_piece(b"\xd0\xbe\xd0\x80")  # the merges would; the split never lets them


def test_categories_add_up_to_the_vocabulary() -> None:
    o200k = load("o200k_base")
    uses = count_uses(o200k.encode(b"The cat sat on the mat. " * 3))
    for given_uses in (None, uses):
        found = classify(swept("o200k_base"), emissions("o200k_base"), given_uses)
        assert sum(n for _, n in found.counts) == found.size == o200k.size
        assert [n for _, n in found.counts] == [len(found.ids(category)) for category, _ in found.counts]
    assert found.category_of[439] is Category.ONLY_PART
    assert found.category_of[o200k.ranks.ids[b"\xff"]] is Category.NEVER_EMITTED
    assert found.category_of[o200k.ranks.ids["亚洲AV".encode()]] is Category.SPLIT_ALONE
    assert found.category_of[199999] is Category.SPECIAL
    assert found.category_of[199998] is Category.UNASSIGNED
    assert sorted(found.ids(Category.ORDINARY)) == sorted(uses)
    assert o200k.ranks.ids[b" c"] in found.scaffolds
    assert not set(found.scaffolds) & set(uses)
    assert set(found.flags[Category.ONLY_PART]) < set(found.flags[Category.NEVER_EMITTED])


def test_progress_and_stop() -> None:
    seen: list[tuple[int, int]] = []
    sweep(load("gpt2"), lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[0][0] == 0
    assert seen[-1][0] == seen[-1][1] > 0
    with pytest.raises(Cancelled):
        sweep(load("gpt2"), None, lambda: True)
    with pytest.raises(Cancelled):
        find_emissions(swept("gpt2"), None, lambda: True)


pairs = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=1, max_size=30)
FAVOURED = sorted({byte for char in CHARS for byte in char.encode()} | {0x80, 0xB0})


def vocabulary(drawn: list[tuple[int, int]], split: str = "none") -> PairTokenizer:
    """Merges of the drawn numbers: below 256 they choose one of a few bytes, else an earlier merge."""
    made: list[tuple[int, int]] = []
    for left, right in drawn:
        pair = tuple(FAVOURED[n % len(FAVOURED)] if n < 200 or not made else 256 + n % len(made) for n in (left, right))
        made.append(pair)
    return PairTokenizer(made, split)


@settings(max_examples=200, deadline=None)
@given(pairs)
def test_unreachable_equals_slow_merging(drawn: list[tuple[int, int]]) -> None:
    tokenizer = vocabulary(drawn)
    truth = [i for i, data in enumerate(tokenizer.table) if tokenizer.merge(data) != [i]]
    assert list(sweep(tokenizer).unreachable) == truth


@settings(max_examples=150, deadline=None)
@given(pairs)
def test_side_by_side_equals_slow_merging(drawn: list[tuple[int, int]]) -> None:
    tokenizer = vocabulary(drawn)
    table = merge_table(tokenizer)
    sound = [i for i in (*FAVOURED, *range(256, tokenizer.size)) if tokenizer.merge(tokenizer.table[i]) == [i]]
    for one in sound:
        for other in sound:
            truth = tokenizer.merge(tokenizer.table[one] + tokenizer.table[other]) == [one, other]
            assert table.side_by_side(one, other) == truth


@settings(max_examples=60, deadline=None)
@given(pairs, st.sampled_from(["none", "gpt2", "o200k"]))
def test_verdicts_hold_against_all_small_texts(drawn: list[tuple[int, int]], split: str) -> None:
    tokenizer = vocabulary(drawn, split)
    found = find_emissions(sweep(tokenizer))
    emitted = {i for text in small_texts(CHARS + "\U000300bf߀", 3) for i in tokenizer.encode(text).ids}
    assert not emitted & set(found.never)
    for token_id, emission in found.found.items():
        if emission.verdict in (Verdict.ALONE, Verdict.INSIDE):
            assert emission.text.decode()
            here = tokenizer.encode(emission.text)
            index = next(i for i, own in enumerate(here.ids) if own == token_id)
            assert here.start(index) == emission.start
    if split == "none":
        assert not found.not_found


def test_a_token_without_neighbours_is_never_emitted() -> None:
    # Whatever follows the lead byte D0 is merged with it before `a` can be.
    lead, ends = 0xD0, range(0x80, 0xC0)
    tokenizer = PairTokenizer([*((lead, end) for end in ends), (0x61, lead)])
    verdict = find_emission(sweep(tokenizer), tokenizer.size - 1)
    assert (verdict.verdict, verdict.proof) == (Verdict.NEVER, Proof.NEIGHBOURS)
    assert find_emission(sweep(tokenizer), 0x61).verdict is Verdict.ALONE


def test_the_split_can_forbid_a_token_everywhere() -> None:
    tokenizer = PairTokenizer([(0x31, 0x61), (0x61, 0x62)], "gpt2")  # `1a` is always cut, `ab` never
    found = find_emissions(sweep(tokenizer))
    assert (found.of(256).verdict, found.of(256).proof) == (Verdict.NEVER, Proof.SPLIT)
    assert found.of(257).verdict is Verdict.ALONE


texts = st.text(alphabet="aBé中٣1²'\u2019sLl .,!/\n\r\t\u00a0\u3000😀", max_size=14)


@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from([*PATTERNS, r"\d{2,}|(?i:abc)|[^a-z\s]++", r"(?>l+)x?|[[:punct:]]"]))
def test_the_chunk_language_holds_every_part_of_every_chunk(text: str, source: str) -> None:
    split = compile_split(source)
    language = chunk_language(split)
    assert language is not None
    for start, end in split.spans(text):
        for first in range(start, end):
            for last in range(first + 1, end + 1):
                assert language.may_hold(text[first:last])


def test_the_chunk_language_says_no() -> None:
    no = {"gpt2": ["a b", "a1", "x\n"], "cl100k": ["1234", "a!"], "o200k": ["aB", "1234"]}
    no |= {"words": ["a b"], "lines": ["\n\n"]}
    for name, parts in no.items():
        language = chunk_language(named(name))
        assert language is not None
        assert not any(map(language.may_hold, parts))
    for source in (r"(a)\1", "[[a-z]--[q]]", "a(?=b)|c"):
        try:
            assert chunk_language(compile_split(source)) is None
        except InputError:
            pytest.fail(f"{source} is a pattern")


@settings(deadline=None)
@given(st.binary(max_size=6), st.integers(0, 7))
def test_utf8_states_agree_with_python(data: bytes, state: int) -> None:
    for start in utf8.beginnings(state)[:5]:
        after = utf8.run(state, data)
        whole = [start + data + end for end in utf8.completions(after)[:3]] if after != utf8.DEAD else [start + data]
        assert all(utf8.is_valid(text) == (after != utf8.DEAD) for text in whole)


def test_utf8_completions_are_all_characters() -> None:
    characters = sum(len(utf8.completions(utf8.run(0, bytes([lead])))) for lead in range(0xC2, 0xF5))
    assert characters == 0x110000 - 0x80 - 0x800  # all code points but ASCII and the surrogates
