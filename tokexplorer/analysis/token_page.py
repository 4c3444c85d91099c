"""Everything about one token: code points, the tree of its parents, what is built on it, sister forms, uses."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tokexplorer.analysis.cut import tokens_of
from tokexplorer.analysis.emission import Emission
from tokexplorer.analysis.kinds import VocabularyIndex
from tokexplorer.analysis.reachability import Category, Classification
from tokexplorer.analysis.spaces import spellings
from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.tokenizers.base import Encoded, Token, Tokenizer

# Unicode gives control characters no names; these are their aliases (NameAliases.txt), C0 and DEL, then C1.
_C0: Final = (
    "NULL", "START OF HEADING", "START OF TEXT", "END OF TEXT", "END OF TRANSMISSION", "ENQUIRY", "ACKNOWLEDGE",
    "ALERT", "BACKSPACE", "CHARACTER TABULATION", "LINE FEED", "LINE TABULATION", "FORM FEED", "CARRIAGE RETURN",
    "SHIFT OUT", "SHIFT IN", "DATA LINK ESCAPE", "DEVICE CONTROL ONE", "DEVICE CONTROL TWO", "DEVICE CONTROL THREE",
    "DEVICE CONTROL FOUR", "NEGATIVE ACKNOWLEDGE", "SYNCHRONOUS IDLE", "END OF TRANSMISSION BLOCK", "CANCEL",
    "END OF MEDIUM", "SUBSTITUTE", "ESCAPE", "INFORMATION SEPARATOR FOUR", "INFORMATION SEPARATOR THREE",
    "INFORMATION SEPARATOR TWO", "INFORMATION SEPARATOR ONE",
)  # fmt: skip
_C1: Final = (
    "DELETE", "PADDING CHARACTER", "HIGH OCTET PRESET", "BREAK PERMITTED HERE", "NO BREAK HERE", "INDEX", "NEXT LINE",
    "START OF SELECTED AREA", "END OF SELECTED AREA", "CHARACTER TABULATION SET",
    "CHARACTER TABULATION WITH JUSTIFICATION", "LINE TABULATION SET", "PARTIAL LINE FORWARD",
    "PARTIAL LINE BACKWARD", "REVERSE LINE FEED", "SINGLE SHIFT TWO", "SINGLE SHIFT THREE", "DEVICE CONTROL STRING",
    "PRIVATE USE ONE", "PRIVATE USE TWO", "SET TRANSMIT STATE", "CANCEL CHARACTER", "MESSAGE WAITING",
    "START OF GUARDED AREA", "END OF GUARDED AREA", "START OF STRING", "SINGLE GRAPHIC CHARACTER INTRODUCER",
    "SINGLE CHARACTER INTRODUCER", "CONTROL SEQUENCE INTRODUCER", "STRING TERMINATOR",
    "OPERATING SYSTEM COMMAND", "PRIVACY MESSAGE", "APPLICATION PROGRAM COMMAND",
)  # fmt: skip
_CONTROLS: Final = dict(enumerate(_C0)) | {0x7F + n: name for n, name in enumerate(_C1)}
_ROLES: Final = ((0x80, 0xC0, "continuation byte"), (0xC2, 0xE0, "first of 2 bytes"), (0xE0, 0xF0, "first of 3 bytes"),
                 (0xF0, 0xF5, "first of 4 bytes"))  # fmt: skip
MOST_NODES: Final = 2_000
"""nodes of a tree that are listed"""


@dataclass(frozen=True, slots=True)
class CodePoint:
    """A character of a token, or a byte of a cut one."""

    start: int
    """in bytes of the token"""
    data: bytes
    point: int | None
    """None for a byte that is not valid UTF-8 here"""
    name: str
    category: str
    """the Unicode general category, such as Ll; empty for a byte"""


def code_points(data: bytes) -> tuple[CodePoint, ...]:
    """The characters of a token with their Unicode names; bytes of cut characters one by one."""
    found: list[CodePoint] = []
    at = 0
    for char in to_text(data):
        raw = to_bytes(char)
        if "\udc80" <= char <= "\udcff":
            found.append(CodePoint(at, raw, None, byte_name(raw[0]), ""))
        else:
            found.append(CodePoint(at, raw, ord(char), name_of(char), unicodedata.category(char)))
        at += len(raw)
    return tuple(found)


def name_of(char: str) -> str:
    """The Unicode name of a character; for controls the name of their use, else what kind of code point it is."""
    point = ord(char)
    if point in _CONTROLS:
        return _CONTROLS[point]
    kinds = {"Co": "private use", "Cn": "unassigned"}
    if point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF:
        return "noncharacter"
    return unicodedata.name(char, kinds.get(unicodedata.category(char), "unnamed"))


def byte_name(byte: int) -> str:
    """What a byte above 7F can be in UTF-8."""
    return next((role for low, high, role in _ROLES if low <= byte < high), "in no UTF-8")


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node of the tree of merges, in the order in which it is written: a node before what it was made of."""

    id: int
    data: bytes
    label: str
    depth: int
    last: tuple[bool, ...]
    """for each ancestor below the root and for the node itself: whether it is the right one of its two"""
    leaf: bool


def parent_tree(tokenizer: Tokenizer, token_id: int, most: int = MOST_NODES) -> tuple[TreeNode, ...]:
    """The token, the two it was merged from, and so on down to base symbols; at most `most` nodes."""
    nodes: list[TreeNode] = []
    waiting: list[tuple[int, tuple[bool, ...]]] = [(token_id, ())]
    while waiting and len(nodes) < most:
        own, last = waiting.pop()
        pair = tokenizer.parents(own)
        data = tokenizer.token_bytes(own) or b""
        nodes.append(TreeNode(own, data, tokenizer.label(own), len(last), last, pair is None))
        if pair is not None:
            waiting += [(pair[1], (*last, True)), (pair[0], (*last, False))]
    return tuple(nodes)


@dataclass(frozen=True, slots=True)
class Sister:
    """One way to write the token's word, in one tokenizer."""

    tokenizer: str
    kind: str
    """`bare`, `space + capital`, ... as in spaces.spellings"""
    text: bytes
    tokens: tuple[Token, ...]
    """one where the form is a token of its own"""


def sisters(tokenizers: Sequence[Tokenizer], data: bytes) -> tuple[Sister, ...]:
    """The forms of a token's word in some tokenizers, tokenizer by tokenizer. A token that is not text, or that is
    nothing but white space, has just its own bytes as they are."""
    word = to_text(data).strip()
    is_text = bool(word) and not any("\udc80" <= char <= "\udcff" for char in word)
    texts = [(kind, to_bytes(text)) for kind, text in spellings(word)] if is_text else [("as it is", data)]
    return tuple(Sister(t.name, kind, text, tokens_of(t, text)) for t in tokenizers for kind, text in texts)


@dataclass(frozen=True, slots=True)
class TokenPage:
    """One id of a vocabulary."""

    tokenizer: str
    id: int
    data: bytes | None
    """None: the id is unassigned, and all else is empty"""
    label: str
    special: bool
    rank: int | None
    """its place among the merges, from 0; None where it was not merged"""
    valid: bool
    """whether the bytes are valid UTF-8 alone"""
    points: tuple[CodePoint, ...]
    parents: tuple[int, int] | None
    tree: tuple[TreeNode, ...]
    children: tuple[int, ...]
    """the ids that were merged from it, ascending"""
    sisters: tuple[Sister, ...]
    category: Category | None
    """None where no classification was given"""
    flags: tuple[Category, ...]
    emission: Emission | None
    """whether any text yields it; None where that was not asked yet, or for specials and unassigned ids"""


def token_page(
    index: VocabularyIndex,
    token_id: int,
    others: Sequence[Tokenizer] = (),
    found: Classification | None = None,
    emission: Emission | None = None,
) -> TokenPage:
    """The page of one token. `others`: further tokenizers for its sister forms; `found` and `emission` as computed
    before. IndexError out of range."""
    tokenizer = index.tokenizer
    if not 0 <= token_id < index.size:
        raise IndexError(token_id)
    data = index.data[token_id]
    flags = () if found is None else tuple(c for c, ids in found.flags.items() if token_id in ids)
    parents = tokenizer.parents(token_id) if data is not None else None
    return TokenPage(
        tokenizer=tokenizer.name,
        id=token_id,
        data=data,
        label="" if data is None else tokenizer.label(token_id),
        special=data is not None and tokenizer.is_special(token_id),
        rank=None if parents is None else index.rank(token_id),
        valid=data is not None and all(point.point is not None for point in code_points(data)),
        points=() if data is None else code_points(data),
        parents=parents,
        tree=() if data is None else parent_tree(tokenizer, token_id),
        children=tuple(index.children.get(token_id, ())),
        sisters=() if data is None else sisters((tokenizer, *others), data),
        category=None if found is None else found.category_of[token_id],
        flags=flags,
        emission=emission,
    )


def uses_of(encoded: Encoded, token_id: int, limit: int | None = None) -> list[tuple[int, int]]:
    """Where a token stands in an encoded text, as byte spans in order; at most `limit` of them."""
    ids, found, at = encoded.ids, list[tuple[int, int]](), 0
    while limit is None or len(found) < limit:
        try:
            at = ids.index(token_id, at)
        except ValueError:
            break
        found.append((encoded.start(at), encoded.ends[at]))
        at += 1
    return found
