"""Packs published `.tiktoken` rank files into the embedded form: `python -m tokexplorer.data.pack FOLDER [TARGET]`.

FOLDER holds r50k_base.tiktoken, cl100k_base.tiktoken and o200k_base.tiktoken (one line a token: base64, a space, rank).
TARGET is where the `.pairs` files go; the default is this package. See tokexplorer/tokenizers/ranks.py for the form.
"""

from __future__ import annotations

import sys
from base64 import b64decode
from binascii import Error as Base64Error
from pathlib import Path

from tokexplorer.engine.errors import InputError, TokexplorerError, UsageError
from tokexplorer.tokenizers.parents import recover_merges
from tokexplorer.tokenizers.ranks import BYTES, PACKED, pack, unpack


def read_rank_file(path: Path) -> dict[bytes, int]:
    """Token bytes -> rank of a `.tiktoken` file; InputError names the line that is wrong."""
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            token, rank = line.split()
            ranks[b64decode(token, validate=True)] = int(rank)
        except (ValueError, Base64Error) as error:
            raise InputError(f"{path}, line {number}: not `base64 rank`") from error
    return ranks


def pack_ranks(ranks: dict[bytes, int]) -> bytes:
    """The packed form of a vocabulary whose ids run from 0 without a hole, single bytes first; InputError where it is
    another one, or where a token does not come down to a pair."""
    tokens = sorted(ranks, key=ranks.__getitem__)
    if sorted(ranks.values()) != list(range(len(ranks))) or any(len(t) != 1 for t in tokens[:BYTES]):
        raise InputError("the ranks do not run from 0 without a hole with the 256 single bytes first")
    recovered = recover_merges(ranks)
    if recovered.failed:
        raise InputError(f"{len(recovered.failed)} tokens have no parents, the first is id {recovered.failed[0]}")
    packed = pack(b"".join(tokens[:BYTES]), [(left, right) for left, right, _ in recovered.merges])
    if unpack(packed).ids != ranks:
        raise InputError("the packed form does not give the ranks back")
    return packed


def main(arguments: list[str]) -> int:
    """Packs all vocabularies; the exit status."""
    try:
        if len(arguments) not in (1, 2):
            raise UsageError("usage: python -m tokexplorer.data.pack FOLDER_WITH_RANK_FILES [TARGET_FOLDER]")
        target = Path(arguments[1]) if len(arguments) == 2 else Path(__file__).parent
        for name in PACKED:
            packed = pack_ranks(read_rank_file(Path(arguments[0], f"{name}.tiktoken")))
            (target / f"{name}.pairs").write_bytes(packed)
            print(f"{name}: {len(packed)} bytes", file=sys.stderr)
    except (TokexplorerError, OSError) as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
