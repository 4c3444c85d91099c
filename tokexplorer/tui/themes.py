"""The looks: dark, light, and the terminal's own 16 colours. One accent; amber is next, green is just made."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

DARK: Final = Theme(
    name="tokexplorer-dark",
    primary="#5ea1d8",
    secondary="#7f8ea3",
    accent="#5ea1d8",
    warning="#f0b13c",
    success="#7ac47f",
    error="#e0695f",
    foreground="#d5d9e0",
    background="#14171c",
    surface="#191d23",
    panel="#20262e",
    dark=True,
    variables={"border": "#3a4350", "footer-key-foreground": "#5ea1d8"},
)
LIGHT: Final = Theme(
    name="tokexplorer-light",
    primary="#1f5f99",
    secondary="#5b6675",
    accent="#1f5f99",
    warning="#9a5b00",
    success="#1d7030",
    error="#a8322a",
    foreground="#20252c",
    background="#fbfaf7",
    surface="#f4f2ee",
    panel="#e9e6e0",
    dark=False,
    variables={"border": "#b9b4aa", "footer-key-foreground": "#1f5f99"},
)
TERMINAL: Final = "ansi-dark"
"""Textual's theme of the terminal's own colours."""

CYCLE: Final = (DARK.name, LIGHT.name, TERMINAL)
