"""minbpe's .model files (Karpathy): version, split pattern, special tokens, a pair of ids a line from id 256 on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import regex

from tokexplorer.engine.alphabet import byte_alphabet
from tokexplorer.engine.model import Model
from tokexplorer.engine.splits import NONE_PATTERN, Split, compile_split
from tokexplorer.engine.training import Merge
from tokexplorer.formats.parsing import MAX_ID, Source, check_text, quote, read_split

VERSION: Final = "minbpe v1"
FIRST: Final = 256
_NOTHING: Final = 0
"""what is not known of a merge: its counts"""


def read_minbpe(source: Source, split: str | None, specials: Mapping[str, int] | None) -> Model:
    """The model of a .model file; `split` and `specials` stand in for the file's own. InputError names the line."""
    lines = source.lines()
    _, version = _next(source, lines, "the line minbpe v1", 1)
    if version.strip() != VERSION:
        source.fail("line 1", f"expected {VERSION}, found {quote(version)}")
    _, pattern = _next(source, lines, "the split pattern", 2)
    number, count = _next(source, lines, "the number of special tokens", 3)
    if not (count.strip().isascii() and count.strip().isdigit() and len(count) < 12):
        source.fail(f"line {number}", f"expected the number of special tokens, found {quote(count)}")
    own = dict(_special(source, lines, 4 + n) for n in range(int(count)))
    merges = tuple(_merge(source, number, line, n) for n, (number, line) in enumerate(lines))
    found = own if specials is None else dict(specials)
    for text, i in found.items():
        if i < FIRST + len(merges):
            source.fail("", f"the special token {quote(text)} has id {i}, which is a byte's or a merge's")
    return Model("bpe", byte_alphabet(), _split(source, pattern, split), merges, specials=found, ties="unknown")


def _split(source: Source, pattern: str, given: str | None) -> Split:
    if given is not None:
        return compile_split(given)
    return read_split(source, "line 2", pattern.strip() or NONE_PATTERN)


def _next(source: Source, lines: Iterator[tuple[int, str]], expected: str, number: int) -> tuple[int, str]:
    found = next(lines, None)
    if found is None:
        source.fail(f"line {number}", f"expected {expected}, but the file ends")
    return found


def _special(source: Source, lines: Iterator[tuple[int, str]], at: int) -> tuple[str, int]:
    number, line = _next(source, lines, "a special token and its id", at)
    parts = line.split()
    if len(parts) != 2 or not (parts[1].isascii() and parts[1].isdigit() and len(parts[1]) < 12):
        source.fail(f"line {number}", f"expected a special token and its id, found {quote(line)}")
    check_text(source, f"line {number}", parts[0])
    if int(parts[1]) > MAX_ID:
        source.fail(f"line {number}", f"expected an id up to {MAX_ID:,}, found {parts[1]}")
    return parts[0], int(parts[1])


def _merge(source: Source, number: int, line: str, step: int) -> Merge:
    parts = line.split()
    new = FIRST + step
    if len(parts) != 2 or not all(p.isascii() and p.isdigit() and len(p) < 12 for p in parts):
        source.fail(f"line {number}", f"expected two ids, found {quote(line)}")
    left, right = map(int, parts)
    if max(left, right) >= new:
        source.fail(f"line {number}", f"expected ids below {new}, the id that this merge makes, found {quote(line)}")
    return Merge(step + 1, left, right, new, _NOTHING, _NOTHING, _NOTHING, _NOTHING, 1)


def write_minbpe(model: Model) -> bytes:
    """The .model file of a byte-level BPE model."""
    assert model.split is not None
    lines = [VERSION, model.split.pattern, str(len(model.specials))]
    lines += [f"{text} {number}" for text, number in model.specials.items()]
    lines += [f"{m.left} {m.right}" for m in model.merges]
    return "".join(line + "\n" for line in lines).encode()


def refuse_minbpe(model: Model) -> str | None:
    """Why the format cannot hold a model, or None."""
    if not model.is_bytes:
        return "minbpe's format needs byte-pair encoding over bytes"
    if model.ids and model.ids != tuple(range(len(model.ids))):
        return "ids must count bytes from 0 to 255 and merges from 256 on; here they do not"
    if model.loose:
        return f"{len(model.loose)} of its tokens are made by no merge, and only merges are written there"
    return _refuse_pattern(model) or _refuse_specials(model)


def _refuse_pattern(model: Model) -> str | None:
    pattern = model.split.pattern if model.split is not None else NONE_PATTERN
    if pattern != pattern.strip():
        return "the split pattern begins or ends with white space, which minbpe strips when it loads"
    if "\n" in pattern or "\r" in pattern:
        return "the split pattern has a line end in it, and minbpe gives it one line"
    if regex.compile(pattern).groups:
        return "the split pattern has a capturing group, and minbpe would then split by the group alone"
    return None


def _refuse_specials(model: Model) -> str | None:
    for text in model.specials:
        if len(text.split()) != 1 or text != text.strip():
            return f"the special token {quote(text)} has white space in it, at which minbpe splits its line"
    return None
