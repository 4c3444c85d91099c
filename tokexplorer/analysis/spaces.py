"""What white space costs: forms of a word, a trailing space, runs of blanks and line ends, indentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tokexplorer.analysis.cut import tokens_of
from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.tokenizers.base import Token, Tokenizer

RUNS: Final = (("space", " "), ("tab", "\t"), ("newline", "\n"), ("CR LF", "\r\n"), ("no-break space", "\u00a0"))
INDENTS: Final = (("2 spaces", "  "), ("4 spaces", "    "), ("tab", "\t"))
LONGEST_RUN: Final = 32
DEEPEST: Final = 8


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a word."""

    kind: str
    """`bare`, `space`, `capital`, `space + capital`, ..."""
    text: bytes
    tokens: tuple[Token, ...]

    @property
    def single(self) -> int | None:
        """The id where the form is one token."""
        return self.tokens[0].id if len(self.tokens) == 1 else None


def spellings(word: str) -> tuple[tuple[str, str], ...]:
    """The forms of a word as (kind, text): bare, capital, lower and upper case, each also after a space; forms that
    would repeat an earlier one are left out. White space around the word is not kept."""
    bare = word.strip()
    kinds = (("bare", bare), ("capital", bare[:1].upper() + bare[1:]), ("lower", bare.lower()), ("upper", bare.upper()))
    found: dict[str, str] = {}
    for kind, text in kinds:
        found.setdefault(text, kind)
        found.setdefault(f" {text}", f"space + {kind}")
    return tuple((kind, text) for text, kind in found.items())


def forms(tokenizer: Tokenizer, word: str) -> tuple[Form, ...]:
    """The forms of a word (see `spellings`) with their tokens."""
    return tuple(Form(kind, to_bytes(text), tokens_of(tokenizer, to_bytes(text))) for kind, text in spellings(word))


@dataclass(frozen=True, slots=True)
class TrailingSpace:
    """What a space at the end of a prompt does to the word that follows."""

    text: bytes
    next_word: bytes
    plain: tuple[Token, ...]
    """the prompt"""
    spaced: tuple[Token, ...]
    """the prompt with a space at its end"""
    joined: tuple[Token, ...]
    """prompt, space and next word in one: what a model has seen in training"""
    stranded: tuple[Token, ...]
    """the tokens of the prompt with its space, then those of the bare word: what a model must write after that space"""

    @property
    def extra(self) -> int:
        """Tokens that the trailing space costs once the word has followed."""
        return len(self.stranded) - len(self.joined)

    @property
    def harmless(self) -> bool:
        """Whether both ways give the same tokens."""
        return [t.id for t in self.stranded] == [t.id for t in self.joined]


def trailing_space(tokenizer: Tokenizer, text: bytes, next_word: bytes = b"the") -> TrailingSpace:
    """The cost of a space after a prompt; spaces that the prompt already ends with are taken off first."""
    prompt = text.rstrip(b" ")
    spaced = tokens_of(tokenizer, prompt + b" ")
    shift = len(prompt) + 1
    word = tuple(
        Token(t.id, t.data, t.start + shift, t.end + shift, t.note) for t in tokens_of(tokenizer, next_word)
    )
    joined = tokens_of(tokenizer, prompt + b" " + next_word)
    return TrailingSpace(prompt, next_word, tokens_of(tokenizer, prompt), spaced, joined, spaced + word)


@dataclass(frozen=True, slots=True)
class Run:
    """Runs of one kind of white space."""

    name: str
    unit: str
    counts: tuple[int, ...]
    """tokens of a run of 1, 2, 3, ... units"""
    before_word: tuple[int, ...]
    """tokens that the run adds in front of a word, such as `x`"""
    longest: int
    """the longest run (in units) that is one token"""


def runs(tokenizer: Tokenizer, longest: int = LONGEST_RUN) -> tuple[Run, ...]:
    """How many tokens runs of blanks and line ends take, alone and before a word."""
    found: list[Run] = []
    word = len(tokenizer.encode(b"x"))
    for name, unit in RUNS:
        texts = [to_bytes(unit * n) for n in range(1, longest + 1)]
        counts = tuple(len(tokenizer.encode(text)) for text in texts)
        before = tuple(len(tokenizer.encode(text + b"x")) - word for text in texts)
        single = max((n for n, count in enumerate(counts, 1) if count == 1), default=0)
        found.append(Run(name, unit, counts, before, single))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Indentation:
    """One style of indentation."""

    name: str
    unit: str
    extra: tuple[int, ...]
    """tokens that 1, 2, 3, ... levels add to a line"""


def indentation(tokenizer: Tokenizer, line: str = "return x", deepest: int = DEEPEST) -> tuple[Indentation, ...]:
    """What indenting a line of code costs, in the middle of other lines."""

    def cost(lead: str) -> int:
        return len(tokenizer.encode(to_bytes(f"if x:\n{lead}{line}\n")))

    base = cost("")
    return tuple(
        Indentation(name, unit, tuple(cost(unit * depth) - base for depth in range(1, deepest + 1)))
        for name, unit in INDENTS
    )


@dataclass(frozen=True, slots=True)
class Blank:
    """A token that is nothing but white space."""

    id: int
    text: str


def blanks(tokenizer: Tokenizer, ids: tuple[int, ...]) -> tuple[Blank, ...]:
    """The given tokens as white space, longest first (see kinds.Kind.WHITESPACE for the ids)."""
    found = [Blank(i, to_text(tokenizer.token_bytes(i) or b"")) for i in ids]
    return tuple(sorted(found, key=lambda blank: (-len(blank.text), blank.id)))
