"""A model that was trained here gives the same ids in the library of each format, and here again."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
import tiktoken
from formats_help import CORPUS, bpe_model, minbpe_encode, texts, unigram_model, wordpiece_model
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as HubTokenizer
from tokenizers import models, pre_tokenizers

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.model import Model
from tokexplorer.engine.splits import named
from tokexplorer.formats import FORMATS, read_model, read_tokenizer, refusal, tokenizer_of, write_model
from tokexplorer.tokenizers.base import SpecialMode

few = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
corpora = st.one_of(st.just(CORPUS), texts.filter(bool))
GPT_SPLITS = ["gpt2", "cl100k", "o200k"]
ALL_SPLITS = [*GPT_SPLITS, "none", "lines", "words"]


def ids_of(model: Model, text: str) -> list[int]:
    return [*tokenizer_of(model, "ours").encode(text.encode()).ids]


def hub_ids(path: Path, text: str) -> list[int]:
    tokenizer = HubTokenizer.from_file(str(path))
    tokenizer.encode_special_tokens = True
    return tokenizer.encode(text, add_special_tokens=False).ids


@few
@given(corpora, st.sampled_from(GPT_SPLITS), st.integers(0, 60), st.lists(texts, min_size=1, max_size=4))
def test_ranks_in_tiktoken(tmp_path: Path, corpus: str, split: str, merges: int, samples: list[str]) -> None:
    model = bpe_model(corpus, split, merges=merges)
    path = tmp_path / "x.tiktoken"
    assert write_model(model, str(path), "tiktoken", force=True).agrees
    rows = (line.split() for line in path.read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in rows}
    library = tiktoken.Encoding("x", pat_str=named(split).pattern, mergeable_ranks=ranks, special_tokens={})
    again = read_tokenizer(str(path), split=split)
    for text in samples:
        assert library.encode_ordinary(text) == ids_of(model, text) == [*again.encode(text.encode()).ids]


@few
@given(corpora, st.sampled_from(ALL_SPLITS), st.integers(0, 60), st.lists(texts, min_size=1, max_size=4))
def test_bytes_in_tokenizer_json(tmp_path: Path, corpus: str, split: str, merges: int, samples: list[str]) -> None:
    model = bpe_model(corpus, split, merges=merges, specials=("<|end|>", "[a b]"))
    path = tmp_path / "tokenizer.json"
    assert write_model(model, str(path), "tokenizer.json", force=True).agrees
    again = read_tokenizer(str(path))
    assert again.split is not None
    assert again.split.name == split
    for text in [*samples, "a<|end|>[a b]b"]:
        assert hub_ids(path, text) == ids_of(model, text) == [*again.encode(text.encode()).ids]
    marked = "x<|end|>[a b]y"
    library = HubTokenizer.from_file(str(path)).encode(marked).ids
    assert library == [*again.encode(marked.encode(), SpecialMode.TOKEN).ids]
    assert library == [*tokenizer_of(model, "x").encode(marked.encode(), SpecialMode.TOKEN).ids]


@few
@given(corpora, st.integers(0, 60), st.lists(texts, min_size=1, max_size=4))
def test_the_pair_in_tokenizers(tmp_path: Path, corpus: str, merges: int, samples: list[str]) -> None:
    model = bpe_model(corpus, "gpt2", merges=merges, specials=("<|endoftext|>",))
    assert write_model(model, str(tmp_path), "gpt2", force=True).agrees
    vocab, rows = models.BPE.read_file(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
    library = HubTokenizer(models.BPE(vocab, rows))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for given_file in ("vocab.json", "merges.txt"):
        again = read_tokenizer(str(tmp_path / given_file))
        assert again.specials == model.specials
        for text in samples:
            assert library.encode(text).ids == ids_of(model, text) == [*again.encode(text.encode()).ids]


@few
@given(corpora, st.sampled_from([*ALL_SPLITS, "[a-z]+|[^a-z]+"]), st.integers(0, 60), st.lists(texts, max_size=4))
def test_minbpe_files_in_a_second_reader(
    tmp_path: Path, corpus: str, split: str, merges: int, samples: list[str]
) -> None:
    model = bpe_model(corpus, split, merges=merges, specials=("<|end|>",))
    path = tmp_path / "x.model"
    assert write_model(model, str(path), "minbpe", force=True).agrees
    again = read_tokenizer(str(path))
    assert again.specials == model.specials
    for text in samples:
        assert minbpe_encode(path, text) == ids_of(model, text) == [*again.encode(text.encode()).ids]


@few
@given(corpora, st.sampled_from(ALL_SPLITS), st.integers(0, 60), st.lists(texts, min_size=1, max_size=4))
def test_characters_in_tokenizer_json(tmp_path: Path, corpus: str, split: str, merges: int, samples: list[str]) -> None:
    model = bpe_model(corpus, split, AlphabetKind.CHARS, merges)
    path = tmp_path / "tokenizer.json"
    assert write_model(model, str(path), "tokenizer.json", force=True).agrees
    again = read_tokenizer(str(path))
    for text in samples:
        ours = tokenizer_of(model, "ours").encode(text.encode())
        assert hub_ids(path, text) == [*ours.ids]
        theirs = again.encode(text.encode())
        assert ([*theirs.ids], theirs.ends, theirs.notes) == ([*ours.ids], ours.ends, ours.notes)


@few
@given(st.sampled_from(["words", "gpt2", "cl100k"]), st.lists(texts, min_size=1, max_size=4))
def test_wordpiece_in_tokenizer_json(tmp_path: Path, split: str, samples: list[str]) -> None:
    model = wordpiece_model(split=split)
    path = tmp_path / "tokenizer.json"
    assert write_model(model, str(path), "tokenizer.json", force=True).agrees
    again = read_tokenizer(str(path))
    for text in samples:
        if "##" not in text:
            assert hub_ids(path, text) == ids_of(model, text) == [*again.encode(text.encode()).ids]


@few
@given(st.lists(texts, min_size=1, max_size=4))
def test_wordpiece_in_vocab_txt(tmp_path: Path, samples: list[str]) -> None:
    model = wordpiece_model()
    path = tmp_path / "vocab.txt"
    assert write_model(model, str(path), "bert-vocab", force=True).agrees
    again = read_tokenizer(str(path), split="words")
    library = HubTokenizer(models.WordPiece.from_file(str(path), unk_token="[UNK]"))
    library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    for text in samples:
        if "##" not in text:
            assert library.encode(text).ids == ids_of(model, text) == [*again.encode(text.encode()).ids]


@few
@given(
    st.sampled_from(["gpt2", "words", "none"]),
    st.sampled_from([AlphabetKind.CHARS, AlphabetKind.BYTES]),
    st.lists(texts, min_size=1, max_size=4),
)
def test_unigram_in_tokenizer_json(tmp_path: Path, split: str, kind: AlphabetKind, samples: list[str]) -> None:
    model = unigram_model(split=split, kind=kind)
    path = tmp_path / "tokenizer.json"
    assert write_model(model, str(path), "tokenizer.json", force=True).agrees
    again = read_tokenizer(str(path))
    scores = [piece.score for piece in model.pieces]
    for text in samples:
        ours = ids_of(model, text)
        assert hub_ids(path, text) == [*again.encode(text.encode()).ids]
        theirs = hub_ids(path, text)
        assert theirs == ours or sum(map(scores.__getitem__, theirs)) == pytest.approx(
            sum(map(scores.__getitem__, ours))
        )


def facts_of(model: Model) -> dict[str, object]:
    """A model as values that can be compared."""
    return {
        "algorithm": model.algorithm,
        "alphabet": (model.alphabet.kind, model.alphabet.labels, model.alphabet.data),
        "split": model.split and (model.split.name, model.split.pattern),
        **{name: getattr(model, name) for name in ("merges", "pieces", "ties", "min_count", "ids", "loose", "whole")},
        **{name: getattr(model, name) for name in ("unknown", "max_chars", "handling", "left_out")},
        "specials": dict(model.specials),
        "provenance": dict(model.provenance),
    }


@few
@given(corpora, st.sampled_from([*ALL_SPLITS, "a+|\\s"]), st.sampled_from([*AlphabetKind]), st.integers(0, 60), texts)
def test_our_own_format_holds_everything(
    tmp_path: Path, corpus: str, split: str, kind: AlphabetKind, merges: int, text: str
) -> None:
    model = bpe_model(corpus, split, kind, merges, ("<|end|>", "\u202e\x1b[2J", "\udcff"))
    path = tmp_path / "x.json"
    assert write_model(model, str(path), "own", force=True).agrees
    assert facts_of(read_model(str(path))) == facts_of(model)
    assert [*read_tokenizer(str(path)).encode(text.encode()).ids] == ids_of(model, text)
    json.loads(path.read_bytes())
    assert not any((char < " " and char != "\n") or char in "\x7f\x9b\u202e" for char in path.read_text())


@pytest.mark.parametrize(
    "model",
    [
        wordpiece_model(),
        unigram_model(),
        unigram_model(kind=AlphabetKind.BYTES),
        bpe_model("\udcff\udcfe caf\udcc3".encode("utf-8", "surrogateescape").decode("latin-1")),
    ],
    ids=["wordpiece", "unigram", "unigram over bytes", "latin"],
)
def test_our_own_format_holds_the_other_algorithms(tmp_path: Path, model: Model) -> None:
    path = str(tmp_path / "x.json")
    assert write_model(model, path, "own").agrees
    assert facts_of(read_model(path)) == facts_of(model)


def test_what_tiktoken_holds_of_our_tokens_goes_on_to_every_other_format(tmp_path: Path) -> None:
    """From format to format and back: the ids stay."""
    model = bpe_model(specials=("<|endoftext|>",))
    text = CORPUS + "new words, 99 of them\n"
    for number, fmt in enumerate(["tokenizer.json", "gpt2", "minbpe", "tiktoken", "own", "tokenizer.json", "gpt2"]):
        folder = tmp_path / str(number)
        folder.mkdir()
        target = folder if fmt == "gpt2" else folder / "x"
        report = write_model(model, str(target), fmt)
        assert report.agrees, report
        model = read_model(report.files[0], split="gpt2", specials=model.specials if fmt == "tiktoken" else None)
        assert ids_of(model, text) == ids_of(bpe_model(), text)
        assert model.specials == {"<|endoftext|>": 316}


def test_every_format_that_is_written_says_no_in_words_or_works(tmp_path: Path) -> None:
    every = [bpe_model(kind=kind) for kind in AlphabetKind] + [wordpiece_model(), unigram_model()]
    works: dict[str, int] = {}
    for model in every:
        for name, fmt in FORMATS.items():
            if fmt.writes and refusal(model, name) is None:
                assert write_model(model, str(tmp_path / "x"), name, force=True).agrees
                works[name] = works.get(name, 0) + 1
    assert works == {"own": 5, "tiktoken": 1, "gpt2": 1, "tokenizer.json": 4, "minbpe": 1, "bert-vocab": 1}
