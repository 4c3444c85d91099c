"""What the token pane of the explorer looks at: text and tokenizer, marks, counts in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from rich.text import Text as RichText
from textual.message import Message
from textual.reactive import reactive

from tokexplorer.engine.corpus import Cancelled
from tokexplorer.engine.errors import TokexplorerError
from tokexplorer.engine.glyphs import cells, clip
from tokexplorer.session import Session, Snapshot
from tokexplorer.texts import Text, TokenizedText
from tokexplorer.timeline.histories import RoundHistory
from tokexplorer.timeline.uses import Uses
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tui.describe import describe
from tokexplorer.tui.labels import count_text
from tokexplorer.tui.lens import OWN, Lens
from tokexplorer.tui.messages import Counted
from tokexplorer.tui.shelf import Shelf
from tokexplorer.tui.token_models import MarkedText, Marks
from tokexplorer.tui.widgets.token_model import ShownToken
from tokexplorer.tui.widgets.token_pane import TokenPane
from tokexplorer.tui.widgets.token_view import TokenView
from tokexplorer.tui.working import WorkingScreen

BORDER: Final = 9
"""Cells of a pane's border that its words cannot have, and what parts them."""


class TokenizerLoaded(Message):
    """A tokenizer is ready."""

    def __init__(self, name: str, tokenizer: Tokenizer) -> None:
        super().__init__()
        self.name = name
        self.tokenizer = tokenizer


class LookingScreen(WorkingScreen):
    """The half of the explorer that looks; the half that trains is `ExplorerScreen`."""

    snapshot: reactive[Snapshot | None] = reactive(None, repaint=False)
    lens: reactive[Lens] = reactive(Lens(), always_update=True, repaint=False)
    lookup: reactive[tuple[int, ...] | None] = reactive(None, repaint=False)
    """a pair, or one token, whose places are marked instead of those of what comes next"""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._text: Text | None = None
        self._probe: Text | None = None
        self._uses: Uses | None = None
        self._counts: dict[tuple[object, ...], int] = {}
        self._counting: tuple[object, ...] | None = None
        self._model: MarkedText | None = None
        self.shelf = Shelf()

    @property
    def room(self) -> tuple[int, int]:
        """Columns and rows that the panes have, with the lines above and below them."""
        return self.app.size.width, self.app.size.height

    @property
    def tokens_pane(self) -> TokenPane:
        """The pane."""
        return self.query_one(TokenPane)

    def look(self) -> None:
        """Show the present text through the present tokenizer."""
        snapshot, lens = self.snapshot, self.lens
        text = self._looked_at()
        tokenizer = self.tokenizer
        if text is None or tokenizer is None or not self.is_mounted:
            self._word_title()
            return
        marks = self._marks(snapshot) if lens.chosen == OWN else Marks()
        same = self._model.tokenized if self._model is not None else None
        if same is None or same.text is not text or same.tokenizer is not tokenizer or same.special is not lens.special:
            same = TokenizedText(text, tokenizer, lens.special)
        self._model = MarkedText(same, marks)
        self.tokens_pane.view.show(self._model)
        self._word_title()
        self._tell_of(self.tokens_pane.view.token)

    @property
    def tokenizer(self) -> Tokenizer | None:
        """What the text is shown through; None while it loads or where no text is open."""
        if self.lens.chosen != OWN:
            return self.lens.tokenizer
        return self.snapshot.tokenizer() if self.snapshot is not None else None

    def _looked_at(self) -> Text | None:
        if self.lens.probe is not None:
            if self._probe is None or self._probe.documents[0].read(0, self._probe.size) != self.lens.probe:
                self._probe = Text.of("probe", self.lens.probe)
            return self._probe
        return self.corpus_text

    @property
    def corpus_text(self) -> Text | None:
        """The corpus as a text; the same object as long as the same documents are open."""
        snapshot = self.snapshot
        if snapshot is None:
            return None
        if self._text is None or self._text.documents != snapshot.corpus.documents:
            self._text = Text(snapshot.corpus.documents)
        return self._text

    def _marks(self, snapshot: Snapshot | None) -> Marks:
        if snapshot is None:
            return Marks()
        made = snapshot.last.new if snapshot.last is not None else None
        if self.lookup is not None:
            left, *right = self.lookup
            return Marks((left, right[0]), made) if right else Marks(None, made, frozenset((left,)))
        if isinstance(snapshot.history, RoundHistory):
            return Marks(ids=snapshot.history.next_removed(snapshot.step))
        winner = snapshot.winner
        return Marks((winner.left, winner.right) if winner is not None else None, made)

    def watch_lens(self) -> None:
        """Another text, tokenizer or mode was chosen."""
        name = self.lens.chosen
        if name != OWN and self.lens.tokenizer is None:
            self.run_worker(lambda: self._load(name), thread=True, group="loading", exclusive=True)
        self.look()

    def watch_lookup(self) -> None:
        """Another pair is marked."""
        self.look()

    def _load(self, name: str) -> None:
        from tokexplorer.tokenizers.builtin import load

        tokenizer = load(name)
        tokenizer.encode(b"ready")
        self.post_message(TokenizerLoaded(name, tokenizer))

    def on_tokenizer_loaded(self, event: TokenizerLoaded) -> None:
        """It can be looked through now."""
        self.lens = self.lens.with_loaded(event.name, event.tokenizer)

    def _word_title(self) -> None:
        if not self.is_mounted:
            return
        pane, lens = self.tokens_pane, self.lens
        what = "probe" if lens.probe is not None else "corpus"
        if lens.chosen == OWN:
            through = self.snapshot.title if self.snapshot is not None else "own merges"
        else:
            through = lens.chosen if lens.tokenizer is not None else f"loading {lens.chosen} …"
        words = f"special as {lens.special.value} · {self._count_words()}"
        width, _ = self.room
        left = width - cells(words) - BORDER
        if width >= 100 and left > BORDER:
            words = f"{clip(f't: {lens.next_names}', left)} · {words}"
        pane.retitle(f"4 Tokens · {what} · {through}", words)

    def _count_words(self) -> str:
        text = self._looked_at()
        tokenizer, snapshot = self.tokenizer, self.snapshot
        if text is None or tokenizer is None or snapshot is None:
            return ""
        lens = self.lens
        plain = lens.probe is None and lens.special is SpecialMode.TEXT
        if lens.chosen == OWN and plain and not snapshot.greedy:
            return self._ratio(snapshot.tokens, snapshot.text_bytes)
        key = (id(text), lens.chosen if lens.chosen != OWN else (snapshot.history.number, snapshot.step), lens.special)
        if key in self._counts:
            return self._ratio(self._counts[key], text.size)
        if self._counting != key:
            self._counting = key
            tokenized = self._model.tokenized if self._model is not None else None
            if tokenized is None or tokenized.text is not text or tokenized.tokenizer.name != tokenizer.name:
                tokenized = TokenizedText(text, tokenizer, lens.special)
            self._count(key, tokenized)
        return "counting …"

    def _count(self, key: tuple[object, ...], tokenized: TokenizedText) -> None:
        def should_stop() -> bool:
            return self._counting != key

        def count() -> None:
            try:
                self.post_message(Counted(key, tokenized.count(should_stop=should_stop)))
            except Cancelled:
                return

        if tokenized.text.size < 4096:
            self._counts[key] = tokenized.count()
            self.call_later(self._word_title)
            return
        self.run_worker(count, thread=True, group="counting")

    def on_counted(self, event: Counted) -> None:
        """The whole text has been counted."""
        if len(self._counts) > 200:
            self._counts.clear()
        self._counts[event.key] = event.tokens
        self._word_title()

    @staticmethod
    def _ratio(tokens: int, size: int) -> str:
        noun = "token" if tokens == 1 else "tokens"
        return f"{count_text(tokens, 12)} {noun} · {size / tokens:.2f} bytes/token" if tokens else "0 tokens"

    def on_token_view_token_highlighted(self, event: TokenView.TokenHighlighted) -> None:
        """Tell of the token under the cursor."""
        self._tell_of(event.token)

    def _tell_of(self, token: ShownToken | None) -> None:
        tokenizer, snapshot, model = self.tokenizer, self.snapshot, self._model
        if tokenizer is None or model is None or token is None:
            self.tokens_pane.detail = RichText("")
            return
        if snapshot is not None and (self._uses is None or self._uses.rows is not snapshot.merges):
            self._uses = Uses(snapshot.merges)
        self.tokens_pane.detail = describe(token, model.read(token.start, token.end), tokenizer, snapshot, self._uses)

    def on_token_pane_probe_typed(self, event: TokenPane.ProbeTyped) -> None:
        """Look at the probe as it is typed."""
        self.lens = replace(self.lens, probe=event.text.encode("utf-8", "surrogateescape"))

    def try_words(self, verb: Callable[[], object]) -> bool:
        """Do something that may be refused; the reason is shown, and nothing else happens."""
        try:
            verb()
        except TokexplorerError as error:
            self.say(str(error), "warning")
            return False
        return True

    def say(self, words: str, severity: str = "information") -> None:
        """Tell the user one line."""
        raise NotImplementedError
