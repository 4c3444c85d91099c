"""compare, merges, vocab and inspect: their JSON, the known cases, and any token's bytes on the terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_runner import run

from tokexplorer.cli.vocab_command import KINDS
from tokexplorer.formats.values import FORMATS

FACTS = Path(__file__).parent / "facts"
INPUT = Path(__file__).parent / "golden" / "input"
ENCODINGS = json.loads((FACTS / "encodings.json").read_text())


def found(*argv: str, stdin: bytes = b"") -> Any:
    ended = run(*argv, "--json", stdin=stdin)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.isascii()
    return json.loads(ended.out)


def test_compare_counts_what_encode_counts() -> None:
    names = ["gpt2", "cl100k_base", "o200k_base"]
    text = "".join(row["text"] for row in json.loads((FACTS / "encode_vectors.json").read_text())["vectors"]).encode()
    compared = found("compare", *(word for name in names for word in ("-t", name)), "-", stdin=text)
    assert list(compared) == ["tokenizers", "agreement"]
    chars = len(text.decode())
    for name, row in zip(names, compared["tokenizers"], strict=True):
        encoded = found("encode", "-t", name, stdin=text)
        tokens = len(encoded["tokens"])
        assert (row["name"], row["tokens"]) == (name, tokens)
        assert row["bytes_per_token"] == pytest.approx(len(text) / tokens)
        assert row["chars_per_token"] == pytest.approx(chars / tokens)
        assert row["tokens_per_word"] > 0
        assert row["distinct"] == len({t["id"] for t in encoded["tokens"]})
        assert row["partial"] == sum(t["text"] is None for t in encoded["tokens"])
    borders = {n: {t["end"] for t in found("encode", "-t", n, stdin=text)["tokens"]} - {len(text)} for n in names}
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    for (a, b), row in zip(pairs, compared["agreement"], strict=True):
        assert (row["first"], row["second"]) == (a, b)
        assert row["share"] == pytest.approx(len(borders[a] & borders[b]) / len(borders[a] | borders[b]))


def test_the_baselines_of_compare() -> None:
    text = (INPUT / "odd.txt").read_bytes()
    rows = found("compare", "-t", "characters", "-t", "words", str(INPUT / "odd.txt"))["tokenizers"]
    assert rows[0]["tokens"] == len(text.decode("utf-8", "surrogateescape"))
    assert rows[1]["unknown"] == 0
    assert rows[1]["whole_word_share"] == 1


@pytest.mark.parametrize("name", ["gpt2", "p50k_edit", "cl100k_base"])
def test_merges_lead_to_their_tokens(name: str) -> None:
    merges = found("merges", "-t", name)
    tokens = {t["id"]: t["hex"] for t in found("vocab", "-t", name)["tokens"]}
    assert merges["total"] == len(merges["merges"]) == ENCODINGS[name]["mergeable"] - 256
    for step, row in enumerate(merges["merges"], 1):
        assert row["step"] == step
        assert row["hex"] == tokens[row["left"]] + tokens[row["right"]] == tokens[row["id"]]
    assert found("merges", "-t", name, "--limit", "7")["merges"] == merges["merges"][:7]
    assert run("merges", "-t", name, "--limit", "7").text.count("\n") == 9


def test_vocab_lists_every_id_and_its_kinds() -> None:
    for name in ("gpt2", "cl100k_base"):
        facts = ENCODINGS[name]
        everything = found("vocab", "-t", name)
        assert list(everything) == ["tokenizer", "size", "kind", "total", "tokens"]
        rows = everything["tokens"]
        assert [row["id"] for row in rows] == list(range(facts["n_vocab"]))
        assert (everything["size"], everything["total"]) == (facts["n_vocab"], facts["n_vocab"])
        of = {kind: found("vocab", "-t", name, "--kind", kind) for kind in KINDS if kind != "never-emitted"}
        ids = {kind: [row["id"] for row in listed["tokens"]] for kind, listed in of.items()}
        assert ids["unassigned"] == facts["unassigned_ids"] == [r["id"] for r in rows if r["hex"] is None]
        assert ids["special"] == sorted(facts["special_tokens"].values()) == [r["id"] for r in rows if r["special"]]
        assert ids["partial-utf8"] == [r["id"] for r in rows if r["hex"] and r["text"] is None]
        # Unicode's White_Space; Python's isspace has the four separators U+001C to U+001F too.
        blank = [r["id"] for r in rows if r["text"] and r["text"].isspace() and not re.search("[\x1c-\x1f]", r["text"])]
        assert ids["whitespace"] == blank
        digits = [r["id"] for r in rows if r["text"] and r["text"].removeprefix(" ").isdecimal()]
        assert ids["digits"] == digits
        assert ids["glitch"]
        for kind, listed in of.items():
            assert (listed["kind"], listed["total"]) == (kind, len(listed["tokens"]))


def test_vocab_limits_searches_and_names_one() -> None:
    limited = found("vocab", "-t", "gpt2", "--limit", "3")
    assert (limited["total"], len(limited["tokens"])) == (50257, 3)
    searched = found("vocab", "-t", "gpt2", "--search", "^ ?[Tt]he$")
    assert [row["text"] for row in searched["tokens"]] == [" the", " The", "The", "the"]
    assert [row["id"] for row in searched["tokens"]] == [262, 383, 464, 1169]
    both = found("vocab", "-t", "gpt2", "--kind", "digits", "--search", "^ ")
    assert all(row["text"].startswith(" ") for row in both["tokens"])
    one = found("vocab", "-t", "gpt2", "--id", "43453")
    assert one["total"] == 1
    assert one["tokens"][0]["text"] == " SolidGoldMagikarp"
    assert found("vocab", "-t", "gpt2", "--id", "43453", "--kind", "digits")["tokens"] == []
    assert found("vocab", "-t", "cl100k_base", "--id", "100261")["tokens"][0]["hex"] is None


def test_the_known_numbers() -> None:
    names = ["-t", "gpt2", "-t", "cl100k_base"]
    gpt2, cl100k = found("inspect", "numbers", *names, "1234 + 5678", "1234567")["tokenizers"]
    assert (gpt2["tokenizer"], cl100k["tokenizer"]) == ("gpt2", "cl100k_base")
    assert [t["text"] for t in gpt2["splits"][0]["tokens"]] == ["12", "34", " +", " 5", "678"]
    assert [t["text"] for t in cl100k["splits"][1]["tokens"]] == ["123", "456", "7"]
    assert cl100k["splits"][1]["numbers"][0]["grouped"] == [1, 3, 3]
    assert sum(shape["numbers"] for grid in gpt2["grids"] for shape in grid["shapes"]) == 2 * (10 + 100 + 1000 + 9000)


def test_the_known_forms_and_specials() -> None:
    spaces = found("inspect", "spaces", "-t", "gpt2", "the")["tokenizers"][0]
    single = {form["text"]: [t["id"] for t in form["tokens"]] for form in spaces["forms"]}
    assert (single["the"], single[" the"], single["The"]) == ([1169], [262], [464])
    special = found("inspect", "special", "-t", "cl100k_base", "x<|endoftext|>")["tokenizers"][0]
    assert special["as_tokens"][-1]["id"] == 100257
    assert len(special["as_text"]) > len(special["as_tokens"])
    assert "<|endoftext|>" in special["forbidden"]


def test_languages_budget_and_glitch() -> None:
    languages = found("inspect", "languages", "-t", "gpt2", str(INPUT / "shells.txt"))["tokenizers"][0]
    assert len(languages["languages"]) >= 16
    assert next(row for row in languages["languages"] if row["code"] == "en")["cost"] == 1
    assert languages["files"][0]["name"] == "shells.txt"
    budget = found("inspect", "budget", "-t", "gpt2", "-", "--price", "4", "--context", "2", stdin=b"one two three")
    row = budget["tokenizers"][0]
    assert (row["tokens"], row["price"], row["contexts"][0]["windows"]) == (3, pytest.approx(12e-6), 2)
    glitch = found("inspect", "glitch", "-t", "gpt2")["tokenizers"][0]
    assert sum(glitch["categories"].values()) == glitch["size"] == 50257
    magikarp = next(r for r in glitch["reported"] if r["text"] == " SolidGoldMagikarp" and r["own"])
    assert magikarp["ids"] == [43453]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("name", ["gpt2", pytest.param("o200k_base", marks=pytest.mark.slow)])
def test_any_token_may_be_listed(name: str, encoding: str) -> None:
    for command in ("vocab", "merges"):
        lines = run(command, "-t", name, encoding=encoding).text.split("\n")
        assert len(lines) > 50_000
        assert all(line.isprintable() for line in lines)
        assert encoding == "utf-8" or all(line.isascii() for line in lines)


def test_the_formats_that_help_names_are_those_that_are_written() -> None:
    from tokexplorer.cli.convert_command import TARGETS

    assert {f.name: f.title for f in FORMATS.values() if f.writes} == TARGETS
