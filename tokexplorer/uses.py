"""How often each learned token is used at any step: what its merge made, less what later merges took of it."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from tokexplorer.engine.training import Vocabulary


class Uses:
    """Follows one vocabulary as it grows. Asking costs a look-up, whatever the step."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._read = 0
        self._steps: dict[int, list[int]] = {}
        self._taken: dict[int, list[int]] = {}
        self._sums: dict[int, list[int]] = {}

    def _follow(self) -> None:
        merges = self.vocabulary.merges
        end = len(merges)
        for merge in merges[self._read : end]:
            for parent in {merge.left, merge.right}:
                times = 2 if merge.left == merge.right else 1
                self._steps.setdefault(parent, []).append(merge.step)
                self._taken.setdefault(parent, []).append(merge.replaced * times)
                self._sums.pop(parent, None)
        self._read = end

    def taken(self, token_id: int, step: int) -> int:
        """Uses of a token that merges up to `step` have taken away."""
        self._follow()
        steps = self._steps.get(token_id)
        if steps is None:
            return 0
        sums = self._sums.get(token_id)
        if sums is None:
            sums = self._sums[token_id] = list(accumulate(self._taken[token_id], initial=0))
        return sums[bisect_right(steps, step)]

    def of(self, token_id: int, step: int) -> int | None:
        """Uses of a merged token in the corpus at `step`; 0 before it was made, None for base symbols."""
        made = token_id - len(self.vocabulary.alphabet)
        if made < 0:
            return None
        if made >= step:
            return 0
        return self.vocabulary.merges[made].replaced - self.taken(token_id, step)

    def children(self, token_id: int, step: int) -> list[int]:
        """The ids of the tokens that merges up to `step` built directly on a token."""
        self._follow()
        base = len(self.vocabulary.alphabet)
        return [base + s - 1 for s in self._steps.get(token_id, []) if s <= step]
