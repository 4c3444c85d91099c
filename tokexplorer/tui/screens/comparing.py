"""What the compare screen compares: the text, the tokenizers of the columns, and when what is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from textual.reactive import reactive

from tokexplorer.analysis.comparison import Comparison
from tokexplorer.engine.glyphs import safe
from tokexplorer.session import Snapshot
from tokexplorer.texts import Text, TokenizedText
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tui.compared import ComparedText, compare_text, figures
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.screens.compare_sheet import agreement_text, sheet
from tokexplorer.tui.screens.study import Hold, StudyScreen
from tokexplorer.tui.shelf import Scene, Shelf, title_of
from tokexplorer.tui.token_models import MarkedText
from tokexplorer.tui.widgets.compare_column import AgreementLines, CompareColumn
from tokexplorer.tui.widgets.page_list import PageList

AT_ONCE: Final = 8192
"""Bytes of text up to which a comparison is made at once, as a probe is typed."""
CALM: Final = 1 << 18
"""Bytes of text up to which a column waits for its marks before it changes, so that it changes once."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is compared."""

    text: Text
    tokenizers: tuple[Tokenizer, ...]
    special: SpecialMode


class ComparingScreen(StudyScreen):
    """The columns show one Job at a time; the comparison of a large text comes later than its tokens. The half with the
    keys is `CompareScreen`."""

    snapshot: reactive[Snapshot | None] = reactive(None, repaint=False)
    names: reactive[tuple[str, ...]] = reactive((), repaint=False)
    special: reactive[SpecialMode] = reactive(SpecialMode.TEXT, repaint=False)
    probing: reactive[bool] = reactive(False, repaint=False)
    marked: reactive[bool] = reactive(True, repaint=False)

    def __init__(self, shelf: Shelf, scene: Scene) -> None:
        super().__init__(shelf, scene)
        self.probe = scene.lens.probe or b""
        self.comparison: Comparison | None = None
        self.begun = False
        self._job_shown: Job | None = None
        self._job_asked: Job | None = None
        self._kept: tuple[Job, Comparison] | None = None
        self._stale = False
        self._probe_text: Text | None = None
        self.set_reactive(ComparingScreen.snapshot, scene.snapshot)
        self.set_reactive(ComparingScreen.special, scene.lens.special)

    def word(self) -> None:
        """Word what is shown."""
        raise NotImplementedError

    def tell_tokens(self) -> None:
        """Tell of the tokens under the cursors."""
        raise NotImplementedError

    def fold(self) -> None:
        """Lay the columns out as the terminal allows."""
        raise NotImplementedError

    @property
    def columns(self) -> list[CompareColumn]:
        """The columns in use."""
        return list(self.query(CompareColumn))[: len(self.names)]

    @property
    def column(self) -> int:
        """The number of the column with the focus, or that had it last."""
        for number, column in enumerate(self.columns):
            if column.view.has_focus:
                self._last_column = number
        return min(self._last_column, len(self.names) - 1)

    _last_column = 0

    @property
    def text(self) -> Text:
        """What is compared on: the probe, or the corpus."""
        if self.probing or self.scene.text is None:
            if self._probe_text is None or self._probe_text.read(0, self._probe_text.size) != self.probe:
                self._probe_text = Text.of("probe", self.probe)
            return self._probe_text
        return self.scene.text

    def take_snapshot(self, snapshot: Snapshot | None) -> None:
        """The explorer has come to another step: our own column follows."""
        self.snapshot = snapshot

    def watch_snapshot(self) -> None:
        """Show our own merges at the new step."""
        if self.begun and OWN in self.names:
            self.look(patient=True)

    def watch_names(self) -> None:
        """Other columns: load what is not ready."""
        if not self.begun:
            return
        self.shelf.choices["compare"] = self.names
        self.comparison = None
        for number, column in enumerate(self.query(CompareColumn)):
            column.set_class(number < len(self.names), "-used")
        self.fold()
        for name in self.names:
            if self.shelf.ready(name, self.snapshot) is None:
                self.with_tokenizer(name, lambda _: self.look(), slot=f"loading {name}")
        self.look()

    def watch_special(self) -> None:
        """The other mode."""
        if self.begun:
            self.look()

    def watch_marked(self) -> None:
        """Marks on or off."""
        if self._job_shown is not None:
            self._show(self._job_shown, self.comparison)

    def look(self, patient: bool = False) -> None:
        """Show the present text through the present tokenizers; `patient`: not before a running comparison ends."""
        found = [self.shelf.ready(name, self.snapshot) for name in self.names]
        ready = tuple(tokenizer for tokenizer in found if tokenizer is not None)
        self.word()
        if len(ready) < len(found):
            self._show_ready(found)
            return
        job = Job(self.text, ready, self.special)
        if job == self._job_asked:
            return
        if patient and self.working("compare"):
            self._stale = True
            return
        self._job_asked = job
        kept = self._kept
        if kept is not None and kept[0] == job:
            self.withdraw("compare")
            self._show(job, kept[1])
            return
        if job.text.size <= AT_ONCE:
            self.withdraw("compare")
            self._show(job, compare_text(job.text, job.tokenizers, job.special))
            return
        shown = self._job_shown
        if shown is None or shown.text is not job.text or job.text.size > CALM:
            self._show(job, None)
        self.submit("compare", "comparing", lambda hold: self._compare(job, hold), lambda found: self._show(job, found))

    @staticmethod
    def _compare(job: Job, hold: Hold) -> Comparison:
        return compare_text(job.text, job.tokenizers, job.special, hold.on_progress, hold.should_stop)

    def _show_ready(self, found: Sequence[Tokenizer | None]) -> None:
        """Some tokenizers are still loading: show the others."""
        self._job_shown = self._job_asked = self.comparison = None
        for column, tokenizer in zip(self.columns, found, strict=True):
            column.show(None if tokenizer is None else self._model(self.text, tokenizer, self.special))
            column.tell(())
        pairs = combinations(self.short_titles(12), 2)
        self.query_one(AgreementLines).pairs = tuple((f"{a} → {b}", "…", "") for a, b in pairs)
        self.align()
        self.tell_tokens()

    def _model(self, text: Text, tokenizer: Tokenizer, special: SpecialMode) -> ComparedText:
        """Tokens without marks; those that are on screen already are used again."""
        for column in self.query(CompareColumn):
            model = column.view.model
            if isinstance(model, ComparedText):
                own = model.inner.tokenized
                if own.text is text and own.tokenizer is tokenizer and own.special is special:
                    return ComparedText(model.inner, None)
        return ComparedText(MarkedText(TokenizedText(text, tokenizer, special)), None)

    def _show(self, job: Job, comparison: Comparison | None) -> None:
        """Show a job, with its comparison where there is one; that of the corpus is kept for the way back."""
        if comparison is not None and job.text is self.scene.text:
            self._kept = (job, comparison)
        self._job_shown, self.comparison = job, comparison
        for number, (column, tokenizer) in enumerate(zip(self.columns, job.tokenizers, strict=True)):
            model = self._model(job.text, tokenizer, job.special)
            model.comparison = comparison if self.marked else None
            column.show(model)
            if comparison is not None:
                column.tell([(f.label, f.value, f.best) for f in figures(comparison, number)])
        self.align()
        if comparison is not None:
            self.query_one(AgreementLines).pairs = agreement_text(comparison, self.short_titles(12))
            self.query_one("#sheet", PageList).fill(lambda width: sheet(comparison, self.short_titles(14)))
        self.word()
        if self._stale and comparison is not None:
            self._stale = False
            self.look(patient=True)

    def short_titles(self, room: int) -> list[str]:
        """The columns' names."""
        titles = [title_of(name, self.shelf.ready(name, self.snapshot), 0) for name in self.names]
        return [safe(title.removesuffix("_base"), room) for title in titles]

    def align(self) -> None:
        """All columns look where the one with the focus looks."""
        columns = self.columns
        first = columns[self.column].view
        for column in columns:
            if column.view is not first:
                column.view.follow(first.top_offset, first.cursor_offset)
