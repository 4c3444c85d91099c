"""Whether a file is a tokenizer or a text: certain where it is sure, asked about where it may be either."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from formats_help import bpe_model, texts, unigram_model, wordpiece_model
from hypothesis import given
from hypothesis import strategies as st

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.model import Model
from tokexplorer.files.plain_text import is_plain, is_plain_file
from tokexplorer.files.sources import sample_files
from tokexplorer.formats import (
    HEAD_BYTES,
    Nature,
    files_of,
    model_of,
    nature_of,
    read_tokenizer,
    sort_files,
    write_model,
)
from tokexplorer.formats.gpt2_pair import write_pair
from tokexplorer.formats.telling import nature
from tokexplorer.formats.tiktoken_ranks import write_ranks
from tokexplorer.tokenizers.builtin import load

ROWS = [f"{left} {right}" for left, right in zip("abcdefghijklmnopqrst", "bcdefghijklmnopqrstu", strict=True)]
MODELS = {
    "bytes": (bpe_model(specials=("<|end|>",)), ("own", "tiktoken", "gpt2", "tokenizer.json", "minbpe")),
    "pieces": (wordpiece_model(), ("own", "bert-vocab", "tokenizer.json")),
    "unigram": (unigram_model(), ("own",)),
}


@pytest.mark.parametrize(("model", "fmt"), [(m, fmt) for m, formats in MODELS.values() for fmt in formats])
def test_what_is_written_here_is_a_tokenizer(tmp_path: Path, model: Model, fmt: str) -> None:
    for path in write_model(model, str(tmp_path / "x"), fmt).files:
        assert nature_of(path) is Nature.TOKENIZER, path


def test_large_ones_are_known_by_their_beginning() -> None:
    model = model_of(load("gpt2"))
    for data in (write_ranks(model), *write_pair(model)):
        assert len(data) > HEAD_BYTES
        assert nature(data[:HEAD_BYTES]) is Nature.TOKENIZER
        assert nature(data.replace(b"\n", b"\r\n")[:HEAD_BYTES]) is Nature.TOKENIZER
        assert nature(b"\xef\xbb\xbf" + data[: HEAD_BYTES - 3]) is Nature.TOKENIZER


def test_the_samples_are_texts() -> None:
    assert sample_files()
    assert {nature_of(str(path)) for path in sample_files()} == {Nature.TEXT}


@given(texts)
def test_texts_are_texts(text: str) -> None:
    assert nature(text.encode()) is not Nature.TOKENIZER


@pytest.mark.parametrize("line", ["IQ== 0 ", "IQ==  0", "IQ== 99999999999999999999999999", "=== 1", "aaaa ²"])
def test_lines_that_are_almost_ranks(line: str) -> None:
    assert nature(line.encode()) is not Nature.TOKENIZER
    assert nature(f"{line}\n".encode() * 40) is not Nature.TOKENIZER


@given(st.binary(max_size=200))
def test_bytes_are_not_taken_for_tokenizers(data: bytes) -> None:
    assert isinstance(nature(data), Nature)


TEXTS = {
    "nothing": "",
    "JSON": '{"name": "x", "list": [1, 2]}',
    "an empty object": "{}",
    "numbers": '{"a": 1, "b": 2.5}',
    "source map": '{"version":3,"sources":["a"]}',
    "JSON lines of numbers": '{"a": 1}\n{"a": 2}\n',
    "JSON lines": '{"id": 1, "text": "x"}\n' * 30,
    "requests": '{"model": "gpt-4", "messages": []}\n' * 30,
    "counts that stand twice": json.dumps({"the": 5, "of": 5, "and": 3}),
    "two words": "hello world\n",
    "lines of two words": "hello world\ngood morning\n" * 20,
    "a shader": "#version 300 es\nprecision highp float;\nvoid main() {}\n",
    "headings": "##One\ntext of several words\n##Two\nmore of the text\n",
    "a year and a number": "\n".join(f"year {n}" for n in range(40)),
    "edges of a graph": "\n".join(f"1 {n % 10}" for n in range(20)),
    "the same two letters": "x y\r\n" * 50,
    "a note on minbpe": "minbpe v1\nhi\n",
    "an article": "minbpe vs. tiktoken: which one\n",
    "prose with [UNK]": "[UNK]\nis the name of a token that\nstands for all that is not known\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_that_look_a_little_like_tokenizers(name: str) -> None:
    found = nature(TEXTS[name].encode())
    assert found is (Nature.DOUBTFUL if name == "a year and a number" else Nature.TEXT)


DOUBTFUL = {
    "words": "\n".join(["[UNK]", *(f"word{n}" for n in range(30))]),
    "hashes": "##a\n##b\nc\n",
    "few merges": "a b\nab c\n",
    "merges with a stray one": "\n".join([*ROWS, "hello world"]),
    "only a header": "#version: 0.2\n",
    "words and counts": json.dumps({"the": 500, "of": 300, "and": 200}),
    "few ids": json.dumps({"a": 0, "b": 1}),
    "ranks with a gap": "\n".join(f"{token} {rank * 2}" for rank, token in enumerate(["IQ==", "Ig==", "Iw=="] * 8)),
    "a vocabulary and nothing else": '{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}',
    "settings": '{"padding": true, "decoder": 1, "truncation": 3}',
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_may_be_either_is_doubtful(name: str) -> None:
    assert nature(DOUBTFUL[name].encode()) is Nature.DOUBTFUL


def test_merges_without_a_header_are_known_by_what_they_join() -> None:
    assert nature("\n".join(ROWS).encode()) is Nature.TOKENIZER
    assert nature("\n".join(reversed(["ab cd", *ROWS])).encode()) is Nature.TOKENIZER
    assert nature("\n".join(["ab cd", *ROWS]).encode()) is Nature.DOUBTFUL


def test_a_model_without_scores_is_doubtful() -> None:
    piece = b"\n\x03abc"
    assert nature(b"\n\x05" + piece + b"\n\x05" + piece) is not Nature.TEXT


def test_files_are_sorted_and_what_was_said_of_them_counts(tmp_path: Path) -> None:
    plain, words = tmp_path / "plain.txt", tmp_path / "vocab.txt"
    plain.write_text("a text of several words\n")
    words.write_text(DOUBTFUL["words"])
    os.mkfifo(tmp_path / "pipe")
    (made,) = write_model(bpe_model(), str(tmp_path / "x"), "own").files
    given_ = [str(plain), made, str(words), "-", str(tmp_path / "none"), str(tmp_path), str(tmp_path / "pipe"), "a\0b"]
    found = sort_files(given_, {})
    assert found.tokenizers == (made,)
    assert found.doubtful == (str(words),)
    assert found.texts == tuple(path for path in given_ if path not in (made, str(words)))
    said = {str(words): Nature.TOKENIZER, made: Nature.TEXT}
    found = sort_files(given_, said)
    assert (found.tokenizers, found.doubtful) == ((str(words),), ())
    assert made in found.texts


LINE = st.sampled_from(
    ["a b", "ab c", "IQ== 0", "Ig== 1 ", "[UNK]", "##a", "word", "three words here", "", "#version: 0.2", "{", "é"]
)


@given(st.one_of(texts, st.lists(LINE, max_size=60).map("\n".join), st.lists(st.text(max_size=9)).map("\n".join)))
def test_what_is_plain_at_a_glance_is_a_text(text: str) -> None:
    for data in (text.encode("utf-8", "replace"), text.replace("\n", "\r\n").encode("utf-8", "replace") * 40):
        assert not is_plain(data) or nature(data) is Nature.TEXT


def test_most_samples_are_plain_at_a_glance(tmp_path: Path) -> None:
    plain = {path.name for path in sample_files() if is_plain_file(str(path))}
    assert {"english.txt", "code.py"} <= plain
    os.mkfifo(tmp_path / "pipe")
    assert all(map(is_plain_file, ("-", str(tmp_path), str(tmp_path / "pipe"), "a\0b")))
    for model, formats in MODELS.values():
        for fmt in formats:
            report = write_model(model, str(tmp_path / f"{fmt}-{model.algorithm}"), fmt)
            assert not any(map(is_plain_file, report.files))


def test_a_pair_is_one_tokenizer(tmp_path: Path) -> None:
    vocab, merges = write_model(bpe_model(), str(tmp_path), "gpt2").files
    assert files_of(vocab) == files_of(merges) == (vocab, merges)
    assert read_tokenizer(vocab, title="mine").name == "mine"
    os.unlink(vocab)
    with pytest.raises(InputError, match="its ids are in a second file"):
        files_of(merges)
    assert files_of(str(tmp_path / "none")) == (str(tmp_path / "none"),)
