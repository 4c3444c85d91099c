"""Comparing after a model was written: ids of sample texts, here and in the library that the format comes from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tokexplorer.engine.alphabet import to_bytes
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.model import Model
from tokexplorer.engine.splits import NONE_PATTERN
from tokexplorer.formats.parsing import Source, quote
from tokexplorer.formats.tiktoken_ranks import parse_ranks
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer

SAMPLES: Final = (
    "The quick brown fox jumps over the lazy dog. It's 3.14159 or 2,718,281; isn't it? I'LL say!",
    "def add(a, b):\n\tif a != b:\n        return a + b  # sum\r\n\n\nprint(add(12, 3456))\n",
    "Füße, naïve café, Ελλάδα, привет, 你好世界, こんにちは, שלום, नमस्ते, 👩‍👩‍👧 🇫🇷 e\u0301",
    "   leading, trailing and   inner spaces\t\t\n \n  ",
    "<|endoftext|> <s> [INST] [UNK] <0x0A> # </w> ▁the Ġthe",
    "a",
    " ",
    "\n",
    "",
)
BROKEN: Final = b"caf\xc3 \xff\xfe ok \xe2\x82"
_OWN_TOKENS: Final = 400
_ROUNDING: Final = 1e-9
_UNKNOWN: Final = ("<unk>", "[UNK]")

Encode = Callable[[str], Sequence[int]]
Same = Callable[[Sequence[int], Sequence[int]], bool]


def sample_texts(tokenizer: Tokenizer) -> list[str]:
    """Texts to compare on: a fixed few, and one made of the vocabulary's own tokens."""
    step = max(1, tokenizer.size // _OWN_TOKENS)
    ids = (
        i for i in range(0, tokenizer.size, step) if not tokenizer.is_special(i) and tokenizer.label(i) not in _UNKNOWN
    )
    own = b"".join(tokenizer.token_bytes(i) or b"" for i in ids)
    return [*SAMPLES, own.decode("utf-8", "ignore")]


def equality(model: Model) -> Same:
    """When two encodings count as the same: equal ids, or for Unigram also ids of equal probability, since which of
    several best segmentations is taken is each program's own affair."""
    if model.algorithm != "unigram":
        return lambda a, b: [*a] == [*b]
    scores = [piece.score for piece in model.pieces]

    def same(a: Sequence[int], b: Sequence[int]) -> bool:
        if [*a] == [*b]:
            return True
        if max(*a, *b, 0) >= len(scores):
            return False
        return abs(sum(scores[i] for i in a) - sum(scores[i] for i in b)) < _ROUNDING * (len(a) + len(b))

    return same


def compare_here(ours: Tokenizer, theirs: Tokenizer, texts: Iterable[str], model: Model) -> tuple[bool, str]:
    """Whether two tokenizers give the same ids for texts, broken UTF-8 and special tokens; and a line that says so."""
    samples = [(text.encode(), SpecialMode.TEXT) for text in texts]
    samples.append((BROKEN, SpecialMode.TEXT))
    marks = b"".join(b"x" + to_bytes(text) for text in model.specials)
    if marks:
        samples.append((marks, SpecialMode.TOKEN))
    rows = ((data, ours.encode(data, mode).ids, theirs.encode(data, mode).ids) for data, mode in samples)
    return _compare("read back here", rows, equality(model))


def compare_library(name: str, ours: Tokenizer, encode: Encode, texts: Iterable[str], model: Model) -> tuple[bool, str]:
    """The same against a library's encoder; `name` is how the line calls it."""
    rows = ((text.encode(), ours.encode(text.encode()).ids, encode(text)) for text in texts)
    return _compare(f"in the library {name}", rows, equality(model))


def _compare(where: str, rows: Iterable[tuple[bytes, Sequence[int], Sequence[int]]], same: Same) -> tuple[bool, str]:
    bad: list[bytes] = []
    ids = texts = ties = 0
    for data, own, other in rows:
        texts += 1
        ids += len(own)
        if not same(own, other):
            bad.append(data)
        elif [*own] != [*other]:
            ties += 1
    if bad:
        return False, f"{where}: {len(bad)} of {texts} texts get other ids, the first of them {quote(bad[0])}"
    tied = f", but for {ties} where several segmentations are equally probable" if ties else ""
    return True, f"{where}: {ids:,} ids of {texts} texts are the same{tied}"


def tiktoken_encoder(model: Model, data: bytes) -> Encode:
    """The encoder that tiktoken makes of a rank file and the model's split. InputError where it refuses the split."""
    import tiktoken

    pattern = model.split.pattern if model.split is not None else NONE_PATTERN
    ranks = parse_ranks(Source("the file", data))
    try:
        encoding = tiktoken.Encoding("written", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    except ValueError as error:
        raise InputError(f"in the library tiktoken: it refuses the split pattern {quote(pattern)}") from error
    return encoding.encode_ordinary


def tokenizers_encoder(data: bytes) -> Encode | None:
    """The encoder that Hugging Face tokenizers makes of a tokenizer.json; None where it is not installed. InputError
    where it refuses the file."""
    try:
        import tokenizers
    except ImportError:
        return None
    try:
        tokenizer = tokenizers.Tokenizer.from_str(data.decode())
    except Exception as error:  # the library raises plain Exception
        raise InputError(f"in the library tokenizers: it refuses the file ({error})") from error
    tokenizer.encode_special_tokens = True
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def pair_encoder(model: Model, vocab: bytes, merges: bytes) -> Encode | None:
    """The encoder that Hugging Face tokenizers makes of vocab.json and merges.txt as GPT-2's; None where it is not
    installed, and where the model does not split as GPT-2 does."""
    if model.split is None or model.split.name != "gpt2":
        return None
    try:
        from tokenizers import Tokenizer, models, pre_tokenizers
    except ImportError:
        return None
    lines = [line.split(" ") for line in merges.decode().split("\n")[1:] if line]
    pairs = [(left, right) for left, right in lines]
    tokenizer = Tokenizer(models.BPE(vocab=json.loads(vocab), merges=pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids
