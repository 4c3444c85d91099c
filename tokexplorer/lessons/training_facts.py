"""Facts on the training at a moment: pairs and their counts, merges made, the corpus."""

from __future__ import annotations

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.training import Candidate, Merge
from tokexplorer.lessons.asking import fact
from tokexplorer.lessons.lesson import Value
from tokexplorer.lessons.moment import Moment, symbol_name


def _winner(moment: Moment) -> Candidate:
    winner = moment.snapshot.winner
    if winner is None:
        raise InputError("no pair is left")
    return winner


def _candidate(moment: Moment, pair: list[str]) -> Candidate | None:
    snapshot = moment.snapshot
    for found in snapshot.candidates:
        if [symbol_name(snapshot, found.left), symbol_name(snapshot, found.right)] == pair:
            return found
    if snapshot.row_total > len(snapshot.candidates):
        raise InputError(f"{pair[0]} + {pair[1]} is not among the best {len(snapshot.candidates)} pairs")
    return None


def _merge(moment: Moment, step: int) -> Merge:
    snapshot = moment.snapshot
    if not 1 <= step <= snapshot.step:
        raise InputError(f"step {step} has not been made: we are at step {snapshot.step}")
    merge: Merge = snapshot.merges[step - 1]
    return merge


@fact()
def step(moment: Moment) -> Value:
    """How many merges have been made."""
    return moment.snapshot.step


@fact()
def vocab_size(moment: Moment) -> Value:
    """Base symbols and merges made."""
    return moment.snapshot.vocab_size


@fact()
def base_size(moment: Moment) -> Value:
    """Base symbols."""
    return moment.snapshot.base_size


@fact()
def corpus_tokens(moment: Moment) -> Value:
    """How many tokens the corpus has now."""
    return moment.snapshot.tokens


@fact(step="number")
def corpus_tokens_after(moment: Moment, step: int) -> Value:
    """How many tokens the corpus had after a step."""
    return moment.snapshot.start_tokens if not step else _merge(moment, step).tokens_after


@fact(step="number")
def bytes_per_token_after(moment: Moment, step: int) -> Value:
    """Bytes of the corpus by its tokens after a step, to two places after the point."""
    snapshot = moment.snapshot
    return round(snapshot.text_bytes / (snapshot.start_tokens if not step else _merge(moment, step).tokens_after), 2)


@fact()
def bytes_per_token(moment: Moment) -> Value:
    """Bytes of the corpus by its tokens, to two places after the point."""
    return round(moment.snapshot.bytes_per_token, 2)


@fact()
def next_pair(moment: Moment) -> Value:
    """The pair that the next step merges."""
    winner = _winner(moment)
    return [symbol_name(moment.snapshot, winner.left), symbol_name(moment.snapshot, winner.right)]


@fact()
def next_count(moment: Moment) -> Value:
    """The count of the pair that the next step merges."""
    return _winner(moment).count


@fact()
def next_replaced(moment: Moment) -> Value:
    """How many places the next merge replaces: fewer than the count where places overlap."""
    return _winner(moment).replaced


@fact()
def tied(moment: Moment) -> Value:
    """How many pairs have the count of the next pair, itself included."""
    best = _winner(moment).count
    found = [pair for pair in moment.snapshot.candidates if pair.count == best]
    return len(found)


@fact()
def tied_pairs(moment: Moment) -> Value:
    """The pairs that have the count of the next pair, joined, in the order in which they would win."""
    best, snapshot = _winner(moment).count, moment.snapshot
    return [
        symbol_name(snapshot, pair.left) + symbol_name(snapshot, pair.right)
        for pair in snapshot.candidates
        if pair.count == best
    ]


@fact(pair="pair")
def pair_count(moment: Moment, pair: list[str]) -> Value:
    """At how many places a pair stands now; 0 where it stands nowhere."""
    found = _candidate(moment, pair)
    return found.count if found is not None else 0


@fact()
def pair_total(moment: Moment) -> Value:
    """How many different pairs there are; for Unigram, pieces."""
    return moment.snapshot.row_total


@fact(step="number")
def merge(moment: Moment, step: int) -> Value:
    """The pair that a step has merged."""
    found = _merge(moment, step)
    return [symbol_name(moment.snapshot, found.left), symbol_name(moment.snapshot, found.right)]


@fact(step="number")
def merge_token(moment: Moment, step: int) -> Value:
    """The token that a step has made."""
    return symbol_name(moment.snapshot, _merge(moment, step).new)


@fact(step="number")
def merge_count(moment: Moment, step: int) -> Value:
    """The count that a step's pair had when it was merged."""
    return _merge(moment, step).count


@fact(step="number")
def merge_id(moment: Moment, step: int) -> Value:
    """The id of the token that a step has made."""
    return _merge(moment, step).new


@fact()
def pairs_left(moment: Moment) -> Value:
    """1 where a pair is left to merge, else 0."""
    return int(moment.snapshot.winner is not None)


@fact(what="text")
def corpus(moment: Moment, what: str) -> Value:
    """A figure of the corpus: `bytes`, `characters`, `lines`, `chunks`, `unique`."""
    stats = moment.snapshot.corpus.stats
    figures = {
        "bytes": stats.bytes,
        "characters": stats.characters,
        "lines": stats.lines,
        "chunks": stats.chunks,
        "unique": stats.unique_chunks,
    }
    if what not in figures:
        raise InputError(f"{what} is none of {', '.join(figures)}")
    return figures[what]


@fact()
def split(moment: Moment) -> Value:
    """The split of the corpus by its name or pattern."""
    return moment.snapshot.settings.split


@fact()
def ties(moment: Moment) -> Value:
    """The tie rule."""
    return moment.snapshot.settings.ties.value


@fact()
def merges_tied(moment: Moment) -> Value:
    """How many of the merges made had to be chosen by the tie rule."""
    snapshot = moment.snapshot
    return sum(1 for row in snapshot.merges[: snapshot.step] if row.tied > 1)


@fact()
def target_size(moment: Moment) -> Value:
    """The vocabulary size that the training runs to."""
    snapshot = moment.snapshot
    return snapshot.history.vocab_size(snapshot.step) if snapshot.merging is None else (
        snapshot.base_size + snapshot.target_step
    )
