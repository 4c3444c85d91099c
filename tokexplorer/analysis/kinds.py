"""A vocabulary to look through: filters by kind and script, search, order. Built once, quick for 200,000 tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

import regex

from tokexplorer.analysis.emission import Emissions, find_emissions
from tokexplorer.analysis.glitch import reported_ids
from tokexplorer.analysis.progress import Progress, ShouldStop
from tokexplorer.analysis.reachability import Classification, Sweep, classify, sweep
from tokexplorer.analysis.scripts import scripts_of
from tokexplorer.analysis.searching import finder
from tokexplorer.engine.alphabet import to_text
from tokexplorer.tokenizers.base import Tokenizer


class Kind(StrEnum):
    """The filters of a vocabulary."""

    ALL = "all"
    """every id, the unassigned ones too"""
    SPECIAL = "special"
    UNASSIGNED = "unassigned"
    WHITESPACE = "whitespace"
    """nothing but white space"""
    DIGITS = "digits"
    """nothing but decimal digits (of any script), a leading space allowed"""
    PARTIAL_UTF8 = "partial-utf8"
    UNREACHABLE = "unreachable"
    SPLIT_ALONE = "split-alone"
    NEVER_EMITTED = "never-emitted"
    GLITCH = "glitch"
    """reported as a glitch token of a model with this vocabulary"""


class Order(StrEnum):
    """How rows are sorted; equals stand by id."""

    ID = "id"
    LENGTH = "length"
    """most bytes first"""
    USES = "uses"
    """most uses first"""


_WHITESPACE: Final = regex.compile(r"\s+")
_DIGITS: Final = regex.compile(r" ?\p{Nd}+")


@dataclass(frozen=True, slots=True)
class Row:
    """One id of a vocabulary."""

    id: int
    data: bytes | None
    """None: the id is unassigned"""
    text: str | None
    """the bytes as text; None where they are not valid UTF-8 alone, or unassigned"""
    label: str
    special: bool
    uses: int


class VocabularyIndex:
    """All tokens of one tokenizer. What takes long is done at the first use and kept; long methods take callbacks and
    raise Cancelled when told to stop. An index belongs to one thread at a time."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.size = tokenizer.size
        self._sweep: Sweep | None = None
        self._emissions: Emissions | None = None
        self._kinds: dict[Kind, Sequence[int]] = {Kind.ALL: range(self.size)}

    @cached_property
    def data(self) -> Sequence[bytes | None]:
        """The bytes of each id, None where it is unassigned."""
        return [self.tokenizer.token_bytes(i) for i in range(self.size)]

    @cached_property
    def texts(self) -> Sequence[str]:
        """Each id as text; a byte that is not valid UTF-8 is a lone surrogate. Empty for unassigned ids."""
        return [to_text(data) if data is not None else "" for data in self.data]

    @cached_property
    def by_bytes(self) -> Mapping[bytes, int]:
        """Bytes -> the lowest ordinary id with them."""
        special = self.tokenizer.is_special
        return {d: i for i, d in reversed([*enumerate(self.data)]) if d is not None and not special(i)}

    @cached_property
    def children(self) -> Mapping[int, Sequence[int]]:
        """id -> the ids that were merged from it, ascending."""
        return self.sweep().table.children()

    @cached_property
    def _merged(self) -> Sequence[int]:
        left = self.sweep().table.left
        return [i for i in range(self.size) if left[i] >= 0]

    def rank(self, token_id: int) -> int | None:
        """The place of the token's merge among all merges, from 0; None where it was not merged."""
        place = bisect_left(self._merged, token_id)
        return place if place < len(self._merged) and self._merged[place] == token_id else None

    @cached_property
    def scripts(self) -> Sequence[frozenset[str]]:
        """For each id the scripts of its letters."""
        return scripts_of(self.texts)

    @cached_property
    def script_counts(self) -> Mapping[str, int]:
        """Script -> tokens with a letter of it, most first."""
        return dict(Counter(name for scripts in self.scripts for name in scripts).most_common())

    @cached_property
    def folded(self) -> Sequence[str]:
        """The texts in one case."""
        return [text.casefold() for text in self.texts]

    def sweep(self, on_progress: Progress | None = None, should_stop: ShouldStop | None = None) -> Sweep:
        """What is special, unassigned, partial, unreachable, cut when alone."""
        if self._sweep is None:
            self._sweep = sweep(self.tokenizer, on_progress, should_stop)
        return self._sweep

    def emissions(self, on_progress: Progress | None = None, should_stop: ShouldStop | None = None) -> Emissions:
        """What no valid text yields, and texts that yield the rest."""
        if self._emissions is None:
            self._emissions = find_emissions(self.sweep(None, should_stop), on_progress, should_stop)
        return self._emissions

    def classification(
        self,
        uses: Mapping[int, int] | None = None,
        on_progress: Progress | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Classification:
        """Each id in one category; `uses` maps ids to their uses in a corpus."""
        return classify(self.sweep(None, should_stop), self.emissions(on_progress, should_stop), uses)

    def ids(
        self, kind: Kind, on_progress: Progress | None = None, should_stop: ShouldStop | None = None
    ) -> Sequence[int]:
        """The ids of a kind, ascending."""
        if kind not in self._kinds:
            self._kinds[kind] = self._find(kind, on_progress, should_stop)
        return self._kinds[kind]

    def _find(self, kind: Kind, on_progress: Progress | None, should_stop: ShouldStop | None) -> Sequence[int]:
        if kind is Kind.GLITCH:
            return reported_ids(self.tokenizer)
        if kind is Kind.NEVER_EMITTED:
            return self.emissions(on_progress, should_stop).never
        if kind in (Kind.WHITESPACE, Kind.DIGITS):
            matches = (_WHITESPACE if kind is Kind.WHITESPACE else _DIGITS).fullmatch
            return [i for i, text in enumerate(self.texts) if matches(text)]
        if kind is Kind.UNASSIGNED:
            return [i for i, data in enumerate(self.data) if data is None]
        if kind is Kind.SPECIAL:
            return [i for i, data in enumerate(self.data) if data is not None and self.tokenizer.is_special(i)]
        found = self.sweep(on_progress, should_stop)
        return {
            Kind.PARTIAL_UTF8: found.partial,
            Kind.UNREACHABLE: found.unreachable,
            Kind.SPLIT_ALONE: found.split_alone,
        }[kind]

    def in_script(self, script: str, ids: Iterable[int]) -> list[int]:
        """Those of the ids that have a letter of a script (a key of `script_counts`)."""
        scripts = self.scripts
        return [i for i in ids if script in scripts[i]]

    def search(self, query: str, ids: Iterable[int]) -> list[int]:
        """Those of the ids that a query finds, in their order (see searching). InputError for a wrong query."""
        return list(filter(finder(query, self), ids))

    def sort(self, ids: Iterable[int], order: Order, uses: Mapping[int, int] | None = None) -> list[int]:
        """The ids in an order; `uses` maps ids to their uses in a corpus."""
        found = sorted(ids)
        if order is Order.LENGTH:
            found.sort(key=lambda i: -len(self.data[i] or b""))
        elif order is Order.USES and uses is not None:
            found.sort(key=lambda i: -uses.get(i, 0))
        return found

    def row(self, token_id: int, uses: Mapping[int, int] | None = None) -> Row:
        """One id as a row. IndexError out of range."""
        data = self.data[token_id]
        text = None if data is None else _valid_text(data)
        label = "" if data is None else self.tokenizer.label(token_id)
        special = data is not None and self.tokenizer.is_special(token_id)
        return Row(token_id, data, text, label, special, uses.get(token_id, 0) if uses else 0)


def _valid_text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
