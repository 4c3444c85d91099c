"""Texts to measure on: prefixes of a file that was given, or of the Python sources of this machine, mixed."""

from __future__ import annotations

import random
import sysconfig
from pathlib import Path

SHORTAGE = 0.98
"""A corpus may fall short of its size by so much: its end is cut to whole characters."""


def build(folder: Path, sizes: list[int], source: Path | None) -> tuple[dict[int, Path], str]:
    """Files of so many megabytes (1,000,000 bytes) of valid UTF-8, and a phrase that says what they hold.

    Sizes that the source does not fill are left out.
    """
    need = max(sizes) * 1_000_000
    data = _head(source, need) if source is not None else _python_sources(need)
    found = {}
    for size in sizes:
        text = data[: size * 1_000_000].decode("utf-8", "ignore").encode()
        if len(text) >= size * 1_000_000 * SHORTAGE:
            found[size] = folder / f"{size}.txt"
            found[size].write_bytes(text)
    what = f"the first bytes of {source.name}" if source is not None else "Python sources of this machine, shuffled"
    return found, what


def _head(source: Path, need: int) -> bytes:
    with open(source, "rb") as file:
        return file.read(need + 1_000_000).decode("utf-8", "ignore").encode()


def _python_sources(need: int) -> bytes:
    paths = sysconfig.get_paths()
    folders = sorted({paths["stdlib"], paths["purelib"], paths["platlib"]})
    files = sorted({file for folder in folders for file in Path(folder).rglob("*.py")})
    random.Random(1).shuffle(files)
    parts: list[bytes] = []
    size = 0
    for file in files:
        if size >= need:
            break
        try:
            parts.append(file.read_bytes().decode("utf-8", "ignore").encode())
        except OSError:
            continue
        size += len(parts[-1])
    return b"".join(parts)
