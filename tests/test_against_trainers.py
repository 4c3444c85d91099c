"""Training on real text against a naive recount, and against the trainers of others where they have the same rule."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from tokexplorer.engine.alphabet import symbol
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.corpus import Corpus, TextDocument, build_corpus
from tokexplorer.engine.splits import named
from tokexplorer.engine.training import BpeTrainer

pytestmark = pytest.mark.slow
PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def source_text(size: int) -> str:
    """Python sources of this machine."""
    text = ""
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        text += path.read_text(encoding="utf-8", errors="ignore")
        if len(text) > size:
            break
    return text[:size]


def corpus_of(text: str) -> Corpus:
    return build_corpus([TextDocument("sources", text.encode())], named("gpt2"))


@pytest.mark.parametrize("ties", list(TieRule))
def test_every_merge_is_that_of_a_naive_recount(ties: TieRule) -> None:
    trainer = BpeTrainer(corpus_of(source_text(300_000)), ties=ties)
    words = list(trainer.table.words)
    for _ in range(600):
        counts: dict[str, int] = {}
        for word, weight in zip(words, trainer.table.weights, strict=True):
            for pair in map(str.__add__, word, word[1:]):
                counts[pair] = counts.get(pair, 0) + weight
        most = max(counts.values())
        tied = [pair for pair, count in counts.items() if count == most]
        winner = tied[0] if ties is TieRule.FIRST else min(tied)
        trainer.step()
        made = trainer.merges[-1]
        assert symbol(made.left) + symbol(made.right) == winner
        assert (made.count, made.tied) == (most, len(tied))
        words = [word.replace(winner, symbol(made.new)) for word in words]
    assert words == trainer.table.words


@pytest.mark.parametrize("peer", ["rustbpe", "bpeasy"])
def test_the_lowest_of_tied_pairs_wins_as_with_the_peers(peer: str) -> None:
    module = pytest.importorskip(peer, reason=f"{peer} is not installed")
    text = source_text(2_000_000)
    trainer = BpeTrainer(corpus_of(text), ties=TieRule.LOWEST)
    trainer.run(4000)
    if peer == "rustbpe":
        tokenizer = module.Tokenizer()
        tokenizer.train_from_iterator(iter([text]), 256 + 4000, pattern=PATTERN)
        ranks = {bytes(data): number for data, number in tokenizer.get_mergeable_ranks()}
    else:
        ranks = module.train_bpe(iter([text]), PATTERN, 1 << 20, 256 + 4000)
    theirs = [data for data, number in sorted(ranks.items(), key=lambda item: item[1]) if number >= 256]
    assert theirs == trainer.vocabulary.data[256:]
