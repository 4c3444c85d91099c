"""Count files: the chunks of texts with their counts, all that training needs. Written and read here.

The format, version 1, is UTF-8 text. Line 1 is `tokexplorer-counts 1`. Lines `key<TAB>value` follow up to an empty
line: `split` (a name, or `custom`), `pattern`, `bytes`, `characters`, `lines`, `places` (chunks in the texts),
`invalid-bytes`, `left-out` (places whose chunks are not listed), `chunks` (lines that follow), and one
`text<TAB>bytes<TAB>name` for each text in order. Then each chunk has a line `count<TAB>chunk`, in the order of first
occurrence in the texts, which tie rules hang on. In patterns, names and chunks a backslash starts what does not print:
`\\`, `\\n`, `\\r`, `\\t` as in C, `\\xHH` for a byte that is no part of valid UTF-8, `\\u{HEX}` for any other
character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.corpus import Corpus, CorpusStats, corpus_from_chunks
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import PATTERNS, Split, compile_split, named
from tokexplorer.files.file_documents import open_file

MAGIC: Final = "tokexplorer-counts"
VERSION: Final = 1

_NUMBERS: Final = ("bytes", "characters", "lines", "places", "invalid-bytes", "left-out", "chunks")
_ESCAPES: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED: Final = re.compile(r"\\(?:([\\nrt])|x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{1,6})\}|(.?))", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class ChunkCounts:
    """The chunks of texts with their counts, in the order of first occurrence, without the texts."""

    split: Split
    counts: Mapping[str, int]
    stats: CorpusStats
    left_out: int = 0
    texts: tuple[tuple[str, int], ...] = ()
    """name and size in bytes of each text"""

    def corpus(self, name: str) -> Corpus:
        """The corpus to train on; its one document lists the chunks."""
        return corpus_from_chunks(name, self.split, self.counts, self.stats, self.left_out)


def counts_of(corpus: Corpus) -> ChunkCounts:
    """The counts of a corpus."""
    counts = dict(zip(corpus.chunks, corpus.counts, strict=True))
    texts = tuple((d.name, d.size) for d in corpus.documents)
    return ChunkCounts(corpus.split, counts, corpus.stats, corpus.left_out, texts)


def write_counts(path: str, counts: ChunkCounts, force: bool = False) -> None:
    """Write a count file, whole or not at all. InputError where it cannot be, or exists and `force` is unset."""
    from tokexplorer.formats.files import drafted  # with all formats, which opening a text does not need

    with drafted({path: counts_to_bytes(counts)}, force) as draft:
        draft.put()


def read_counts(path: str) -> Corpus:
    """The corpus of a count file. InputError says where one is wrong."""
    document = open_file(path)
    return parse_counts(document.read(0, document.size), document.name).corpus(document.name)


def is_counts(head: bytes) -> bool:
    """Whether a file that begins so is a count file."""
    return head.startswith(MAGIC.encode() + b" ")


def counts_to_bytes(counts: ChunkCounts) -> bytes:
    """The content of a count file."""
    stats = counts.stats
    values = (
        stats.bytes,
        stats.characters,
        stats.lines,
        stats.chunks,
        stats.invalid_bytes,
        counts.left_out,
        len(counts.counts),
    )
    lines = [f"{MAGIC} {VERSION}", f"split\t{counts.split.name}", f"pattern\t{escape(counts.split.pattern)}"]
    lines += [f"{key}\t{value}" for key, value in zip(_NUMBERS, values, strict=True)]
    lines += [f"text\t{size}\t{escape(name)}" for name, size in counts.texts]
    lines.append("")
    lines += [f"{count}\t{escape(chunk)}" for chunk, count in counts.counts.items()]
    lines.append("")
    return "\n".join(lines).encode()


def escape(text: str) -> str:
    """A text as it stands in a count file: one line, nothing in it that does not print, valid UTF-8."""
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(map(_escape, text))


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    point = ord(char)
    return f"\\x{point - 0xDC00:02X}" if 0xDC80 <= point <= 0xDCFF else f"\\u{{{point:X}}}"


def unescape(text: str) -> str:
    """The text that `escape` made a line of. ValueError where a backslash stands wrong."""
    return _ESCAPED.sub(_unescape, text) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    letter, byte, point, wrong = match.groups()
    if letter:
        return {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}[letter]
    if byte:
        if int(byte, 16) < 0x80:
            raise ValueError(f"\\x{byte} is not a byte outside ASCII")
        return to_text(bytes([int(byte, 16)]))
    if point:
        value = int(point, 16)
        if value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
            raise ValueError(f"\\u{{{point}}} is not a character")
        return chr(value)
    raise ValueError(f"\\{wrong} is not an escape")


class _Lines:
    """The lines of a count file, numbered for messages."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self.number = 0
        self._lines = iter(to_text(data).split("\n"))

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.number += 1
            yield line

    def fail(self, what: str) -> InputError:
        return InputError(f"{self.name}, line {self.number}: {what}")


def parse_counts(data: bytes, name: str) -> ChunkCounts:
    """The counts in the content of a count file. InputError names the line that is wrong."""
    lines = _Lines(data, name)
    first = next(iter(lines), "")
    if first != f"{MAGIC} {VERSION}":
        if is_counts(data):
            raise lines.fail(f"this program reads version {VERSION} of count files; this is another one")
        raise lines.fail(f"expected {MAGIC} {VERSION}")
    values, texts = _parse_head(lines)
    split = _split_of(lines, values)
    numbers = [_number(lines, key, values.get(key, "")) for key in _NUMBERS]
    counts = _parse_chunks(lines, numbers[6])
    if sum(counts.values()) + numbers[5] != numbers[3]:
        raise lines.fail(f"the counts add up to {sum(counts.values()):,}; expected {numbers[3] - numbers[5]:,}")
    stats = CorpusStats(numbers[0], numbers[1], numbers[2], numbers[3], len(counts), numbers[4])
    return ChunkCounts(split, counts, stats, numbers[5], tuple(texts))


def _parse_head(lines: _Lines) -> tuple[dict[str, str], list[tuple[str, int]]]:
    values: dict[str, str] = {}
    texts: list[tuple[str, int]] = []
    for line in lines:
        if not line:
            return values, texts
        key, tab, value = line.partition("\t")
        if not tab:
            raise lines.fail("expected a key, a tab and a value")
        if key == "text":
            size, _, text = value.partition("\t")
            texts.append((_unescaped(lines, text), _number(lines, "the size of a text", size)))
        else:
            values[key] = value
    raise lines.fail("the file ends early")


def _split_of(lines: _Lines, values: Mapping[str, str]) -> Split:
    if "split" not in values or "pattern" not in values:
        raise lines.fail("the split or its pattern is missing")
    name, pattern = values["split"], _unescaped(lines, values["pattern"])
    if PATTERNS.get(name) == pattern:
        return named(name)
    try:
        return compile_split(pattern)
    except InputError as error:
        raise lines.fail(str(error)) from error


def _parse_chunks(lines: _Lines, expected: int) -> dict[str, int]:
    counts: dict[str, int] = {}
    for line in lines:
        count, tab, chunk = line.partition("\t")
        if not tab:
            if line:
                raise lines.fail("expected a count, a tab and a chunk")
            break
        chunk = _unescaped(lines, chunk)
        if not chunk or chunk in counts:
            raise lines.fail("this chunk is listed already" if chunk else "a chunk is empty")
        counts[chunk] = _number(lines, "the count", count)
        if not counts[chunk]:
            raise lines.fail("the count is 0; counts start at 1")
    if len(counts) != expected:
        raise lines.fail(f"{len(counts):,} chunks are listed; expected {expected:,}")
    return counts


def _number(lines: _Lines, what: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= 18):
        raise lines.fail(f"{what} is missing" if not value else f"{what} is not a whole number")
    return int(value)


def _unescaped(lines: _Lines, text: str) -> str:
    if "\\" not in text:
        return text
    try:
        return to_text(to_bytes(unescape(text)))
    except ValueError as error:
        raise lines.fail(str(error)) from error
