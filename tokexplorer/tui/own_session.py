"""What the reader had open before a lesson: put away as it is, and given back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.alphabet import to_text
from tokexplorer.session import Session
from tokexplorer.timeline.snapshots import Snapshot
from tokexplorer.tui.lens import Lens
from tokexplorer.tui.lesson_stage import VIEWS
from tokexplorer.tui.safekeeping import Keeper
from tokexplorer.tui.shelf import CHARACTERS, WORDS
from tokexplorer.tui.widgets.line_view import LineView

UPPER: Final = ("corpus", "pairs", "merges")

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen


@dataclass(frozen=True, slots=True)
class OwnSession:
    """The reader's session with its keeper, which saves it and nothing of the lesson, and what was in sight."""

    session: Session
    keeper: Keeper
    lens: Lens
    snapshot: Snapshot | None
    pane: str
    views: tuple[bool, ...]
    cursors: tuple[int, ...]
    """the rows under the cursors of the upper panes"""
    offset: int
    """the byte under the cursor of the token view"""

    @property
    def words(self) -> str:
        """Where it stands, in a few words; names of files are not safe to show."""
        if self.snapshot is None:
            return "the explorer"
        names = [document.name for document in self.snapshot.corpus.documents]
        return f"{names[0] if len(names) == 1 else f'{len(names)} texts'} at step {self.snapshot.step:,}"


def put_away(screen: ExplorerScreen) -> OwnSession:
    """Keep what is open; from now on nothing is saved."""
    view = screen.tokens_pane.view
    views = tuple(bool(getattr(view, name)) for name in VIEWS)
    own = OwnSession(
        screen.session,
        screen.keeper,
        screen.lens,
        screen.snapshot,
        screen.pane,
        views,
        tuple(screen.query_one(f"#{name}", LineView).cursor for name in UPPER),
        view.cursor_offset,
    )
    screen.keeper = Keeper()
    return own


def give_back(screen: ExplorerScreen, own: OwnSession) -> None:
    """Open again what was open. No worker may be busy."""
    screen.session, screen.keeper = own.session, own.keeper
    passing = [name for name in (CHARACTERS, WORDS) if name not in own.lens.loaded]
    loaded = {name: found for name, found in screen.lens.loaded.items() if name not in passing}
    screen.tokens_pane.probing = False
    screen.tokens_pane.probe_text = to_text(own.lens.probe or b"")
    screen.set_reactive(type(screen).lens, replace(own.lens, loaded={**loaded, **own.lens.loaded}))
    if own.session.documents:
        snapshot = own.session.snapshot()
        own.keeper.saw(snapshot)
        screen.lookup = None
        screen.snapshot = snapshot
    screen.look()
    view = screen.tokens_pane.view
    for name, shown in zip(VIEWS, own.views, strict=True):
        setattr(view, name, shown)
    for name, cursor in zip(UPPER, own.cursors, strict=True):
        screen.query_one(f"#{name}", LineView).move_cursor(cursor, quiet=True)
    view.go_to(own.offset)
    screen.action_pane(own.pane)
