"""What the explorer starts with: options over the user's settings over defaults, and what the terminal can do.

Textual reads some of it from the environment when it is first imported, so this comes before.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, field
from typing import Final

from tokexplorer import settings
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.settings import Preferences
from tokexplorer.terminal import (
    ColorChoice,
    Multiplexer,
    Terminal,
    examine,
    startup_environment,
    textual_environment,
)

SLOW_ESCAPE: Final = "400"
"""Milliseconds, on a slow link, after which an Esc that nothing follows is the key and not the start of another."""


@dataclass(frozen=True, slots=True)
class Startup:
    """`notes` are lines for the user, safe to show: what of the settings or the terminal is not as it should be."""

    preferences: Preferences = field(default_factory=Preferences)
    terminal: Terminal = field(default_factory=lambda: Terminal(ColorChoice.TRUE, False, Multiplexer.NONE))
    low_bandwidth: bool = False
    mouse: bool = True
    resume: bool = False
    notes: tuple[str, ...] = ()


def prepare(options: argparse.Namespace) -> Startup:
    """Read the settings, look at the terminal, and set the environment for Textual.

    UsageError where there is no screen to draw on, InputError where standard output is no terminal. What is wrong in
    the settings file is among the notes: the program goes on without it.
    """
    if options.resume and options.files:
        raise UsageError("--resume goes on with the texts of the last session; name no files with it")
    if sys.stdout is None or not sys.stdout.isatty():
        raise InputError("the explorer needs a terminal; for pipes there are the sub-commands: tokexplorer --help")
    preferences, notes = _preferences()
    colors = ColorChoice(options.colors)
    terminal = examine(
        startup_environment(),
        preferences.colors if colors is ColorChoice.AUTO else colors,
        options.ascii or preferences.ascii,
    )
    low_bandwidth = options.low_bandwidth or preferences.low_bandwidth
    for name, value in textual_environment(terminal, low_bandwidth).items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    if low_bandwidth:
        os.environ.setdefault("ESCDELAY", SLOW_ESCAPE)
    return Startup(
        preferences,
        terminal,
        low_bandwidth,
        preferences.mouse and not options.no_mouse,
        options.resume,
        (*notes, *terminal.notes),
    )


def _preferences() -> tuple[Preferences, tuple[str, ...]]:
    try:
        return settings.load(), ()
    except InputError as error:
        return Preferences(), (f"{error}; the defaults are taken",)
