"""The tokenizers of every algorithm but our own BPE, at any step of their training: an encoder and a split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Protocol

from tokexplorer.engine.alphabet import END_MARK, to_bytes, to_text
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.model import Model
from tokexplorer.engine.segments import Encoder, Segment
from tokexplorer.engine.splits import Split
from tokexplorer.engine.wordpiece import PREFIX
from tokexplorer.tokenizers.base import Encoded, SpecialMode
from tokexplorer.tokenizers.tiling import Tiling

SHORT: Final = 256
"""Characters up to which a chunk's tokens are remembered."""


class Tokens(Protocol):
    """The tokens of a vocabulary by id."""

    @property
    def size(self) -> int:
        """Highest id + 1."""

    @property
    def unknown_id(self) -> int | None:
        """The id that stands for what the vocabulary cannot spell."""

    def data(self, token_id: int) -> bytes | None:
        """The bytes, None for an id that no token has; of the unknown token its name."""

    def label(self, token_id: int) -> str:
        """The name: `##ing`, `est</w>`, `<unk>`; the text itself where that says it all."""

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """What it was merged from, None where it was not."""

    @property
    def mark(self) -> str:
        """What labels tell the border of a word by: `##`, `</w>` or nothing."""


class TrainedTokenizer:
    """What was trained here with an algorithm other than our BPE, as it was at one step. Immutable.

    A word that cannot be spelled is the unknown token, with the reason as its note. What the split leaves out (the
    spaces between words) belongs to the token before it.
    """

    def __init__(
        self,
        name: str,
        title: str,
        encoder: Encoder,
        tokens: Tokens,
        split: Split,
        in_bytes: bool,
        make_model: Callable[[], Model] | None = None,
    ) -> None:
        """`title`: what it is, for the screen; `in_bytes`: the encoder's spans count bytes, not characters;
        `make_model`: the value that can be written to a file, where there is one."""
        self._name = name
        self.title = title
        self.encoder = encoder
        self.tokens = tokens
        self._split = split
        self.in_bytes = in_bytes
        self._make_model = make_model
        self._segments_of = lru_cache(maxsize=20_000)(encoder.encode)

    @property
    def name(self) -> str:
        return self._name

    @property
    def size(self) -> int:
        return self.tokens.size

    @property
    def specials(self) -> Mapping[str, int]:
        """None: nothing in a text is taken for a special token."""
        return {}

    @property
    def split(self) -> Split | None:
        return self._split

    @property
    def model(self) -> Model:
        """The value that can be written to a file. InputError where there is none."""
        if self._make_model is None:
            raise InputError(f"{self.title} cannot be written as a tokenizer of its own")
        return self._make_model()

    def encode(self, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Encoded:
        """Tokens of `text`; there are no special tokens, so the mode changes nothing."""
        out = Tiling()
        source = to_text(text)
        base = at = 0
        for start, end in self._split.spans(source):
            if at < start:
                base += len(to_bytes(source[at:start]))
                out.reach(base)
            chunk = source[start:end]
            size = end - start if chunk.isascii() else len(to_bytes(chunk))
            for segment in self.segments(chunk):
                stop = segment.end
                if not self.in_bytes and size != end - start:
                    stop = len(to_bytes(chunk[:stop]))
                out.add(segment.id, base + stop, segment.unknown)
            base += size
            at = end
        out.reach(len(text))
        return Encoded(text, out.ids, out.ends, out.notes)

    def segments(self, chunk: str) -> tuple[Segment, ...]:
        """The tokens of one chunk; spans in symbols of the encoder."""
        return self._segments_of(chunk) if len(chunk) <= SHORT else self.encoder.encode(chunk)

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes of the ids; an end mark becomes a space, and a space goes before each `##`-less piece where there
        are `##` pieces. InputError on an id that no token has."""
        parts: list[bytes] = []
        for token_id in ids:
            data = self.token_bytes(token_id)
            if data is None:
                raise InputError(f"id {token_id} is not in the vocabulary of {self._name}")
            label, mark = self.label(token_id), self.tokens.mark
            if mark == PREFIX and parts and not label.startswith(PREFIX):
                parts.append(b" ")
            parts.append(data)
            if mark == END_MARK and label.endswith(END_MARK):
                parts.append(b" ")
        return b"".join(parts)

    def token_bytes(self, token_id: int) -> bytes | None:
        """The bytes of one token, None for an id that is not assigned."""
        return self.tokens.data(token_id)

    def label(self, token_id: int) -> str:
        """How the token is named."""
        return self.tokens.label(token_id)

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """The pair that was merged into the token."""
        return self.tokens.parents(token_id)

    def is_special(self, token_id: int) -> bool:
        """Only the unknown token stands outside the vocabulary proper."""
        return token_id == self.tokens.unknown_id
