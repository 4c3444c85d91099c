"""What a format cannot hold of a model: one clause each, said before anything is written."""

from __future__ import annotations

from collections.abc import Callable

from tokexplorer.engine.model import Model
from tokexplorer.engine.splits import GPT2_PATTERN, Split
from tokexplorer.engine.wordpiece import PREFIX
from tokexplorer.formats.bert_vocab import SPECIAL
from tokexplorer.formats.parsing import quote


def losses_of(model: Model, fmt: str) -> tuple[str, ...]:
    """The clauses for a format that can hold the model at all."""
    if fmt == "own":
        return model.left_out
    return (*model.left_out, *_BY_FORMAT[fmt](model), *_history(model))


def _history(model: Model) -> list[str]:
    """What only our own format holds."""
    found: list[str] = []
    if any(merge.count for merge in model.merges):
        found.append(f"the counts of its {len(model.merges):,} merges, and how they tied")
    if model.ties != "unknown":
        found.append(f"how it was trained: ties {model.ties}, minimum count {model.min_count}")
    if model.provenance:
        found.append(f"where it comes from: {', '.join(model.provenance)}")
    return found


def _split_name(split: Split | None) -> str:
    if split is None:
        return "none"
    return quote(split.pattern) if split.name == "custom" else split.name


def _specials(model: Model, end: str) -> list[str]:
    count = len(model.specials)
    return [f"its {count} special token{'s' if count > 1 else ''}{end}"] if count else []


def _loose(model: Model, end: str) -> list[str]:
    count = len(model.loose)
    return [f"that {count} token{'s' if count > 1 else ''} {end}"] if count else []


def _tiktoken(model: Model) -> list[str]:
    found = [f"the split ({_split_name(model.split)}): whoever opens the file must give it"]
    found += _specials(model, ": whoever opens the file must give them")
    found += _unmatched(model, "tiktoken")
    return found if model.whole else found + _loose(model, "are never used: readers take a chunk that is a token whole")


def _pair(model: Model) -> list[str]:
    found: list[str] = []
    if model.split is None or model.split.pattern != GPT2_PATTERN:
        found.append(f"the split ({_split_name(model.split)}): its readers split as GPT-2 does")
    found += _specials(model, " as such: they stand among the other tokens")
    return found + _loose(model, "stand for a whole chunk: readers never use them") if model.whole else found


def _tokenizer_json(model: Model) -> list[str]:
    if model.algorithm == "wordpiece":
        return [f"that a word may begin with {PREFIX}: its readers take it for the piece of that name"]
    if model.algorithm == "unigram":
        name = model.unknown[0] if model.unknown is not None else model.pieces[0].text
        return [
            f"that {quote(name)} in a text is ordinary text: its readers take it for the unknown token",
            "which of several equally probable segmentations is taken: its readers have a rule of their own",
        ]
    return []


def _minbpe(model: Model) -> list[str]:
    return _unmatched(model, "minbpe")


def _unmatched(model: Model, library: str) -> list[str]:
    if model.split is not None and model.split.name == "custom":
        return [f"what the split pattern does not match in a text: {library} drops it"]
    return []


def _bert_vocab(model: Model) -> list[str]:
    found: list[str] = []
    if model.handling:
        found.append(f"whether texts are made lower case: its readers must be told ({model.handling})")
    else:
        found.append(f"the split ({_split_name(model.split)}): its readers clean and cut texts as BERT does")
    if model.max_chars != 100:
        found.append(f"that words of more than {model.max_chars} characters are unknown: its readers take 100")
    others = [text for text in model.specials if text not in SPECIAL]
    if others:
        found.append(f"that {', '.join(map(quote, others[:3]))} {'are' if len(others) > 1 else 'is'} special")
    return found


_BY_FORMAT: dict[str, Callable[[Model], list[str]]] = {
    "tiktoken": _tiktoken,
    "gpt2": _pair,
    "tokenizer.json": _tokenizer_json,
    "minbpe": _minbpe,
    "bert-vocab": _bert_vocab,
}
