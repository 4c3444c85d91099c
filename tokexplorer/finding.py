"""Finding a tokenizer by what a user calls it: an encoding's name, a model's name, or a file in any format."""

from __future__ import annotations

import os
from typing import Final

from tokexplorer.engine.errors import InputError
from tokexplorer.files.sources import shown_path
from tokexplorer.tokenizers.base import Tokenizer

FILE_SUFFIXES: Final = (".json", ".tiktoken", ".model", ".txt", ".bpe", ".tok")
"""A name that ends so means a file even where there is none."""


def find_tokenizer(name: str, split: str | None = None) -> Tokenizer:
    """The tokenizer that `name` means. An encoding's or a model's name goes before a file of the same name in the
    working directory (`./gpt2` is the file). `split` serves files that hold no split pattern.

    UsageError where nothing is called so, with suggestions; InputError where a file cannot be read.
    """
    from tokexplorer.tokenizers import builtin

    if means_file(name):
        from tokexplorer.formats import read_tokenizer

        return read_tokenizer(name, split=split)
    if name not in builtin.names() and builtin.find(name) is None and _looks_like_file(name):
        raise InputError(f"{shown_path(name)}: no such file")
    return builtin.load(name)


def means_file(name: str) -> bool:
    """Whether `name` means a file that there is."""
    from tokexplorer.tokenizers import builtin

    return name not in builtin.names() and name not in builtin.models() and os.path.lexists(name)


def _looks_like_file(name: str) -> bool:
    return os.sep in name or name.lower().endswith(FILE_SUFFIXES)
