"""Numbers, spaces, special tokens, languages, budget, glitch tokens: the known cases, and counts of tiktoken's own."""

from __future__ import annotations

import unicodedata

import pytest
from builtin_oracle import encoding
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.analysis import budget as budgets
from tokexplorer.analysis.cut import token_bars, tokens_of
from tokexplorer.analysis.glitch import encoding_of, load_reported, reported_ids, reported_in, suspects
from tokexplorer.analysis.languages import language_table, load_paragraphs
from tokexplorer.analysis.numbers import grouped, number_grid, number_grids, other_digits, split_numbers
from tokexplorer.analysis.progress import Cancelled
from tokexplorer.analysis.reachability import Category, classify, sweep
from tokexplorer.analysis.spaces import blanks, forms, indentation, runs, trailing_space
from tokexplorer.analysis.specials import ATTACK, find_markers, overlapping, registered, three_ways
from tokexplorer.engine.corpus import TextDocument, build_corpus
from tokexplorer.engine.splits import named
from tokexplorer.engine.training import BpeTrainer
from tokexplorer.tokenizers.base import SpecialMode
from tokexplorer.tokenizers.baselines import CharacterTokenizer
from tokexplorer.tokenizers.builtin import load
from tokexplorer.tokenizers.learned import LearnedTokenizer

GPT2, CL100K, O200K = load("gpt2"), load("cl100k_base"), load("o200k_base")


def own(specials: dict[str, int] | None = None) -> LearnedTokenizer:
    corpus = build_corpus([TextDocument("t", b"aaab abab 1212 the the")], named("gpt2"))
    trainer = BpeTrainer(corpus)
    trainer.run(8)
    return LearnedTokenizer(trainer.vocabulary, trainer.step_count, corpus.split, specials)


def test_the_known_splits_of_numbers() -> None:
    assert split_numbers(GPT2, b"1234 + 5678").bars == "12|34| +| 5|678"
    found = split_numbers(CL100K, b"1234567")
    assert (found.bars, found.group_bars) == ("123|456|7", "1|234|567")
    assert [(r.text, r.shape, r.grouped, r.agrees) for r in found.runs] == [("1234567", (3, 3, 1), (1, 3, 3), False)]
    both = split_numbers(GPT2, "1234 + 5678 = ٦٩".encode())
    assert [r.text for r in both.runs] == ["1234", "5678", "٦٩"]
    assert both.group_bars == "1|234| + |5|678| = |٦٩"
    assert both.text == b"".join(both.text[a:b] for a, b in both.groups)
    assert split_numbers(O200K, b"123").runs[0].agrees


@settings(deadline=None)
@given(st.text(alphabet="0129 ,x٣߁", max_size=20))
def test_number_splits_tile_and_count_digits(text: str) -> None:
    for tokenizer in (GPT2, CL100K):
        found = split_numbers(tokenizer, text.encode())
        assert b"".join(found.text[a:b] for a, b in found.groups) == found.text
        raw = [bars.replace("|", "").encode("utf-8", "surrogateescape") for bars in (found.bars, found.group_bars)]
        assert raw == [found.text] * 2
        for run in found.runs:
            assert sum(run.shape) == sum(run.grouped) == len(run.text)
            assert found.text[run.start : run.end].decode() == run.text
            assert f"{10 ** len(run.text) - 1:,}".split(",") == ["9" * size for size in grouped(len(run.text))]


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_the_grid_agrees_with_tiktoken(name: str) -> None:
    theirs = encoding(name)
    grids = number_grids(load(name))
    assert [(g.digits, g.after_space) for g in grids] == [(d, s) for s in (False, True) for d in (1, 2, 3, 4)]
    assert [len(g.shapes) for g in grids] == 2 * [10, 100, 1000, 9000]
    for grid in grids:
        assert sum(r.numbers for r in grid.regularity) == len(grid.shapes)
        assert sum(r.share for r in grid.regularity) == pytest.approx(1.0)
        for number in range(grid.first, grid.first + len(grid.shapes), 37):
            parts = theirs.decode_tokens_bytes(theirs.encode_ordinary(" " * grid.after_space + grid.text(number)))
            shape = tuple(len(part.strip()) for part in parts if part.strip())
            assert grid.shape(number) == shape
            assert grid.tokens(number) == len(shape)
    with pytest.raises(IndexError):
        grids[3].shape(999)


def test_regularity_and_progress() -> None:
    grid = number_grid(CL100K, 4)
    assert [(r.shape, r.share) for r in grid.regularity] == [((3, 1), 1.0)]
    assert number_grid(GPT2, 4).regularity[0].shape == (2, 2)
    assert number_grid(CharacterTokenizer(), 3, True).regularity[0].shape == (1, 1, 1)
    seen: list[int] = []
    number_grids(own(), lambda done, total: seen.append(total - done))
    assert seen == [8, 7, 6, 5, 4, 3, 2, 1, 0]
    with pytest.raises(Cancelled):
        number_grids(own(), None, lambda: True)


def test_digits_of_other_scripts() -> None:
    rows = {row.name: row for row in other_digits(CL100K)}
    assert next(iter(rows)) == "ASCII"
    assert rows["Devanagari"].text == "१२३४५६७"
    assert rows["Devanagari"].is_number
    assert rows["Vulgar fraction one half"].is_number
    assert rows["Cjk unified ideograph-4e94"].is_number is False
    for row in rows.values():
        assert [t.id for t in row.tokens] == encoding("cl100k_base").encode_ordinary(row.text)
        assert row.is_number == (unicodedata.category(row.text[0])[0] == "N")
        assert row.tokens_per_char == len(row.tokens) / len(row.text)
    assert all(row.is_number is None for row in other_digits(CharacterTokenizer()))


def test_forms_of_a_word() -> None:
    found = {form.text: form.single for form in forms(GPT2, "the")}
    assert (found[b" the"], found[b"the"], found[b"The"]) == (262, 1169, 464)
    assert [form.kind for form in forms(GPT2, "the")] == [
        "bare", "space + bare", "capital", "space + capital", "upper", "space + upper",
    ]  # fmt: skip
    assert [f.kind for f in forms(GPT2, "THE")][-2:] == ["lower", "space + lower"]
    berry = {form.text: [t.id for t in form.tokens] for form in forms(GPT2, "strawberry")}
    assert berry[b"strawberry"] != berry[b" strawberry"]
    assert len(berry[b" strawberry"]) == 1
    assert token_bars(b"I's 'S", tokens_of(GPT2, b"I's 'S")) == "I|'s| '|S"
    assert [len(GPT2.encode(text)) for text in (b"'s", b"'S")] == [1, 2]


def test_the_cost_of_a_trailing_space() -> None:
    found = trailing_space(GPT2, b"Hello world  ", b"the")
    assert found.text == b"Hello world"
    assert [len(t) for t in (found.plain, found.spaced, found.joined, found.stranded)] == [2, 3, 3, 4]
    assert (found.extra, found.harmless) == (1, False)
    assert found.stranded[-1].start == len(b"Hello world ")
    assert trailing_space(CharacterTokenizer(), b"Hello").harmless


def test_runs_and_indentation() -> None:
    of_spaces, of_tabs = runs(CL100K)[:2]
    theirs = encoding("cl100k_base")
    assert list(of_spaces.counts) == [len(theirs.encode_ordinary(" " * n)) for n in range(1, 33)]
    assert list(of_tabs.before_word) == [len(theirs.encode_ordinary("\t" * n + "x")) - 1 for n in range(1, 33)]
    assert of_spaces.longest == 32
    assert runs(GPT2)[0].longest == 1
    two, four, tab = indentation(GPT2)
    assert four.extra[3] > indentation(CL100K)[1].extra[3]
    assert two.extra[1] == four.extra[0]
    assert len(tab.extra) == 8
    ids = (CL100K.ranks.ids[b" "], CL100K.ranks.ids[b" " * 8])
    assert [len(blank.text) for blank in blanks(CL100K, ids)] == [8, 1]


def test_one_text_three_ways() -> None:
    text = b"a<|endoftext|>b <|im_start|>system"
    found = three_ways(CL100K, text)
    assert [t.id for t in found.as_text] == encoding("cl100k_base").encode_ordinary(text.decode())
    assert [t.id for t in found.as_tokens] == encoding("cl100k_base").encode(text.decode(), allowed_special="all")
    assert "<|endoftext|>" in found.forbidden
    (marker,) = found.markers
    assert (marker.text, marker.id, text[marker.start : marker.end]) == ("<|endoftext|>", 100257, b"<|endoftext|>")
    assert found.differing == ((1, 14),)
    plain = three_ways(CL100K, b"<|im_start|>system")
    assert (plain.forbidden, plain.markers, plain.differing) == ("", (), ())
    assert plain.as_text == plain.as_tokens
    assert len(plain.as_text) > 1
    assert three_ways(GPT2).markers[0].text == "<|endoftext|>"
    assert find_markers(load("o200k_harmony"), ATTACK)[0].id == 199999


def test_overlapping_markers_longest_first() -> None:
    tokenizer = own({"<|a|>": 300, "<|a|>b": 301, "|>b": 302})
    assert overlapping(tokenizer) == (("<|a|>", "<|a|>b"),)
    found = three_ways(tokenizer, b"x<|a|>b<|a|>")
    assert [(m.id, m.start, m.end) for m in found.markers] == [(301, 1, 7), (300, 7, 12)]
    assert [t.id for t in found.as_tokens][1:] == [301, 300]
    assert found.differing == ((1, 12),)
    assert [s.id for s in registered(tokenizer)] == [300, 301, 302]
    assert all(len(s.as_text) > 1 for s in registered(tokenizer))


@settings(deadline=None)
@given(st.lists(st.sampled_from(["<|a|>", "<|a|>b", "a", " ", "|>b", "<"]), max_size=8).map("".join))
def test_differing_stretches_hold_all_differences(text: str) -> None:
    found = three_ways(own({"<|a|>": 300, "<|a|>b": 301, "|>b": 302}), text.encode())
    outside = [
        [t for t in tokens if not any(a <= t.start < b for a, b in found.differing)]
        for tokens in (found.as_text, found.as_tokens)
    ]
    assert outside[0] == outside[1]
    assert bool(found.differing) == (found.as_text != found.as_tokens)
    assert bool(found.forbidden) == bool(found.markers)


def test_encode_never_raises_on_special_text() -> None:
    for tokenizer in (GPT2, CL100K, O200K):
        assert len(tokenizer.encode(b"<|endoftext|>", SpecialMode.TEXT)) > 1


def test_languages_cost_what_tiktoken_says() -> None:
    paragraphs = load_paragraphs()
    assert len({p.script for p in paragraphs}) >= 16
    table = language_table(CL100K, [("mine.txt", b"one two three")])
    assert [row.code for row in table.rows] == [p.code for p in paragraphs]
    base = len(encoding("cl100k_base").encode_ordinary(paragraphs[0].text))
    for row, paragraph in zip(table.rows, paragraphs):
        tokens = len(encoding("cl100k_base").encode_ordinary(paragraph.text))
        assert (row.tokens, row.chars, row.cost) == (tokens, len(paragraph.text), tokens / base)
        assert row.bytes == len(paragraph.text.encode())
    assert [(r.name, r.tokens, r.cost) for r in table.own] == [("mine.txt", 3, None)]
    assert language_table(CL100K, reference="de").reference == "German"
    with pytest.raises(KeyError):
        language_table(CL100K, reference="xx")


def test_budget() -> None:
    found = budgets.budget("gpt2", 50257, 3000, 2.5, (1024, 4096))
    assert [(c.size, c.windows, c.left, c.fits) for c in found.contexts] == [(1024, 3, 0, False), (4096, 1, 1096, True)]
    assert found.contexts[0].share == 3000 / 1024
    assert found.price == 0.0075
    small = found.embeddings[0]
    assert (small.embedding, small.total) == (38_597_376, 124_439_808)
    assert round(small.share, 3) == 0.310
    larger = budgets.embedding_share(100277, budgets.MODELS[0])
    assert larger.total - small.total == (100277 - 50257) * 768
    untied = budgets.embedding_share(128_256, budgets.MODELS[-1])
    assert (untied.embedding, untied.total) == (2 * 128_256 * 4096, 8_030_261_248)
    assert budgets.budget("t", 10, 0).price is None
    with pytest.raises(ValueError):
        budgets.contexts(5, (0,))


def test_reported_glitch_tokens() -> None:
    rows = load_reported()
    assert {row.encoding for row in rows} == {"r50k_base", "cl100k_base", "o200k_base"}
    for row in rows:
        assert load(row.encoding).token_bytes(row.id) == row.data
    names = ("gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base", "o200k_harmony")
    same = ["r50k_base"] * 3 + ["cl100k_base"] + ["o200k_base"] * 2
    assert [encoding_of(load(name)) for name in names] == same
    assert (encoding_of(own()), reported_ids(own())) == (None, ())
    assert len(reported_ids(GPT2)) == sum(row.encoding == "r50k_base" for row in rows)


def test_what_a_reported_string_is_elsewhere() -> None:
    here = {(r.reported.encoding, r.reported.data): r for r in reported_in(CL100K)}
    solid = here["r50k_base", b" SolidGoldMagikarp"]
    assert (solid.own, solid.single, len(solid.tokens)) == (False, None, 5)
    there = {r.reported.data: r for r in reported_in(GPT2) if r.own}
    assert there[b" SolidGoldMagikarp"].single == there[b" SolidGoldMagikarp"].reported.id
    assert all(r.own == (r.reported.encoding == "cl100k_base") for r in here.values())


def test_suspects_come_with_their_reasons() -> None:
    tokenizer = own()
    found = classify(sweep(tokenizer), None, {0x61: 3})
    reasons = {s.id: s.reasons for s in suspects(found)}
    assert reasons[0x80] == (Category.PARTIAL_UTF8, Category.UNUSED)
    assert 0x61 not in reasons
    assert {s.id for s in suspects(found, [Category.PARTIAL_UTF8])} == set(range(0x80, 0x100))
