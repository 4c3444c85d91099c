"""The values of reading and writing: the formats by name, and the report of a writing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MAX_BYTES: Final = 200_000_000
"""The largest file that is read, in bytes; larger and endless ones are refused."""


UNCASED: Final = "bert-uncased"
CASED: Final = "bert-cased"
HANDLINGS: Final = (UNCASED, CASED)
"""How BERT cleans and cuts texts: with lower case and stripped accents, or without."""


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: its `name` (what `--to` takes), a title for people, and whether it is written here."""

    name: str
    title: str
    writes: bool = True


FORMATS: Final[dict[str, Format]] = {
    f.name: f
    for f in (
        Format("own", "tokexplorer's own JSON, which holds everything"),
        Format("tiktoken", "tiktoken ranks: base64 and rank, a token a line"),
        Format("gpt2", "GPT-2's pair of files: vocab.json and merges.txt"),
        Format("tokenizer.json", "Hugging Face tokenizer.json"),
        Format("minbpe", "minbpe .model"),
        Format("bert-vocab", "BERT vocab.txt: WordPiece, a token a line"),
        Format("sentencepiece", "SentencePiece .model", writes=False),
    )
}
"""All formats by name, in the order in which they are offered."""


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What a writing did: the files, what the format could not hold, and what the reload was compared on."""

    format: str
    files: tuple[str, ...]
    lost: tuple[str, ...]
    checks: tuple[str, ...]
    """one line per check after the writing, e.g. `read back here: 214 ids of 9 texts are the same`"""
    agrees: bool
    """whether every check found the same ids"""
