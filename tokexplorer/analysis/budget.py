"""What a text and a vocabulary cost: context windows, money, embedding parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CONTEXTS: Final = (1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 200_000, 1_000_000)
"""Context sizes in tokens that models come with: from GPT-2's 1,024 on."""


@dataclass(frozen=True, slots=True)
class ContextFit:
    """A text against one context size."""

    size: int
    tokens: int
    share: float
    """of the context that the text fills; above 1.0 it does not fit"""
    windows: int
    """contexts that hold the text, one after the other"""
    left: int
    """tokens left for the answer; 0 where the text does not fit"""

    @property
    def fits(self) -> bool:
        """Whether one context holds the text."""
        return self.tokens <= self.size


def contexts(tokens: int, sizes: tuple[int, ...] = CONTEXTS) -> tuple[ContextFit, ...]:
    """A number of tokens against context sizes. ValueError on a size below 1."""
    if any(size < 1 for size in sizes):
        raise ValueError("a context holds at least one token")
    return tuple(ContextFit(s, tokens, tokens / s, -(-tokens // s), max(s - tokens, 0)) for s in sizes)


def price(tokens: int, per_million: float) -> float:
    """The price of a number of tokens, in the currency of the price per million."""
    return tokens * per_million / 1_000_000


@dataclass(frozen=True, slots=True)
class Model:
    """A published model's size. `width` is d, the length of an embedding; `tied`: one matrix for input and output."""

    name: str
    width: int
    parameters: int
    vocabulary: int
    tied: bool

    @property
    def body(self) -> int:
        """Parameters outside the embeddings."""
        return self.parameters - embedding_parameters(self.vocabulary, self.width, self.tied)


MODELS: Final = (
    Model("GPT-2 small", 768, 124_439_808, 50_257, True),
    Model("GPT-2 medium", 1_024, 354_823_168, 50_257, True),
    Model("GPT-2 large", 1_280, 774_030_080, 50_257, True),
    Model("GPT-2 XL", 1_600, 1_557_611_200, 50_257, True),
    Model("Mistral 7B", 4_096, 7_241_732_096, 32_000, False),
    Model("Llama 3 8B", 4_096, 8_030_261_248, 128_256, False),
)
"""Parameter counts as published with the weights."""


def embedding_parameters(vocabulary: int, width: int, tied: bool = True) -> int:
    """Parameters of the token embeddings: vocabulary x d, twice where the output has a matrix of its own."""
    return vocabulary * width * (1 if tied else 2)


@dataclass(frozen=True, slots=True)
class EmbeddingShare:
    """A vocabulary put into a model: its embeddings, and their share of all parameters."""

    model: str
    vocabulary: int
    width: int
    tied: bool
    embedding: int
    total: int
    """the model's other parameters and these embeddings"""
    share: float


def embedding_share(vocabulary: int, model: Model) -> EmbeddingShare:
    """The share that a vocabulary's embeddings would have of a model whose other parameters stay as they are."""
    own = embedding_parameters(vocabulary, model.width, model.tied)
    total = model.body + own
    return EmbeddingShare(model.name, vocabulary, model.width, model.tied, own, total, own / total if total else 0.0)


@dataclass(frozen=True, slots=True)
class Budget:
    """All of it for one text in one tokenizer."""

    tokenizer: str
    vocabulary: int
    tokens: int
    contexts: tuple[ContextFit, ...]
    per_million: float | None
    price: float | None
    """None where no price per million was given"""
    embeddings: tuple[EmbeddingShare, ...]


def budget(
    tokenizer: str,
    vocabulary: int,
    tokens: int,
    per_million: float | None = None,
    sizes: tuple[int, ...] = CONTEXTS,
    models: tuple[Model, ...] = MODELS,
) -> Budget:
    """The budget of a text of so many tokens, in a tokenizer with a vocabulary of so many ids."""
    return Budget(
        tokenizer,
        vocabulary,
        tokens,
        contexts(tokens, sizes),
        per_million,
        None if per_million is None else price(tokens, per_million),
        tuple(embedding_share(vocabulary, model) for model in models),
    )
