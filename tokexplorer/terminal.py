"""What the terminal can do, told from the environment; what is written to it beside the screen: clipboard, title."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import regex

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.glyphs import safe

Environment = Mapping[str, str]

ESC: Final = b"\x1b"
CLIPBOARD_LIMIT: Final = 74_994
"""Bytes that a copy through the terminal may have: xterm and hterm take 100,000 bytes of sequence, which is this in
base64; others take more, none says so when it drops a longer one."""
TITLE_CELLS: Final = 80

RESTORE: Final = (
    b"\x1b[?2026l"  # synchronized output ends, so that the rest is shown
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # mouse
    b"\x1b[?1004l"  # focus reports
    b"\x1b[?2004l"  # bracketed paste
    b"\x1b[?2048l"  # resize reports
    b"\x1b[<u"  # the kitty keyboard's flags: each screen has its own stack, so before the alternate screen is left
    b"\x1b[?7h"  # line wrap
    b"\x1b[?1l\x1b>"  # cursor keys and keypad
    b"\x1b(B\x0f"  # ASCII, not line drawing
    b"\x1b[0m"
    b"\x1b[?1049l"
    b"\x1b[?25h\x1b[0m"
)
"""Undoes whatever a full-screen program switched on. Only for a terminal where one was started."""
SAVE_TITLE: Final = b"\x1b[22;2t"
GIVE_BACK_TITLE: Final = b"\x1b[23;2t"


class ColorChoice(StrEnum):
    """What `--colors` takes."""

    AUTO = "auto"
    TRUE = "true"
    C256 = "256"
    C16 = "16"
    NONE = "none"


class Multiplexer(StrEnum):
    """What stands between us and the terminal, and must be asked to let things through."""

    NONE = "none"
    TMUX = "tmux"
    SCREEN = "screen"


@dataclass(frozen=True, slots=True)
class Terminal:
    """What is known of the terminal. `colors` is never AUTO; `notes` are lines for the user, safe to show."""

    colors: ColorChoice
    ascii: bool
    multiplexer: Multiplexer
    notes: tuple[str, ...] = ()
    console: bool = False
    """a text console or a hardware terminal, which may print sequences that it does not know"""


_NOT_A_SCREEN: Final = ("", "dumb", "unknown")
_WITHOUT_COLORS: Final = regex.compile(r"vt(?:52|1\d\d|2\d\d|3\d\d|4\d\d)(?:-.*)?|.+-(?:m|mono|old)")
_SIXTEEN: Final = regex.compile(r"linux(?:-.*)?|cons25.*|.*-16color|ansi.*|sun.*")
_TRUE: Final = regex.compile(r".*-direct|.*(?:kitty|alacritty|ghostty|wezterm|contour|foot)(?:-.*)?")


def examine(environment: Environment, colors: ColorChoice = ColorChoice.AUTO, ascii: bool = False) -> Terminal:
    """What the terminal can do. `colors` and `ascii` are what the user asked for, and win.

    UsageError where it is not one that a screen can be drawn on (`TERM=dumb`).
    """
    term = environment.get("TERM", "")
    if term in _NOT_A_SCREEN:
        said = f"TERM={term}" if term else "TERM is not set"
        raise UsageError(
            f"{said}: this terminal has no screen to draw on; the sub-commands work here (tokexplorer --help)"
        )
    problem = locale_problem(environment)
    notes = (problem,) if problem and not ascii else ()
    return Terminal(
        color_system(environment) if colors is ColorChoice.AUTO else colors,
        ascii or problem is not None,
        multiplexer(environment),
        notes,
        is_console(term),
    )


def is_console(term: str) -> bool:
    """Whether a terminal of this kind may print a sequence that it does not know."""
    return _WITHOUT_COLORS.fullmatch(term) is not None or _SIXTEEN.fullmatch(term) is not None


def color_system(environment: Environment) -> ColorChoice:
    """The colours that the terminal is known to have; NO_COLOR (https://no-color.org) means none.

    COLORTERM is not believed on the Linux console and inside GNU screen, where it is left over from outside.
    """
    if environment.get("NO_COLOR", ""):
        return ColorChoice.NONE
    term = environment.get("TERM", "").lower()
    if _WITHOUT_COLORS.fullmatch(term):
        return ColorChoice.NONE
    if _SIXTEEN.fullmatch(term):
        return ColorChoice.C16
    screen = multiplexer(environment) is not Multiplexer.TMUX and term.startswith("screen")
    claimed = environment.get("COLORTERM", "").lower() in ("truecolor", "24bit")
    if not screen and (claimed or environment.get("WT_SESSION", "") or _TRUE.fullmatch(term)):
        return ColorChoice.TRUE
    return ColorChoice.C256 if "256color" in term else ColorChoice.C16


def multiplexer(environment: Environment) -> Multiplexer:
    """What wraps the terminal. `TERM=screen...` alone does not tell, since tmux may use that name too, over ssh without
    TMUX: then nothing is wrapped."""
    if environment.get("TMUX", "") or environment.get("TERM", "").startswith("tmux"):
        return Multiplexer.TMUX
    return Multiplexer.SCREEN if environment.get("STY", "") else Multiplexer.NONE


def is_tmux(environment: Environment) -> bool:
    """Whether the terminal is a tmux."""
    return multiplexer(environment) is Multiplexer.TMUX


def locale_problem(environment: Environment) -> str | None:
    """One line where the locale is not UTF-8, None where it is.

    No locale at all says nothing of the terminal (containers, bare sshd) and Python takes UTF-8 then; but a tmux
    without one writes no UTF-8.
    """
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = environment.get(name, "")
        if value:
            if _is_utf8(value):
                return None
            said = f"the locale {name}={safe(value, 40, ascii=True)}"
            return f"{said} is not UTF-8, so signs and texts are shown in ASCII; set {name}=C.UTF-8 to see all"
    if is_tmux(environment):
        return "no locale is set inside tmux, so signs and texts are shown in ASCII; set LANG=C.UTF-8 to see all"
    return None


def _is_utf8(locale: str) -> bool:
    codeset = locale.partition("@")[0].rpartition(".")[2]
    return codeset.lower().replace("-", "") == "utf8"


def startup_environment() -> dict[str, str]:
    """The environment as this process was started with. Python itself sets LC_CTYPE=C.UTF-8 at the start where the
    locale is C (PEP 538), so `os.environ` does not tell; where there is no /proc it is all there is."""
    try:
        raw = Path("/proc/self/environ").read_bytes()
    except OSError:
        return dict(os.environ)
    pairs = (entry.partition(b"=") for entry in raw.split(b"\0"))
    return {os.fsdecode(name): os.fsdecode(value) for name, sign, value in pairs if sign}


_TEXTUAL_COLORS: Final = {
    ColorChoice.TRUE: "truecolor",
    ColorChoice.C256: "256",
    ColorChoice.C16: "standard",
    ColorChoice.NONE: "standard",
}


def textual_environment(terminal: Terminal, low_bandwidth: bool = False) -> dict[str, str | None]:
    """The variables that Textual reads when it is first imported, None for those that must not be set.

    NO_COLOR alone makes Textual grey; only together with `App(ansi_color=True)` it writes no colour at all.
    """
    wanted: dict[str, str | None] = {
        "TEXTUAL_COLOR_SYSTEM": _TEXTUAL_COLORS[terminal.colors],
        "NO_COLOR": "1" if terminal.colors is ColorChoice.NONE else None,
    }
    if terminal.console:
        wanted["TEXTUAL_DISABLE_KITTY_KEY"] = "1"
    if low_bandwidth:
        wanted |= {"TEXTUAL_ANIMATIONS": "none", "TEXTUAL_SMOOTH_SCROLL": "0"}
    return wanted


def osc52(data: bytes, through: Multiplexer = Multiplexer.NONE, limit: int = CLIPBOARD_LIMIT) -> bytes:
    """What puts `data` on the clipboard of the terminal (OSC 52); no terminal says whether it did.

    InputError above `limit` bytes. Inside tmux it goes both plainly (taken with `set-clipboard on`) and wrapped (let
    through by tmux before 3.3, later with `allow-passthrough on`).
    """
    if len(data) > limit:
        raise InputError(f"{len(data):,} bytes are more than the {limit:,} that terminals take; write them to a file")
    plain = ESC + b"]52;c;" + b64encode(data) + b"\x07"
    if through is Multiplexer.TMUX:
        return plain + ESC + b"Ptmux;" + plain.replace(ESC, ESC + ESC) + ESC + b"\\"
    if through is Multiplexer.SCREEN:
        return b"".join(ESC + b"P" + plain[i : i + 240] + ESC + b"\\" for i in range(0, len(plain), 240))
    return plain


_STEERS: Final = regex.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f\udc80-\udcff]"
)


def clipboard_text(data: bytes) -> tuple[bytes, int]:
    """A text that is harmless wherever it is pasted, and how many characters of it stand-ins took the place of.

    Control characters but tab and line feed (a pasted ESC ends a bracketed paste), bidi controls, tags and bytes that
    are not UTF-8 are shown as on the screen; everything else is exact.
    """
    text, count = _STEERS.subn(lambda found: safe(found.group()), to_text(data))
    return to_bytes(text), count


def title(text: str, environment: Environment, ascii: bool = False) -> bytes:
    """What sets the window's title to `text`; nothing on terminals that have none and may print it instead."""
    term = environment.get("TERM", "")
    if term in _NOT_A_SCREEN or is_console(term):
        return b""
    return ESC + b"]2;" + safe(text, TITLE_CELLS, ascii).encode("utf-8") + b"\x07"
