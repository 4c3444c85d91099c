"""The program's own format: JSON with one merge or piece a line, holding everything that a `Model` holds."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tokexplorer.engine.alphabet import Alphabet, AlphabetKind, byte_alphabet, fixed_alphabet, to_bytes
from tokexplorer.engine.model import Loose, Model, Piece
from tokexplorer.engine.splits import Split
from tokexplorer.engine.training import Merge
from tokexplorer.engine.wordpiece import PREFIX, ScoredMerge
from tokexplorer.formats.parsing import Source, field, kind_of, quote, read_split, token_id
from tokexplorer.formats.values import HANDLINGS

VERSION: Final = 1
ALGORITHMS: Final = ("bpe", "wordpiece", "unigram")
_MERGE_FIELDS: Final = ("left", "right", "count", "replaced", "before", "after", "tied")


def write_own(model: Model) -> bytes:
    """A model as a file of our own: pure text, whatever its tokens hold."""
    head: dict[str, Any] = {
        "format": "tokexplorer",
        "version": VERSION,
        "algorithm": model.algorithm,
        "split": None if model.split is None else {"name": model.split.name, "pattern": model.split.pattern},
        "alphabet": _alphabet_value(model),
        "ties": model.ties,
        "min_count": model.min_count,
        "specials": dict(model.specials),
        "provenance": dict(model.provenance),
    }
    if model.unknown is not None:
        head["unknown"] = {"token": model.unknown[0], "id": model.unknown[1]}
    if model.algorithm == "wordpiece":
        head["max_chars"] = model.max_chars
    if model.handling:
        head["handling"] = model.handling
    if model.ids:
        head["ids"] = list(model.ids)
    if model.whole:
        head["whole"] = True
    if model.left_out:
        head["left_out"] = list(model.left_out)
    lists: dict[str, list[Any]] = {
        "loose": [{"id": token.id, "hex": token.data.hex()} for token in model.loose],
        "merges": [*_merge_values(model)],
        "pieces": [[piece.text, piece.score] for piece in model.pieces],
    }
    entries = [f"  {_dump(key)}: {_dump(value)}" for key, value in head.items()]
    entries += [_list_entry(key, rows) for key, rows in lists.items() if rows]
    return ("{\n" + ",\n".join(entries) + "\n}\n").encode()


def _list_entry(key: str, rows: list[Any]) -> str:
    return f"  {_dump(key)}: [\n" + ",\n".join("    " + _dump(row) for row in rows) + "\n  ]"


def _dump(value: object) -> str:
    """JSON in which everything that does not draw a character of its own is escaped."""
    return re.sub(r"[^ -~]", _escape, json.dumps(value, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if unicodedata.category(char)[0] in "LNPS":
        return char
    return json.dumps(char)[1:-1]


def _alphabet_value(model: Model) -> dict[str, Any]:
    kind = model.alphabet.kind
    if kind is AlphabetKind.BYTES:
        return {"kind": kind.value}
    labels = model.alphabet.labels
    return {"kind": kind.value, "symbols": list(labels[:-1] if kind is AlphabetKind.WORDS else labels)}


def _merge_values(model: Model) -> Iterator[dict[str, Any]]:
    data = model.vocabulary().data
    for merge in model.merges:
        row: dict[str, Any] = {"step": merge.step, "left": merge.left, "right": merge.right}
        try:
            row["text"] = data[merge.new].decode()
        except UnicodeDecodeError:
            row["hex"] = data[merge.new].hex()
        row |= {
            "count": merge.count,
            "replaced": merge.replaced,
            "before": merge.tokens_before,
            "after": merge.tokens_after,
            "tied": merge.tied,
        }
        if isinstance(merge, ScoredMerge):
            row |= {"left_count": merge.left_count, "right_count": merge.right_count}
        if merge.chosen:
            row["chosen"] = True
        yield row


def read_own(source: Source) -> Model:
    """The model in a file of our own. InputError names the place of whatever is not as `write_own` writes it."""
    value = source.json()
    version = field(source, value, "version", int)
    if version > VERSION:
        source.fail("", f"expected version {VERSION} of this format, found {version}: it needs a newer tokexplorer")
    algorithm = field(source, value, "algorithm", str)
    if algorithm not in ALGORITHMS:
        source.fail("", f"expected bpe, wordpiece or unigram at algorithm, found {quote(algorithm)}")
    alphabet = _read_alphabet(source, field(source, value, "alphabet", dict), algorithm)
    merges = _read_merges(source, field(source, value, "merges", list, []), alphabet, algorithm)
    ids = tuple(token_id(source, "ids", i) for i in field(source, value, "ids", list, []))
    if ids and (len(ids) != len(alphabet) + len(merges) or len(set(ids)) < len(ids)):
        source.fail("", f"expected {len(alphabet) + len(merges)} different ids at ids, one for each symbol and merge")
    return Model(
        algorithm,
        alphabet,
        _read_split(source, value),
        merges,
        _read_pieces(source, field(source, value, "pieces", list, []), algorithm, bool(merges)),
        _read_specials(source, field(source, value, "specials", dict, {})),
        field(source, value, "ties", str, "first"),
        field(source, value, "min_count", int, 1),
        {str(k): str(v) for k, v in field(source, value, "provenance", dict, {}).items()},
        ids,
        tuple(_read_loose(source, row, n) for n, row in enumerate(field(source, value, "loose", list, []), 1)),
        field(source, value, "whole", bool, False),
        _read_unknown(source, field(source, value, "unknown", dict, None)),
        field(source, value, "max_chars", int, 100),
        _read_handling(source, value),
        tuple(map(str, field(source, value, "left_out", list, []))),
    )


def _read_split(source: Source, value: Mapping[str, Any]) -> Split | None:
    split = field(source, value, "split", dict, None)
    return None if split is None else read_split(source, "split.pattern", field(source, split, "split.pattern", str))


def _read_handling(source: Source, value: Mapping[str, Any]) -> str:
    handling: str = field(source, value, "handling", str, "")
    if handling not in ("", *HANDLINGS):
        source.fail("", f"expected {' or '.join(HANDLINGS)} at handling, found {quote(handling)}")
    return handling


def _read_alphabet(source: Source, value: Mapping[str, Any], algorithm: str) -> Alphabet:
    kind = field(source, value, "alphabet.kind", str)
    if kind not in tuple(AlphabetKind):
        source.fail("", f"expected bytes, chars or words at alphabet.kind, found {quote(kind)}")
    if kind == AlphabetKind.BYTES:
        return byte_alphabet()
    symbols = field(source, value, "alphabet.symbols", list)
    for number, text in enumerate(symbols, 1):
        if not isinstance(text, str) or not text or (len(text) > 1 and algorithm != "wordpiece"):
            source.fail(f"alphabet.symbols, entry {number}", f"expected one character, found {kind_of(text)}")
        _check_bytes(source, f"alphabet.symbols, entry {number}", text)
    if len(set(symbols)) < len(symbols):
        source.fail("", "expected each symbol once at alphabet.symbols")
    if algorithm != "wordpiece":
        return fixed_alphabet(symbols, kind == AlphabetKind.WORDS)
    data = [to_bytes(text.removeprefix(PREFIX)) for text in symbols]
    return Alphabet(AlphabetKind.CHARS, tuple(symbols), (b"", *data[1:]), {s: i for i, s in enumerate(symbols)})


def _check_bytes(source: Source, place: str, text: str) -> None:
    """InputError where a lone surrogate in a string stands for no byte."""
    try:
        to_bytes(text)
    except UnicodeEncodeError:
        source.fail(place, f"expected text; {quote(text)} holds half a surrogate pair")


def _read_merges(source: Source, rows: list[Any], alphabet: Alphabet, algorithm: str) -> tuple[Merge, ...]:
    merges: list[Merge] = []
    data = list(alphabet.data)
    for step, row in enumerate(rows, 1):
        place = f"merge {step}"
        if not isinstance(row, dict):
            source.fail(place, f"expected an object, found {kind_of(row)}")
        numbers = [_whole(source, place, row, name) for name in _MERGE_FIELDS]
        left, right = numbers[:2]
        if max(left, right) >= len(data):
            source.fail(place, f"expected left and right below {len(data)}, found {left} and {right}")
        joined = data[left] + data[right]
        _check_token(source, place, row, joined)
        chosen = field(source, row, "chosen", bool, False)
        common = (step, left, right, len(data), *numbers[2:], chosen)
        if algorithm == "wordpiece" and "left_count" in row:
            counts = (_whole(source, place, row, name) for name in ("left_count", "right_count"))
            merges.append(ScoredMerge(*common, *counts))
        else:
            merges.append(Merge(*common))
        data.append(joined)
    return tuple(merges)


def _whole(source: Source, place: str, row: Mapping[str, Any], name: str) -> int:
    value = row.get(name)
    if type(value) is not int or value < 0:
        source.fail(place, f"expected a whole number at {name}, found {kind_of(value) if name in row else 'nothing'}")
    return value


def _check_token(source: Source, place: str, row: Mapping[str, Any], joined: bytes) -> None:
    told = row.get("text", row.get("hex"))
    right = joined.hex() if "hex" in row else joined.decode("utf-8", "replace")
    if told is not None and told != right:
        source.fail(place, f"expected the token {quote(joined)}, which left and right make, found {quote(str(told))}")


def _read_pieces(source: Source, rows: list[Any], algorithm: str, merged: bool) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for number, row in enumerate(rows, 1):
        place = f"piece {number}"
        if not isinstance(row, list) or len(row) != 2 or not isinstance(row[0], str) or not _is_number(row[1]):
            source.fail(place, "expected a list of a text and a score")
        _check_bytes(source, place, row[0])
        pieces.append(Piece(row[0], float(row[1])))
    if not pieces and algorithm != "bpe" and not merged:
        source.fail("", f"expected pieces, which a {algorithm} model has")
    if len({piece.text for piece in pieces}) < len(pieces):
        source.fail("", "expected each piece once at pieces")
    return tuple(pieces)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _read_specials(source: Source, value: Mapping[str, Any]) -> dict[str, int]:
    for text in value:
        _check_bytes(source, "specials", text)
    return {text: token_id(source, f"special token {quote(text)}", number) for text, number in value.items()}


def _read_loose(source: Source, row: object, number: int) -> Loose:
    place = f"loose token {number}"
    if not isinstance(row, dict):
        source.fail(place, f"expected an object, found {kind_of(row)}")
    try:
        data = bytes.fromhex(field(source, row, "loose.hex", str))
    except ValueError:
        source.fail(place, "expected bytes in hex at hex")
    return Loose(token_id(source, place, row.get("id")), data)


def _read_unknown(source: Source, value: Mapping[str, Any] | None) -> tuple[str, int] | None:
    if value is None:
        return None
    return field(source, value, "unknown.token", str), token_id(source, "unknown.id", value.get("id"))
