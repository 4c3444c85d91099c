"""Replay: a given merge list (GPT-2's, cl100k's, a file's) applied in order to the corpus, step by step both ways."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tokexplorer.engine.alphabet import MAX_ID, Alphabet, AlphabetKind, byte_alphabet, symbol
from tokexplorer.engine.corpus import Corpus, ShouldStop
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.merge_encoder import MergeEncoder, symbols_of
from tokexplorer.engine.merging import WordTable
from tokexplorer.engine.training import Candidate, Merge, StopReason
from tokexplorer.engine.walking import MergeWalk

UNKNOWN_ID: Final = MAX_ID
"""The id that stands in a word for a symbol which the merge list has no token for."""

Triple = tuple[int, int, int]
"""(left id, right id, new id)"""


class MergeList:
    """An ordered list of merges with its base symbols. Immutable.

    `base` maps a symbol (a character; for the alphabet `bytes` the character whose code point is the byte's value)
    to its id; `data` and `labels` hold the base symbols' bytes and texts by id.
    """

    def __init__(
        self, name: str, kind: AlphabetKind, base: Mapping[str, int], alphabet: Alphabet, merges: Iterable[Triple]
    ) -> None:
        """InputError where a merge uses a token that is neither a base symbol nor made by an earlier merge."""
        self.name = name
        self.kind = kind
        self.base = base
        self.merges: tuple[Triple, ...] = tuple(merges)
        self._data = dict(zip(base.values(), alphabet.data, strict=False))
        self._labels = dict(zip(base.values(), alphabet.labels, strict=False))
        self.end_id = alphabet.end_id
        if self.end_id is not None:
            self._data[self.end_id] = b""
            self._labels[self.end_id] = alphabet.labels[self.end_id]
        self._parents: dict[int, tuple[int, int]] = {}
        for number, (left, right, new) in enumerate(self.merges, 1):
            for part in (left, right):
                if part not in self._parents and part not in self._data:
                    raise InputError(f"{name}: merge {number} uses token {part}, which no merge before it makes")
            self._parents.setdefault(new, (left, right))
        self._table = {ord(char): symbol(i) for char, i in base.items()}

    @property
    def base_size(self) -> int:
        """How many base symbols there are."""
        return len(self._data)

    def spell(self, chunk: str) -> str:
        """A chunk as a word of base symbols; what has no token becomes the symbol of UNKNOWN_ID."""
        if self.kind is AlphabetKind.BYTES:
            chunk = chunk.encode("utf-8", "surrogateescape").decode("latin-1")
        missing = set(chunk).difference(self.base)
        word = chunk.translate(self._table | {ord(c): symbol(UNKNOWN_ID) for c in missing} if missing else self._table)
        return word if self.end_id is None else word + symbol(self.end_id)

    def data(self, token: int) -> bytes:
        """The bytes of a token; KeyError on one that is not in the list."""
        return b"".join(self._data[part] for part in self.parts(token))

    def label(self, token: int) -> str:
        """The text of a token, bytes and the end mark written as in the alphabet."""
        return "".join(self._labels[part] for part in self.parts(token))

    def width(self, token: int) -> int:
        """How many symbols of a chunk a token covers: characters, or bytes for the alphabet `bytes`."""
        return symbols_of(self.data(token), self.kind)

    def parts(self, token: int) -> list[int]:
        """The base symbols of a token."""
        found: list[int] = []
        todo = [token]
        while todo:
            part = todo.pop()
            if part in self._data or part not in self._parents:
                found.append(part)
            else:
                todo.extend(reversed(self._parents[part]))
        return found

    @cached_property
    def ranks(self) -> Mapping[tuple[int, int], int]:
        """(left id, right id) -> the number of its merge, from 0; of equal pairs the first."""
        ranks: dict[tuple[int, int], int] = {}
        for number, (left, right, _) in enumerate(self.merges):
            ranks.setdefault((left, right), number)
        return ranks


def byte_merges(
    name: str, merges: Iterable[Triple], token_bytes: Callable[[int], bytes | None], size: int
) -> MergeList:
    """A merge list over bytes whose ids need not be the bytes' values (GPT-2's are not). `token_bytes` gives the bytes
    of an id below `size`; each byte's token is looked for among them. InputError where one of the 256 has none."""
    ids: dict[int, int] = {}
    for token in range(size):
        data = token_bytes(token)
        if data is not None and len(data) == 1:
            ids.setdefault(data[0], token)
            if len(ids) == 256:
                break
    absent = [b for b in range(256) if b not in ids]
    if absent:
        raise InputError(f"{name}: byte 0x{absent[0]:02X} has no token")
    return MergeList(name, AlphabetKind.BYTES, {chr(b): ids[b] for b in range(256)}, byte_alphabet(), merges)


def alphabet_merges(name: str, alphabet: Alphabet, merges: Iterable[Triple]) -> MergeList:
    """A merge list over the base symbols of an alphabet, as our own training makes it."""
    base = {chr(b): b for b in range(256)} if alphabet.kind is AlphabetKind.BYTES else alphabet.ids
    return MergeList(name, alphabet.kind, base, alphabet, merges)


@dataclass(frozen=True, slots=True)
class ReplayCandidate(Candidate):
    """A pair that stands in the text and in the list. `step` is the one that merges it."""

    step: int
    new: int


class ReplayTrainer(MergeWalk[Merge]):
    """A merge list over the unique chunks of a corpus. A step is one merge of the list, whether it fires (its row has
    `replaced` > 0) or not. One whose pair stands nowhere costs one look-up.

    Applying the merges in order to all chunks gives what an encoder gives that merges the lowest rank first chunk by
    chunk, as every merge makes its token after those of its parts.
    """

    def __init__(self, corpus: Corpus, merge_list: MergeList) -> None:
        self.corpus = corpus
        self.merge_list = merge_list
        self._rows: list[Merge] = []
        self._fired: list[int] = []
        super().__init__(WordTable(map(merge_list.spell, corpus.chunks), corpus.counts))
        self._pairs = [symbol(left) + symbol(right) for left, right, _ in merge_list.merges]
        self._ranks = {pair: i for i, pair in reversed(list(enumerate(self._pairs)))}

    @property
    def history(self) -> Sequence[Merge]:
        """The rows of all merges that were reached, fired or not, those beyond `step_count` being undone."""
        return self._rows

    @property
    def vocab_size(self) -> int:
        """Base symbols and merges taken."""
        return self.merge_list.base_size + self.step_count

    @property
    def fired(self) -> int:
        """How many of the merges up to this step replaced something."""
        return bisect_right(self._fired, self.step_count)

    def stop_reason(self) -> StopReason | None:
        """NO_PAIRS at the end of the list, else None."""
        return StopReason.NO_PAIRS if self.step_count == len(self._pairs) else None

    def step(self) -> StopReason | None:
        """Take the next merge of the list. Returns why there is none, or None."""
        if self.step_count < len(self._rows):
            self._redo(self._rows[self.step_count])
            return None
        if self.step_count == len(self._pairs):
            return StopReason.NO_PAIRS
        self._make()
        return None

    def _make(self) -> None:
        table = self.table
        pair = self._pairs[self.step_count]
        left, right, new = self.merge_list.merges[self.step_count]
        count = table.counts.get(pair, 0)
        before = table.tokens
        if count:
            table.merge(pair, symbol(new))
            self._fired.append(self.step_count + 1)
        self.step_count += 1
        self._rows.append(
            Merge(self.step_count, left, right, new, count, before - table.tokens, before, table.tokens, 1)
        )

    def next_firing(self) -> int | None:
        """The next step that will replace something, None where no merge that is left does."""
        if self.step_count < len(self._rows):
            at = bisect_right(self._fired, self.step_count)
            if at < len(self._fired):
                return self._fired[at]
        counts = self.table.counts
        ranks = (self._ranks.get(pair, -1) for pair in counts)
        return min((rank for rank in ranks if rank >= self.step_count), default=-1) + 1 or None

    def run_to_firing(self, should_stop: ShouldStop | None = None) -> StopReason | None:
        """Step until a merge has replaced something: that is then the last one taken. None, or why there is none."""
        step = self.next_firing()
        if step is None:
            self.run(len(self._pairs), should_stop)
            return StopReason.NO_PAIRS
        reason = self.run(step, should_stop)
        return None if reason is StopReason.TARGET else reason

    def goto(self, step: int, should_stop: ShouldStop | None = None) -> None:
        """Travel to a step of the list, also one that was not reached before. UsageError beyond its end.

        Where `should_stop` says so, it ends at a step on the way.
        """
        if not 0 <= step <= len(self._pairs):
            raise UsageError(f"{self.merge_list.name} has {len(self._pairs)} merges; there is no step {step}")
        super().goto(min(step, len(self._rows)), should_stop)
        while self.step_count < step and not (should_stop is not None and should_stop()):
            self.step()

    def candidates(self, limit: int) -> tuple[ReplayCandidate, ...]:
        """The next merges of the list whose pairs stand in the text now, at most `limit`, the next to fire first."""
        counts, ranks = self.table.counts, self._ranks
        found = sorted(rank for rank in (ranks.get(p, -1) for p in counts) if rank >= self.step_count)
        return tuple(self._candidate(rank) for rank in found[:limit])

    def _candidate(self, rank: int) -> ReplayCandidate:
        left, right, new = self.merge_list.merges[rank]
        pair = self._pairs[rank]
        return ReplayCandidate(left, right, self.table.counts[pair], self.table.replaceable(pair), False, rank + 1, new)

    def encoder(self) -> MergeEncoder:
        """The merges up to this step, to encode with; they stay as they are whatever the trainer does."""
        own = self.merge_list
        return MergeEncoder(own.spell, own.width, self._rows, own.ranks, self.step_count, UNKNOWN_ID)
