"""Running the command line in this process, or as a program of its own, with everything it writes caught."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from tokexplorer.cli import main


@dataclass(frozen=True, slots=True)
class Ended:
    """How a call ended."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


class Terminal(io.TextIOWrapper):
    """A stream that takes itself for a terminal."""

    def isatty(self) -> bool:
        return True


def run(
    *argv: str, stdin: bytes = b"", terminal: bool = False, encoding: str = "utf-8", errors: str = "strict"
) -> Ended:
    """Call `main` with its streams caught; `terminal`: standard output is one."""
    out, err = io.BytesIO(), io.BytesIO()
    kind = Terminal if terminal else io.TextIOWrapper
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        patch.setattr(sys, "stdout", kind(out, encoding=encoding, errors=errors, newline="\n"))
        patch.setattr(sys, "stderr", io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace", newline="\n"))
        status = main(argv)
        sys.stdout.flush()
        sys.stderr.flush()
        return Ended(status, out.getvalue(), err.getvalue().decode())


def program(
    *argv: str | bytes, stdin: bytes = b"", env: Mapping[str, str] | None = None, before: Sequence[str] = ()
) -> Ended:
    """Run the program as a process; `before` is a command that runs it, such as a shell with `"$@"`."""
    command = [*before, sys.executable, "-m", "tokexplorer", *argv]
    ended = subprocess.run(command, input=stdin, capture_output=True, env={**os.environ, **(env or {})}, timeout=60)
    return Ended(ended.returncode, ended.stdout, ended.stderr.decode())
