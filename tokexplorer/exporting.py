"""From what was trained, or is looked through, to a model that can be written, and what each format makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tokexplorer import __version__
from tokexplorer.engine.corpus import Corpus
from tokexplorer.engine.model import Model

if TYPE_CHECKING:
    from tokexplorer.timeline.snapshots import Snapshot

ENDINGS: Final = {
    "own": ".tok",
    "tiktoken": ".tiktoken",
    "gpt2": "",
    "tokenizer.json": "-tokenizer.json",
    "minbpe": ".model",
    "bert-vocab": "-vocab.txt",
}
"""How the name of a file ends in each format that is written; GPT-2's pair is named by a stem."""
_STEM: Final = 60
_UNFIT: Final = re.compile(r"[^\w.-]+")
_KNOWN_ENDING: Final = re.compile(
    r"(?:[-.]?tokenizer\.json|[-.]?vocab\.(?:json|txt|bpe)|[-.]?merges\.txt|\.(?:txt|tsv|json|tok|tiktoken|model|md))$"
)


def provenance(corpus: Corpus, tokens: int) -> dict[str, str]:
    """Where a model comes from that was trained on a corpus, which then has so many tokens."""
    return {
        "program": f"tokexplorer {__version__}",
        "texts": ", ".join(f"{d.name} ({d.size} bytes)" for d in corpus.documents),
        "bytes": str(corpus.stats.bytes),
        "tokens": str(tokens),
    }


def model_at(snapshot: Snapshot) -> Model:
    """The model that was trained, as it is at the step of a snapshot, with all that is known of its making. InputError
    where the algorithm makes none that can be written (a baseline, a replay)."""
    from tokexplorer.formats import model_of

    settings = snapshot.settings
    origin = provenance(snapshot.corpus, snapshot.tokens)
    chosen = [merge.step for merge in snapshot.merges[: snapshot.step] if merge.chosen]
    if chosen:
        origin["chosen by hand"] = f"the merges of steps {', '.join(map(str, chosen))}"
    return replace(
        model_of(snapshot.tokenizer()),
        ties=settings.ties.value if settings.has_ties else "unknown",
        min_count=settings.min_count,
        provenance=origin,
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a format makes of a model: the reason why it cannot hold it at all, or what it cannot hold of it."""

    refused: str | None = None
    lost: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """In a few words."""
        if self.refused is not None:
            return "cannot hold it"
        return f"loses {len(self.lost)}" if self.lost else "holds everything"


def verdicts(model: Model) -> Iterator[tuple[str, Verdict]]:
    """Each format that is written, in the order in which they are offered, and its verdict. With hundreds of thousands
    of tokens one takes a second."""
    from tokexplorer.formats import FORMATS, refusal
    from tokexplorer.formats.losing import losses_of

    for name, entry in FORMATS.items():
        if entry.writes:
            reason = refusal(model, name)
            yield name, Verdict(reason, losses_of(model, name) if reason is None else ())


def stem_for(name: str) -> str:
    """The beginning of a file's name for a tokenizer or text that is called so: letters, digits, `_`, `-` and `.`
    only, without what a file of its kind usually ends in."""
    plain = _UNFIT.sub("-", name).strip("-.")
    return _KNOWN_ENDING.sub("", plain)[:_STEM].strip("-.") or "tokenizer"


def renamed(path: str, old: str, new: str) -> str:
    """A target for format `new` instead of `old`: the ending that goes with the format is exchanged; a name that ends
    otherwise is the user's own and stays."""
    ending = ENDINGS[old]
    if not path or not path.endswith(ending) or (not ending and _KNOWN_ENDING.search(path)):
        return path
    return path.removesuffix(ending) + ENDINGS[new]
