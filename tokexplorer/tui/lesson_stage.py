"""Between the explorer and a lesson: the present moment as lessons see it, and a stage put on the screen."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.corpus import ShouldStop
from tokexplorer.engine.errors import InputError
from tokexplorer.lessons.lesson import Stage
from tokexplorer.lessons.moment import OWN as LESSON_OWN
from tokexplorer.lessons.moment import Moment
from tokexplorer.lessons.staging import arrange
from tokexplorer.session import Session
from tokexplorer.texts import Text
from tokexplorer.timeline.snapshots import Snapshot
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.shelf import WORDS

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen

VIEWS: Final = ("ids", "group", "chunks")
"""The views of the token pane that a lesson may switch on."""
QUICK: Final = frozenset({None, "bpe", "wordpiece", "characters", "words"})
"""The algorithms that set up a lesson's small text at once."""


@dataclass(eq=False)
class Setting:
    """A step that is being set up, with the tokenizers it needs; `session` is there when it has been."""

    stage: Stage
    names: Collection[str]
    session: Session | None = None

    def is_quick(self, screen: ExplorerScreen) -> bool:
        """Whether it is done in no time, so that no worker is needed."""
        needed = [name for name in self.names if name != WORDS]
        ready = all(screen.shelf.ready(name, screen.snapshot) is not None for name in needed)
        return ready and self.stage.sample is None and self.stage.algorithm in QUICK


def prepare(
    screen: ExplorerScreen, setting: Setting, session: Session | None, should_stop: ShouldStop | None = None
) -> Snapshot:
    """Bring a session to the stage and load the tokenizers; by the main thread where it is quick, else by a worker.
    InputError where the stage cannot be reached, UsageError where a tokenizer does not exist, Cancelled."""
    found, snapshot = arrange(session, setting.stage, should_stop)
    for name in setting.names:
        screen.shelf.load(name, snapshot)
    setting.session = found
    return snapshot


def moment_of(screen: ExplorerScreen) -> Moment | None:
    """What is on screen; None while a text or a tokenizer loads."""
    snapshot, lens, view = screen.snapshot, screen.lens, screen.tokens_pane.view
    if snapshot is None or screen.tokenizer is None:
        return None
    screen.shelf.learn(lens)

    def find(name: str) -> Tokenizer:
        if name == LESSON_OWN:
            return snapshot.tokenizer()
        found = lens.tokenizer if name == lens.chosen else screen.shelf.ready(name, snapshot)
        if found is None:
            raise InputError(f"the tokenizer {name} is not loaded")
        return found

    shows = frozenset(name for name in VIEWS if getattr(view, name))
    return Moment(snapshot, find, lens.chosen, lens.special, lens.probe, shows, screen.pane)


def put_on(screen: ExplorerScreen, setting: Setting) -> None:
    """Show what the stage says: text, tokenizer, views, pane, cursor. The session is there already."""
    stage, snapshot, pane = setting.stage, screen.snapshot, screen.tokens_pane
    probe = to_bytes(stage.probe) if stage.probe else None
    pane.probing = False
    for name in VIEWS:
        setattr(pane.view, name, name in (stage.shows or ()))
    screen.zoomed = False
    lens = screen.lens
    for name in setting.names:
        tokenizer = screen.shelf.ready(name, snapshot)
        if tokenizer is not None:
            lens = lens.with_loaded(name, tokenizer)
    pane.probe_text = stage.probe or ""
    special = SpecialMode(stage.special) if stage.special else SpecialMode.TEXT
    same_text = screen.lens.probe == probe
    screen.veiled = bool(stage.veil)
    screen.lens = replace(lens, chosen=stage.tokenizer or OWN, special=special, probe=probe)
    if stage.pane is not None:
        screen.pane = stage.pane
    _place_cursor(screen, stage, same_text)


def _place_cursor(screen: ExplorerScreen, stage: Stage, same_text: bool) -> None:
    view = screen.tokens_pane.view
    text = Text.of("probe", to_bytes(stage.probe)) if stage.probe else screen.corpus_text
    if stage.at is not None and text is not None:
        view.go_to(text.find(to_bytes(stage.at), 0) or 0)
    elif not same_text:
        view.go_to(0)
