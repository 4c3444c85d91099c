"""Telling tokenizer files from texts by their content, before a file is opened as the one or the other."""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tokexplorer.files.plain_text import LINES, MOSTLY, read_head, whole_lines
from tokexplorer.formats.detecting import HEAD_BYTES, detect, is_merge_line, is_rank_line
from tokexplorer.formats.gpt2_pair import find_pair
from tokexplorer.formats.parsing import BOM

_FEW: Final = 16
"""Lines or entries below which even a flawless file may be something else."""
_LONGEST: Final = 2048
"""Bytes that an entry may have which the end of the head cuts off."""
_ENTRY: Final = re.compile(rb'\s*"(?:[^"\\]|\\.)*"\s*:\s*(-?\d+)\s*(?=[,}])', re.DOTALL)
_MINBPE: Final = re.compile(rb"minbpe v\d+\r?\n[^\n]*\n\d+\s*\n")
"""its head, the pattern, how many special tokens there are"""
_KEYS: Final = re.compile(
    rb'"(added_tokens|pre_tokenizer|normalizer|post_processor|truncation|padding|decoder|model)"\s*:'
)
_INSIDE: Final = re.compile(rb'"(?:model"\s*:\s*\{|added_tokens"\s*:\s*\[)')
_HOLDS_TOKENS: Final = re.compile(rb'"(?:vocab|merges)"\s*:\s*[\[{]')
_BERT: Final = frozenset(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"))


class Nature(StrEnum):
    """What a file is by its content: a tokenizer, a text, or either."""

    TEXT = "text"
    TOKENIZER = "tokenizer"
    DOUBTFUL = "doubtful"


@dataclass(frozen=True, slots=True)
class Sorted:
    """Paths by the nature of their files, each in the order given."""

    texts: tuple[str, ...] = ()
    tokenizers: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()


def sort_files(paths: Sequence[str], known: Mapping[str, Nature]) -> Sorted:
    """Sort files; `known` is what was said of some of them. What cannot be read, and what is no regular file, is with
    the texts, whose opening words it."""
    natures = [known.get(path) or nature_of(path) for path in paths]
    texts, tokenizers, doubtful = (
        tuple(path for path, found in zip(paths, natures, strict=True) if found is nature)
        for nature in (Nature.TEXT, Nature.TOKENIZER, Nature.DOUBTFUL)
    )
    return Sorted(texts, tokenizers, doubtful)


def nature_of(path: str) -> Nature:
    """The nature of a file by its first HEAD_BYTES."""
    head = read_head(path)
    return Nature.TEXT if head is None else nature(head)


def files_of(path: str) -> tuple[str, ...]:
    """The files that the tokenizer in a file consists of: ids and merges of GPT-2's pair, else that file alone.
    InputError where the second file of a pair is missing."""
    head = read_head(path)
    if head is None or detect(head) != "gpt2":
        return (path,)
    pair = find_pair(path, head.removeprefix(BOM).lstrip()[:1] == b"{")
    return pair.vocab, pair.merges


def format_in(path: str) -> str | None:
    """The name of the format (a key of FORMATS) that a file has by its beginning; None where it has none of ours."""
    head = read_head(path)
    return None if head is None else detect(head)


def nature(head: bytes) -> Nature:
    """The nature of a file that begins with `head`. Formats that no text has by chance are certain; a list of words or
    of numbers may look like a vocabulary, ranks or merges, so those are certain only with more evidence."""
    fmt, body = detect(head), head.removeprefix(BOM)
    if fmt == "own":
        return Nature.TOKENIZER
    if fmt == "minbpe":
        return Nature.TOKENIZER if _MINBPE.match(body) else Nature.TEXT
    if fmt == "sentencepiece":
        return Nature.TOKENIZER if any(byte < 9 or 13 < byte < 32 for byte in head) else Nature.DOUBTFUL
    if fmt == "tokenizer.json":
        return _nature_of_object(body)
    if fmt == "gpt2" and body.lstrip()[:1] == b"{":
        return _nature_of_ids(body, len(head) >= HEAD_BYTES)
    if fmt is None:
        return Nature.TEXT
    lines = [line.decode("utf-8", "replace") for line in whole_lines(body, len(head) >= HEAD_BYTES)]
    return {"gpt2": _nature_of_merges, "tiktoken": _nature_of_ranks, "bert-vocab": _nature_of_words}[fmt](lines)


def _nature_of_object(body: bytes) -> Nature:
    keys = {match[1] for match in _KEYS.finditer(body)}
    if len(keys) >= 3:
        return Nature.TOKENIZER if _INSIDE.search(body) else Nature.DOUBTFUL
    return Nature.DOUBTFUL if _INSIDE.search(body) and _HOLDS_TOKENS.search(body) else Nature.TEXT


def _nature_of_ids(body: bytes, cut: bool) -> Nature:
    """A JSON object of names and whole numbers: ids, where they count from 0; words and their counts, perhaps."""
    at = body.index(b"{") + 1
    ids: list[int] = []
    while (match := _ENTRY.match(body, at)) is not None:
        ids.append(int(match[1][:12]))
        at = match.end() + body.startswith(b",", match.end())
    whole = body[at:].strip() == b"}" or (cut and len(body) - at < _LONGEST)
    if not ids or not whole or len(set(ids)) < len(ids):
        return Nature.TEXT
    return Nature.TOKENIZER if len(ids) >= _FEW and ids == [*range(len(ids))] else Nature.DOUBTFUL


def _nature_of_merges(lines: list[str]) -> Nature:
    """Pairs of words may be anything; merges join what earlier ones made, the first one joins two symbols, and none
    comes twice."""
    headed = lines[0].startswith("#version")
    rows = lines[headed : headed + LINES]
    made: set[str] = set()
    known = merges = 0
    for row in filter(is_merge_line, rows):
        left, right = row.split(" ")
        merges += 1
        known += _is_made(left, made) and _is_made(right, made)
        made.add(left + right)
    if headed and merges >= MOSTLY * len(rows):
        return Nature.TOKENIZER if rows else Nature.DOUBTFUL
    if known < MOSTLY * len(rows) or len(set(rows)) < len(rows):
        return Nature.TEXT
    return Nature.TOKENIZER if known == len(rows) >= _FEW else Nature.DOUBTFUL


def _is_made(token: str, made: set[str]) -> bool:
    return len(token.removesuffix("</w>")) <= 1 or token in made


def _nature_of_ranks(lines: list[str]) -> Nature:
    rows = lines[:LINES]
    ranked = [row.partition(" ") for row in rows if is_rank_line(row)]
    if len(ranked) < MOSTLY * len(rows):
        return Nature.TEXT
    ranks = [int(rank.strip()[:12]) for _, _, rank in ranked]
    in_order = len(ranked) == len(rows) and all(b == a + 1 for a, b in itertools.pairwise(ranks))
    bytes_first = all(len(base64.b64decode(token)) == 1 for token, _, _ in ranked[:_FEW])
    return Nature.TOKENIZER if in_order and bytes_first and len(ranked) >= _FEW else Nature.DOUBTFUL


def _nature_of_words(lines: list[str]) -> Nature:
    words = [line for line in lines if len(line.split()) == 1]
    first = lines[:LINES]
    if len(words) < MOSTLY * len(lines) or sum(len(line.split()) == 1 for line in first) < MOSTLY * len(first):
        return Nature.TEXT
    named, inside = _BERT.intersection(words), sum(word.startswith("##") for word in words)
    return Nature.TOKENIZER if len(named) >= 3 or ("[UNK]" in named and inside >= 5) else Nature.DOUBTFUL
