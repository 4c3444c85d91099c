"""The command line: which sub-command runs, and how every end of it becomes an exit status and at most one line."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from tokexplorer import __version__
from tokexplorer.cli.parser import COMMANDS, PROGRAM, Parser, command_parser, explorer_parser
from tokexplorer.engine.errors import TokexplorerError, UsageError

DONE: Final = 0
FAILED: Final = 1
WRONG_CALL: Final = 2
INTERRUPTED: Final = 130


class Command(Protocol):
    """A sub-command's module."""

    USAGE: str
    EXAMPLE: str

    def declare(self, parser: Parser) -> None:
        """Add the sub-command's arguments."""

    def run(self, args: Namespace) -> int:
        """Do the work, print, and give the exit status."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program with these arguments (of the process where None); returns the exit status.

    0 done, 1 the work failed, 2 the call is wrong, 130 interrupted. Nothing is raised.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _ends(lambda: _dispatch(words))
        return _ends(_flush) or status
    except KeyboardInterrupt:
        _silence(sys.stdout)
        return INTERRUPTED


def _dispatch(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        module: Command = importlib.import_module(f"tokexplorer.cli.{words[0]}_command")
        parser = command_parser(words[0], module.USAGE, module.EXAMPLE)
        module.declare(parser)
        return module.run(parser.parse(words[1:]))
    args = explorer_parser().parse(words)
    if args.version:
        from tokexplorer.cli.output import Out

        Out().line(f"{PROGRAM} {__version__}")
        return DONE
    from tokexplorer.startup import prepare

    startup = prepare(args)
    from tokexplorer.tui.app import run_explorer

    return run_explorer(args.files, startup)


def _ends(action: Callable[[], int]) -> int:
    """Run an action; what it raises becomes a line on stderr and a status."""
    try:
        return action()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else DONE
    except UsageError as error:
        return _fail(str(error), WRONG_CALL)
    except TokexplorerError as error:
        return _fail(str(error), FAILED)
    except BrokenPipeError:
        _silence(sys.stdout)
        return DONE
    except OSError as error:
        _silence(sys.stdout)
        name = f"{error.filename}: " if error.filename is not None else ""
        return _fail(f"{name}{error.strerror or error}", FAILED)
    except MemoryError:
        return _fail("there is not enough memory for this", FAILED)
    except Exception as error:
        import traceback

        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}, line {place.lineno}"
        return _fail(f"internal error, please report it: {type(error).__name__}: {error} ({where})", FAILED)


def _flush() -> int:
    if sys.stdout is not None:
        sys.stdout.flush()
    return DONE


def _fail(message: str, status: int) -> int:
    from tokexplorer.cli.output import narrate

    narrate(f"tokexplorer: {message}")
    return status


def _silence(stream: object) -> None:
    """Send what is still in a stream's buffer nowhere, so that the interpreter's own flush at exit cannot fail."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())  # type: ignore[attr-defined]
        os.close(null)
