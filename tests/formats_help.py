"""Models to write, texts to compare on, and a second reader of minbpe's files, for the tests of the formats."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import regex
from hypothesis import strategies as st
from oracle import replace_pair

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.corpus import Corpus, TextDocument, build_corpus
from tokexplorer.engine.model import Model, Piece
from tokexplorer.engine.splits import compile_split
from tokexplorer.engine.training import BpeTrainer
from tokexplorer.engine.unigram_training import UnigramTrainer
from tokexplorer.engine.wordpiece import WordPieceTrainer

CORPUS = (
    "The quick brown fox, the lazy dog; they're running: 12 345 6789!\n"
    "Der König hatte 3 Töchter.\r\n\tif (x == 10):\n        return x  # done\n"
    "naïve café, привет мир, 你好世界, こんにちは 👩‍👩‍👧 e\u0301\n\n"
) * 3

# Unassigned code points are left out: the libraries' tables of Unicode are of different ages.
_CHARACTERS = st.characters(exclude_categories=["Cs", "Cn", "Co"])
_FRAGMENTS = st.sampled_from(
    [
        "the",
        " the",
        "'s",
        "'LL",
        " 12",
        "3456",
        "\n",
        "\r\n",
        "  ",
        "\t",
        "é",
        "e\u0301",
        "世",
        "界",
        " x",
        "==",
        "</w>",
        ".",
    ]
)
texts = st.one_of(
    st.text(_CHARACTERS, max_size=40),
    st.lists(_FRAGMENTS, max_size=25).map("".join),
    st.text(alphabet="ab \n1", max_size=40),
)


def corpus_of(text: str, split: str) -> Corpus:
    return build_corpus([TextDocument("corpus", text.encode())], compile_split(split))


def bpe_model(
    text: str = CORPUS,
    split: str = "gpt2",
    kind: AlphabetKind = AlphabetKind.BYTES,
    merges: int = 60,
    specials: tuple[str, ...] = (),
) -> Model:
    corpus = corpus_of(text, split)
    trainer = BpeTrainer(corpus, kind)
    trainer.run(merges)
    first = trainer.vocab_size + (kind is not AlphabetKind.BYTES)
    return Model(
        "bpe",
        trainer.alphabet,
        corpus.split,
        tuple(trainer.vocabulary.merges),
        specials={name: first + number for number, name in enumerate(specials)},
        provenance={"files": "corpus"},
    )


def wordpiece_model(text: str = CORPUS, split: str = "words", merges: int = 60) -> Model:
    corpus = corpus_of(text, split)
    trainer = WordPieceTrainer(corpus)
    for _ in range(merges):
        trainer.step()
    return Model("wordpiece", trainer.alphabet, corpus.split, tuple(trainer.history))


def unigram_model(text: str = CORPUS, split: str = "gpt2", kind: AlphabetKind = AlphabetKind.CHARS) -> Model:
    corpus = corpus_of(text, split)
    trainer = UnigramTrainer(corpus, kind)
    trainer.step()
    found = trainer.encoder()
    return Model("unigram", trainer.alphabet, corpus.split, pieces=tuple(map(Piece, found.labels, found.scores)))


def minbpe_encode(path: Path, text: str) -> list[int]:
    """The ids of a text by a file in minbpe's format, the way its RegexTokenizer goes about it: one pair at a time, the
    one with the lowest id first. Written from the format's description, apart from the package."""
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "minbpe v1"
    specials = int(lines[2])
    pairs = {}
    for number, line in enumerate(lines[3 + specials :]):
        left, right = line.split()
        pairs[int(left), int(right)] = 256 + number
    ids: list[int] = []
    for chunk in regex.findall(lines[1].strip(), text):
        word = tuple(chunk.encode())
        while True:
            present = [(pairs[pair], pair) for pair in pairwise(word) if pair in pairs]
            if not present:
                break
            new, pair = min(present)
            word = replace_pair(word, pair, new)
        ids += word
    return ids
