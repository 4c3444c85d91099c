"""The explorer: four panes over one session. Holds what is shown as reactives; panes answer with messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import BinaryIO, ClassVar, Final, Literal, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, TextArea

from tokexplorer.engine.glyphs import safe
from tokexplorer.session import Session, Snapshot
from tokexplorer.travel import FORMS, parse_step
from tokexplorer.tui.actions import EXPLORER, as_bound, bindings
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.messages import Failed, Finished, Progressed, SnapshotTaken
from tokexplorer.tui.pacing import Pace
from tokexplorer.tui.screens import settings_dialogs
from tokexplorer.tui.screens.copying import under_cursor
from tokexplorer.tui.screens.dialogs import AskScreen
from tokexplorer.tui.screens.guided import GuidedScreen
from tokexplorer.tui.screens.loading import TOKENIZERS
from tokexplorer.tui.screens.looking import LookingScreen
from tokexplorer.tui.steady import SteadyApp
from tokexplorer.tui.widgets.corpus_pane import CorpusPane
from tokexplorer.tui.widgets.key_bar import KeyBar
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.merge_log import MergeLog
from tokexplorer.tui.widgets.pair_table import PairOrder, PairTable
from tokexplorer.tui.widgets.question_bar import QuestionBar
from tokexplorer.tui.widgets.status_bar import StatusBar
from tokexplorer.tui.widgets.token_pane import TokenPane
from tokexplorer.tui.working import Reins

FAR = 1 << 30
"""A step that no training reaches."""
LOAD_AHEAD = 2.0
"""Seconds after the first screen at which the screens that study tokenizers are loaded in the background."""
DISTURBING = frozenset(action.name.partition("(")[0] for action in EXPLORER if action.disturbs)


FIELD_HINTS: Final = (
    ("esc", "leaves the field; till then letters are typed", "screen.pause", 99, True),
    ("^q", "quit", "app.quit", 98, True),
)


class ExplorerScreen(GuidedScreen):
    """Steps, runs, rewinds; everything on screen stays in step with one snapshot."""

    ACTIONS = EXPLORER
    TITLE_WORDS = "tokexplorer"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(EXPLORER)]
    AUTO_FOCUS = "#tokens TokenView"

    def __init__(self, session: Session, paths: Sequence[str] = (), piped: BinaryIO | None = None) -> None:
        super().__init__(session, paths, piped)
        self._pace: Pace | None = None

    def compose(self) -> ComposeResult:
        """Status, three panes, tokens, keys."""
        yield StatusBar().data_bind(ExplorerScreen.snapshot, ExplorerScreen.busy, ExplorerScreen.progress)
        with Horizontal(id="upper"):
            yield CorpusPane(id="corpus").data_bind(ExplorerScreen.snapshot, ExplorerScreen.choices)
            yield PairTable(id="pairs").data_bind(ExplorerScreen.snapshot)
            yield MergeLog(id="merges").data_bind(ExplorerScreen.snapshot)
        yield TokenPane(id="tokens")
        yield QuestionBar()
        yield KeyBar()

    def on_mount(self) -> None:
        """Open what was asked for; load what other screens need while nobody waits for it."""
        self._arrange()
        self.open_first()
        self.set_timer(LOAD_AHEAD, lambda: self.run_worker(self._load_ahead, thread=True, group="ahead"))

    def say(self, words: str, severity: str = "information") -> None:
        """Tell the user one line."""
        level = cast(Literal["information", "warning", "error"], severity)
        self.notify(safe(words), severity=level, markup=False)

    def watch_snapshot(self) -> None:
        """Everything follows the new moment."""
        snapshot = self.snapshot
        if snapshot is None or not self.is_mounted:
            return
        self.look()
        self._word_panes(snapshot)
        self._show_keys()

    def watch_busy(self) -> None:
        """A worker has taken the session, or given it back."""
        self._show_keys()
        self.refresh_bindings()

    def _show_keys(self) -> None:
        if not self.is_mounted:
            return
        hints = []
        if isinstance(self.focused, Input | TextArea):
            self.query_one(KeyBar).hints = (*FIELD_HINTS,)
            return
        for action in EXPLORER:
            if action.weight and not self.is_idle(action.id):
                label = "pause" if action.id == "auto" and self.busy else action.label
                name = action.name.partition("(")[0]
                enabled = bool(self.check_action(name, ()))
                key = as_bound(action, self.app).key_shown
                hints.append((key, label, action.target, action.weight, enabled))
        self.query_one(KeyBar).hints = tuple(hints)

    def on_descendant_focus(self) -> None:
        """In a field the letters are typed: the key bar says how to leave it."""
        self._show_keys()

    def on_descendant_blur(self) -> None:
        """The letters are keys again."""
        self._show_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Grey what would disturb the worker, or cannot do anything now."""
        if action in DISTURBING and self.busy:
            return None
        snapshot = self.snapshot
        if action in ("step", "back", "goto", "run_to_target", "start", "merge", "auto", "target", "settings"):
            if snapshot is None:
                return None
            if action in ("back", "start") and not snapshot.step:
                return None
        return self.check_verb(action)

    def on_snapshot_taken(self, event: SnapshotTaken) -> None:
        """A run has come further."""
        if self.busy:
            self._take(event.snapshot)
            if self._pace is not None:
                self.busy = f"running, {self._pace.words}"

    def _take(self, snapshot: Snapshot) -> None:
        if self.lookup is not None:
            self.set_reactive(LookingScreen.lookup, None)
        if not self.busy:
            self.keeper.saw(snapshot)
        self.snapshot = snapshot

    def on_progressed(self, event: Progressed) -> None:
        """So much is done."""
        if self.busy:
            self.progress = (event.done, event.total)

    def on_finished(self, event: Finished) -> None:
        """The session is ours again."""
        self.busy = ""
        self._pace = None
        if event.snapshot is not None:
            opened = self.snapshot is None or event.snapshot.corpus is not self.snapshot.corpus
            self._take(event.snapshot)
            if opened:
                self.remember_opened(event.snapshot)
                self._welcome(event.snapshot)
        self.say_end()

    def _welcome(self, snapshot: Snapshot) -> None:
        if not snapshot.corpus.stats.bytes:
            self.say(f"{snapshot.corpus.documents[0].name} is empty: there is nothing to merge", "warning")
        self.tokens_pane.view.go_to(0)

    def on_failed(self, event: Failed) -> None:
        """The session is ours again, as it was before."""
        self.busy = ""
        self._pace = None
        self.say(event.reason, "error")
        if self.session.documents:
            self._take(self.session.snapshot())
        else:
            self.tokens_pane.view.empty = f"{safe(event.reason)}: press o to open a text"
            self.tokens_pane.view.repaint()

    def action_step(self, count: int) -> None:
        """Make merges."""
        if self.snapshot is not None and self.snapshot.slow_steps:
            self.begin("pruning", lambda reins: self.session.step(count, reins.should_stop, reins.on_progress))
            return
        self._take(self.session.step(count))
        self._say_stop()

    def _say_stop(self) -> None:
        snapshot = self.snapshot
        if snapshot is not None and snapshot.stop is not None:
            self.say(snapshot.stop_words)

    def action_back(self, count: int) -> None:
        """Undo merges."""
        self._take(self.session.back(count))

    def action_auto(self) -> None:
        """Run by itself, or pause."""
        if self.busy:
            self.halt()
            return
        self._pace = pace = Pace()
        self.begin(f"running, {pace.words}", lambda reins: self._run(pace, reins))

    def _run(self, pace: Pace | None, reins: Reins) -> Snapshot:
        """Run to the target, or beyond it until no pair is left where it has been reached."""
        beyond = self.session.trainer.step_count >= self.session.target_step
        until = FAR if beyond else None
        return self.session.run(until, reins.should_stop, reins.on_snapshot, pace, reins.on_progress)

    def action_speed(self, direction: int) -> None:
        """Double or halve the speed of the run."""
        if self._pace is not None:
            self._pace.change(direction)
            self.busy = f"running, {self._pace.words}"

    def action_run_to_target(self) -> None:
        """Run to the target at full speed."""
        if self.session.trainer.step_count >= self.session.target_step:
            rounds = self.snapshot is not None and self.snapshot.slow_steps
            self.say("the target is reached: n sets another" + ("" if rounds else ", a runs on"))
            return
        self.begin("running", lambda reins: self._run(None, reins))

    def action_start(self) -> None:
        """Travel to step 0."""
        self._travel(0)

    def _travel(self, step: int) -> None:
        unit = self.snapshot.history.unit if self.snapshot is not None else "step"
        self.begin(
            f"travelling to {unit} {step:,}",
            lambda reins: self.session.goto(step, reins.should_stop, reins.on_snapshot, reins.on_progress),
        )

    def action_goto(self) -> None:
        """Ask for a step and travel there."""
        snapshot = self.snapshot
        if snapshot is None:
            return
        hint = f"{FORMS}. Now at step {snapshot.step:,} of {snapshot.target_step:,}; {snapshot.known:,} are known."

        def go(answer: str | None) -> None:
            if answer is not None and self.snapshot is not None:
                self._travel(parse_step(answer, self.snapshot))

        self.app.push_screen(AskScreen("Go to step", hint, check=lambda text: parse_step(text, snapshot)), go)

    def action_merge(self) -> None:
        """Merge the chosen pair."""
        pair = self.query_one(PairTable).chosen
        if pair is not None:
            self.try_words(lambda: self._take(self.session.merge(pair.left, pair.right)))

    def action_tokenizer(self, direction: int) -> None:
        """Turn to another tokenizer."""
        self.lens = self.lens.turned(direction)

    def action_special(self) -> None:
        """Special strings as tokens, or as text."""
        self.lens = self.lens.with_other_mode()

    def action_probe(self) -> None:
        """Type a probe, or go back to the corpus."""
        if self.lens.probe is not None:
            self.tokens_pane.probing = False
            self.lens = replace(self.lens, probe=None)
            return
        text = self.tokens_pane.probe_text
        self.pane = "tokens"
        self.lens = replace(self.lens, probe=text.encode("utf-8", "surrogateescape"))
        self.tokens_pane.probing = True

    def action_pause(self) -> None:
        """Stop, or leave what was entered last."""
        if self.busy:
            self.halt()
        elif self.tokens_pane.probing:
            self.tokens_pane.probing = False
        elif self.zoomed:
            self.zoomed = False
        elif self.lookup is not None:
            self.lookup = None
        elif not self.hide_lesson() and self.question is not None:
            self.decline()

    def action_ids(self) -> None:
        """Ids instead of text."""
        self.tokens_pane.view.ids = not self.tokens_pane.view.ids

    def action_group(self) -> None:
        """Join the parts of characters."""
        self.tokens_pane.view.group = not self.tokens_pane.view.group

    def action_chunks(self) -> None:
        """Show the borders of chunks."""
        self.tokens_pane.view.chunks = not self.tokens_pane.view.chunks

    def action_mark(self, direction: int) -> None:
        """Go to another marked place."""
        if not self.tokens_pane.view.find_next_mark(direction > 0):
            self.say("no marked place there")

    def action_sort(self) -> None:
        """Sort the pairs in another way."""
        table = self.query_one(PairTable)
        orders = list(PairOrder)
        table.order = orders[(orders.index(table.order) + 1) % len(orders)]
        if self.snapshot is not None:
            self._word_panes(self.snapshot)

    def action_settings(self) -> None:
        """Choose what to change."""
        settings_dialogs.ask(self, "")

    def action_target(self) -> None:
        """Set the target."""
        settings_dialogs.ask(self, "target")

    def action_search(self) -> None:
        """Search in the pane."""
        settings_dialogs.ask_search(self)

    def search(self, text: str) -> None:
        """Find a text in the present pane: pairs are narrowed to it, elsewhere the cursor goes to the next place."""
        self.last_search = text
        if self.pane == "pairs":
            settings_dialogs.pairs_query(self, text)
            if self.snapshot is not None:
                self._word_panes(self.snapshot)
        elif text and not (self._search_merges(text) if self.pane == "merges" else self._search_text(text)):
            self.say(f"{text} was not found")

    def _search_merges(self, text: str) -> bool:
        log = self.query_one(MergeLog)
        found = log.find(settings_dialogs.shown_query(text))
        if found is not None:
            log.move_cursor(found)
        return found is not None

    def _search_text(self, text: str) -> bool:
        looked_at = self._looked_at()
        if looked_at is None:
            return False
        found = looked_at.find(text.encode("utf-8", "surrogateescape"), self.tokens_pane.view.cursor_offset + 1)
        if found is not None:
            self.tokens_pane.view.go_to(found)
        return found is not None

    last_search = ""

    @staticmethod
    def _studying() -> ModuleType:
        """The screens that study tokenizers load when one is first opened, not with the first screen."""
        from tokexplorer.tui.screens import studying

        return studying

    def _load_ahead(self) -> None:
        """Load what lasts."""
        self._studying()
        if isinstance(self.app, SteadyApp):
            self.app.loaded()

    def action_compare(self) -> None:
        """Tokenizers side by side."""
        self._studying().open_compare(self)

    def action_vocabulary(self) -> None:
        """All tokens of the tokenizer."""
        self._studying().open_vocabulary(self)

    def action_inspect(self) -> None:
        """One tab for each question about the tokenizer."""
        self._studying().open_inspect(self)

    def action_token_page(self) -> None:
        """The page of the token that the cursor is on."""
        self._studying().open_token_page(self)

    def on_token_view_token_selected(self) -> None:
        """Enter in the token view: the token's page."""
        self._studying().open_token_page(self)

    def action_copy(self) -> None:
        """Copy the token, the pair or the merge under the cursor."""
        data = under_cursor(self)
        if data:
            self.app.copy_to_clipboard(data.decode("utf-8", "surrogateescape"))
        else:
            self.say("there is nothing to copy here")

    def on_corpus_pane_text_chosen(self, event: CorpusPane.TextChosen) -> None:
        """Open what was chosen."""
        if event.choice.group == TOKENIZERS:
            self.choose_loaded(event.choice.name)
        elif not self.busy:
            self.open_paths(event.choice.paths)

    def on_corpus_pane_setting_chosen(self, event: CorpusPane.SettingChosen) -> None:
        """Ask for the setting."""
        if not self.busy:
            settings_dialogs.ask(self, event.setting)

    def on_line_view_selected(self, event: LineView.Selected) -> None:
        """Enter in the merge log travels; in the pair table it marks the pair's places."""
        if isinstance(event.view, MergeLog):
            step = event.view.step_at(event.index)
            if not self.busy and step is not None:
                self._travel(step)
        elif isinstance(event.view, PairTable):
            self._look_up(event.view)

    def _look_up(self, table: PairTable) -> None:
        places = self.places_of_row(table)
        if not places:
            return
        if self.lens.chosen != OWN:
            self.lens = replace(self.lens, chosen=OWN)
        self.lookup = places
        if not self.tokens_pane.view.find_next_mark(True):
            self.say("no place after the cursor; [ searches back")
