"""Writing a model in any format: what would be lost, whole files only, and the comparison after reading back."""

from __future__ import annotations

from tokexplorer.engine.model import Model
from tokexplorer.formats.values import WriteReport


def format_for(path: str) -> str:
    """The format that a target's name stands for: `.tiktoken`, `tokenizer.json`, `vocab.json` or `merges.txt`,
    `vocab.txt`, `.model` (minbpe); everything else is `own`."""
    raise NotImplementedError


def refusal(model: Model, fmt: str) -> str | None:
    """Why the format cannot hold the model at all, in one clause, or None. UsageError for an unknown format."""
    raise NotImplementedError


def losses(model: Model, fmt: str) -> tuple[str, ...]:
    """What the format cannot hold of the model, one clause each. InputError where it is refused at all."""
    raise NotImplementedError


def write_model(model: Model, path: str, fmt: str, force: bool = False) -> WriteReport:
    """Write a model, read it back and compare ids on sample texts. A file that exists is an InputError unless
    `force`; nothing is left half written. GPT-2's pair: `path` is a folder, either file, or a stem."""
    raise NotImplementedError
