"""The normaliser and pre-tokenizer of a tokenizer.json, as far as they are rebuilt here; None or a reason where not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import regex

from tokexplorer.engine.splits import WORDS_PATTERN, Split, compile_split, named
from tokexplorer.formats.oniguruma import from_oniguruma
from tokexplorer.formats.values import CASED, UNCASED
from tokexplorer.tokenizers.normalizing import (
    Normaliser,
    bert,
    chain,
    in_form,
    lowercase,
    prefixed,
    prefixed_first,
    replace,
    strip,
    strip_marks,
)
from tokexplorer.tokenizers.pretokenizing import (
    BEHAVIOURS,
    Stage,
    bert_stage,
    digit_stage,
    match_stage,
    space_stage,
    split_stage,
)

Value = Mapping[str, Any]


class NotRebuilt(Exception):
    """A part that is not rebuilt here; its text names it."""


def _parts(value: Value | None, key: str) -> Iterator[Value]:
    """The links of a chain, flat; one that is no chain is its only link."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        raise NotRebuilt(f"{key} of an unknown form")
    if value.get("type") != "Sequence":
        yield value
        return
    links = value.get(key)
    if not isinstance(links, list):
        raise NotRebuilt(f"{key} of an unknown form")
    for link in links:
        yield from _parts(link, key)


def read_normaliser(value: Value | None, last: str) -> Normaliser | None:
    """The normaliser, with the prefix `last` after all else; None where there is nothing to do. NotRebuilt names a kind
    that is not known here."""
    links = enumerate(_parts(value, "normalizers"))
    return chain([_normaliser(link, number == 0) for number, link in links], last)


def _normaliser(value: Value, first: bool) -> Normaliser:
    kind = value.get("type")
    if kind in ("NFC", "NFD", "NFKC", "NFKD"):
        return in_form(kind)
    if kind == "Lowercase":
        return Normaliser("lower case", (lowercase,))
    if kind == "StripAccents":
        return Normaliser("combining marks stripped", (strip_marks,))
    if kind == "Strip":
        left, right = bool(value.get("strip_left")), bool(value.get("strip_right"))
        return Normaliser("white space stripped at the ends", (strip(left, right),), local=False)
    if kind == "Prepend" and isinstance(value.get("prepend"), str):
        return (prefixed_first if first else prefixed)(value["prepend"])
    if kind == "Replace" and isinstance(value.get("content"), str):
        pattern, local = _pattern(value)
        return Normaliser(f"{pattern.pattern!r} to {value['content']!r}", (replace(pattern, value["content"]),), local)
    if kind == "BertNormalizer":
        lower = bool(value.get("lowercase"))
        accents = value.get("strip_accents")
        return bert(
            lower,
            lower if accents is None else bool(accents),
            bool(value.get("clean_text")),
            bool(value.get("handle_chinese_chars")),
        )
    raise NotRebuilt(f"the normaliser {kind}")


def _pattern(value: Value) -> tuple[regex.Pattern[str], bool]:
    """The compiled pattern of a Split or Replace, and whether it is one plain character."""
    pattern = value.get("pattern")
    if isinstance(pattern, Mapping):
        text, source = pattern.get("String"), pattern.get("Regex")
        if isinstance(text, str) and text:
            return regex.compile(regex.escape(text, literal_spaces=True)), len(text) == 1
        if isinstance(source, str):
            found = from_oniguruma(source)
            if found is not None:
                return regex.compile(found), False
    raise NotRebuilt(f"the pattern of a {value.get('type')}")


def bert_handling_of(value: Value) -> str:
    """`bert-uncased` or `bert-cased` where normaliser and pre-tokenizer are exactly BERT's, else empty."""
    normaliser, before = value.get("normalizer"), value.get("pre_tokenizer")
    if not isinstance(normaliser, Mapping) or not isinstance(before, Mapping):
        return ""
    if normaliser.get("type") != "BertNormalizer" or before.get("type") != "BertPreTokenizer":
        return ""
    lower, accents = normaliser.get("lowercase"), normaliser.get("strip_accents")
    if not (normaliser.get("clean_text") and normaliser.get("handle_chinese_chars")) or accents not in (None, lower):
        return ""
    return UNCASED if lower else CASED


@dataclass(frozen=True, slots=True)
class PreTokenization:
    """The stages in order. `split`: they amount to this one split; None where they do not. `byte_level`: chunks are
    spelled in bytes; `prefix`: a space goes before a text that has none."""

    stages: tuple[Stage, ...]
    split: Split | None
    byte_level: bool
    prefix: bool


def read_pre_tokenizer(value: Value | None) -> PreTokenization:
    """The pre-tokenization. NotRebuilt names a kind that is not known here."""
    stages: list[Stage] = []
    splits: list[Split | None] = []
    byte_level = prefix = False
    for number, link in enumerate(_parts(value, "pretokenizers")):
        if byte_level:
            raise NotRebuilt("a pre-tokenizer after ByteLevel")
        if link.get("type") == "ByteLevel":
            byte_level = True
            prefix = bool(link.get("add_prefix_space", True))
            if prefix and number:
                raise NotRebuilt("a ByteLevel with add_prefix_space after another pre-tokenizer")
            if not link.get("use_regex", True):
                continue
            splits.append(named("gpt2"))
            stages.append(split_stage(named("gpt2")))
        else:
            split, stage = _stage(link)
            splits.append(split)
            stages.append(stage)
    only = named("none") if not splits else splits[0] if len(splits) == 1 else None
    return PreTokenization(tuple(stages), only, byte_level, prefix)


_PLAIN: Final = ("Isolated", "Removed")


def _stage(value: Value) -> tuple[Split | None, Stage]:
    kind = value.get("type")
    if kind == "Split":
        behaviour, invert = value.get("behavior"), bool(value.get("invert"))
        if behaviour not in BEHAVIOURS:
            raise NotRebuilt(f"a split that is {behaviour}")
        split = _isolating(value) if behaviour == "Isolated" and not invert else None
        if split is not None:
            return split, split_stage(split)
        return None, match_stage(_pattern(value)[0], behaviour, invert)
    if kind == "WhitespaceSplit":
        return compile_split(WORDS_PATTERN), space_stage()
    if kind == "Digits":
        return None, digit_stage(bool(value.get("individual_digits")))
    if kind == "BertPreTokenizer":
        return None, bert_stage()
    raise NotRebuilt(f"the pre-tokenizer {kind}")


def _isolating(value: Value) -> Split | None:
    """A split that keeps matches and what is between them, as one of ours."""
    return compile_split(_pattern(value)[0].pattern)
