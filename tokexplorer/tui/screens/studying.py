"""From the explorer to the screens that study tokenizers, with what it looks at, and back to a place in the corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tokexplorer.engine.glyphs import show
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.labels import token_text
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.screens.compare import CompareScreen
from tokexplorer.tui.screens.dialogs import ChooseScreen
from tokexplorer.tui.screens.inspect import InspectScreen
from tokexplorer.tui.screens.study import StudyScreen
from tokexplorer.tui.screens.token_page import TokenPageScreen
from tokexplorer.tui.screens.vocabulary import VocabularyScreen
from tokexplorer.tui.shelf import Jump, Scene
from tokexplorer.tui.widgets.merge_log import MergeLog
from tokexplorer.tui.widgets.pair_table import PairTable

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen


def scene_of(explorer: ExplorerScreen) -> Scene:
    """What the explorer looks at now."""
    offset = explorer.tokens_pane.view.cursor_offset if explorer.lens.probe is None else 0
    return Scene(explorer.snapshot, explorer.corpus_text, explorer.lens, offset)


def open_compare(explorer: ExplorerScreen) -> None:
    """Tokenizers beside each other; our own column follows the explorer's step, and can move it."""

    def step(count: int) -> None:
        if explorer.check_action("step" if count > 0 else "back", ()):
            if count > 0:
                explorer.action_step(count)
            else:
                explorer.action_back(-count)

    def make(scene: Scene) -> CompareScreen:
        screen = CompareScreen(explorer.shelf, scene, step)
        screen.watch(explorer, "snapshot", screen.take_snapshot, init=False)
        return screen

    _study(explorer, make)


def open_vocabulary(explorer: ExplorerScreen) -> None:
    """All tokens of the tokenizer that is looked through."""
    _study(explorer, lambda scene: VocabularyScreen(explorer.shelf, scene, explorer.lens.chosen))


def open_inspect(explorer: ExplorerScreen) -> None:
    """One tab for each question about the tokenizer that is looked through."""
    _study(explorer, lambda scene: InspectScreen(explorer.shelf, scene, explorer.lens.chosen))


def open_token_page(explorer: ExplorerScreen) -> None:
    """The page of the token that the present pane's cursor is on; for a pair it is asked which of its tokens."""
    snapshot = explorer.snapshot
    pair = explorer.query_one(PairTable).chosen
    if snapshot is None:
        return
    if explorer.pane == "pairs" and pair is not None:
        _ask_which(explorer, pair.left, pair.right)
    elif explorer.pane == "merges":
        step = explorer.query_one(MergeLog).chosen_step
        if step and snapshot.merging is not None:
            then = replace(snapshot, step=max(step, snapshot.step))
            _show_page(explorer, OWN, explorer.shelf.own(then), snapshot.merges[step - 1].new)
    else:
        token, tokenizer = explorer.tokens_pane.view.token, explorer.tokenizer
        if token is not None and token.id >= 0 and tokenizer is not None:
            own = explorer.shelf.own(snapshot) if explorer.lens.chosen == OWN else tokenizer
            _show_page(explorer, explorer.lens.chosen, own, token.id)


def _ask_which(explorer: ExplorerScreen, left: int, right: int) -> None:
    """Which page of a pair: the left token's, the right one's, or the joined one's in a vocabulary that has it."""
    snapshot = explorer.snapshot
    assert snapshot is not None
    assert snapshot.merging is not None
    own = explorer.shelf.own(snapshot)
    pages: list[tuple[str, Tokenizer, int]] = [(OWN, own, left), (OWN, own, right)]
    rows = [
        ("0", token_text(snapshot.merging, left), f"left, id {left}"),
        ("1", token_text(snapshot.merging, right), f"right, id {right}"),
    ]
    joined = (own.token_bytes(left) or b"") + (own.token_bytes(right) or b"")
    for name, tokenizer in explorer.lens.loaded.items():
        ids = tokenizer.encode(joined).ids
        if len(ids) == 1:
            rows.append((str(len(pages)), show(joined, 40), f"joined, in {name}, id {ids[0]}"))
            pages.append((name, tokenizer, ids[0]))

    def chosen(value: str | None) -> None:
        if value is not None:
            _show_page(explorer, *pages[int(value)])

    hint = "The joined token gets a page of its own once it is merged, and where a loaded tokenizer has it."
    explorer.app.push_screen(ChooseScreen("Whose page", hint, rows), chosen)


def _show_page(explorer: ExplorerScreen, name: str, tokenizer: Tokenizer, token_id: int) -> None:
    _study(explorer, lambda scene: TokenPageScreen(explorer.shelf, scene, name, tokenizer, token_id))


def _study(explorer: ExplorerScreen, make: Callable[[Scene], StudyScreen]) -> None:
    """Push a screen; when it is left, take over what it loaded, and go where it says."""
    explorer.shelf.learn(explorer.lens)

    def came_back(jump: Jump | None) -> None:
        explorer.take_from_shelf()
        if jump is not None:
            lens = explorer.lens
            explorer.lens = replace(lens, chosen=jump.name if jump.name in lens.names else lens.chosen, probe=None)
            explorer.tokens_pane.probing = False
            explorer.action_pane("tokens")
            explorer.tokens_pane.view.go_to(jump.offset)

    explorer.app.push_screen(make(scene_of(explorer)), came_back)
