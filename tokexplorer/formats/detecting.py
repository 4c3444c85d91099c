"""Which format a file has, by its first bytes."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from tokexplorer.formats.parsing import BOM, name_other
from tokexplorer.tokenizers.byte_spelling import unspell
from tokexplorer.tokenizers.protobuf import varint

HEAD_BYTES: Final = 64 * 1024
"""Bytes from the start of a file that `detect` wants to see."""

_STRING: Final = rb'"(?:[^"\\]|\\.)*"'
_FIRST_IS_NUMBER: Final = re.compile(rb"\s*\{\s*" + _STRING + rb"\s*:\s*-?\d", re.DOTALL)
_OWN: Final = re.compile(rb'\s*\{\s*"format"\s*:\s*"tokexplorer"')
_HF_KEYS: Final = re.compile(
    rb'"(?:added_tokens|pre_tokenizer|normalizer|post_processor|truncation|padding|decoder|model)"\s*:'
)
_LOOKED_AT: Final = 12
"""lines"""


def detect(head: bytes) -> str | None:
    """The name of the format (a key of FORMATS) that a file beginning with `head` has; None where it is none."""
    if name_other(head) is not None:
        return None
    body = head.removeprefix(BOM)
    if body.startswith(b"minbpe v"):
        return "minbpe"
    if body.lstrip()[:1] == b"{":
        return _detect_json(body)
    if is_sentencepiece(head):
        return "sentencepiece"
    return _detect_lines(body)


def _detect_json(body: bytes) -> str | None:
    if _OWN.match(body):
        return "own"
    if _FIRST_IS_NUMBER.match(body) or not body.strip(b"{} \r\n\t"):
        return "gpt2"
    return "tokenizer.json" if _HF_KEYS.search(body) else None


def _detect_lines(body: bytes) -> str | None:
    text = body.decode("utf-8", "replace")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    cut = len(body) >= HEAD_BYTES or not text.endswith("\n")
    if len(lines) > 1 and cut:
        lines.pop()
    filled = [line for line in lines if line]
    first = filled[:_LOOKED_AT]
    if not first:
        return None
    if 2 * sum(map(is_rank_line, first)) > len(first):
        return "tiktoken"
    if first[0].startswith("#version"):
        return "gpt2"
    if "[UNK]" in filled or (sum(line.startswith("##") and " " not in line for line in filled) > 1):
        return "bert-vocab"
    if 2 * sum(map(is_merge_line, first)) > len(first):
        return "gpt2"
    return "tiktoken" if is_rank_line(first[0]) else None


def is_rank_line(line: str) -> bool:
    """Whether a line is `base64 rank`."""
    token, space, rank = line.partition(" ")
    if not space or not (rank.isascii() and rank.strip().isdigit()):
        return False
    try:
        return bool(base64.b64decode(token, validate=True))
    except (binascii.Error, ValueError):
        return False


def is_merge_line(line: str) -> bool:
    """Whether a line is two tokens in byte-level characters."""
    parts = line.split(" ")
    return len(parts) == 2 and all(part and unspell(part.removesuffix("</w>")) is not None for part in parts)


def is_sentencepiece(head: bytes) -> bool:
    """Whether the bytes begin as a SentencePiece model does: a protobuf message whose first field is a piece, which
    begins with its text."""
    if len(head) < 4 or head[0] != 0x0A:
        return False
    size, at = varint(head, 1)
    if size < 2 or at >= len(head) or head[at] != 0x0A:
        return False
    length, start = varint(head, at + 1)
    if not 0 <= length <= at + size - start or at + size > len(head):
        return False
    try:
        head[start : start + length].decode()
    except UnicodeDecodeError:
        return False
    return at + size == len(head) or head[at + size] in (0x0A, 0x12, 0x1A)
