"""Split patterns between Python's `regex` and Oniguruma, the engine that Hugging Face tokenizers reads them with.

They part on: `{m,n}+` (possessive here, repeated there), `$` and `^` (every line there), `(?s:` (unknown there), sets
in sets, `\\w` (joiners count here). What cannot be carried over is said, never guessed.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

import regex

from tokexplorer.engine.splits import CL100K_PATTERN, GPT2_PATTERN, LINES_PATTERN, NONE_PATTERN, O200K_PATTERN

HF_GPT2_PATTERN: Final = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""What the pre-tokenizer ByteLevel cuts by (GPT-2's published pattern); it cuts as GPT2_PATTERN does."""
_CL100K: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s+(?![\s\S])|\s*[\r\n]|\s+(?!\S)|\s"
)
_PORTABLE: Final = {
    GPT2_PATTERN: HF_GPT2_PATTERN,
    CL100K_PATTERN: _CL100K,
    O200K_PATTERN: O200K_PATTERN,
    LINES_PATTERN: LINES_PATTERN,
    NONE_PATTERN: r"[\s\S]+",
}
_OURS: Final = {portable: pattern for pattern, portable in _PORTABLE.items()} | {GPT2_PATTERN: GPT2_PATTERN}

_ATOM: Final = re.compile(
    r"""\\(?:[pP]\{[^{}]*\}|x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)  # an escape
      | \[\^?\]?(?:\\.|\[:|[^\]\\])*\]                                           # a set
      | \((?:\?(?:[:=!>|]|<[=!]|i:|-i:))?                                        # what opens a group
      | \{\d*,?\d*\}\+? | [*+?][+?]?                                             # a quantifier
      | .""",
    re.VERBOSE | re.DOTALL,
)
_UNSURE_ESCAPES: Final = frozenset("hHGKRXQENyYOmMZzAkgwWbB")


def to_oniguruma(pattern: str) -> str | None:
    """A pattern that Oniguruma reads as `regex` reads `pattern`; None where there is none that is sure to."""
    if pattern in _PORTABLE:
        return _PORTABLE[pattern]
    atoms = _ATOM.findall(pattern)
    if not _is_plain(atoms) or "^" in atoms or "$" in atoms:
        return None
    return None if any(_is_bounded(atom) and atom.endswith("}+") for atom in atoms) else pattern


def from_oniguruma(pattern: str) -> str | None:
    """A pattern that `regex` reads as Oniguruma reads `pattern` (one of ours under its own spelling); None where there
    is none that is sure to."""
    if pattern in _OURS:
        return _OURS[pattern]
    atoms = _ATOM.findall(pattern)
    if not _is_plain(atoms):
        return None
    lines = "(?m)" if "^" in atoms or "$" in atoms else ""
    found = lines + "".join(_repeated(atoms))
    try:
        regex.compile(found)
    except regex.error:
        return None
    return found


def _is_bounded(atom: str) -> bool:
    return atom.startswith("{") and len(atom) > 2


def _is_plain(atoms: list[str]) -> bool:
    for atom in atoms:
        if atom[0] == "\\" and len(atom) == 2 and atom[1] in _UNSURE_ESCAPES:
            return False
        if atom[0] == "[" and len(atom) > 1:
            inside = re.sub(r"\\.", "", atom[1:-1])
            if "[" in inside or "&&" in inside or "--" in inside or "~~" in inside or "||" in inside:
                return False
    return not _has_odd_groups(atoms)


def _has_odd_groups(atoms: list[str]) -> bool:
    """Groups whose opening is not known alike to both: named ones, flags other than `i`, conditions."""
    return any(a == "(" and b.startswith("?") for a, b in pairwise(atoms))


def _repeated(atoms: list[str]) -> list[str]:
    """The atoms with `X{m,n}+` as Oniguruma means it: X{m,n}, again and again."""
    out: list[str] = []
    starts: list[int] = []
    last = 0
    for atom in atoms:
        if _is_bounded(atom) and atom.endswith("}+") and out:
            out[last:] = ["(?:", *out[last:], atom[:-1], ")+"]
            continue
        if atom[0] == "(" and atom != "\\(":
            starts.append(len(out))
        elif atom == ")" and starts:
            last = starts.pop()
        elif not (_is_bounded(atom) or atom[0] in "*+?"):
            last = len(out)
        out.append(atom)
    return out
