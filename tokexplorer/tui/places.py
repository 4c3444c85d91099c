"""Places in a text: the chunk that holds a byte, with the text around it that its split looks at."""

from __future__ import annotations

from dataclasses import dataclass

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.texts import Text
from tokexplorer.tokenizers.base import Tokenizer


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of a text: bytes [start, end). `piece` is the text around it from byte `base` on, which is cut like the
    whole."""

    start: int
    end: int
    data: bytes
    base: int
    piece: bytes


def chunk_at(text: Text, tokenizer: Tokenizer, offset: int) -> Chunk:
    """The chunk that holds a byte; what the split leaves out, or the line where no split is known, is one too."""
    for base, end in text.pieces(tokenizer.split, offset, offset + 1):
        piece = text.read(base, end)
        if tokenizer.split is None:
            return _line(piece, base, offset)
        source = to_text(piece)
        at = base
        last = 0
        for start, stop in tokenizer.split.spans(source):
            for a, b in ((last, start), (start, stop)):
                data = to_bytes(source[a:b])
                if at <= offset < at + len(data):
                    return Chunk(at, at + len(data), data, base, piece)
                at += len(data)
            last = stop
        return Chunk(at, end, to_bytes(source[last:]), base, piece)
    return Chunk(offset, offset, b"", offset, b"")


def _line(piece: bytes, base: int, offset: int) -> Chunk:
    start = piece.rfind(b"\n", 0, offset - base) + 1
    end = piece.find(b"\n", offset - base)
    end = len(piece) if end < 0 else end + 1
    return Chunk(base + start, base + end, piece[start:end], base + start, piece[start:end])
