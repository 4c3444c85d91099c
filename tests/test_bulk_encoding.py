"""Large texts are encoded in threads, in order, and what tiktoken may cut in another way is cut here."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest
import tiktoken

from tokexplorer.engine.corpus import TextDocument, build_corpus
from tokexplorer.engine.splits import GPT2_PATTERN, named
from tokexplorer.engine.training import BpeTrainer
from tokexplorer.tokenizers import bulk, learned
from tokexplorer.tokenizers.learned import LearnedTokenizer

SAMPLES = Path(__file__).parent.parent / "sample_texts"
TEXT = 3 * b"".join((SAMPLES / name).read_bytes() for name in ("english.txt", "code.py", "unicode.txt"))


def own_tokenizer() -> LearnedTokenizer:
    trainer = BpeTrainer(build_corpus([TextDocument("t", TEXT)], named("gpt2")))
    trainer.run(500)
    return LearnedTokenizer(trainer.vocabulary, trainer.step_count, trainer.corpus.split)


@pytest.mark.parametrize("piece", [50, 3000, 1 << 18])
def test_threads_change_nothing(piece: int) -> None:
    tokenizer = own_tokenizer()
    data = tokenizer.vocabulary.data
    bare = tiktoken.Encoding(
        "bare", pat_str=GPT2_PATTERN, mergeable_ranks={d: i for i, d in enumerate(data)}, special_tokens={}
    )
    with patch.object(bulk, "PIECE_SIZE", piece), patch.object(bulk, "THREADED", 1):
        found = tokenizer.encode(TEXT)
    assert list(found.ids) == bare.encode_ordinary(TEXT.decode())
    assert [TEXT[a:b] for a, b in pairwise([0, *found.ends])] == [data[i] for i in found.ids]


def test_a_new_character_keeps_only_its_surroundings_from_tiktoken() -> None:
    tokenizer = own_tokenizer()
    text = TEXT + " \u0378\u0379 new\u0378er".encode() + TEXT
    asked: list[bool] = []

    def ask(part: str) -> bool:
        asked.append(learned_check(part))
        return asked[-1]

    learned_check = learned._has_no_new_character
    with patch.object(learned, "_has_no_new_character", ask), patch.object(bulk, "PIECE_SIZE", 1000):
        found = own_tokenizer().encode(text)
    assert 0 < asked.count(False) < asked.count(True) / 5
    with patch.object(learned, "BULK", 1 << 40):
        plain = tokenizer.encode(text)
    assert list(found.ids) == list(plain.ids)
    assert found.ends == plain.ends


def test_an_error_in_a_thread_reaches_the_caller() -> None:
    tokenizer = own_tokenizer()
    with (
        patch.object(bulk, "THREADED", 1),
        patch.object(bulk, "_for_tiktoken", side_effect=MemoryError("all of it")),
        pytest.raises(MemoryError, match="all of it"),
    ):
        tokenizer.encode(TEXT)
