"""Settings and Snapshot: what training depends on, and all that a screen shows of one moment. Immutable values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tokexplorer.engine.algorithms import ALPHABETS, HAS_TIES, Algorithm
from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.baselines import BaselineRow
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.corpus import Corpus
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.training import Candidate, Merge, StopReason
from tokexplorer.engine.unigram_training import PieceRow
from tokexplorer.timeline.branches import Branch
from tokexplorer.timeline.histories import History, MergeHistory, Names
from tokexplorer.tokenizers.base import Tokenizer

Row = Candidate | PieceRow | BaselineRow
"""A row of the table of what comes next: its type is the algorithm's."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What training depends on. `split`: a name or a pattern; `target`: a vocabulary size, None for one that suits;
    `replay`: the name or path of the tokenizer whose merges are replayed."""

    algorithm: Algorithm = Algorithm.BPE
    alphabet: AlphabetKind = AlphabetKind.BYTES
    split: str = "gpt2"
    ties: TieRule = TieRule.FIRST
    min_count: int = 1
    target: int | None = None
    replay: str = "gpt2"

    @property
    def alphabets(self) -> tuple[AlphabetKind, ...]:
        """The alphabets that the algorithm can start from; none where it has no choice."""
        return ALPHABETS[self.algorithm]

    @property
    def has_ties(self) -> bool:
        """Whether a tie rule decides anything."""
        return self.algorithm in HAS_TIES

    def suited(self) -> Settings:
        """The same with an alphabet that goes with the algorithm."""
        allowed = self.alphabets
        return self if not allowed or self.alphabet in allowed else replace(self, alphabet=allowed[0])


def text_bytes(corpus: Corpus) -> int:
    """Bytes that the tokens of a corpus stand for, weighted."""
    return corpus.stats.bytes if not corpus.word_counts else corpus.stats.characters


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """All that a screen shows of one moment. Stays true: what it shares with later ones only grows at its end."""

    settings: Settings
    corpus: Corpus
    history: History
    step: int
    known: int
    """steps known, those beyond `step` being undone"""
    tokens: int
    rows: tuple[Row, ...]
    """what may come next, the winner first; for Unigram the pieces, for a baseline its tokens"""
    row_total: int
    """pairs in the text, or pieces in the vocabulary; `rows` may be fewer"""
    target_step: int
    stop: StopReason | None = None
    stop_words: str = ""
    """why the last verb ended, in one clause; empty where it did what it was asked"""
    speed: float = 0.0
    """steps a second of the run that gave this snapshot; 0 where none did"""
    branch: str = ""
    """the branch that we are on; empty for the main line"""
    branches: tuple[Branch, ...] = ()
    """all branches, this one among them; none for algorithms that do not branch"""

    @property
    def merging(self) -> MergeHistory | None:
        """The history where its steps are merges, else None."""
        return self.history if isinstance(self.history, MergeHistory) else None

    @property
    def target_size(self) -> int:
        """The vocabulary size that is aimed at."""
        if self.merging is not None:
            return self.merging.base_size + self.target_step
        return self.history.target_size

    @property
    def can_choose(self) -> bool:
        """Whether a pair can be merged instead of the winner, which begins a branch."""
        return self.settings.algorithm in (Algorithm.BPE, Algorithm.WORDPIECE)

    @property
    def slow_steps(self) -> bool:
        """Whether one step takes so long that it must not keep anyone waiting."""
        return self.settings.algorithm is Algorithm.UNIGRAM

    @property
    def greedy(self) -> bool:
        """Whether encoding may cut the corpus in other places than training did, so that `tokens` is training's."""
        return self.settings.algorithm is Algorithm.WORDPIECE

    @property
    def vocabulary(self) -> Names:
        """What tells the texts of tokens by id. UsageError where steps are no merges."""
        if self.merging is None:
            raise UsageError(f"{self.settings.algorithm} makes no merges")
        return self.merging.names

    @property
    def base_size(self) -> int:
        """Base symbols, there before the first merge; the least vocabulary where steps are no merges."""
        return self.merging.base_size if self.merging is not None else self.history.least_size

    @property
    def vocab_size(self) -> int:
        """Tokens in the vocabulary now."""
        return self.history.vocab_size(self.step)

    @property
    def start_tokens(self) -> int:
        """Tokens in the corpus at step 0."""
        return self.history.start_tokens

    @property
    def merges(self) -> Sequence[Merge]:
        """The known merges; only the first `known` belong to this snapshot, only the first `step` are made. None where
        steps are no merges."""
        return self.merging.rows if self.merging is not None else ()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The pairs that may be merged next, the winner first; none where steps are no merges."""
        return tuple(row for row in self.rows if isinstance(row, Candidate))

    @property
    def last(self) -> Merge | None:
        """The merge that was made last."""
        return self.merges[self.step - 1] if self.step and self.merging is not None else None

    @property
    def winner(self) -> Candidate | None:
        """The pair that the next step merges if nothing else is chosen."""
        first = self.rows[0] if self.rows else None
        return first if isinstance(first, Candidate) else None

    @property
    def text_bytes(self) -> int:
        """Bytes that the tokens stand for, weighted."""
        return text_bytes(self.corpus)

    @property
    def bytes_per_token(self) -> float:
        """Bytes of text per token now; 0 for an empty text."""
        return self.text_bytes / self.tokens if self.tokens else 0.0

    @property
    def title(self) -> str:
        """What our own tokenizer is at this step."""
        return self.history.title(self.step)

    def tokens_after(self, step: int) -> int:
        """Tokens in the corpus after a known step."""
        return self.history.tokens_after(step)

    def tokenizer(self) -> Tokenizer:
        """Our own tokenizer at this step; the same object for the same step."""
        return self.history.tokenizer(self.step)
