"""The merge list of a tokenizer, to be applied to any corpus; or the reason why it has none."""

from __future__ import annotations

from collections.abc import Iterable

from tokexplorer.engine.alphabet import fixed_alphabet
from tokexplorer.engine.errors import UsageError
from tokexplorer.engine.replay import MergeList, Triple, alphabet_merges, byte_merges
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tokenizers.builtin import BuiltinTokenizer
from tokexplorer.tokenizers.learned import LearnedTokenizer
from tokexplorer.tokenizers.loaded import LoadedTokenizer
from tokexplorer.tokenizers.pair_encoder import BytePairs, CharacterPairs, RankedBytes


def merge_list_of(tokenizer: Tokenizer) -> MergeList:
    """The merges of a tokenizer with its base symbols. UsageError where it has none, or does more than merge;
    InputError where a merge uses a token that no merge before it makes."""
    name = tokenizer.name
    if isinstance(tokenizer, BuiltinTokenizer):
        return byte_merges(name, tokenizer.merges(), tokenizer.token_bytes, tokenizer.size)
    if isinstance(tokenizer, LearnedTokenizer):
        rows = tokenizer.vocabulary.merges[: tokenizer.steps]
        return alphabet_merges(name, tokenizer.vocabulary.alphabet, ((m.left, m.right, m.new) for m in rows))
    encoder = tokenizer.parts.encoder if isinstance(tokenizer, LoadedTokenizer) else None
    if isinstance(tokenizer, LoadedTokenizer) and isinstance(encoder, BytePairs | RankedBytes):
        return byte_merges(name, tokenizer.merges(), tokenizer.token_bytes, tokenizer.size)
    if isinstance(tokenizer, LoadedTokenizer) and isinstance(encoder, CharacterPairs):
        return _character_merges(name, encoder, tokenizer.merges())
    raise UsageError(f"{name} has no merge list that could be applied step by step")


def _character_merges(name: str, encoder: CharacterPairs, rows: Iterable[Triple]) -> MergeList:
    if encoder.byte_ids:
        raise UsageError(f"{name}: characters that it does not know become tokens of their bytes, which is no merge")
    symbols = sorted(encoder.base, key=encoder.base.__getitem__)
    alphabet = fixed_alphabet(symbols, end_mark=False)
    return MergeList(name, alphabet.kind, {char: encoder.base[char] for char in symbols}, alphabet, rows)
