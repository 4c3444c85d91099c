"""What a topic is asked: the words of the call, and what goes with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokexplorer.cli.output import text_or_none

if TYPE_CHECKING:
    from tokexplorer.cli.progress import ProgressBar
    from tokexplorer.tokenizers.base import Token


@dataclass(frozen=True, slots=True)
class Asked:
    """`texts`: the words as bytes; `files`: texts that were read, with their names; `price`: per million tokens."""

    bar: ProgressBar
    texts: Sequence[bytes] = ()
    files: Sequence[tuple[str, bytes]] = ()
    price: float | None = None
    contexts: Sequence[int] = ()

    @property
    def text(self) -> bytes | None:
        """All words joined by a space, None where there are none."""
        return b" ".join(self.texts) if self.texts else None


def token_values(tokens: Iterable[Token]) -> list[dict[str, Any]]:
    """Tokens as JSON values."""
    return [
        {"id": t.id, "hex": t.data.hex(), "text": text_or_none(t.data), "start": t.start, "end": t.end} for t in tokens
    ]
