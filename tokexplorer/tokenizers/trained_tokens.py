"""The vocabularies behind trained tokenizers, token by token: WordPiece, Unigram, a merge list, baselines."""

from __future__ import annotations

from typing import Final

from tokexplorer.engine.alphabet import END_MARK, AlphabetKind, to_bytes, to_text
from tokexplorer.engine.baselines import UNKNOWN as BASELINE_UNKNOWN
from tokexplorer.engine.baselines import BaselineModel
from tokexplorer.engine.replay import MergeList
from tokexplorer.engine.unigram import UNKNOWN as UNIGRAM_UNKNOWN
from tokexplorer.engine.unigram import UnigramModel
from tokexplorer.engine.wordpiece import PREFIX, UNKNOWN_ID, WordPieceVocabulary
from tokexplorer.engine.wordpiece import UNKNOWN as WORDPIECE_UNKNOWN

REPLAY_UNKNOWN: Final = "<unk>"


class WordPieces:
    """The first `size` pieces of a WordPiece vocabulary."""

    mark: Final = PREFIX
    unknown_id: Final = UNKNOWN_ID

    def __init__(self, vocabulary: WordPieceVocabulary, size: int) -> None:
        self._vocabulary = vocabulary
        self.size = size

    def data(self, token_id: int) -> bytes | None:
        """See Tokens."""
        if token_id == UNKNOWN_ID:
            return WORDPIECE_UNKNOWN.encode()
        return self._vocabulary.data[token_id] if 0 <= token_id < self.size else None

    def label(self, token_id: int) -> str:
        """See Tokens."""
        return self._vocabulary.labels[token_id] if 0 <= token_id < self.size else ""

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """See Tokens."""
        number = token_id - len(self._vocabulary.alphabet)
        if number < 0 or token_id >= self.size:
            return None
        merge = self._vocabulary.merges[number]
        return merge.left, merge.right


class UnigramPieces:
    """The pieces of a Unigram model."""

    mark: Final = ""

    def __init__(self, model: UnigramModel) -> None:
        self._model = model
        self.size = model.size
        self.unknown_id = model.unknown_id

    def data(self, token_id: int) -> bytes | None:
        """See Tokens."""
        if token_id == self.unknown_id:
            return UNIGRAM_UNKNOWN.encode()
        return self._model.data(token_id) if 0 <= token_id < self.size else None

    def label(self, token_id: int) -> str:
        """See Tokens."""
        return to_text(self.data(token_id) or b"")

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """Nothing is merged."""
        return None


class Listed:
    """All tokens of a merge list, by id."""

    def __init__(self, merge_list: MergeList) -> None:
        self.merge_list = merge_list
        ends = () if merge_list.end_id is None else (merge_list.end_id,)
        self.base = frozenset([*merge_list.base.values(), *ends])
        self.data = {token_id: merge_list.data(token_id) for token_id in self.base}
        self.made: dict[int, int] = {}
        """new id -> the first step that makes it"""
        for step, (left, right, new) in enumerate(merge_list.merges, 1):
            self.data.setdefault(new, self.data[left] + self.data[right])
            self.made.setdefault(new, step)
        self.above = max(self.data, default=-1) + 1
        """one more than the highest id"""


class ListedTokens:
    """The base symbols of a merge list and what its first `steps` merges make."""

    def __init__(self, listed: Listed, steps: int) -> None:
        self._listed = listed
        self._list = listed.merge_list
        self._steps = steps
        self.mark = END_MARK if self._list.end_id is not None else ""

    @property
    def unknown_id(self) -> int | None:
        """The id after the last one; None for bytes, where nothing is unknown."""
        return None if self._list.kind is AlphabetKind.BYTES else self._listed.above

    @property
    def size(self) -> int:
        """Highest id + 1."""
        return self._listed.above + (self.unknown_id is not None)

    def data(self, token_id: int) -> bytes | None:
        """See Tokens; tokens of later merges are not there yet."""
        if token_id == self.unknown_id:
            return REPLAY_UNKNOWN.encode()
        return self._listed.data[token_id] if self._is_there(token_id) else None

    def _is_there(self, token_id: int) -> bool:
        return token_id in self._listed.base or self._listed.made.get(token_id, self._steps + 1) <= self._steps

    def label(self, token_id: int) -> str:
        """See Tokens."""
        if self._list.kind is AlphabetKind.BYTES or token_id == self.unknown_id:
            return to_text(self.data(token_id) or b"")
        return self._list.label(token_id) if self._is_there(token_id) else ""

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """See Tokens."""
        step = self._listed.made.get(token_id)
        if step is None or step > self._steps or token_id in self._listed.base:
            return None
        left, right, _ = self._list.merges[step - 1]
        return left, right


class BaselineTokens:
    """The characters or the chunks of a corpus."""

    mark: Final = ""

    def __init__(self, model: BaselineModel) -> None:
        self._model = model
        self.size = model.size
        self.unknown_id = model.unknown_id

    def data(self, token_id: int) -> bytes | None:
        """See Tokens."""
        return to_bytes(self._model.labels[token_id]) if 0 <= token_id < self.size else None

    def label(self, token_id: int) -> str:
        """See Tokens."""
        return BASELINE_UNKNOWN if token_id == self.unknown_id else to_text(self.data(token_id) or b"")

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """Nothing is merged."""
        return None
