"""Byte-level vocabularies with a merge list: spellings to bytes, pairs to ids, and what fits nowhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.formats.parsing import Source, quote
from tokexplorer.tokenizers.byte_spelling import CHARACTERS, unspell
from tokexplorer.tokenizers.loaded import Merges, Parts
from tokexplorer.tokenizers.pair_encoder import BytePairs


def pair_ids(
    source: Source,
    place: Callable[[int], str],
    ids: Mapping[str, int],
    pairs: Sequence[tuple[str, str]],
    prefix: str = "",
) -> tuple[tuple[int, int, int], ...]:
    """The merges as (left id, right id, new id). InputError at the first whose parts or result are no tokens.
    `prefix`: what the right part loses in the joined token (`##`)."""
    rows: list[tuple[int, int, int]] = []
    for number, (left, right) in enumerate(pairs):
        joined = left + right.removeprefix(prefix)
        for part in (left, right, joined):
            if part not in ids:
                source.fail(place(number), f"merges {quote(left)} and {quote(right)}, but {quote(part)} has no id")
        rows.append((ids[left], ids[right], ids[joined]))
    return tuple(rows)


def byte_level_parts(
    source: Source,
    place: Callable[[int], str],
    ids: Mapping[str, int],
    pairs: Sequence[tuple[str, str]],
    apart: Collection[str],
    whole: bool,
) -> Parts:
    """Tokens, encoder and merges of a byte-level vocabulary. `apart`: tokens whose spelling is plain text (special and
    added ones); `place(n)` names merge n (from 0) in complaints about `source`; `whole`: a chunk that is a token is
    taken as it stands (`ignore_merges`)."""
    rows = pair_ids(source, place, ids, pairs)
    base = tuple(ids.get(CHARACTERS[byte], -1) for byte in range(256))
    made = {new for _, _, new in rows}
    tokens: dict[int, bytes] = {}
    failed: list[int] = []
    for spelling, number in ids.items():
        data = unspell(spelling) if spelling not in apart or number in made else to_bytes(spelling)
        if data is None:
            if number in made:
                source.fail("", f"expected GPT-2's byte-level characters; the token {quote(spelling)} has another")
            data = to_bytes(spelling)
        tokens[number] = data
        if number not in made and len(spelling) > 1 and spelling not in apart:
            failed.append(number)
    return Parts(
        tokens=tokens,
        encoder=BytePairs(
            base,
            {(left, right): (rank, new) for rank, (left, right, new) in enumerate(rows)},
            {tokens[number]: number for number in ids.values()} if whole else {},
        ),
        in_bytes=True,
        merges=lambda: Merges(rows, tuple(failed)),
        remarks=tuple(_byte_remarks(base, failed, tokens, whole)),
    )


def _byte_remarks(base: Sequence[int], failed: Sequence[int], tokens: Mapping[int, bytes], whole: bool) -> list[str]:
    found: list[str] = []
    missing = [byte for byte, number in enumerate(base) if number < 0]
    if missing:
        found.append(f"{len(missing)} of the 256 bytes have no token (the first 0x{missing[0]:02X}): they are left out")
    if failed:
        some = ", ".join(quote(tokens[number]) for number in failed[:3]) + (" ..." if len(failed) > 3 else "")
        only = "stand only for a whole chunk" if whole else "are never used"
        found.append(f"{len(failed):,} tokens that no merge makes {only}: {some}")
    return found
