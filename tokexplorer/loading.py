"""From documents to a corpus: texts are counted, lists of words with counts and count files are taken as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tokexplorer.counting import build_corpus, is_counts, parse_counts
from tokexplorer.engine.corpus import (
    Corpus,
    Document,
    Progress,
    ShouldStop,
    corpus_from_counts,
    parse_word_counts,
)
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import Split

WORD_COUNT_SUFFIX: Final = ".tsv"
_HEAD: Final = 64
"""Bytes by which a count file is known."""


def load_corpus(
    documents: Sequence[Document],
    split: Split,
    word_counts: bool | None = None,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
    min_chunk_count: int = 1,
    max_chunks: int | None = None,
) -> Corpus:
    """The corpus of some documents. `.tsv` files of words and counts open as such; `word_counts` says yes or no
    whatever the name. A count file (`tokexplorer count`) opens with the split that it was counted with. Chunks below
    `min_chunk_count`, and the rarest beyond `max_chunks`, are left out.

    InputError where something should be word counts and is not; Cancelled.
    """
    if any(is_counts(document.read(0, _HEAD)) for document in documents) and word_counts is not True:
        if len(documents) > 1:
            raise InputError("a count file stands for all its texts: open it alone, without other files")
        return parse_counts(documents[0].read(0, documents[0].size), documents[0].name).corpus(documents[0].name)
    if word_counts is not False and (word_counts or all(d.name.endswith(WORD_COUNT_SUFFIX) for d in documents)):
        words = _word_counts(documents, word_counts is True)
        if words:
            return corpus_from_counts(words, documents[0].name)
    return build_corpus(documents, split, on_progress, should_stop, min_chunk_count, max_chunks)


def _word_counts(documents: Sequence[Document], required: bool) -> dict[str, int]:
    """The words of all documents, none where one of them is no list of words. InputError there if it is `required`."""
    found: dict[str, int] = {}
    for document in documents:
        words = parse_word_counts(document.read(0, document.size), document.name)
        if words is None:
            if required:
                raise InputError(f"{document.name}, line 1: expected a word, a tab and a count")
            return {}
        for word, count in words.items():
            found[word] = found.get(word, 0) + count
    return found
