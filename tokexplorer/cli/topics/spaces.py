"""`inspect spaces`: the forms of a word, a trailing space, runs of white space, indentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from tokexplorer.analysis.spaces import TrailingSpace, forms, indentation, runs, trailing_space
from tokexplorer.cli.output import Out, columns, several, text_or_none
from tokexplorer.cli.topics.asked import Asked, token_values
from tokexplorer.engine.alphabet import to_text
from tokexplorer.tokenizers.base import Token, Tokenizer

WORD: Final = b"the"
PROMPT: Final = b"Once upon a"
SHOWN_RUNS: Final = (1, 2, 3, 4, 8, 16, 32)


def _trailing(tokenizer: Tokenizer, asked: Asked) -> TrailingSpace:
    return trailing_space(tokenizer, PROMPT, asked.text or WORD)


def values(tokenizer: Tokenizer, asked: Asked) -> dict[str, Any]:
    """The topic as JSON values."""
    trailing = _trailing(tokenizer, asked)
    return {
        "forms": [
            {"kind": form.kind, "text": text_or_none(form.text), "tokens": token_values(form.tokens)}
            for form in forms(tokenizer, to_text(asked.text or WORD))
        ],
        "trailing_space": {
            "prompt": text_or_none(trailing.text),
            "next_word": text_or_none(trailing.next_word),
            "prompt_tokens": token_values(trailing.plain),
            "with_space": token_values(trailing.spaced),
            "joined": token_values(trailing.joined),
            "stranded": token_values(trailing.stranded),
            "extra": trailing.extra,
            "harmless": trailing.harmless,
        },
        "runs": [
            {
                "name": run.name,
                "unit": run.unit,
                "tokens": list(run.counts),
                "before_word": list(run.before_word),
                "longest_single": run.longest,
            }
            for run in runs(tokenizer)
        ],
        "indentation": [
            {"name": style.name, "unit": style.unit, "extra": list(style.extra)} for style in indentation(tokenizer)
        ],
    }


def lines(out: Out, tokenizer: Tokenizer, asked: Asked) -> Iterator[str]:
    """The topic for a reader."""
    found = forms(tokenizer, to_text(asked.text or WORD))
    rows = [(form.kind, out.show(form.text), _cut(out, form.tokens), _ids(form.tokens)) for form in found]
    yield from columns("<<<<", rows, ("form", "text", "tokens", "ids"))
    trailing = _trailing(tokenizer, asked)
    verdict = "the same tokens"
    if not trailing.harmless:
        more = several(trailing.extra, "more token") if trailing.extra else "as many tokens"
        verdict = f"{more}, not those that a model has learned from"
    yield ""
    yield f"a prompt without a space at its end    {_cut(out, trailing.joined)}"
    yield f"with it, then the word on its own      {_cut(out, trailing.stranded)}  ({verdict})"
    yield ""
    yield "tokens of runs of     " + "".join(f"{n:>5}" for n in SHOWN_RUNS) + "   longest single token"
    for run in runs(tokenizer, SHOWN_RUNS[-1]):
        yield f"{run.name:<22}" + "".join(f"{run.counts[n - 1]:>5}" for n in SHOWN_RUNS) + f"   {run.longest}"
    yield ""
    yield "tokens that levels of indentation add"
    for style in indentation(tokenizer):
        yield f"{style.name:<22}" + "".join(f"{extra:>5}" for extra in style.extra)


def _ids(tokens: Sequence[Token]) -> str:
    return " ".join(str(token.id) for token in tokens)


def _cut(out: Out, tokens: Sequence[Token]) -> str:
    return " ".join(out.show(token.data) for token in tokens)
