"""The arrangement of the explorer's panes: which one is present, folding on small terminals, zoom, titles."""

from __future__ import annotations

from collections.abc import Mapping

from textual.dom import DOMNode
from textual.reactive import Reactive, reactive
from textual.widget import Widget

from tokexplorer.engine.algorithms import Algorithm
from tokexplorer.session import Snapshot
from tokexplorer.tui.log_rows import log_count, log_name
from tokexplorer.tui.pair_rows import rows_for
from tokexplorer.tui.screens.looking import LookingScreen
from tokexplorer.tui.widgets.merge_log import MergeLog
from tokexplorer.tui.widgets.pair_table import PairOrder, PairTable
from tokexplorer.tui.widgets.titled import Titled

PANES = ("corpus", "pairs", "merges", "tokens")
NAMES = {"corpus": "1 Corpus", "pairs": "2 Pairs", "merges": "3 Merges"}


def _reclass(node: DOMNode, classes: Mapping[str, bool]) -> bool:
    """Give a node other classes, without looking up its styles yet: that goes through all that is in it, and takes most
    of the time of turning to another pane. Whether they are others."""
    before = node.classes
    node.update_classes(classes, update=False)
    return node.classes != before


class ArrangingScreen(LookingScreen):
    """Below 100 columns or 30 rows the upper panes become tabs; below 56 columns or 18 rows one pane is in sight."""

    pane: reactive[str] = reactive("tokens", repaint=False)
    zoomed: reactive[bool] = reactive(False, repaint=False)
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """as every screen's, but the screen is not painted anew as a whole when the focus moves"""

    _upper = "pairs"
    _names = NAMES
    _tabs = NAMES

    def _word_panes(self, snapshot: Snapshot) -> None:
        pairs, log = self.query_one(PairTable), self.query_one(MergeLog)
        order = "" if pairs.order is PairOrder.COUNT else f" · by {pairs.order.value}"
        query = f" · /{pairs.query_text}" if pairs.query_text else ""
        self._tabs = {
            "corpus": NAMES["corpus"],
            "pairs": f"2 {rows_for(snapshot).name}",
            "merges": f"3 {log_name(snapshot)}",
        }
        self._names = {
            "corpus": NAMES["corpus"],
            "pairs": f"{self._tabs['pairs']} · {snapshot.row_total:,}{order}{query}",
            "merges": f"{self._tabs['merges']} · {log_count(snapshot, log.fired_only)}",
        }
        self.set_class(snapshot.settings.algorithm is Algorithm.WORDPIECE, "-scored")
        self._word_tabs()

    def _word_tabs(self) -> None:
        folded = self.has_class("-folded")
        for name in PANES[:3]:
            title = self._names[name]
            if folded:
                title = "  ".join(f"▸{self._names[p]}" if p == name else self._tabs[p] for p in PANES[:3])
            self.query_one(f"#{name}", Titled).retitle(title)

    def action_pane(self, name: str) -> None:
        """Go to a pane."""
        self.pane = name
        target: Widget = self.tokens_pane.view if name == "tokens" else self.query_one(f"#{name}")
        target.focus()

    def action_next_pane(self, direction: int) -> None:
        """Go to the next pane, or the one before."""
        self.action_pane(PANES[(PANES.index(self.pane) + direction) % len(PANES)])

    def action_zoom(self) -> None:
        """Give the pane the whole screen, or take it back."""
        self.zoomed = not self.zoomed

    def on_descendant_focus(self) -> None:
        """The pane with the focus is the present one."""
        focused = self.focused
        if focused is None:
            return
        for name in PANES:
            pane = self.query_one(f"#{name}")
            if pane is focused or pane in focused.ancestors:
                self.pane = name

    def watch_pane(self) -> None:
        """Show the present pane where the layout is folded."""
        self._arrange()

    def watch_zoomed(self) -> None:
        """Make room, or give it back."""
        self._arrange()

    def on_resize(self) -> None:
        """Fold the layout where the terminal is small."""
        self._arrange()

    def _arrange(self) -> None:
        if not self.is_mounted:
            return
        width, height = self.room
        folded, single = width < 100 or height < 30, width < 56 or height < 18 or self.zoomed
        upper = self.pane if self.pane != "tokens" else self._upper
        self._upper = upper
        turned = _reclass(self, {"-folded": folded, "-single": single})
        changed = [
            part
            for name in PANES
            if _reclass(part := self.query_one(f"#{name}"), {"-shown": name == (self.pane if single else upper)})
        ]
        row = self.query_one("#upper")
        if _reclass(row, {"-shown": self.pane != "tokens"}):
            changed.append(row)
        if turned:
            self.update_node_styles()
        elif folded or single:
            for part in changed:
                part.update_node_styles()
        self._word_tabs()
        self._word_title()
