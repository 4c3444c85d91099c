"""The shelf: tokenizers that are ready and what was computed about them, shared by all screens of one run."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.glyphs import safe
from tokexplorer.finding import find_tokenizer, means_file
from tokexplorer.session import Snapshot
from tokexplorer.texts import Text
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tokenizers.baselines import CharacterTokenizer, WordTokenizer
from tokexplorer.tokenizers.trained import TrainedTokenizer
from tokexplorer.tui.lens import CYCLE, OWN, Lens

CHARACTERS: Final = CharacterTokenizer.name
WORDS: Final = WordTokenizer.name
MORE: Final = ("p50k_base", "p50k_edit", "o200k_harmony")
"""Encodings that are offered after the usual ones."""
KEPT: Final = 12
"""Tokenizers about which results are kept; of our own merges each step is one."""


if TYPE_CHECKING:
    from tokexplorer.analysis.kinds import VocabularyIndex


@dataclass(frozen=True, slots=True)
class Scene:
    """What the explorer looked at when another screen was opened."""

    snapshot: Snapshot | None
    text: Text | None
    """the corpus"""
    lens: Lens
    offset: int = 0
    """the byte of the text under the cursor"""


@dataclass(frozen=True, slots=True)
class Jump:
    """Where the explorer is to go when a screen is left: a byte of the corpus, seen through a tokenizer."""

    offset: int
    name: str


@dataclass(eq=False)
class Facts:
    """What is known of one tokenizer. Long results are made in a worker that holds the shelf's lock."""

    tokenizer: Tokenizer
    index: VocabularyIndex
    results: dict[Hashable, object] = field(default_factory=dict)


class Shelf:
    """Asked by screens on the main thread; filled by their workers, one at a time under `lock`."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.loaded: dict[str, Tokenizer] = {}
        self.choices: dict[str, tuple[str, ...]] = {}
        """screen -> the tokenizers that were chosen there last"""
        self.files: dict[str, tuple[str, ...]] = {}
        """of a tokenizer that was loaded by a path its files, absolute"""
        self._facts: OrderedDict[int, Facts] = OrderedDict()
        self._keys: dict[str, str] = {}
        self._words: tuple[object, Tokenizer] | None = None
        self._characters = CharacterTokenizer()

    def names(self, baselines: bool = False) -> tuple[str, ...]:
        """What the next-tokenizer key goes through."""
        more = tuple(name for name in self.loaded if name not in CYCLE)
        return (*CYCLE, *more, *((CHARACTERS, WORDS) if baselines else ()))

    def offered(self, baselines: bool = False) -> tuple[str, ...]:
        """All that can be chosen from a list."""
        names = self.names(baselines)
        return (*names, *(name for name in MORE if name not in names))

    def learn(self, lens: Lens) -> None:
        """Take over what the explorer has loaded."""
        for name, tokenizer in lens.loaded.items():
            self.loaded.setdefault(name, tokenizer)

    def ready(self, name: str, snapshot: Snapshot | None) -> Tokenizer | None:
        """A tokenizer that needs no loading, None where it must be loaded first."""
        if name == OWN:
            return self.own(snapshot) if snapshot is not None else None
        if name == CHARACTERS:
            return self._characters
        if name == WORDS:
            known = self._words
            return known[1] if known is not None and snapshot is not None and known[0] is snapshot.corpus else None
        return self.loaded.get(self.key_of(name))

    def load(self, name: str, snapshot: Snapshot | None) -> Tokenizer:
        """Load a tokenizer by its name, a model's name or a path; for workers.

        Raises UsageError or InputError where there is none.
        """
        found = self.ready(name, snapshot)
        if found is not None:
            return found
        if name in (OWN, WORDS):
            if snapshot is None:
                raise UsageError("no text is open")
            found = WordTokenizer(snapshot.corpus.chunks, snapshot.corpus.split)
            self._words = (snapshot.corpus, found)
            return found
        found = find_tokenizer(name)
        found.encode(b"ready")
        key = safe(found.name, 40)
        number = 2
        while self.loaded.get(key, found) is not found:
            key, number = f"{safe(found.name, 40)} ({number})", number + 1
        self.loaded[key] = found
        self._keys[name] = key
        if means_file(name):
            from tokexplorer.formats import files_of

            self.files[key] = tuple(map(os.path.abspath, files_of(name)))
        return found

    def key_of(self, name: str) -> str:
        """The name, safe to show, under which a tokenizer is kept that was loaded by what a user typed."""
        return self._keys.get(name, name)

    @staticmethod
    def own(snapshot: Snapshot) -> Tokenizer:
        """Our own merges at the step of a snapshot: the same object for the same moment."""
        return snapshot.tokenizer()

    def facts(self, tokenizer: Tokenizer) -> Facts:
        """What is known of a tokenizer; kept for the KEPT that were asked for last."""
        key = id(tokenizer)
        found = self._facts.get(key)
        if found is None:
            from tokexplorer.analysis.kinds import VocabularyIndex

            found = self._facts[key] = Facts(tokenizer, VocabularyIndex(tokenizer))
            while len(self._facts) > KEPT:
                self._facts.popitem(last=False)
        self._facts.move_to_end(key)
        return found


def title_of(name: str, tokenizer: Tokenizer | None, room: int = 60) -> str:
    """A tokenizer as titles name it; not yet safe to show."""
    if tokenizer is None:
        return f"{name} …"
    if name == OWN:
        if isinstance(tokenizer, TrainedTokenizer):
            return tokenizer.title if room >= 24 else tokenizer.name
        step = tokenizer.name.removeprefix("own@")
        return f"own merges at {step}" if room >= 24 and step != tokenizer.name else tokenizer.name
    return tokenizer.name if name not in CYCLE else name
