"""WordPiece: training by score over `##` pieces, step by step both ways, and greedy longest-match encoding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tokexplorer.engine.alphabet import Alphabet, AlphabetKind, id_of, symbol, to_bytes
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.corpus import Corpus
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.merging import WordTable
from tokexplorer.engine.scoring import ScoreChooser, ScoredChoice
from tokexplorer.engine.segments import Segment, name_character
from tokexplorer.engine.training import Candidate, Merge, StopReason, Vocabulary
from tokexplorer.engine.walking import MergeWalk

PREFIX: Final = "##"
"""What a piece that does not start its word begins with."""
UNKNOWN: Final = "[UNK]"
UNKNOWN_ID: Final = 0
MAX_CHARACTERS: Final = 100
"""The longest word that is encoded; a longer one is [UNK] (BERT's limit)."""


@dataclass(frozen=True, slots=True)
class ScoredMerge(Merge):
    """A merge with the counts of its two parts just before it."""

    left_count: int = 0
    right_count: int = 0

    @property
    def score(self) -> float:
        """count(ab) / (count(a) * count(b)), for display."""
        return self.count / (self.left_count * self.right_count)


@dataclass(frozen=True, slots=True)
class ScoredCandidate(Candidate):
    """A row of the pair table with the counts of its two parts."""

    left_count: int
    right_count: int

    @property
    def score(self) -> float:
        """count(ab) / (count(a) * count(b)), for display; the order of rows is exact."""
        return self.count / (self.left_count * self.right_count)


def piece_alphabet(chunks: Iterable[str]) -> Alphabet:
    """`[UNK]`, the characters that start a chunk, then `##x` for those that stand further in; both in code point order.

    `ids` maps the labels; a chunk is spelled by `WordPieceVocabulary.spell`.
    """
    heads: set[str] = set()
    tails: set[str] = set()
    for chunk in chunks:
        heads.add(chunk[0])
        tails.update(chunk[1:])
    characters = (*sorted(heads), *sorted(tails))
    labels = (UNKNOWN, *sorted(heads), *(PREFIX + c for c in sorted(tails)))
    ids = {label: i for i, label in enumerate(labels)}
    return Alphabet(AlphabetKind.CHARS, labels, (b"", *map(to_bytes, characters)), ids)


class WordPieceVocabulary(Vocabulary):
    """The pieces learned so far. `heads` and `tails` map the text of the pieces that start a word and of the others
    (without `##`) to their ids. Append-only; a branch makes a new one."""

    def __init__(self, alphabet: Alphabet) -> None:
        super().__init__(alphabet)
        self.heads = {label: i for i, label in enumerate(alphabet.labels) if len(label) == 1}
        self.tails = {label[-1]: i for i, label in enumerate(alphabet.labels) if len(label) > 1 and i != UNKNOWN_ID}
        self.longest = 1
        self._starts = set(self.heads.values())
        self._head_table = {ord(c): symbol(i) for c, i in self.heads.items()}
        self._tail_table = {ord(c): symbol(i) for c, i in self.tails.items()}

    def spell(self, chunk: str) -> str:
        """A chunk of the corpus as a word: one character per base symbol."""
        return chunk[:1].translate(self._head_table) + chunk[1:].translate(self._tail_table)

    def add(self, merge: Merge) -> None:
        """Enter a merge that has just been made."""
        super().add(merge)
        label = self.labels[merge.left] + self.labels[merge.right][len(PREFIX) :]
        self.labels[merge.new] = label
        if merge.left in self._starts:
            self._starts.add(merge.new)
            self.heads[label] = merge.new
        else:
            label = label[len(PREFIX) :]
            self.tails[label] = merge.new
        self.longest = max(self.longest, len(label))

    def cut(self, merges: int) -> WordPieceVocabulary:
        """A new vocabulary with the first `merges` merges."""
        other = WordPieceVocabulary(self.alphabet)
        for merge in self.merges[:merges]:
            other.add(merge)
        return other


@dataclass(frozen=True, slots=True, eq=False)
class WordPieceModel:
    """A WordPiece vocabulary to encode with: the first `size` pieces. Immutable, though the maps that it shares with
    a trainer may grow: ids from `size` on are not taken."""

    heads: Mapping[str, int]
    """text of a piece that starts a word -> id"""
    tails: Mapping[str, int]
    """text of a piece that stands further in, without `##` -> id"""
    labels: Sequence[str]
    size: int
    longest: int
    """characters of the longest piece, or more"""
    unknown_id: int = UNKNOWN_ID
    max_characters: int = MAX_CHARACTERS

    def encode(self, chunk: str) -> tuple[Segment, ...]:
        """Greedy longest match from the left (Devlin et al. 2018): of the pieces that fit the longest, again and again.

        A chunk that cannot be built so, or is longer than `max_characters`, is one unknown token with the reason.
        """
        end = len(chunk)
        if end > self.max_characters:
            return (Segment(self.unknown_id, 0, end, f"longer than {self.max_characters} characters"),)
        segments: list[Segment] = []
        at = 0
        while at < end:
            found = self._longest(chunk, at)
            if found is None:
                return (Segment(self.unknown_id, 0, end, self._reason(chunk, at)),)
            segments.append(found)
            at = found.end
        return tuple(segments)

    def _longest(self, chunk: str, at: int) -> Segment | None:
        pieces = self.tails if at else self.heads
        for end in range(min(len(chunk), at + self.longest), at, -1):
            found = pieces.get(chunk[at:end])
            if found is not None and found < self.size:
                return Segment(found, at, end)
        return None

    def _reason(self, chunk: str, at: int) -> str:
        other = (self.heads if at else self.tails).get(chunk[at], self.size)
        place = "" if other >= self.size else " inside a word" if at else " at the start of a word"
        return f"unknown {name_character(chunk[at])}{place}"


def model_of_pieces(
    labels: Sequence[str], unknown: str = UNKNOWN, max_characters: int = MAX_CHARACTERS
) -> WordPieceModel:
    """A model from the pieces of a vocabulary file in id order. InputError where the unknown token is not one."""
    labels = tuple(labels)
    if unknown not in labels:
        raise InputError(f"the WordPiece vocabulary has no {unknown}")
    unknown_id = labels.index(unknown)
    heads: dict[str, int] = {}
    tails: dict[str, int] = {}
    for i, label in enumerate(labels):
        if label.startswith(PREFIX) and label != PREFIX:
            tails[label[len(PREFIX) :]] = i
        else:
            heads[label] = i
    longest = max(map(len, labels))
    return WordPieceModel(heads, tails, labels, len(labels), longest, unknown_id, max_characters)


class WordPieceTrainer(MergeWalk[ScoredMerge]):
    """WordPiece over the unique chunks of a corpus (Schuster and Nakajima 2012; the score as published for BERT's
    vocabulary). Pairs with fewer than `min_count` places are not merged, however high their score.

    `tokens` and the table's words are the text as merged so far; the encoder, which matches greedily, may cut it in
    other places.
    """

    def __init__(self, corpus: Corpus, ties: TieRule = TieRule.FIRST, min_count: int = 1) -> None:
        self.corpus = corpus
        self.alphabet = piece_alphabet(corpus.chunks)
        self.ties = ties
        self.min_count = max(1, min_count)
        self.vocabulary = WordPieceVocabulary(self.alphabet)
        self._rows: list[ScoredMerge] = []
        super().__init__(WordTable(map(self.vocabulary.spell, corpus.chunks), corpus.counts))
        self.chooser = ScoreChooser(self.table, ties, self.min_count)

    @property
    def history(self) -> Sequence[ScoredMerge]:
        """All known merges, those beyond `step_count` being undone."""
        return self._rows

    @property
    def vocab_size(self) -> int:
        """`[UNK]`, base symbols and merges made."""
        return len(self.alphabet) + self.step_count

    def stop_reason(self) -> StopReason | None:
        """Why no step can follow here, or None."""
        if self.chooser.best() is not None:
            return None
        return StopReason.MIN_COUNT if self.table.counts else StopReason.NO_PAIRS

    def step(self) -> StopReason | None:
        """Make the next merge: the known one after a rewind, else the winner. Returns why there is none, or None."""
        if self.step_count < len(self._rows):
            self._redo(self._rows[self.step_count])
            return None
        best = self.chooser.best()
        if best is None:
            return self.stop_reason()
        self._make(best, chosen=False)
        return None

    def merge(self, left: int, right: int) -> ScoredMerge:
        """Merge a pair of the user's choice; known merges beyond this step are given up if it differs from the next.

        UsageError where the pair stands nowhere.
        """
        pair = symbol(left) + symbol(right)
        if pair not in self.table.counts:
            raise UsageError("that pair stands nowhere in the text now")
        if self.step_count < len(self._rows):
            known = self._rows[self.step_count]
            if (known.left, known.right) == (left, right):
                self._redo(known)
                return known
            self._branch()
        best = self.chooser.best()
        chosen = best is None or best.pair != pair
        self._make(self.chooser.choice(pair), chosen)
        return self._rows[-1]

    def forget_undone(self) -> None:
        """Give up the known merges beyond this step: the next one is chosen anew."""
        if self.step_count < len(self._rows):
            self._branch()

    def _branch(self) -> None:
        self.table.forget(map(symbol, range(self.vocab_size, len(self.vocabulary.data))))
        self._rows = self._rows[: self.step_count]
        self.vocabulary = self.vocabulary.cut(self.step_count)

    def _make(self, choice: ScoredChoice, chosen: bool) -> None:
        new = len(self.vocabulary.data)
        before = self.table.tokens
        change = self.table.merge(choice.pair, symbol(new))
        left, right = map(id_of, choice.pair)
        self.step_count += 1
        row = ScoredMerge(
            self.step_count,
            left,
            right,
            new,
            choice.count,
            change.replaced,
            before,
            self.table.tokens,
            choice.tied,
            chosen,
            choice.left_count,
            choice.right_count,
        )
        self.vocabulary.add(row)
        self._rows.append(row)
        self._followed(row, change.raised, 1)

    def _followed(self, row: ScoredMerge, raised: tuple[str, ...], sign: int) -> None:
        self.chooser.follow(symbol(row.left) + symbol(row.right), symbol(row.new), sign * row.replaced, raised)

    def _jumped(self) -> None:
        self.chooser.rebuild()

    def candidates(self, limit: int) -> tuple[ScoredCandidate, ...]:
        """The best `limit` pairs of those with `min_count` places or more, the winner first."""
        return tuple(
            ScoredCandidate(
                id_of(c.pair[0]),
                id_of(c.pair[1]),
                c.count,
                self.table.replaceable(c.pair),
                c.tied > 1,
                c.left_count,
                c.right_count,
            )
            for c in self.chooser.top(limit)
        )

    def encoder(self) -> WordPieceModel:
        """The vocabulary at this step, to encode with; it stays as it is whatever the trainer does."""
        own = self.vocabulary
        return WordPieceModel(own.heads, own.tails, own.labels, self.vocab_size, own.longest)
