"""The export screen: what is written, what each format cannot hold of it, where it goes, and what was checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tokexplorer.engine.errors import TokexplorerError
from tokexplorer.engine.glyphs import clip, safe
from tokexplorer.engine.model import Model
from tokexplorer.exporting import ENDINGS, Verdict, model_at, renamed, stem_for, verdicts
from tokexplorer.formats import FORMATS, WriteReport, model_of, targets, write_model
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.screens.dialogs import ChooseScreen

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen

OFFERED: Final = tuple(name for name, entry in FORMATS.items() if entry.writes)
"""The formats, in the order of the list."""
NAME_CELLS: Final = max(map(len, OFFERED)) + 2
VERDICT_CELLS: Final = 18


@dataclass(frozen=True, slots=True)
class Subject:
    """What can be written: a title and a short name that are safe to show, the beginning of a file's name, and how to
    make the model (in a worker; TokexplorerError where there is none)."""

    title: str
    short: str
    stem: str
    make: Callable[[], Model]


def open_export(explorer: ExplorerScreen) -> None:
    """Export what is looked through, or our own merges at the present step."""
    found = subjects(explorer)
    if found:
        explorer.app.push_screen(ExportScreen(found, explorer.tell))
    else:
        explorer.say(f"{explorer.lens.chosen} is still loading")


def subjects(explorer: ExplorerScreen) -> list[Subject]:
    """What can be written now, what is looked through before our own."""
    found: list[Subject] = []
    lens, snapshot = explorer.lens, explorer.snapshot
    chosen = lens.tokenizer
    if lens.chosen != OWN and chosen is not None:
        title = f"{lens.chosen}, {chosen.size:,} tokens"
        found.append(Subject(title, lens.chosen, stem_for(lens.chosen), lambda: model_of(chosen)))
    if snapshot is not None:
        documents = snapshot.corpus.documents
        name = documents[0].name if len(documents) == 1 else f"{len(documents)} texts"
        title = f"{snapshot.title} of {clip(safe(name), 30)}, {snapshot.vocab_size:,} tokens"
        stem = f"{stem_for(name)}-{snapshot.step}"
        found.append(Subject(title, "our own", stem, lambda: model_at(snapshot)))
    return found


class Prepared(Message):
    """The model of a subject was made, or there is none, for a reason."""

    def __init__(self, subject: int, model: Model | None, reason: str = "") -> None:
        super().__init__()
        self.subject = subject
        self.model = model
        self.reason = reason


class Judged(Message):
    """A format's verdict on a subject was found."""

    def __init__(self, subject: int, fmt: str, verdict: Verdict) -> None:
        super().__init__()
        self.subject = subject
        self.fmt = fmt
        self.verdict = verdict


class Ended(Message):
    """A writing has ended: with a report, or with the reason why nothing was written."""

    def __init__(self, subject: int, fmt: str, path: str, report: WriteReport | None, reason: str = "") -> None:
        super().__init__()
        self.subject = subject
        self.fmt = fmt
        self.path = path
        self.report = report
        self.reason = reason

    @property
    def words(self) -> str:
        """What has become of it, in one line."""
        if self.report is None:
            return self.reason
        differs = "" if self.report.agrees else "; but not all ids are the same when it is read back"
        return f"written: {', '.join(self.report.files)}{differs}"


class ExportScreen(ModalScreen[None]):
    """Models are made, judged and written in threads; leaving stops no writing, whose end is then told by `tell`."""

    CSS = """
    ExportScreen {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 100; max-width: 98%; height: auto; max-height: 96%;
            padding: 0 1; border: round $accent; background: $surface;
        }
        & .subject { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        & OptionList {
            height: 6; margin: 1 0 0 0; border: none; background: $surface;
            text-wrap: nowrap; text-overflow: ellipsis;
        }
        & VerticalScroll { height: 10; margin: 1 0; background: $surface; scrollbar-size-vertical: 1; }
        & VerticalScroll:focus { background: $panel; }
        & .details { height: auto; }
        & Horizontal { height: 1; }
        & Horizontal > Static { width: 5; }
        & Input { width: 1fr; background: $panel; }
        & .problem { color: $error; height: auto; }
        & .hint { color: $foreground 60%; height: auto; }
        &.-low OptionList { margin: 0; }
        &.-low VerticalScroll { height: 1fr; margin: 0; }
        &.-low > Vertical { height: 100%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel"),
        Binding("t", "turn", "The other one", show=False),
    ]
    LOW: ClassVar[int] = 28
    """rows below which the middle takes what is left"""

    def __init__(self, found: Sequence[Subject], tell: Callable[[str], object]) -> None:
        super().__init__()
        self._subjects = found
        self._tell = tell
        self._number = 0
        self._models: dict[int, Model] = {}
        self._reasons: dict[int, str] = {}
        self._verdicts: dict[tuple[int, str], Verdict] = {}
        self._ends: dict[tuple[int, str], Ended] = {}
        self._format = OFFERED[0]
        self._writing = ""

    def compose(self) -> ComposeResult:
        """What, which format, what is lost, where."""
        with Vertical() as box:
            box.border_title = "Export"
            yield Static("", classes="subject", markup=False)
            yield OptionList(*[Option(Text(name)) for name in OFFERED])
            with VerticalScroll():
                yield Static("", classes="details", markup=False)
            with Horizontal():
                yield Static("File ", markup=False)
                name = self._subjects[0].stem + ENDINGS[self._format]
                yield Input(name, compact=True, select_on_focus=False)
            yield Static("", classes="problem", markup=False)
            yield Static("", classes="hint", markup=False)

    def on_mount(self) -> None:
        """Begin with the first format."""
        self.query_one(OptionList).highlighted = 0
        self.query_one(OptionList).focus()
        self._show_subject()

    def on_resize(self) -> None:
        """Fit small terminals."""
        self.set_class(self.app.size.height < self.LOW, "-low")

    @property
    def _subject(self) -> Subject:
        return self._subjects[self._number]

    def action_turn(self) -> None:
        """The other thing that can be written."""
        if len(self._subjects) > 1:
            field, before = self.query_one(Input), self._subject
            self._number = (self._number + 1) % len(self._subjects)
            if field.value == before.stem + ENDINGS[self._format]:
                field.value = self._subject.stem + ENDINGS[self._format]
            self._show_subject()

    def _show_subject(self) -> None:
        number = self._number
        self.query_one(".subject", Static).update(Text(f"Write {self._subject.title}"))
        other = self._subjects[(number + 1) % len(self._subjects)].short if len(self._subjects) > 1 else ""
        turn = f" · t: {clip(other, 20)} instead" if other else ""
        hint = f"Enter writes · Tab: formats, what is lost, file{turn} · Esc"
        self.query_one(".hint", Static).update(Text(hint))
        if number not in self._models and number not in self._reasons:
            self.run_worker(lambda: self._prepare(number), thread=True, group="export")
        self._complain("")
        self._show_formats()
        self._show_details()

    def _prepare(self, number: int) -> None:
        """In a thread: the model, then what each format makes of it."""
        try:
            model = self._subjects[number].make()
        except TokexplorerError as error:
            self.post_message(Prepared(number, None, str(error)))
            return
        if not self.post_message(Prepared(number, model)):
            return
        for fmt, verdict in verdicts(model):
            if not self.post_message(Judged(number, fmt, verdict)):
                return

    def on_prepared(self, event: Prepared) -> None:
        """It can be written now, or not at all."""
        if event.model is not None:
            self._models[event.subject] = event.model
        else:
            self._reasons[event.subject] = event.reason
        self._show_formats()
        self._show_details()

    def on_judged(self, event: Judged) -> None:
        """One verdict more."""
        self._verdicts[event.subject, event.fmt] = event.verdict
        self._show_formats()
        self._show_details()

    def _show_formats(self) -> None:
        rows = self.query_one(OptionList)
        for index, fmt in enumerate(OFFERED):
            verdict = self._verdicts.get((self._number, fmt))
            dim = self._number in self._reasons or (verdict is not None and verdict.refused is not None)
            words = verdict.words if verdict is not None else "" if self._number in self._reasons else "…"
            row = Text(f"{fmt:<{NAME_CELLS}}", "dim" if dim else "bold")
            row.append(f"{words:<{VERDICT_CELLS}}", "dim" if dim else "not bold")
            row.append(FORMATS[fmt].title, "dim" if dim else "not bold dim")
            rows.replace_option_prompt_at_index(index, row)

    def _show_details(self) -> None:
        self.query_one(".details", Static).update(self._details())

    def _details(self) -> Content:
        reason = self._reasons.get(self._number)
        if reason is not None:
            return Content.styled(safe(reason), "$text-error")
        end = self._ends.get((self._number, self._format))
        lines = self._report(end.report) if end is not None and end.report is not None else []
        verdict = self._verdicts.get((self._number, self._format))
        if verdict is None:
            lines.append(Content.styled("what it cannot hold is being found out …", "dim"))
        elif verdict.refused is not None:
            lines.append(Content.styled(f"It cannot hold this: {safe(verdict.refused)}", "$text-warning"))
        elif verdict.lost:
            lines += [Content("It cannot hold:"), *(Content(f"- {safe(clause)}") for clause in verdict.lost)]
        else:
            lines.append(Content("It holds everything."))
        return Content("\n").join(lines)

    @staticmethod
    def _report(report: WriteReport) -> list[Content]:
        good = "$text-success" if report.agrees else "$text-warning"
        lines = [Content.styled(f"Written: {', '.join(report.files)}", "bold $text-success")]
        lines += [Content.styled(f"checked: {safe(check)}", good) for check in report.checks]
        if not report.agrees:
            lines.append(Content.styled("The file stands, but gives other ids than here.", good))
        return lines

    def _complain(self, words: str) -> None:
        line = self.query_one(".problem", Static)
        line.update(Text(safe(words)))
        line.display = bool(words)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Another format: what it loses, and the file's name that goes with it."""
        fmt, field = OFFERED[event.option_index], self.query_one(Input)
        field.value = renamed(field.value, self._format, fmt)
        self._format = fmt
        self._complain("")
        self._show_details()
        self.query_one(VerticalScroll).scroll_home(animate=False)

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def write_it(self, event: Message) -> None:
        """Write, unless there is a reason not to."""
        event.stop()
        if self._writing:
            return
        verdict = self._verdicts.get((self._number, self._format))
        path = os.path.expanduser(self.query_one(Input).value.strip())
        problem = ""
        if self._number in self._reasons:
            problem = self._reasons[self._number]
        elif verdict is None:
            problem = "one moment: what this format cannot hold is still being found out"
        elif verdict.refused is not None:
            problem = f"{self._format} cannot hold this: {verdict.refused}"
        elif not path:
            problem = "type the name of a file"
        elif not _is_name(path):
            problem = "a file cannot be called so"
        self._complain(problem)
        if not problem:
            self._ask_first(path)

    def _ask_first(self, path: str) -> None:
        """Files that exist are replaced only where the user says so."""
        there = [target for target in targets(path, self._format) if os.path.isfile(target)]
        if not there:
            self._begin(path, force=False)
            return
        rows = [("keep", "keep", "nothing is written"), ("replace", "replace", "what is in it now is lost")]
        names = " and ".join(clip(safe(os.path.basename(target)), 30) for target in there)

        def answered(value: str | None) -> None:
            if value == "replace":
                self._begin(path, force=True)

        verb = "exist" if len(there) > 1 else "exists"
        self.app.push_screen(ChooseScreen(f"{names} {verb} already", "Esc keeps as well", rows, "keep"), answered)

    def _begin(self, path: str, force: bool) -> None:
        number, fmt, model = self._number, self._format, self._models[self._number]
        self._writing = f"writing {safe(os.path.basename(path))} …"
        self.query_one(".hint", Static).update(Text(f"{self._writing}  Esc leaves; it is written all the same"))
        self.run_worker(lambda: self._write(number, fmt, model, path, force), thread=True, group="export")

    def _write(self, number: int, fmt: str, model: Model, path: str, force: bool) -> None:
        """In a thread."""
        try:
            end = Ended(number, fmt, path, write_model(model, path, fmt, force))
        except TokexplorerError as error:
            end = Ended(number, fmt, path, None, str(error))
        if not self.post_message(end):
            self._tell(end.words)

    def on_ended(self, event: Ended) -> None:
        """Show what was checked, or what was wrong; a file that has appeared meanwhile is asked about."""
        self._writing = ""
        self._ends[event.subject, event.fmt] = event
        self._show_subject()
        if event.report is None:
            self._complain(event.reason)
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_leave(self) -> None:
        """Back; a writing goes on."""
        if self._writing:
            self._tell(self._writing)
        self.dismiss(None)


def _is_name(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False
