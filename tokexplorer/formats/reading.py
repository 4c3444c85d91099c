"""Opening any tokenizer file, as a tokenizer or as a model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.model import Model
from tokexplorer.files.sources import shown_path
from tokexplorer.formats.bert_vocab import read_vocab
from tokexplorer.formats.detecting import HEAD_BYTES, detect
from tokexplorer.formats.files import read_bounded
from tokexplorer.formats.gpt2_pair import find_pair, read_pair
from tokexplorer.formats.making import tokenizer_of
from tokexplorer.formats.minbpe import read_minbpe
from tokexplorer.formats.own import read_own
from tokexplorer.formats.parsing import BOM, Source, name_other, name_stranger
from tokexplorer.formats.tiktoken_ranks import read_ranks
from tokexplorer.formats.tokenizer_json import read_tokenizer_json
from tokexplorer.formats.unmaking import model_of
from tokexplorer.formats.values import FORMATS
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tokenizers.sentencepiece import open_sentencepiece

_COMMON: Final = frozenset(
    ("tokenizer.json", "vocab.json", "encoder.json", "merges.txt", "vocab.bpe", "vocab.txt", "tokenizer.model")
)


def read_tokenizer(
    path: str, split: str | None = None, specials: Mapping[str, int] | None = None, title: str = ""
) -> Tokenizer:
    """The tokenizer in a file, called `title`, or as `title_for` has it. `split` (a name of `splits.PATTERNS` or a
    pattern; for vocab.txt also bert-uncased and bert-cased) and `specials` serve formats that hold none (tiktoken
    ranks, merges.txt, vocab.txt): without them they are guessed, and `remarks` says how. InputError where the file
    cannot be read: one line with file, place and what was expected."""
    return parse(open_source(path, title), path, split, specials)


def title_for(path: str) -> str:
    """What the tokenizer in a file is called, safe to show: the file's name, with its folder where files of many
    tokenizers are called so."""
    name = os.path.basename(path)
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return shown_path(os.path.join(folder, name) if name in _COMMON else name)


def open_source(path: str, title: str = "") -> Source:
    """The content of a file."""
    return Source(shown_path(path), read_bounded(path), title or title_for(path))


def parse(source: Source, path: str, split: str | None, specials: Mapping[str, int] | None) -> Tokenizer:
    """The tokenizer in the content of a file; `path` is where the second file of a pair is looked for."""
    fmt = detect(source.data[:HEAD_BYTES])
    if fmt == "own":
        return tokenizer_of(read_own(source), source.title)
    if fmt == "tiktoken":
        return read_ranks(source, split, specials)
    if fmt == "gpt2":
        return _read_pair(source, path, split, specials)
    if fmt == "tokenizer.json":
        return read_tokenizer_json(source)
    if fmt == "minbpe":
        return tokenizer_of(read_minbpe(source, split, specials), source.title, "minbpe")
    if fmt == "bert-vocab":
        return read_vocab(source, split, specials)
    if fmt == "sentencepiece":
        return open_sentencepiece(source.title, source.name, source.data)
    found, known = name_stranger(source.data[:HEAD_BYTES]), ", ".join(FORMATS)
    raise InputError(f"{source.name}: is no tokenizer file ({found}); expected one of {known}")


def _read_pair(source: Source, path: str, split: str | None, specials: Mapping[str, int] | None) -> Tokenizer:
    holds_vocab = source.data.removeprefix(BOM).lstrip()[:1] == b"{"
    pair = find_pair(path, holds_vocab)
    other = pair.merges if holds_vocab else pair.vocab
    second = open_source(other)
    head = second.data[:HEAD_BYTES]
    is_vocab = head.removeprefix(BOM).lstrip()[:1] == b"{"
    if is_vocab is holds_vocab or name_other(head) is not None:
        what = "merges" if holds_vocab else "a JSON object of tokens and ids"
        second.fail("", f"expected {what}, the second file of {source.name}; {name_stranger(head)}")
    vocab, merges = (source, second) if holds_vocab else (second, source)
    return read_pair(vocab, merges, split, specials)


def read_model(path: str, split: str | None = None, specials: Mapping[str, int] | None = None) -> Model:
    """The model in a file, to be written in another format; InputError as in `read_tokenizer`, and where the
    tokenizer is of a kind that a `Model` does not hold (the message says what)."""
    source = open_source(path)
    if detect(source.data[:HEAD_BYTES]) == "own":
        return read_own(source)
    return model_of(parse(source, path, split, specials))


def remarks(tokenizer: Tokenizer) -> tuple[str, ...]:
    """What a user should know about a loaded tokenizer: guesses, what was ignored, gaps in its ids."""
    found = getattr(tokenizer, "remarks", ())
    return found if isinstance(found, tuple) else ()


def normalised(tokenizer: Tokenizer, text: bytes) -> bytes:
    """The text after the tokenizer's normaliser, before it is split; the text itself where there is none."""
    normalise = getattr(tokenizer, "normalise", None)
    if normalise is None:
        return text
    found = normalise(text)
    assert isinstance(found, bytes)
    return found
