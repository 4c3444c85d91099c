"""Loading: no network, no cache folder, nothing before it is needed, any thread; and texts that make tiktoken panic."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import pytest
from builtin_oracle import encoding

from tokexplorer.engine.errors import InputError
from tokexplorer.tokenizers import bulk, ranks
from tokexplorer.tokenizers.builtin import BuiltinTokenizer, load, names
from tokexplorer.tokenizers.names import DEFINITIONS

OFFLINE = """
import socket, sys

def refuse(*a, **k):
    raise AssertionError("the network was asked")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from tokexplorer.tokenizers import builtin

for name in builtin.names():
    tokenizer = builtin.load(name)
    tokenizer.size, tokenizer.specials, tokenizer.split
assert "tiktoken" not in sys.modules, "tiktoken came with the import"
assert not builtin.load("gpt2").token_bytes(-1) and builtin.load("gpt2").parents(256)
assert "tiktoken" not in sys.modules, "tiktoken came with a token"
for name in builtin.names():
    tokenizer = builtin.load(name)
    assert tokenizer.decode(tokenizer.encode(b"Hello, world").ids) == b"Hello, world"
assert "tiktoken" in sys.modules
assert "textual" not in sys.modules and "requests" not in sys.modules
builtin.load("gpt-4o")
"""


def test_no_network_no_cache_folder_and_tiktoken_only_when_it_is_needed(tmp_path: Path) -> None:
    cache, temporary = tmp_path / "cache", tmp_path / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "TIKTOKEN_CACHE_DIR": str(cache), "TMPDIR": str(temporary)}
    done = subprocess.run([sys.executable, "-c", OFFLINE], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert not cache.exists()
    assert not [*temporary.iterdir()]


def test_many_threads_get_one_tokenizer_and_equal_ids() -> None:
    fresh = BuiltinTokenizer(DEFINITIONS["gpt2"])
    with ThreadPoolExecutor(8) as pool:
        found = [*pool.map(lambda i: fresh.encode(b"one two three %d" % (i % 3)).ids.tolist(), range(48))]  # type: ignore[attr-defined]
        same = {*pool.map(lambda i: id(load(names()[i % 7])), range(70))}
    assert found == [encoding("gpt2").encode_ordinary(f"one two three {i % 3}") for i in range(48)]
    assert len(same) == 7


def test_a_missing_vocabulary_is_one_clear_error(tmp_path: Path) -> None:
    missing = pytest.raises(InputError, match="the embedded vocabulary gone cannot be read: No such file")
    with patch.object(ranks, "files", lambda _: tmp_path), missing:
        ranks.load_ranks("gone")


LONG = bulk.BLANK_BLOCK * 5
"""Characters of white space in a run that overflows tiktoken's regular expressions."""


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_a_long_blank_run_never_reaches_tiktokens_pattern(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    tokenizer = load(name)
    text = b"before" + b" " * LONG + b"after\nand on"
    encoded = tokenizer.encode(text)
    assert tokenizer.decode(encoded.ids) == text
    assert encoded.ends[-1] == len(text)
    head = encoding(name).encode_ordinary("before")
    tail = encoding(name).encode_ordinary(" after\nand on")
    blank = encoding(name)._encode_single_piece(b" " * (LONG - 1))
    assert list(encoded.ids) == head + blank + tail
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@pytest.mark.parametrize("run", ["a", "1", "!", "\n", "\u3000", "中", "'s"])
def test_a_long_run_of_anything_gets_tiktokens_ids(name: str, run: str) -> None:
    text = run * 100_000
    tokenizer = load(name)
    with patch.object(bulk, "BLANK_BLOCK", 20_000):
        encoded = tokenizer.encode(text.encode())
    assert list(encoded.ids) == encoding(name).encode_ordinary(text)
    assert tokenizer.decode(encoded.ids) == text.encode()


def test_pieces_tile_the_text() -> None:
    split = load("o200k_base").split
    text = (b"Some words, and then some more.\n" * 40) + b"\xff" * 50 + b" end"
    parts = [*bulk.pieces(split, text, 64)]
    assert b"".join(parts) == text
    assert len(parts) > 10
    assert all(len(part) >= 64 for part in parts[:-1])
    assert [*bulk.pieces(split, b"", 64)] == []
