"""BERT's vocab.txt: the pieces of a WordPiece vocabulary, one a line; its number is its id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.model import Model
from tokexplorer.engine.splits import compile_split
from tokexplorer.engine.wordpiece import UNKNOWN, model_of_pieces
from tokexplorer.formats.making import bert_handling, check_specials, piece_labels, unknown_of, wordpiece_bytes
from tokexplorer.formats.parsing import Source, quote
from tokexplorer.formats.values import CASED, HANDLINGS, UNCASED
from tokexplorer.tokenizers.added import Added
from tokexplorer.tokenizers.loaded import Joining, LoadedTokenizer, Parts
from tokexplorer.tokenizers.pretokenizing import split_stage

SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def read_vocab(source: Source, split: str | None, specials: Mapping[str, int] | None) -> LoadedTokenizer:
    """The tokenizer of a vocab.txt. `split` is bert-uncased or bert-cased (guessed from the letters in the vocabulary
    where it is None), or a split to cut by as it stands."""
    labels = _parse(source)
    found = {label: labels.index(label) for label in SPECIAL if label in labels} if specials is None else dict(specials)
    encoder = model_of_pieces(labels, UNKNOWN)
    tokens = {i: wordpiece_bytes(label) for i, label in enumerate(labels)}
    outside = {text: i for text, i in found.items() if not (i < len(labels) and labels[i] == text)}
    check_specials(source.name, tokens, outside)
    parts = Parts(
        tokens={**tokens, **{i: to_bytes(text) for text, i in found.items()}},
        encoder=encoder,
        in_bytes=False,
        added=tuple(Added(text, i) for text, i in found.items()),
        labels=dict(enumerate(labels)),
        joining=Joining.WORDS,
    )
    return LoadedTokenizer(source.title, "bert-vocab", _with_handling(parts, labels, split))


def _parse(source: Source) -> list[str]:
    labels: list[str] = []
    line_of: dict[str, int] = {}
    for number, line in source.lines():
        label = line.rstrip()
        if not label:
            source.fail(f"line {number}", "expected a token, found an empty line")
        if label in line_of:
            source.fail(f"line {number}", f"expected each token once; {quote(label)} is in line {line_of[label]} too")
        line_of[label] = number
        labels.append(label)
    if UNKNOWN not in line_of:
        source.fail("", f"expected the token {UNKNOWN} in a line of its own")
    return labels


def _with_handling(parts: Parts, labels: list[str], split: str | None) -> Parts:
    """The parts with what is done to a text: as told, or as the letters in the vocabulary let guess."""
    if split is not None and split not in HANDLINGS:
        chosen = compile_split(split)
        return replace(parts, stages=(split_stage(chosen),), split=chosen)
    if split is not None:
        return replace(parts, **bert_handling(split))
    capitals = sum(label != label.lower() for label in labels if label not in SPECIAL and not label.startswith("["))
    why = f"{capitals:,} of its tokens have capitals" if capitals else "no token has capitals"
    does = "kept as they are" if capitals else "made lower case, and accents are stripped"
    sure = f"a guess, since the file does not say: give {UNCASED} or {CASED} to be sure"
    remark = f"{why}, so texts are {does} ({sure})"
    return replace(parts, **bert_handling(CASED if capitals else UNCASED), remarks=(remark,))


def write_vocab(model: Model) -> bytes:
    """The vocab.txt of a WordPiece model."""
    labels = [*piece_labels(model)]
    labels += [text for text, i in sorted(model.specials.items(), key=lambda item: item[1]) if i >= len(labels)]
    return "".join(label + "\n" for label in labels).encode()


def refuse_vocab(model: Model) -> str | None:
    """Why vocab.txt cannot hold a model, or None."""
    if model.algorithm != "wordpiece":
        return "vocab.txt holds WordPiece vocabularies only"
    labels = piece_labels(model)
    unknown = unknown_of(model)
    if unknown is None or unknown[0] != UNKNOWN:
        return f"its readers expect the unknown token to be {UNKNOWN}"
    for label in (*labels, *model.specials):
        if label != label.rstrip() or "\n" in label or not label or label.startswith("\ufeff"):
            return f"the token {quote(label)} cannot stand in a line of text"
        if any("\ud800" <= char <= "\udfff" for char in label):
            return f"the token {quote(label)} is not valid UTF-8"
    after = sorted(i for text, i in model.specials.items() if not (i < len(labels) and labels[i] == text))
    if after != [*range(len(labels), len(labels) + len(after))]:
        return "its special tokens do not follow the others without a gap, and a line's number is its id"
    return None
