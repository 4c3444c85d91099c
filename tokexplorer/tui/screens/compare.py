"""Two to four tokenizers beside each other on one text, scrolled together; where they cut differently is marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.reactive import reactive
from textual.widgets import TextArea

from tokexplorer.analysis.comparison import Comparison
from tokexplorer.engine.glyphs import clip, safe, show
from tokexplorer.session import Snapshot
from tokexplorer.texts import Text, TokenizedText
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tui.actions import Action, bindings
from tokexplorer.tui.compared import MOST_BYTES, ComparedText, compare_text, figures
from tokexplorer.tui.labels import name_text, size_text
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.screens.compare_sheet import agreement_text, sheet
from tokexplorer.tui.screens.study import Hold, StudyScreen
from tokexplorer.tui.shelf import CHARACTERS, Scene, Shelf, title_of
from tokexplorer.tui.study_actions import COMPARE
from tokexplorer.tui.token_models import MarkedText
from tokexplorer.tui.widgets.compare_column import AgreementLines, CompareColumn, ComparedView, Figures
from tokexplorer.tui.widgets.key_bar import KeyBar
from tokexplorer.tui.widgets.page_list import PageList
from tokexplorer.tui.widgets.study_bar import StudyBar
from tokexplorer.tui.widgets.token_view import TokenView

USUAL: Final[tuple[str, ...]] = (OWN, "gpt2", "cl100k_base", "o200k_base")
"""Columns to begin with; the first ones where the terminal is narrow."""
FEWEST: Final = 2
MOST: Final = 4
AT_ONCE: Final = 8192
"""Bytes of text up to which a comparison is made at once, as a probe is typed."""
CALM: Final = 1 << 18
"""Bytes of text up to which a column waits for its marks before it changes, so that it changes once."""
NARROWEST: Final = 26
"""Cells of a column below which columns are stacked."""
LEAST_LINES: Final = 4
"""Lines of a stacked column below which only one column is shown."""
LOW: Final = 30
"""Lines of the terminal below which figures stand in two columns."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is compared."""

    text: Text
    tokenizers: tuple[Tokenizer, ...]
    special: SpecialMode


class CompareScreen(StudyScreen):
    """The columns show one Job at a time; a comparison of a large text comes later than its tokens."""

    ACTIONS = COMPARE
    TITLE_WORDS = "Compare"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(COMPARE)]
    AUTO_FOCUS = ""
    CSS = """
    CompareScreen {
        & #columns { height: 1fr; layout: horizontal; }
        & CompareColumn {
            border: round $border; border-title-color: $foreground 70%; border-subtitle-color: $foreground 70%;
            border-title-background: transparent; display: none;
        }
        & CompareColumn.-used { display: block; }
        & CompareColumn:focus-within { border: round $accent; border-title-color: $accent; border-title-style: bold; }
        & #probe { height: 5; display: none; border: tall $border; padding: 0; }
        &.-probing #probe { display: block; }
        &.-low #probe { height: 4; }
        & #sheet { display: none; border: round $border; }
        & #sheet:focus { border: round $accent; }
        &.-sheet #columns, &.-sheet AgreementLines { display: none; }
        &.-sheet #sheet { display: block; }
        &.-stacked #columns { layout: vertical; }
        &.-stacked CompareColumn { height: 1fr; width: 100%; }
        &.-stacked Figures, &.-stacked AgreementLines { display: none; }
        &.-alone CompareColumn { display: none; }
        &.-alone CompareColumn.-front { display: block; }
    }
    """

    snapshot: reactive[Snapshot | None] = reactive(None, repaint=False)
    names: reactive[tuple[str, ...]] = reactive((), repaint=False)
    special: reactive[SpecialMode] = reactive(SpecialMode.TEXT, repaint=False)
    probing: reactive[bool] = reactive(False, repaint=False)
    marked: reactive[bool] = reactive(True, repaint=False)

    def __init__(self, shelf: Shelf, scene: Scene, step: Callable[[int], None] | None = None) -> None:
        """`step` makes so many merges of our own (negative: undoes them); the new snapshot then comes back."""
        super().__init__(shelf, scene)
        self._step = step
        self._probe = scene.lens.probe or b""
        self._job_shown: Job | None = None
        self._job_asked: Job | None = None
        self._comparison: Comparison | None = None
        self._kept: tuple[Job, Comparison] | None = None
        self._stale = self._begun = False
        self._probe_text: Text | None = None
        self.set_reactive(CompareScreen.snapshot, scene.snapshot)
        self.set_reactive(CompareScreen.special, scene.lens.special)

    def compose(self) -> ComposeResult:
        """The probe field, the columns, their agreement, the sheet of all figures."""
        yield StudyBar()
        probe = self._probe.decode("utf-8", "replace")
        yield TextArea(probe, id="probe", show_line_numbers=False, tab_behavior="focus")
        with Container(id="columns"):
            for number in range(MOST):
                yield CompareColumn(id=f"column-{number}")
        yield AgreementLines()
        yield PageList(id="sheet")
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin with the columns of the last time."""
        super().on_mount()
        self._begun = True
        usual = USUAL if self.app.size.width >= 4 * NARROWEST else USUAL[:FEWEST]
        chosen = self.scene.lens.chosen
        if chosen not in usual:
            usual = (*usual[: MOST - 1], chosen)
        self.names = self.shelf.choices.get("compare") or usual
        self.columns[0].view.focus()
        if self.scene.lens.probe is not None or self.scene.text is None:
            self.probing = True
        else:
            self.call_after_refresh(self._go, self.scene.offset)

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
            if self._probe_text is None or self._probe_text.read(0, self._probe_text.size) != self._probe:
                self._probe_text = Text.of("probe", self._probe)
            return self._probe_text
        return self.scene.text

    def take_snapshot(self, snapshot: Snapshot | None) -> None:
        """The explorer has come to another step: our own column follows."""
        self.snapshot = snapshot

    def watch_snapshot(self) -> None:
        """Show our own merges at the new step."""
        if self._begun and OWN in self.names:
            self._look(patient=True)

    def watch_names(self) -> None:
        """Other columns: load what is not ready."""
        if not self._begun:
            return
        self.shelf.choices["compare"] = self.names
        self._comparison = None
        for number, column in enumerate(self.query(CompareColumn)):
            column.set_class(number < len(self.names), "-used")
        self._arrange()
        for name in self.names:
            if self.shelf.ready(name, self.snapshot) is None:
                self.with_tokenizer(name, lambda _: self._look(), slot=f"loading {name}")
        self._look()

    def watch_special(self) -> None:
        """The other mode."""
        if self._begun:
            self._look()

    def watch_marked(self) -> None:
        """Marks on or off."""
        if self._job_shown is not None:
            self._show(self._job_shown, self._comparison)

    def watch_probing(self) -> None:
        """To the probe, or back to the corpus."""
        self.set_class(self.probing, "-probing")
        if self._begun:
            self._look()
            self._go(0)
            (self.query_one("#probe") if self.probing else self.columns[self.column].view).focus()

    def _look(self, patient: bool = False) -> None:
        """Show the present text through the present tokenizers; `patient`: not before a running comparison ends."""
        found = [self.shelf.ready(name, self.snapshot) for name in self.names]
        ready = tuple(tokenizer for tokenizer in found if tokenizer is not None)
        self._word()
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
        self._job_shown = self._job_asked = self._comparison = None
        for column, tokenizer in zip(self.columns, found, strict=True):
            column.show(None if tokenizer is None else self._model(self.text, tokenizer, self.special))
            column.tell(())
        pairs = combinations(self._titles(12), 2)
        self.query_one(AgreementLines).pairs = tuple((f"{a} → {b}", "…", "") for a, b in pairs)
        self._align()
        self._tell_tokens()

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
        self._job_shown, self._comparison = job, comparison
        for number, (column, tokenizer) in enumerate(zip(self.columns, job.tokenizers, strict=True)):
            model = self._model(job.text, tokenizer, job.special)
            model.comparison = comparison if self.marked else None
            column.show(model)
            if comparison is not None:
                column.tell([(f.label, f.value, f.best) for f in figures(comparison, number)])
        self._align()
        if comparison is not None:
            self.query_one(AgreementLines).pairs = agreement_text(comparison, self._titles(12))
            self.query_one("#sheet", PageList).fill(lambda width: sheet(comparison, self._titles(14)))
        self._word()
        if self._stale and comparison is not None:
            self._stale = False
            self._look(patient=True)

    def _titles(self, room: int) -> list[str]:
        """The columns' names."""
        titles = [title_of(name, self.shelf.ready(name, self.snapshot), 0) for name in self.names]
        return [safe(title.removesuffix("_base"), room) for title in titles]

    def _word(self) -> None:
        """Titles, the line on top, the tokens under the cursor."""
        text = self.text
        if self.probing:
            what = f"probe {size_text(text.size)}"
        else:
            documents = text.documents
            name = name_text(documents[0].name, 24) if len(documents) == 1 else f"{len(documents)} documents"
            what = f"{name} {size_text(text.size)}"
        parts = [(0, "strong", "compare"), (1, "strong", what), (4, "", f"special as {self.special.value}")]
        comparison = self._comparison
        if comparison is not None:
            if text.size > MOST_BYTES:
                parts.append((2, "next", f"figures of the first {size_text(MOST_BYTES)}"))
            count = comparison.differing
            words = "1 cut differs" if count == 1 else f"{count:,} cuts differ" if count else "all cut alike"
            parts.append((3, "" if count else "dim", words))
        if self.snapshot is not None and OWN in self.names:
            parts.append((5, "dim", f"step {self.snapshot.step:,}/{self.snapshot.target_step:,}"))
        self.show_parts(*parts)
        self._tell_tokens()
        self.show_keys()

    def _tell_tokens(self) -> None:
        """Under each column the token that the cursor is on."""
        stacked = self.has_class("-stacked")
        comparison = self._comparison
        for number, (name, column) in enumerate(zip(self.names, self.columns, strict=True)):
            room = column.size.width - 6
            tokenizer = self.shelf.ready(name, self.snapshot)
            title = safe(title_of(name, tokenizer, room), max(8, room))
            token = column.view.token
            words = ""
            if token is not None and tokenizer is not None:
                own = tokenizer.token_bytes(token.id) if token.id >= 0 else None
                shown = token.note if own is None else show(own, max(4, room - 12))
                words = f"{shown}  id {token.id}" if token.id >= 0 else shown
            if stacked:
                told = ""
                if comparison is not None:
                    stats = comparison.stats[number]
                    told = f"{stats.tokens:,} tokens · {stats.bytes_per_token:.2f} bytes/token"
                column.retitle(f"{title} · {words}" if words else title, told)
            else:
                column.retitle(title, clip(words, max(4, room)))

    def on_compared_view_moved(self, event: ComparedView.Moved) -> None:
        """All columns look where one looks."""
        for column in self.columns:
            if column.view is not event.view:
                column.view.follow(event.top, event.cursor)
        self._tell_tokens()

    def on_token_view_token_selected(self, event: TokenView.TokenSelected) -> None:
        """The page of a token."""
        self.action_page()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember which column has the focus; where there is no room for more it alone is shown."""
        self._bring_to_front()

    def _bring_to_front(self) -> None:
        now = self.column
        for number, column in enumerate(self.query(CompareColumn)):
            column.set_class(number == now, "-front")

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Compare on what is typed."""
        self._probe = event.text_area.text.encode("utf-8", "surrogateescape")
        if self.probing:
            self._look()

    def _go(self, offset: int) -> None:
        """All columns to a place of the text."""
        columns = self.columns
        first = columns[self.column].view
        first.go_to(offset, quiet=True)
        self._align()
        self._tell_tokens()

    def _align(self) -> None:
        """All columns look where the one with the focus looks."""
        columns = self.columns
        first = columns[self.column].view
        for column in columns:
            if column.view is not first:
                column.view.follow(first.top_offset, first.cursor_offset)

    def offers(self, action: Action) -> bool:
        """Grey what would do nothing."""
        if action.id == "column-add":
            return len(self.names) < MOST
        if action.id == "column-drop":
            return len(self.names) > FEWEST
        if action.id in ("step", "back"):
            return self._step is not None and OWN in self.names
        return True

    def action_mark(self, direction: int) -> None:
        """To the next place that is cut differently, or the one before."""
        comparison = self._comparison
        if comparison is None:
            return
        now = self.columns[self.column].view.cursor_offset
        found = comparison.next_difference(now) if direction > 0 else comparison.previous_difference(now)
        if found is None:
            self.say("no differing place there")
        else:
            self._go(found[0])

    def _other_names(self) -> list[str]:
        """Names that no column has."""
        return [name for name in self.shelf.names(baselines=True) if name not in self.names]

    def action_tokenizer(self, direction: int) -> None:
        """Another tokenizer in this column; those that other columns have are passed over."""
        own = self.names[self.column]
        names = [n for n in self.shelf.names(baselines=True) if n not in self.names or n == own]
        at = names.index(own) if own in names else 0
        self._put(names[(at + direction) % len(names)])

    def _put(self, name: str) -> None:
        """Put a tokenizer into this column; where another column has it, the two change places."""
        names, at = list(self.names), self.column
        if name in names:
            names[names.index(name)] = names[at]
        names[at] = name
        self.names = tuple(names)

    def action_choose(self) -> None:
        """Choose this column's tokenizer from a list."""
        self.choose_tokenizer(self.names[self.column], self._put, baselines=True)

    def action_add_column(self) -> None:
        """One column more."""
        others = self._other_names()
        if len(self.names) < MOST and others:
            self.names = (*self.names, others[0])
            self._go(self.columns[self.column].view.cursor_offset)
        else:
            self.say(f"{MOST} columns at most")

    def action_drop_column(self) -> None:
        """Without this column."""
        if len(self.names) <= FEWEST:
            self.say(f"{FEWEST} columns at least")
            return
        at, offset = self.column, self.columns[self.column].view.cursor_offset
        self.names = tuple(name for number, name in enumerate(self.names) if number != at)
        self.columns[self.column].view.focus()
        self._go(offset)

    def action_next_column(self, direction: int) -> None:
        """To the next column; out of the probe field first."""
        if isinstance(self.focused, TextArea):
            self.columns[self.column].view.focus()
            return
        self.columns[(self.column + direction) % len(self.names)].view.focus()

    def action_probe(self) -> None:
        """To the probe, or back to the corpus."""
        if self.probing and self.scene.text is None:
            self.query_one("#probe").focus()
        else:
            self.probing = not self.probing

    def action_special(self) -> None:
        """Special strings as tokens, or as text."""
        self.special = SpecialMode.TOKEN if self.special is SpecialMode.TEXT else SpecialMode.TEXT

    def action_figures(self) -> None:
        """All figures on the whole screen."""
        shown = not self.has_class("-sheet")
        self.set_class(shown, "-sheet")
        (self.query_one("#sheet") if shown else self.columns[self.column].view).focus()

    def action_ids(self) -> None:
        """Ids instead of text."""
        for column in self.query(CompareColumn):
            column.view.ids = not column.view.ids

    def action_group(self) -> None:
        """Join the parts of characters."""
        for column in self.query(CompareColumn):
            column.view.group = not column.view.group

    def action_chunks(self) -> None:
        """Show the borders of chunks."""
        for column in self.query(CompareColumn):
            column.view.chunks = not column.view.chunks

    def action_marks(self) -> None:
        """Marks on or off."""
        self.marked = not self.marked

    def action_step(self, count: int) -> None:
        """Make or undo merges of our own."""
        if self._step is not None:
            self._step(count)

    def action_page(self) -> None:
        """The page of the token under the cursor."""
        name, token = self.names[self.column], self.columns[self.column].view.token
        tokenizer = self.shelf.ready(name, self.snapshot)
        if name == CHARACTERS:
            self.say("with characters every id is the code point itself: there is no page")
        elif token is not None and token.id >= 0 and tokenizer is not None:
            self.page_of(name, tokenizer, token.id)

    def leave(self) -> None:
        """Out of the probe field, out of the sheet, back."""
        if isinstance(self.focused, TextArea):
            self.columns[self.column].view.focus()
        elif self.has_class("-sheet"):
            self.action_figures()
        else:
            super().leave()

    def on_resize(self) -> None:
        """Stack the columns where the terminal is narrow."""
        self._arrange()

    def _arrange(self) -> None:
        width, height = self.app.size
        self.set_class(height < LOW, "-low")
        stacked = width // max(1, len(self.names)) < NARROWEST
        self.set_class(stacked, "-stacked")
        self.set_class(stacked and height < len(self.names) * LEAST_LINES + 3, "-alone")
        self._bring_to_front()
        for own in self.query(Figures):
            own.low = height < LOW
        if self._begun:
            self.call_after_refresh(self._tell_tokens)
