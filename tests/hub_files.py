"""Tokenizer files of the kinds that others write, made small for tests, and what the real library gives for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as HubTokenizer

from tokexplorer.formats import read_tokenizer
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tokenizers.byte_spelling import CHARACTERS

BYTES = {CHARACTERS[byte]: byte for byte in range(256)}


def ids(tokenizer: Tokenizer, text: str | bytes, mode: SpecialMode = SpecialMode.TEXT) -> list[int]:
    data = text.encode() if isinstance(text, str) else text
    encoded = tokenizer.encode(data, mode)
    assert b"".join(token.data for token in encoded) == data or not len(encoded)
    return [*encoded.ids]


def write(path: Path, content: bytes | str | dict[str, Any]) -> str:
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def hub_file(
    vocab: dict[str, int] | None = None,
    merges: list[Any] | None = None,
    added: list[dict[str, Any]] | None = None,
    model: dict[str, Any] | None = None,
    **parts: Any,
) -> dict[str, Any]:
    """A byte-level tokenizer.json; everything may be given."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added or [],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        **parts,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": BYTES if vocab is None else vocab,
            "merges": merges or [],
            **(model or {}),
        },
    }


def added(number: int, content: str, special: bool = True, **flags: bool) -> dict[str, Any]:
    off = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": content, "special": special, **off, **flags}


def both(path: Path, value: dict[str, Any]) -> tuple[Tokenizer, HubTokenizer]:
    """The file here and in its library."""
    name = write(path, value)
    return read_tokenizer(name), HubTokenizer.from_file(name)


def agree(here: Tokenizer, there: HubTokenizer, text: str) -> None:
    for special in (False, True):
        there.encode_special_tokens = not special
        found = ids(here, text, SpecialMode.TOKEN if special else SpecialMode.TEXT)
        assert found == there.encode(text, add_special_tokens=False).ids


MERGES = ["a b", "# #", "ab c"]
PAIR_IDS = BYTES | {"ab": 256, "##": 257, "abc": 258}
THREE = BYTES | {"ab": 256, "abc": 257}
ADDED = [
    added(257, "abc"),
    added(258, "<x>"),
    added(259, "<x>y", special=False),
    added(260, "<x>yz"),
    added(261, "hello", special=False),
    added(262, " lo", special=False),
]
