"""What screens know of a tokenizer: computed in a worker under the shelf's lock, and kept on the shelf."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

from tokexplorer.analysis.progress import Progress, ShouldStop
from tokexplorer.analysis.reachability import Classification, Sweep
from tokexplorer.texts import Text
from tokexplorer.tokenizers.base import SpecialMode
from tokexplorer.tui.shelf import Facts
from tokexplorer.tui.tallies import Places, count_in, places_in

T = TypeVar("T")
Uses = Counter[int]


def kept(facts: Facts, key: Hashable, make: Callable[[], T]) -> T:
    """The result under a key, made now where it is not there yet."""
    if key not in facts.results:
        facts.results[key] = make()
    return cast(T, facts.results[key])


def read(facts: Facts) -> None:
    """Take in all tokens, so that rows and searches are quick."""
    facts.index.search("a", ())
    kept(facts, "read", lambda: len(facts.index.texts))


def swept(facts: Facts, on_progress: Progress | None = None, should_stop: ShouldStop | None = None) -> Sweep:
    """The sweep of a vocabulary."""
    return kept(facts, "sweep", lambda: facts.index.sweep(on_progress, should_stop))


def is_swept(facts: Facts) -> bool:
    """Whether the sweep is there, so that asking for it costs nothing."""
    return "sweep" in facts.results


def classes(
    facts: Facts,
    uses: Uses | None = None,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Classification:
    """Each id in one category, with the uses in a corpus or without them."""
    swept(facts, on_progress, should_stop)
    key = ("classes", id(uses) if uses is not None else 0)
    return kept(facts, key, lambda: facts.index.classification(uses, on_progress, should_stop))


def known_classes(facts: Facts, uses: Uses | None = None) -> Classification | None:
    """The classification where it is there already."""
    return cast(Classification | None, facts.results.get(("classes", id(uses) if uses is not None else 0)))


def uses_in(
    facts: Facts,
    text: Text,
    special: SpecialMode,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Uses:
    """id -> uses in a text."""
    make = lambda: count_in(text, facts.tokenizer, special, on_progress, should_stop)  # noqa: E731
    return kept(facts, ("uses", text, special), make)


def known_uses(facts: Facts, text: Text | None, special: SpecialMode) -> Uses | None:
    """The uses where they have been counted."""
    return cast(Uses | None, facts.results.get(("uses", text, special)))


def places_of(
    facts: Facts,
    text: Text,
    token_id: int,
    special: SpecialMode,
    on_progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> Places:
    """Where a token stands in a text."""
    return places_in(text, facts.tokenizer, token_id, special, on_progress, should_stop)
