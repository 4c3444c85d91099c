"""The lens: which text is looked at, through which tokenizer, in which special-token mode. Immutable choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from tokexplorer.tokenizers.base import SpecialMode, Tokenizer

OWN: Final = "own"
"""The name of our own merges at the present step."""
CYCLE: Final = (OWN, "gpt2", "cl100k_base", "o200k_base")
"""What `t` goes through before the tokenizers that were loaded from files."""


@dataclass(frozen=True, slots=True)
class Lens:
    """`loaded` holds the tokenizers that are ready; names in the cycle that are not in it load when first chosen."""

    chosen: str = OWN
    special: SpecialMode = SpecialMode.TEXT
    loaded: Mapping[str, Tokenizer] = field(default_factory=dict)
    probe: bytes | None = None
    """a text of the user's own instead of the corpus"""

    @property
    def names(self) -> tuple[str, ...]:
        """The cycle."""
        return (*CYCLE, *(name for name in self.loaded if name not in CYCLE))

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The chosen tokenizer; None for our own, and while it loads."""
        return self.loaded.get(self.chosen)

    @property
    def next_names(self) -> str:
        """The names that the next-tokenizer key leads to, in that order."""
        names = self.names
        at = names.index(self.chosen)
        return " ".join(name.removesuffix("_base") for name in (*names[at + 1 :], *names[:at]))

    def turned(self, direction: int) -> Lens:
        """The next tokenizer of the cycle, or the one before."""
        names = self.names
        return replace(self, chosen=names[(names.index(self.chosen) + direction) % len(names)])

    def with_loaded(self, name: str, tokenizer: Tokenizer) -> Lens:
        """With one more tokenizer ready."""
        return replace(self, loaded={**self.loaded, name: tokenizer})

    def with_other_mode(self) -> Lens:
        """Special strings as tokens instead of as text, or back."""
        other = SpecialMode.TOKEN if self.special is SpecialMode.TEXT else SpecialMode.TEXT
        return replace(self, special=other)
