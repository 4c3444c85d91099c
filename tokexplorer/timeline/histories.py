"""What all snapshots of one line of steps share: a row for each step, and the tokenizer at any of its steps."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Final, TypeVar
from weakref import WeakMethod

from tokexplorer.engine.algorithms import Algorithm, AnyTrainer
from tokexplorer.engine.alphabet import AlphabetKind, to_bytes, to_text
from tokexplorer.engine.baselines import BaselineTrainer
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.merge_encoder import MergeEncoder
from tokexplorer.engine.model import Model, Piece
from tokexplorer.engine.replay import MergeList, ReplayTrainer
from tokexplorer.engine.splits import Split
from tokexplorer.engine.training import BpeTrainer, Merge, Vocabulary
from tokexplorer.engine.unigram import UNKNOWN, UNKNOWN_ID, UnigramModel, spell, unigram_model
from tokexplorer.engine.unigram_training import LONGEST, SHRINK, Round, UnigramTrainer
from tokexplorer.engine.wordpiece import UNKNOWN as WORDPIECE_UNKNOWN
from tokexplorer.engine.wordpiece import UNKNOWN_ID as WORDPIECE_UNKNOWN_ID
from tokexplorer.engine.wordpiece import WordPieceModel, WordPieceTrainer, WordPieceVocabulary
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tokenizers.learned import LearnedTokenizer
from tokexplorer.tokenizers.trained import TrainedTokenizer
from tokexplorer.tokenizers.trained_tokens import BaselineTokens, Listed, ListedTokens, UnigramPieces, WordPieces

T = TypeVar("T")
KEPT: Final = 16
"""Tokenizers that a history keeps ready."""
Names = Vocabulary | MergeList
"""What tells the texts of the tokens that merges join."""
_numbers: Final = itertools.count(1)


def _remembered(method: Callable[[int], T], most: int) -> Callable[[int], T]:
    """What a method gave last, remembered without keeping its object alive."""
    weak = WeakMethod(method)

    @lru_cache(maxsize=most)
    def ask(step: int) -> T:
        found = weak()
        assert found is not None
        return found(step)

    return ask


class History(ABC):
    """Rows and tokenizers of one line of steps. It grows only at its end, so that what was said of a step stays true;
    where another way is taken, another history begins."""

    unit: ClassVar[str] = "step"
    """what a step is called"""
    rows: Sequence[Any]
    """a row for each known step"""

    def __init__(self, split: Split, start_tokens: int) -> None:
        self.number = next(_numbers)
        """no two histories have the same"""
        self.split = split
        self.start_tokens = start_tokens
        self.tokenizer: Callable[[int], Tokenizer] = _remembered(self.make_tokenizer, KEPT)
        """the tokenizer at a known step; the same object for the same step"""

    @abstractmethod
    def make_tokenizer(self, step: int) -> Tokenizer:
        """A new tokenizer of a known step, for those who look at many steps and keep none."""

    def tokenizer_for(self, step: int, text: bytes) -> Tokenizer:
        """A new tokenizer that cuts this very text as that of a known step does, its ids aside; at least as quick."""
        return self.make_tokenizer(step)

    @abstractmethod
    def title(self, step: int) -> str:
        """What the tokenizer at a step is, in a few words."""

    @abstractmethod
    def vocab_size(self, step: int) -> int:
        """Tokens in the vocabulary at a known step."""

    @abstractmethod
    def step_for_size(self, size: int) -> int:
        """The step at which the vocabulary has a size. UsageError where it never has."""

    @property
    def least_size(self) -> int:
        """The smallest vocabulary that can be asked for."""
        return self.vocab_size(0)

    @property
    def target_size(self) -> int:
        """The vocabulary size that the steps lead to by themselves."""
        return self.vocab_size(0)

    def tokens_after(self, step: int) -> int:
        """Tokens in the corpus at a known step."""
        found: int = self.rows[step - 1].tokens_after if step else self.start_tokens
        return found


class MergeHistory(History):
    """A history whose steps are merges."""

    rows: Sequence[Merge]

    def __init__(
        self, names: Names, kind: AlphabetKind, rows: Sequence[Merge], base_size: int, split: Split, start_tokens: int
    ) -> None:
        super().__init__(split, start_tokens)
        self.names = names
        self.kind = kind
        self.rows = rows
        self.base_size = base_size
        """base symbols, there before the first merge"""

    def vocab_size(self, step: int) -> int:
        return self.base_size + step

    def step_for_size(self, size: int) -> int:
        if size < self.base_size:
            raise UsageError(f"a vocabulary of {size} is less than the {self.base_size} symbols it starts from")
        return size - self.base_size

    @property
    def in_bytes(self) -> bool:
        """Whether the base symbols are bytes."""
        return self.kind is AlphabetKind.BYTES

    def name_of(self, token_id: int) -> bytes | str:
        """A token as it is to be shown, by `glyphs`: its bytes, or its label where that says more."""
        return self.data(token_id) if self.in_bytes else self.label(token_id)

    def is_called(self, token_id: int, text: str) -> bool:
        """Whether a token is the one that someone wrote: by its bytes, or by its label where that says more."""
        return self.name_of(token_id) == (to_bytes(text) if self.in_bytes else text)

    @abstractmethod
    def data(self, token_id: int) -> bytes:
        """The bytes of a token that is a base symbol or made by a known step."""

    @abstractmethod
    def label(self, token_id: int) -> str:
        """Its text: bytes and end marks as the alphabet writes them."""

    def step_of(self, token_id: int) -> int | None:
        """The step that makes a token; None for base symbols and what no known step makes."""
        step = token_id - self.base_size + 1
        return step if 0 < step <= len(self.rows) else None


class BpeHistory(MergeHistory):
    """Our own byte-pair encoding."""

    names: Vocabulary

    def data(self, token_id: int) -> bytes:
        return self.names.data[token_id]

    def label(self, token_id: int) -> str:
        return self.names.labels[token_id]

    def make_tokenizer(self, step: int) -> Tokenizer:
        return LearnedTokenizer(self.names, step, self.split)

    def title(self, step: int) -> str:
        return f"own merges at {step:,}"


class WordPieceHistory(MergeHistory):
    """WordPiece. The texts as merged and as encoded may differ, since encoding matches greedily."""

    names: WordPieceVocabulary

    def data(self, token_id: int) -> bytes:
        return self.names.data[token_id]

    def label(self, token_id: int) -> str:
        return self.names.labels[token_id]

    def make_tokenizer(self, step: int) -> Tokenizer:
        own, size = self.names, self.vocab_size(step)
        encoder = WordPieceModel(own.heads, own.tails, own.labels, size, own.longest)
        pieces = WordPieces(own, size)

        def model() -> Model:
            rows = tuple(self.rows[:step])
            texts = tuple(map(Piece, own.labels[:size]))
            unknown = WORDPIECE_UNKNOWN, WORDPIECE_UNKNOWN_ID
            return Model("wordpiece", own.alphabet, self.split, rows, texts, unknown=unknown)

        return TrainedTokenizer(f"own@{step}", self.title(step), encoder, pieces, self.split, False, model)

    def title(self, step: int) -> str:
        return f"own pieces at {step:,}"


class ReplayHistory(MergeHistory):
    """The merges of another tokenizer, in its order."""

    names: MergeList

    def __init__(
        self, names: Names, kind: AlphabetKind, rows: Sequence[Merge], base_size: int, split: Split, start_tokens: int
    ) -> None:
        super().__init__(names, kind, rows, base_size, split, start_tokens)
        self._fired: list[int] = []
        self._read = 0

    @cached_property
    def listed(self) -> Listed:
        """All tokens of the list."""
        return Listed(self.names)

    def data(self, token_id: int) -> bytes:
        return self.listed.data[token_id]

    def label(self, token_id: int) -> str:
        return self.names.label(token_id)

    @property
    def fired(self) -> Sequence[int]:
        """The steps, of those known, that replaced something, ascending. It only grows."""
        while self._read < len(self.rows):
            if self.rows[self._read].replaced:
                self._fired.append(self._read + 1)
            self._read += 1
        return self._fired

    def fired_to(self, step: int) -> int:
        """How many of the steps up to a known one replaced something."""
        return bisect_right(self.fired, step)

    @property
    def length(self) -> int:
        """Merges in the list."""
        return len(self.names.merges)

    def step_of(self, token_id: int) -> int | None:
        return self.listed.made.get(token_id)

    def step_for_size(self, size: int) -> int:
        step = super().step_for_size(size)
        if step > self.length:
            raise UsageError(f"{self.names.name} ends with {self.base_size + self.length:,} tokens")
        return step

    def make_tokenizer(self, step: int) -> Tokenizer:
        own = self.names
        tokens = ListedTokens(self.listed, step)
        unknown = tokens.size if tokens.unknown_id is None else tokens.unknown_id
        encoder = MergeEncoder(own.spell, own.width, self.rows, own.ranks, step, unknown)
        in_bytes = tokens.unknown_id is None
        return TrainedTokenizer(f"own@{step}", self.title(step), encoder, tokens, self.split, in_bytes)

    def title(self, step: int) -> str:
        return f"merges of {self.names.name} to {step:,}"


class RoundHistory(History):
    """The rounds of Unigram, which prune the vocabulary."""

    unit = "round"
    rows: Sequence[Round]

    def __init__(self, trainer: UnigramTrainer) -> None:
        super().__init__(trainer.corpus.split, trainer.start_tokens)
        self.rows = trainer.history
        self.kind = trainer.kind
        self._alphabet = trainer.alphabet
        self._texts = trainer.texts
        self._states = trainer.states
        self._singles = len(trainer.singles)
        self._target = trainer.target_size
        self._removable = trainer.removable
        self.next_removed: Callable[[int], frozenset[int]] = _remembered(self._next_removed, 2)
        """the ids, at a known round, of the pieces that the next round removes"""

    def model(self, step: int) -> UnigramModel:
        """The vocabulary at a known round."""
        tokenizer = self.tokenizer(step)
        assert isinstance(tokenizer, TrainedTokenizer)
        assert isinstance(tokenizer.encoder, UnigramModel)
        return tokenizer.encoder

    @cached_property
    def _number_of(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self._texts)}

    def tokenizer_for(self, step: int, text: bytes) -> Tokenizer:
        """The model of the pieces that the text holds: the others cannot be in any of its cuts."""
        state, found = self._states[step], set[str]()
        for chunk in self.split.chunks(to_text(text)):
            word = spell(chunk, self.kind)
            found |= {word[a : a + size] for a in range(len(word)) for size in range(1, LONGEST + 1)}
        places = {piece: state.place(self._number_of[piece]) for piece in sorted(found) if piece in self._number_of}
        pieces = [(piece, state.score(place)) for piece, place in places.items() if place is not None]
        encoder = unigram_model([(UNKNOWN, 0.0), *pieces], self.kind)
        in_bytes = self.kind is AlphabetKind.BYTES
        return TrainedTokenizer("", self.title(step), encoder, UnigramPieces(encoder), self.split, in_bytes)

    def make_tokenizer(self, step: int) -> Tokenizer:
        encoder = self._states[step].model(self.kind)

        def model() -> Model:
            pieces = tuple(map(Piece, encoder.labels, encoder.scores))
            return Model("unigram", self._alphabet, self.split, pieces=pieces, unknown=(UNKNOWN, UNKNOWN_ID))

        in_bytes = self.kind is AlphabetKind.BYTES
        pieces = UnigramPieces(encoder)
        return TrainedTokenizer(f"own@{step}", self.title(step), encoder, pieces, self.split, in_bytes, model)

    def title(self, step: int) -> str:
        return f"own pieces at round {step}"

    def _next_removed(self, step: int) -> frozenset[int]:
        ids = self.model(step).ids
        return frozenset(ids[self._texts[number]] for number in self._removable(step))

    def likelihood(self, step: int) -> float:
        """The log likelihood of the corpus at a known round, in nats."""
        return self._states[step].likelihood

    def vocab_size(self, step: int) -> int:
        return 1 + len(self._states[step])

    @property
    def least_size(self) -> int:
        return 1 + self._singles

    @property
    def target_size(self) -> int:
        return self._target

    def sizes(self) -> list[int]:
        """The vocabulary size at each round from 0 to the last one before the target or the single symbols stop it."""
        sizes = [self.vocab_size(step) for step in range(len(self.rows) + 1)]
        while True:
            pieces = sizes[-1] - 1
            keep = max(self._target - 1, int(SHRINK * pieces), self._singles)
            if sizes[-1] <= self._target or keep >= pieces:
                return sizes
            sizes.append(1 + keep)

    def step_for_size(self, size: int) -> int:
        sizes = self.sizes()
        for step, found in enumerate(sizes):
            if found <= size:
                return step
        raise UsageError(f"the rounds end with {sizes[-1]:,} pieces: set the target to {size:,} or less")


class NoHistory(History):
    """A baseline, which has no steps."""

    rows: Sequence[Any] = ()

    def __init__(self, trainer: BaselineTrainer, what: str) -> None:
        super().__init__(trainer.corpus.split, trainer.start_tokens)
        self._what = what
        self._model = trainer.encoder()

    def make_tokenizer(self, step: int) -> Tokenizer:
        return TrainedTokenizer("own", self._what, self._model, BaselineTokens(self._model), self.split, False)

    def title(self, step: int) -> str:
        return self._what

    def vocab_size(self, step: int) -> int:
        return self._model.size

    def step_for_size(self, size: int) -> int:
        raise UsageError("a baseline is not trained: it has no steps")


def history_of(trainer: AnyTrainer, algorithm: Algorithm) -> History:
    """The history that a trainer stands on now."""
    split, start = trainer.corpus.split, trainer.start_tokens
    if isinstance(trainer, BpeTrainer | WordPieceTrainer):
        made = BpeHistory if isinstance(trainer, BpeTrainer) else WordPieceHistory
        alphabet = trainer.alphabet
        return made(trainer.vocabulary, alphabet.kind, trainer.history, len(alphabet), split, start)
    if isinstance(trainer, ReplayTrainer):
        own = trainer.merge_list
        return ReplayHistory(own, own.kind, trainer.history, own.base_size, split, start)
    if isinstance(trainer, UnigramTrainer):
        return RoundHistory(trainer)
    return NoHistory(trainer, "characters" if algorithm is Algorithm.CHARACTERS else "words of the corpus")
