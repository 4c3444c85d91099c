"""Real tokenizer files that nobody here wrote open, and encode as their own libraries do.

`python tests/fetch_models.py` brings them; without them these tests skip.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import accumulate
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
from fetch_models import FOLDER
from formats_help import texts
from hypothesis import given, settings
from tokenizers import Tokenizer as HubTokenizer

from tokexplorer.formats import model_of, normalised, read_tokenizer, remarks, write_model
from tokexplorer.formats.parsing import Source
from tokexplorer.formats.tiktoken_ranks import parse_ranks
from tokexplorer.tokenizers.base import SpecialMode, Tokenizer
from tokexplorer.tokenizers.builtin import load

pytestmark = pytest.mark.fetched
some = settings(max_examples=120, deadline=None)
SAMPLES = Path(__file__).resolve().parent.parent / "sample_texts"
VARIED = [
    "",
    " ",
    "Hello, world!  It's  1234567 o'clock\n\n\tand I'LL go.",
    "naïve café Ελλάδα привет 你好，世界 こんにちは 한국어 שלום नमस्ते ไทย",
    "👩‍👩‍👧 🇫🇷 e\u0301 ﬁ ① ℌ ½ Å ﷺ",
    "x\u00a0y\u2028z\u3000w\ufeff",
    "<s> </s> <unk> [CLS] [SEP] <EOT> <|endoftext|> <0x0A> ▁ Ġ ##ing",
    "   leading and trailing   ",
    "a" * 300 + "!" * 40 + "\n" * 30 + " " * 70,
    *((SAMPLES / name).read_text(encoding="utf-8")[:6000] for name in ("english.txt", "unicode.txt", "code.py")),
]


def fetched(path: str) -> str:
    file = FOLDER / path
    if not file.is_file():
        pytest.skip(f"{file} is not there: python tests/fetch_models.py fetches it")
    return str(file)


@cache
def opened(path: str) -> Tokenizer:
    return read_tokenizer(fetched(path))


@cache
def hub(path: str) -> HubTokenizer:
    tokenizer = HubTokenizer.from_file(fetched(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def hub_ids(path: str, text: str, special: bool = False) -> list[int]:
    library = hub(path)
    library.encode_special_tokens = not special
    return library.encode(text, add_special_tokens=False).ids


def check(tokenizer: Tokenizer, text: str, ids: list[int], mode: SpecialMode = SpecialMode.TEXT) -> None:
    """The same ids, and spans that tile the text."""
    encoded = tokenizer.encode(text.encode(), mode)
    assert [*encoded.ids] == ids
    assert [*encoded.ends] == sorted(encoded.ends)
    if ids:
        assert encoded.ends[-1] == len(text.encode())


TIKTOKEN = ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"]


@pytest.mark.parametrize("name", TIKTOKEN)
def test_tiktoken_files_are_known_by_their_content(name: str) -> None:
    tokenizer, builtin = opened(f"tiktoken/{name}.tiktoken"), load(name)
    assert tokenizer.specials == builtin.specials
    assert tokenizer.size == builtin.size
    for text in VARIED:
        check(tokenizer, text, [*builtin.encode(text.encode()).ids])
        check(tokenizer, text, [*builtin.encode(text.encode(), SpecialMode.TOKEN).ids], SpecialMode.TOKEN)


@cache
def tiktoken_of(name: str) -> tiktoken.Encoding:
    path = fetched(f"tiktoken/{name}.tiktoken")
    ranks = parse_ranks(Source(path, Path(path).read_bytes()))
    pattern = load(name).split.pattern
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


@some
@given(texts)
def test_tiktoken_files_encode_as_tiktoken(text: str) -> None:
    for name in TIKTOKEN:
        check(opened(f"tiktoken/{name}.tiktoken"), text, tiktoken_of(name).encode_ordinary(text))


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base", "p50k_base"])
def test_the_split_of_an_unknown_file_is_guessed(name: str, tmp_path: Path) -> None:
    rows = Path(fetched(f"tiktoken/{name}.tiktoken")).read_bytes().splitlines(keepends=True)
    path = tmp_path / "x.tiktoken"
    path.write_bytes(b"".join(rows[:-1]))
    tokenizer = read_tokenizer(str(path))
    assert tokenizer.split is not None
    assert tokenizer.split.name == load(name).split.name
    assert any("guess" in remark for remark in remarks(tokenizer))


def test_the_gpt2_pair_is_gpt2() -> None:
    for name in ("encoder.json", "vocab.bpe"):
        tokenizer, builtin = opened(f"gpt2/{name}"), load("gpt2")
        assert tokenizer.specials == builtin.specials
        assert tokenizer.merges() == builtin.merges()  # type: ignore[attr-defined]
        for text in VARIED:
            check(tokenizer, text, [*builtin.encode(text.encode()).ids])
        assert tokenizer.decode(range(50257)) == builtin.decode(range(50257))


@some
@given(texts)
def test_the_gpt2_pair_encodes_as_tiktoken(text: str) -> None:
    check(opened("gpt2/vocab.bpe"), text, [*load("gpt2").encode(text.encode()).ids])


HUB = ["claude", "llama2", "minilm"]


@pytest.mark.parametrize("name", HUB)
def test_tokenizer_json_encodes_as_the_library(name: str) -> None:
    path = f"{name}/tokenizer.json"
    for text in VARIED:
        check(opened(path), text, hub_ids(path, text))
        check(opened(path), text, hub_ids(path, text, special=True), SpecialMode.TOKEN)


@some
@given(texts)
def test_tokenizer_json_encodes_as_the_library_on_any_text(text: str) -> None:
    for name in HUB:
        path = f"{name}/tokenizer.json"
        check(opened(path), text, hub_ids(path, text))


@pytest.mark.parametrize("name", HUB)
def test_spans_are_where_the_library_has_them(name: str) -> None:
    text = "Hello wörld, ﬁne  café: naïve 12,345 Ünïcode!"
    starts = [*accumulate((len(char.encode()) for char in text), initial=0)]
    library = hub(f"{name}/tokenizer.json")
    library.encode_special_tokens = True
    offsets = library.encode(text, add_special_tokens=False).offsets
    encoded = opened(f"{name}/tokenizer.json").encode(text.encode())
    for token, (start, end) in zip(encoded, offsets, strict=True):
        assert token.start <= starts[start]
        assert starts[end] <= token.end
        assert token.data.strip() == text[start:end].encode().strip()


def test_vocab_txt_encodes_as_the_tokenizer_json_beside_it() -> None:
    tokenizer = opened("minilm/vocab.txt")
    assert any("lower case" in remark for remark in remarks(tokenizer))
    for text in VARIED:
        check(tokenizer, text, hub_ids("minilm/tokenizer.json", text))


def test_what_a_file_bakes_in_is_ignored_and_said() -> None:
    said = " ".join(remarks(opened("minilm/tokenizer.json")))
    assert "truncation to 128 tokens in the file is ignored" in said
    assert "padding in the file is ignored" in said


def test_the_normaliser_is_shown() -> None:
    assert normalised(opened("claude/tokenizer.json"), "ﬁ ①".encode()) == b"fi 1"
    assert normalised(opened("llama2/tokenizer.json"), b"a b") == "▁a▁b".encode()
    assert normalised(opened("minilm/tokenizer.json"), "Éa\x00 中".encode()) == "ea  中 ".encode()


PIECES = ["botchan_en_bpe_1000", "botchan_en_unigram_1000", "kyoto_ja_unigram_8000"]


@cache
def processor(name: str) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_file=fetched(f"sentencepiece/{name}.model"))


@pytest.mark.parametrize("name", PIECES)
def test_sentencepiece_models_encode_as_their_library(name: str) -> None:
    tokenizer = opened(f"sentencepiece/{name}.model")
    for text in VARIED:
        check(tokenizer, text, processor(name).encode(text))
    broken = tokenizer.encode(b"caf\xff\xfe ok \xe4\xb8")
    assert broken.ends[-1] == 11
    marked = tokenizer.encode(b"a<s>b", SpecialMode.TOKEN)
    assert tokenizer.specials["<s>"] in [*marked.ids]


@some
@given(texts)
def test_sentencepiece_models_encode_as_their_library_on_any_text(text: str) -> None:
    for name in PIECES:
        check(opened(f"sentencepiece/{name}.model"), text, processor(name).encode(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "fmt"),
    [
        ("gpt2/vocab.bpe", "tokenizer.json"),
        ("tiktoken/cl100k_base.tiktoken", "tokenizer.json"),
        ("tiktoken/p50k_base.tiktoken", "gpt2"),
        ("tiktoken/o200k_base.tiktoken", "own"),
        ("claude/tokenizer.json", "own"),
        ("claude/tokenizer.json", "tokenizer.json"),
        ("minilm/vocab.txt", "tokenizer.json"),
        ("minilm/tokenizer.json", "bert-vocab"),
    ],
)
def test_real_files_are_converted(path: str, fmt: str, tmp_path: Path) -> None:
    model = model_of(opened(path))
    target = tmp_path / "x"
    report = write_model(model, str(target), fmt)
    assert report.agrees, report.checks
    again = read_tokenizer(report.files[0])
    assert again.specials == opened(path).specials
    if not model.left_out:
        for text in VARIED:
            check(again, text, [*opened(path).encode(text.encode()).ids])


def test_converted_cl100k_gives_the_ids_of_tiktoken_in_the_other_library(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    write_model(model_of(load("cl100k_base")), str(path), "tokenizer.json")
    library = HubTokenizer.from_file(str(path))
    for text in VARIED:
        assert library.encode("<|fim_prefix|>" + text).ids == [
            *load("cl100k_base").encode(b"<|fim_prefix|>" + text.encode(), SpecialMode.TOKEN).ids
        ]
    assert json.loads(path.read_bytes())["version"] == "1.0"
