"""The branches of a split pattern: which alternative of its top-level `a|b|c` matched a chunk."""

from __future__ import annotations

from functools import lru_cache

import regex

from tokexplorer.engine.splits import Split

_FLAGS = regex.compile(r"\(\?[a-zA-Z0-9]+\)")


def split_branches(pattern: str) -> tuple[str, ...]:
    """The alternatives of a pattern at its top level, in order; a `|` in a group, a set or an escape is no border."""
    branches: list[str] = []
    depth = at = start = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 2
            continue
        if char == "[":
            at = _set_end(pattern, at)
            continue
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            branches.append(pattern[start:at])
            start = at + 1
        at += 1
    branches.append(pattern[start:])
    return tuple(branches)


def _set_end(pattern: str, at: int) -> int:
    """The place after the set `[...]` that starts at `at`; a `]` that stands first is a member."""
    at += 1
    if pattern[at : at + 1] == "^":
        at += 1
    first = at
    while at < len(pattern) and (pattern[at] != "]" or at == first):
        if pattern[at] == "\\":
            at += 1
        elif pattern.startswith("[:", at) and ":]" in pattern[at:]:
            at = pattern.index(":]", at) + 1
        at += 1
    return at + 1


@lru_cache(maxsize=32)
def _compiled(pattern: str) -> tuple[tuple[str, regex.Pattern[str]], ...]:
    branches = split_branches(pattern)
    flags = _FLAGS.match(pattern)
    shared = flags.group() if flags else ""
    try:
        return tuple((b, regex.compile(b if b.startswith(shared) else shared + b)) for b in branches)
    except regex.error:
        return ()


def matching_branch(split: Split, text: str, start: int, end: int) -> tuple[int, str] | None:
    """The branch that cut the chunk [start, end), in characters of `text`: its number from 1 and its pattern.

    The first alternative that matches at a place is the one that a regular expression takes. None for a gap that no
    branch matched, and where the branches of a pattern do not stand alone (references between them).
    """
    for number, (branch, compiled) in enumerate(_compiled(split.pattern), 1):
        match = compiled.match(text, start)
        if match is not None and match.end() == end and end > start:
            return number, branch
    return None
