"""A short text as its tokens, with each token's own bytes; and the notation `12|34` for cuts."""

from __future__ import annotations

from collections.abc import Iterable

from tokexplorer.engine.alphabet import to_text
from tokexplorer.tokenizers.base import SpecialMode, Token, Tokenizer


def tokens_of(tokenizer: Tokenizer, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> tuple[Token, ...]:
    """The tokens of a text; `data` of each is its own bytes, which differ from its span's where it is unknown."""
    encoded = tokenizer.encode(text, special)
    return tuple(encoded.token(i, tokenizer.token_bytes(own)) for i, own in enumerate(encoded.ids))


def bars(text: bytes, spans: Iterable[tuple[int, int]]) -> str:
    """The text with a bar at each cut: `12|34| +| 5|678`. Cut characters keep their bytes as lone surrogates."""
    return "|".join(to_text(text[start:end]) for start, end in spans)


def token_bars(text: bytes, tokens: Iterable[Token]) -> str:
    """The text with a bar between its tokens."""
    return bars(text, ((token.start, token.end) for token in tokens))
