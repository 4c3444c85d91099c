"""Which format a file has, by its first bytes."""

from __future__ import annotations

from typing import Final

HEAD_BYTES: Final = 64 * 1024


def detect(head: bytes) -> str | None:
    """The name of the format (a key of FORMATS) that a file beginning with `head` has; None where it is none."""
    raise NotImplementedError
