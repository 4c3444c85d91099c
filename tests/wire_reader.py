"""Reads what a terminal received: escape sequences of the kinds that the explorer writes, texts, and all else."""

from __future__ import annotations

import re
import unicodedata

_SEQUENCE = re.compile(
    rb"\x1b\[[?<>=]?[0-9;:]*[HCGABDdmhlup]|\x1b\[\?[0-9]+\$p|\x1b\]8;[^\x00-\x1f\x7f-\xff]*\x1b\\"
    rb"|\x1b\]22;[a-z-]*\x07|\x1b\]52;c;[A-Za-z0-9+/=]*\x07|\x1b\(B|\x1b>|\x0f"
)
_HARMFUL = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def text_of(raw: bytes) -> str:
    """The texts between the escape sequences. Fails where the bytes are not UTF-8."""
    return _SEQUENCE.sub(b"", raw).decode("utf-8")


def harmful(raw: bytes) -> list[str]:
    """What should not have reached a terminal: characters that steer it, or that it may draw in any width."""
    return sorted({f"U+{ord(c):04X}" for c in text_of(raw) if unicodedata.category(c) in _HARMFUL})


def places(raw: bytes) -> list[tuple[int, int]]:
    """(row, column) of each absolute move of the cursor."""
    return [(int(y), int(x)) for y, x in re.findall(rb"\x1b\[(\d+);(\d+)H", raw)]
