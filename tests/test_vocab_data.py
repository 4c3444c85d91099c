"""The embedded vocabularies: the published rank files byte for byte, the packed form, the parents, the glitch list."""

from __future__ import annotations

import csv
import random
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest
import tiktoken
from builtin_oracle import slow_merge
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer.data.pack import main, pack_ranks, read_rank_file
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import GPT2_PATTERN
from tokexplorer.tokenizers.parents import recover_merges, recover_pair
from tokexplorer.tokenizers.ranks import PACKED, load_ranks, unpack

PUBLISHED = {
    "r50k_base": (50256, "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"),
    "p50k_base": (50280, "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"),
    "cl100k_base": (100256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    "o200k_base": (199998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
}
"""Tokens and SHA-256 of each rank file, the value that tiktoken pins in openai_public.py."""

ranks_of_bytes = {bytes([b]): b for b in range(256)}


def rank_file(ranks: dict[bytes, int]) -> bytes:
    return b"".join(b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_rank_file_comes_back_byte_for_byte(name: str) -> None:
    count, digest = PUBLISHED[name]
    ranks = load_ranks(name)
    assert len(ranks.ids) == count
    assert sha256(rank_file(ranks.ids)).hexdigest() == digest


@pytest.mark.parametrize("name", PUBLISHED)
def test_ids_and_tokens_are_each_others_inverse(name: str) -> None:
    ranks = load_ranks(name)
    assert {token: i for i, token in enumerate(ranks.tokens) if token is not None} == ranks.ids


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_token_of_two_bytes_and_more_has_two_earlier_parents(name: str) -> None:
    ranks = load_ranks(name)
    merges = ranks.merges()
    assert [new for _, _, new in merges] == sorted(i for token, i in ranks.ids.items() if len(token) > 1)
    for left, right, new in merges:
        a, b = ranks.tokens[left], ranks.tokens[right]
        assert max(left, right) < new
        assert a is not None
        assert b is not None
        assert a + b == ranks.tokens[new]
        assert ranks.pair(new) == (left, right)


@pytest.mark.parametrize("name", PUBLISHED)
def test_parents_equal_a_slow_derivation(name: str) -> None:
    ranks = load_ranks(name)
    sample = random.Random(7).sample(sorted(i for i in ranks.ids.values() if i > 255), 400)
    for new in [*sample, max(ranks.ids.values())]:
        token = ranks.tokens[new]
        assert token is not None
        left, right = (ranks.ids[part] for part in slow_merge(token, ranks.ids, new))
        assert ranks.pair(new) == recover_pair(token, ranks.ids) == (left, right)


@pytest.mark.parametrize("new", [256, 300, 1000, 5000, 20_000, 50_255])
def test_parents_are_what_tiktoken_leaves_without_the_token(new: int) -> None:
    ranks = load_ranks("r50k_base")
    before = {token: i for token, i in ranks.ids.items() if i < new}
    encoding = tiktoken.Encoding("before", pat_str=GPT2_PATTERN, mergeable_ranks=before, special_tokens={})
    token = ranks.tokens[new]
    assert token is not None
    assert tuple(encoding._encode_single_piece(token)) == ranks.pair(new)


@pytest.mark.parametrize("name", PUBLISHED)
def test_all_merges_are_recovered_from_the_ranks_alone(name: str) -> None:
    ranks = load_ranks(name)
    recovered = recover_merges(ranks.ids)
    assert recovered.failed == ()
    assert list(recovered.merges) == ranks.merges()


def test_single_bytes_holes_and_strangers_have_no_parents() -> None:
    ranks = load_ranks("p50k_base")
    assert [ranks.pair(i) for i in (-1, 0, 255, 50256, 50281)] == [None] * 5
    assert ranks.pair(256) is not None
    assert recover_pair(b"a", ranks.ids) is None
    assert recover_pair(b"no such token at all", ranks.ids) is None


def test_a_token_that_two_tokens_cannot_make_is_told() -> None:
    ranks = ranks_of_bytes | {b"ab": 256, b"xyz": 257, b"abab": 258}
    recovered = recover_merges(ranks)
    assert recovered.failed == (257,)
    assert recovered.merges == ((97, 98, 256), (256, 256, 258))
    assert recover_pair(b"ab", {b"a": 0, b"ab": 1}) is None


@st.composite
def vocabularies(draw: st.DrawFn) -> dict[bytes, int]:
    """Vocabularies that byte-pair encoding could have learned: each token joins two earlier ones."""
    base = list(range(256))
    random.Random(draw(st.integers(0, 9))).shuffle(base)
    tokens = [bytes([b]) for b in base]
    for _ in range(draw(st.integers(0, 30))):
        parts = slow_merge(
            draw(st.text("ab ", min_size=2, max_size=12)).encode(), {t: i for i, t in enumerate(tokens)}, 1 << 30
        )
        if len(parts) > 1:
            tokens.append(parts[0] + parts[1])
    return {token: i for i, token in enumerate(tokens)}


@settings(max_examples=60, deadline=None)
@given(vocabularies())
def test_packing_gives_the_vocabulary_back(ranks: dict[bytes, int]) -> None:
    unpacked = unpack(pack_ranks(ranks))
    assert unpacked.ids == ranks
    assert unpacked.tokens == list(ranks)
    assert unpacked.merges() == list(recover_merges(ranks).merges)


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        (ranks_of_bytes | {b"ab": 257}, "without a hole"),
        ({bytes([b]): b for b in range(255)} | {b"ab": 255, b"\xff": 256}, "without a hole"),
        (ranks_of_bytes | {b"xyz": 256}, "1 tokens have no parents, the first is id 256"),
    ],
)
def test_packing_refuses_what_it_cannot_give_back(ranks: dict[bytes, int], words: str) -> None:
    with pytest.raises(InputError, match=words):
        pack_ranks(ranks)


def test_a_file_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="not a packed vocabulary"):
        unpack(b"PK\x03\x04")


def test_the_script_packs_a_folder_of_rank_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ranks = ranks_of_bytes | {b"ab": 256, b"abab": 257}
    for name in PACKED:
        (tmp_path / f"{name}.tiktoken").write_bytes(rank_file(ranks))
    target = tmp_path / "target"
    target.mkdir()
    assert main([str(tmp_path), str(target)]) == 0
    assert {unpack((target / f"{name}.pairs").read_bytes()).ids[b"abab"] for name in PACKED} == {257}
    assert main([]) == 2
    (tmp_path / "r50k_base.tiktoken").write_bytes(b"YQ== 0\n?? 1\n")
    capsys.readouterr()
    assert main([str(tmp_path), str(target)]) == 1
    assert "line 2" in capsys.readouterr().err
    assert main([str(target)]) == 1


def test_a_rank_file_is_read_as_tiktoken_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "some.tiktoken"
    path.write_bytes(rank_file(load_ranks("r50k_base").ids))
    from tiktoken.load import load_tiktoken_bpe

    assert read_rank_file(path) == load_tiktoken_bpe(str(path)) == load_ranks("r50k_base").ids


def test_glitch_tokens_name_the_ids_of_the_embedded_vocabularies() -> None:
    text = files("tokexplorer.data").joinpath("glitch_tokens.tsv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) == 262
    for row in rows:
        token = bytes.fromhex(row["utf8_hex"])
        assert load_ranks(row["encoding"]).ids[token] == int(row["id"])
        for column, name in (("id_r50k", "r50k_base"), ("id_cl100k", "cl100k_base"), ("id_o200k", "o200k_base")):
            assert load_ranks(name).ids.get(token) == (None if row[column] == "-" else int(row[column]))
