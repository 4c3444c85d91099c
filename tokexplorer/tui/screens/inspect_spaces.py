"""Inspect, spaces: forms of a word, a trailing space, runs of white space, indentation."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from tokexplorer.analysis.kinds import Kind
from tokexplorer.analysis.spaces import Blank, Indentation, Run, blanks, forms, indentation, runs, trailing_space
from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.glyphs import safe
from tokexplorer.tokenizers.base import Token, Tokenizer
from tokexplorer.tui.knowing import kept
from tokexplorer.tui.page_rows import ToToken
from tokexplorer.tui.screens.inspect_tab import InspectTab, cut_pieces, ids_words
from tokexplorer.tui.screens.study import Hold
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.line_view import LineView
from tokexplorer.tui.widgets.page_list import PageList, PageRow, blank, heading, line, row, titles, wrapped
from tokexplorer.tui.widgets.titled import Titled

WORD: Final = "the"
PROMPT: Final = "The cat sat on"
FORMS: Final = Columns(
    Column("form", 15),
    Column("cut", 8, flex=1),
    Column("tokens", 6, align="right", priority=1),
    Column("ids", 8, flex=1),
)
CUTS: Final = Columns(Column("", 15), Column("", 10, flex=1), Column("", 3, align="right"))
RUNS: Final = (1, 2, 3, 4, 8, 12, 16, 24, 32)
BLANKS: Final = Columns(Column("id", 7, align="right"), Column("token", 10, flex=1), Column("length", 6, align="right"))

Found = tuple[tuple[Run, ...], tuple[Indentation, ...], tuple[Blank, ...]]


class WordPanel(Vertical, Titled):
    """Two fields, and a page below them."""

    def compose(self) -> ComposeResult:
        """Fields and page."""
        yield Input(WORD, placeholder="a word", id="space-word", compact=True)
        yield Input(PROMPT, placeholder="the beginning of a sentence", id="space-prompt", compact=True)
        yield PageList(id="space-page")


class SpacesTab(InspectTab):
    """Left what is typed; right what runs of white space cost."""

    LABEL = "Spaces"
    KEYS = frozenset({"edit", "page"})
    DEFAULT_CSS = "SpacesTab #space-word { margin-bottom: 0; }"

    def __init__(self) -> None:
        super().__init__()
        self._found: Found | None = None

    def compose(self) -> ComposeResult:
        """Two panels."""
        yield WordPanel(classes="panel")
        yield PageList(id="space-runs", classes="panel")

    def begin(self, tokenizer: Tokenizer) -> None:
        """Count runs in a worker."""
        facts = self.inspect.shelf.facts(tokenizer)
        self._found = None
        self._show()

        def find(hold: Hold) -> Found:
            white = facts.index.ids(Kind.WHITESPACE, hold.on_progress, hold.should_stop)
            return kept(
                facts,
                "spaces",
                lambda: (runs(tokenizer), indentation(tokenizer), blanks(tokenizer, tuple(white))),
            )

        def take(found: Found) -> None:
            if self.is_present(tokenizer):
                self._found = found
                self._show()

        self.inspect.submit("spaces", "counting white space", find, take)

    def _show(self) -> None:
        if self._seen is None:
            return
        self.query_one("#space-page", PageList).fill(self._word_rows)
        self.query_one("#space-runs", PageList).fill(self._run_rows)
        self.query_one(WordPanel).retitle("a word, and a prompt", "p: type")
        self.query_one("#space-runs", PageList).retitle("runs of white space")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what is typed."""
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Out of the field."""
        self.leave_field()

    def on_line_view_selected(self, event: LineView.Selected) -> None:
        """The page of a token."""
        if isinstance(event.view, PageList):
            target = event.view.target_at(event.index)
            if isinstance(target, ToToken):
                self.inspect.show_page(target.names[0][1])

    def _word_rows(self, width: int) -> list[PageRow]:
        tokenizer = self._seen
        assert tokenizer is not None
        word, prompt = (self.query_one(f"#{name}", Input).value for name in ("space-word", "space-prompt"))
        name = self.inspect.chosen
        rows = [heading("forms of the word"), titles(FORMS)]
        for form in forms(tokenizer, word) if word.strip() else ():
            cells = (cut_pieces(form.text, form.tokens), str(len(form.tokens)), ids_words(form.tokens))
            look = "made" if form.single is not None else ""
            target = None if form.single is None else ToToken(((name, form.single),))
            rows.append(row(FORMS, (form.kind, look), *cells, target=target))
        found = trailing_space(tokenizer, to_bytes(prompt), to_bytes(word.strip() or WORD))
        rows += [blank(), heading("a space at the end of the prompt"), _cut("as it is", found.text, found.plain)]
        spaced = found.text + b" "
        rows.append(_cut("with a space", spaced, found.spaced))
        rows.append(_cut("and the word", spaced + found.next_word, found.joined))
        rows.append(_cut("after the space", spaced + found.next_word, found.stranded))
        if found.harmless:
            words, look = "Both ways give the same tokens: here the trailing space does no harm.", "made"
        else:
            extra = f"{found.extra:+d} token{'' if abs(found.extra) == 1 else 's'}" if found.extra else "other tokens"
            words = (
                f"After a trailing space the model must write the bare word ({extra}): text it has hardly ever seen so."
            )
            look = "next"
        return rows + wrapped(safe(words), width, look)

    def _run_rows(self, width: int) -> list[PageRow]:
        if self._found is None:
            return [line(("counting …", "dim"))]
        found_runs, indents, white = self._found
        counts = [Column(str(n), 2, align="right", priority=1 + (n in (3, 12, 24))) for n in RUNS]
        columns = Columns(Column("tokens of", 14), *counts, Column("longest", 9, align="right"))
        plain = Columns(Column("tokens of", 14), *counts)
        rows = [heading("runs", "tokens of 1, 2, 3, ... of them; the longest that is one token"), titles(columns)]
        for run in found_runs:
            rows.append(row(columns, run.name, *(_count(run.counts, n) for n in RUNS), f"{run.longest}"))
        rows += [blank(), heading("before a word", "tokens that the run adds before x"), titles(plain)]
        for run in found_runs:
            rows.append(row(plain, run.name, *(_count(run.before_word, n) for n in RUNS)))
        depths = range(1, len(indents[0].extra) + 1)
        levels = Columns(
            Column("levels", 14), *(Column(str(n), 2, align="right") for n in depths), Column("", 1, flex=1)
        )
        rows += [blank(), heading("indentation", "tokens that it adds to a line of code"), titles(levels)]
        for indent in indents:
            rows.append(row(levels, indent.name, *(_count(indent.extra, n) for n in depths), ""))
        rows += [blank(), heading("tokens of white space", f"{len(white):,}, longest first"), titles(BLANKS)]
        name = self.inspect.chosen
        for own in white:
            cells = (to_bytes(own.text), str(len(own.text)))
            rows.append(row(BLANKS, str(own.id), *cells, target=ToToken(((name, own.id),))))
        return rows


def _cut(label: str, text: bytes, tokens: tuple[Token, ...]) -> PageRow:
    return row(CUTS, (label, "dim"), cut_pieces(text, tokens), str(len(tokens)))


def _count(counts: tuple[int, ...], number: int) -> tuple[str, str]:
    count = counts[number - 1]
    return str(count), "made" if count <= 1 else "next" if count > number // 2 and count > 2 else ""
