"""GPT-2's spelling of bytes as visible characters, which vocab.json, merges.txt and tokenizer.json use."""

from __future__ import annotations

from typing import Final


def _table() -> dict[int, str]:
    """Printable Latin-1 bytes stand for themselves; the others, in order, take the characters from U+0100 on (Radford
    et al. 2019, encoder.py)."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {byte: chr(byte) for byte in plain}
    others = [byte for byte in range(256) if byte not in table]
    return table | {byte: chr(0x100 + n) for n, byte in enumerate(others)}


CHARACTERS: Final = _table()
"""byte -> character"""
BYTES: Final = {char: byte for byte, char in CHARACTERS.items()}


def spell(data: bytes) -> str:
    """Bytes as byte-level characters: `b" the"` is `Ġthe`."""
    return data.decode("latin-1").translate(CHARACTERS)


def unspell(token: str) -> bytes | None:
    """The bytes of a token in byte-level characters; None where a character of it is none of them."""
    try:
        return bytes([BYTES[char] for char in token])
    except KeyError:
        return None
