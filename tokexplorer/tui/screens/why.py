"""Why: the whole story of the chunk that holds the token under the cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from tokexplorer.analysis.story import ChunkStory, tell_at
from tokexplorer.engine.errors import TokexplorerError
from tokexplorer.engine.glyphs import safe, show
from tokexplorer.texts import Text
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tokenizers.learned import LearnedTokenizer
from tokexplorer.tokenizers.trained import TrainedTokenizer
from tokexplorer.tui.actions import bindings
from tokexplorer.tui.lens import OWN
from tokexplorer.tui.places import Chunk, chunk_at
from tokexplorer.tui.screens.study import StudyScreen
from tokexplorer.tui.shelf import Scene, Shelf, title_of
from tokexplorer.tui.steering_actions import WHY
from tokexplorer.tui.why_rows import Told, ToStep, page
from tokexplorer.tui.widgets.key_bar import KeyBar
from tokexplorer.tui.widgets.page_list import PageList, PageRow, wrapped
from tokexplorer.tui.widgets.study_bar import StudyBar

AROUND = 24
"""Bytes of text shown before and after the chunk."""


class WhyScreen(StudyScreen):
    """Shows one chunk's story; left and right go on along the text. `travel` goes to a step of our own training."""

    ACTIONS = WHY
    TITLE_WORDS = "Why a text is cut so"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(WHY)]
    AUTO_FOCUS = "#story"
    CSS = """
    WhyScreen PageList { border: round $accent; border-title-color: $accent; border-title-background: transparent; }
    """

    def __init__(
        self,
        shelf: Shelf,
        scene: Scene,
        tokenizer: Tokenizer,
        text: Text,
        offset: int,
        travel: Callable[[int], None],
    ) -> None:
        super().__init__(shelf, scene)
        self._tokenizer = tokenizer
        self._text = text
        self._offset = offset
        self._travel = travel
        self._chunk = Chunk(offset, offset, b"", offset, b"")
        self._told: Told | None = None
        self._reason = ""

    def compose(self) -> ComposeResult:
        """One page."""
        yield StudyBar()
        yield PageList(id="story")
        yield KeyBar()

    def on_mount(self) -> None:
        """Tell of the token that was asked for."""
        super().on_mount()
        self._tell(self._offset)

    @property
    def _own(self) -> bool:
        """Whether merges are steps of our own training."""
        return self.scene.lens.chosen == OWN

    def _tell(self, offset: int) -> None:
        self._offset = offset
        chunk = self._chunk = chunk_at(self._text, self._tokenizer, offset)
        special = self.scene.lens.special
        self._told, self._reason = None, ""
        try:
            found = tell_at(self._tokenizer, chunk.piece, offset - chunk.base, special)
            if found is None:
                self._reason = "the split leaves this part of the text out: it becomes no token"
            else:
                self._told = self._of(chunk, *found, special)
        except TokexplorerError as error:
            self._reason = str(error)
        page_list = self.query_one(PageList)
        page_list.fill(self._rows, keep=False)
        page_list.retitle(f"Why · {show(chunk.data, 40)}")
        title = safe(title_of(self.scene.lens.chosen, self._tokenizer), 40)
        self.show_parts((0, "strong", "why"), (1, "", title), (2, "dim", f"at byte {offset:,} of {self._text.size:,}"))

    def _of(self, chunk: Chunk, story: ChunkStory, number: int, special: SpecialMode) -> Told:
        start, end = chunk.base + story.start, chunk.base + story.end
        encoded = self._tokenizer.encode(chunk.piece, special)
        at = next((n for n, stop in enumerate(encoded.ends) if stop > self._offset - chunk.base), 0)
        encoder = self._tokenizer.encoder if isinstance(self._tokenizer, TrainedTokenizer) else None
        own = self._own and isinstance(self._tokenizer, LearnedTokenizer | TrainedTokenizer)
        return Told(
            story,
            number,
            encoded.ids[at] if len(encoded) else -1,
            self._tokenizer.split,
            own,
            self._text.read(start - AROUND, start),
            self._text.read(end, end + AROUND),
            encoder,
        )

    def _rows(self, width: int) -> list[PageRow]:
        if self._told is None:
            return wrapped(safe(self._reason), max(10, width), "next")
        return page(self._told, width, self.query_one(PageList).ascii)

    def action_chunk(self, direction: int) -> None:
        """Go on along the text."""
        chunk = self._chunk
        place = chunk.end if direction > 0 else chunk.start - 1
        if 0 <= place < self._text.size:
            self._tell(place)
        else:
            self.say("that is the end of the text" if direction > 0 else "that is the start of the text")

    def action_follow(self) -> None:
        """Travel to the step of a merge."""
        target = self.query_one(PageList).target
        if isinstance(target, ToStep):
            self.dismiss(None)
            self._travel(target.step)

    def on_line_view_selected(self) -> None:
        """Enter or a click on a line."""
        self.action_follow()
