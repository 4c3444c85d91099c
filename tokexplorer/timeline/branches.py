"""Branches: lines of merges that part from each other where the user merged another pair; kept, and compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tokexplorer.engine.training import Merge

MAIN: Final = ""
"""The name of the line that begins with the algorithm's own choices."""


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A line of merges. Of `rows`, which may be shared and grow, the first `known` belong to it."""

    name: str
    parent: str
    """the branch that it left"""
    start: int
    """the last step that it shares with its parent"""
    step: int
    """where the user stood on it last"""
    rows: Sequence[Merge]
    known: int
    start_tokens: int
    base_size: int

    def tokens_at(self, size: int) -> int | None:
        """Tokens in the corpus with a vocabulary of `size`; None where it never had one."""
        step = size - self.base_size
        if not 0 <= step <= self.known:
            return None
        return self.rows[step - 1].tokens_after if step else self.start_tokens

    @property
    def title(self) -> str:
        """Its name for the screen."""
        return self.name or "main"

    @property
    def size(self) -> int:
        """The vocabulary size at its end."""
        return self.base_size + self.known


def shared_steps(one: Branch, other: Branch) -> int:
    """How many of their first merges join the same pairs."""
    limit = min(one.known, other.known)
    if one.rows is other.rows:
        return limit
    for step in range(limit):
        if (one.rows[step].left, one.rows[step].right) != (other.rows[step].left, other.rows[step].right):
            return step
    return limit


def equal_size(branches: Sequence[Branch]) -> int:
    """The largest vocabulary size that each of the branches has reached."""
    return min(branch.size for branch in branches)


class Branches:
    """The branches of a session. The present one is known by its name; what it holds is told from outside."""

    def __init__(self) -> None:
        self.name = MAIN
        self._parent = ""
        self._start = 0
        self._kept: dict[str, Branch] = {}

    def now(self, rows: Sequence[Merge], step: int, known: int, start_tokens: int, base_size: int) -> Branch:
        """The present branch as it is."""
        return Branch(self.name, self._parent, self._start, step, rows, known, start_tokens, base_size)

    def all(self, now: Branch) -> tuple[Branch, ...]:
        """Every branch, in the order in which they began."""
        return tuple({**self._kept, now.name: now}.values())

    def keep(self, now: Branch) -> None:
        """Remember the present branch, as we are about to leave it. What was known of it before and lies beyond it
        stays, unless it has gone another way since: then that is a branch of its own."""
        old = self._kept.get(now.name)
        if old is not None and old.known > now.known:
            shared = shared_steps(old, now)
            if shared == now.known:
                now = replace(old, step=now.step)
            else:
                now = replace(now, name=self.next_name(), parent=now.name, start=shared)
        self._kept[now.name] = now

    def part(self, old: Branch) -> None:
        """Another pair was merged where `old` stood: a new branch begins, and is the present one."""
        self.keep(old)
        self.name, self._parent, self._start = self.next_name(), old.name, old.step

    def enter(self, branch: Branch) -> None:
        """Go to a branch that was kept."""
        self.name, self._parent, self._start = branch.name, branch.parent, branch.start

    def put(self, branch: Branch) -> None:
        """Take in a branch from elsewhere."""
        self._kept[branch.name] = branch

    def drop(self, name: str) -> None:
        """Forget a branch that is not the present one."""
        if name != self.name:
            self._kept.pop(name, None)

    def next_name(self) -> str:
        """A name that no branch has."""
        number = 1
        while f"branch {number}" in (*self._kept, self.name):
            number += 1
        return f"branch {number}"
