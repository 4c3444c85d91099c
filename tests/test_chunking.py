"""Counting chunks quickly gives what the split pattern gives on the whole text, in its order; bounds and pieces."""

from __future__ import annotations

import re
import sys
from collections import Counter
from unittest.mock import patch

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.engine import chunking, corpus
from tokexplorer.engine.alphabet import to_text
from tokexplorer.engine.chunking import ChunkTally, chunk_finder
from tokexplorer.engine.corpus import TextDocument, build_corpus, read_pieces
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import PATTERNS, named

SNIPPETS = [
    *" \n\r\t\x0b\x0c\x1c\x1f\x85\xa0\u2003\u2028\u3000\x00\x01aAzZ09'./-_!",
    *"éÉßǅʰªºſKİ٣²½Ⅳ一ひ한яёЖ。、“\u1680\u2009\u205f\u2029\u202f́̈́\u200d\ud800\udc80\udcff😀\u180e\u0378",
    *("'s", "'S", "'ll", "'VE", " the", "  ", "\n\n", "\r\n", "\n ", " \n", "\n/", "x\n", "foo ", " Bar", "camelCase"),
    *(
        "1234",
        "...",
        "\n\n  y",
        " слово",
        "я\n",
        "。\n",
        "字 字",
        "\u3000\n字",
        "\ud83d",
        "don't",
        " é",
        "é ",
        "é  ",
        "a ",
        " (",
    ),
]
mixed = st.lists(st.sampled_from(SNIPPETS), max_size=40).map("".join)
texts = st.one_of(mixed, st.text(max_size=40), st.text(alphabet="ab '\n", max_size=40))
names = st.sampled_from(list(PATTERNS))


@settings(max_examples=500, deadline=None)
@given(names, st.lists(texts, min_size=1, max_size=3), st.integers(1, 30))
def test_the_chunks_are_those_of_the_pattern(name: str, given_texts: list[str], stretch: int) -> None:
    split = named(name)
    find = chunk_finder(split)
    with patch.object(chunking, "_STRETCH", stretch), patch.object(chunking, "_KEPT_PARTS", 2):
        for text in given_texts:
            assert find(text) == split.chunks(text)


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
def test_every_ascii_string_of_three_is_cut_alike(name: str) -> None:
    split = named(name)
    find = chunk_finder(split)
    kinds = "aZst'0.\n\r \t\x1c/"
    for a in kinds:
        for b in kinds:
            for c in kinds:
                for text in (f"{a}{b}{c}", f"x{a}{b}{c}", f"{a}{b}{c} x", f"a'{a}{b}{c}"):
                    assert find(text) == split.chunks(text), repr(text)


def test_the_classes_of_the_two_pattern_libraries_are_as_assumed() -> None:
    spaces = {c for c in map(chr, range(sys.maxunicode + 1)) if regex.match(r"\s", c)}
    assert spaces < {c for c in map(chr, range(sys.maxunicode + 1)) if re.match(r"\s", c) and c.isspace()}
    for c in map(chr, range(128)):
        assert bool(regex.match(r"\p{L}", c)) == bool(re.match("[A-Za-z]", c))
        assert bool(regex.match(r"\p{N}", c)) == bool(re.match("[0-9]", c))
        assert bool(regex.match(r"\s", c)) == bool(re.match(r"[\t-\r ]", c))
        assert not regex.match(r"\p{M}", c)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([*PATTERNS]), st.lists(texts, min_size=1, max_size=3), st.integers(1, 20), st.integers(1, 9))
def test_piece_by_piece_counts_as_the_whole_in_the_same_order(
    name: str, given_texts: list[str], size: int, read: int
) -> None:
    split = named(name)
    documents = [TextDocument(str(i), text.encode("utf-8", "surrogatepass")) for i, text in enumerate(given_texts)]
    whole = Counter(chunk for d in documents for chunk in split.chunks(to_text(d.data)))
    tally = ChunkTally(split)
    with patch.object(corpus, "READ_SIZE", read):
        for document in documents:
            at = 0
            for start, piece in read_pieces(document, split, size):
                assert start == at
                at += len(piece)
                tally.add(piece, at == document.size)
            assert at == document.size
        built = build_corpus(documents, split)
    assert list(tally.counts.items()) == list(whole.items())
    assert list(zip(built.chunks, built.counts, strict=True)) == list(whole.items())
    assert tally.characters == sum(len(to_text(d.data)) for d in documents) == built.stats.characters
    assert tally.lines == sum(len(re.findall(rb"[^\n]*\n|[^\n]+", d.data)) for d in documents) == built.stats.lines


@pytest.mark.parametrize("text", ["слово и ещё одно, третье. ", "漢字の文、句。\nまた行\n", "단어 하나 ", "λέξη και "])
@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
def test_texts_without_ascii_are_cut_into_pieces_too(name: str, text: str) -> None:
    document = TextDocument("d", text.encode() * 3000)
    sizes = [len(piece) for _, piece in read_pieces(document, named(name))]
    assert len(sizes) > 2
    assert max(sizes) < 2 * corpus.PIECE_SIZE


@given(st.integers(0, 2), st.characters(), st.characters(), st.sampled_from([" ", "\n"]))
def test_no_piece_ends_at_a_doubtful_place(kind: int, before: str, behind: str, border: str) -> None:
    split = named(["gpt2", "cl100k", "o200k"][kind])
    data = f"ab{before}{border}{behind}cd".encode("utf-8", "surrogatepass")
    cut = split.safe_cut(data, 1)
    if cut is not None:
        text = to_text(data)
        assert not before.isspace()
        assert not behind.isspace()
        assert split.chunks(to_text(data[:cut])) + split.chunks(to_text(data[cut:])) == split.chunks(text)


@given(st.lists(texts, min_size=2, max_size=4), st.integers(0, 3))
def test_tallies_of_parts_add_up_in_order(given_texts: list[str], cut: int) -> None:
    split = named("gpt2")
    data = [text.encode("utf-8", "surrogatepass") for text in given_texts]
    whole, first, second = (ChunkTally(split) for _ in range(3))
    for number, piece in enumerate(data):
        whole.add(piece, True)
        (first if number < cut else second).add(piece, True)
    first.merge(second.counts, second.characters, second.lines, second.left_out)
    assert list(first.counts.items()) == list(whole.counts.items())
    assert (first.characters, first.lines) == (whole.characters, whole.lines)


def test_a_bound_and_a_minimum_leave_out_the_rarest() -> None:
    text = b" a a a b b c d d e"
    document = TextDocument("d", text)
    assert build_corpus([document], named("gpt2"), min_chunk_count=2).chunks == [" a", " b", " d"]
    bounded = build_corpus([document], named("gpt2"), max_chunks=4)
    assert (list(bounded.chunks), bounded.left_out) == ([" a", " b", " c", " d"], 1)
    assert bounded.stats.chunks == 9
    both = build_corpus([document], named("gpt2"), min_chunk_count=2, max_chunks=2)
    assert (list(both.chunks), list(both.counts), both.left_out) == ([" a", " b"], [3, 2], 4)


@given(st.lists(st.integers(0, 40), max_size=200), st.integers(1, 8))
def test_a_bound_holds_while_counting_and_nothing_is_lost_unsaid(numbers: list[int], bound: int) -> None:
    tally = ChunkTally(named("words"), bound)
    for n in numbers:
        tally.add(b"%d " % n, False)
        assert len(tally.counts) <= 2 * bound
    tally.cut(1, bound)
    assert len(tally.counts) <= bound
    assert sum(tally.counts.values()) + tally.left_out == len(numbers)


def test_a_document_that_became_shorter_is_an_error() -> None:
    class Shrunk:
        name = "log"
        size = 10

        def read(self, start: int, end: int) -> bytes:
            return b"abcd"[start:end]

    with pytest.raises(InputError, match="log: ended early, at byte 4 of 10"):
        build_corpus([Shrunk()], named("gpt2"))
