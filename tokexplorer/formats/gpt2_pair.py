"""GPT-2's pair of files: vocab.json (or encoder.json), token -> id, and merges.txt (or vocab.bpe), a merge a line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.model import Model
from tokexplorer.engine.splits import compile_split, named
from tokexplorer.files.sources import shown_path
from tokexplorer.formats.byte_merges import byte_level_parts
from tokexplorer.formats.making import check_specials
from tokexplorer.formats.parsing import Source, gaps_of, quote, vocabulary
from tokexplorer.formats.spelling import refuse_spelling, specials_outside, spell_tokens
from tokexplorer.tokenizers.added import Added
from tokexplorer.tokenizers.loaded import LoadedTokenizer
from tokexplorer.tokenizers.pretokenizing import split_stage

HEADER: Final = "#version"
_SIBLINGS: Final = {"vocab.json": "merges.txt", "encoder.json": "vocab.bpe"}
_END: Final = "</w>"
_LOOKS_SPECIAL: Final = re.compile(r"<[^<>]*>|\[[A-Z][A-Z_0-9]*\]|<\|.*\|>")


@dataclass(frozen=True, slots=True)
class Pair:
    """The paths of the two files."""

    vocab: str
    merges: str


def find_pair(path: str, holds_vocab: bool) -> Pair:
    """Both files where `path` is one of them: the other is beside it, under a name that goes with it. InputError names
    the names that were looked for."""
    folder, name = os.path.split(path)
    looked = _sibling_names(name, holds_vocab)
    for other in looked:
        found = os.path.join(folder, other)
        if os.path.isfile(found):
            return Pair(path, found) if holds_vocab else Pair(found, path)
    missing = "merges" if holds_vocab else "ids"
    listed = " or ".join(shown_path(other) for other in looked)
    raise InputError(f"{shown_path(path)}: its {missing} are in a second file; expected {listed} beside it")


def _sibling_names(name: str, holds_vocab: bool) -> list[str]:
    names: list[str] = []
    for vocab, merges in _SIBLINGS.items():
        own, other = (vocab, merges) if holds_vocab else (merges, vocab)
        if name == own:
            return [other, *(o for o in (_SIBLINGS.values() if holds_vocab else _SIBLINGS) if o != other)]
        if name.endswith(own):
            names.append(name.removesuffix(own) + other)
    stem = os.path.splitext(name)[0]
    for other in _SIBLINGS.values() if holds_vocab else _SIBLINGS:
        names += [f"{stem}-{other}", f"{stem}.{other}", other]
    return list(dict.fromkeys(names))


def target_pair(path: str) -> Pair:
    """Where a pair is written: into a folder, beside the one file that is named, or under a stem (`x` makes
    `x-vocab.json` and `x-merges.txt`)."""
    if os.path.isdir(path):
        return Pair(os.path.join(path, "vocab.json"), os.path.join(path, "merges.txt"))
    for vocab, merges in _SIBLINGS.items():
        for own in (vocab, merges):
            if path.endswith(own):
                stem = path.removesuffix(own)
                return Pair(stem + vocab, stem + merges)
    stem = path.removesuffix(".json").removesuffix(".txt")
    return Pair(f"{stem}-vocab.json", f"{stem}-merges.txt")


def parse_merges(source: Source) -> list[tuple[int, str, str]]:
    """The merges of merges.txt in order as (line number, left, right), with or without the line `#version` on top.
    InputError names the line."""
    merges: list[tuple[int, str, str]] = []
    line_of: dict[tuple[str, str], int] = {}
    for number, line in source.lines():
        if (number == 1 and line.startswith(HEADER)) or (not line.strip() and not merges):
            continue
        left, _, right = line.partition(" ")
        if not left or not right or " " in right:
            source.fail(f"line {number}", f"expected two tokens with a space between them, found {quote(line)}")
        if (left, right) in line_of:
            source.fail(f"line {number}", f"expected each merge once; it stands in line {line_of[left, right]} too")
        line_of[left, right] = number
        merges.append((number, left, right))
    return merges


def read_pair(vocab: Source, merges: Source, split: str | None, specials: Mapping[str, int] | None) -> LoadedTokenizer:
    """The tokenizer of the two files. Tokens that no merge makes are special where they look so (`<|endoftext|>`)."""
    ids = vocabulary(vocab, vocab.json(), "the vocabulary")
    rows = parse_merges(merges)
    _refuse_end_marks(merges, rows)
    pairs = [(left, right) for _, left, right in rows]
    special, remarks = _find_specials(vocab, ids, pairs, specials)
    if split is None:
        remarks.append("the files hold no split pattern: GPT-2's is taken, as readers of this format do")
    chosen = named("gpt2") if split is None else compile_split(split)
    parts = byte_level_parts(merges, lambda n: f"line {rows[n][0]}", ids, pairs, set(special), whole=False)
    tokens = {**parts.tokens, **{number: to_bytes(text) for text, number in special.items()}}
    check_specials(vocab.name, {n: d for n, d in parts.tokens.items() if n not in special.values()}, special)
    gaps = gaps_of(tokens)
    return LoadedTokenizer(
        vocab.title,
        "gpt2",
        replace(
            parts,
            tokens=tokens,
            stages=(split_stage(chosen),),
            split=chosen,
            added=tuple(Added(text, number) for text, number in special.items()),
            remarks=(*remarks, *parts.remarks, *([gaps] if gaps else [])),
        ),
    )


def _refuse_end_marks(merges: Source, rows: Sequence[tuple[int, str, str]]) -> None:
    for number, _, right in rows:
        if right.endswith(_END) and len(right) == len(_END) + 1:
            merges.fail(
                f"line {number}", f"expected GPT-2's byte-level merges; these mark the ends of words with {_END}"
            )


def _find_specials(
    vocab: Source, ids: Mapping[str, int], pairs: Sequence[tuple[str, str]], given: Mapping[str, int] | None
) -> tuple[dict[str, int], list[str]]:
    """The special tokens, and a remark where they were taken for such by their looks."""
    made = {left + right for left, right in pairs}
    looks = [t for t in ids if t not in made and len(t) > 1 and _LOOKS_SPECIAL.fullmatch(t)]
    found = {token: ids[token] for token in sorted(looks, key=ids.__getitem__)}
    if given is not None:
        for token, number in given.items():
            if ids.get(token, number) != number:
                vocab.fail("", f"the special token {quote(token)} has id {ids[token]} here, not {number}")
        return found | dict(given), []
    if not found:
        return found, []
    some = ", ".join(quote(t) for t in list(found)[:3]) + (" ..." if len(found) > 3 else "")
    return found, [f"no merge makes {some}: taken for special, by the look of it"]


def write_pair(model: Model) -> tuple[bytes, bytes]:
    """The contents of vocab.json and merges.txt of a byte-level BPE model; special tokens stand in the vocabulary."""
    rows = spell_tokens(model)
    ordered = dict(sorted([*rows, *specials_outside(model, rows)], key=lambda row: row[1]))
    names = [name for name, _ in rows]
    lines = [f"{HEADER}: 0.2", *(f"{names[m.left]} {names[m.right]}" for m in model.merges)]
    return json.dumps(ordered, ensure_ascii=False).encode(), "".join(line + "\n" for line in lines).encode()


def refuse_pair(model: Model) -> str | None:
    """Why the pair cannot hold a model, or None."""
    if not model.is_bytes:
        return "vocab.json with merges.txt, as GPT-2 has them, need byte-pair encoding over bytes"
    rows = spell_tokens(model)
    return refuse_spelling([*rows, *specials_outside(model, rows)])
