"""Looking through a vocabulary: filters, search, order, and the page of one token."""

from __future__ import annotations

import unicodedata
from functools import cache

import pytest
import regex
from builtin_oracle import encoding
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.analysis.kinds import Kind, Order, VocabularyIndex
from tokexplorer.analysis.reachability import Category, count_uses
from tokexplorer.analysis.token_page import code_points, name_of, parent_tree, token_page, uses_of
from tokexplorer.engine.errors import InputError
from tokexplorer.tokenizers.builtin import load

GPT2, CL100K, O200K = load("gpt2"), load("cl100k_base"), load("o200k_base")


@cache
def index(name: str) -> VocabularyIndex:
    return VocabularyIndex(load(name))


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_filters_agree_with_brute_force(name: str) -> None:
    theirs, own = encoding(name), index(name)
    texts = {}
    for token_id in range(theirs.n_vocab):
        try:
            texts[token_id] = theirs.decode_single_token_bytes(token_id).decode()
        except (KeyError, UnicodeDecodeError):
            continue
    assert list(own.ids(Kind.WHITESPACE)) == [i for i, t in texts.items() if regex.fullmatch(r"\s+", t)]
    digits = [i for i, t in texts.items() if t and (t[1:] if t[0] == " " else t).isdecimal()]
    assert list(own.ids(Kind.DIGITS)) == digits
    assert len(own.ids(Kind.ALL)) == theirs.n_vocab
    assert set(own.ids(Kind.SPECIAL)) == set(theirs._special_tokens.values())
    partial = set(range(theirs.n_vocab)) - set(texts) - set(own.ids(Kind.UNASSIGNED))
    assert set(own.ids(Kind.PARTIAL_UTF8)) == partial


def test_known_ids_are_unassigned_or_reported() -> None:
    assert {100256, 100261} <= set(index("cl100k_base").ids(Kind.UNASSIGNED))
    assert 439 in index("o200k_base").ids(Kind.NEVER_EMITTED)
    assert 439 in index("o200k_base").ids(Kind.GLITCH)
    solid = GPT2.encode(b" SolidGoldMagikarp").ids
    assert len(solid) == 1
    assert solid[0] in index("gpt2").ids(Kind.GLITCH)
    row = index("cl100k_base").row(100256)
    assert (row.data, row.text, row.label, row.special) == (None, None, "", False)


def test_search() -> None:
    own = index("gpt2")
    every = own.ids(Kind.ALL)
    assert GPT2.ranks.ids[b" the"] in own.search(" the", every)
    assert set(own.search("the", every)) > set(own.search("The", every)) > {464}
    assert own.search("id:262", every) == [262]
    assert own.search("id:1, 5-7", every) == [1, 5, 6, 7]
    assert own.search("hex:20 74 68 65", [262, 1169, 464]) == [262]
    by_pattern = own.search("re:^ ?the$", every)
    assert by_pattern == [262, 1169]
    for wrong in ("id:x", "id:", "hex:zz", "hex:2", "re:("):
        with pytest.raises(InputError):
            own.search(wrong, every)
    assert own.search("id:" + "9" * 12, every) == []


def test_a_pattern_that_runs_wild_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokexplorer.analysis.searching.PATIENCE", 0.05)
    own = VocabularyIndex(load("gpt2"))
    dashes = GPT2.ranks.ids[b"-" * 64]
    with pytest.raises(InputError, match="too long"):
        own.search("re:^(-|--|---)+x", [dashes])


def test_order_and_scripts() -> None:
    own = index("o200k_base")
    uses = count_uses(O200K.encode(b"the the the cat"))
    by_use = own.sort(own.ids(Kind.ALL), Order.USES, uses)
    assert by_use[0] == O200K.ranks.ids[b" the"]
    assert own.row(by_use[0], uses).uses == 2
    by_length = own.sort(own.ids(Kind.ALL), Order.LENGTH)
    assert by_length == sorted(range(own.size), key=lambda i: (-len(own.data[i] or b""), i))
    assert own.sort([5, 3, 9], Order.ID) == [3, 5, 9]
    assert sum(own.script_counts.values()) > 0
    for script in ("Georgian", "Han", "Latin", "Cyrillic"):
        found = own.in_script(script, own.ids(Kind.ALL))
        truth = [i for i, t in enumerate(own.texts) if regex.search(rf"[\p{{Script={script}}}&&\p{{L}}]", t, regex.V1)]
        assert found == truth
        assert own.script_counts[script] == len(truth)


def test_the_page_of_a_token() -> None:
    own = index("gpt2")
    the = 262
    page = token_page(own, the, [CL100K], own.classification(), own.emissions().of(the))
    assert (page.data, page.valid, page.special, page.category) == (b" the", True, False, Category.ORDINARY)
    assert [(p.point, p.name) for p in page.points][:2] == [(0x20, "SPACE"), (0x74, "LATIN SMALL LETTER T")]
    assert page.parents is not None
    assert b"".join(GPT2.token_bytes(i) or b"" for i in page.parents) == b" the"
    assert page.rank == the - 256
    assert page.children == tuple(i for i in range(GPT2.size) if the in (GPT2.parents(i) or ()))
    here = {s.text: s.tokens[0].id for s in page.sisters if s.tokenizer == "gpt2" and len(s.tokens) == 1}
    assert (here[b" the"], here[b"the"], here[b"The"]) == (262, 1169, 464)
    there = {s.text: [t.id for t in s.tokens] for s in page.sisters if s.tokenizer == "cl100k_base"}
    assert there[b" THE"] == list(CL100K.encode(b" THE").ids)
    assert set(there) == {b"the", b" the", b"The", b" The", b"THE", b" THE"}


def test_pages_of_special_unassigned_and_partial_ids() -> None:
    own = index("cl100k_base")
    gone = token_page(own, 100256)
    assert (gone.data, gone.points, gone.tree, gone.sisters, gone.parents) == (None, (), (), (), None)
    assert token_page(own, 100257).special
    part = token_page(own, CL100K.ranks.ids[b" \xd0"])
    assert not part.valid
    assert [p.name for p in part.points] == ["SPACE", "first of 2 bytes"]
    assert [s.kind for s in part.sisters] == ["as it is"]
    with pytest.raises(IndexError):
        token_page(own, own.size)


@pytest.mark.parametrize("data", [b" the", b"ertodd", b" SolidGoldMagikarp", b"-" * 64])
def test_the_tree_comes_down_to_single_bytes(data: bytes) -> None:
    token_id = GPT2.ranks.ids[data]
    nodes = parent_tree(GPT2, token_id)
    assert nodes[0].data == data
    assert b"".join(n.data for n in nodes if n.leaf) == data
    assert all(len(n.data) == 1 for n in nodes if n.leaf)
    assert len(nodes) == 2 * len(data) - 1
    assert all(n.depth == len(n.last) for n in nodes)
    assert len(parent_tree(GPT2, token_id, most=3)) == 3


def test_uses_are_found_with_their_places() -> None:
    text = b"the cat and the dog and the bird"
    encoded = GPT2.encode(text)
    assert [text[a:b] for a, b in uses_of(encoded, 262)] == [b" the", b" the"]
    assert uses_of(encoded, 262, limit=1) == [(11, 15)]
    assert uses_of(encoded, 50256) == []


@settings(deadline=None)
@given(st.binary(max_size=12))
def test_code_points_tile_the_bytes(data: bytes) -> None:
    points = code_points(data)
    assert b"".join(p.data for p in points) == data
    assert all(p.start == sum(len(q.data) for q in points[:i]) for i, p in enumerate(points))


def test_every_control_character_has_its_alias() -> None:
    for point in (*range(32), *range(127, 160)):
        name = name_of(chr(point))
        if point not in (0x80, 0x81, 0x99):  # aliases of the type "figment", which Python leaves out
            assert unicodedata.lookup(name) == chr(point)
    assert [name_of(c) for c in "\ue000\uffff\U000e0fff"] == ["private use", "noncharacter", "unassigned"]
