"""The app: themes, the command palette, and the start of the explorer on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from rich.text import Text
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe
from tokexplorer.files.sources import STDIN
from tokexplorer.settings import check_keys
from tokexplorer.startup import Startup
from tokexplorer.terminal import ColorChoice
from tokexplorer.tui.actions import EXPLORER, Acting, as_bound
from tokexplorer.tui.ending import Ending
from tokexplorer.tui.safekeeping import Keeper
from tokexplorer.tui.steady import SteadyApp
from tokexplorer.tui.themes import CYCLE, DARK, LIGHT, TERMINAL

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen


class ExplorerApp(SteadyApp):
    """tokexplorer in a terminal."""

    TITLE = "tokexplorer"
    CSS_PATH = "tokexplorer.tcss"
    COMMAND_PALETTE_BINDING = "ctrl+p"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", show=False, priority=True),
        Binding("ctrl+l", "redraw", show=False, priority=True),
        Binding("ctrl+p", "command_palette", show=False, priority=True),
        Binding("colon", "command_palette", show=False),
        Binding("ctrl+g", "leave_dialog", show=False, priority=True),
        Binding("Y", "write_copy", show=False),
        Binding("P", "mouse", show=False),
    ]

    def __init__(
        self,
        paths: Sequence[str] = (),
        piped: BinaryIO | None = None,
        startup: Startup | None = None,
        ending: Ending | None = None,
    ) -> None:
        super().__init__(startup, ending)
        self._paths = tuple(paths)
        self._piped = piped
        self.explorer: ExplorerScreen | None = None
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.notes = list(self.startup.notes)
        self.theme = self._first_theme()
        self.user_keys: Mapping[str, str] = self._keys()
        self.set_keymap(dict(self.user_keys))

    def _first_theme(self) -> str:
        """The look that the user has chosen; else one that the terminal has the colours for."""
        wanted = self.startup.preferences.theme
        if wanted in self.available_themes:
            return wanted
        if wanted is not None:
            self.notes.append(f"theme: there is no {safe(wanted, 40)}; E turns to the next one that there is")
        few = self.startup.terminal.colors in (ColorChoice.C16, ColorChoice.NONE)
        return TERMINAL if few else DARK.name

    def _keys(self) -> dict[str, str]:
        """The user's own keys, none of them where one is wrong."""
        preferences = self.startup.preferences
        if not preferences.keys:
            return {}
        from tokexplorer.tui import study_actions

        known = {action.id for action in (*EXPLORER, *study_actions.ALL)}
        try:
            check_keys(preferences, sorted(known))
        except InputError as error:
            self.notes.append(f"{error}; the usual keys are taken")
            return {}
        return preferences.keymap()

    def compose(self) -> ComposeResult:
        """The first frame: it stands before the panes and what they need are loaded."""
        name = safe(self._paths[0]) if len(self._paths) == 1 else f"{len(self._paths)} files" if self._paths else ""
        yield Static(Text(f" tokexplorer  opening {name or 'the first sample'} …", no_wrap=True), id="first-frame")

    def on_mount(self) -> None:
        """Show the explorer as soon as the first frame stands."""
        self.call_after_refresh(self._enter)

    def _enter(self) -> None:
        from tokexplorer.session import Session
        from tokexplorer.tui.screens.explorer import ExplorerScreen

        session = Session(self.startup.preferences.training())
        self.explorer = ExplorerScreen(session, self._paths, self._piped)
        self.explorer.notes = tuple(self.notes)
        self.explorer.resumes = self.startup.resume
        if self.ending is not None:
            self.explorer.asks = True
            self.explorer.keeper = self.ending.keeper
            self.ending.keeper.tell = self.explorer.tell
        self.push_screen(self.explorer)

    @property
    def at_work(self) -> str:
        """What the worker of the explorer is doing."""
        return self.explorer.busy if self.explorer is not None else ""

    def stop_work(self, patience: float) -> None:
        """Ask the worker of the explorer to stop and wait at most so many seconds. By any thread."""
        if self.explorer is not None:
            self.explorer.rest(patience)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """The palette lists the registry's actions before Textual's own."""
        if isinstance(screen, Acting):
            for action in screen.ACTIONS:
                name = action.name.partition("(")[0]
                if screen.check_action(name, ()):
                    title = f"{action.label} ({as_bound(action, self).key_shown})"
                    yield SystemCommand(title, action.help, lambda name=action.target: self._do(screen, name))
        for command in super().get_system_commands(screen):
            if command.title not in ("Keys", "Maximize", "Minimize"):
                # In small letters as all others, or it would stand first and be what Enter runs.
                yield command._replace(title=command.title.lower())

    def action_command_palette(self) -> None:
        """Search all commands."""
        if self.use_command_palette and not isinstance(self.screen, CommandPalette):
            from tokexplorer.tui.palette import Palette

            self.push_screen(Palette(id="--command-palette"))

    def _do(self, screen: Screen[Any], name: str) -> None:
        self.call_later(screen.run_action, name)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A dialog can only be left where there is one."""
        if action == "leave_dialog":
            return isinstance(self.screen, ModalScreen)
        return super().check_action(action, parameters)

    def action_leave_dialog(self) -> None:
        """Leave a dialog without an answer: what Esc does, for terminals that keep Esc to themselves."""
        self.screen.dismiss(None)

    def action_help(self) -> None:
        """Keys, words and how counts are made."""
        screen = self.screen
        if isinstance(screen, Acting):
            from tokexplorer.tui.screens.help import HelpScreen

            self.push_screen(HelpScreen(screen.TITLE_WORDS, [as_bound(action, self) for action in screen.ACTIONS]))

    def action_theme(self) -> None:
        """The next look."""
        names = list(CYCLE)
        self.theme = names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]


def keys_from_terminal() -> BinaryIO | None:
    """Where standard input is a pipe, read the keys from the terminal itself; returns the pipe, None where there is
    none. InputError where there is no terminal."""
    if sys.stdin is not None and sys.stdin.isatty():
        return None
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError as error:
        raise InputError("the explorer needs a terminal to read keys from") from error
    piped = os.dup(0) if sys.stdin is not None else None
    if terminal:
        os.dup2(terminal, 0)
        os.close(terminal)
    if sys.__stdin__ is None:
        sys.__stdin__ = os.fdopen(0, closefd=False)  # type: ignore[misc]
    return os.fdopen(piped, "rb") if piped is not None else None


def run_explorer(paths: Sequence[str], startup: Startup) -> int:
    """Run the explorer on some files (`-` is standard input) until the user leaves; returns the exit status."""
    piped = keys_from_terminal()
    if STDIN in paths and piped is None:
        raise InputError("standard input is the terminal itself: pipe a text into it (cat text | tokexplorer -)")
    ending = Ending(Keeper())
    return ending.run(ExplorerApp(paths, piped, startup, ending))
