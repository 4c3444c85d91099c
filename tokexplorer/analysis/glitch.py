"""Glitch tokens: those that were reported, what their strings are in any tokenizer, and who is suspect by its make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from tokexplorer.analysis.cut import tokens_of
from tokexplorer.analysis.reachability import Category, Classification
from tokexplorer.tokenizers.base import Token, Tokenizer

STATEMENT: Final = (
    "A vocabulary alone can only make a token suspect. Whether it is a glitch token belongs to a model: "
    "it is one where training hardly ever showed it to that model."
)
"""What a screen must say beside every list of suspects."""

SUSPICIOUS: Final = (
    Category.ONLY_PART,
    Category.NEVER_EMITTED,
    Category.UNREACHABLE,
    Category.SPLIT_ALONE,
    Category.PARTIAL_UTF8,
    Category.UNUSED,
)
_FILE: Final = "glitch_tokens.tsv"


@dataclass(frozen=True, slots=True)
class Reported:
    """A token that was reported as a glitch token of some model with this encoding."""

    encoding: str
    id: int
    data: bytes
    category: str
    """what kind of string it is: a user name, a software identifier, ..."""
    reachable: str
    """`alone`, `only inside longer text`, `never`"""
    models: int
    """models in whose measured list of under-trained tokens it stands"""
    sources: str
    """who reported it"""


@lru_cache(maxsize=1)
def load_reported() -> tuple[Reported, ...]:
    """The embedded list; data/NOTICE.md says where it comes from."""
    lines = files("tokexplorer.data").joinpath(_FILE).read_text(encoding="utf-8").splitlines()
    names = lines[0].split("\t")
    return tuple(_reported(dict(zip(names, line.split("\t")))) for line in lines[1:] if line)


def _reported(row: Mapping[str, str]) -> Reported:
    return Reported(
        encoding=row["encoding"],
        id=int(row["id"]),
        data=bytes.fromhex(row["utf8_hex"]),
        category=row["category"],
        reachable=row["reachable"],
        models=int(row["n_model_sources"]),
        sources=row["sources"],
    )


def encoding_of(tokenizer: Tokenizer) -> str | None:
    """The encoding of the list whose vocabulary the tokenizer has: all tokens reported there have the same ids and
    bytes here. None where there is no such encoding."""
    rows = load_reported()
    for encoding in dict.fromkeys(row.encoding for row in rows):
        if all(tokenizer.token_bytes(row.id) == row.data for row in rows if row.encoding == encoding):
            return encoding
    return None


def reported_ids(tokenizer: Tokenizer) -> tuple[int, ...]:
    """The ids of this vocabulary that were reported, ascending; none for a vocabulary that is not in the list."""
    encoding = encoding_of(tokenizer)
    return tuple(sorted(row.id for row in load_reported() if row.encoding == encoding))


@dataclass(frozen=True, slots=True)
class ReportedHere:
    """A reported string in some tokenizer."""

    reported: Reported
    own: bool
    """it was reported for this very vocabulary"""
    tokens: tuple[Token, ...]
    """what its text becomes here"""

    @property
    def single(self) -> int | None:
        """The id where the string is one token here."""
        return self.tokens[0].id if len(self.tokens) == 1 else None


def reported_in(tokenizer: Tokenizer) -> tuple[ReportedHere, ...]:
    """What every reported string is in a tokenizer, in the order of the list."""
    encoding = encoding_of(tokenizer)
    return tuple(ReportedHere(row, row.encoding == encoding, tokens_of(tokenizer, row.data)) for row in load_reported())


@dataclass(frozen=True, slots=True)
class Suspect:
    """A token that its vocabulary makes suspect; `reasons` in the order of the categories."""

    id: int
    reasons: tuple[Category, ...]


def suspects(found: Classification, reasons: Sequence[Category] = SUSPICIOUS) -> tuple[Suspect, ...]:
    """The tokens of which at least one of the reasons is true, those with more reasons first."""
    of: dict[int, list[Category]] = {}
    for reason in reasons:
        for token_id in found.flags[reason]:
            of.setdefault(token_id, []).append(reason)
    return tuple(Suspect(i, tuple(why)) for i, why in sorted(of.items(), key=lambda item: (-len(item[1]), item[0])))
