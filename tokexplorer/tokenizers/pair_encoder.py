"""Byte-pair encoding of a chunk with a vocabulary from a file: any ids, any merge list, unknown symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.segments import Segment, name_character
from tokexplorer.tokenizers.pair_merging import Ranks, merge_ids

if TYPE_CHECKING:
    import tiktoken

_UNKNOWN: Final = -1


@dataclass(frozen=True, slots=True, eq=False)
class BytePairs:
    """BPE over bytes. `base[b]` is the id of byte b, -1 where it has none: such a byte is left out, as Hugging Face
    tokenizers leaves it out. `whole`: chunks that are one token, whether or not the merges lead there."""

    base: tuple[int, ...]
    ranks: Ranks
    whole: Mapping[bytes, int]

    def encode(self, chunk: str) -> tuple[Segment, ...]:
        """The tokens of a chunk; spans in bytes."""
        data = to_bytes(chunk)
        found = self.whole.get(data)
        if found is not None:
            return (Segment(found, 0, len(data)),)
        ids = [self.base[byte] for byte in data]
        sizes = [1] * len(ids)
        merge_ids(ids, sizes, self.ranks)
        out: list[Segment] = []
        at = 0
        for token, size in zip(ids, sizes):
            if token >= 0:
                out.append(Segment(token, at, at + size))
            at += size
        return tuple(out)


@dataclass(frozen=True, slots=True, eq=False)
class RankedBytes:
    """BPE by the ranks of bytes alone, through tiktoken, which also takes a chunk that is one token as it stands."""

    encoding: tiktoken.Encoding
    ranks: Mapping[bytes, int]
    sizes: Mapping[int, int]
    """id -> bytes of the token"""

    def encode(self, chunk: str) -> tuple[Segment, ...]:
        """The tokens of a chunk; spans in bytes."""
        data = to_bytes(chunk)
        found = self.ranks.get(data)
        if found is not None:
            return (Segment(found, 0, len(data)),)
        out: list[Segment] = []
        at = 0
        for token in self.encoding._encode_single_piece(data):
            out.append(Segment(token, at, at + self.sizes[token]))
            at = out[-1].end
        return tuple(out)


@dataclass(frozen=True, slots=True, eq=False)
class CharacterPairs:
    """BPE over characters. A character without an id becomes the ids of its bytes in `byte_ids` (`<0x0A>` tokens)
    where all of them are there, else `unknown_id`, or nothing where that is None; `fuse`: neighbouring unknown
    characters become one token."""

    base: Mapping[str, int]
    ranks: Ranks
    whole: Mapping[str, int]
    unknown_id: int | None
    fuse: bool = False
    byte_ids: tuple[int, ...] = ()

    def encode(self, chunk: str) -> tuple[Segment, ...]:
        """The tokens of a chunk; spans in bytes."""
        found = self.whole.get(chunk)
        if found is not None:
            return (Segment(found, 0, len(to_bytes(chunk))),)
        ids: list[int] = []
        sizes: list[int] = []
        names: dict[int, str] = {}
        for char in chunk:
            self._spell(char, ids, sizes, names)
        starts = _starts(sizes)
        merge_ids(ids, sizes, self.ranks)
        reasons = {starts[number]: name for number, name in names.items()}
        return tuple(self._segments(ids, sizes, reasons))

    def _spell(self, char: str, ids: list[int], sizes: list[int], names: dict[int, str]) -> None:
        known = self.base.get(char)
        data = to_bytes(char)
        if known is not None:
            ids.append(known)
            sizes.append(len(data))
            return
        parts = [self.byte_ids[b] for b in data] if self.byte_ids else [_UNKNOWN]
        if min(parts) >= 0:
            ids += parts
            sizes += [1] * len(parts)
        elif self.unknown_id is None:
            ids.append(_UNKNOWN)
            sizes.append(len(data))
        elif self.fuse and names and max(names) == len(ids) - 1:
            sizes[-1] += len(data)
        else:
            names[len(ids)] = f"unknown {name_character(char)}"
            ids.append(self.unknown_id)
            sizes.append(len(data))

    def _segments(self, ids: list[int], sizes: list[int], reasons: Mapping[int, str]) -> list[Segment]:
        out: list[Segment] = []
        at = 0
        for token, size in zip(ids, sizes):
            if token != _UNKNOWN:
                reason = reasons.get(at, "") if token == self.unknown_id else ""
                out.append(Segment(token, at, at + size, reason))
            at += size
        return out


def _starts(sizes: list[int]) -> list[int]:
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    return starts
