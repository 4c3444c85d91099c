"""The actions of the screens that study tokenizers; each list feeds its screen's keys, key bar, palette and help."""

from __future__ import annotations

from typing import Final

from tokexplorer.tui.actions import Action

VIEW: Final = "Looking"
CHOOSE: Final = "Choosing"
GO: Final = "Going"
OWN_MERGES: Final = "Training"

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

COMPARE: Final = (
    Action(
        "mark-next",
        "n,right_square_bracket",
        "mark(1)",
        "next difference",
        "To the next place that is cut differently.",
        GO,
        90,
    ),
    Action(
        "mark-back",
        "N,left_square_bracket",
        "mark(-1)",
        "difference back",
        "To the place before that is cut differently.",
        GO,
        40,
    ),
    Action("tokenizer", "t", "tokenizer(1)", "tokenizer", "Another tokenizer in this column.", CHOOSE, 88),
    Action("tokenizer-back", "T", "tokenizer(-1)", "previous", "The tokenizer before in this column.", CHOOSE),
    Action(
        "choose",
        "o",
        "choose",
        "open",
        "Choose this column's tokenizer from a list, or open one from a file.",
        CHOOSE,
        60,
    ),
    Action("column-add", "plus,equals_sign", "add_column", "column", "One column more, four at most.", CHOOSE, 70),
    Action("column-drop", "minus", "drop_column", "fewer", "Without this column, two at least.", CHOOSE, 66),
    Action("column-next", "tab", "next_column(1)", "next column", "To the next column.", VIEW, 50),
    Action("column-back", "shift+tab", "next_column(-1)", "column before", "To the column before.", VIEW),
    Action(
        "probe", "p", "probe", "probe", "Compare on a text of your own, as you type it; again: on the corpus.", VIEW, 86
    ),
    Action("special", "k", "special", "specials", "Special strings in the text: as text, or as tokens.", VIEW, 30),
    Action("figures", "f", "figures", "figures", "All figures on the whole screen; again: back.", VIEW, 64),
    Action("ids", "number_sign", "ids", "ids", "Show ids instead of text.", VIEW, 28),
    Action("group", "h", "group", "group", "Join the tokens that share one character.", VIEW),
    Action("chunks", "d", "chunks", "chunks", "Show where each split cuts the text into chunks.", VIEW),
    Action("marks", "m", "marks", "marks", "Mark the differing places, or leave them unmarked.", VIEW),
    Action("step", "s", "step(1)", "step", "Make the next merge of our own.", OWN_MERGES, 58),
    Action("step-10", "S", "step(10)", "10 steps", "Make the next ten merges.", OWN_MERGES),
    Action("back", "b", "step(-1)", "back", "Undo the last merge of our own.", OWN_MERGES, 56),
    Action("back-10", "B", "step(-10)", "10 back", "Undo the last ten merges.", OWN_MERGES),
    Action("page", "enter", "page", "token page", "The page of the token under the cursor.", GO, 54),
    _THEME,
    _HELP,
    _BACK,
)
"""Compare."""

INSPECT: Final = (
    *(
        Action(f"tab-{name}", f"{number + 1}", f"tab({number})", name, words, VIEW)
        for number, (name, words) in enumerate(
            (
                ("glitch", "Tokens that their own text does not lead to, and those that were reported."),
                ("numbers", "How numbers are cut."),
                ("spaces", "What white space costs."),
                ("special", "Special tokens, and text that looks like them."),
                ("languages", "One paragraph in many languages, and your own files."),
                ("budget", "Context windows, money, embedding parameters."),
            )
        )
    ),
    Action("tab-next", "right_square_bracket,n", "next_tab(1)", "next tab", "To the next tab.", VIEW, 90),
    Action("tab-back", "left_square_bracket,N", "next_tab(-1)", "tab before", "To the tab before.", VIEW),
    Action("pane-next", "tab", "next_pane(1)", "next panel", "To the next panel of the tab.", VIEW, 84),
    Action("pane-back", "shift+tab", "next_pane(-1)", "panel before", "To the panel before.", VIEW),
    Action("tokenizer", "t", "tokenizer(1)", "tokenizer", "The next tokenizer.", CHOOSE, 88),
    Action("tokenizer-back", "T", "tokenizer(-1)", "previous", "The previous tokenizer.", CHOOSE),
    Action("choose", "o", "choose", "open", "Choose a tokenizer from a list, or open one from a file.", CHOOSE, 60),
    Action("edit", "p,slash", "edit", "type", "Into the tab's text field; again: into the next one.", CHOOSE, 86),
    Action("filter", "f", "filter", "filter", "Glitch: only one kind of tokens.", CHOOSE, 70),
    Action("sort", "r", "sort", "sort", "Languages: by cost, or in the order of the list.", CHOOSE, 68),
    Action("turn", "w", "turn", "after a space", "Numbers: bare, or after a space.", CHOOSE, 66),
    Action("page", "enter", "page", "token page", "The page of the token under the cursor.", GO, 64),
    _THEME,
    _HELP,
    _BACK,
)
"""Inspect."""

ALL: Final = (*TOKEN_PAGE, *VOCABULARY, *COMPARE, *INSPECT)
"""Those of all these screens."""
