"""How the tokens of a model are spelled in vocabularies of text, and what could not be told apart there."""

from __future__ import annotations

from collections.abc import Iterable

from tokexplorer.engine.alphabet import AlphabetKind, to_text
from tokexplorer.engine.model import Model
from tokexplorer.engine.unigram import piece_bytes
from tokexplorer.formats.making import piece_labels, unknown_of
from tokexplorer.formats.parsing import quote
from tokexplorer.tokenizers.byte_spelling import spell

Row = tuple[str, int]
"""(spelling, id)"""


def spell_tokens(model: Model) -> list[Row]:
    """The tokens of the vocabulary, the unknown token among them, special tokens aside."""
    unknown = unknown_of(model)
    if model.algorithm == "bpe":
        vocabulary = model.vocabulary()
        names = [*map(spell, vocabulary.data)] if model.is_bytes else vocabulary.labels
        rows = [(name, model.id_of(number)) for number, name in enumerate(names)]
        loose = [(spell(token.data) if model.is_bytes else to_text(token.data), token.id) for token in model.loose]
        return [*rows, *loose, *([unknown] if unknown is not None else [])]
    labels = list(piece_labels(model))
    if model.algorithm == "unigram" and model.alphabet.kind is AlphabetKind.BYTES:
        labels = [spell(piece_bytes(label, AlphabetKind.BYTES)) for label in labels]
    if unknown is not None and unknown[1] < len(labels):
        labels[unknown[1]] = unknown[0]
    return [(label, number) for number, label in enumerate(labels)]


def specials_outside(model: Model, rows: Iterable[Row]) -> list[Row]:
    """The special tokens that are not tokens of the vocabulary under their own id, by id."""
    known = set(rows)
    return sorted((row for row in model.specials.items() if row not in known), key=lambda row: row[1])


def refuse_spelling(rows: Iterable[Row]) -> str | None:
    """Why the spellings cannot stand in one vocabulary of text, or None."""
    seen: set[str] = set()
    for name, _ in rows:
        if name in seen:
            return f"two of its tokens are spelled {quote(name)} there"
        seen.add(name)
        try:
            name.encode()
        except UnicodeEncodeError:
            return f"the token {quote(name)} is not valid UTF-8"
    return None
