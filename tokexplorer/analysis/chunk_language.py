"""Which texts can stand inside one chunk of a split pattern: a small automaton that never says no wrongly."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import regex

from tokexplorer.engine.splits import Split

_ASSERTIONS: Final = ("(?=", "(?!", "(?<=", "(?<!")
_ANCHORS: Final = ("$", "^", r"\b", r"\B", r"\A", r"\Z", r"\z")
_MOST_COPIES: Final = 64
"""a counted repeat above this is taken as endless, which only lets more texts through"""
_MOST_STATES: Final = 5000


class _NotUnderstood(Exception):
    """The pattern uses something that this automaton does not know."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A parsed pattern: `kind` is one of atom, nothing, sequence, either, repeat."""

    kind: str
    parts: tuple[_Node, ...] = ()
    source: str = ""
    least: int = 0
    most: int | None = None


class _Parser:
    """Reads the part of the syntax of `regex` that split patterns use; raises _NotUnderstood at the rest."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.asserts = False

    def whole(self) -> _Node:
        node = self.either("")
        if self.at < len(self.pattern):
            raise _NotUnderstood
        return node

    def either(self, flags: str) -> _Node:
        branches = [self.sequence(flags)]
        while self.take("|"):
            branches.append(self.sequence(flags))
        return _Node("either", tuple(branches))

    def sequence(self, flags: str) -> _Node:
        parts: list[_Node] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts.append(self.repeated(self.one(flags)))
        return _Node("sequence", tuple(parts))

    def take(self, text: str) -> bool:
        if self.pattern.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def repeated(self, node: _Node) -> _Node:
        counted = regex.compile(r"\{(\d*)(,?)(\d*)\}").match(self.pattern, self.at)
        if counted is not None and (counted[1] or counted[3]):
            self.at = counted.end()
            least = int(counted[1] or 0)
            most = least if not counted[2] else int(counted[3]) if counted[3] else None
        elif self.take("?"):
            least, most = 0, 1
        elif self.take("*"):
            least, most = 0, None
        elif self.take("+"):
            least, most = 1, None
        else:
            return node
        if not self.take("+"):  # possessive and lazy repeats match no text that plain ones do not
            self.take("?")
        return self.repeated(_Node("repeat", (node,), least=least, most=most))

    def one(self, flags: str) -> _Node:
        for opening in _ASSERTIONS:
            if self.take(opening):
                self.asserts = True
                self.either(flags)
                self.close()
                return _Node("nothing")
        for anchor in _ANCHORS:
            if self.take(anchor):
                self.asserts = True
                return _Node("nothing")
        if self.pattern[self.at] == "(":
            return self.group(flags)
        return self.atom(flags)

    def group(self, flags: str) -> _Node:
        opening = regex.compile(r"\((?:\?(?:>|\||([is]*):|P?<\w+>))?(?!\?)").match(self.pattern, self.at)
        if opening is None:
            raise _NotUnderstood
        self.at = opening.end()
        node = self.either("".join(sorted({*flags, *(opening[1] or "")})))
        self.close()
        return node

    def close(self) -> None:
        if not self.take(")"):
            raise _NotUnderstood

    def atom(self, flags: str) -> _Node:
        start = self.at
        char = self.pattern[start]
        if char == "[":
            self.at = self.end_of_set(start)
        elif char == "\\":
            known = regex.compile(r"\\(?:[pP](?:\{[^}]*\}|\w)|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[sSdDwWrntfv]|[^\w\s])")
            found = known.match(self.pattern, start)
            if found is None:
                raise _NotUnderstood
            self.at = found.end()
        elif char in "*+?{":
            raise _NotUnderstood
        else:
            self.at += 1
        source = self.pattern[start : self.at]
        return _Node("atom", source=f"(?{flags}:{source})" if flags else source)

    def end_of_set(self, start: int) -> int:
        at = start + 1
        at += self.pattern.startswith("^", at)
        at += self.pattern.startswith("]", at)
        while at < len(self.pattern) and self.pattern[at] != "]":
            if self.pattern.startswith("[:", at):
                at = self.pattern.find(":]", at) + 1
            elif self.pattern[at] == "[" or self.pattern[at : at + 2] in ("--", "&&", "||", "~~"):
                raise _NotUnderstood
            elif self.pattern[at] == "\\":
                at += 1
            at += 1
        return at + 1


class _Automaton:
    """Thompson's construction. Lookaround and anchors are passed freely, and possessive, lazy and atomic parts are
    taken as plain ones: each lets through more texts, never fewer."""

    def __init__(self, node: _Node) -> None:
        self.moves: list[list[tuple[int, int]]] = []  # state -> (number of the atom, next state)
        self.free: list[list[int]] = []
        self.atoms: dict[str, int] = {}
        self.add(node, self.state())

    def state(self, source: int | None = None) -> int:
        """A new state, freely reached from `source`."""
        if len(self.moves) >= _MOST_STATES:
            raise _NotUnderstood
        self.moves.append([])
        self.free.append([])
        if source is not None:
            self.free[source].append(len(self.moves) - 1)
        return len(self.moves) - 1

    def add(self, node: _Node, at: int) -> int:
        """Build a node from the state `at` on; returns the state in which it ends."""
        if node.kind == "atom":
            end = self.state()
            self.moves[at].append((self.atoms.setdefault(node.source, len(self.atoms)), end))
            return end
        if node.kind == "either":
            ends = [self.add(part, self.state(at)) for part in node.parts]
            return self.meet(ends)
        if node.kind == "repeat":
            return self.repeat(node, at)
        for part in node.parts:
            at = self.add(part, at)
        return at

    def meet(self, ends: list[int]) -> int:
        """A new state, freely reached from all `ends`."""
        end = self.state()
        for source in ends:
            self.free[source].append(end)
        return end

    def repeat(self, node: _Node, at: int) -> int:
        part, least, most = node.parts[0], min(node.least, _MOST_COPIES), node.most
        for _ in range(least):
            at = self.add(part, at)
        if most is None or most > _MOST_COPIES:
            turn = self.state(at)
            self.free[self.add(part, turn)].append(turn)
            return turn
        ends = [at]
        for _ in range(least, most):
            ends.append(self.add(part, self.state(ends[-1])))
        return self.meet(ends)

    def closure(self, states: set[int]) -> frozenset[int]:
        """The states with all that are freely reached from them."""
        found, waiting = set(states), list(states)
        while waiting:
            for target in self.free[waiting.pop()]:
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)


@dataclass(frozen=True, slots=True, eq=False)
class ChunkLanguage:
    """What may stand inside one chunk: every text that does in some context is let through, and a few others."""

    _automaton: _Automaton
    _atoms: tuple[regex.Pattern[str], ...]
    _gaps: regex.Pattern[str] | None
    """the pattern, where text that it leaves between two matches is a chunk too"""
    _classes: dict[str, int] = field(default_factory=dict)
    _steps: dict[tuple[frozenset[int], int], frozenset[int]] = field(default_factory=dict)

    def may_hold(self, text: str) -> bool:
        """False only where no chunk of any text holds `text`: the split always cuts inside it."""
        states = frozenset(range(len(self._automaton.moves)))
        for char in text:
            states = self._step(states, self._class_of(char))
        return bool(states) or (self._gaps is not None and not any(m.group() for m in self._gaps.finditer(text)))

    def _class_of(self, char: str) -> int:
        """Which atoms take the character, as a bit mask."""
        known = self._classes.get(char)
        if known is None:
            known = sum(1 << number for number, atom in enumerate(self._atoms) if atom.fullmatch(char))
            self._classes[char] = known
        return known

    def _step(self, states: frozenset[int], taken: int) -> frozenset[int]:
        known = self._steps.get((states, taken))
        if known is None:
            moves = self._automaton.moves
            reached = {target for state in states for atom, target in moves[state] if taken >> atom & 1}
            known = self._steps[states, taken] = self._automaton.closure(reached)
        return known


@lru_cache(maxsize=8)
def chunk_language(split: Split) -> ChunkLanguage | None:
    """The language of a split's chunks; None where the pattern uses something that is not understood here."""
    parser = _Parser(split.pattern)
    try:
        automaton = _Automaton(parser.whole())
    except _NotUnderstood:
        return None
    gaps = split.name == "custom"
    if gaps and parser.asserts:  # whether a place matches then hangs on what surrounds it
        return None
    atoms = tuple(regex.compile(source) for source in automaton.atoms)
    return ChunkLanguage(automaton, atoms, split.compiled if gaps else None)
