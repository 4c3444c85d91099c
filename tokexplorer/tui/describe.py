"""One token in two lines: what it is, and where it comes from. Texts are safe."""

from __future__ import annotations

import unicodedata
from math import exp, log

from rich.text import Text

from tokexplorer.engine.alphabet import END_MARK
from tokexplorer.engine.baselines import BaselineModel
from tokexplorer.engine.glyphs import safe, show
from tokexplorer.engine.unigram import UnigramModel
from tokexplorer.engine.wordpiece import PREFIX
from tokexplorer.session import Snapshot
from tokexplorer.timeline.uses import Uses
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tokenizers.trained import TrainedTokenizer
from tokexplorer.tui.widgets.token_model import ShownToken


def hex_text(data: bytes, limit: int = 16) -> str:
    """Bytes as hex, clipped."""
    return data[:limit].hex(" ") + (" …" if len(data) > limit else "")


def points_text(data: bytes, limit: int = 4) -> str:
    """The code points of valid UTF-8 with their names where there are few; empty for parts of characters."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return "part of a character" if len(data) < 4 else "cut inside a character"
    if not text or (text.isascii() and len(text) > 1):
        return ""
    shown = [f"U+{ord(c):04X} {unicodedata.name(c, '').lower()}".strip() for c in text[:limit]]
    return ", ".join(shown) + (" …" if len(text) > limit else "")


def describe(
    token: ShownToken, data: bytes, tokenizer: Tokenizer, snapshot: Snapshot | None, uses: Uses | None
) -> Text:
    """Two lines on a token of the view."""
    line = Text(no_wrap=True, overflow="ellipsis")
    if token.id < 0:
        line.append(f"{token.note} · bytes {token.start:,}-{token.end:,}")
        return line
    own = tokenizer.token_bytes(token.id) if not token.note else None
    bytes_of = data if own is None else own
    label = tokenizer.label(token.id)
    says_more = label.endswith(END_MARK) or label.startswith(PREFIX) or tokenizer.is_special(token.id)
    line.append(safe(label) if says_more else show(bytes_of), "bold")
    line.append(f"  id {token.id}", "bold")
    line.append(f"  {hex_text(bytes_of)}", "dim")
    if points := points_text(bytes_of):
        line.append(f"  {points}", "dim")
    line.append(f"  at byte {token.start:,}", "dim")
    line.append("\n")
    line.append(token.note or origin(token.id, tokenizer, snapshot, uses))
    return line


def origin(token_id: int, tokenizer: Tokenizer, snapshot: Snapshot | None, uses: Uses | None) -> str:
    """Where a token comes from."""
    if tokenizer.is_special(token_id):
        return "special token: stands outside the merges"
    parents = tokenizer.parents(token_id)
    if parents is None:
        return _untrained(token_id, tokenizer)
    left, right = (_name(tokenizer, i) for i in parents)
    made = f"made from {left} + {right}  (ids {parents[0]}, {parents[1]})"
    merging = snapshot.merging if snapshot is not None and tokenizer is snapshot.tokenizer() else None
    if merging is not None and snapshot is not None and uses is not None:
        step = merging.step_of(token_id)
        used = uses.of(token_id, snapshot.step) or 0
        text = "text as merged" if snapshot.greedy else "corpus"
        return f"made at step {step or 0:,} from {left} + {right}  used {used:,} times in the {text}"
    return f"rank {token_id}  {made}"


def _name(tokenizer: Tokenizer, token_id: int) -> str:
    label = tokenizer.label(token_id)
    if label.startswith(PREFIX) or label.endswith(END_MARK):
        return show(label)
    return show(tokenizer.token_bytes(token_id) or b"")


def _untrained(token_id: int, tokenizer: Tokenizer) -> str:
    """Where a token comes from that no merge made."""
    encoder = tokenizer.encoder if isinstance(tokenizer, TrainedTokenizer) else None
    if isinstance(encoder, UnigramModel):
        score = encoder.scores[token_id]
        return f"piece of the Unigram model: probability {exp(score):.3g}, {-score / log(2):.1f} bits"
    if isinstance(encoder, BaselineModel):
        return "a token of the baseline: all characters, or all chunks, of the corpus"
    return "base symbol: there before the first merge"
