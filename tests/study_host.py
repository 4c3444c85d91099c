"""An app that holds one screen which studies tokenizers, over a text that was trained for some steps: for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from tokexplorer.engine.corpus import TextDocument
from tokexplorer.session import Session, Settings
from tokexplorer.texts import Text
from tokexplorer.tokenizers.base import SpecialMode
from tokexplorer.tui.lens import OWN, Lens
from tokexplorer.tui.screens.help import HelpScreen
from tokexplorer.tui.screens.study import StudyScreen
from tokexplorer.tui.shelf import Jump, Scene, Shelf
from tokexplorer.tui.themes import CYCLE, DARK, LIGHT

_FACTS = Shelf()._facts
"""What was found out about the built-in vocabularies, so that each test need not find it out again."""
SAMPLE = (
    "The cat sat on the mat, and the cat's hat was on the rat: 1234 + 5678.\n"
    "A strawberry has three r's; strawberries cost 12.50 in 2024.\n"
    "Москва, 東京, naïve café \U0001f600 <|endoftext|>\n"
)


def session_of(text: str | bytes, steps: int = 20) -> Session:
    """A session over one text, some merges made."""
    session = Session(Settings())
    data = text.encode() if isinstance(text, str) else text
    session.open([TextDocument("sample.txt", data)])
    session.step(steps)
    return session


class Host(App[None]):
    """Shows one screen; `jump` is what it gave when it was left, `copied` what was put on the clipboard."""

    def __init__(self, make: Callable[[Host], StudyScreen], session: Session, lens: Lens | None = None) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name
        self.session = session
        self.shelf = Shelf()
        self.shelf._facts = _FACTS
        self.text: Text | None = Text(session.documents)
        self.lens = lens or Lens()
        self.jump: Jump | None = None
        self.left = False
        self.copied = ""
        self._make = make

    @property
    def scene(self) -> Scene:
        """What the explorer would give."""
        return Scene(self.session.snapshot(), self.text, self.lens)

    def on_mount(self) -> None:
        """Show it."""

        def came_back(jump: Jump | None) -> None:
            self.jump, self.left = jump, True

        self.push_screen(self._make(self), came_back)

    def action_help(self) -> None:
        """As the app does."""
        screen: Any = self.screen
        self.push_screen(HelpScreen(screen.TITLE_WORDS, screen.ACTIONS))

    def action_theme(self) -> None:
        """As the app does."""
        names = list(CYCLE)
        self.theme = names[(names.index(self.theme) + 1) % len(names)]

    def copy_to_clipboard(self, text: str) -> None:
        """Keep it where a test can see it."""
        self.copied = text


async def settle(pilot: Pilot[Any], tries: int = 2000) -> None:
    """Wait until no screen works any more."""
    for _ in range(tries):
        await pilot.pause()
        screens = [s for s in pilot.app.screen_stack if isinstance(s, StudyScreen)]
        if not any(screen.is_working for screen in screens):
            await pilot.pause()
            return
        await pilot.pause(0.01)
    raise AssertionError("the work did not end")


def shown(app: App[Any]) -> str:
    """The screen as text."""
    height = app.size.height
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips[:height])


__all__ = ["OWN", "SAMPLE", "Host", "SpecialMode", "session_of", "settle", "shown"]
