"""The slow obvious Unigram model: every sum and every choice goes over all segmentations of every word, listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import exp, log, prod

Cut = tuple[str, ...]
Probabilities = Mapping[str, float]


def all_cuts(word: str, pieces: Mapping[str, float]) -> Iterator[Cut]:
    """Every way to write a word as a row of pieces."""
    if not word:
        yield ()
    for end in range(1, len(word) + 1):
        if word[:end] in pieces:
            for rest in all_cuts(word[end:], pieces):
                yield (word[:end], *rest)


def order(cut: Cut, scores: Mapping[str, float]) -> tuple[int, int, tuple[int, ...]]:
    """The named tie rule as a key, the smallest being the best: score in steps of 2**-32, fewest, longest first."""
    return -sum(round(scores[p] * 2**32) for p in cut), len(cut), tuple(-len(p) for p in cut)


def logs(p: Probabilities) -> dict[str, float]:
    return {text: log(max(value, 5e-324)) for text, value in p.items()}


def best_cut(word: str, scores: Mapping[str, float], without: Cut | None = None) -> Cut:
    return min((c for c in all_cuts(word, scores) if c != without), key=lambda c: order(c, scores))


def seeds(words: Mapping[str, int], longest: int, min_count: int, limit: int) -> dict[str, float]:
    """Piece -> weight: single symbols by count; frequent longer substrings by count * length."""
    counts: Counter[str] = Counter()
    for word, n in words.items():
        for i in range(len(word)):
            for j in range(i + 1, min(len(word), i + longest) + 1):
                counts[word[i:j]] += n
    symbols = {text: float(n) for text, n in counts.items() if len(text) == 1}
    frequent = {t: n for t, n in counts.items() if n >= min_count and len(t) > 1}
    redundant = {t[:-1] for t, n in frequent.items() if counts[t[:-1]] == n}
    longer = {t: float(n * len(t)) for t, n in frequent.items() if t not in redundant}
    chosen = sorted(longer, key=lambda t: (-longer[t], t))[:limit]
    return symbols | {t: longer[t] for t in chosen}


def expect(words: Mapping[str, int], p: Probabilities) -> tuple[dict[str, float], float]:
    """Expected counts over all segmentations and the log likelihood."""
    counts = dict.fromkeys(p, 0.0)
    likelihood = 0.0
    for word, n in words.items():
        shares = {cut: prod(p[t] for t in cut) for cut in all_cuts(word, p)}
        total = sum(shares.values())
        likelihood += n * log(total)
        for cut, share in shares.items():
            for text in cut:
                counts[text] += n * share / total
    return counts, likelihood


def normalize(counts: Mapping[str, float]) -> dict[str, float]:
    total = sum(counts.values())
    return {text: n / total for text, n in counts.items()}


def count_uses(words: Mapping[str, int], p: Probabilities) -> Counter[str]:
    uses: Counter[str] = Counter()
    for word, n in words.items():
        for text in best_cut(word, logs(p)):
            uses[text] += n
    return uses


def loss(text: str, p: Probabilities, uses: Mapping[str, int]) -> float:
    """What the corpus's best segmentation loses where the piece is replaced by its next best segmentation."""
    own, tokens = uses.get(text, 0), sum(uses.values())
    if not own:
        return 0.0
    parts = best_cut(text, logs(p), without=(text,))
    after = Counter(uses)
    for part in parts:
        after[part] += own
    total = tokens - own + own * len(parts)
    return own * log(own / tokens) - own * sum(log(after[part] / total) for part in parts)


class SlowUnigram:
    """The rounds of training, each from nothing but the definitions."""

    def __init__(self, words: Mapping[str, int], longest: int, min_count: int, limit: int, iterations: int) -> None:
        self.words = words
        self.iterations = iterations
        self._estimate(seeds(words, longest, min_count, limit))

    def _estimate(self, counts: Mapping[str, float]) -> None:
        self.p = normalize({t: max(n, 0.5) if len(t) == 1 else n for t, n in counts.items()})
        self.expected, likelihood = expect(self.words, self.p)
        self.likelihoods = [likelihood]
        for _ in range(self.iterations):
            self.p = normalize(self.expected)
            self.expected, likelihood = expect(self.words, self.p)
            self.likelihoods.append(likelihood)
        self.uses = count_uses(self.words, self.p)
        self.losses = {t: loss(t, self.p, self.uses) for t in self.p if len(t) > 1}
        self.order = sorted(
            self.losses, key=lambda t: (round(self.losses[t] * 2**20), round(self.expected[t] * 2**20), t)
        )

    def step(self, target_size: int) -> list[str]:
        """Prune a quarter and estimate again; the removed pieces in order."""
        size = len(self.p)
        keep = max(target_size - 1, int(0.75 * size))
        removed = self.order[: max(0, size - keep)]
        self._estimate({t: n for t, n in self.expected.items() if t not in removed})
        return removed


def shares(word: str, scores: Mapping[str, float], alpha: float = 1.0) -> dict[Cut, float]:
    """Every segmentation with its share under probabilities to the power alpha."""
    weights = {cut: exp(alpha * sum(scores[t] for t in cut)) for cut in all_cuts(word, scores)}
    total = sum(weights.values())
    return {cut: weight / total for cut, weight in weights.items()}
