"""As much of the protobuf wire format as SentencePiece's messages need."""

from __future__ import annotations

from collections.abc import Iterator


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins at `at` and the offset after it; the number is -1 where there is none."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if not byte & 0x80:
            return value, at
    return -1, at


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message as (number, value), in order: numbers as int, all else as bytes. ValueError where the
    message is broken."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if tag < 0 or kind not in (0, 1, 2, 5):
            raise ValueError("not a protobuf message")
        if kind == 0:
            value, at = varint(data, at)
            yield number, value
            continue
        size, at = varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
        if not 0 <= size <= len(data) - at:
            raise ValueError("not a protobuf message")
        yield number, data[at : at + size]
        at += size
