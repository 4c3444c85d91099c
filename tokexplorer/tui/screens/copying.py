"""What a copy takes in the explorer: the token, the pair or the merge under the cursor, byte for byte."""

from __future__ import annotations

from tokexplorer.tui.screens.keeping import KeepingScreen
from tokexplorer.tui.widgets.merge_log import MergeLog
from tokexplorer.tui.widgets.pair_table import PairTable


def under_cursor(screen: KeepingScreen) -> bytes:
    """The bytes of what the cursor of the present pane is on; nothing where it is on nothing that has any."""
    snapshot, view = screen.snapshot, screen.tokens_pane.view
    history = snapshot.merging if snapshot is not None else None
    if snapshot is not None and history is not None and screen.pane == "pairs":
        pair = screen.query_one(PairTable).chosen
        return history.data(pair.left) + history.data(pair.right) if pair is not None else b""
    if snapshot is not None and history is not None and screen.pane == "merges":
        step = screen.query_one(MergeLog).chosen_step
        return history.data(history.rows[step - 1].new) if 0 < step <= snapshot.known else b""
    token, model = view.token, view.model
    return model.read(token.start, token.end) if token is not None and model is not None else b""
