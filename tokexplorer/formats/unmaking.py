"""From a tokenizer of any kind back to a model, which can be written; or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tokexplorer.engine.alphabet import Alphabet, build_alphabet, byte_alphabet, fixed_alphabet
from tokexplorer.engine.errors import InputError
from tokexplorer.engine.model import Loose, Model, Piece
from tokexplorer.engine.splits import Split
from tokexplorer.engine.training import Merge
from tokexplorer.engine.unigram import UnigramModel
from tokexplorer.engine.wordpiece import WordPieceModel
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tokenizers.builtin import BuiltinTokenizer
from tokexplorer.tokenizers.forward_unigram import ForwardUnigram
from tokexplorer.tokenizers.learned import LearnedTokenizer
from tokexplorer.tokenizers.loaded import LoadedTokenizer
from tokexplorer.tokenizers.pair_encoder import BytePairs, CharacterPairs, RankedBytes

Row = tuple[int, int, int]


def model_of(tokenizer: Tokenizer) -> Model:
    """The model behind a learned, built-in or loaded tokenizer. InputError says why there is none."""
    held = getattr(tokenizer, "model", None)
    if isinstance(held, Model):
        return held
    if isinstance(tokenizer, LearnedTokenizer):
        return _learned(tokenizer)
    if isinstance(tokenizer, BuiltinTokenizer):
        return _builtin(tokenizer)
    if isinstance(tokenizer, LoadedTokenizer):
        return _loaded(tokenizer)
    raise _refused(tokenizer, "it is of a kind that is not rebuilt here as a list of merges or pieces")


def _refused(tokenizer: Tokenizer, reason: str) -> InputError:
    return InputError(f"{tokenizer.name} cannot be written in another format: {reason}")


def _learned(tokenizer: LearnedTokenizer) -> Model:
    vocabulary = tokenizer.vocabulary
    merges = tuple(vocabulary.merges[: tokenizer.steps])
    specials = dict(tokenizer.specials)
    return Model("bpe", vocabulary.alphabet, tokenizer.split, merges, specials=specials, ties="unknown")


def _builtin(tokenizer: BuiltinTokenizer) -> Model:
    ids = tokenizer.ranks.ids
    base = [ids[bytes([byte])] for byte in range(256)]
    specials = _one_name_each(tokenizer.specials)
    others = [name for name in tokenizer.specials if name not in specials]
    out = tuple(f"the second name {name} of id {tokenizer.specials[name]}" for name in others)
    return _with_merges(tokenizer, byte_alphabet(), base, tokenizer.merges(), specials, whole=True, left_out=out)


def _one_name_each(specials: Mapping[str, int]) -> dict[str, int]:
    """The first name of each special token's id."""
    names: dict[int, str] = {}
    for text, number in specials.items():
        names.setdefault(number, text)
    return {text: number for number, text in names.items()}


def _with_merges(
    tokenizer: Tokenizer,
    alphabet: Alphabet,
    base: Sequence[int],
    rows: Sequence[Row],
    specials: Mapping[str, int],
    whole: bool,
    left_out: tuple[str, ...] = (),
    loose: tuple[Loose, ...] = (),
    unknown: tuple[str, int] | None = None,
) -> Model:
    """A model of BPE whose tokens have ids of their own. InputError where the merges are not such as training makes."""
    number_of = {token: number for number, token in enumerate(base)}
    merges: list[Merge] = []
    for step, (left, right, new) in enumerate(rows, 1):
        if left not in number_of or right not in number_of:
            raise _refused(tokenizer, f"its merge {step} joins a token that only a later merge makes, or none")
        if new in number_of:
            raise _refused(tokenizer, f"its merge {step} makes a token (id {new}) that is there already")
        number_of[new] = len(number_of)
        merges.append(Merge(step, number_of[left], number_of[right], number_of[new], 0, 0, 0, 0, 1))
    ids = tuple(number_of)
    return Model(
        "bpe",
        alphabet,
        _split(tokenizer),
        tuple(merges),
        specials=dict(specials),
        ties="unknown",
        ids=() if ids == tuple(range(len(ids))) else ids,
        loose=loose,
        whole=whole,
        unknown=unknown,
        left_out=left_out,
    )


def _split(tokenizer: Tokenizer) -> Split:
    if tokenizer.split is None:
        raise _refused(tokenizer, "its pre-tokenization is not a split by one pattern")
    return tokenizer.split


def _loaded(tokenizer: LoadedTokenizer) -> Model:
    encoder = tokenizer.parts.encoder
    out = _left_out(tokenizer)
    if isinstance(encoder, WordPieceModel):
        return _wordpiece(tokenizer, encoder, out)
    if isinstance(encoder, ForwardUnigram):
        return _unigram(tokenizer, encoder.model, out)
    rows = tokenizer.merges()
    loose = tuple(Loose(i, tokenizer.parts.tokens[i]) for i in tokenizer.not_merged)
    specials = tokenizer.specials
    if isinstance(encoder, RankedBytes):
        base = [encoder.ranks[bytes([byte])] for byte in range(256)]
        return _with_merges(tokenizer, byte_alphabet(), base, rows, specials, True, out, loose)
    if isinstance(encoder, BytePairs):
        if min(encoder.base) < 0:
            raise _refused(tokenizer, f"byte 0x{encoder.base.index(-1):02X} has no token")
        return _with_merges(tokenizer, byte_alphabet(), encoder.base, rows, specials, bool(encoder.whole), out, loose)
    if isinstance(encoder, CharacterPairs):
        return _characters(tokenizer, encoder, rows, out, loose)
    raise _refused(tokenizer, "it is of a kind that is not rebuilt here")


def _characters(
    tokenizer: LoadedTokenizer,
    encoder: CharacterPairs,
    rows: Sequence[Row],
    out: tuple[str, ...],
    loose: tuple[Loose, ...],
) -> Model:
    if encoder.byte_ids:
        raise _refused(tokenizer, "characters that it does not know become tokens of their bytes (byte_fallback)")
    if encoder.unknown_id is None:
        raise _refused(tokenizer, "characters that it does not know vanish: it has no unknown token")
    if encoder.fuse:
        out = (*out, "that unknown characters next to each other are one token")
    symbols = sorted(encoder.base, key=encoder.base.__getitem__)
    unknown = tokenizer.label(encoder.unknown_id), encoder.unknown_id
    own = tuple(token for token in loose if token.id != encoder.unknown_id)
    base = [encoder.base[char] for char in symbols]
    alphabet = fixed_alphabet(symbols, end_mark=False)
    return _with_merges(tokenizer, alphabet, base, rows, tokenizer.specials, bool(encoder.whole), out, own, unknown)


def _wordpiece(tokenizer: LoadedTokenizer, encoder: WordPieceModel, out: tuple[str, ...]) -> Model:
    labels = encoder.labels[: encoder.size]
    if "" in labels:
        raise _refused(tokenizer, f"id {labels.index('')} stands for no token")
    handling = tokenizer.parts.handling
    return Model(
        "wordpiece",
        fixed_alphabet((), end_mark=False),
        None if handling else _split(tokenizer),
        pieces=tuple(Piece(label) for label in labels),
        specials=dict(tokenizer.specials),
        ties="unknown",
        unknown=(labels[encoder.unknown_id], encoder.unknown_id),
        max_chars=encoder.max_characters,
        handling=handling,
        left_out=out,
    )


def _unigram(tokenizer: LoadedTokenizer, encoder: UnigramModel, out: tuple[str, ...]) -> Model:
    alphabet = build_alphabet(encoder.kind, (label for label in encoder.ids if len(label) == 1))
    return Model(
        "unigram",
        alphabet,
        _split(tokenizer),
        pieces=tuple(map(Piece, encoder.labels, encoder.scores)),
        specials=dict(tokenizer.specials),
        ties="unknown",
        unknown=(encoder.labels[encoder.unknown_id], encoder.unknown_id),
        left_out=out,
    )


def _left_out(tokenizer: LoadedTokenizer) -> tuple[str, ...]:
    """What the file holds and a model does not."""
    found: list[str] = []
    if tokenizer.normalises and not tokenizer.parts.handling:
        found.append(f"the normaliser ({tokenizer.normalises})")
    plain = [token for token in tokenizer.parts.added if not token.special]
    if plain:
        found.append(f"{len(plain)} added token{'s' if len(plain) > 1 else ''} that are cut out of any text")
    flagged = [t for t in tokenizer.parts.added if t.special and (t.left or t.right or t.word or t.normalized)]
    if flagged:
        found.append(f"how {len(flagged)} special token{'s' if len(flagged) > 1 else ''} treat the text beside them")
    return tuple(found)
