"""`inspect budget`: a text against context sizes and a price; what the vocabulary costs as embeddings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from tokexplorer.analysis.budget import CONTEXTS, Budget, budget
from tokexplorer.cli.output import Out, several
from tokexplorer.cli.topics.asked import Asked
from tokexplorer.tokenizers.base import Tokenizer


def _budget(tokenizer: Tokenizer, asked: Asked) -> Budget:
    tokens = sum(len(tokenizer.encode(text)) for _, text in asked.files)
    return budget(tokenizer.name, tokenizer.size, tokens, asked.price, tuple(asked.contexts) or CONTEXTS)


def values(tokenizer: Tokenizer, asked: Asked) -> dict[str, Any]:
    """The topic as JSON values."""
    found = asdict(_budget(tokenizer, asked))
    del found["tokenizer"]
    return found


def lines(out: Out, tokenizer: Tokenizer, asked: Asked) -> Iterator[str]:
    """The topic for a reader."""
    found = _budget(tokenizer, asked)
    yield f"{several(found.tokens, 'token')} in {', '.join(out.safe(name) for name, _ in asked.files)}"
    if found.price is not None and found.per_million is not None:
        yield f"at {found.per_million:g} per million: {found.price:.6f}"
    yield f"{'context':>11}  {'filled':>8}  {'left':>11}  windows"
    for fit in found.contexts:
        yield f"{fit.size:>11,}  {fit.share:>8.1%}  {fit.left:>11,}  {fit.windows:,}"
    yield f"a vocabulary of {found.vocabulary:,} in a model"
    for share in found.embeddings:
        tied = "one matrix" if share.tied else "two matrices"
        parameters = f"{share.embedding:>13,} parameters ({tied})"
        yield f"  {share.model:<14}  d {share.width:>5,}  {parameters}, {share.share:.1%} of all"
