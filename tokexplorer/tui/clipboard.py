"""Copying: through the terminal, which never says whether it took it, and into a file, which always works."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tokexplorer.engine.errors import InputError
from tokexplorer.files.sources import shown_path
from tokexplorer.terminal import Multiplexer, clipboard_text, osc52

OFFER = "Y writes it to a file"


@dataclass(frozen=True, slots=True)
class Copy:
    """What a copy sends to the terminal (nothing where it is too long) and what is said of it; safe to show."""

    sequence: str
    words: str
    sent: bool


def prepare(data: bytes, through: Multiplexer) -> Copy:
    """A copy of some bytes. What would steer whatever they are pasted into is replaced by stand-ins, which is said."""
    text, replaced = clipboard_text(data)
    try:
        sequence = osc52(text, through).decode("ascii")
    except InputError as error:
        return Copy("", f"nothing is sent: {error}: {OFFER}", False)
    count = "1 byte" if len(data) == 1 else f"{len(data):,} bytes"
    stand_ins = "" if not replaced else ", 1 stand-in" if replaced == 1 else f", {replaced:,} stand-ins"
    return Copy(sequence, f"sent to the terminal: {count}{stand_ins} · {OFFER}", True)


def check_path(text: str) -> Path:
    """Where a file can be written that is not there yet. InputError says why it cannot."""
    if not text.strip():
        raise InputError("a file's name is needed")
    path = Path(text.strip()).expanduser()
    try:
        if path.exists():
            raise InputError(f"{shown_path(path)}: is there already")
        if not path.parent.is_dir():
            raise InputError(f"{shown_path(path.parent)}: is no folder")
    except (OSError, ValueError) as error:
        raise InputError(f"{shown_path(text)}: is no file's name ({error})") from error
    return path


def write(path: Path, data: bytes) -> None:
    """Write a new file, byte for byte. InputError where that fails; no file is overwritten."""
    try:
        with path.open("xb") as file:
            file.write(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{shown_path(path)}: cannot be written: {reason}") from error
