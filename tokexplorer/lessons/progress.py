"""How far the reader has come: the lessons that were finished, and the step at which each was left. Kept per user."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe
from tokexplorer.files.whole_files import write_whole

VERSION: Final = 1
LARGEST: Final = 64 * 1024
"""Bytes that the file may have."""


@dataclass(frozen=True, slots=True)
class Progress:
    """`finished`: ids of lessons; `steps`: lesson id -> step, from 0; `last`: the lesson that was open last."""

    finished: frozenset[str] = frozenset()
    steps: Mapping[str, int] = field(default_factory=dict)
    last: str = ""

    def at(self, lesson: str, step: int) -> Progress:
        """With a lesson open at a step."""
        return replace(self, steps={**self.steps, lesson: step}, last=lesson)

    def done(self, lesson: str) -> Progress:
        """With a lesson finished; it begins at its first step again."""
        return replace(self, finished=self.finished | {lesson}, steps={**self.steps, lesson: 0}, last=lesson)


def load(path: Path) -> Progress:
    """The progress in a file; none where it is not there. InputError where it cannot be read or is not one."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return Progress()
    except OSError as error:
        raise InputError(f"{safe(str(path))}: cannot be read: {error.strerror or error}") from error
    try:
        found = json.loads(data) if len(data) <= LARGEST else None
    except (ValueError, RecursionError):
        found = None
    progress = _parse(found)
    if progress is None:
        raise InputError(f"{safe(str(path))}: is not the progress of lessons")
    return progress


def _parse(found: object) -> Progress | None:
    if not isinstance(found, dict) or found.get("version") != VERSION:
        return None
    finished, steps, last = found.get("finished"), found.get("steps"), found.get("last")
    if not isinstance(finished, list) or not all(isinstance(name, str) for name in finished):
        return None
    if not isinstance(steps, dict) or not isinstance(last, str):
        return None
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in steps.values()):
        return None
    return Progress(frozenset(finished), steps, last)


def save(progress: Progress, path: Path) -> None:
    """Write the progress. InputError where it cannot be written."""
    data = {
        "version": VERSION,
        "finished": sorted(progress.finished),
        "steps": dict(sorted(progress.steps.items())),
        "last": progress.last,
    }
    write_whole(path, json.dumps(data, indent=1).encode() + b"\n")
