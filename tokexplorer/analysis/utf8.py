"""UTF-8 byte by byte: the states inside a character, so that cut characters can be completed exactly."""

from __future__ import annotations

from typing import Final

START: Final = 0
"""the state at a character border"""
DEAD: Final = 8
"""the state after bytes that no valid UTF-8 holds"""
STATES: Final = range(8)
"""the live states; 1-7 lie inside a character"""

# Where the next byte must lie, and the state after it (Unicode 15, table 3-7): 1 and 2 wait for one and two plain
# continuation bytes, 3 = after E0, 4 = after ED (no surrogates), 5 = after F1-F3, 6 = after F0, 7 = after F4.
_CONTINUATIONS: Final = (
    (1, 0x80, 0xBF, START),
    (2, 0x80, 0xBF, 1),
    (3, 0xA0, 0xBF, 1),
    (4, 0x80, 0x9F, 1),
    (5, 0x80, 0xBF, 2),
    (6, 0x90, 0xBF, 2),
    (7, 0x80, 0x8F, 2),
)
_LEADS: Final = (
    (0x00, 0x7F, START),
    (0xC2, 0xDF, 1),
    (0xE0, 0xE0, 3),
    (0xE1, 0xEC, 2),
    (0xED, 0xED, 4),
    (0xEE, 0xEF, 2),
    (0xF0, 0xF0, 6),
    (0xF1, 0xF3, 5),
    (0xF4, 0xF4, 7),
)


def _table() -> tuple[bytes, ...]:
    rows = [bytearray([DEAD]) * 256 for _ in range(DEAD + 1)]
    for low, high, state in _LEADS:
        rows[START][low : high + 1] = bytes([state]) * (high + 1 - low)
    for before, low, high, after in _CONTINUATIONS:
        rows[before][low : high + 1] = bytes([after]) * (high + 1 - low)
    return tuple(bytes(row) for row in rows)


NEXT: Final = _table()
"""NEXT[state][byte] is the state after the byte"""


def run(state: int, data: bytes) -> int:
    """The state after `data` when it is read in `state`; DEAD where no valid text goes on that way."""
    for byte in data:
        state = NEXT[state][byte]
    return state


def passages(data: bytes) -> dict[int, int]:
    """All live states in which `data` may begin, each with the (live) state in which it then ends."""
    found = {state: run(state, data) for state in STATES}
    return {before: after for before, after in found.items() if after != DEAD}


def head(state: int, data: bytes) -> bytes | None:
    """The part of `data`, read in `state`, that ends at the first border between characters; None without one."""
    for index, byte in enumerate(data, 1):
        state = NEXT[state][byte]
        if state == START:
            return data[:index]
    return None


def tail(data: bytes) -> bytes | None:
    """The part of `data` that starts with its last character; None where no character starts in it."""
    for index in range(len(data) - 1, -1, -1):
        if not 0x80 <= data[index] < 0xC0:
            return data[index:]
    return None


def is_valid(data: bytes) -> bool:
    """Whether `data` alone is valid UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def completions(state: int) -> list[bytes]:
    """All byte strings that complete a character from `state` on, shortest first ([b""] at a border); at most 4096
    for states in the middle of a four-byte character."""
    if state == START:
        return [b""]
    found: list[bytes] = []
    for before, low, high, after in _CONTINUATIONS:
        if before == state:
            tails = completions(after)
            found = [bytes([byte]) + tail for byte in range(low, high + 1) for tail in tails]
    return found


def beginnings(state: int) -> list[bytes]:
    """All byte strings that lead from a character border into `state` within one character."""
    if state == START:
        return [b""]
    found = [bytes([byte]) for low, high, after in _LEADS if after == state for byte in range(low, high + 1)]
    for before, low, high, after in _CONTINUATIONS:
        if after == state:
            found += [head + bytes([byte]) for head in beginnings(before) for byte in range(low, high + 1)]
    return found
