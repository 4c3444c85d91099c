"""Loading: no network, no cache folder, nothing before it is needed, any thread; and texts that make tiktoken panic."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import pytest
import tiktoken
from builtin_oracle import encoding
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import GPT2_PATTERN, named
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
    with patch("importlib.resources.files", lambda _: tmp_path), missing:
        ranks.load_ranks("gone")


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_a_long_blank_run_never_reaches_tiktokens_pattern(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A million blanks would overflow its stack: a panic, with a report that no handler can keep off the screen."""
    blanks = 1_200_000
    text = b"before" + b" " * blanks + b"after\nand on"
    encoded = load(name).encode(text)
    assert load(name).decode(encoded.ids) == text
    assert encoded.ends[-1] == len(text)
    head = encoding(name).encode_ordinary("before")
    tail = encoding(name).encode_ordinary(" after\nand on")
    blank = encoding(name)._encode_single_piece(b" " * (blanks - 1))
    assert list(encoded.ids) == head + blank + tail
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@pytest.mark.parametrize("run", ["a", "1", "!", "\n", "\u3000", "中", "'s"])
def test_a_long_run_of_anything_gets_tiktokens_ids(name: str, run: str) -> None:
    text = run * 60_000
    with (
        patch.object(bulk, "PIECE_SIZE", 10_000),
        patch.object(bulk, "LONG_PIECE", 20_000),
        patch.object(bulk, "WINDOW", 5_000),
    ):
        encoded = load(name).encode(text.encode())
    assert list(encoded.ids) == encoding(name).encode_ordinary(text)
    assert load(name).decode(encoded.ids) == text.encode()


chunks = st.one_of(
    st.binary(min_size=1, max_size=120),
    st.text("ab", min_size=1, max_size=120).map(str.encode),
    st.lists(st.sampled_from(["a", "aa", "the", "ing", " ", "1", "日本", "\n"]), min_size=1, max_size=60)
    .map("".join)
    .map(str.encode),
)


@settings(max_examples=400, deadline=None)
@given(chunks, st.sampled_from(["gpt2", "cl100k_base", "o200k_base"]), st.integers(1, 30), st.integers(1, 4))
def test_a_chunk_merged_window_by_window_has_the_ids_of_the_whole(
    chunk: bytes, name: str, window: int, overlap: int
) -> None:
    encoder = load(name)._loaded_encoder()
    with patch.object(bulk, "WINDOW", window), patch.object(bulk, "OVERLAP", overlap):
        assert encoder._encode_chunk(chunk) == encoding(name)._encode_single_piece(chunk)


@settings(max_examples=300, deadline=None)
@given(
    st.text("abc", min_size=20, max_size=60),
    st.text("abc", min_size=1, max_size=200),
    st.integers(2, 20),
    st.integers(1, 3),
)
def test_windows_hold_for_any_small_vocabulary(learned: str, text: str, window: int, overlap: int) -> None:
    """Tokens in ranks that no training gave, so that borders move as far as they can."""
    ranks = {bytes([b]): b for b in range(256)}
    for size in (2, 3, 5, 2, 4):
        for at in range(0, len(learned) - size, size):
            ranks.setdefault(learned[at : at + size].encode(), len(ranks))
    own = tiktoken.Encoding("small", pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens={})
    encoder = bulk.BulkEncoder(own, ranks, named("gpt2"))
    with patch.object(bulk, "WINDOW", window), patch.object(bulk, "OVERLAP", overlap):
        assert encoder._encode_chunk(text.encode()) == own._encode_single_piece(text.encode())


def test_pieces_tile_the_text() -> None:
    split = load("o200k_base").split
    text = (b"Some words, and then some more.\n" * 40) + b"\xff" * 50 + b" end"
    parts = [*bulk.pieces(split, text, 64)]
    assert b"".join(parts) == text
    assert len(parts) > 10
    assert all(len(part) >= 64 for part in parts[:-1])
    assert [*bulk.pieces(split, b"", 64)] == []
