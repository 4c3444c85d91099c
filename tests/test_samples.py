"""The shipped samples and the parallel paragraphs keep the sizes and properties that lessons and tests rely on."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest
import regex

SAMPLES = Path(__file__).resolve().parent.parent / "sample_texts"
KILO = 1000

SIZES = {
    "english.txt": (24 * KILO, 36 * KILO),
    "code.py": (7 * KILO, 9 * KILO),
    "numbers.txt": (3500, 4500),
    "unicode.txt": (5500, 6500),
    "whitespace.txt": (1800, 2400),
}

PARAGRAPHS = json.loads(resources.files("tokexplorer.data").joinpath("languages.json").read_text("utf-8"))["paragraphs"]
CODES = [paragraph["code"] for paragraph in PARAGRAPHS]
PROMISED = [
    "en", "fr", "de", "es", "pt", "tr", "vi", "ru", "uk", "el", "he", "ar", "fa", "hi", "bn", "ta", "te",
    "th", "my", "ka", "hy", "am", "zh", "ja", "ko",
]
SCRIPTS = [
    "Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hebrew", "Arabic", "Devanagari", "Bengali",
    "Tamil", "Telugu", "Thai", "Myanmar", "Khmer", "Ethiopic", "Han", "Hiragana", "Katakana", "Hangul",
    "Cherokee", "Mongolian", "Tibetan", "Adlam", "Gothic", "Cuneiform",
]
WORDS = ["low", "lower", "lowest", "new", "newer", "newest", "wide", "wider", "widest"]
SCRIPT_CLASS = {"Japanese": r"[\p{Han}\p{Hiragana}\p{Katakana}]"}
FULL_STOPS = re.compile("[.。।։።။۔]")


def read(name: str) -> str:
    return (SAMPLES / name).read_bytes().decode("utf-8")


@pytest.mark.parametrize(("name", "low", "high"), [(name, *bounds) for name, bounds in SIZES.items()])
def test_sizes_and_encoding(name: str, low: int, high: int) -> None:
    data = (SAMPLES / name).read_bytes()
    assert low <= len(data) <= high
    assert data.decode("utf-8").encode("utf-8") == data
    assert data.endswith(b"\n")
    assert not data.startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize("name", ["english.txt", "code.py", "numbers.txt", "unicode.txt"])
def test_only_the_white_space_sample_has_odd_line_ends(name: str) -> None:
    text = read(name)
    assert "\r" not in text
    assert not [line for line in text.split("\n") if line != line.rstrip(" \t")]
    assert "\n\n\n\n" not in text


def test_word_count_tables() -> None:
    assert (SAMPLES / "hand_example.tsv").read_bytes() == b"low\t5\nlower\t2\nnewest\t6\nwidest\t3\n"
    rows = [line.split("\t") for line in read("nine_words.tsv").splitlines()]
    assert [word for word, _ in rows] == WORDS
    assert [int(count) for _, count in rows] == [3, 8, 1, 3, 10, 2, 6, 9, 11]
    assert b"\r" not in (SAMPLES / "nine_words.tsv").read_bytes()


def test_english_is_varied_prose() -> None:
    text = read("english.txt")
    paragraphs = [part for part in text.split("\n\n") if part.strip()]
    assert len(paragraphs) == len(set(paragraphs)) > 100
    sentences = Counter(found.strip() for found in re.findall(r"[A-Z][^.!?]{40,}[.!?]", text))
    assert len(sentences) > 250
    assert sentences.most_common(1)[0][1] == 1
    words = [word.lower() for word in re.findall(r"[A-Za-z]+", text)]
    assert len(set(words)) > 1500
    assert len(re.findall(r"\w'(?:s|t|re|ve|ll|d|m)\b", text)) > 100
    assert text.count('"') > 60
    assert len(re.findall(r"\d+", text)) > 150


def test_code_compiles_and_runs(capsys: pytest.CaptureFixture[str]) -> None:
    compiled = compile(read("code.py"), "code.py", "exec")
    # Dataclasses look their module up by name, so the sample runs under the name of one that is loaded.
    namespace: dict[str, object] = {"__name__": __name__}
    exec(compiled, namespace)
    main = namespace["main"]
    assert callable(main)
    main()
    printed = capsys.readouterr().out
    assert "error: Linseed oil: 32737 kg short" in printed
    assert "A1 -> A2 -> B1 (12.5 m)" in printed


def test_numbers_hold_every_kind() -> None:
    text = read("numbers.txt")
    for pattern in (
        r"\b\d{50}\b",
        r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
        r"\b\d{1,3}(,\d{3}){2}\.\d\d\b",
        r"\b\d{1,3}(\.\d{3}){2},\d\d\b",
        r"\b192\.0\.2\.1\b",
        r"\b\d\.\d+e\d\d\b",
        r"\bv\d+\.\d+\.\d+",
        r"\(555\) 555-\d{4}",
        r"0x[0-9A-F]+",
        r"€",
    ):
        assert re.search(pattern, text), pattern
    # Runs of 1 to 10 digits, one a line, show where a pattern cuts numbers.
    assert {len(line) for line in text.splitlines() if line.isascii() and line.isdigit()} >= set(range(1, 11))
    scripts = {unicodedata.name(char).rsplit(" DIGIT ", 1)[0] for char in text if unicodedata.category(char) == "Nd"}
    assert len(scripts) >= 10


def test_numbers_add_up() -> None:
    text = read("numbers.txt")
    sums = re.findall(r"(?m)(?:^|[,;] )(\d+) ?([+*-]) ?(\d+) ?= ?(-?\d+)(?![\d.])", text)
    assert len(sums) >= 11
    for left, sign, right, result in sums:
        a, b = int(left), int(right)
        assert {"+": a + b, "-": a - b, "*": a * b}[sign] == int(result), (left, sign, right)


def test_unicode_sample_holds_every_trap() -> None:
    text = read("unicode.txt")
    assert max(len(line) for line in text.splitlines()) <= 80
    for char in "\u200b\u200c\u200d\u2060\u00ad\ufeff\u200e\u200f\u202a\u202b\u202c\u202e\u2066\u2067\u2068\u2069":
        assert char in text, f"U+{ord(char):04X}"
    for char in "\U0001f468\U0001f3fd\U0001f1ef\ufe0f\ufe0e\u20e3\U000e007f\u3000\uff34\U0001d401\u20b9\ufffd":
        assert char in text, f"U+{ord(char):04X}"
    for composed in ("é", "ř", "が", "한"):
        assert composed in text
        assert unicodedata.normalize("NFD", composed) in text
    assert {char for char in text if unicodedata.category(char) == "Cc"} == {"\n"}


@pytest.mark.parametrize("script", SCRIPTS)
def test_unicode_sample_has_the_script(script: str) -> None:
    assert regex.search(rf"\p{{Script={script}}}", read("unicode.txt"))


def test_white_space_sample_holds_every_kind() -> None:
    text = read("whitespace.txt")
    assert text.count("\r\n") >= 5
    assert len(re.findall(r"(?<!\r)\n", text)) > len(re.findall(r"\r\n", text))
    assert re.search(r"\r(?!\n)", text)
    for char in "\u00a0\u1680\u2003\u2009\u202f\u205f\u3000\u2028\u2029\u0085\f\v":
        assert char in text, f"U+{ord(char):04X}"
    runs = {len(run) for run in re.findall(r"(?<=\|) +(?=\|)", text)}
    assert {1, 2, 3, 4, 8, 16, 32, 64, 81} <= runs
    for pattern in (r"(?m)^\t\t\t\S", r"(?m)^ {8}\S", r"(?m)^ +\t", r"\S +\n", r"\S\t\n", r"\n {4,}\n"):
        assert re.search(pattern, text), pattern
    assert text.endswith("\n\n\n")


def test_paragraphs_are_many_and_english_is_first() -> None:
    assert PARAGRAPHS[0]["code"] == "en"
    assert PARAGRAPHS[0]["name"] == "English"
    assert len(CODES) == len(set(CODES)) >= 25
    assert len({paragraph["name"] for paragraph in PARAGRAPHS}) == len(PARAGRAPHS)
    assert len({paragraph["script"] for paragraph in PARAGRAPHS}) >= 20
    assert set(PROMISED) <= set(CODES)


@pytest.mark.parametrize("paragraph", PARAGRAPHS, ids=CODES)
def test_paragraph(paragraph: dict[str, str]) -> None:
    assert set(paragraph) == {"code", "name", "script", "text"}
    text = paragraph["text"]
    assert unicodedata.is_normalized("NFC", text)
    assert text == text.strip()
    assert "\n" not in text
    assert not regex.search(r"[\p{Cc}\p{Co}\p{Cn}]", text)
    # Thai writes no full stop; all others have the same five sentences.
    assert len(FULL_STOPS.findall(text)) == (0 if paragraph["code"] == "th" else 5)
    letters = regex.findall(r"\p{L}", text)
    cls = SCRIPT_CLASS.get(paragraph["script"], rf"\p{{Script={paragraph['script']}}}")
    assert all(regex.match(cls, letter) for letter in letters)
    assert 100 < len(text) < 520
