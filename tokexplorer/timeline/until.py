"""Conditions to run until: each is told of every step, and says in a clause when it is met."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.glyphs import show
from tokexplorer.engine.training import Merge
from tokexplorer.timeline.histories import History, MergeHistory
from tokexplorer.tokenizers.base import Tokenizer


@dataclass(frozen=True, slots=True)
class Next:
    """The merge that the next step makes."""

    left: int
    right: int
    count: int
    tied: int
    """pairs with its count or score, itself included"""


class Moment(ABC):
    """What a condition is told after a step."""

    history: History
    text_bytes: int

    @property
    @abstractmethod
    def step(self) -> int:
        """Steps made."""

    @property
    @abstractmethod
    def tokens(self) -> int:
        """Tokens in the corpus now."""

    @abstractmethod
    def next(self) -> Next | None:
        """The next merge; None where there is none, or where steps are no choices."""

    @property
    def last(self) -> Merge | None:
        """The merge that was just made."""
        merging = self.merging
        return merging.rows[self.step - 1] if merging is not None and self.step else None

    @property
    def merging(self) -> MergeHistory | None:
        """The history where its steps are merges."""
        return self.history if isinstance(self.history, MergeHistory) else None

    @property
    def ratio(self) -> float:
        """Bytes of the corpus per token."""
        return self.text_bytes / self.tokens if self.tokens else 0.0

    def tokenizer(self) -> Tokenizer:
        """Our own tokenizer now."""
        return self.history.make_tokenizer(self.step)


class Condition(ABC):
    """`words`: what is waited for, as `running until {words}`."""

    words: str

    @abstractmethod
    def begin(self, moment: Moment) -> None:
        """Look at the moment before the first step. UsageError where it is met already or never can be."""

    @abstractmethod
    def met(self, moment: Moment) -> str:
        """Look at the moment after a step: a clause that says that and how it is met, or nothing."""


def typed_token(text: str) -> str:
    """A token as a user types it: `·` stands for a space. UsageError where nothing is typed."""
    if not text:
        raise UsageError("type a token; a space is typed as a space or ·")
    return text.replace("·", " ")


class TokenExists(Condition):
    """A token is made."""

    def __init__(self, text: str) -> None:
        self.text = typed_token(text)
        self.words = f"the token {show(self.text, 40)} exists"

    def begin(self, moment: Moment) -> None:
        merging = moment.merging
        assert merging is not None
        for merge in merging.rows[: moment.step]:
            if merging.is_called(merge.new, self.text):
                raise UsageError(f"{show(self.text, 40)} exists already: step {merge.step:,} made it")

    def met(self, moment: Moment) -> str:
        merging, last = moment.merging, moment.last
        if merging is None or last is None or not merging.is_called(last.new, self.text):
            return ""
        return f"{show(self.text, 40)} exists, id {last.new}, made at step {last.step:,}"


class TokenGone(Condition):
    """A piece is pruned."""

    def __init__(self, text: str) -> None:
        self.text = typed_token(text)
        self.words = f"the piece {show(self.text, 40)} is removed"

    def _is_there(self, moment: Moment) -> bool:
        tokenizer = moment.tokenizer()
        data = to_bytes(self.text)
        return any(tokenizer.token_bytes(i) == data for i in range(tokenizer.size))

    def begin(self, moment: Moment) -> None:
        if not self._is_there(moment):
            raise UsageError(f"there is no piece {show(self.text, 40)}")

    def met(self, moment: Moment) -> str:
        return "" if self._is_there(moment) else f"round {moment.step} removed {show(self.text, 40)}"


class PairWins(Condition):
    """A pair is the next to be merged."""

    def __init__(self, text: str) -> None:
        left, plus, right = text.partition(" + ")
        if not plus:
            raise UsageError("type the two tokens with a plus between them: t + he")
        self.left, self.right = typed_token(left), typed_token(right)
        self.words = f"{show(self.left, 20)} + {show(self.right, 20)} wins"

    def begin(self, moment: Moment) -> None:
        if self.met(moment):
            raise UsageError("that pair wins already: it is the next to be merged")

    def met(self, moment: Moment) -> str:
        merging, following = moment.merging, moment.next()
        if merging is None or following is None:
            return ""
        same = merging.is_called(following.left, self.left) and merging.is_called(following.right, self.right)
        return f"{self.words}: it is the next to be merged" if same else ""


class CountBelow(Condition):
    """The winner's count falls below a number."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.words = f"the winner's count falls below {count:,}"

    def begin(self, moment: Moment) -> None:
        if words := self.met(moment):
            raise UsageError(f"{words} already")

    def met(self, moment: Moment) -> str:
        following = moment.next()
        if following is None or following.count >= self.count:
            return ""
        return f"the winner's count is {following.count:,}, below {self.count:,}"


class RatioReached(Condition):
    """Bytes per token reach a number: from below while merging, from above while pruning."""

    def __init__(self, ratio: float) -> None:
        self.ratio = ratio
        self.words = f"bytes/token reach {ratio:g}"
        self._falls = False

    def begin(self, moment: Moment) -> None:
        self._falls = moment.merging is None
        if self._holds(moment):
            raise UsageError(f"bytes/token are {moment.ratio:.2f} already")

    def _holds(self, moment: Moment) -> bool:
        return moment.ratio <= self.ratio if self._falls else moment.ratio >= self.ratio

    def met(self, moment: Moment) -> str:
        return f"bytes/token are {moment.ratio:.3f}" if self._holds(moment) else ""


class TieDecides(Condition):
    """The next merge is one of several with the same count or score."""

    words = "a tie decides"

    def begin(self, moment: Moment) -> None:
        """A tie now does not count: the first step leaves it behind."""

    def met(self, moment: Moment) -> str:
        following = moment.next()
        if following is None or following.tied < 2:
            return ""
        return f"a tie decides: {following.tied:,} pairs share the first place"


class Follower:
    """Follows how a text is cut while steps are made, encoding again only where a step can have changed it."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.ends: tuple[int, ...] = ()

    def look(self, moment: Moment) -> tuple[int, ...]:
        """The ends of the text's tokens, in bytes, encoded in any case."""
        self.ends = tuple(moment.tokenizer().encode(self.text).ends)
        return self.ends

    def follow(self, moment: Moment) -> tuple[int, ...]:
        """The same after one more step."""
        merging, last = moment.merging, moment.last
        if merging is not None and last is not None and merging.data(last.new) not in self.text:
            return self.ends
        return self.look(moment)


class ProbeChanges(Condition):
    """The probe is cut in another way."""

    words = "the probe changes"

    def __init__(self, probe: bytes) -> None:
        self._follower = Follower(probe)
        self._before: tuple[int, ...] = ()

    def begin(self, moment: Moment) -> None:
        self._before = self._follower.look(moment)

    def met(self, moment: Moment) -> str:
        now = self._follower.follow(moment)
        if now == self._before:
            return ""
        return f"the probe changes: {len(self._before):,} tokens become {len(now):,}"


class ProbeBecomes(Condition):
    """The probe has come to a number of tokens, from above or from below."""

    def __init__(self, probe: bytes, tokens: int) -> None:
        self.tokens = tokens
        self.words = f"the probe becomes {_tokens(tokens)}"
        self._follower = Follower(probe)
        self._more = False

    def begin(self, moment: Moment) -> None:
        now = len(self._follower.look(moment))
        if now == self.tokens:
            raise UsageError(f"the probe is {_tokens(now)} already")
        self._more = now > self.tokens

    def met(self, moment: Moment) -> str:
        now = len(self._follower.follow(moment))
        come = now <= self.tokens if self._more else now >= self.tokens
        return f"the probe is {_tokens(now)}" if come else ""


def _tokens(count: int) -> str:
    return f"{count:,} token{'' if count == 1 else 's'}"
