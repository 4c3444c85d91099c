"""Opening any tokenizer file, as a tokenizer or as a model."""

from __future__ import annotations

from collections.abc import Mapping

from tokexplorer.engine.model import Model
from tokexplorer.tokenizers.base import Tokenizer


def read_tokenizer(path: str, split: str | None = None, specials: Mapping[str, int] | None = None) -> Tokenizer:
    """The tokenizer in a file. `split` (a name of `splits.PATTERNS` or a pattern) and `specials` serve formats that
    hold none (tiktoken ranks, merges.txt, vocab.txt): without them they are guessed, and `remarks` says how.
    InputError where the file cannot be read: one line with file, place and what was expected."""
    raise NotImplementedError


def read_model(path: str, split: str | None = None, specials: Mapping[str, int] | None = None) -> Model:
    """The model in a file, to be written in another format; InputError as in `read_tokenizer`, and where the
    tokenizer is of a kind that a `Model` does not hold (the message says what)."""
    raise NotImplementedError


def model_of(tokenizer: Tokenizer) -> Model:
    """The model behind a learned, built-in or loaded tokenizer. InputError says why there is none."""
    raise NotImplementedError


def tokenizer_of(model: Model, name: str) -> Tokenizer:
    """A model as a tokenizer that is shown as `name`."""
    raise NotImplementedError


def remarks(tokenizer: Tokenizer) -> tuple[str, ...]:
    """What a user should know about a loaded tokenizer: guesses, what was ignored, gaps in its ids."""
    raise NotImplementedError


def normalised(tokenizer: Tokenizer, text: bytes) -> bytes:
    """The text after the tokenizer's normaliser, before it is split; the text itself where there is none."""
    raise NotImplementedError
