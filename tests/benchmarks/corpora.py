"""Texts to measure on: prefixes of a file that was given, or of the Python sources of this machine, mixed."""

from __future__ import annotations

import random
import sysconfig
from collections.abc import Iterator
from pathlib import Path

SHORTAGE = 0.98
"""A corpus may fall short of its size by so much: its end is cut to whole characters."""


def build(folder: Path, sizes: list[int], source: Path | None) -> tuple[dict[int, Path], str]:
    """Files of so many megabytes (1,000,000 bytes) of valid UTF-8, and a phrase that says what they hold.

    Sizes that the source does not fill are left out.
    """
    found = {}
    for size in sizes:
        path = folder / f"{size}.txt"
        wanted = size * 1_000_000
        if _write(path, _parts_of(source) if source is not None else _python_sources(), wanted) >= wanted * SHORTAGE:
            found[size] = path
    what = f"the first bytes of {source.name}" if source is not None else "Python sources of this machine, shuffled"
    return found, what


def _write(path: Path, parts: Iterator[bytes], wanted: int) -> int:
    """Write parts up to a size; nothing large is held, as a child starts as a copy of this process."""
    written = 0
    with open(path, "wb") as file:
        for part in parts:
            written += file.write(part[: wanted - written].decode("utf-8", "ignore").encode())
            if written >= wanted - 4:
                break
    return written


def _parts_of(source: Path) -> Iterator[bytes]:
    with open(source, "rb") as file:
        while lines := file.readlines(1 << 20):
            yield b"".join(lines)


def _python_sources() -> Iterator[bytes]:
    paths = sysconfig.get_paths()
    folders = sorted({paths["stdlib"], paths["purelib"], paths["platlib"]})
    files = sorted({file for folder in folders for file in Path(folder).rglob("*.py")})
    random.Random(1).shuffle(files)
    for file in files:
        try:
            yield file.read_bytes()
        except OSError:
            continue
