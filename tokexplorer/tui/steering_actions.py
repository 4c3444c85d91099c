"""The actions of the screens that the explorer's debugger verbs open: why, the curve, draws."""

from __future__ import annotations

from typing import Final

from tokexplorer.tui.actions import Action

VIEW: Final = "Looking"
GO: Final = "Going"
DRAW: Final = "Drawing"

_COMMON: Final = (
    Action("theme", "E", "app.theme", "theme", "The next theme.", GO),
    Action("help", "question_mark", "app.help", "help", "The keys of this screen.", GO, 99),
    Action("leave", "escape,q", "leave", "back", "Stop what is running; else back.", GO, 98),
)
WHY: Final = (
    Action("follow", "enter", "follow", "to the step", "Travel to the step of the merge under the cursor.", GO, 90),
    Action("chunk-next", "right,n", "chunk(1)", "next chunk", "The story of the next chunk.", VIEW, 80),
    Action("chunk-back", "left,N", "chunk(-1)", "chunk before", "The story of the chunk before.", VIEW, 70),
    *_COMMON,
)
"""Why a text is cut as it is."""
CURVE: Final = _COMMON
"""The curve and the lengths."""
DRAWS: Final = (
    Action("draw", "r,enter", "redraw", "draw anew", "Draw with the next seed.", DRAW, 90),
    Action("strength", "a", "strength", "p or alpha", "Set p of BPE-dropout, or alpha of Unigram.", DRAW, 88),
    Action("weaker", "minus,left", "turn(-1)", "less", "A smaller p or alpha.", DRAW, 74),
    Action("stronger", "plus,equals_sign,right", "turn(1)", "more", "A larger p or alpha.", DRAW, 76),
    Action("seed", "s", "seed", "seed", "Set the seed; the same seed gives the same draws.", DRAW, 80),
    Action("count", "n", "count", "draws", "Set how many are drawn.", DRAW, 78),
    Action("text", "p", "text", "text", "Another text to draw from.", DRAW, 72),
    *_COMMON,
)
"""Draws of segmentations."""
