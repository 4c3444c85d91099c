"""Writing a model in any format: what would be lost, whole files only, and the comparison of what was written."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.model import Model
from tokexplorer.files.sources import shown_path
from tokexplorer.formats.bert_vocab import read_vocab, refuse_vocab, write_vocab
from tokexplorer.formats.checking import (
    Encode,
    compare_here,
    compare_library,
    pair_encoder,
    sample_texts,
    tiktoken_encoder,
    tokenizers_encoder,
)
from tokexplorer.formats.files import drafted
from tokexplorer.formats.gpt2_pair import read_pair, refuse_pair, target_pair, write_pair
from tokexplorer.formats.losing import losses_of
from tokexplorer.formats.making import tokenizer_of
from tokexplorer.formats.minbpe import read_minbpe, refuse_minbpe, write_minbpe
from tokexplorer.formats.own import read_own, write_own
from tokexplorer.formats.parsing import Source
from tokexplorer.formats.tiktoken_ranks import read_ranks, refuse_ranks, write_ranks
from tokexplorer.formats.tokenizer_json import read_tokenizer_json
from tokexplorer.formats.tokenizer_json_writer import refuse_tokenizer_json, write_tokenizer_json
from tokexplorer.formats.values import FORMATS, WriteReport
from tokexplorer.tokenizers.base import Tokenizer

_ENDINGS: Final = (
    (".tiktoken", "tiktoken"),
    ("tokenizer.json", "tokenizer.json"),
    ("vocab.json", "gpt2"),
    ("merges.txt", "gpt2"),
    ("encoder.json", "gpt2"),
    ("vocab.bpe", "gpt2"),
    ("vocab.txt", "bert-vocab"),
    (".model", "minbpe"),
)


def format_for(path: str) -> str:
    """The format that a target's name stands for: `.tiktoken`, `tokenizer.json`, `vocab.json` or `merges.txt`,
    `vocab.txt`, `.model` (minbpe); everything else is `own`."""
    name = os.path.basename(path).lower()
    return next((fmt for ending, fmt in _ENDINGS if name.endswith(ending)), "own")


_REFUSE: Final[dict[str, Callable[[Model], str | None]]] = {
    "own": lambda model: None,
    "tiktoken": refuse_ranks,
    "gpt2": refuse_pair,
    "tokenizer.json": refuse_tokenizer_json,
    "minbpe": refuse_minbpe,
    "bert-vocab": refuse_vocab,
}


def refusal(model: Model, fmt: str) -> str | None:
    """Why the format cannot hold the model at all, in one clause, or None. UsageError for an unknown format."""
    if fmt not in _REFUSE:
        known = ", ".join(name for name, entry in FORMATS.items() if entry.writes)
        raise UsageError(f"{fmt} is not a format that is written here: there are {known}")
    return _REFUSE[fmt](model)


def losses(model: Model, fmt: str) -> tuple[str, ...]:
    """What the format cannot hold of the model, one clause each. InputError where it is refused at all."""
    reason = refusal(model, fmt)
    if reason is not None:
        raise InputError(f"this model cannot be written as {fmt}: {reason}")
    return losses_of(model, fmt)


def write_model(model: Model, path: str, fmt: str, force: bool = False) -> WriteReport:
    """Write a model; before it is put in place, what stands on the disk is read back and compared on sample texts,
    here and, where it is installed, in the library that the format comes from.

    A file that exists is an InputError unless `force`; nothing is left half written. GPT-2's pair: `path` is a folder,
    either file, or a stem. UsageError for an unknown format.
    """
    lost = losses(model, fmt)
    contents = _contents(model, path, fmt)
    with drafted(contents, force) as draft:
        written = draft.contents()
        checks = _check(model, fmt, [Source(shown_path(path), data) for data in written])
        draft.put()
    files = tuple(map(shown_path, contents))
    return WriteReport(fmt, files, lost, tuple(line for _, line in checks), all(same for same, _ in checks))


def targets(path: str, fmt: str) -> tuple[str, ...]:
    """The files that writing to `path` makes: one, or GPT-2's two."""
    if fmt != "gpt2":
        return (path,)
    pair = target_pair(path)
    return pair.vocab, pair.merges


def _contents(model: Model, path: str, fmt: str) -> dict[str, bytes]:
    if fmt == "gpt2":
        return dict(zip(targets(path, fmt), write_pair(model), strict=True))
    write = {
        "own": write_own,
        "tiktoken": write_ranks,
        "tokenizer.json": write_tokenizer_json,
        "minbpe": write_minbpe,
        "bert-vocab": write_vocab,
    }[fmt]
    return {path: write(model)}


def _check(model: Model, fmt: str, written: list[Source]) -> list[tuple[bool, str]]:
    """(same ids, line) for each comparison."""
    ours = tokenizer_of(model, "written")
    texts = sample_texts(ours)
    checks = [compare_here(ours, _read_back(model, fmt, written), texts, model)]
    try:
        library = _library(model, fmt, [source.data for source in written])
    except InputError as error:
        return [*checks, (False, str(error))]
    if library is not None:
        checks.append(compare_library(library[0], ours, library[1], texts, model))
    return checks


def _read_back(model: Model, fmt: str, written: list[Source]) -> Tokenizer:
    """The tokenizer in what was written, with what the format leaves to its reader."""
    source = written[0]
    split = model.split.pattern if model.split is not None else None
    if fmt == "own":
        return tokenizer_of(read_own(source), source.name)
    if fmt == "tiktoken":
        return read_ranks(source, split, model.specials)
    if fmt == "gpt2":
        return read_pair(source, written[1], split, model.specials)
    if fmt == "minbpe":
        return tokenizer_of(read_minbpe(source, None, None), source.name)
    if fmt == "bert-vocab":
        return read_vocab(source, model.handling or split, model.specials)
    return read_tokenizer_json(source)


def _library(model: Model, fmt: str, written: list[bytes]) -> tuple[str, Encode] | None:
    """The name and the encoder of the library that the format comes from, None where there is none here."""
    if fmt == "tiktoken":
        return "tiktoken", tiktoken_encoder(model, written[0])
    encode: Encode | None = None
    if fmt == "tokenizer.json":
        encode = tokenizers_encoder(written[0])
    elif fmt == "gpt2":
        encode = pair_encoder(model, *written)
    return None if encode is None else ("tokenizers", encode)
