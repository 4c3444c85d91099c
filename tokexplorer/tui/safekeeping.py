"""Safekeeping: the session is saved on a clock, from immutable values, by a thread that nothing on screen waits for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe

if TYPE_CHECKING:
    from tokexplorer.saved.saved_session import SavedDocument, SavedSession
    from tokexplorer.saved.saving import Slot
    from tokexplorer.session import Snapshot

CLOCK: Final = 15.0
"""Seconds after which a session that changed is saved again."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What only the screen knows. `position` maps a pane to its cursor."""

    probe: bytes | None = None
    tokenizer: str = ""
    watches: tuple[str, ...] = ()
    position: Mapping[str, int] = field(default_factory=dict)
    theme: str | None = None
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Moment:
    snapshot: Snapshot
    documents: tuple[SavedDocument, ...]
    asked_for: bool
    """whether the user opened these texts, rather than finding them open"""


class Keeper:
    """Knows the newest moment of the session and keeps it. Any thread may tell it of a moment, or have it saved.

    Does nothing on disk before there is something that its user would miss. `tell` is given a line, in the keeper's
    thread, where saving begins to fail.
    """

    def __init__(self, tell: Callable[[str], object] | None = None, clock: float | None = None) -> None:
        self.scene = Scene()
        self.tell = tell
        self._clock = CLOCK if clock is None else clock
        self._moment: _Moment | None = None
        self._slot: Slot | None = None
        self._slots = threading.Lock()
        self._saved: tuple[object, ...] = ()
        self._problem = ""
        self._wanted = threading.Event()
        self._ended = False
        self._thread: threading.Thread | None = None

    def opened(self, snapshot: Snapshot, documents: tuple[SavedDocument, ...], asked_for: bool = True) -> None:
        """Other texts are open now."""
        self._moment = _Moment(snapshot, documents, asked_for)

    def saw(self, snapshot: Snapshot) -> None:
        """The session has moved on; the texts are the same."""
        moment = self._moment
        if moment is not None:
            self._moment = replace(moment, snapshot=snapshot)

    def adopt(self, slot: Slot) -> None:
        """Go on in the file of a session that was taken up again."""
        with self._slots:
            self._slot, old = slot, self._slot
        if old is not None:
            old.close()

    def start(self) -> None:
        """Save every `clock` seconds from now on, where anything has changed."""
        self._thread = threading.Thread(target=self._run, name="safekeeping", daemon=True)
        self._thread.start()

    def hurry(self) -> None:
        """Save soon: something happened that took long."""
        self._wanted.set()

    @property
    def problem(self) -> str:
        """Why the last saving failed; empty where it did not."""
        return self._problem

    @property
    def is_worth_keeping(self) -> bool:
        """Whether anything was opened, typed or merged that its user would miss."""
        moment = self._moment
        return moment is not None and (moment.asked_for or moment.snapshot.known > 0 or bool(self.scene.probe))

    def saved_session(self) -> SavedSession | None:
        """This moment as it is saved; None before a text is open."""
        moment, scene = self._moment, self.scene
        if moment is None:
            return None
        from tokexplorer.saved.resuming import capture

        return replace(
            capture(moment.snapshot, moment.documents),
            probe=scene.probe,
            watches=scene.watches,
            tokenizer=scene.tokenizer,
            position=dict(scene.position),
            theme=scene.theme,
            extra=dict(scene.extra),
        )

    def save(self, clean_end: bool = False) -> bool:
        """Save this moment. Whether a session is on disk now that is as new; `problem` says why not."""
        if not self.is_worth_keeping:
            return False
        state = (self._moment, self.scene, clean_end)
        session = self.saved_session()
        if session is None:
            return False
        try:
            self._own_slot().save(session, clean_end)
        except InputError as error:
            self._problem = str(error)
            return False
        self._saved, self._problem = state, ""
        return True

    def words(self, kept: bool) -> str:
        """What became of the session at the end, in one clause."""
        moment = self._moment
        if kept and moment is not None:
            names = [document.name for document in moment.documents]
            what = safe(names[0], 60) if len(names) == 1 else f"{len(names)} texts"
            return f"is saved: {what} at step {moment.snapshot.step:,}; go on with: tokexplorer --resume"
        if self._problem:
            return f"could not be saved: {self._problem}"
        return "had nothing in it to be saved"

    def close(self) -> None:
        """Give the session's file back. Call it last."""
        self._ended = True
        self._wanted.set()
        with self._slots:
            slot, self._slot = self._slot, None
        if slot is not None:
            slot.close()

    def _own_slot(self) -> Slot:
        with self._slots:
            if self._slot is None:
                from tokexplorer.saved import saving

                self._slot = saving.open_slot()
            return self._slot

    def _run(self) -> None:
        due = time.monotonic() + self._clock
        while not self._ended:
            self._wanted.wait(max(0.0, due - time.monotonic()))
            self._wanted.clear()
            if self._ended:
                return
            due = time.monotonic() + self._clock
            before = self._problem
            if self._saved[:2] != (self._moment, self.scene):
                self.save()
            if self._problem not in ("", before) and self.tell is not None:
                self.tell(f"the session is not being saved: {self._problem}")
