"""The two baselines without training, in the shape of a trainer: every character a token, every chunk a token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tokexplorer.engine.corpus import Corpus, ShouldStop
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.segments import Segment, name_character
from tokexplorer.engine.suffixes import symbol_counts
from tokexplorer.engine.training import StopReason

UNKNOWN: Final = "<|unk|>"


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """A row of the token table: a token and how often it stands in the corpus."""

    id: int
    text: str
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class BaselineModel:
    """Characters or whole chunks as tokens. Immutable. `<|unk|>` has the last id."""

    labels: tuple[str, ...]
    ids: Mapping[str, int]
    by_character: bool

    @property
    def size(self) -> int:
        """Tokens in the vocabulary, `<|unk|>` included."""
        return len(self.labels)

    @property
    def unknown_id(self) -> int:
        """The id of `<|unk|>`."""
        return len(self.labels) - 1

    def encode(self, chunk: str) -> tuple[Segment, ...]:
        """The tokens of a chunk: its characters, or the chunk as one."""
        if self.by_character:
            return tuple(self._segment(char, at) for at, char in enumerate(chunk))
        return (self._segment(chunk, 0),) if chunk else ()

    def _segment(self, text: str, start: int) -> Segment:
        token = self.ids.get(text)
        end = start + len(text)
        if token is not None:
            return Segment(token, start, end)
        reason = f"unknown {name_character(text)}" if self.by_character else "unknown word"
        return Segment(self.unknown_id, start, end, reason)


class BaselineTrainer:
    """A vocabulary that is there at once. It has the verbs of a trainer, but no step to take."""

    history: Final[Sequence[BaselineRow]] = ()
    step_count: Final = 0

    def __init__(self, corpus: Corpus, by_character: bool) -> None:
        self.corpus = corpus
        if by_character:
            counts = dict(sorted(symbol_counts(corpus.chunks, corpus.counts).items()))
        else:
            counts = dict(zip(corpus.chunks, corpus.counts, strict=True))
        self.tokens = self.start_tokens = sum(counts.values())
        ids = {text: i for i, text in enumerate(counts)}
        self._counts = Counter(counts)
        self._model = BaselineModel((*counts, UNKNOWN), ids, by_character)

    @property
    def vocab_size(self) -> int:
        """Tokens in the vocabulary, `<|unk|>` included."""
        return self._model.size

    def stop_reason(self) -> StopReason:
        """Always NO_PAIRS: nothing is trained."""
        return StopReason.NO_PAIRS

    def step(self) -> StopReason:
        """Changes nothing; returns NO_PAIRS."""
        return StopReason.NO_PAIRS

    def back(self) -> bool:
        """There is no step before: False."""
        return False

    def goto(self, step: int, should_stop: ShouldStop | None = None) -> None:
        """UsageError for any step but 0."""
        if step:
            raise UsageError("this baseline is not trained: there is no step to go to")

    def run(
        self,
        target: int,
        should_stop: ShouldStop | None = None,
        on_step: Callable[[BaselineTrainer], None] | None = None,
    ) -> StopReason:
        """Changes nothing."""
        return StopReason.NO_PAIRS if target > 0 else StopReason.TARGET

    def candidates(self, limit: int) -> tuple[BaselineRow, ...]:
        """The most frequent tokens; of equals the one with the lower id."""
        return tuple(BaselineRow(self._model.ids[text], text, n) for text, n in self._counts.most_common(limit))

    def encoder(self) -> BaselineModel:
        """The vocabulary to encode with."""
        return self._model
