"""Looking at a text piece by piece equals encoding it whole, for every split and any place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_training import corpus_of, texts

from tokexplorer import texts as module
from tokexplorer.engine.corpus import TextDocument
from tokexplorer.engine.splits import PATTERNS
from tokexplorer.engine.training import BpeTrainer
from tokexplorer.texts import Text, TokenizedText
from tokexplorer.tokenizers.learned import LearnedTokenizer


@settings(max_examples=150, deadline=None)
@given(st.lists(texts, min_size=1, max_size=3), st.sampled_from([*PATTERNS, "a+"]), st.integers(1, 8), st.data())
def test_pieces_give_the_tokens_of_the_whole(
    documents: list[bytes], split: str, piece: int, data: st.DataObject
) -> None:
    trainer = BpeTrainer(corpus_of(documents, split))
    trainer.run(10)
    tokenizer = LearnedTokenizer(trainer.vocabulary, trainer.step_count, trainer.corpus.split)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "VIEW_PIECE", piece)
        patch.setattr(module, "BULK_PIECE", piece * 2)
        text = Text([TextDocument(str(i), d) for i, d in enumerate(documents)])
        tokenized = TokenizedText(text, tokenizer)
        whole = [list(tokenizer.encode(d).ids) for d in documents]
        assert tokenized.count() == sum(map(len, whole))
        parts = list(tokenized.pieces(0, text.size))
        assert [i for _, encoded in parts for i in encoded.ids] == [i for ids in whole for i in ids]
        assert b"".join(encoded.text for _, encoded in parts) == text.read(0, text.size) == b"".join(documents)
        start = data.draw(st.integers(0, text.size))
        end = data.draw(st.integers(start, text.size))
        some = list(Text(text.documents).pieces(trainer.corpus.split, start, end))
        every = list(text.pieces(trainer.corpus.split, 0, text.size))
        assert some == [(a, b) for a, b in every if a < end and b > start and start < end]
