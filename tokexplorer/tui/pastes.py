"""Pastes as the parser of Textual 8.2.8 can take them: it reads an escape character inside a bracketed paste as the
beginning of keys, so that a hostile paste could press some."""

from __future__ import annotations

from typing import Final

ESC: Final = "\x1b"
START: Final = "\x1b[200~"
END: Final = "\x1b[201~"
STAND_IN: Final = "\udc1b"
"""What stands for an escape character inside a paste. It cannot come from a terminal: it is no character of UTF-8."""


class PasteGuard:
    """Takes what the terminal sends, piece by piece, and gives it with every escape character inside a paste replaced
    by STAND_IN. Nothing outside a paste is held back, so that a single Esc stays a key."""

    def __init__(self) -> None:
        self._inside = False
        self._before = ""
        """outside: the last characters, which may begin a START; inside: what may begin an END and is held back"""

    def feed(self, text: str) -> str:
        """The text as the parser may have it."""
        given: list[str] = []
        while text:
            taken, text = self._pasted(text) if self._inside else self._typed(text)
            given.append(taken)
        return "".join(given)

    def _typed(self, text: str) -> tuple[str, str]:
        seen = self._before + text
        at = seen.find(START)
        if at < 0:
            self._before = seen[1 - len(START) :]
            return text, ""
        self._inside, end = True, at + len(START) - len(self._before)
        self._before = ""
        return text[:end], text[end:]

    def _pasted(self, text: str) -> tuple[str, str]:
        seen = self._before + text
        at = seen.find(END)
        if at >= 0:
            self._inside, self._before = False, ""
            return seen[:at].replace(ESC, STAND_IN) + END, seen[at + len(END) :]
        held = next((n for n in range(len(END) - 1, 0, -1) if seen.endswith(END[:n])), 0)
        self._before = seen[len(seen) - held :]
        return seen[: len(seen) - held].replace(ESC, STAND_IN), ""


def restored(pasted: str) -> str:
    """A paste as it was sent."""
    return pasted.replace(STAND_IN, ESC)
