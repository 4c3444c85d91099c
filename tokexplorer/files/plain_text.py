"""A quick look at a file before it is opened: most texts are no tokenizer for sure, and the formats need not be loaded
to say so."""

from __future__ import annotations

import os
import stat
from typing import Final

HEAD_BYTES: Final = 64 * 1024
LINES: Final = 500
"""Lines that are looked at."""
MOSTLY: Final = 0.9
"""The share of lines that ranks, merges and words must have, of a file that may be damaged."""
_BEGINNINGS: Final = (b"{", b"minbpe ", b"#version")


def read_head(path: str) -> bytes | None:
    """The first HEAD_BYTES of a regular file, None where it cannot be read or is none."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            return file.read(HEAD_BYTES)
    except (OSError, ValueError):
        return None


def is_plain(head: bytes) -> bool:
    """Whether a file that begins with `head` is a text for sure: it does not begin as a tokenizer file does, and too
    many of its lines have more than two words, which those of ranks, merges and vocabularies do not have. False says
    nothing: then `formats.nature` is to be asked."""
    body = head.removeprefix(b"\xef\xbb\xbf")
    if head[:1] == b"\n" or body.lstrip()[:1] == b"{" or body.startswith(_BEGINNINGS):
        return False
    lines = whole_lines(body, len(head) >= HEAD_BYTES)[:LINES]
    return sum(len(line.split()) > 2 for line in lines) > (1 - MOSTLY) * len(lines) + 1


def is_plain_file(path: str) -> bool:
    """The same of a file; also where it cannot be read, or is no regular file: no tokenizer is read from those."""
    head = read_head(path)
    return head is None or is_plain(head)


def whole_lines(body: bytes, cut: bool) -> list[bytes]:
    """The lines that are not empty, without their ends; without the last one where the body is `cut`."""
    lines = [line.removesuffix(b"\r") for line in body.split(b"\n")]
    if len(lines) > 1 and cut:
        lines.pop()
    return [line for line in lines if line]
