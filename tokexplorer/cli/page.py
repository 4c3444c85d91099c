"""The HTML page of an encoded text: every token on its colour, all text escaped, nothing fetched."""

from __future__ import annotations

from html import escape
from typing import Final

from tokexplorer.engine.glyphs import safe, show
from tokexplorer.tokenizers.base import Encoded, Tokenizer

COLOURS: Final = ("#cde7f0", "#f6e0b5", "#d6ecc8", "#f3cfd8", "#dcd6f2", "#cfeee4")

STYLE: Final = """
body { font: 16px/1.7 system-ui, sans-serif; margin: 2rem; color: #111; background: #fff; }
p { margin: 0 0 1rem; }
div { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
b { font-weight: normal; border-left: 1px solid #888; padding: 1px 0; }
b.s { outline: 2px solid #b00; }
b.u { text-decoration: underline wavy #b00; }
"""


def token_page(tokenizer: Tokenizer, encoded: Encoded) -> str:
    """A whole page; each token's title names its id and bytes."""
    name = escape(safe(tokenizer.name))
    colours = "".join(f"b.c{i} {{ background: {colour}; }}\n" for i, colour in enumerate(COLOURS))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{name}: {len(encoded):,} tokens</title>\n<style>{STYLE}{colours}</style>\n</head>\n<body>\n"
        f"<p>{name}: {len(encoded):,} tokens, {len(encoded.text):,} bytes</p>\n"
        f"<div>{_tokens(tokenizer, encoded)}</div>\n</body>\n</html>\n"
    )


def _tokens(tokenizer: Tokenizer, encoded: Encoded) -> str:
    parts = []
    start = 0
    for index, (token_id, end) in enumerate(zip(encoded.ids, encoded.ends, strict=True)):
        data = encoded.text[start:end]
        note = encoded.notes.get(index, "")
        kind = " u" if note else " s" if tokenizer.is_special(token_id) else ""
        title = f"id {token_id}: {data.hex(' ')}" + (f" ({safe(note)})" if note else "")
        parts.append(
            f'<b class="c{index % len(COLOURS)}{kind}" title="{escape(title)}">{escape(show(data))}</b>'
            + ("<br>\n" if data.endswith(b"\n") else "")
        )
        start = end
    return "".join(parts)
