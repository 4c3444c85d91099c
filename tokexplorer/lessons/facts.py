"""Facts on texts and tokenizers, and sums with facts; on what the explorer shows just now."""

from __future__ import annotations

from tokexplorer.analysis.spaces import trailing_space
from tokexplorer.engine.alphabet import to_text
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import compile_split
from tokexplorer.lessons.asking import ask, fact
from tokexplorer.lessons.lesson import Question, Value
from tokexplorer.lessons.moment import Moment, token_name, token_names
from tokexplorer.tokenizers.base import Encoded, SpecialMode, Tokenizer


def _encoded(moment: Moment, text: str, tokenizer: str, special: str) -> tuple[Tokenizer, Encoded]:
    found = moment.find(tokenizer or moment.tokenizer)
    mode = SpecialMode(special) if special else moment.special
    return found, found.encode(text.encode() if text else moment.text, mode)


@fact(text="text", tokenizer="text", special="text")
def tokens(moment: Moment, text: str = "", tokenizer: str = "", special: str = "") -> Value:
    """The tokens of a text, each as text. What is not given is what the token pane shows."""
    found, encoded = _encoded(moment, text, tokenizer, special)
    names: list[Value] = list(token_names(found, encoded))
    return names


@fact(text="text", tokenizer="text", special="text")
def ids(moment: Moment, text: str = "", tokenizer: str = "", special: str = "") -> Value:
    """The ids of a text."""
    return list(_encoded(moment, text, tokenizer, special)[1].ids)


@fact(text="text", tokenizer="text", special="text")
def count(moment: Moment, text: str = "", tokenizer: str = "", special: str = "") -> Value:
    """How many tokens a text has."""
    return len(_encoded(moment, text, tokenizer, special)[1])


@fact(text="text", tokenizer="text")
def unknown(moment: Moment, text: str = "", tokenizer: str = "") -> Value:
    """How many tokens of a text stand for something that is not in the vocabulary."""
    return len(_encoded(moment, text, tokenizer, "")[1].notes)


@fact(text="text", tokenizer="text")
def partial(moment: Moment, text: str = "", tokenizer: str = "") -> Value:
    """How many tokens of a text are no text alone: parts of characters."""
    found, encoded = _encoded(moment, text, tokenizer, "")
    return sum(1 for token_id in encoded.ids if token_name(found, token_id).startswith("‹"))


@fact(tokenizer="text")
def size(moment: Moment, tokenizer: str) -> Value:
    """How many ids a tokenizer has, special tokens included."""
    return moment.find(tokenizer).size


@fact(text="text", tokenizer="text", special="text")
def id_(moment: Moment, text: str, tokenizer: str, special: str = "") -> Value:
    """The id of a text that is one token; refused where it is several."""
    _, encoded = _encoded(moment, text, tokenizer, special)
    if len(encoded) != 1:
        raise InputError(f"{text!r} is {len(encoded)} tokens, not one")
    return encoded.ids[0]


@fact(id="number", tokenizer="text")
def token(moment: Moment, id: int, tokenizer: str) -> Value:
    """The token with an id."""
    return token_name(moment.find(tokenizer), id)


@fact(text="text", tokenizer="text")
def parents(moment: Moment, text: str, tokenizer: str) -> Value:
    """The two tokens that a token was merged from."""
    found = moment.find(tokenizer)
    encoded = found.encode(text.encode())
    pair = found.parents(encoded.ids[0]) if len(encoded) == 1 else None
    if pair is None:
        raise InputError(f"{text!r} is not one merged token")
    return [token_name(found, part) for part in pair]


@fact(tokenizer="text")
def specials(moment: Moment, tokenizer: str) -> Value:
    """The special tokens of a tokenizer."""
    return list(moment.find(tokenizer).specials)


@fact(text="text", split="text")
def chunks(moment: Moment, text: str, split: str = "") -> Value:
    """The chunks that a split cuts a text into: the one named, else the corpus's own."""
    pattern = compile_split(split) if split else moment.snapshot.corpus.split
    return list(pattern.chunks(text))


@fact(text="text", split="text")
def chunk_count(moment: Moment, text: str, split: str = "") -> Value:
    """How many chunks a split cuts a text into."""
    pattern = compile_split(split) if split else moment.snapshot.corpus.split
    return len(pattern.chunks(text))


@fact(text="text", next="text", tokenizer="text")
def extra_after_space(moment: Moment, text: str, next: str, tokenizer: str) -> Value:
    """How many tokens more a prompt and the next word take where the prompt ends with a space."""
    return trailing_space(moment.find(tokenizer), text.encode(), next.encode()).extra


@fact(text="text")
def bytes_(moment: Moment, text: str = "") -> Value:
    """The bytes of a text, each in hex."""
    return [f"{byte:02x}" for byte in (text.encode() if text else moment.text)]


@fact(text="text")
def byte_count(moment: Moment, text: str = "") -> Value:
    """How many bytes a text has."""
    return len(text.encode() if text else moment.text)


@fact(text="text")
def character_count(moment: Moment, text: str = "") -> Value:
    """How many characters (code points) a text has."""
    return len(text or to_text(moment.text))


@fact(text="text", letter="text")
def letters(moment: Moment, text: str, letter: str) -> Value:
    """How often a letter stands in a text."""
    return text.count(letter)


@fact(of="question", less="question")
def difference(moment: Moment, of: Question, less: Question) -> Value:
    """One number less another."""
    return _number(of, moment) - _number(less, moment)


@fact(of="question", by="question")
def ratio(moment: Moment, of: Question, by: Question) -> Value:
    """One number divided by another, to one place after the point."""
    return round(_number(of, moment) / _number(by, moment), 1)


@fact(of="question", by="question")
def percent(moment: Moment, of: Question, by: Question) -> Value:
    """One number as a percentage of another, rounded."""
    return round(100 * _number(of, moment) / _number(by, moment))


def _number(question: Question, moment: Moment) -> int | float:
    found = ask(question, moment)
    if not isinstance(found, int | float):
        raise InputError(f"{question.kind} is not a number")
    return found


@fact()
def tokenizer(moment: Moment) -> Value:
    """The tokenizer that the token pane shows: `own`, `gpt2`, ..."""
    return moment.tokenizer


@fact()
def special(moment: Moment) -> Value:
    """What special strings are in the token pane: `text` or `token`."""
    return moment.special.value


@fact()
def probe(moment: Moment) -> Value:
    """The text that stands in place of the corpus; empty where the corpus is looked at."""
    return to_text(moment.probe or b"")


@fact(view="text")
def shows(moment: Moment, view: str) -> Value:
    """1 where a view is switched on (`ids`, `group`, `chunks`), else 0."""
    return int(view in moment.shows)


@fact()
def pane(moment: Moment) -> Value:
    """The pane that has the focus or had it last: `corpus`, `pairs`, `merges`, `tokens`."""
    return moment.pane


@fact()
def special_count(moment: Moment) -> Value:
    """How many special tokens there are in what the token pane shows."""
    found, encoded = _encoded(moment, "", "", "")
    return sum(1 for token_id in encoded.ids if found.is_special(token_id))


@fact(text="text", letter="text", tokenizer="text")
def tokens_with(moment: Moment, text: str, letter: str, tokenizer: str) -> Value:
    """How many tokens of a text hold a letter."""
    found, encoded = _encoded(moment, text, tokenizer, "text")
    return sum(letter in name for name in token_names(found, encoded))
