"""Hugging Face tokenizer.json: rebuilt here where every part of it is known, else run by their library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import regex

from tokexplorer.engine.alphabet import AlphabetKind, to_bytes
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.unigram import unigram_model
from tokexplorer.engine.wordpiece import PREFIX, UNKNOWN, WordPieceModel
from tokexplorer.formats.byte_merges import byte_level_parts, pair_ids
from tokexplorer.formats.hf_pipeline import (
    NotRebuilt,
    PreTokenization,
    bert_handling_of,
    read_normaliser,
    read_pre_tokenizer,
)
from tokexplorer.formats.making import wordpiece_bytes
from tokexplorer.formats.parsing import Source, check_text, field, gaps_of, kind_of, quote, token_id, vocabulary
from tokexplorer.tokenizers.added import Added
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tokenizers.byte_spelling import unspell
from tokexplorer.tokenizers.forward_unigram import forward_unigram
from tokexplorer.tokenizers.huggingface import open_library
from tokexplorer.tokenizers.loaded import Joining, LoadedTokenizer, Merges, Parts
from tokexplorer.tokenizers.pair_encoder import CharacterPairs
from tokexplorer.tokenizers.pretokenizing import Stage, match_stage

SPACE_MARK: Final = "▁"
_MARKED: Final = regex.compile(f"{SPACE_MARK}*[^{SPACE_MARK}]+|{SPACE_MARK}+")
Value = dict[str, Any]


def read_tokenizer_json(source: Source) -> Tokenizer:
    """The tokenizer of a tokenizer.json. InputError where the file is broken, and where it needs the extra [hf] that is
    not installed: then it names the part in question and the command."""
    value = source.json()
    model = field(source, value, "model", dict)
    ignored = _ignored(value)
    try:
        return _rebuild(source, value, model, ignored)
    except NotRebuilt as reason:
        return open_library(source.title, source.name, source.text(), value, str(reason), ignored)


def _rebuild(source: Source, value: Value, model: Value, ignored: tuple[str, ...]) -> LoadedTokenizer:
    before = read_pre_tokenizer(value.get("pre_tokenizer"))
    normaliser = read_normaliser(value.get("normalizer"), " " if before.prefix else "")
    vocab, parts = _model(source, model, before, value)
    added, renumbered = _read_added(source, value, vocab)
    tokens = {**parts.tokens, **{token.id: to_bytes(token.content) for token in added}}
    gaps = gaps_of(tokens)
    remarks = (*ignored, *renumbered, *parts.remarks, *([gaps] if gaps else []))
    return LoadedTokenizer(
        source.title,
        "tokenizer.json",
        replace(
            parts,
            tokens=tokens,
            stages=before.stages or _safe_stages(parts, vocab),
            split=before.split,
            normaliser=normaliser,
            added=added,
            handling=bert_handling_of(value),
            remarks=remarks,
        ),
    )


def _safe_stages(parts: Parts, vocab: Mapping[str, int]) -> tuple[Stage, ...]:
    """Where a text is one chunk, cuts that change nothing but keep chunks short: before the marks of spaces, provided
    that no token has such a mark after another character, so that no merge can lead across the cut."""
    encoder = parts.encoder
    if not isinstance(encoder, CharacterPairs) or encoder.whole or SPACE_MARK not in encoder.base:
        return ()
    if any(SPACE_MARK in text.lstrip(SPACE_MARK) for text in vocab):
        return ()
    return (match_stage(_MARKED, "Isolated"),)


def _model(source: Source, model: Value, before: PreTokenization, value: Value) -> tuple[dict[str, int], Parts]:
    kind = model.get("type") or _guess_kind(model)
    if kind == "BPE":
        return _bpe(source, model, before, value)
    if kind == "WordPiece" and not before.byte_level:
        return _wordpiece(source, model)
    if kind == "Unigram":
        return _unigram(source, model, before)
    raise NotRebuilt(f"the model {kind}")


def _guess_kind(model: Value) -> str:
    """Files of old versions do not name the kind of their model."""
    return "BPE" if "merges" in model else "WordPiece" if "max_input_chars_per_word" in model else "WordLevel"


def _bpe(source: Source, model: Value, before: PreTokenization, value: Value) -> tuple[dict[str, int], Parts]:
    for name in ("continuing_subword_prefix", "end_of_word_suffix", "dropout"):
        if model.get(name):
            raise NotRebuilt(f"{name} of the model")
    vocab = vocabulary(source, field(source, model, "model.vocab", dict), "model.vocab")
    pairs = _pairs(source, field(source, model, "model.merges", list))
    whole = bool(model.get("ignore_merges"))
    apart = {entry["content"] for entry in _added_entries(source, value)}
    if before.byte_level:
        return vocab, byte_level_parts(source, _merge_place, vocab, pairs, apart, whole)
    rows = pair_ids(source, _merge_place, vocab, pairs)
    return vocab, _character_parts(source, model, vocab, rows, apart, whole)


def _merge_place(number: int) -> str:
    return f"merge {number + 1}"


def _pairs(source: Source, merges: list[Any]) -> list[tuple[str, str]]:
    """The merges, written as `"a b"` (until 2024) or as `["a", "b"]`."""
    pairs: list[tuple[str, str]] = []
    for number, merge in enumerate(merges):
        parts = merge.split(" ") if isinstance(merge, str) else merge
        if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(part, str) and part for part in parts):
            shown = quote(merge) if isinstance(merge, str) else kind_of(merge)
            source.fail(_merge_place(number), f'expected "a b" or ["a", "b"], found {shown}')
        pairs.append((parts[0], parts[1]))
    return pairs


def _character_parts(
    source: Source,
    model: Value,
    vocab: dict[str, int],
    rows: tuple[tuple[int, int, int], ...],
    apart: set[str],
    whole: bool,
) -> Parts:
    unknown = model.get("unk_token")
    if unknown is not None and unknown not in vocab:
        source.fail("model.unk_token", f"expected a token of the vocabulary, found {quote(str(unknown))}")
    byte_ids: tuple[int, ...] = ()
    if model.get("byte_fallback"):
        byte_ids = tuple(vocab.get(f"<0x{byte:02X}>", -1) for byte in range(256))
    marked = SPACE_MARK in vocab
    tokens = {n: _piece_bytes(text, marked, text in apart) for text, n in vocab.items()}
    tokens |= {n: bytes([byte]) for byte, n in enumerate(byte_ids) if n >= 0}
    made = {new for _, _, new in rows}
    known = {*byte_ids, *made, *((vocab[unknown],) if unknown is not None else ())}
    failed = tuple(n for text, n in vocab.items() if n not in known and len(text) > 1 and text not in apart)
    return Parts(
        tokens=tokens,
        encoder=CharacterPairs(
            {text: n for text, n in vocab.items() if len(text) == 1},
            {(left, right): (rank, new) for rank, (left, right, new) in enumerate(rows)},
            vocab if whole else {},
            None if unknown is None else vocab[unknown],
            bool(model.get("fuse_unk")),
            byte_ids,
        ),
        in_bytes=True,
        labels={n: text for text, n in vocab.items()} if marked or byte_ids else {},
        joining=Joining.SPACED if marked else Joining.PLAIN,
        merges=lambda: Merges(rows, failed),
    )


def _piece_bytes(text: str, marked: bool, as_it_is: bool) -> bytes:
    """The bytes that a piece stands for; SentencePiece's mark is a space."""
    return to_bytes(text if as_it_is or not marked else text.replace(SPACE_MARK, " "))


def _wordpiece(source: Source, model: Value) -> tuple[dict[str, int], Parts]:
    if (model.get("continuing_subword_prefix") or PREFIX) != PREFIX:
        raise NotRebuilt("continuing_subword_prefix of the model")
    vocab = vocabulary(source, field(source, model, "model.vocab", dict), "model.vocab")
    unknown = field(source, model, "model.unk_token", str, UNKNOWN)
    if unknown not in vocab:
        source.fail("model.unk_token", f"expected a token of the vocabulary, found {quote(unknown)}")
    limit = field(source, model, "model.max_input_chars_per_word", int, 100)
    names = {n: text for text, n in vocab.items()}
    labels = tuple(names.get(n, "") for n in range(max(names) + 1))
    tails = {t.removeprefix(PREFIX): n for t, n in vocab.items() if t.startswith(PREFIX) and t != PREFIX}
    longest = max(map(len, vocab))
    return vocab, Parts(
        tokens={n: wordpiece_bytes(text) for text, n in vocab.items()},
        encoder=WordPieceModel(vocab, tails, labels, len(labels), longest, vocab[unknown], limit),
        in_bytes=False,
        labels=names,
        joining=Joining.WORDS,
    )


def _unigram(source: Source, model: Value, before: PreTokenization) -> tuple[dict[str, int], Parts]:
    if model.get("byte_fallback"):
        raise NotRebuilt("byte_fallback of a Unigram model")
    names = _scored(source, field(source, model, "model.vocab", list))
    unknown = token_id(source, "model.unk_id", field(source, model, "model.unk_id", int))
    kind = AlphabetKind.BYTES if before.byte_level else AlphabetKind.CHARS
    pieces = [(_symbols(source, text, kind, i == unknown), score) for i, (text, score) in enumerate(names)]
    try:
        encoder = unigram_model(pieces, kind, unknown)
    except InputError as error:
        source.fail("model.vocab", str(error))
    marked = SPACE_MARK in encoder.ids
    tokens = {i: encoder.data(i) for i in range(encoder.size)}
    if marked:
        tokens = {i: data.replace(SPACE_MARK.encode(), b" ") for i, data in tokens.items()}
    vocab = {text: i for i, (text, _) in enumerate(names)}
    return vocab, Parts(
        tokens={**tokens, unknown: to_bytes(names[unknown][0])},
        encoder=forward_unigram(encoder, names[unknown][1]),
        in_bytes=before.byte_level,
        labels={unknown: names[unknown][0]} if before.byte_level else {i: text for text, i in vocab.items()},
        joining=Joining.SPACED if marked else Joining.PLAIN,
    )


def _scored(source: Source, rows: list[Any]) -> list[tuple[str, float]]:
    pieces: list[tuple[str, float]] = []
    for number, row in enumerate(rows, 1):
        place = f"model.vocab, piece {number}"
        if not isinstance(row, list) or len(row) != 2 or not isinstance(row[0], str) or not _is_number(row[1]):
            source.fail(place, "expected a list of a text and a score")
        check_text(source, place, row[0])
        pieces.append((row[0], float(row[1])))
    return pieces


def _symbols(source: Source, text: str, kind: AlphabetKind, is_unknown: bool) -> str:
    """A piece as a string of symbols: its characters, or its bytes as the characters of their values."""
    if kind is AlphabetKind.CHARS or is_unknown:
        return text
    data = unspell(text)
    if data is None:
        source.fail("model.vocab", f"expected byte-level characters; the piece {quote(text)} has another")
    return data.decode("latin-1")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _added_entries(source: Source, value: Value) -> list[Value]:
    entries: list[Value] = field(source, value, "added_tokens", list, [])
    for number, entry in enumerate(entries, 1):
        place = f"added token {number}"
        if not isinstance(entry, dict) or not isinstance(entry.get("content"), str):
            source.fail(place, "expected an object with an id and a content")
        check_text(source, place, entry["content"])
        token_id(source, place, entry.get("id"))
    return entries


def _read_added(source: Source, value: Value, vocab: Mapping[str, int]) -> tuple[tuple[Added, ...], tuple[str, ...]]:
    """The added tokens, numbered as their library does it: by the vocabulary where they are in it, else counting on.
    A remark says where that is not the file's own number."""
    found: list[Added] = []
    numbers: dict[str, int] = {}
    moved: list[str] = []
    for entry in _added_entries(source, value):
        content = entry["content"]
        if not content:
            continue
        number = numbers.get(content, vocab.get(content))
        if number is None:
            number = max(len(vocab), 1 + max(numbers.values(), default=-1))
        if number != entry["id"]:
            moved.append(f"{quote(content)} {number} instead of {entry['id']}")
        numbers[content] = number
        flags = {name: bool(entry.get(key)) for name, key in _FLAGS.items()}
        found.append(Added(content, number, **flags))
    if not moved:
        return tuple(found), ()
    some = ", ".join(moved[:3]) + (" ..." if len(moved) > 3 else "")
    return tuple(found), (f"added tokens get the ids that the tokenizers library gives them: {some}",)


_FLAGS: Final = {
    "special": "special",
    "left": "lstrip",
    "right": "rstrip",
    "word": "single_word",
    "normalized": "normalized",
}


def _ignored(value: Value) -> tuple[str, ...]:
    """Remarks on what the file holds that is not applied here."""
    found: list[str] = []
    truncation, padding, post = value.get("truncation"), value.get("padding"), value.get("post_processor")
    if isinstance(truncation, dict):
        found.append(f"truncation to {truncation.get('max_length')} tokens in the file is ignored")
    if padding is not None:
        found.append("padding in the file is ignored")
    if isinstance(post, dict) and post.get("type") not in ("ByteLevel", None):
        found.append("special tokens that the file sets around a text are left out")
    return tuple(found)
