"""The typed errors of the project. Each message is one line, worded for a user, with file and place where known."""

from __future__ import annotations


class TokexplorerError(Exception):
    """Base of all errors that a user may meet; `str(error)` is one line fit for the screen."""


class InputError(TokexplorerError):
    """A file, a text or a value could not be taken (exit status 1)."""


class UsageError(TokexplorerError):
    """The call itself is wrong: an unknown name, a value out of range (exit status 2)."""
