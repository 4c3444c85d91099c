"""A moment of the explorer as lessons see it: the training, what is looked at and through which tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tokexplorer.engine.alphabet import END_MARK
from tokexplorer.engine.errors import InputError
from tokexplorer.session import Snapshot
from tokexplorer.tokenizers.base import Encoded, SpecialMode, Tokenizer

OWN: Final = "own"
"""What lessons call the tokenizer that is being learned."""
LIMIT: Final = 1 << 20
"""Bytes of text up to which a question about what is looked at is answered: answers must be instant."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """`find` gives a tokenizer by name, of those that a lesson names; OWN is the one at this step."""

    snapshot: Snapshot
    find: Callable[[str], Tokenizer]
    tokenizer: str = OWN
    special: SpecialMode = SpecialMode.TEXT
    probe: bytes | None = None
    shows: frozenset[str] = frozenset()
    pane: str = ""

    @property
    def text(self) -> bytes:
        """What is looked at. InputError where it is too large to be asked about."""
        if self.probe is not None:
            return self.probe
        corpus = self.snapshot.corpus
        if corpus.size > LIMIT:
            raise InputError("the text is too large for a lesson")
        return corpus.read(0, corpus.size)


def token_names(tokenizer: Tokenizer, encoded: Encoded) -> list[str]:
    """Each token as lessons write it: its text, its label where text does not say it all (`est</w>`, `##ing`,
    `<|unk|>`), and bytes that are no text alone in hex between `‹›`."""
    return [token_name(tokenizer, token_id) for token_id in encoded.ids]


def token_name(tokenizer: Tokenizer, token_id: int) -> str:
    """One token as lessons write it."""
    label = tokenizer.label(token_id)
    data = tokenizer.token_bytes(token_id)
    if data is None or tokenizer.is_special(token_id) or label.endswith(END_MARK) or label.startswith("##"):
        return label
    return text_of(data)


def text_of(data: bytes) -> str:
    """Bytes as text; in hex between `‹›` where they are no text alone."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return f"‹{data.hex(' ')}›"


def symbol_name(snapshot: Snapshot, token_id: int) -> str:
    """A learned token, also one that is undone, as lessons write it."""
    if snapshot.merging is None:
        raise InputError(f"{snapshot.settings.algorithm} makes no merges")
    name = snapshot.merging.name_of(token_id)
    return text_of(name) if isinstance(name, bytes) else name
