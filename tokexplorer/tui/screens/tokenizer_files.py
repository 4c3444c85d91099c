"""Tokenizers from files in the explorer: read in the worker, each under a name of its own, and chosen to look through;
where a file may be a text as well, the user is asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.corpus import Cancelled
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import cells, clip, safe
from tokexplorer.files.plain_text import is_plain_file
from tokexplorer.session import Session
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tui.messages import Failed, Finished
from tokexplorer.tui.screens.arranging import ArrangingScreen
from tokexplorer.tui.screens.dialogs import ChooseScreen
from tokexplorer.tui.shelf import CHARACTERS, MORE, WORDS

if TYPE_CHECKING:
    from tokexplorer.formats import Nature, Sorted

NAME_CELLS: Final = 32
"""Cells that the name of a tokenizer from a file has at most."""


@dataclass(frozen=True, slots=True)
class FileTokenizer:
    """A tokenizer from a file. `files` are absolute paths, the one that it is opened by first; `stamps` their sizes and
    times of change when it was read."""

    name: str
    tokenizer: Tokenizer
    files: tuple[str, ...]
    stamps: tuple[tuple[int, int], ...]

    @property
    def is_current(self) -> bool:
        """Whether the files are still those that were read."""
        return stamps_of(self.files) == self.stamps


def stamps_of(files: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Size and time of change of files; (-1, 0) for one that is not there."""
    found = []
    for path in files:
        try:
            status = os.stat(path)
        except OSError:
            found.append((-1, 0))
        else:
            found.append((status.st_size, status.st_mtime_ns))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Files that were to be opened, and those of them that may be texts or tokenizers: path and format."""

    paths: tuple[str, ...]
    doubtful: tuple[tuple[str, str], ...]
    asked_for: bool


class TokenizerFilesScreen(ArrangingScreen):
    """The part of the explorer that knows which tokenizers come from files. The worker puts down what has arrived and
    what is doubtful; both are dealt with on the main thread when it has ended."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.from_files: dict[str, FileTokenizer] = {}
        """by name"""
        self._natures: dict[str, Nature] = {}
        """what the user said of files, by absolute path"""
        self._arrived: tuple[FileTokenizer, ...] = ()
        self._doubt: Doubt | None = None

    def open_paths(self, paths: Sequence[str], asked_for: bool = True) -> None:
        """Open files in a worker."""
        raise NotImplementedError

    def list_tokenizers(self) -> None:
        """List the tokenizers from files."""
        raise NotImplementedError

    def open_asking(self, paths: Sequence[str]) -> None:
        """Open files that the user has just named: what was said of them before does not count, and a tokenizer that
        is open already may be wanted as a text."""
        from tokexplorer.formats import Nature

        for path in map(os.path.abspath, paths):
            self._natures.pop(path, None)
            if any(path in known.files and known.is_current for known in self.from_files.values()):
                self._natures[path] = Nature.DOUBTFUL
        self.open_paths(paths)

    def sort(self, paths: Sequence[str], asked_for: bool) -> Sorted | None:
        """Which files are texts and which are tokenizers, None where all are texts for sure; the doubtful ones are put
        down. In the worker."""
        natures = self._natures
        known = {path: natures[os.path.abspath(path)] for path in paths if os.path.abspath(path) in natures}
        if not known and all(map(is_plain_file, paths)):
            return None
        from tokexplorer.formats import FORMATS, format_in, sort_files

        found = sort_files(paths, known)
        if found.doubtful:
            titles = {name: entry.title for name, entry in FORMATS.items()}
            doubtful = tuple((path, titles.get(format_in(path) or "", "")) for path in found.doubtful)
            self._doubt = Doubt(tuple(paths), doubtful, asked_for)
        return found

    def read_tokenizers(self, paths: Sequence[str], should_stop: Callable[[], bool]) -> tuple[FileTokenizer, ...]:
        """The tokenizers in some files, those that are open already among them. In the worker; InputError for the first
        that cannot be read, Cancelled."""
        found: list[FileTokenizer] = []
        for path in paths:
            if should_stop():
                raise Cancelled
            tokenizer = self._read(path, [t.name for t in found])
            if all(tokenizer.files != other.files for other in found):
                found.append(tokenizer)
        return tuple(found)

    def _read(self, path: str, taken: Sequence[str], name: str = "") -> FileTokenizer:
        from tokexplorer.formats import files_of, read_tokenizer, title_for
        from tokexplorer.tokenizers import builtin

        files = tuple(map(os.path.abspath, files_of(path)))
        for known in self.from_files.values():
            if known.files == files and known.is_current:
                return known
        reserved = {*self.lens.names, *self.shelf.loaded, *builtin.names(), *MORE, CHARACTERS, WORDS, *taken}
        name = unlike(short_name(safe(name) or title_for(files[0])), reserved)
        stamps = stamps_of(files)
        tokenizer = read_tokenizer(files[0], title=name)
        tokenizer.encode(b"ready")
        return FileTokenizer(name, tokenizer, files, stamps)

    def arrive(self, found: Sequence[FileTokenizer]) -> None:
        """Put down tokenizers that are to be taken when the worker has ended. In the worker."""
        self._arrived = (*self._arrived, *found)

    def take_tokenizers(self, choose: bool = True) -> None:
        """Take what has arrived into the cycle of the lens and the shelf; the last one becomes the chosen one."""
        arrived, self._arrived = self._arrived, ()
        if not arrived:
            return
        lens = self.lens
        for one in arrived:
            self.from_files[one.name] = one
            self.shelf.loaded[one.name] = one.tokenizer
            lens = lens.with_loaded(one.name, one.tokenizer)
        self.lens = replace(lens, chosen=arrived[-1].name) if choose else lens
        self.list_tokenizers()
        if choose:
            self.say(" · ".join(map(words_on, arrived)))

    def take_from_shelf(self) -> None:
        """Take over what other screens have loaded; what is from a file is kept with the session from now on."""
        lens = self.lens
        for name, tokenizer in self.shelf.loaded.items():
            if name not in lens.loaded:
                lens = lens.with_loaded(name, tokenizer)
            files = self.shelf.files.get(name)
            if files is not None and name not in self.from_files:
                self.from_files[name] = FileTokenizer(name, tokenizer, files, stamps_of(files))
        self.lens = lens
        self.list_tokenizers()

    def choose_loaded(self, name: str) -> None:
        """Look through a tokenizer that is open."""
        if name in self.lens.names:
            self.lens = replace(self.lens, chosen=name)

    def on_finished(self, event: Finished) -> None:
        """Take what has arrived, and ask what is doubtful."""
        self.take_tokenizers()
        doubt, self._doubt = self._doubt, None
        if doubt is not None:
            self._ask(doubt)

    def on_failed(self, event: Failed) -> None:
        """Nothing has changed."""
        self._arrived, self._doubt = (), None

    def _ask(self, doubt: Doubt) -> None:
        (path, title), *rest = doubt.doubtful
        rows = [
            ("tokenizer", "as a tokenizer", title),
            ("text", "as a text", "to look at and to train on"),
        ]

        def answered(value: str | None) -> None:
            from tokexplorer.formats import Nature

            if value is None:
                return
            self._natures[os.path.abspath(path)] = Nature(value)
            if rest:
                self._ask(replace(doubt, doubtful=tuple(rest)))
            else:
                self.open_paths(doubt.paths, doubt.asked_for)

        name = safe(os.path.basename(path) or path, 40)
        hint = "By its content it may be either. Esc leaves everything as it is."
        self.app.push_screen(ChooseScreen(f"Open {name}", hint, rows), answered)

    def saved_tokenizers(self) -> list[list[str]]:
        """Name and path of each tokenizer from a file, as they are saved."""
        return [[one.name, one.files[0]] for one in self.from_files.values()]

    def reopen_tokenizers(self, saved: object) -> list[str]:
        """Read again what `saved_tokenizers` gave, in the worker; returns a line for each that cannot be had."""
        notes: list[str] = []
        for entry in saved if isinstance(saved, list) else ():
            name, path = entry if isinstance(entry, list) and len(entry) == 2 else ("", "")
            if not (isinstance(name, str) and isinstance(path, str) and path):
                continue
            try:
                found = self._read(path, [one.name for one in self._arrived], name)
            except InputError as error:
                notes.append(f"the tokenizer {safe(name, NAME_CELLS)} is not open any more: {error}")
            else:
                self.session.replays.learn(found.name, found.tokenizer)
                self.arrive([found])
        return notes


def short_name(title: str) -> str:
    """A safe title within NAME_CELLS; of `folder/name` the folder is cut off before the name."""
    folder, slash, name = title.rpartition("/")
    room = NAME_CELLS - cells(name) - 1
    return clip(f"{clip(folder, room)}/{name}" if slash and room > 0 else name, NAME_CELLS)


def unlike(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken."""
    number, found = 2, name
    while found in taken:
        found = f"{name} ({number})"
        number += 1
    return found


def words_on(one: FileTokenizer) -> str:
    """What is said of a tokenizer that was opened: its size, and what its reader should know."""
    from tokexplorer.formats import remarks

    return "; ".join((f"{one.name}: {one.tokenizer.size:,} tokens", *remarks(one.tokenizer)))
