"""Writing: what is said to be lost, whole files or none, and the reasons for which a format is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from formats_help import bpe_model, unigram_model, wordpiece_model

from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.errors import InputError, UsageError
from tokexplorer.engine.model import Model
from tokexplorer.formats import files, format_for, losses, model_of, read_tokenizer, refusal, write_model
from tokexplorer.tokenizers.builtin import load
from tokexplorer.tokenizers.learned import LearnedTokenizer


def test_targets_are_known_by_their_names() -> None:
    names = {
        "x.tiktoken": "tiktoken",
        "a/b/tokenizer.json": "tokenizer.json",
        "my_tokenizer.json": "tokenizer.json",
        "vocab.json": "gpt2",
        "x-merges.txt": "gpt2",
        "encoder.json": "gpt2",
        "vocab.bpe": "gpt2",
        "vocab.txt": "bert-vocab",
        "X.MODEL": "minbpe",
        "x.json": "own",
        "x": "own",
    }
    assert {name: format_for(name) for name in names} == names


def test_an_unknown_format_is_a_wrong_call(tmp_path: Path) -> None:
    for fmt in ("nonsense", "sentencepiece"):
        with pytest.raises(UsageError, match="there are own, tiktoken, gpt2"):
            write_model(bpe_model(), str(tmp_path / "x"), fmt)
    assert not any(tmp_path.iterdir())


LOST = {
    "own": (),
    "tiktoken": (
        "the split (gpt2): whoever opens the file must give it",
        "its 1 special token: whoever opens the file must give them",
    ),
    "gpt2": ("its 1 special token as such: they stand among the other tokens",),
    "tokenizer.json": (),
    "minbpe": (),
}
HISTORY = (
    "the counts of its 60 merges, and how they tied",
    "how it was trained: ties first, minimum count 1",
    "where it comes from: files",
)


@pytest.mark.parametrize("fmt", LOST)
def test_what_is_lost_is_said_before_and_after(tmp_path: Path, fmt: str) -> None:
    model = bpe_model(specials=("<|end|>",))
    expected = LOST[fmt] if fmt == "own" else (*LOST[fmt], *HISTORY)
    assert losses(model, fmt) == expected
    report = write_model(model, str(tmp_path / "x"), fmt)
    assert report.lost == expected
    assert report.agrees
    assert all(os.path.isfile(path) for path in report.files)
    assert len(report.files) == (2 if fmt == "gpt2" else 1)


def test_the_checks_name_what_was_compared(tmp_path: Path) -> None:
    report = write_model(bpe_model(specials=("<|end|>",)), str(tmp_path / "x"), "tiktoken")
    here, library = report.checks
    assert here.startswith("read back here: ")
    assert here.endswith(" ids of 12 texts are the same")
    assert library.startswith("in the library tiktoken: ")
    assert library.endswith(" ids of 10 texts are the same")


def test_a_check_that_fails_is_said(tmp_path: Path) -> None:
    """tiktoken drops what a pattern does not match, our split keeps it."""
    report = write_model(bpe_model(split=r"[a-z]+"), str(tmp_path / "x"), "tiktoken")
    assert not report.agrees
    assert "what the split pattern does not match in a text: tiktoken drops it" in report.lost
    assert report.checks[1].startswith("in the library tiktoken: 8 of 10 texts get other ids, the first of them ")


def with_split(pattern: str) -> Model:
    return bpe_model(split=pattern)


REFUSED = {
    "minbpe, a space in a special token": (
        "minbpe",
        bpe_model(specials=("[a b]",)),
        'special token "[a b]" has white space',
    ),
    "minbpe, a pattern that begins with a space": (
        "minbpe",
        with_split(r" ?\p{L}+|.+"),
        "begins or ends with white space",
    ),
    "minbpe, a pattern that ends with a space": ("minbpe", with_split("[^ ]+| "), "begins or ends with white space"),
    "minbpe, a line end in the pattern": ("minbpe", with_split("[^\n]+|\n+"), "has a line end in it"),
    "minbpe, a group in the pattern": ("minbpe", with_split("(a|b)+|[^ab]+"), "has a capturing group"),
    "minbpe, characters": ("minbpe", bpe_model(kind=AlphabetKind.CHARS), "needs byte-pair encoding over bytes"),
    "minbpe, other ids": ("minbpe", model_of(load("gpt2")), "ids must count bytes from 0 to 255"),
    "tiktoken, characters": ("tiktoken", bpe_model(kind=AlphabetKind.CHARS), "need byte-pair encoding over bytes"),
    "tokenizer.json, end marks": (
        "tokenizer.json",
        bpe_model(kind=AlphabetKind.WORDS),
        "the end mark </w> is a symbol",
    ),
    "tokenizer.json, a pattern": (
        "tokenizer.json",
        with_split(r"\w+$|\s"),
        r'may read the split pattern "\w+$|\s" otherwise',
    ),
    "tokenizer.json, a clash": (
        "tokenizer.json",
        bpe_model(specials=("Ġ",)),
        'two of its tokens are spelled "Ġ" there',
    ),
    "the pair, pieces": ("gpt2", wordpiece_model(), "need byte-pair encoding over bytes"),
    "the pair, broken UTF-8": ("gpt2", bpe_model(specials=("\udcff",)), "is not valid UTF-8"),
    "vocab.txt, merges": ("bert-vocab", bpe_model(), "holds WordPiece vocabularies only"),
    "vocab.txt, pieces with spaces": ("bert-vocab", wordpiece_model(split="gpt2"), "cannot stand in a line of text"),
    "vocab.txt, Unigram": ("bert-vocab", unigram_model(), "holds WordPiece vocabularies only"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_format_cannot_hold_at_all_is_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    fmt, model, said = REFUSED[name]
    assert said in (refusal(model, fmt) or "")
    with pytest.raises(InputError, match=f"this model cannot be written as {fmt}: ") as caught:
        write_model(model, str(tmp_path / "x"), fmt)
    assert said in str(caught.value)
    assert not any(tmp_path.iterdir())


def test_an_existing_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("mine")
    path.chmod(0o640)
    with pytest.raises(InputError, match=r"x\.json: exists already; --force replaces it"):
        write_model(bpe_model(), str(path), "own")
    assert path.read_text() == "mine"
    write_model(bpe_model(), str(path), "own", force=True)
    assert isinstance(read_tokenizer(str(path)), LearnedTokenizer)
    assert path.stat().st_mode & 0o777 == 0o640
    assert [*tmp_path.iterdir()] == [path]


def test_half_a_pair_that_exists_keeps_both_from_being_written(tmp_path: Path) -> None:
    (tmp_path / "merges.txt").write_text("mine")
    with pytest.raises(InputError, match=r"merges\.txt: exists already"):
        write_model(bpe_model(), str(tmp_path), "gpt2")
    assert [path.name for path in tmp_path.iterdir()] == ["merges.txt"]


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("", {"vocab.json", "merges.txt"}),
        ("vocab.json", {"vocab.json", "merges.txt"}),
        ("vocab.bpe", {"encoder.json", "vocab.bpe"}),
        ("my-merges.txt", {"my-vocab.json", "my-merges.txt"}),
        ("mine", {"mine-vocab.json", "mine-merges.txt"}),
        ("mine.json", {"mine-vocab.json", "mine-merges.txt"}),
    ],
)
def test_where_the_pair_goes(tmp_path: Path, target: str, names: set[str]) -> None:
    report = write_model(bpe_model(), str(tmp_path / target), "gpt2")
    assert {path.name for path in tmp_path.iterdir()} == names
    for path in report.files:
        assert read_tokenizer(path).size == 316


@pytest.mark.parametrize("there_before", [False, True])
def test_a_pair_is_never_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there_before: bool) -> None:
    """The second rename fails: the first file is taken back, and what stood there before is there again."""
    old = {"vocab.json": "old ids", "merges.txt": "old merges"} if there_before else {}
    for name, content in old.items():
        (tmp_path / name).write_text(content)
    replace = os.replace
    calls: list[str] = []

    def fail_at_second(source: str, target: str) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", fail_at_second)
    with pytest.raises(InputError, match=r"merges\.txt: cannot be written \(No space left on device\)"):
        write_model(bpe_model(), str(tmp_path), "gpt2", force=True)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == old


def test_a_disk_that_fills_up_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    path.write_text("mine")

    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(InputError, match=r"x\.json: cannot be written \(No space left on device\)"):
        write_model(bpe_model(), str(path), "own", force=True)
    assert path.read_text() == "mine"
    assert [*tmp_path.iterdir()] == [path]


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    places = {
        str(pipe): "is not a regular file, and is left alone",
        "/dev/null": "is not a regular file, and is left alone",
        str(tmp_path): "is a folder; expected the name of a file to write",
        str(tmp_path / "none" / "x"): r"cannot be written \(no such folder\)",
        "": "is a folder",
        "a\0b": "cannot be written",
    }
    for path, said in places.items():
        with pytest.raises(InputError, match=said):
            write_model(bpe_model(), path, "own", force=True)
    assert [*tmp_path.iterdir()] == [pipe]


def test_a_link_leads_to_the_file_that_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    write_model(bpe_model(), str(tmp_path / "link.json"), "own", force=True)
    assert (tmp_path / "link.json").is_symlink()
    assert read_tokenizer(str(tmp_path / "real.json")).size == 316


@pytest.mark.parametrize("name", ["gpt2", "p50k_edit"])
def test_built_in_tokenizers_are_written_too(tmp_path: Path, name: str) -> None:
    builtin = load(name)
    model = model_of(builtin)
    report = write_model(model, str(tmp_path / "tokenizer.json"), "tokenizer.json")
    assert report.agrees, report.checks
    again = read_tokenizer(report.files[0])
    assert again.specials == builtin.specials
    assert again.size == builtin.size
    assert [again.token_bytes(i) for i in range(again.size)] == [builtin.token_bytes(i) for i in range(builtin.size)]
    assert [again.parents(i) for i in range(0, again.size, 97)] == [
        builtin.parents(i) for i in range(0, builtin.size, 97)
    ]


def test_specials_with_a_second_name_keep_the_first(tmp_path: Path) -> None:
    model = model_of(load("o200k_harmony"))
    assert model.specials["<|endofprompt|>"] == 200018
    assert "<|reserved_200018|>" not in model.specials
    assert losses(model, "own") == ("the second name <|reserved_200018|> of id 200018",)
