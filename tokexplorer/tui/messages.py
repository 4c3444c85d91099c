"""Messages between the worker that owns the session and the screen. In the past tense: they tell what happened."""

from __future__ import annotations

from textual.message import Message

from tokexplorer.session import Snapshot


class SnapshotTaken(Message):
    """A run has come to a new moment. Only the newest one matters."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self.snapshot = snapshot

    def can_replace(self, message: Message) -> bool:
        """A newer moment takes the place of one that was not shown yet."""
        return isinstance(message, SnapshotTaken)


class Progressed(Message):
    """So much of the work is done; `total` 0 where it is not known."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__()
        self.done = done
        self.total = total

    def can_replace(self, message: Message) -> bool:
        """Only the newest one matters."""
        return isinstance(message, Progressed)


class Finished(Message):
    """The worker has ended and given the session back."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        super().__init__()
        self.snapshot = snapshot


class Failed(Message):
    """The worker has ended without a result; `reason` is one worded line."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class Counted(Message):
    """The tokens of the whole text through one tokenizer have been counted."""

    def __init__(self, key: tuple[object, ...], tokens: int) -> None:
        super().__init__()
        self.key = key
        self.tokens = tokens


class Told(Message):
    """Another thread has something to say to the user."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words
