"""Training as a line of steps that can be walked both ways: step, back, goto, run; and what each merge was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tokexplorer.engine.alphabet import Alphabet, AlphabetKind, build_alphabet, id_of, symbol
from tokexplorer.engine.choosing import FrequencyChooser, TieRule
from tokexplorer.engine.corpus import Corpus, Progress, ShouldStop
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.merging import WordTable

NEAR: Final = 32
"""Steps up to which a jump goes step by step where nothing is known of its cost; farther ones recount once."""

# What a jump costs in nanoseconds, roughly: a step, and each word that it changes, with and without counts; to count
# afresh for each word and each symbol; to begin anew for each word.
_STEP: Final = 5_000
_CHANGED: Final = 2_000
_REPLACED: Final = 500
_RECOUNT_WORD: Final = 800
_RECOUNT_SYMBOL: Final = 120
_RESTART_WORD: Final = 150


class StopReason(StrEnum):
    """Why a run ended; the value is the word of the command line's `stop`."""

    TARGET = "target"
    NO_PAIRS = "no-pairs"
    MIN_COUNT = "min-count"
    CANCELLED = "cancelled"

    @property
    def words(self) -> str:
        """One short clause for the screen."""
        return {
            "target": "target reached",
            "no-pairs": "no pair left: every word is one token",
            "min-count": "only pairs below the minimum count are left",
            "cancelled": "stopped",
        }[self.value]


@dataclass(frozen=True, slots=True)
class Merge:
    """One merge as it was made. Counts are weighted places; `tied` pairs (itself included) had the same count."""

    step: int
    left: int
    right: int
    new: int
    count: int
    replaced: int
    tokens_before: int
    tokens_after: int
    tied: int
    chosen: bool = False
    """the user's pick instead of the winner"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row of the pair table. `replaced` is what a merge would replace: less than `count` where places overlap."""

    left: int
    right: int
    count: int
    replaced: int
    tied: bool


class Vocabulary:
    """The tokens learned so far, by id: their bytes and labels. Append-only; a branch makes a new one."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self.data: list[bytes] = list(alphabet.data)
        self.labels: list[str] = list(alphabet.labels)
        self.merges: list[Merge] = []
        self.ranks: dict[tuple[int, int], int] = {}

    def add(self, merge: Merge) -> None:
        """Enter a merge that has just been made."""
        self.data.append(self.data[merge.left] + self.data[merge.right])
        self.labels.append(self.labels[merge.left] + self.labels[merge.right])
        self.ranks[merge.left, merge.right] = len(self.merges)
        self.merges.append(merge)

    def cut(self, merges: int) -> Vocabulary:
        """A new vocabulary with the first `merges` merges."""
        other = Vocabulary(self.alphabet)
        for merge in self.merges[:merges]:
            other.add(merge)
        return other


class BpeTrainer:
    """Byte-pair encoding over the unique chunks of a corpus. `step_count` is where we stand; merges beyond it are
    known from before a rewind and are taken again, until another pair is merged there."""

    def __init__(
        self,
        corpus: Corpus,
        kind: AlphabetKind = AlphabetKind.BYTES,
        ties: TieRule = TieRule.FIRST,
        min_count: int = 1,
        on_progress: Progress | None = None,
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Looks through all chunks; progress is told in chunks. Raises Cancelled when `should_stop` says so."""
        self.corpus = corpus
        self.alphabet = build_alphabet(kind, corpus.chunks)
        self.ties = ties
        self.min_count = max(1, min_count)
        self.table = WordTable(self._spelled(), corpus.counts, on_progress, should_stop)
        self.chooser = FrequencyChooser(self.table, ties)
        self.vocabulary = Vocabulary(self.alphabet)
        self.step_count = 0
        self.start_tokens = self.table.tokens

    @property
    def merges(self) -> Sequence[Merge]:
        """All known merges, those beyond `step_count` being undone."""
        return self.vocabulary.merges

    @property
    def history(self) -> Sequence[Merge]:
        """The same under the name that all trainers share."""
        return self.vocabulary.merges

    @property
    def vocab_size(self) -> int:
        """Base symbols and merges made."""
        return len(self.alphabet) + self.step_count

    @property
    def tokens(self) -> int:
        """Tokens in the corpus now."""
        return self.table.tokens

    def _spelled(self) -> Iterator[str]:
        """The chunks as words. ASCII in bytes is spelled as it stands: no second copy of it is made."""
        spell = self.alphabet.spell
        if self.alphabet.kind is AlphabetKind.BYTES:
            return (chunk if chunk.isascii() else spell(chunk) for chunk in self.corpus.chunks)
        return map(spell, self.corpus.chunks)

    def stop_reason(self) -> StopReason | None:
        """Why no step can follow here, or None."""
        best = self.chooser.best()
        if best is None:
            return StopReason.NO_PAIRS
        return StopReason.MIN_COUNT if best.count < self.min_count else None

    def step(self) -> StopReason | None:
        """Make the next merge: the known one after a rewind, else the winner. Returns why there is none, or None."""
        if self.step_count < len(self.vocabulary.merges):
            self._apply(self.vocabulary.merges[self.step_count])
            return None
        best = self.chooser.best()
        if best is None:
            return StopReason.NO_PAIRS
        if best.count < self.min_count:
            return StopReason.MIN_COUNT
        self._make(best.pair, best.count, best.tied, chosen=False)
        return None

    def merge(self, left: int, right: int) -> Merge:
        """Merge a pair of the user's choice; known merges beyond this step are given up if it differs from the next.

        UsageError where the pair stands nowhere.
        """
        pair = symbol(left) + symbol(right)
        count = self.table.counts.get(pair, 0)
        if not count:
            raise UsageError("that pair stands nowhere in the text now")
        if self.step_count < len(self.vocabulary.merges):
            known = self.vocabulary.merges[self.step_count]
            if (known.left, known.right) == (left, right):
                self._apply(known)
                return known
            self._branch()
        best = self.chooser.best()
        chosen = best is None or best.pair != pair
        self._make(pair, count, self.table.pairs_with(count), chosen)
        return self.vocabulary.merges[-1]

    def forget_undone(self) -> None:
        """Give up the known merges beyond this step: the next one is chosen anew."""
        if self.step_count < len(self.vocabulary.merges):
            self._branch()

    def _branch(self) -> None:
        gone = range(len(self.alphabet) + self.step_count, len(self.vocabulary.data))
        self.table.forget(map(symbol, gone))
        self.vocabulary = self.vocabulary.cut(self.step_count)

    def _make(self, pair: str, count: int, tied: int, chosen: bool) -> None:
        new = len(self.vocabulary.data)
        before = self.table.tokens
        change = self.table.merge(pair, symbol(new))
        self.chooser.push(change.raised)
        left, right = map(id_of, pair)
        self.step_count += 1
        self.vocabulary.add(
            Merge(self.step_count, left, right, new, count, change.replaced, before, self.table.tokens, tied, chosen)
        )

    def _apply(self, merge: Merge) -> None:
        change = self.table.merge(symbol(merge.left) + symbol(merge.right), symbol(merge.new), known=True)
        self.chooser.push(change.raised)
        self.step_count += 1

    def back(self) -> bool:
        """Undo the last merge; False at step 0. The merge stays known."""
        if not self.step_count:
            return False
        merge = self.vocabulary.merges[self.step_count - 1]
        change = self.table.unmerge(symbol(merge.left) + symbol(merge.right), symbol(merge.new), merge.count)
        self.chooser.undone(change.raised)
        self.step_count -= 1
        return True

    def goto(self, step: int, should_stop: ShouldStop | None = None) -> None:
        """Travel to a step among the known merges, forward or back. UsageError beyond them.

        Where `should_stop` says so, it ends at another step: on the way, or nearer to the start.
        """
        if not 0 <= step <= len(self.vocabulary.merges):
            raise UsageError(f"step {step} is not known yet: the last one made is {len(self.vocabulary.merges)}")
        from_start, counting = self._cheapest_way(step)
        if from_start:
            self.table.restart(self._spelled())
            self.chooser.rebuild()
            self.step_count = 0
        while self.step_count != step and not (should_stop is not None and should_stop()):
            if counting:
                self._follow(step)
            else:
                self._follow_uncounted(step)
        if not counting:
            self.table.recount()
            self.chooser.rebuild()

    def _cheapest_way(self, step: int) -> tuple[bool, bool]:
        """How to travel to a step: whether from the start instead of from here, and whether counts are kept on the way
        instead of counting afresh at its end."""
        table, here = self.table, self.step_count
        symbols = table.first_symbols - table.changed_words(0, step)
        recount = len(table.words) * _RECOUNT_WORD + symbols * _RECOUNT_SYMBOL
        ways = []
        for start, cost in ((here, 0), (0, len(table.words) * _RESTART_WORD)):
            steps = abs(step - start)
            words = table.changed_words(min(start, step), max(start, step))
            ways.append((cost + steps * _STEP + words * _CHANGED, start != here, True))
            ways.append((cost + words * _REPLACED + recount, start != here, False))
        return min(ways)[1:]

    def _follow(self, step: int) -> None:
        if self.step_count < step:
            self._apply(self.vocabulary.merges[self.step_count])
        else:
            self.back()

    def _follow_uncounted(self, step: int) -> None:
        forward = self.step_count < step
        merge = self.vocabulary.merges[self.step_count if forward else self.step_count - 1]
        pair, new = symbol(merge.left) + symbol(merge.right), symbol(merge.new)
        if forward:
            self.table.replace_only(pair, new)
        else:
            self.table.restore_only(pair, new)
        self.step_count += 1 if forward else -1

    def run(
        self,
        target: int,
        should_stop: ShouldStop | None = None,
        on_step: Callable[[BpeTrainer], None] | None = None,
    ) -> StopReason:
        """Step until `step_count` is `target`; `on_step` is called after each step, in the same thread."""
        known = min(target, len(self.vocabulary.merges))
        if on_step is None and self.step_count < known:
            self.goto(known, should_stop)
        while self.step_count < target:
            if should_stop is not None and should_stop():
                return StopReason.CANCELLED
            reason = self.step()
            if reason is not None:
                return reason
            if on_step is not None:
                on_step(self)
        return StopReason.TARGET

    def candidates(self, limit: int) -> tuple[Candidate, ...]:
        """The best `limit` pairs, the winner first."""
        table = self.table
        return tuple(
            Candidate(id_of(p[0]), id_of(p[1]), n, table.replaceable(p), tied) for p, n, tied in self.chooser.top(limit)
        )
