"""SentencePiece .model files through their library (the extra [sentencepiece])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import Split
from tokexplorer.tokenizers.base import Encoded, SpecialMode
from tokexplorer.tokenizers.protobuf import fields
from tokexplorer.tokenizers.special import cut_at_specials, refuse_specials
from tokexplorer.tokenizers.tiling import Tiling

if TYPE_CHECKING:
    import sentencepiece

INSTALL: Final = 'pip install "tokexplorer[sentencepiece]"'
_SPACE_MARK: Final = "▁"
_REPLACEMENT: Final = dict.fromkeys(range(56448, 56576), "�")
_PIECES: Final = 2
_ID: Final = 2
_BEGIN: Final = 4
_END: Final = 5
"""field numbers of SentencePieceText and of its pieces (sentencepiece.proto); offsets count bytes"""


def open_sentencepiece(title: str, name: str, data: bytes) -> SentencePieceTokenizer:
    """The tokenizer of a .model file, shown as `title`; `name` is the file in complaints. InputError where the library
    is not installed, with the command, and where it refuses the file."""
    try:
        import sentencepiece
    except ImportError as error:
        raise InputError(f"{name}: a SentencePiece model needs the sentencepiece library: {INSTALL}") from error
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.LoadFromSerializedProto(data)
    except (RuntimeError, ValueError) as error:
        said = " ".join(str(error).split())
        raise InputError(f"{name}: expected a whole SentencePiece model; its library refuses it: {said}") from error
    return SentencePieceTokenizer(title, processor)


class SentencePieceTokenizer:
    """A `SentencePieceProcessor`, with spans in bytes that tile the text. A byte that is not valid UTF-8 reaches the
    library as U+FFFD. Control pieces (`<s>`) are the special tokens: the library never finds them in a text, so the
    mode TOKEN cuts them out first."""

    source: Final = "sentencepiece"

    def __init__(self, name: str, processor: sentencepiece.SentencePieceProcessor) -> None:
        self._name = name
        self._processor = processor
        self._names = [processor.IdToPiece(i) for i in range(processor.GetPieceSize())]
        self._specials = {text: i for i, text in enumerate(self._names) if processor.IsControl(i)}
        self._unknown: int = processor.unk_id()

    @property
    def name(self) -> str:
        return self._name

    @property
    def size(self) -> int:
        return len(self._names)

    @property
    def specials(self) -> Mapping[str, int]:
        return self._specials

    @property
    def split(self) -> Split | None:
        return None

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a user should know."""
        return ("run by the sentencepiece library",)

    @property
    def normalises(self) -> str:
        """What is done to a text before it is cut, in words."""
        return "SentencePiece's own (the rules are in the file)"

    def normalise(self, text: bytes) -> bytes:
        """The text after the library's normaliser."""
        return to_bytes(self._processor.Normalize(_valid(text)))

    def encode(self, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Encoded:
        """Tokens of `text` as the library gives them, without `<s>` and `</s>`. InputError only in mode FORBID."""
        if special is SpecialMode.FORBID:
            refuse_specials(text, self._specials)
        out = Tiling()
        names = self._specials if special is SpecialMode.TOKEN else ()
        for start, end, is_special in cut_at_specials(text, names):
            if is_special:
                out.add(self._specials[text[start:end].decode()], end)
            else:
                self._encode_part(text[start:end], start, out)
            out.reach(end)
        return Encoded(text, out.ids, out.ends, out.notes)

    def _encode_part(self, part: bytes, base: int, out: Tiling) -> None:
        valid = _valid(part)
        origin = _origins(part) if len(valid.encode()) != len(part) else range(len(part) + 1)
        message = self._processor.encode(valid, out_type="serialized_proto")
        for number, value in fields(message):
            if number != _PIECES or not isinstance(value, bytes):
                continue
            piece = dict(fields(value))
            token, begin, end = (int(piece.get(key, 0)) for key in (_ID, _BEGIN, _END))
            out.reach(base + origin[begin])
            out.add(token, base + origin[end], "unknown to the vocabulary" if token == self._unknown else "")

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes that `ids` stand for, as the library joins them; InputError on an id that no token has."""
        for token in ids:
            if not 0 <= token < len(self._names):
                raise InputError(f"id {token} is not assigned in {self._name} (ids go from 0 to {self.size - 1})")
        return to_bytes(self._processor.DecodeIds(list(ids)))

    def token_bytes(self, token_id: int) -> bytes | None:
        """The bytes that one token stands for, None for an id that no token has."""
        if not 0 <= token_id < len(self._names):
            return None
        name = self._names[token_id]
        if self._processor.IsByte(token_id):
            return bytes([int(name[3:5], 16)])
        return to_bytes(name if name in self._specials else name.replace(_SPACE_MARK, " "))

    def label(self, token_id: int) -> str:
        """The piece as the file has it."""
        return self._names[token_id] if 0 <= token_id < len(self._names) else ""

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """Not known: the file holds pieces and scores."""
        return None

    def is_special(self, token_id: int) -> bool:
        """Whether the piece is a control piece."""
        return self.label(token_id) in self._specials


def _valid(text: bytes) -> str:
    """Text that the library takes: a byte that is not valid UTF-8 is U+FFFD."""
    return to_text(text).translate(_REPLACEMENT)


def _origins(part: bytes) -> Sequence[int]:
    """For each byte offset of `_valid(part)` at a character the offset in `part`."""
    origin: list[int] = []
    at = 0
    for char in to_text(part):
        size = len(to_bytes(char))
        origin += [at] * len(char.translate(_REPLACEMENT).encode())
        at += size
    return [*origin, at]
