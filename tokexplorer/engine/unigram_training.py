"""Training the Unigram language model by rounds that can be walked both ways: prune the pieces that are missed least,
then estimate the others again."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Final

from tokexplorer.engine.alphabet import AlphabetKind, build_alphabet
from tokexplorer.engine.corpus import Cancelled, Corpus, Progress, ShouldStop
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.expectation import CorpusLattice
from tokexplorer.engine.lattice import weigh
from tokexplorer.engine.pruning import losses, normalized, removal_order
from tokexplorer.engine.suffixes import Tick, frequent_substrings, symbol_counts
from tokexplorer.engine.training import StopReason
from tokexplorer.engine.unigram import UNKNOWN, UnigramModel, spell, unigram_model

LONGEST: Final = 16
"""Symbols of the longest piece (SentencePiece's `max_sentencepiece_length`)."""
SEED_SIZE: Final = 100_000
"""The most substrings that training starts from."""
ITERATIONS: Final = 2
"""EM iterations in a round (SentencePiece's `num_sub_iterations`)."""
SHRINK: Final = 0.75
"""What a round leaves of the pieces (SentencePiece's `shrinking_factor`)."""
LEAST_COUNT: Final = 0.5
"""What a single symbol counts at least right after pruning, so that it can stand in for what was removed."""


@dataclass(frozen=True, slots=True)
class PieceRow:
    """A row of the piece table. `expected` is its count over all segmentations by their probability, `uses` that in the
    best ones; `loss` in nats if it is removed, None for single symbols, which are kept."""

    text: str
    probability: float
    expected: float
    uses: int
    loss: float | None
    next_removed: bool
    """the next round removes it"""


@dataclass(frozen=True, slots=True)
class RemovedPiece:
    """A row of the pruning log, as the piece was when it was removed."""

    text: str
    loss: float
    expected: float
    uses: int


@dataclass(frozen=True, slots=True)
class Round:
    """One round. Sizes include `<unk>`. `likelihoods` are those of the corpus, in nats: right after pruning, then after
    each EM iteration, which never lowers it; `likelihood_before` is that before pruning."""

    step: int
    size_before: int
    size_after: int
    removed: tuple[RemovedPiece, ...]
    """in the order of removal: the smallest loss first"""
    likelihood_before: float
    likelihoods: tuple[float, ...]
    tokens_before: int
    tokens_after: int


class State:
    """The vocabulary after a round, with all that is shown of it. Immutable; compact, as every round is kept."""

    def __init__(
        self,
        texts: Sequence[str],
        numbers: Sequence[int],
        probabilities: Sequence[float],
        expected: Sequence[float],
        uses: Sequence[int],
        found: dict[int, float],
        likelihood: float,
        tokens: int,
    ) -> None:
        self.texts = texts
        self.numbers = array("I", numbers)
        """of the pieces that are left, ascending"""
        self.probabilities = array("d", (probabilities[k] for k in numbers))
        self.expected = array("d", (expected[k] for k in numbers))
        self.uses = array("Q", (uses[k] for k in numbers))
        self.order = array("I", removal_order(found, expected, texts))
        """the numbers of the pieces that may be removed, in the order of removal"""
        self.losses = array("d", (found[k] for k in self.order))
        self.likelihood = likelihood
        self.tokens = tokens

    def __len__(self) -> int:
        return len(self.numbers)

    def place(self, number: int) -> int | None:
        """The place of a piece in the columns, None where it is not there any more; for a few look-ups."""
        at = bisect_left(self.numbers, number)
        return at if at < len(self.numbers) and self.numbers[at] == number else None

    def score(self, place: int) -> float:
        """The log probability of the piece at a place."""
        return _log(self.probabilities[place])

    @cached_property
    def places(self) -> dict[int, int]:
        """The number of a piece -> its place in the columns."""
        return {k: i for i, k in enumerate(self.numbers)}

    def model(self, kind: AlphabetKind) -> UnigramModel:
        """The vocabulary to encode with: `<unk>`, then the pieces by falling probability."""
        rows = sorted(zip(self.probabilities, (self.texts[k] for k in self.numbers), strict=True), key=_by_probability)
        return unigram_model([(UNKNOWN, 0.0), *((text, _log(p)) for p, text in rows)], kind)


def _by_probability(row: tuple[float, str]) -> tuple[float, str]:
    return -row[0], row[1]


def _log(probability: float) -> float:
    """The log of a probability; for one too small for a float the log of the smallest."""
    return log(max(probability, 5e-324))


class _Work:
    """Counts what is done of a round, tells it, and ends it when the caller wants to stop."""

    def __init__(self, total: int, on_progress: Progress | None, should_stop: ShouldStop | None) -> None:
        self.total = total
        self.done = 0
        self.on_progress = on_progress
        self.should_stop = should_stop

    def tick(self, count: int) -> None:
        self.done = min(self.done + count, self.total)
        if self.should_stop is not None and self.should_stop():
            raise Cancelled
        if self.on_progress is not None:
            self.on_progress(self.done, self.total)


class UnigramTrainer:
    """The Unigram model over the unique chunks of a corpus (Kudo 2018). A step is one round: remove a quarter of the
    pieces, those with the smallest loss, but never a single symbol nor below `target_size`; then estimate the rest by
    EM. Step 0 is the seed vocabulary, estimated. Rounds beyond `step_count` are known from before a rewind.
    """

    def __init__(
        self,
        corpus: Corpus,
        kind: AlphabetKind = AlphabetKind.CHARS,
        target_size: int = 8000,
        min_count: int = 2,
        seed_size: int = SEED_SIZE,
        longest: int = LONGEST,
        on_progress: Progress | None = None,
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Finds and estimates the seed vocabulary: substrings with at least `min_count` (2 or more) places.

        UsageError for the alphabet `words`; Cancelled when `should_stop` says so.
        """
        if kind is AlphabetKind.WORDS:
            raise UsageError("the Unigram model has no end mark: choose the alphabet chars or bytes")
        self.corpus = corpus
        self.kind = kind
        self.alphabet = build_alphabet(kind, corpus.chunks)
        self.target_size = target_size
        self.longest = longest
        self.step_count = 0
        self.words: Sequence[str] = [spell(chunk, kind) for chunk in corpus.chunks]
        work = _Work((2 + ITERATIONS + 2) * len(self.words), on_progress, should_stop)
        singles = symbol_counts(self.words, corpus.counts)
        longer = frequent_substrings(self.words, corpus.counts, longest, max(2, min_count), seed_size, work.tick)
        self.texts = (*sorted(singles), *longer)
        """all pieces of the seed vocabulary by number; the single symbols come first"""
        self.singles = range(len(singles))
        numbers = range(len(self.texts))
        ids = dict(zip(self.texts, numbers, strict=True))
        self._lengths = [len(text) for text in self.texts]
        self._lattice = CorpusLattice.build(self.words, corpus.counts, ids, longest, work.tick)
        seeds = [float(singles.get(t) or longer[t] * len(t)) for t in self.texts]
        state, self.start_likelihoods = self._estimate(self._lattice, ids, seeds, work.tick)
        self._states = [state]
        self._rounds: list[Round] = []
        self._models: dict[int, UnigramModel] = {}

    def _estimate(
        self, lattice: CorpusLattice, ids: dict[str, int], counts: Sequence[float], tick: Tick
    ) -> tuple[State, tuple[float, ...]]:
        """EM from counts on; the likelihoods of the start and after each iteration."""
        kept = ids.values()
        probabilities = normalized(counts, kept, dict.fromkeys(self.singles, LEAST_COUNT))
        counts, likelihood = lattice.expect(probabilities, tick)
        likelihoods = [likelihood]
        for _ in range(ITERATIONS):
            probabilities = normalized(counts, kept, {})
            counts, likelihood = lattice.expect(probabilities, tick)
            likelihoods.append(likelihood)
        weights = [weigh(_log(p)) for p in probabilities]
        uses, tokens = lattice.segment(weights, self._lengths, tick)
        found = losses(ids, uses, weights, tokens, self.longest, tick)
        state = State(self.texts, list(kept), probabilities, counts, uses, found, likelihood, tokens)
        return state, tuple(likelihoods)

    @property
    def _state(self) -> State:
        return self._states[self.step_count]

    @property
    def history(self) -> Sequence[Round]:
        """All known rounds, those beyond `step_count` being undone. Append-only but for `retarget`, which makes
        another list."""
        return self._rounds

    @property
    def states(self) -> Sequence[State]:
        """The vocabulary at step 0 and after each known round. It grows and is replaced together with `history`."""
        return self._states

    def removable(self, step: int) -> Sequence[int]:
        """The numbers of the pieces that the round after a known step removes, the smallest loss first."""
        state = self._states[step]
        return state.order[: self._removable(state)]

    @property
    def vocab_size(self) -> int:
        """`<unk>` and the pieces left."""
        return 1 + len(self._state)

    @property
    def tokens(self) -> int:
        """Tokens in the corpus now, each chunk in its best segmentation."""
        return self._state.tokens

    @property
    def start_tokens(self) -> int:
        """Tokens in the corpus at step 0."""
        return self._states[0].tokens

    @property
    def likelihood(self) -> float:
        """The log likelihood of the corpus now, in nats."""
        return self._state.likelihood

    def stop_reason(self) -> StopReason | None:
        """Why no round can follow here: TARGET where the target size is reached, NO_PAIRS where only single symbols
        are left; or None."""
        if not len(self._state.order):
            return StopReason.NO_PAIRS
        return StopReason.TARGET if self.vocab_size <= self.target_size else None

    def _removable(self, state: State) -> int:
        """How many pieces the next round removes."""
        keep = max(self.target_size - 1, int(SHRINK * len(state)))
        return max(0, min(len(state) - keep, len(state.order)))

    def step(self, should_stop: ShouldStop | None = None, on_progress: Progress | None = None) -> StopReason | None:
        """Make the next round: the known one after a rewind, else a new one. Returns why there is none, or None.

        Where `should_stop` says so within a round nothing is changed and CANCELLED returned.
        """
        if self.step_count < len(self._rounds):
            self.step_count += 1
            return None
        reason = self.stop_reason()
        if reason is not None:
            return reason
        try:
            self._make(_Work((4 + ITERATIONS) * len(self.words), on_progress, should_stop))
        except Cancelled:
            return StopReason.CANCELLED
        return None

    def _make(self, work: _Work) -> None:
        old = self._state
        removed = old.order[: self._removable(old)]
        gone = set(removed)
        ids = {self.texts[k]: k for k in old.numbers if k not in gone}
        lattice = self._lattice.keeping(frozenset(ids.values()), work.tick)
        counts = [0.0] * len(self.texts)
        for k, expected in zip(old.numbers, old.expected, strict=True):
            counts[k] = expected
        state, likelihoods = self._estimate(lattice, ids, counts, work.tick)
        self._lattice = lattice
        self._states.append(state)
        self.step_count += 1
        rows = tuple(
            RemovedPiece(self.texts[k], loss, old.expected[old.places[k]], old.uses[old.places[k]])
            for k, loss in zip(removed, old.losses, strict=False)
        )
        sizes = 1 + len(old), 1 + len(state)
        self._rounds.append(Round(self.step_count, *sizes, rows, old.likelihood, likelihoods, old.tokens, state.tokens))

    def back(self) -> bool:
        """Return to the round before; False at step 0. The round stays known."""
        if not self.step_count:
            return False
        self.step_count -= 1
        return True

    def goto(self, step: int, should_stop: ShouldStop | None = None) -> None:
        """Travel to a round among the known ones, at once. UsageError beyond them."""
        if not 0 <= step <= len(self._rounds):
            raise UsageError(f"round {step} is not known yet: the last one made is {len(self._rounds)}")
        self.step_count = step

    def retarget(self, target_size: int) -> None:
        """Set another target size. Rounds beyond this one are given up, as they aimed at the old one."""
        self.target_size = target_size
        if self.step_count == len(self._rounds):
            return
        self._rounds = self._rounds[: self.step_count]
        self._states = self._states[: self.step_count + 1]
        self._models = {step: model for step, model in self._models.items() if step <= self.step_count}
        ids = {self.texts[k]: k for k in self._state.numbers}
        self._lattice = CorpusLattice.build(self.words, self.corpus.counts, ids, self.longest, lambda _: None)

    def run(
        self,
        target: int,
        should_stop: ShouldStop | None = None,
        on_step: Callable[[UnigramTrainer], None] | None = None,
        on_progress: Progress | None = None,
    ) -> StopReason:
        """Step until `step_count` is `target` or the target size is reached; `on_step` is called after each round,
        `on_progress` within one, in the same thread."""
        while self.step_count < target:
            if should_stop is not None and should_stop():
                return StopReason.CANCELLED
            reason = self.step(should_stop, on_progress)
            if reason is not None:
                return reason
            if on_step is not None:
                on_step(self)
        return StopReason.TARGET

    def candidates(self, limit: int) -> tuple[PieceRow, ...]:
        """The first `limit` pieces in the order of removal; the single symbols, which are kept, come last."""
        state = self._state
        removable = self._removable(state)
        removal = zip(state.order[:limit], state.losses, strict=False)
        rows = [self._row(state, k, loss, i < removable) for i, (k, loss) in enumerate(removal)]
        rows += [self._row(state, k, None, False) for k in self.singles[: max(0, limit - len(rows))]]
        return tuple(rows)

    def _row(self, state: State, number: int, loss: float | None, next_removed: bool) -> PieceRow:
        at = state.places[number]
        return PieceRow(
            self.texts[number], state.probabilities[at], state.expected[at], state.uses[at], loss, next_removed
        )

    def encoder(self) -> UnigramModel:
        """The vocabulary at this round, to encode with; made once for each round."""
        if self.step_count not in self._models:
            self._models[self.step_count] = self._state.model(self.kind)
        return self._models[self.step_count]
