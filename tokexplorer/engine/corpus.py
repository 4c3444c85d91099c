"""The corpus: documents as bytes, their unique chunks with counts, and where the chunks of any place are."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Final, Protocol

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.chunking import ChunkTally, count_broken
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import Split, named

PIECE_SIZE: Final = 16 * 1024
"""Bytes in a piece of text that is decoded and split at once: its chunks stay in the processor's cache while they are
counted, and a view splits no more than that to show a line."""
READ_SIZE: Final = 256 * 1024

Progress = Callable[[int, int], None]
"""Called with (bytes done, bytes in all)."""
ShouldStop = Callable[[], bool]


class Cancelled(Exception):
    """The caller asked to stop; nothing was changed."""


class Document(Protocol):
    """A text that can be read in parts: in memory, or a file larger than memory."""

    @property
    def name(self) -> str:
        """What the user calls it."""

    @property
    def size(self) -> int:
        """Its size in bytes."""

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end)."""


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A document held in memory."""

    name: str
    data: bytes

    @property
    def size(self) -> int:
        return len(self.data)

    def read(self, start: int, end: int) -> bytes:
        return self.data[start:end]


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """Totals over all documents; `chunks` counts what was left out, `unique_chunks` does not.

    `invalid_bytes`: bytes (of the chunks that were counted) that are not part of valid UTF-8.
    """

    bytes: int
    characters: int
    lines: int
    chunks: int
    unique_chunks: int
    invalid_bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Unique chunks in the order of their first occurrence in the text, with their counts. Immutable.

    `starts[d]` holds the byte offsets at which the pieces of document d start; a piece starts at a chunk border.
    `word_counts`: the corpus came as words with counts; the one document then lists each word on a line.
    """

    documents: tuple[Document, ...]
    split: Split
    chunks: Sequence[str]
    counts: Sequence[int]
    stats: CorpusStats
    starts: tuple[array[int], ...]
    word_counts: bool = False
    offsets: tuple[int, ...] = field(default=())
    listed: array[int] | None = None
    """where each chunk starts in the one document, which lists the chunks, each followed by a line feed: set where the
    corpus came as counts and the texts themselves are not at hand"""
    left_out: int = 0
    """chunks (places) of the text that are not among `chunks`: a minimum chunk count or a bound left them out"""

    @property
    def size(self) -> int:
        """Bytes of all documents together; documents follow each other without a gap."""
        return self.offsets[-1] if self.offsets else 0

    def document_at(self, offset: int) -> int:
        """The number of the document that holds byte `offset` of the whole."""
        return min(max(bisect_right(self.offsets, offset) - 1, 0), len(self.documents) - 1)

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end) of the documents taken as one text."""
        parts = []
        number = self.document_at(start)
        while start < end and number < len(self.documents):
            base = self.offsets[number]
            stop = min(end, self.offsets[number + 1])
            parts.append(self.documents[number].read(start - base, stop - base))
            start, number = stop, number + 1
        return b"".join(parts)

    def chunk_spans(self, start: int, end: int) -> list[tuple[int, int]]:
        """The chunks that overlap bytes [start, end) of the whole text, as byte spans, in order."""
        if self.listed is not None:
            return _listed_spans(self.listed, self.size, start, end)
        found: list[tuple[int, int]] = []
        number = self.document_at(start)
        while start < end and number < len(self.documents):
            base, stop = self.offsets[number], min(end, self.offsets[number + 1])
            starts = self.starts[number]
            piece = max(bisect_right(starts, start - base) - 1, 0)
            while piece < len(starts) and base + starts[piece] < stop:
                for a, b in self._piece_spans(number, piece):
                    if base + b > start and base + a < stop:
                        found.append((base + a, base + b))
                piece += 1
            start, number = stop, number + 1
        return found

    def _piece_spans(self, number: int, piece: int) -> list[tuple[int, int]]:
        starts = self.starts[number]
        begin = starts[piece]
        stop = starts[piece + 1] if piece + 1 < len(starts) else self.documents[number].size
        return _spans_of(self, number, begin, stop)


def _listed_spans(listed: array[int], size: int, start: int, end: int) -> list[tuple[int, int]]:
    found = []
    number = max(bisect_right(listed, start) - 1, 0)
    while number < len(listed) and listed[number] < end:
        stop = (listed[number + 1] if number + 1 < len(listed) else size) - 1
        if stop > start:
            found.append((listed[number], stop))
        number += 1
    return found


@lru_cache(maxsize=256)
def _spans_of(corpus: Corpus, number: int, begin: int, stop: int) -> list[tuple[int, int]]:
    text = to_text(corpus.documents[number].read(begin, stop))
    return list(byte_spans(text, corpus.split, begin))


def byte_spans(text: str, split: Split, base: int = 0) -> Iterator[tuple[int, int]]:
    """The chunks of a decoded text as byte spans, `base` added to each."""
    if text.isascii():
        for a, b in split.spans(text):
            yield base + a, base + b
        return
    at, at_bytes = 0, base
    for a, b in split.spans(text):
        start = at_bytes + len(to_bytes(text[at:a]))
        at, at_bytes = b, start + len(to_bytes(text[a:b]))
        yield start, at_bytes


def read_pieces(
    document: Document, split: Split, size: int = PIECE_SIZE, start: int = 0, stop: int | None = None
) -> Iterator[tuple[int, bytes]]:
    """The pieces of a document, or of its bytes [start, stop), as (start in bytes, bytes), each cut where a chunk
    border is certain.

    Never holds much more than one piece, whatever the document's size, where the split has such places. InputError
    where the document is shorter than it was.
    """
    end = document.size if stop is None else stop
    at = read = start
    buffer = b""
    used = 0
    while at < end:
        cut = split.safe_cut(buffer, used + size)
        if cut is None and read < end:
            more = document.read(read, min(end, read + max(READ_SIZE, len(buffer) - used)))
            if not more:
                raise InputError(f"{document.name}: ended early, at byte {read:,} of {document.size:,}")
            buffer = buffer[used:] + more
            read += len(more)
            used = 0
            continue
        piece = buffer[used:cut]
        yield at, piece
        at += len(piece)
        used += len(piece)


def build_corpus(
    documents: Sequence[Document],
    split: Split,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
    min_chunk_count: int = 1,
    max_chunks: int | None = None,
) -> Corpus:
    """Count the unique chunks of the documents. No chunk crosses from one document into the next.

    Chunks with fewer than `min_chunk_count` places are left out, and the rarest where more than `max_chunks` are
    distinct; see `ChunkTally`. Raises Cancelled when `should_stop` says so.
    """
    tally = ChunkTally(split, max_chunks)
    total = sum(d.size for d in documents)
    starts: list[array[int]] = []
    done = told = 0
    for document in documents:
        own: array[int] = array("q")
        for at, piece in read_pieces(document, split):
            if should_stop is not None and should_stop():
                raise Cancelled
            own.append(at)
            tally.add(piece, at + len(piece) >= document.size)
            done += len(piece)
            if on_progress is not None and (done - told >= READ_SIZE or done == total):
                told = done
                on_progress(done, total)
        starts.append(own)
    tally.cut(min_chunk_count, max_chunks)
    return corpus_of_tally(documents, split, tally, starts)


def corpus_of_tally(
    documents: Sequence[Document], split: Split, tally: ChunkTally, starts: Sequence[array[int]]
) -> Corpus:
    """The corpus of documents whose chunks were counted; `starts` as in `Corpus`."""
    return _assemble(documents, split, tally.counts, starts, tally.characters, tally.lines, left_out=tally.left_out)


def _assemble(
    documents: Sequence[Document],
    split: Split,
    counter: Mapping[str, int],
    starts: Sequence[array[int]],
    characters: int,
    lines: int,
    word_counts: bool = False,
    left_out: int = 0,
) -> Corpus:
    chunks = list(counter)
    counts = list(counter.values())
    stats = CorpusStats(
        bytes=sum(d.size for d in documents),
        characters=characters,
        lines=lines,
        chunks=sum(counts) + left_out,
        unique_chunks=len(chunks),
        invalid_bytes=count_broken(counter),
    )
    offsets = (0, *accumulate(d.size for d in documents))
    return Corpus(
        tuple(documents), split, chunks, counts, stats, tuple(starts), word_counts, offsets, left_out=left_out
    )


def corpus_from_counts(words: Mapping[str, int], name: str = "words") -> Corpus:
    """A corpus of words with counts, in the given order. The text to look at lists each word on a line of its own.

    Raises InputError on an empty word, one with white space in it, or a count below 1.
    """
    for word, count in words.items():
        if not word or word.split() != [word]:
            raise InputError(f"{name}: {word!r} is not a word: words are not empty and hold no white space")
        if count < 1:
            raise InputError(f"{name}: the count of {word!r} is {count}; counts start at 1")
    data = b"".join(to_bytes(word) + b"\n" for word in words)
    document = TextDocument(name, data)
    starts = array("q", [0] if data else [])
    characters = sum(len(word) * n for word, n in words.items())
    return _assemble([document], named("words"), words, [starts], characters, len(words), word_counts=True)


def corpus_from_chunks(name: str, split: Split, counts: Mapping[str, int], stats: CorpusStats, left_out: int) -> Corpus:
    """A corpus whose chunks were counted before; `stats` are those of the texts that they were counted in. The text
    to look at lists each chunk, followed by a line feed."""
    data = list(map(to_bytes, counts))
    listed = array("q", [0, *accumulate(len(chunk) + 1 for chunk in data)])
    document = TextDocument(name, b"\n".join([*data, b""]))
    offsets = (0, listed.pop())
    starts = (array("q", [0] if data else []),)
    return Corpus(
        (document,), split, list(counts), list(counts.values()), stats, starts, False, offsets, listed, left_out
    )


def parse_word_counts(data: bytes, name: str) -> dict[str, int] | None:
    """The words of a `word TAB count` file, or None where it is not one. Repeated words add up.

    InputError names the line where a file that begins so goes wrong.
    """
    words: dict[str, int] = {}
    for number, line in enumerate(to_text(data).split("\n"), 1):
        if not line.strip():
            continue
        word, tab, count = line.rstrip("\r").partition("\t")
        if not tab or not count.strip().isascii() or not count.strip().isdigit() or word.split() != [word]:
            if not words:
                return None
            raise InputError(f"{name}, line {number}: expected a word, a tab and a count")
        words[word] = words.get(word, 0) + int(count)
    return words or None
