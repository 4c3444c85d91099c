"""The questions of "run until": which condition, and what it needs to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.algorithms import Algorithm
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.glyphs import safe
from tokexplorer.timeline.until import (
    Condition,
    CountBelow,
    PairWins,
    ProbeBecomes,
    ProbeChanges,
    RatioReached,
    TieDecides,
    TokenExists,
    TokenGone,
)
from tokexplorer.tui.screens.dialogs import AskScreen, ChooseScreen
from tokexplorer.tui.widgets.pair_table import PairTable

if TYPE_CHECKING:
    from tokexplorer.tui.screens.explorer import ExplorerScreen

CHOOSING: Final = frozenset({Algorithm.BPE, Algorithm.WORDPIECE})
MERGING: Final = CHOOSING | {Algorithm.REPLAY}
TRAINING: Final = MERGING | {Algorithm.UNIGRAM}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of condition. `hint`: what is asked for, empty where nothing is; `make` takes the answer and the probe."""

    id: str
    name: str
    help: str
    algorithms: frozenset[Algorithm]
    make: Callable[[str, bytes], Condition]
    hint: str = ""
    probes: bool = False
    """it needs a probe"""


def _whole(text: str, least: int, what: str) -> int:
    digits = text.strip().replace(",", "").replace("_", "")
    if not (digits.isascii() and digits.isdigit()) or not least <= int(digits) < 10**9:
        raise UsageError(f"{what} is a whole number from {least}")
    return int(digits)


def _ratio(text: str) -> float:
    try:
        ratio = float(text.strip().replace(",", "."))
    except ValueError:
        ratio = 0.0
    if not 0 < ratio < 1000:
        raise UsageError("bytes/token is a number such as 3.5")
    return ratio


KINDS: Final = (
    Kind(
        "token",
        "a token exists",
        "such as ·the",
        MERGING,
        lambda text, _: TokenExists(text),
        "The token, with its spaces; · is a space too. In WordPiece ##ing, with end marks est</w>.",
    ),
    Kind(
        "gone",
        "a piece is removed",
        "such as ·the",
        frozenset({Algorithm.UNIGRAM}),
        lambda text, _: TokenGone(text),
        "The piece, with its spaces; · is a space too.",
    ),
    Kind(
        "pair",
        "a pair wins",
        "it is the next to be merged",
        CHOOSING,
        lambda text, _: PairWins(text),
        "The two tokens with a plus between them: t + he. · is a space too.",
    ),
    Kind(
        "count",
        "the count falls below n",
        "of the pair that wins",
        CHOOSING,
        lambda text, _: CountBelow(_whole(text, 1, "a count")),
        "A whole number. The run stops before a pair with a lower count is merged.",
    ),
    Kind(
        "ratio",
        "bytes/token reach r",
        "of the whole text",
        TRAINING,
        lambda text, _: RatioReached(_ratio(text)),
        "A number such as 3.5. GPT-2 reaches about 4 on English prose.",
    ),
    Kind(
        "tie",
        "a tie decides",
        "two pairs share the first place",
        CHOOSING,
        lambda _, __: TieDecides(),
    ),
    Kind(
        "probe",
        "the probe changes",
        "is cut in another way",
        TRAINING,
        lambda _, probe: ProbeChanges(probe),
        probes=True,
    ),
    Kind(
        "tokens",
        "the probe becomes n tokens",
        "or fewer; in Unigram more",
        TRAINING,
        lambda text, probe: ProbeBecomes(probe, _whole(text, 1, "a number of tokens")),
        "A whole number.",
        probes=True,
    ),
)


def ask_until(screen: ExplorerScreen) -> None:
    """Ask for a condition, then for what it needs, and run."""
    snapshot = screen.snapshot
    if snapshot is None:
        return
    kinds = {kind.id: kind for kind in KINDS if snapshot.settings.algorithm in kind.algorithms}
    probe = screen.lens.probe or b""
    rows = [(kind.id, kind.name, kind.help) for kind in kinds.values()]
    hint = "The run goes past the target if it must; esc stops it."
    if not probe:
        hint += " The probe is the text typed with p."

    def chosen(value: str | None) -> None:
        if value is None:
            return
        kind = kinds[value]
        if kind.probes and not probe:
            screen.say("type a probe first, with p", "warning")
        elif kind.hint:
            _ask_more(screen, kind, probe)
        else:
            screen.try_words(lambda: _run(screen, kind.make("", probe)))

    screen.app.push_screen(ChooseScreen("Run until", hint, rows), chosen)


def _ask_more(screen: ExplorerScreen, kind: Kind, probe: bytes) -> None:
    def check(text: str) -> None:
        kind.make(text, probe).begin(screen.session.moment())

    def typed(text: str | None) -> None:
        if text is not None:
            screen.try_words(lambda: _run(screen, kind.make(text, probe)))

    hint = kind.hint
    if kind.probes:
        tokenizer = screen.snapshot.tokenizer() if screen.snapshot is not None else None
        now = len(tokenizer.encode(probe)) if tokenizer is not None else 0
        hint = f"{hint} The probe has {now:,} tokens now."
    screen.app.push_screen(AskScreen(f"Run until {kind.name}", hint, _suggested(screen, kind), check), typed)


def _run(screen: ExplorerScreen, condition: Condition) -> None:
    condition.begin(screen.session.moment())
    screen.run_until(condition)


def _suggested(screen: ExplorerScreen, kind: Kind) -> str:
    """What stands in the field: the pair under the cursor, the next round number."""
    snapshot, pair = screen.snapshot, screen.query_one(PairTable).chosen
    merging = snapshot.merging if snapshot is not None else None
    if snapshot is not None and kind.id == "ratio":
        step = 0.1 if merging is not None else -0.1
        return f"{round(snapshot.bytes_per_token + step, 1):g}"
    if pair is None or merging is None or snapshot is None:
        return ""
    if kind.id == "count":
        return str(max(1, snapshot.candidates[0].count // 2)) if snapshot.candidates else ""
    if kind.id == "pair" and pair is not snapshot.winner:
        left, right = (_typed(merging.name_of(i)) for i in (pair.left, pair.right))
        return f"{left} + {right}" if left and right else ""
    return ""


def _typed(name: bytes | str) -> str:
    """A token as a user can type it; empty where it cannot be typed."""
    try:
        text = name.decode() if isinstance(name, bytes) else name
    except UnicodeDecodeError:
        return ""
    return text.replace(" ", "·") if safe(text) == text else ""
