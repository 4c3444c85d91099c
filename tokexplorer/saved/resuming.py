"""From a session to what is saved of it, and back: are the files the same, open them, make the same merges again."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from tokexplorer.engine.corpus import Document, Progress, ShouldStop, TextDocument
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.glyphs import safe
from tokexplorer.engine.training import Merge
from tokexplorer.files.sources import open_document
from tokexplorer.saved.saved_session import SavedBranch, SavedDocument, SavedSession, pack
from tokexplorer.session import Session, Snapshot
from tokexplorer.timeline.branches import MAIN, Branch

ALWAYS_HASHED: Final = 64 << 20
"""Bytes up to which a file is read to see whether it has changed. A larger one whose size and time of change are the
same is taken to be unchanged."""
_PIECE: Final = 1 << 20
_STRIDE: Final = 256
"""Merges between two reports of progress."""


def describe(document: Document, path: str | None = None) -> SavedDocument:
    """What is saved of a document: of a file its absolute path, size and hash; all of a text that cannot be had again
    (typed in, from standard input or a pipe, from a file that is gone; `path` None where it never had one).

    Reads the whole document, so it is done once, when it is opened, and in a worker.
    """
    digest = sha256()
    for start in range(0, document.size, _PIECE):
        digest.update(document.read(start, min(start + _PIECE, document.size)))
    status = _status(path) if path is not None else None
    if path is None or status is None or not stat.S_ISREG(status.st_mode):
        packed = pack(document.read(0, document.size))
        return SavedDocument(document.name, document.size, digest.hexdigest(), packed=packed)
    modified = status.st_mtime_ns if status.st_size == document.size else 0
    return SavedDocument(document.name, document.size, digest.hexdigest(), os.path.abspath(path), modified)


def _status(path: str) -> os.stat_result | None:
    """None where there is no such file (any more)."""
    try:
        return os.stat(path)
    except OSError:
        return None


def capture(
    snapshot: Snapshot, documents: Sequence[SavedDocument] = (), word_counts: bool | None = None
) -> SavedSession:
    """What is saved of a moment; use `dataclasses.replace` for what only the screen knows.

    A snapshot stays true, so this may be called while a worker trains on.
    """
    merges = snapshot.merges[: snapshot.known] if snapshot.can_choose else ()
    return SavedSession(
        documents=tuple(documents),
        settings=snapshot.settings,
        word_counts=word_counts,
        step=snapshot.step,
        pairs=tuple([(m.left, m.right) for m in merges]),
        chosen=tuple([m.step for m in merges if m.chosen]),
        branches=tuple([_saved(b, b.name == snapshot.branch) for b in snapshot.branches]) if _has(snapshot) else (),
        branch=snapshot.branch,
    )


def _has(snapshot: Snapshot) -> bool:
    """Whether there is more than the one line that needs no name."""
    return len(snapshot.branches) > 1 or snapshot.branch != MAIN


def _saved(branch: Branch, present: bool) -> SavedBranch:
    rows = () if present else branch.rows[: branch.known]
    pairs = tuple([(m.left, m.right) for m in rows])
    tokens = tuple([m.tokens_after for m in rows])
    return SavedBranch(branch.name, pairs, tokens, branch.parent, branch.start, branch.step)


def check_documents(saved: SavedSession) -> list[tuple[str, str]]:
    """The documents that are not as they were, as (name, what is wrong), both safe to show. Reads files up to
    ALWAYS_HASHED bytes whole; of larger ones see there."""
    found = [(safe(d.name), _problem(d)) for d in saved.documents]
    return [(name, problem) for name, problem in found if problem is not None]


def _problem(document: SavedDocument) -> str | None:
    if document.path is None:
        return None
    try:
        status = os.stat(document.path)
        if not stat.S_ISREG(status.st_mode):
            return "is not a regular file any more"
        if status.st_size != document.size:
            return f"has changed: it had {document.size:,} bytes and has {status.st_size:,} now"
        if status.st_size > ALWAYS_HASHED and status.st_mtime_ns == document.modified:
            return None
        if _hash_of(document.path) != document.sha256:
            return "has changed: the size is the same, the content is not"
    except FileNotFoundError:
        return f"is missing: {safe(document.path)}"
    except (OSError, ValueError) as error:
        return f"cannot be read: {safe(getattr(error, 'strerror', None) or str(error))}"
    return None


def _hash_of(path: str) -> str:
    digest = sha256()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def reopen(saved: SavedSession) -> list[Document]:
    """The documents, from disk as they are now, or as they were saved. InputError for the first that cannot be had."""
    return [
        TextDocument(d.name, d.unpacked()) if d.path is None else open_document(d.path, pipes=False)
        for d in saved.documents
    ]


@dataclass(frozen=True, slots=True)
class Restored:
    """How far a session came back. `problem` says in one clause why not all of it did, None where it did."""

    snapshot: Snapshot
    made: int
    problem: str | None = None


def restore(
    session: Session,
    saved: SavedSession,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Restored:
    """Open what was open in `session`, with the same settings, make the same merges and travel to the same step.

    `on_progress` is called first with bytes, then with merges. InputError where a document cannot be had and
    `engine.corpus.Cancelled` where `should_stop` said so before it was open: `session` is then as before.
    """
    before = session.settings
    session.settings = saved.settings
    try:
        session.open(reopen(saved), on_progress, should_stop, saved.word_counts)
    except BaseException:
        session.settings = before
        raise
    if session.settings != saved.settings:
        # Opening word counts takes the alphabet that suits them; the user had then taken another.
        session.configure(saved.settings, on_progress, should_stop)
    return replay(session, saved, on_progress, should_stop)


def replay(
    session: Session,
    saved: SavedSession,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Restored:
    """Make the saved merges on the freshly opened `session`, pair by pair as they are saved rather than as they would
    be chosen, so that they are the same whatever tie rule or program made them; then travel to the saved step.

    Where the text has changed it goes as far as the pairs are there. A session without pairs (an algorithm that does
    not merge) is run to its step.
    """
    made, problem = 0, None
    total = len(saved.pairs)
    for left, right in saved.pairs:
        if made % _STRIDE == 0 and on_progress is not None:
            on_progress(made, total)
        if should_stop is not None and should_stop():
            problem = f"stopped at step {made} of {total}"
            break
        try:
            session.merger.merge(left, right)
        except UsageError:
            problem = f"the pair of step {made + 1} ({left} + {right}) stands nowhere in the text now"
            break
        made += 1
    step = saved.step if problem is None else min(saved.step, made)
    session.goto(step, should_stop)
    snapshot = _take_branches(session, saved)
    if problem is None and snapshot.step != step:
        problem = f"stopped at step {snapshot.step} of {step}"
    return Restored(snapshot, max(made, snapshot.step), problem)


def _take_branches(session: Session, saved: SavedSession) -> Snapshot:
    """Know the saved branches again. The counts of their merges are not saved: only the pairs and the tokens."""
    if not saved.branches:
        return session.snapshot()
    merger = session.merger
    base = len(merger.alphabet)
    kept: list[Branch] = []
    now = None
    for old in saved.branches:
        rows: list[Merge] = []
        before = merger.start_tokens
        for number, ((left, right), after) in enumerate(zip(old.pairs, old.tokens, strict=False), 1):
            rows.append(Merge(number, left, right, base + number - 1, 0, before - after, before, after, 1))
            before = after
        step = min(old.step, len(rows))
        branch = Branch(old.name, old.parent, old.start, step, rows, len(rows), merger.start_tokens, base)
        if old.name == saved.branch:
            now = branch
        else:
            kept.append(branch)
    return session.take_branches(kept, now)
