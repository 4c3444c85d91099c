"""Draws: other segmentations of a text by chance, with their frequencies: BPE-dropout and Unigram sampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.glyphs import show
from tokexplorer.engine.unigram import UnigramModel
from tokexplorer.timeline.curve import encoder_at
from tokexplorer.timeline.draws import LONGEST, MOST_DRAWS, Way, can_draw, draw
from tokexplorer.tui.actions import Action, bindings
from tokexplorer.tui.screens.dialogs import AskScreen
from tokexplorer.tui.screens.study import Hold, StudyScreen
from tokexplorer.tui.shelf import Scene, Shelf
from tokexplorer.tui.steering_actions import DRAWS
from tokexplorer.tui.why_rows import pieces_of
from tokexplorer.tui.widgets.columns import Column, Columns
from tokexplorer.tui.widgets.key_bar import KeyBar
from tokexplorer.tui.widgets.page_list import PageList, PageRow, Piece, blank, heading, line, row, titles, wrapped
from tokexplorer.tui.widgets.study_bar import StudyBar

DROPOUT: Final = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)
ALPHA: Final = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
TABLE: Final = Columns(
    Column("draws", 7, align="right"),
    Column("share", 6, align="right"),
    Column("", 10, priority=3),
    Column("tokens", 6, align="right", priority=1),
    Column("cut", 12, flex=1),
)

EXPECTED: Final = Columns(*TABLE.columns[:2], Column("expected", 8, align="right", priority=2), *TABLE.columns[2:])


class DrawsScreen(StudyScreen):
    """Draws are made at once with what is set; every change draws anew."""

    ACTIONS = DRAWS
    TITLE_WORDS = "Draws"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(DRAWS)]
    AUTO_FOCUS = "#draws"
    CSS = """
    DrawsScreen PageList { border: round $accent; border-title-color: $accent; border-title-background: transparent; }
    """

    def __init__(self, shelf: Shelf, scene: Scene, text: bytes) -> None:
        super().__init__(shelf, scene)
        assert scene.snapshot is not None
        self._snapshot = scene.snapshot
        self._encoder = encoder_at(scene.snapshot)
        self._text = text[:LONGEST]
        self._unigram = isinstance(self._encoder, UnigramModel)
        self._strength = 0.5 if self._unigram else 0.1
        self._seed = 1
        self._count = 1000
        self._ways: tuple[Way, ...] | None = None

    def compose(self) -> ComposeResult:
        """One list."""
        yield StudyBar()
        yield PageList(id="draws")
        yield KeyBar()

    def on_mount(self) -> None:
        """Draw."""
        super().on_mount()
        self._draw()

    def offers(self, action: Action) -> bool:
        """Nothing can be set where nothing can be drawn."""
        return action.group != "Drawing" or can_draw(self._encoder)

    @property
    def _sign(self) -> str:
        return "alpha" if self._unigram else "p"

    def _draw(self) -> None:
        page = self.query_one(PageList)
        method = "Unigram sampling" if self._unigram else "BPE-dropout"
        page.retitle(f"{method} · {show(self._text, 50)}")
        self.show_parts(
            (0, "strong", f"{self._sign} = {self._strength:g}"),
            (1, "", f"seed {self._seed}"),
            (2, "", f"{self._count:,} draws"),
            (3, "dim", self._snapshot.title),
        )
        encoder, text = self._encoder, self._text
        strength, count, seed = self._strength, self._count, self._seed
        self._ways = None
        page.fill(self._rows, keep=False)
        if can_draw(encoder) and text:
            self.submit("draws", "drawing", lambda hold: self._work(hold, strength, count, seed), self._take)

    def _work(self, hold: Hold, strength: float, count: int, seed: int) -> tuple[Way, ...]:
        return draw(self._encoder, self._snapshot.corpus.split, self._text, strength, count, seed, hold.should_stop)

    def _take(self, ways: tuple[Way, ...]) -> None:
        self._ways = ways
        self.query_one(PageList).fill(self._rows, keep=False)

    def _rows(self, width: int) -> list[PageRow]:
        if not can_draw(self._encoder):
            words = "Draws are made with BPE, a replay, or Unigram: WordPiece and the baselines leave no choice."
            return wrapped(words, max(10, width), "next")
        if not self._text:
            return wrapped("There is no text to draw from: p types one.", max(10, width), "next")
        if self._ways is None:
            return [line(("drawing …", "dim"))]
        ascii = self.query_one(PageList).ascii
        table = EXPECTED if self._unigram else TABLE
        rows = [*self._about(width), blank(), titles(table)]
        for way in self._ways:
            share = way.count / self._count
            bar = ("#" if ascii else "█") * max(1, round(share * 10))
            expected = [f"{way.expected:,.1f}"] if way.expected is not None else []
            plain: list[Piece] = [("  plain", "made")] if way.plain else []
            cut = [*pieces_of(way.tokens, ascii=ascii), *plain]
            rows.append(
                row(table, f"{way.count:,}", f"{share:.1%}", *expected, (bar, "dim"), str(len(way.tokens)), cut)
            )
        return rows

    def _about(self, width: int) -> list[PageRow]:
        assert self._ways is not None
        if self._unigram:
            words = "a cut is drawn by its probability to the power alpha; expected: what the model says exactly"
        else:
            words = (
                "each merge is left out with probability p, then the rest is merged as usual (Provilkov et al. 2020)"
            )
        kinds = len(self._ways)
        mean = sum(len(way.tokens) * way.count for way in self._ways) / self._count
        note = f"{kinds:,} different, {mean:.2f} tokens on average; plain is what encoding gives"
        return [heading("draws", note), *wrapped(words, max(10, width), "dim")]

    def action_redraw(self) -> None:
        """The next seed."""
        self._seed += 1
        self._draw()

    def on_line_view_selected(self) -> None:
        """Enter draws anew."""
        self.action_redraw()

    def action_turn(self, direction: int) -> None:
        """The next value of a short list."""
        values = ALPHA if self._unigram else DROPOUT
        larger = [value for value in values if value > self._strength]
        smaller = [value for value in values if value < self._strength]
        if direction > 0 and larger:
            self._strength = larger[0]
        elif direction < 0 and smaller:
            self._strength = smaller[-1]
        else:
            return
        self._draw()

    def action_strength(self) -> None:
        """Type p or alpha."""
        most = 1.0 if not self._unigram else 1000.0

        def take(value: float) -> None:
            self._strength = value

        hint = "From 0, all cuts alike, through 1, the model's own, to large ones, the best cut alone."
        if not self._unigram:
            hint = "From 0, the plain encoding, to 1, no merge at all."
        self._ask(self._sign, hint, f"{self._strength:g}", lambda text: _number(text, most), take)

    def action_seed(self) -> None:
        """Type a seed."""

        def take(value: float) -> None:
            self._seed = int(value)

        self._ask("Seed", "A whole number: the same one gives the same draws.", str(self._seed), _whole(10**9, 0), take)

    def action_count(self) -> None:
        """Type how many are drawn."""

        def take(value: float) -> None:
            self._count = int(value)

        self._ask("Draws", f"How many, up to {MOST_DRAWS:,}.", str(self._count), _whole(MOST_DRAWS, 1), take)

    def action_text(self) -> None:
        """Type another text."""

        def typed(text: str | None) -> None:
            if text is not None:
                self._text = to_bytes(text)[:LONGEST]
                self._draw()

        now = self._text.decode("utf-8", "surrogateescape")
        now = now if now.isprintable() else ""
        self.app.push_screen(AskScreen("Draw from", f"A text of up to {LONGEST} bytes.", now), typed)

    def _ask(
        self, title: str, hint: str, now: str, read: Callable[[str], float], take: Callable[[float], None]
    ) -> None:
        def typed(text: str | None) -> None:
            if text is not None:
                take(read(text))
                self._draw()

        self.app.push_screen(AskScreen(title, hint, now, read), typed)


def _number(text: str, most: float) -> float:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        value = -1.0
    if not 0 <= value <= most:
        raise UsageError(f"a number from 0 to {most:g}")
    return value


def _whole(most: int, least: int) -> Callable[[str], float]:
    def read(text: str) -> float:
        digits = text.strip().replace(",", "").replace("_", "")
        if not (digits.isascii() and digits.isdigit()) or not least <= int(digits) <= most:
            raise UsageError(f"a whole number from {least:,} to {most:,}")
        return int(digits)

    return read
