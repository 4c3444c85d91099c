"""The actions of the screens that study tokenizers; each list feeds its screen's keys, key bar, palette and help."""

from __future__ import annotations

from typing import Final

from tokexplorer.tui.actions import Action

VIEW: Final = "Looking"
CHOOSE: Final = "Choosing"
GO: Final = "Going"

_HELP: Final = Action("help", "question_mark", "app.help", "help", "The keys of this screen.", GO, 99)
_THEME: Final = Action("theme", "E", "app.theme", "theme", "The next theme.", GO)
_BACK: Final = Action("leave", "escape,q", "leave", "back", "Stop what is running; else back.", GO, 98)

TOKEN_PAGE: Final = (
    Action("follow", "enter", "follow", "follow", "To the token or the place of the line under the cursor.", GO, 90),
    Action("page-back", "backspace,b", "back", "page before", "Back to the page before.", GO, 80),
    Action("pane-next", "tab,shift+tab", "next_pane", "other half", "To the other half of the page.", VIEW, 70),
    Action("find", "v", "vocabulary", "vocabulary", "Show the token within its vocabulary.", GO, 50),
    Action("copy", "y", "copy", "copy", "Copy the token's text.", GO, 60),
    _THEME,
    _HELP,
    _BACK,
)
"""A token's page."""

VOCABULARY: Final = (
    Action("page", "enter", "page", "page", "The page of the token under the cursor.", GO, 90),
    Action("search", "slash", "search", "search", "Search: text, hex:d0 be, id:5-9, re:PATTERN.", CHOOSE, 88),
    Action("filter", "f", "filter", "filter", "Only tokens of a kind or of a script.", CHOOSE, 86),
    Action("sort", "r", "sort", "sort", "By id, by length, by uses in the corpus.", CHOOSE, 84),
    Action("goto", "g", "goto", "go to id", "Go to an id.", GO, 70),
    Action("tokenizer", "t", "tokenizer(1)", "tokenizer", "The next tokenizer.", CHOOSE, 82),
    Action("tokenizer-back", "T", "tokenizer(-1)", "previous", "The previous tokenizer.", CHOOSE),
    Action("choose", "o", "choose", "open", "Choose a tokenizer from a list, or open one from a file.", CHOOSE, 60),
    Action("pane-next", "tab,shift+tab", "next_pane", "other half", "Between the table and the token beside it.", VIEW),
    Action("copy", "y", "copy", "copy", "Copy the token's text.", GO),
    _THEME,
    _HELP,
    _BACK,
)
"""The vocabulary."""
