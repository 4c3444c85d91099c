"""The colours of the token view: a palette for dark and light themes, 16 colours and none, and how cues add up."""

from __future__ import annotations

from typing import Final, NamedTuple

from rich.style import Style

from tokexplorer.engine.glyphs import Kind
from tokexplorer.tui.widgets.painted import PaintedLines, faded
from tokexplorer.tui.widgets.token_colours import COLOURS
from tokexplorer.tui.widgets.token_model import Mark

TOKEN_CLASSES: Final = {
    *(f"token-view--colour-{number}" for number in range(COLOURS)),
    *(f"token-view--{mark.value}" for mark in Mark if mark),
    "token-view--next-2",
    "token-view--made-2",
    "token-view--cursor",
    "token-view--border",
    "token-view--empty",
}
# The colours of one theme stay apart when they are rounded to the 6 levels of the 256-colour cube.
TOKEN_CSS: Final = """
TokenView {
    & > .token-view--colour-0 { background: #3b7dff 40%; }
    & > .token-view--colour-1 { background: #783cff 40%; }
    & > .token-view--colour-2 { background: #0e9696 36%; }
    & > .token-view--colour-3 { background: #d93c8c 38%; }
    & > .token-view--colour-4 { background: #8592a6 28%; }
    & > .token-view--colour-5 { background: #c8461e 36%; }
    & > .token-view--colour-6 { background: #969628 36%; }
    & > .token-view--next { background: #ffb000; color: #201400; text-style: bold; }
    & > .token-view--next-2 { background: #d98e00; color: #201400; text-style: bold; }
    & > .token-view--made { background: #2fbf71; color: #04210f; text-style: bold; }
    & > .token-view--made-2 { background: #1f9d5a; color: #04210f; text-style: bold; }
    & > .token-view--special { background: #b3261e; color: #ffffff; text-style: bold; }
    & > .token-view--unknown { color: #ff6b6b; text-style: bold strike; }
    & > .token-view--differs { color: $text-warning; text-style: bold italic; }
    & > .token-view--cursor { background: $foreground 45%; text-style: bold; }
    &:focus > .token-view--cursor { background: $foreground; color: $background; }
    & > .token-view--border { color: $foreground 40%; }
    & > .token-view--empty { color: $foreground 50%; text-style: italic; }
    &:light > .token-view--colour-0 { background: #3b7dd8 30%; }
    &:light > .token-view--colour-1 { background: #8b5cf6 30%; }
    &:light > .token-view--colour-2 { background: #0ea5a5 30%; }
    &:light > .token-view--colour-3 { background: #d9528f 28%; }
    &:light > .token-view--colour-4 { background: #8592a6 26%; }
    &:light > .token-view--colour-5 { background: #e66e28 32%; }
    &:light > .token-view--colour-6 { background: #8f8f00 30%; }
    &:light > .token-view--unknown { color: #b00020; }
    &:light > .token-view--differs { color: #7a4300; }
    &:ansi {
        & > .token-view--colour-0 { background: ansi_blue; color: ansi_bright_white; }
        & > .token-view--colour-1 { background: ansi_magenta; color: ansi_bright_white; }
        & > .token-view--colour-2 { background: ansi_cyan; color: ansi_black; }
        & > .token-view--colour-3 { background: ansi_bright_black; color: ansi_bright_white; }
        & > .token-view--colour-4 { background: ansi_default; color: ansi_default; }
        & > .token-view--colour-5 { background: ansi_bright_blue; color: ansi_black; }
        & > .token-view--colour-6 { background: ansi_white; color: ansi_black; }
        & > .token-view--next { background: ansi_bright_yellow; color: ansi_black; }
        & > .token-view--next-2 { background: ansi_yellow; color: ansi_black; }
        & > .token-view--made { background: ansi_bright_green; color: ansi_black; }
        & > .token-view--made-2 { background: ansi_green; color: ansi_black; }
        & > .token-view--special { background: ansi_red; color: ansi_bright_white; }
        & > .token-view--unknown { background: ansi_default; color: ansi_bright_red; }
        & > .token-view--differs { background: ansi_default; color: ansi_bright_yellow; }
        & > .token-view--cursor { background: ansi_default; color: ansi_default; text-style: bold underline; }
        & > .token-view--border { color: ansi_default; text-style: dim; }
        & > .token-view--empty { color: ansi_default; text-style: dim; }
    }
    &:ansi:focus > .token-view--cursor { text-style: bold reverse; }
    &:nocolor {
        & > .token-view--next { background: $background; color: $foreground; text-style: bold reverse; }
        & > .token-view--next-2 { background: $background; color: $foreground; text-style: bold reverse; }
        & > .token-view--made { background: $background; color: $foreground; text-style: bold; }
        & > .token-view--made-2 { background: $background; color: $foreground; text-style: bold; }
        & > .token-view--special { background: $background; color: $foreground; text-style: bold underline; }
        & > .token-view--differs { text-style: italic; }
        & > .token-view--cursor { background: $background; color: $foreground; text-style: reverse; }
    }
    &:nocolor:focus > .token-view--cursor { text-style: bold reverse underline; }
}
"""
_SPACES: Final = frozenset({Kind.SPACE, Kind.NEWLINE, Kind.TAB})
_FADED_SPACE: Final = 0.5
_FADED: Final = 0.3


class GlyphLook(NamedTuple):
    """All that the style of a glyph hangs on; `cut`: it is the first of its token, which is to be underlined."""

    colour: int
    mark: Mark
    shade: int
    cursor: bool
    kind: Kind
    cut: bool


class TokenStyles:
    """The styles of a view in its present theme. Make it forget when the theme, the focus or a class changes."""

    def __init__(self, view: PaintedLines) -> None:
        self._view = view
        self._known: dict[GlyphLook, Style] = {}

    def forget(self) -> None:
        """The view's colours have changed."""
        self._known.clear()

    def of(self, look: GlyphLook) -> Style:
        """A glyph's style: the token's colour, its mark, the cursor, the fading of a stand-in, the sign of a cut."""
        style = self._known.get(look)
        if style is None:
            style = self._known[look] = self._make(look)
        return style

    def border(self, look: GlyphLook) -> Style:
        """The style of the sign before a token."""
        return self.of(look) + self._view.component("token-view--border") + Style(underline=False)

    def _make(self, look: GlyphLook) -> Style:
        component = self._view.component
        style = self._view.rich_style + component(f"token-view--colour-{look.colour}")
        if look.mark:
            again = "-2" if look.shade and look.mark in (Mark.NEXT, Mark.MADE) else ""
            style += component(f"token-view--{look.mark.value}{again}")
        if look.cursor:
            style += component("token-view--cursor")
        if look.kind is not Kind.PLAIN:
            style = faded(style, _FADED_SPACE if look.kind in _SPACES else _FADED)
        if look.kind is Kind.BROKEN:
            style += Style(italic=True)
        return style + Style(underline=True) if look.cut else style
