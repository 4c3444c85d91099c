"""tiktoken's rank files: `base64(bytes) rank`, a token a line; neither split pattern nor special tokens are in them."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.model import Model
from tokexplorer.engine.splits import Split, compile_split, named
from tokexplorer.formats.guessing import guess_split
from tokexplorer.formats.making import check_specials
from tokexplorer.formats.parsing import MAX_ID, Source, gaps_of, quote
from tokexplorer.tokenizers.added import Added
from tokexplorer.tokenizers.bulk import BulkEncoder
from tokexplorer.tokenizers.loaded import LoadedTokenizer, Merges, Parts
from tokexplorer.tokenizers.names import DEFINITIONS
from tokexplorer.tokenizers.pair_encoder import RankedBytes
from tokexplorer.tokenizers.parents import recover_merges
from tokexplorer.tokenizers.pretokenizing import split_stage

if TYPE_CHECKING:
    import tiktoken

KNOWN: Final = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": "r50k_base",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": "p50k_base",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": "cl100k_base",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": "o200k_base",
}
"""SHA-256 of OpenAI's published files (pinned in tiktoken_ext/openai_public.py) -> encoding"""

_GPT_SPLITS: Final = ("gpt2", "cl100k", "o200k")
_WHOLE: Final = r"[\s\S]+"


def parse_ranks(source: Source) -> dict[bytes, int]:
    """Token -> rank. InputError on a line that is not `base64 rank`, on ranks or tokens that stand twice, and where
    single bytes are missing (a file that was cut off)."""
    ranks: dict[bytes, int] = {}
    line_of: dict[int, int] = {}
    for number, line in source.lines():
        if not line:
            continue
        token, rank = _parse_line(source, number, line)
        if rank in line_of:
            source.fail(f"line {number}", f"expected each rank once; {rank} stands in line {line_of[rank]} too")
        if token in ranks:
            source.fail(f"line {number}", f"expected each token once; {quote(token)} has rank {ranks[token]} too")
        ranks[token] = rank
        line_of[rank] = number
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        some = f"{len(missing)} of them are" if len(missing) > 1 else "one of them is"
        source.fail("", f"expected all 256 single bytes among the tokens; {some} missing, the first 0x{missing[0]:02X}")
    return ranks


def _parse_line(source: Source, number: int, line: str) -> tuple[bytes, int]:
    place, expected = f"line {number}", "expected base64, a space and a rank"
    encoded, _, rank = line.partition(" ")
    if not (rank.isascii() and rank.isdigit() and len(rank) < 12):
        source.fail(place, f"{expected}, found {quote(line)}")
    try:
        token = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        source.fail(place, f"{expected}; {quote(encoded)} is not base64")
    if not token:
        source.fail(place, f"{expected}; the token is empty")
    if int(rank) > MAX_ID:
        source.fail(place, f"expected a rank from 0 to {MAX_ID:,}, found {rank}")
    return token, int(rank)


def read_ranks(source: Source, split: str | None, specials: Mapping[str, int] | None) -> LoadedTokenizer:
    """The tokenizer of a rank file. Split and special tokens are those given; else those of the encoding whose file
    it is; else the split is guessed and there are no special tokens."""
    ranks = parse_ranks(source)
    known = DEFINITIONS.get(KNOWN.get(hashlib.sha256(source.data).hexdigest(), ""))
    remarks: list[str] = []
    chosen: Split
    if split is not None:
        chosen = compile_split(split)
    elif known is not None:
        chosen = named(known.split)
        remarks.append(f"by its SHA-256 this is {known.name}: split and special tokens are as in tiktoken")
    else:
        chosen, remark = guess_split(ranks)
        remarks.append(remark)
    if specials is None:
        specials = known.specials if known is not None else {}
    gaps = gaps_of({*ranks.values(), *specials.values()})
    check_specials(source.name, {rank: token for token, rank in ranks.items()}, specials)
    return _tokenizer(source.title, ranks, chosen, specials, (*remarks, *([gaps] if gaps else [])))


def _tokenizer(
    name: str, ranks: Mapping[bytes, int], split: Split, specials: Mapping[str, int], remarks: tuple[str, ...]
) -> LoadedTokenizer:
    """A tokenizer that merges by ranks of bytes as tiktoken does."""
    tokens = {rank: token for token, rank in ranks.items()}
    encoding = _encoding(name, ranks, split)
    sizes = {rank: len(token) for rank, token in tokens.items()}

    def merges() -> Merges:
        found = recover_merges(ranks)
        return Merges(found.merges, found.failed)

    return LoadedTokenizer(
        name,
        "tiktoken",
        Parts(
            tokens=tokens | {number: to_bytes(text) for text, number in specials.items()},
            encoder=RankedBytes(encoding, ranks, sizes),
            in_bytes=True,
            stages=(split_stage(split),),
            split=split,
            added=tuple(Added(text, number) for text, number in specials.items()),
            merges=merges,
            bulk=BulkEncoder(encoding, ranks, split) if split.name in _GPT_SPLITS else None,
            remarks=remarks,
        ),
    )


def _encoding(name: str, ranks: Mapping[bytes, int], split: Split) -> tiktoken.Encoding:
    import tiktoken

    pattern = split.pattern if split.name in _GPT_SPLITS else _WHOLE
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens={})


def write_ranks(model: Model) -> bytes:
    """The rank file of a byte-level BPE model, in the order of ids."""
    data = model.vocabulary().data
    rows = [(model.id_of(number), token) for number, token in enumerate(data)]
    rows += [(token.id, token.data) for token in model.loose]
    return b"".join(base64.b64encode(token) + b" %d\n" % number for number, token in sorted(rows))


def refuse_ranks(model: Model) -> str | None:
    """Why rank files cannot hold a model, or None."""
    if not model.is_bytes:
        return "ranks of bytes need byte-pair encoding over bytes"
    if any(a >= b for a, b in zip(model.ids[256:], model.ids[257:])):
        return "ids must rise from merge to merge, since a token's rank is both its id and its turn; here they do not"
    data = model.vocabulary().data
    if len({*data, *(token.data for token in model.loose)}) < len(data) + len(model.loose):
        return "two of its tokens have the same bytes"
    return None
