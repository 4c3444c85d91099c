"""From a model to a tokenizer that encodes with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypedDict

from tokexplorer.engine.alphabet import AlphabetKind, to_bytes
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.model import Model
from tokexplorer.engine.splits import Split, named
from tokexplorer.engine.unigram import unigram_model
from tokexplorer.engine.wordpiece import PREFIX, WordPieceVocabulary, model_of_pieces
from tokexplorer.formats.parsing import MAX_ID, quote
from tokexplorer.formats.values import UNCASED
from tokexplorer.tokenizers.added import Added
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tokenizers.learned import UNKNOWN, LearnedTokenizer
from tokexplorer.tokenizers.loaded import Joining, LoadedTokenizer, Merges, Parts
from tokexplorer.tokenizers.normalizing import Normaliser, bert
from tokexplorer.tokenizers.pair_encoder import BytePairs, CharacterPairs
from tokexplorer.tokenizers.pretokenizing import Stage, bert_stage, split_stage


def tokenizer_of(model: Model, name: str, source: str = "own") -> Tokenizer:
    """A model as a tokenizer that is shown as `name`. InputError where an id stands for two tokens."""
    split = model.split if model.split is not None else named("none")
    if model.algorithm == "bpe":
        simple = not model.ids and not model.loose and model.unknown is None
        if simple or model.alphabet.kind is AlphabetKind.WORDS:
            return _learned(model, split, name, source)
        parts = _byte_parts(model) if model.is_bytes else _character_parts(model)
    else:
        parts = _wordpiece_parts(model) if model.algorithm == "wordpiece" else _unigram_parts(model)
    outside = {
        t: n for t, n in model.specials.items() if parts.labels.get(n) != t and parts.tokens.get(n) != to_bytes(t)
    }
    check_specials(name, parts.tokens, outside)
    tokens = {**parts.tokens, **{number: to_bytes(text) for text, number in model.specials.items()}}
    added = tuple(Added(text, number) for text, number in model.specials.items())
    whole = replace(parts, tokens=tokens, stages=(split_stage(split),), split=split, added=added)
    if model.handling:
        whole = replace(whole, **bert_handling(model.handling))
    return LoadedTokenizer(name, source, whole, model)


class Handling(TypedDict):
    """The parts of a tokenizer that treats texts as BERT does."""

    normaliser: Normaliser
    stages: tuple[Stage, ...]
    split: None
    handling: str


def bert_handling(handling: str) -> Handling:
    """BERT's normaliser and pre-tokenization, `bert-uncased` or `bert-cased`."""
    lower = handling == UNCASED
    return {"normaliser": bert(lower, lower), "stages": (bert_stage(),), "split": None, "handling": handling}


def check_specials(name: str, tokens: Mapping[int, bytes], specials: Mapping[str, int]) -> None:
    """InputError where a special token is empty or has an id that is out of range or another token's."""
    taken: dict[int, str] = {}
    for text, number in specials.items():
        if not text:
            raise InputError(f"{name}: a special token cannot be empty")
        if not 0 <= number <= MAX_ID:
            raise InputError(f"{name}: the special token {quote(text)} needs an id from 0 to {MAX_ID:,}, not {number}")
        other = quote(tokens[number]) if number in tokens else taken.get(number)
        if other is not None:
            raise InputError(f"{name}: id {number} of the special token {quote(text)} is that of {other} already")
        taken[number] = quote(text)


class SavedTokenizer(LearnedTokenizer):
    """A tokenizer that was learned here and comes from a file, with all that the file says of it."""

    def __init__(self, model: Model, split: Split, name: str, source: str) -> None:
        super().__init__(model.vocabulary(), len(model.merges), split, model.specials, name)
        self.model = model
        self.source = source


def _learned(model: Model, split: Split, name: str, source: str) -> SavedTokenizer:
    tokenizer = SavedTokenizer(model, split, name, source)
    known = dict(enumerate(tokenizer.vocabulary.data))
    if tokenizer.unknown_id is not None:
        known[tokenizer.unknown_id] = UNKNOWN.encode()
    check_specials(name, known, model.specials)
    return tokenizer


def _rows(model: Model) -> tuple[tuple[int, int, int], ...]:
    return tuple((model.id_of(m.left), model.id_of(m.right), model.id_of(m.new)) for m in model.merges)


def _byte_parts(model: Model) -> Parts:
    tokens = {model.id_of(number): data for number, data in enumerate(model.vocabulary().data)}
    tokens |= {token.id: token.data for token in model.loose}
    rows = _rows(model)
    return Parts(
        tokens=tokens,
        encoder=BytePairs(
            tuple(map(model.id_of, range(256))),
            {(left, right): (rank, new) for rank, (left, right, new) in enumerate(rows)},
            {data: number for number, data in tokens.items()} if model.whole else {},
        ),
        in_bytes=True,
        merges=lambda: Merges(rows, tuple(token.id for token in model.loose)),
    )


def _character_parts(model: Model) -> Parts:
    vocabulary = model.vocabulary()
    tokens = {model.id_of(number): data for number, data in enumerate(vocabulary.data)}
    tokens |= {token.id: token.data for token in model.loose}
    labels: dict[int, str] = {}
    if model.unknown is not None:
        text, number = model.unknown
        tokens.setdefault(number, to_bytes(text))
        labels[number] = text
    rows = _rows(model)
    return Parts(
        tokens=tokens,
        encoder=CharacterPairs(
            {char: model.id_of(number) for char, number in model.alphabet.ids.items()},
            {(left, right): (rank, new) for rank, (left, right, new) in enumerate(rows)},
            {vocabulary.labels[n]: model.id_of(n) for n in range(len(vocabulary.labels))} if model.whole else {},
            model.unknown[1] if model.unknown is not None else None,
        ),
        in_bytes=True,
        labels=labels,
        merges=lambda: Merges(rows, tuple(token.id for token in model.loose)),
    )


def piece_labels(model: Model) -> tuple[str, ...]:
    """The pieces of a WordPiece or Unigram model by id, the unknown token among them."""
    if model.pieces:
        return tuple(piece.text for piece in model.pieces)
    vocabulary = WordPieceVocabulary(model.alphabet)
    for merge in model.merges:
        vocabulary.add(merge)
    return tuple(vocabulary.labels)


def unknown_of(model: Model) -> tuple[str, int] | None:
    """The unknown token's name and id: the one that is set, else what training here gives; None for bytes."""
    if model.unknown is not None or model.is_bytes:
        return model.unknown
    if model.algorithm == "bpe":
        return UNKNOWN, model.learned_size
    return piece_labels(model)[0], 0


def _wordpiece_parts(model: Model) -> Parts:
    unknown = unknown_of(model)
    assert unknown is not None
    labels = piece_labels(model)
    encoder = model_of_pieces(labels, unknown[0], model.max_chars)
    rows = tuple((m.left, m.right, m.new) for m in model.merges)
    return Parts(
        tokens={i: wordpiece_bytes(label) for i, label in enumerate(labels)},
        encoder=encoder,
        in_bytes=False,
        labels=dict(enumerate(labels)),
        joining=Joining.WORDS,
        merges=lambda: Merges(rows),
    )


def wordpiece_bytes(label: str) -> bytes:
    """The bytes of a WordPiece piece, without its `##`."""
    return to_bytes(label if label == PREFIX else label.removeprefix(PREFIX))


def _unigram_parts(model: Model) -> Parts:
    unknown = unknown_of(model)
    assert unknown is not None
    encoder = unigram_model([(p.text, p.score) for p in model.pieces], model.alphabet.kind, unknown[1])
    tokens = {i: encoder.data(i) for i in range(encoder.size)} | {unknown[1]: to_bytes(unknown[0])}
    return Parts(
        tokens=tokens,
        encoder=encoder,
        in_bytes=model.alphabet.kind is AlphabetKind.BYTES,
        labels={unknown[1]: unknown[0]},
    )
