"""A model as Hugging Face tokenizer.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.model import Model
from tokexplorer.engine.splits import GPT2_PATTERN, NONE_PATTERN, WORDS_PATTERN
from tokexplorer.engine.wordpiece import PREFIX
from tokexplorer.formats.making import unknown_of
from tokexplorer.formats.oniguruma import to_oniguruma
from tokexplorer.formats.parsing import quote
from tokexplorer.formats.spelling import Row, refuse_spelling, specials_outside, spell_tokens
from tokexplorer.formats.values import UNCASED

Value = dict[str, Any]


def write_tokenizer_json(model: Model) -> bytes:
    """The file of a model that `refuse_tokenizer_json` does not refuse."""
    by_bytes = model.alphabet.kind is AlphabetKind.BYTES
    value: Value = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(text, i) for text, i in sorted(model.specials.items(), key=lambda item: item[1])],
        "normalizer": _bert_normaliser(model.handling) if model.handling else None,
        "pre_tokenizer": {"type": "BertPreTokenizer"} if model.handling else _pre_tokenizer(model, by_bytes),
        "post_processor": None,
        "decoder": _decoder(model, by_bytes),
        "model": _model(model),
    }
    lines = [f" {json.dumps(key)}: {json.dumps(part, ensure_ascii=False)}" for key, part in value.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def refuse_tokenizer_json(model: Model) -> str | None:
    """Why the format cannot hold a model, or None."""
    if model.alphabet.kind is AlphabetKind.WORDS:
        return f"the end mark {model.alphabet.labels[-1]} is a symbol of its own here, and part of a character there"
    if not model.handling and model.split is not None and to_oniguruma(model.split.pattern) is None:
        return f"Hugging Face's regular expressions may read the split pattern {quote(model.split.pattern)} otherwise"
    rows = spell_tokens(model)
    others = specials_outside(model, rows)
    if model.algorithm == "unigram" and not _counted_on(rows, others):
        return "its special tokens do not follow the pieces without a gap"
    return refuse_spelling([*rows, *others])


def _counted_on(rows: Sequence[Row], others: Sequence[Row]) -> bool:
    """Whether the library, which numbers added tokens itself, would give these ids."""
    return [i for _, i in others] == [*range(len(rows), len(rows) + len(others))]


def _added(text: str, number: int) -> Value:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": text, **flags, "special": True}


def _bert_normaliser(handling: str) -> Value:
    lower = handling == UNCASED
    return {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": lower,
    }


def _byte_level(use_regex: bool, prefix: bool = False) -> Value:
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": use_regex}


def _pre_tokenizer(model: Model, by_bytes: bool) -> Value | None:
    pattern = model.split.pattern if model.split is not None else NONE_PATTERN
    if pattern == NONE_PATTERN:
        return _byte_level(use_regex=False) if by_bytes else None
    if pattern == GPT2_PATTERN and by_bytes:
        return _byte_level(use_regex=True)
    cut: Value = {"type": "WhitespaceSplit"}
    if pattern != WORDS_PATTERN:
        spelled = {"Regex": to_oniguruma(pattern)}
        cut = {"type": "Split", "pattern": spelled, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [cut, _byte_level(use_regex=False)]} if by_bytes else cut


def _decoder(model: Model, by_bytes: bool) -> Value:
    if by_bytes:
        return _byte_level(use_regex=True, prefix=True)
    if model.algorithm == "wordpiece":
        return {"type": "WordPiece", "prefix": PREFIX, "cleanup": False}
    return {"type": "Fuse"}


def _model(model: Model) -> Value:
    rows = sorted(spell_tokens(model), key=lambda row: row[1])
    others = specials_outside(model, rows)
    unknown = unknown_of(model)
    name = unknown[0] if unknown is not None else None
    if model.algorithm == "unigram":
        scores = [piece.score for piece in model.pieces]
        vocab = [[text, score] for (text, _), score in zip(rows, scores, strict=True)]
        return {"type": "Unigram", "unk_id": unknown and unknown[1], "vocab": vocab, "byte_fallback": False}
    ids = dict(rows if _counted_on(rows, others) else sorted([*rows, *others], key=lambda row: row[1]))
    if model.algorithm == "wordpiece":
        return {
            "type": "WordPiece",
            "unk_token": name,
            "continuing_subword_prefix": PREFIX,
            "max_input_chars_per_word": model.max_chars,
            "vocab": ids,
        }
    spelled = {number: text for text, number in rows}
    merges = [[spelled[model.id_of(m.left)], spelled[model.id_of(m.right)]] for m in model.merges]
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": name,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": model.whole,
        "vocab": ids,
        "merges": merges,
    }
