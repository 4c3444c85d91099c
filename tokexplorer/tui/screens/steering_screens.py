"""From the explorer to the screens of its debugger verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokexplorer.tui.screens.curve import CurveScreen
from tokexplorer.tui.screens.draws import DrawsScreen
from tokexplorer.tui.screens.studying import scene_of
from tokexplorer.tui.screens.why import WhyScreen

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen


def open_why(explorer: ExplorerScreen) -> None:
    """The story of the token under the cursor of the token view."""
    text, tokenizer, token = explorer._looked_at(), explorer.tokenizer, explorer.tokens_pane.view.token
    if text is None or tokenizer is None or token is None:
        loading = text is not None and tokenizer is None
        explorer.say("the tokenizer is still loading" if loading else "there is no token under the cursor")
        return
    explorer.shelf.learn(explorer.lens)

    def travel(step: int) -> None:
        if not explorer.busy:
            explorer._travel(step)

    scene = scene_of(explorer)
    explorer.app.push_screen(WhyScreen(explorer.shelf, scene, tokenizer, text, token.start, travel))


def open_curve(explorer: ExplorerScreen) -> None:
    """The curve of the compression."""
    explorer.shelf.learn(explorer.lens)
    explorer.app.push_screen(CurveScreen(explorer.shelf, scene_of(explorer)))


def open_draws(explorer: ExplorerScreen) -> None:
    """Draws of the probe, or of the chunk under the cursor."""
    explorer.shelf.learn(explorer.lens)
    text = explorer.lens.probe or b""
    token = explorer.tokens_pane.view.token
    if not text and token is not None:
        text = explorer.word_at(token.start)
    explorer.app.push_screen(DrawsScreen(explorer.shelf, scene_of(explorer), text))
