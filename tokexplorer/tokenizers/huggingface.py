"""Any tokenizer.json through the library of Hugging Face (the extra [hf])."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from tokexplorer.engine.alphabet import to_bytes, to_text
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.splits import Split
from tokexplorer.tokenizers.base import Encoded, SpecialMode
from tokexplorer.tokenizers.byte_spelling import unspell
from tokexplorer.tokenizers.special import refuse_specials
from tokexplorer.tokenizers.tiling import Tiling

if TYPE_CHECKING:
    import tokenizers

INSTALL: Final = 'pip install "tokexplorer[hf]"'
_SPACE_MARK: Final = "▁"
_STRANGE: Final = "a \ue000 b".encode()
"""A text with a word that no vocabulary knows: without its unknown token a model of words fails only on such texts."""
_END_MARK: Final = "</w>"
_REPLACEMENT: Final = dict.fromkeys(range(56448, 56576), "�")


def open_library(
    title: str, name: str, text: str, value: Mapping[str, Any], reason: str, remarks: tuple[str, ...] = ()
) -> HuggingFaceTokenizer:
    """The tokenizer of a tokenizer.json: its `text`, and the same as a JSON `value`. It is shown as `title`; `name` is
    the file in complaints. `reason`: what in it is not rebuilt here. InputError where the library is not installed,
    with the command, and where it refuses the file."""
    try:
        import tokenizers
    except ImportError as error:
        raise InputError(f"{name}: needs the tokenizers library, for {reason}: {INSTALL}") from error
    try:
        tokenizer = tokenizers.Tokenizer.from_str(text)
    except Exception as error:  # the library raises plain Exception
        said = " ".join(str(error).split())
        raise InputError(f"{name}: the tokenizers library refuses it: {said}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    found = HuggingFaceTokenizer(title, tokenizer, value, (f"run by the tokenizers library, for {reason}", *remarks))
    try:
        found.encode(_STRANGE)
    except Exception as error:  # the same
        said = " ".join(str(error).split())
        raise InputError(f"{name}: the tokenizers library encodes no unknown text with it: {said}") from error
    return found


class HuggingFaceTokenizer:
    """A `tokenizers.Tokenizer`, with spans in bytes that tile the text. A byte that is not valid UTF-8 reaches the
    library as U+FFFD; what the library drops belongs to the token before it, at the start to the first one."""

    source: Final = "tokenizer.json"

    def __init__(
        self, name: str, tokenizer: tokenizers.Tokenizer, value: Mapping[str, Any], remarks: tuple[str, ...]
    ) -> None:
        self._name = name
        self._tokenizer = tokenizer
        self._lock = threading.Lock()
        self.remarks = remarks
        added = tokenizer.get_added_tokens_decoder()
        self._plain = {i: token.content for i, token in added.items()}
        self._specials = {token.content: i for i, token in added.items() if token.special}
        self._names: dict[int, str] = {i: text for text, i in tokenizer.get_vocab(with_added_tokens=True).items()}
        self._size = max(self._names, default=-1) + 1
        self._model: Mapping[str, Any] = value["model"]
        self._kinds = frozenset(_kinds([value.get(k) for k in ("normalizer", "pre_tokenizer", "decoder")]))
        self._unknown = self._find_unknown()

    @property
    def name(self) -> str:
        return self._name

    @property
    def size(self) -> int:
        return self._size

    @property
    def specials(self) -> Mapping[str, int]:
        return self._specials

    @property
    def split(self) -> Split | None:
        return None

    @property
    def normalises(self) -> str:
        """What the normaliser is, in words; empty where there is none."""
        normaliser = self._tokenizer.normalizer
        return "" if normaliser is None else type(normaliser).__name__

    def normalise(self, text: bytes) -> bytes:
        """The text after the normaliser."""
        normaliser = self._tokenizer.normalizer
        return text if normaliser is None else to_bytes(normaliser.normalize_str(_valid(to_text(text))))

    def _find_unknown(self) -> int | None:
        number = self._model.get("unk_id")
        if isinstance(number, int):
            return number
        token = self._model.get("unk_token")
        return self._tokenizer.token_to_id(token) if isinstance(token, str) else None

    def encode(self, text: bytes, special: SpecialMode = SpecialMode.TEXT) -> Encoded:
        """Tokens of `text` as the library gives them, without the special tokens that the file sets around a text.
        InputError only in mode FORBID."""
        if special is SpecialMode.FORBID:
            refuse_specials(text, self._specials)
        source = to_text(text)
        with self._lock:
            self._tokenizer.encode_special_tokens = special is not SpecialMode.TOKEN
            found = self._tokenizer.encode(_valid(source), add_special_tokens=False)
        tiling = Tiling()
        if source.isascii():
            offsets: Sequence[int] = range(len(source) + 1)
        else:
            offsets = array("q", accumulate((len(to_bytes(char)) for char in source), initial=0))
        for token, (start, end) in zip(found.ids, found.offsets):
            tiling.reach(offsets[start])
            tiling.add(token, offsets[end], self._note(token, text[offsets[start] : offsets[end]]))
        tiling.reach(len(text))
        return Encoded(text, tiling.ids, tiling.ends, tiling.notes)

    def _note(self, token: int, part: bytes) -> str:
        if token == self._unknown and to_bytes(self._names.get(token, "")) != part:
            return "unknown to the vocabulary"
        return ""

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes that `ids` stand for, as the library joins them; InputError on an id that no token has."""
        for token in ids:
            if token not in self._names:
                raise InputError(f"id {token} is not assigned in {self._name} (ids go from 0 to {self._size - 1})")
        if "ByteLevel" in self._kinds:
            return b"".join(self.token_bytes(token) or b"" for token in ids)
        return to_bytes(self._tokenizer.decode(list(ids), skip_special_tokens=False))

    def token_bytes(self, token_id: int) -> bytes | None:
        """The bytes that one token stands for, None for an id that no token has."""
        name = self._names.get(token_id)
        if name is None or token_id in self._plain:
            return None if name is None else to_bytes(name)
        if "ByteLevel" in self._kinds:
            data = unspell(name.removesuffix(_END_MARK))
            return to_bytes(name) if data is None else data
        if len(name) == 6 and name.startswith("<0x") and name.endswith(">"):
            return bytes([int(name[3:5], 16)])
        if self._model.get("type") == "WordPiece":
            return to_bytes(name.removeprefix(str(self._model.get("continuing_subword_prefix", "##"))))
        return to_bytes(name.removesuffix(_END_MARK).replace(_SPACE_MARK, " "))

    def label(self, token_id: int) -> str:
        """The token's name in its file; in byte-level vocabularies its bytes as text."""
        if "ByteLevel" in self._kinds:
            return to_text(self.token_bytes(token_id) or b"")
        return self._names.get(token_id, "")

    def merges(self) -> list[tuple[int, int, int]]:
        """All merges as (left id, right id, new id), in rank order; empty where the model has none."""
        return [*self._rows]

    @cached_property
    def _rows(self) -> tuple[tuple[int, int, int], ...]:
        ids = {text: i for i, text in self._names.items()}
        prefix = str(self._model.get("continuing_subword_prefix") or "")
        rows: list[tuple[int, int, int]] = []
        for merge in self._model.get("merges") or ():
            left, right = merge.split(" ") if isinstance(merge, str) else merge
            rows.append((ids[left], ids[right], ids[left + right.removeprefix(prefix)]))
        return tuple(rows)

    @cached_property
    def _parents(self) -> dict[int, tuple[int, int]]:
        return {new: (left, right) for left, right, new in reversed(self._rows)}

    def parents(self, token_id: int) -> tuple[int, int] | None:
        """The pair of the first merge that makes the token; None where there is none."""
        return self._parents.get(token_id)

    def is_special(self, token_id: int) -> bool:
        """Whether the id is a special token's."""
        return self._plain.get(token_id, "") in self._specials


def _valid(text: str) -> str:
    """Text that the library takes: a byte that is not valid UTF-8 is U+FFFD."""
    return text.translate(_REPLACEMENT)


def _kinds(values: object) -> Iterator[str]:
    """The `type` of every part, however deep."""
    if isinstance(values, Mapping):
        if isinstance(values.get("type"), str):
            yield values["type"]
        values = [*values.values()]
    if isinstance(values, list):
        for value in values:
            yield from _kinds(value)
