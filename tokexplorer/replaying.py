"""The merge lists that can be replayed, by the name or path of their tokenizer; read once."""

from __future__ import annotations

from tokexplorer.engine.replay import MergeList
from tokexplorer.engine.splits import PATTERNS
from tokexplorer.finding import find_tokenizer
from tokexplorer.tokenizers.base import Tokenizer


class Replays:
    """Tokenizers and merge lists that were read. What someone else has loaded can be told by `learn`."""

    def __init__(self) -> None:
        self._tokenizers: dict[str, Tokenizer] = {}
        self._lists: dict[str, MergeList] = {}

    def learn(self, name: str, tokenizer: Tokenizer) -> None:
        """A tokenizer that is loaded under a name already."""
        self._tokenizers.setdefault(name, tokenizer)

    def _tokenizer(self, name: str) -> Tokenizer:
        if name not in self._tokenizers:
            self._tokenizers[name] = find_tokenizer(name)
        return self._tokenizers[name]

    def merges(self, name: str) -> MergeList:
        """The merge list. UsageError where nothing is called so or it has none, InputError where it cannot be read."""
        from tokexplorer.tokenizers.merge_lists import merge_list_of  # loads all that reads tokenizers

        if name not in self._lists:
            self._lists[name] = merge_list_of(self._tokenizer(name))
        return self._lists[name]

    def split(self, name: str) -> str | None:
        """The split of a tokenizer, by its name or as a pattern; None where it has none by one pattern."""
        split = self._tokenizer(name).split
        if split is None:
            return None
        return next((known for known, pattern in PATTERNS.items() if pattern == split.pattern), split.pattern)
