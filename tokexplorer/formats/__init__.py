"""Reading and writing tokenizer files. The format is known by content, never by the file's name.

- `detect(head)`: the format's name from the first bytes (`HEAD_BYTES`) of a file, None where it is none of ours;
  `format_in(path)` reads them itself.
- `nature_of(path)`, `sort_files(paths, known)`: whether files are tokenizers, texts, or may be either.
- `read_tokenizer(path, split=None, specials=None, title="")`: any file as a `Tokenizer`.
- `title_for(path)`, `files_of(path)`: what the tokenizer in a file is called, and the files that it consists of.
- `read_model(path, split=None, specials=None)`: the same as a `Model`, which can be written.
- `model_of(tokenizer)`: the `Model` behind a learned, built-in or loaded tokenizer; InputError says why there is none.
- `tokenizer_of(model, name)`: a model as a `Tokenizer`.
- `refusal(model, format)`: why a format cannot hold a model at all, or None.
- `losses(model, format)`: what the format cannot hold, one clause each.
- `write_model(model, path, format, force=False)`: write, read back, compare; returns a `WriteReport`.
- `targets(path, format)`: the files that a writing makes.
- `format_for(path)`: the format that a target's name stands for (`x.tiktoken`, `tokenizer.json`, `vocab.txt`, ...).
- `remarks(tokenizer)`: what a file's reader should know, e.g. `padding in the file is ignored`.
- `normalised(tokenizer, text)`: the text as the tokenizer's normaliser leaves it; the text itself where it has none.

All raise InputError (one line: file, line or byte, what was expected); names of formats that do not exist: UsageError.
"""

from __future__ import annotations

from tokexplorer.formats.detecting import HEAD_BYTES, detect
from tokexplorer.formats.making import tokenizer_of
from tokexplorer.formats.reading import normalised, read_model, read_tokenizer, remarks, title_for
from tokexplorer.formats.telling import Nature, Sorted, files_of, format_in, nature_of, sort_files
from tokexplorer.formats.unmaking import model_of
from tokexplorer.formats.values import FORMATS, MAX_BYTES, Format, WriteReport
from tokexplorer.formats.writing import format_for, losses, refusal, targets, write_model

__all__ = [
    "FORMATS",
    "HEAD_BYTES",
    "MAX_BYTES",
    "Format",
    "Nature",
    "Sorted",
    "WriteReport",
    "detect",
    "files_of",
    "format_for",
    "format_in",
    "losses",
    "model_of",
    "nature_of",
    "normalised",
    "read_model",
    "read_tokenizer",
    "refusal",
    "remarks",
    "sort_files",
    "targets",
    "title_for",
    "tokenizer_of",
    "write_model",
]
