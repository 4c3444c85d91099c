"""The explorer's part in saving and resuming: what of the screen is kept, and how a saved session comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import BinaryIO, Final, TypeVar

from textual.message import Message
from textual.reactive import reactive

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe
from tokexplorer.saved import saving
from tokexplorer.saved.resuming import check_documents, describe, restore
from tokexplorer.saved.saved_session import Heading, SavedSession
from tokexplorer.saved.saving import Found, Listing
from tokexplorer.session import Session, Snapshot
from tokexplorer.tokenizers.base import SpecialMode
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.messages import Failed, Finished, Told
from tokexplorer.tui.safekeeping import Scene
from tokexplorer.tui.screens.arranging import PANES
from tokexplorer.tui.screens.dialogs import ChooseScreen
from tokexplorer.tui.screens.steering import SteeringScreen
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.pair_table import PairOrder, PairTable
from tokexplorer.tui.widgets.question_bar import QuestionBar
from tokexplorer.tui.working import Reins

LOOK: Final = 1.0
"""Seconds between two looks at what the screen shows, for saving."""


class SessionsListed(Message):
    """The saved sessions were looked up; `asked`: the user wants to choose one."""

    def __init__(self, listing: Listing, asked: bool) -> None:
        super().__init__()
        self.listing = listing
        self.asked = asked


@dataclass(frozen=True, slots=True)
class Return:
    """A session that has come back: what was saved, and lines on what is not as it was."""

    saved: SavedSession
    notes: tuple[str, ...]


def why_none_is_free(listing: Listing) -> str:
    """Why no session can be taken up."""
    if listing.found:
        return "all saved sessions are open in other explorers"
    return "there is no saved session to go on with"


class KeepingScreen(SteeringScreen):
    """Tells the keeper what is open and in sight; takes up a saved session when told to, or when the user says so."""

    question: reactive[Found | None] = reactive(None, repaint=False)
    """a session that ended badly, which the user is asked about"""

    def __init__(self, session: Session, paths: Sequence[str] = (), piped: BinaryIO | None = None) -> None:
        super().__init__(session, paths, piped)
        self.resumes = False
        """whether to go on with the last session at the start"""
        self.asks = False
        """whether to ask at the start about a session that ended badly"""
        self.notes: tuple[str, ...] = ()
        """lines to be said at the start"""
        self._returning = False
        self._return: Return | None = None

    def on_mount(self) -> None:
        """Look from time to time, so that whoever saves need not ask this thread."""
        self.set_interval(LOOK, self.note_scene)

    def open_first(self) -> None:
        """Go on with the last session where that is asked for, else open what was named or the first sample; look for
        a session that ended badly."""
        self.list_texts()
        for note in self.notes:
            self.say(note, "warning")
        if self.resumes:
            self.resume(None)
            return
        self.open_given()
        if self.asks:
            self._list_sessions(asked=False)

    def note_scene(self) -> None:
        """Tell the keeper what is in sight."""
        if self.is_mounted:
            self.keeper.scene = self.scene()

    def scene(self) -> Scene:
        """What is in sight, as it is saved."""
        view, lens = self.tokens_pane.view, self.lens
        position = {name: self.query_one(f"#{name}", LineView).cursor for name in PANES[:3]}
        position["tokens"] = view.cursor_offset
        extra: dict[str, object] = {
            "pane": self.pane,
            "zoomed": self.zoomed,
            "special": lens.special.value,
            "ids": view.ids,
            "group": view.group,
            "chunks": view.chunks,
            "order": self.query_one(PairTable).order.value,
            "tokenizers": self.saved_tokenizers(),
        }
        tokenizer = "" if lens.chosen == OWN else lens.chosen
        return Scene(lens.probe, tokenizer, self.watched, position, self.app.theme, extra)

    def _show_again(self, saved: SavedSession) -> None:
        """Bring back in sight what was. What this program does not know (any more) is passed over."""
        extra, view, pairs = saved.extra, self.tokens_pane.view, self.query_one(PairTable)
        if saved.theme in self.app.available_themes:
            self.app.theme = saved.theme
        pairs.order = _choice(PairOrder, extra.get("order"), pairs.order)
        for name in ("ids", "group", "chunks"):
            setattr(view, name, extra.get(name) is True)
        special = _choice(SpecialMode, extra.get("special"), self.lens.special)
        lens = replace(self.lens, probe=saved.probe, chosen=OWN, special=special)
        if saved.tokenizer in lens.names:
            lens = replace(lens, chosen=saved.tokenizer)
        elif saved.tokenizer:
            self.say(f"{saved.tokenizer} is not open any more; the text is shown through the merges made here")
        if saved.probe is not None:
            self.tokens_pane.probe_text = saved.probe.decode("utf-8", "replace")
        self.lens = lens
        if extra.get("pane") in PANES:
            self.action_pane(str(extra["pane"]))
        self.zoomed = extra.get("zoomed") is True
        self.watched = saved.watches
        for name in PANES[:3]:
            self.query_one(f"#{name}", LineView).move_cursor(saved.position.get(name, 0), quiet=True)
        view.go_to(saved.position.get("tokens", 0))

    def resume(self, found: Found | None) -> None:
        """Take up a saved session, the last one where none is named."""
        self._returning = True
        self.question = None
        self.begin("going on with a saved session", lambda reins: self._come_back(found, reins))

    def _come_back(self, found: Found | None, reins: Reins) -> Snapshot:
        """In the worker: open and merge what was. The session's file becomes ours only when all of it has come back,
        or what has not would be lost with the next saving."""
        listing = saving.sessions() if found is None else Listing((), ())
        found = found or listing.last
        if found is None:
            raise InputError("; ".join([*listing.notes, why_none_is_free(listing)]))
        saved, slot = saving.take(found.path)
        whole = False
        try:
            lost = self.reopen_tokenizers(saved.extra.get("tokenizers"))
            changed = check_documents(saved)
            restored = restore(self.session, saved, reins.on_progress, reins.should_stop)
            snapshot = restored.snapshot
            documents = saved.documents
            if changed:
                opened = zip(self.session.documents, documents, strict=True)
                documents = tuple([describe(document, old.path) for document, old in opened])
            notes = [*listing.notes, *lost, *(f"{name} {problem}" for name, problem in changed)]
            if restored.problem is not None:
                notes.append(f"not all of the session came back: {restored.problem}")
            self.keeper.opened(snapshot, documents)
            whole = restored.problem is None
            if whole:
                self.keeper.adopt(slot)
            self._opening = tuple([d.path for d in documents if d.path is not None])
            self._return = Return(saved, tuple(notes))
            return snapshot
        finally:
            if not whole:
                slot.close()

    def on_finished(self, event: Finished) -> None:
        """What came back is in sight again."""
        back, self._return, self._returning = self._return, None, False
        if back is not None:
            self.take_tokenizers(choose=False)
            self._show_again(back.saved)
            for note in back.notes:
                self.say(note, "warning")

    def on_failed(self, event: Failed) -> None:
        """A session that does not come back leaves the explorer as if it had not been asked for."""
        returning, self._returning = self._returning, False
        if returning and self.snapshot is None:
            self.open_given()

    def _list_sessions(self, asked: bool) -> None:
        def look_up() -> None:
            try:
                listing = saving.sessions()
            except InputError as error:
                listing = Listing((), (str(error),))
            self.post_message(SessionsListed(listing, asked))

        self.run_worker(look_up, thread=True, group="sessions")

    def on_sessions_listed(self, event: SessionsListed) -> None:
        """Ask about the last one where it ended badly, or let the user choose."""
        listing = event.listing
        for note in listing.notes:
            self.say(note, "warning")
        if not event.asked:
            last = listing.last
            if last is not None and not last.heading.clean_end and not self._returning:
                self.question = last
            return
        free = {str(found.path): found for found in listing.found if not found.in_use}
        if not free:
            self.say(why_none_is_free(listing))
            return
        rows = [(path, _words(found.heading), _end(found.heading)) for path, found in free.items()]

        def chosen(path: str | None) -> None:
            if path is not None:
                self.resume(free[path])

        self.app.push_screen(ChooseScreen("Go on with a saved session", "Enter goes on with it · Esc", rows), chosen)

    def action_resume(self) -> None:
        """Answer the question with yes, or choose among the saved sessions."""
        if self.question is not None:
            self.resume(self.question)
        else:
            self._list_sessions(asked=True)

    def watch_question(self) -> None:
        """Ask, or stop asking."""
        if self.is_mounted:
            heading = self.question.heading if self.question is not None else None
            self.query_one(QuestionBar).wordings = _question(heading) if heading is not None else ()

    def on_question_bar_accepted(self) -> None:
        """The question was clicked."""
        if self.question is not None and not self.busy:
            self.resume(self.question)

    def decline(self) -> None:
        """Leave the session that ended badly where it is; it is not asked about again."""
        found, self.question = self.question, None
        if found is not None:
            self.run_worker(lambda: self._dismiss(found), thread=True, group="sessions")

    def _dismiss(self, found: Found) -> None:
        try:
            saving.dismiss(found.path)
        except InputError as error:
            self.tell(str(error))

    def tell(self, words: str) -> None:
        """Tell the user one line. By any thread."""
        self.post_message(Told(words))

    def on_told(self, event: Told) -> None:
        """Another thread has something to say."""
        self.say(event.words, "warning")


E = TypeVar("E", bound=StrEnum)


def _choice(kind: type[E], value: object, default: E) -> E:
    """The member of that value; `default` where there is none."""
    return next((member for member in kind if member.value == value), default)


def _words(heading: Heading) -> str:
    """What a session is about, in a few words."""
    names = [safe(name, 30) for name in heading.names]
    what = names[0] if len(names) == 1 else f"{len(names)} texts"
    return f"{what} at step {heading.step:,}, {_age(heading.updated)}"


def _end(heading: Heading) -> str:
    return "" if heading.clean_end else "ended unexpectedly"


def _age(updated: str) -> str:
    """How long ago a time in ISO 8601 was."""
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(updated)).total_seconds()
    except (ValueError, TypeError):
        return "some time ago"
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"


def _question(heading: Heading) -> tuple[str, ...]:
    """The question from long to short."""
    words = _words(heading)
    return (
        f"The last session ended unexpectedly: {words}. Go on with it?  R yes  esc no",
        f"Go on with {words}?  R yes  esc no",
        f"Go on at step {heading.step:,}?  R yes  esc no",
        "Resume?  R yes  esc no",
    )
