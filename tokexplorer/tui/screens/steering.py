"""The explorer's verbs of a debugger: run until, branches, watched words, another algorithm, merges that fire."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from textual.reactive import reactive

from tokexplorer.engine.algorithms import Algorithm
from tokexplorer.engine.baselines import BaselineRow
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.glyphs import show
from tokexplorer.engine.training import Candidate
from tokexplorer.engine.unigram_training import PieceRow
from tokexplorer.session import Snapshot
from tokexplorer.timeline.branches import Branch
from tokexplorer.timeline.until import Condition
from tokexplorer.tokenizers.trained import TrainedTokenizer
from tokexplorer.tui.labels import NAMES, algorithm_text, name_text
from tokexplorer.tui.screens.loading import LoadingScreen
from tokexplorer.tui.widgets.merge_log import MergeLog
from tokexplorer.tui.widgets.pair_table import PairTable
from tokexplorer.tui.widgets.watch_strip import MOST, WatchStrip
from tokexplorer.tui.working import Reins

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen

REPLAYING = frozenset({"fire", "fired_only"})
"""Actions that only a replay has."""
TRAINING = frozenset({"step", "auto", "run_to_target", "start", "until", "target"})
"""Actions that a baseline has no use for"""
NEEDS_TEXT = frozenset({"export", "until", "branches", "algorithm", "watch", "why", "curve", "draws"})


class SteeringScreen(LoadingScreen):
    """The part of the explorer that steers the session by more than steps. `watched`: the words that are followed."""

    watched: reactive[tuple[str, ...]] = reactive((), repaint=False)
    _end_words: str | None = None
    """what is to be said when the work has ended; None for why it stopped"""
    _tells = False

    @property
    def _explorer(self) -> ExplorerScreen:
        return cast("ExplorerScreen", self)

    def check_verb(self, action: str) -> bool | None:
        """Whether an action can do anything for what is trained."""
        snapshot = self.snapshot
        if action in NEEDS_TEXT | REPLAYING and snapshot is None:
            return None
        if snapshot is None:
            return True
        algorithm = snapshot.settings.algorithm
        if action in REPLAYING and algorithm is not Algorithm.REPLAY:
            return None
        if action in TRAINING and not self._trains(snapshot):
            return None
        if action in ("merge", "branches") and not snapshot.can_choose:
            return None
        return True

    @staticmethod
    def _trains(snapshot: Snapshot) -> bool:
        return snapshot.settings.algorithm not in (Algorithm.CHARACTERS, Algorithm.WORDS)

    def is_idle(self, action_id: str) -> bool:
        """Whether an action has no place in the key bar with the present algorithm."""
        snapshot = self.snapshot
        replays = snapshot is not None and snapshot.settings.algorithm is Algorithm.REPLAY
        return action_id in ("fire", "fired-only") and not replays

    def say_end(self) -> None:
        """Say how the work ended where the user waits for it."""
        words, tells = self._end_words, self._tells
        self._end_words, self._tells = None, False
        snapshot = self.snapshot
        if words is not None:
            self.say(words)
        elif tells and snapshot is not None and snapshot.stop_words:
            self.say(snapshot.stop_words)

    def begin_and_tell(self, label: str, job: Callable[[Reins], Snapshot]) -> None:
        """Start a job whose end is said."""
        if not self.busy:
            self._tells = True
            self.begin(label, job)

    def action_until(self) -> None:
        """Choose what to run until."""
        from tokexplorer.tui.screens.until_dialogs import ask_until

        ask_until(self._explorer)

    def run_until(self, condition: Condition) -> None:
        """Run until a condition is met, and say that it is."""

        def run(reins: Reins) -> Snapshot:
            return self.session.run_until(condition, reins.should_stop, reins.on_snapshot, reins.on_progress)

        self.begin_and_tell(f"running until {condition.words}", run)

    def action_fire(self) -> None:
        """Run to the next merge of the list that replaces something."""
        self.begin_and_tell(
            "looking for a merge that fires", lambda reins: self.session.fire(reins.should_stop, reins.on_snapshot)
        )

    def action_fired_only(self) -> None:
        """List only the merges that replaced something, or all."""
        log = self.query_one(MergeLog)
        log.fired_only = not log.fired_only
        if self.snapshot is not None:
            self._word_panes(self.snapshot)

    def action_algorithm(self) -> None:
        """Choose an algorithm."""
        from tokexplorer.tui.screens import settings_dialogs

        settings_dialogs.ask(self._explorer, "algorithm")

    def choose_algorithm(self, algorithm: Algorithm, replay: str | None = None) -> None:
        """Take another algorithm in the worker, and say what was reset."""
        before = self.session.settings
        if algorithm is before.algorithm and (replay is None or replay == before.replay):
            return
        if replay is not None and replay in self.lens.loaded:
            self.session.replays.learn(replay, self.lens.loaded[replay])

        def choose(reins: Reins) -> Snapshot:
            snapshot = self.session.choose(algorithm, replay, reins.on_progress, reins.should_stop)
            after = snapshot.settings
            name = algorithm_text(after) if algorithm is Algorithm.REPLAY else NAMES[algorithm]
            words = [f"{name}: the text stays open, the training starts afresh"]
            if after.split != before.split:
                words.append(f"split {name_text(after.split, 24)}")
            if len(after.alphabets) > 0 and after.alphabet is not before.alphabet:
                words.append(f"from {after.alphabet.value}")
            self._end_words = "; ".join(words)
            return snapshot

        self.begin("preparing", choose)

    def places_of_row(self, table: PairTable) -> tuple[int, ...]:
        """What the row under the cursor of a table stands for in the text: two ids of a pair, one id of a piece."""
        row, snapshot = table.chosen_row, self.snapshot
        if isinstance(row, Candidate):
            return row.left, row.right
        if isinstance(row, BaselineRow):
            return (row.id,)
        tokenizer = snapshot.tokenizer() if snapshot is not None else None
        if isinstance(row, PieceRow) and isinstance(tokenizer, TrainedTokenizer):
            found = getattr(tokenizer.encoder, "ids", {}).get(row.text)
            return () if found is None else (found,)
        return ()

    def action_branches(self) -> None:
        """List the branches."""
        from tokexplorer.tui.screens.branches import BranchesScreen

        snapshot = self.snapshot
        if snapshot is None:
            return

        def chosen(branch: Branch | None) -> None:
            if branch is not None:
                self.enter_branch(branch)

        self.app.push_screen(BranchesScreen(snapshot, self._drop), chosen)

    def _drop(self, branch: Branch) -> Snapshot:
        snapshot = self.session.drop(branch)
        self._explorer._take(snapshot)
        return snapshot

    def enter_branch(self, branch: Branch) -> None:
        """Return to a branch in the worker."""
        if self.snapshot is not None and branch.name == self.snapshot.branch:
            return
        self.begin_and_tell(
            f"returning to {branch.title}",
            lambda reins: self.session.enter(branch, reins.on_progress, reins.should_stop),
        )

    def action_watch(self) -> None:
        """Ask for a word to watch, or to watch no longer."""
        from tokexplorer.tui.screens.dialogs import AskScreen

        token = self.tokens_pane.view.token
        text = self.word_at(token.start).decode("utf-8", "surrogateescape") if token is not None else ""
        hint = "A word that is watched already is taken away; an empty line takes all away. Spaces count."
        if self.watched:
            hint += f" Watched now: {', '.join(show(word, 20) for word in self.watched)}."
        self.app.push_screen(AskScreen("Watch a word", hint, text, self._check_watch), self._watch)

    def _check_watch(self, text: str) -> None:
        if text and text not in self.watched and len(self.watched) >= MOST:
            raise UsageError(f"{MOST} words are watched: type one of them to take it away")
        if len(text) > 200:
            raise UsageError("a watched word has at most 200 characters")

    def _watch(self, text: str | None) -> None:
        if text is None:
            return
        if not text:
            self.watched = ()
        elif text in self.watched:
            self.watched = tuple(word for word in self.watched if word != text)
        else:
            self.watched = (*self.watched, text)

    def watch_watched(self) -> None:
        """Show the strip of watched words in the token pane; it is made for the first one."""
        if self.watched and self.is_mounted and not self.query(WatchStrip):
            strip = WatchStrip().data_bind(SteeringScreen.snapshot, SteeringScreen.watched)
            self.tokens_pane.mount(strip, before="#detail")

    def word_at(self, offset: int) -> bytes:
        """The chunk of the text that is looked at which holds a byte; empty where there is none."""
        from tokexplorer.tui.places import chunk_at

        text, tokenizer = self._looked_at(), self.tokenizer
        if text is None or tokenizer is None:
            return b""
        return chunk_at(text, tokenizer, offset).data

    def action_why(self) -> None:
        """Tell the story of the token under the cursor."""
        from tokexplorer.tui.screens import steering_screens

        steering_screens.open_why(self._explorer)

    def action_curve(self) -> None:
        """Show how the compression grows."""
        from tokexplorer.tui.screens import steering_screens

        steering_screens.open_curve(self._explorer)

    def action_draws(self) -> None:
        """Draw other segmentations."""
        from tokexplorer.tui.screens import steering_screens

        steering_screens.open_draws(self._explorer)
