"""The embedded tokenizers by name: which vocabulary, split and special tokens each has, and which models use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from tokexplorer.engine.errors import UsageError

_END: Final = {"<|endoftext|>": 50256}
_O200K: Final = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
_HARMONY: Final = {
    **_O200K,
    "<|startoftext|>": 199998,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
} | {f"<|reserved_{i}|>": i for i in (200000, 200001, 200004, 200009, 200010, 200011, *range(200013, 201088))}
"""As tiktoken has it (openai_public.py): id 200018 has two names, `<|endofprompt|>` and `<|reserved_200018|>`."""


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """An embedded tokenizer: `ranks` names its vocabulary, `split` its split pattern (engine/splits.py), `size` is its
    highest id + 1."""

    name: str
    ranks: str
    split: str
    size: int
    specials: Mapping[str, int]


_FIM: Final = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
_P50K_EDIT: Final = _END | {name: 50281 + i for i, name in enumerate(_FIM)}
_CL100K: Final = (
    {"<|endoftext|>": 100257} | {name: 100258 + i for i, name in enumerate(_FIM)} | {"<|endofprompt|>": 100276}
)

DEFINITIONS: Final[Mapping[str, Definition]] = {
    definition.name: definition
    for definition in (
        Definition("gpt2", "r50k_base", "gpt2", 50257, _END),
        Definition("r50k_base", "r50k_base", "gpt2", 50257, _END),
        Definition("p50k_base", "p50k_base", "gpt2", 50281, _END),
        Definition("p50k_edit", "p50k_base", "gpt2", 50284, _P50K_EDIT),
        Definition("cl100k_base", "cl100k_base", "cl100k", 100277, _CL100K),
        Definition("o200k_base", "o200k_base", "o200k", 200019, _O200K),
        Definition("o200k_harmony", "o200k_base", "o200k", 201088, _HARMONY),
    )
}


def names() -> list[str]:
    """The embedded tokenizers, oldest first."""
    return list(DEFINITIONS)


def models() -> dict[str, str]:
    """The models' names that tiktoken knows, each with its encoding, where that one is embedded."""
    from tiktoken.model import MODEL_TO_ENCODING

    return {model: encoding for model, encoding in MODEL_TO_ENCODING.items() if encoding in DEFINITIONS}


def find(name: str) -> str | None:
    """The encoding that a name means: an encoding's own, a model's, or one that begins like a family of models
    (`gpt-4o-2024-08-06`); None where it means none. tiktoken's table decides, and is imported for models only."""
    if name in DEFINITIONS:
        return name
    from tiktoken.model import encoding_name_for_model

    try:
        encoding = encoding_name_for_model(name)
    except KeyError:
        return None
    return encoding if encoding in DEFINITIONS else None


def resolve(name: str) -> str:
    """As `find`; UsageError lists what there is and suggests the nearest."""
    encoding = find(name)
    if encoding is not None:
        return encoding
    near = get_close_matches(name.lower(), list(dict.fromkeys([*names(), *models()])), n=3)
    shown = ascii(name if len(name) <= 60 else name[:57] + "...")
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    known = ", ".join(names())
    raise UsageError(f"no tokenizer {shown}: {hint}there are {known}, and models' names such as gpt-4 and gpt-4o")
