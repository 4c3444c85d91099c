"""The token pane: a text cut by a tokenizer, the detail of the token under the cursor, and the probe field."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static, TextArea

from tokexplorer.tui.widgets.titled import Titled
from tokexplorer.tui.widgets.token_view import TokenView


class TokenPane(Vertical, Titled):
    """Holds the token view. The screen gives it models and words; it tells of a probe that was typed."""

    DEFAULT_CSS = """
    TokenPane {
        & #probe { height: 5; display: none; border: tall $border; padding: 0; }
        &.-probing #probe { display: block; }
        & #detail { height: 2; color: $foreground; }
        & TokenView { height: 1fr; }
    }
    """

    detail: reactive[Text] = reactive(Text(""), repaint=False)
    probing: reactive[bool] = reactive(False, repaint=False)

    class ProbeTyped(Message):
        """The probe text has changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def compose(self) -> ComposeResult:
        """Field, view, detail."""
        yield TextArea(id="probe", show_line_numbers=False, soft_wrap=True, tab_behavior="focus")
        yield TokenView(id="token-view")
        yield Static("", id="detail", markup=False)

    @property
    def probe_text(self) -> str:
        """What is typed in the field."""
        return self.query_one(TextArea).text

    @probe_text.setter
    def probe_text(self, text: str) -> None:
        self.query_one(TextArea).load_text(text)

    @property
    def view(self) -> TokenView:
        """The token view."""
        return self.query_one(TokenView)

    def watch_detail(self) -> None:
        """Show another token's detail."""
        if self.is_mounted:
            self.query_one("#detail", Static).update(self.detail, layout=False)

    def watch_probing(self) -> None:
        """Open or close the field."""
        self.set_class(self.probing, "-probing")
        if self.is_mounted:
            (self.query_one("#probe") if self.probing else self.view).focus()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Tell the screen."""
        event.stop()
        if self.probing:
            self.post_message(self.ProbeTyped(event.text_area.text))
