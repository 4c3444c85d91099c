"""Opening texts: files, standard input, the samples; every failure is one worded line. The corpus is read from here."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Final

from tokexplorer.engine.corpus import (
    Corpus,
    Document,
    Progress,
    ShouldStop,
    TextDocument,
    build_corpus,
    corpus_from_counts,
    parse_word_counts,
)
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import show
from tokexplorer.engine.splits import Split

STDIN: Final = "-"
WORD_COUNT_SUFFIX: Final = ".tsv"


def shown_path(path: str | Path) -> str:
    """A path as it may be shown: what is not printable stands in."""
    return show(os.fsencode(os.fspath(path)))


def read_file(path: str | Path) -> bytes:
    """The bytes of a regular file; InputError says why it could not be read."""
    name = shown_path(path)
    try:
        with open(path, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError(f"{name}: is not a regular file")
            return file.read()
    except OSError as error:
        raise InputError(f"{name}: {_reason(error)}") from error
    except ValueError as error:
        raise InputError(f"{name}: is not a file name ({error})") from error


def _reason(error: OSError) -> str:
    return {
        FileNotFoundError: "no such file",
        IsADirectoryError: "is a directory, not a file",
        PermissionError: "permission denied",
        NotADirectoryError: "no such file (a part of the path is not a directory)",
    }.get(type(error), error.strerror or "cannot be read")


def open_document(path: str) -> TextDocument:
    """A document from a path, or from standard input for `-`. InputError where it cannot be read."""
    if path == STDIN:
        return TextDocument("standard input", sys.stdin.buffer.read())
    return TextDocument(Path(path).name or path, read_file(path))


def open_documents(paths: Sequence[str]) -> list[TextDocument]:
    """The documents of several paths in order. InputError for the first that cannot be read."""
    return [open_document(path) for path in paths]


def load_corpus(
    documents: Sequence[Document],
    split: Split,
    word_counts: bool | None = None,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Corpus:
    """The corpus of some documents. A single `.tsv` of words and counts opens as such; `word_counts` says yes or no
    whatever the name. InputError where it should be word counts and is not."""
    if word_counts is not False and (word_counts or all(d.name.endswith(WORD_COUNT_SUFFIX) for d in documents)):
        found: dict[str, int] = {}
        for document in documents:
            words = parse_word_counts(document.read(0, document.size), document.name)
            if words is None:
                if word_counts:
                    raise InputError(f"{document.name}, line 1: expected a word, a tab and a count")
                break
            for word, count in words.items():
                found[word] = found.get(word, 0) + count
        else:
            if found:
                return corpus_from_counts(found, documents[0].name)
    return build_corpus(documents, split, on_progress, should_stop)


def sample_folder() -> Path:
    """The folder of the sample texts: beside the package in a checkout, inside it when installed."""
    inside = Path(str(resources.files("tokexplorer"))) / "sample_texts"
    return inside if inside.is_dir() else inside.parent.parent / "sample_texts"


SAMPLE_ORDER: Final = ("english.txt", "hand_example.tsv", "nine_words.tsv", "code.py", "numbers.txt", "unicode.txt")


def sample_files() -> list[Path]:
    """The sample texts, the first one to open first."""
    folder = sample_folder()
    if not folder.is_dir():
        return []
    files = [p for p in folder.iterdir() if p.is_file() and not p.name.startswith(".")]
    order = {name: number for number, name in enumerate(SAMPLE_ORDER)}
    return sorted(files, key=lambda p: (order.get(p.name, len(order)), p.name))
