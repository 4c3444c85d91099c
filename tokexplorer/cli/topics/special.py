"""`inspect special`: the special tokens, and one text three ways: as text, as tokens, forbidden."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from tokexplorer.analysis.specials import ATTACK, overlapping, registered, three_ways
from tokexplorer.cli.output import Out, several, text_or_none
from tokexplorer.cli.topics.asked import Asked, token_values
from tokexplorer.tokenizers.base import Token, Tokenizer

SHOWN_SPECIALS: Final = 40


def values(tokenizer: Tokenizer, asked: Asked) -> dict[str, Any]:
    """The topic as JSON values."""
    ways = three_ways(tokenizer, asked.text if asked.text is not None else ATTACK)
    return {
        "special": [{"text": s.text, "id": s.id, "as_text": list(s.as_text)} for s in registered(tokenizer)],
        "overlapping": [list(pair) for pair in overlapping(tokenizer)],
        "text": text_or_none(ways.text),
        "markers": [{"text": m.text, "id": m.id, "start": m.start, "end": m.end} for m in ways.markers],
        "as_text": token_values(ways.as_text),
        "as_tokens": token_values(ways.as_tokens),
        "forbidden": ways.forbidden or None,
        "differing": [list(span) for span in ways.differing],
    }


def lines(out: Out, tokenizer: Tokenizer, asked: Asked) -> Iterator[str]:
    """The topic for a reader."""
    found = registered(tokenizer)
    yield f"{several(len(found), 'special token')}{':' if found else ''}"
    for special in found[:SHOWN_SPECIALS]:
        yield f"  {special.id:>7}  {out.show(special.text)}  as text {' '.join(map(str, special.as_text))}"
    if len(found) > SHOWN_SPECIALS:
        yield f"  and {len(found) - SHOWN_SPECIALS:,} more"
    for shorter, longer in overlapping(tokenizer):
        yield f"  {out.show(longer)} goes before {out.show(shorter)}"
    ways = three_ways(tokenizer, asked.text if asked.text is not None else ATTACK)
    yield f"the text         {out.show(ways.text)}"
    yield f"read as text     {_cut(out, ways.as_text)}  ({several(len(ways.as_text), 'token')})"
    yield f"read as tokens   {_marked(out, tokenizer, ways.as_tokens)}  ({several(len(ways.as_tokens), 'token')})"
    yield f"forbidden        {out.safe(ways.forbidden) if ways.forbidden else 'nothing in it is a special token'}"
    for start, end in ways.differing:
        yield f"they differ in   bytes {start} to {end}: {out.show(ways.text[start:end])}"


def _cut(out: Out, tokens: Sequence[Token]) -> str:
    return " ".join(out.show(token.data) for token in tokens)


def _marked(out: Out, tokenizer: Tokenizer, tokens: Sequence[Token]) -> str:
    return " ".join(
        f"[{token.id} {out.show(token.data)}]" if tokenizer.is_special(token.id) else out.show(token.data)
        for token in tokens
    )
