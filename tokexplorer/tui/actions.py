"""The one registry of actions: it feeds the bindings, the key bar, the palette, the help and the user's key map."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Protocol, runtime_checkable

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a user can do. `name` is the action method's name with its arguments; `weight` orders the key bar
    (0 keeps it out); `disturbs`: greyed while a worker owns the session."""

    id: str
    keys: str
    name: str
    label: str
    help: str
    group: str
    weight: int = 0
    disturbs: bool = False

    def binding(self) -> Binding:
        """The binding; its id is what a user's key map names."""
        return Binding(self.keys, self.name, self.label, show=self.weight > 0, id=self.id)

    @property
    def target(self) -> str:
        """The action as it can be run from anywhere."""
        return self.name if self.name.startswith("app.") else f"screen.{self.name}"

    @property
    def key_shown(self) -> str:
        """The first key as the screen names it."""
        return shown_key(self.keys.split(",")[0])


NAMES: Final = {
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "slash": "/",
    "question_mark": "?",
    "space": "space",
    "escape": "esc",
    "comma": ",",
    "colon": ":",
    "exclamation_mark": "!",
    "number_sign": "#",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}


def shown_key(key: str) -> str:
    """A key as the screen names it: `plus` -> `+`."""
    return NAMES.get(key, key.replace("ctrl+", "^"))


TRAIN: Final = "Training"
VIEW: Final = "Looking"
GO: Final = "Going"
STUDY: Final = "Studying"

EXPLORER: Final = (
    Action("step", "s,space", "step(1)", "step", "Make the next merge.", TRAIN, 90, True),
    Action("step-10", "S", "step(10)", "10 steps", "Make the next ten merges.", TRAIN, 0, True),
    Action("back", "b", "back(1)", "back", "Undo the last merge.", TRAIN, 88, True),
    Action("back-10", "B", "back(10)", "10 back", "Undo the last ten merges.", TRAIN, 0, True),
    Action(
        "auto", "a", "auto", "run", "Run by itself, gathering speed up to the engine's own; again: pause.", TRAIN, 86
    ),
    Action("faster", "plus,equals_sign", "speed(1)", "faster", "Double the speed of the run.", TRAIN),
    Action("slower", "minus", "speed(-1)", "slower", "Halve the speed of the run.", TRAIN),
    Action("goto", "g", "goto", "go to", "Travel to a step: 120, +50, -3, v512 (vocabulary), end.", TRAIN, 84, True),
    Action("end", "e", "run_to_target", "to target", "Run to the target at full speed.", TRAIN, 60, True),
    Action("start", "0", "start", "start", "Travel back to step 0; the merges stay known.", TRAIN, 0, True),
    Action("target", "n", "target", "target", "Set the target, a vocabulary size.", TRAIN, 0, True),
    Action("merge", "m", "merge", "merge", "Merge the pair chosen in the pair table, not the winner.", TRAIN, 58, True),
    Action("branches", "M", "branches", "branches", "Return to a branch, and compare them.", TRAIN, 0, True),
    Action("until", "u", "until", "until", "Run until: a token exists, a pair wins, a tie decides …", TRAIN, 62, True),
    Action("fire", "f", "fire", "next firing", "In a replay: run to the next merge that fires.", TRAIN, 85, True),
    Action("fired-only", "F", "fired_only", "fired only", "In a replay, list only the merges that fired.", TRAIN, 47),
    Action("algorithm", "A", "algorithm", "algorithm", "BPE, WordPiece, Unigram, replay, baselines.", TRAIN, 0, True),
    Action("tokenizer", "t", "tokenizer(1)", "tokenizer", "Show the text through the next tokenizer.", VIEW, 82),
    Action("tokenizer-back", "T", "tokenizer(-1)", "previous", "Show the text through the previous tokenizer.", VIEW),
    Action("special", "k", "special", "specials", "Special strings in the text: as text, or as tokens.", VIEW),
    Action("probe", "p", "probe", "probe", "Type a text of your own to look at; again: back to the corpus.", VIEW, 80),
    Action("search", "slash", "search", "search", "Search the pairs, the merges, or the text of the pane.", VIEW, 56),
    Action("mark-next", "right_square_bracket", "mark(1)", "next mark", "Go to the next marked place.", VIEW),
    Action("mark-back", "left_square_bracket", "mark(-1)", "mark back", "Go to the marked place before.", VIEW),
    Action("ids", "number_sign", "ids", "ids", "Show ids instead of text: all that a model sees.", VIEW, 54),
    Action("group", "h", "group", "group", "Join the tokens that share one character.", VIEW),
    Action("chunks", "d", "chunks", "chunks", "Show where the split cuts the text into chunks.", VIEW),
    Action("sort", "r", "sort", "sort", "Sort the pair table by count, by text or by length.", VIEW),
    Action("zoom", "z", "zoom", "zoom", "Give the pane the whole screen; again: back.", VIEW, 52),
    Action("pane-corpus", "1", "pane('corpus')", "corpus", "Go to the corpus.", VIEW),
    Action("pane-pairs", "2", "pane('pairs')", "pairs", "Go to the pair table.", VIEW),
    Action("pane-merges", "3", "pane('merges')", "merges", "Go to the merge log.", VIEW),
    Action("pane-tokens", "4", "pane('tokens')", "tokens", "Go to the token view.", VIEW),
    Action("pane-next", "tab", "next_pane(1)", "next pane", "Go to the next pane.", VIEW),
    Action("pane-back", "shift+tab", "next_pane(-1)", "pane before", "Go to the pane before.", VIEW),
    Action("watch", "w", "watch", "watch", "Watch how a word is cut; typed again: no longer.", VIEW, 53),
    Action("why", "W", "why", "why", "Why the text is cut so at the cursor, merge by merge.", STUDY, 44),
    Action("curve", "C", "curve", "curve", "Bytes/token against merges, and how long tokens are.", STUDY, 46),
    Action("draws", "D", "draws", "draws", "Other cuts by chance: BPE-dropout, Unigram sampling.", STUDY, 45),
    Action("compare", "c", "compare", "compare", "Tokenizers side by side on this text.", STUDY, 76),
    Action("vocabulary", "v", "vocabulary", "vocabulary", "All tokens of the tokenizer.", STUDY, 74),
    Action("inspect", "i", "inspect", "inspect", "Glitch, numbers, spaces, special, languages, budget.", STUDY, 72),
    Action("token-page", "V", "token_page", "token page", "The page of the token that the cursor is on.", STUDY, 48),
    Action("lessons", "l", "lessons", "lessons", "Guided walks; back to the one that was left.", STUDY, 77),
    Action("lesson-list", "L", "lesson_list", "all lessons", "The list of lessons.", STUDY),
    Action("open", "o", "open", "open", "Open files, or a tokenizer.", GO, 78, True),
    Action("export", "x", "export", "export", "Write our merges, or the tokenizer in sight, to a file.", GO, 77),
    Action("settings", "comma", "settings", "settings", "Split, alphabet, ties and minimum count.", GO, 50, True),
    Action("resume", "R", "resume", "resume", "Go on with a saved session.", GO, 0, True),
    Action("copy", "y", "copy", "copy", "Send what the cursor is on to the terminal's clipboard.", GO),
    Action("write-copy", "Y", "app.write_copy", "write copy", "Write what was copied last to a file.", GO),
    Action("redraw", "exclamation_mark,ctrl+l", "app.redraw", "redraw", "Draw the screen afresh.", GO),
    Action("mouse", "P", "app.mouse", "mouse", "Leave the mouse to the terminal; again: take it back.", GO),
    Action("palette", "colon,ctrl+p", "app.command_palette", "palette", "Find any action by its name.", GO),
    Action("theme", "E", "app.theme", "theme", "The next theme: dark, light, the terminal's own colours.", GO),
    Action("pause", "escape", "pause", "pause", "Stop what runs; leave a zoom or a probe. ^g leaves dialogs too.", GO),
    Action("help", "question_mark", "app.help", "help", "Keys, words and how counts are made.", GO, 99),
    Action("quit", "q", "app.quit", "quit", "Leave.", GO, 98),
)
"""Every action of the explorer."""


@runtime_checkable
class Keyed(Protocol):
    """An app whose user has keys of their own: action id -> keys with commas between them."""

    user_keys: Mapping[str, str]


def as_bound(action: Action, app: object) -> Action:
    """An action with the keys that the user of the app has given it."""
    keys = app.user_keys.get(action.id) if isinstance(app, Keyed) else None
    return replace(action, keys=keys) if keys else action


@runtime_checkable
class Acting(Protocol):
    """A screen whose keys come from a list of actions: the palette and the help show them."""

    ACTIONS: ClassVar[Sequence[Action]]
    TITLE_WORDS: ClassVar[str]


def bindings(actions: Iterable[Action]) -> list[Binding]:
    """The bindings of some actions."""
    return [action.binding() for action in actions]
