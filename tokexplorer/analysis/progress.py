"""How long work reports and stops: the callbacks of the engine, and one helper that calls them."""

from __future__ import annotations

from tokexplorer.engine.corpus import Cancelled, Progress, ShouldStop

__all__ = ["Cancelled", "Progress", "ShouldStop", "report"]


def report(done: int, total: int, on_progress: Progress | None, should_stop: ShouldStop | None) -> None:
    """Tell how far the work is; raises Cancelled when it is to stop."""
    if should_stop is not None and should_stop():
        raise Cancelled
    if on_progress is not None:
        on_progress(done, total)
