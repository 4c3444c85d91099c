"""Where files are, and the settings file: defaults, every key, and worded errors for whatever is wrong in it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokexplorer import paths
from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.errors import InputError
from tokexplorer.settings import LARGEST, Preferences, check_keys, example, load, parse
from tokexplorer.terminal import ColorChoice


def refusal(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(InputError) as caught:
        parse(data, "s.toml")
    message = str(caught.value)
    assert message.isprintable()
    return message


def test_xdg_folders_are_honoured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(paths.HOME_VARIABLE, raising=False)
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    assert paths.config_file() == tmp_path / "CONFIG" / "tokexplorer" / "settings.toml"
    assert paths.sessions_folder() == tmp_path / "STATE" / "tokexplorer" / "sessions"
    assert paths.lessons_file() == tmp_path / "STATE" / "tokexplorer" / "lessons.json"
    assert paths.cache_folder() == tmp_path / "CACHE" / "tokexplorer"
    assert list(tmp_path.iterdir()) == []


def test_one_folder_for_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / "own"
    monkeypatch.setenv(paths.HOME_VARIABLE, str(home))
    found = [paths.config_file(), paths.state_folder(), paths.sessions_folder(), paths.lessons_file()]
    assert all(home in path.parents for path in [*found, paths.cache_folder()])
    assert not home.exists()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(paths.HOME_VARIABLE, "own")
    assert paths.config_file() == home / "settings.toml"


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, "")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert paths.home() is None
    assert paths.config_file() == tmp_path / "tokexplorer" / "settings.toml"


def test_platformdirs_is_imported_only_when_it_is_needed() -> None:
    code = "import sys, tokexplorer.paths, tokexplorer.settings; assert 'platformdirs' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_defaults_where_there_is_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path))
    assert load() == Preferences()
    with pytest.raises(InputError, match=r"gone\.toml: no such file"):
        load(tmp_path / "gone.toml")
    (tmp_path / "settings.toml").write_text('theme = "night"\n')
    assert load().theme == "night"


def test_every_setting() -> None:
    text = """\
theme = "tokexplorer-light"
colors = "16"
ascii = true
low_bandwidth = true
mouse = false
split = "[a-z]+"
alphabet = "chars"
ties = "lowest"
target = 500
min_count = 2
price_per_million = 3
model_dimension = 4096
[keys]
step = ["n", " "]
quit = "Q"
settings = ","
"""
    found = parse(text.encode(), "s.toml")
    assert found == Preferences(
        theme="tokexplorer-light",
        colors=ColorChoice.C16,
        ascii=True,
        low_bandwidth=True,
        mouse=False,
        split="[a-z]+",
        alphabet=AlphabetKind.CHARS,
        ties=TieRule.LOWEST,
        target=500,
        min_count=2,
        price_per_million=3.0,
        model_dimension=4096,
        keys={"step": ("n", "space"), "quit": ("Q",), "settings": ("comma",)},
    )
    assert found.keymap() == {"step": "n,space", "quit": "Q", "settings": "comma"}
    training = found.training()
    assert (training.split, training.alphabet, training.ties, training.min_count, training.target) == (
        "[a-z]+",
        AlphabetKind.CHARS,
        TieRule.LOWEST,
        2,
        500,
    )
    assert all(f"{field.name} = " in text or field.name == "keys" for field in fields(Preferences))


def test_the_example_is_valid_and_names_every_setting() -> None:
    assert parse(example().encode(), "example") == Preferences()
    lines = [line for line in example().splitlines() if line.startswith("# ")]
    code = "\n".join(line[2:] for line in lines if line[2:].startswith("[") or " = " in line)
    assert {f.name for f in fields(Preferences)} == set(tomllib.loads(code))
    found = parse(code.encode(), "example")
    shown_only = {"theme", "target", "price_per_million", "model_dimension", "keys"}
    for field in fields(Preferences):
        if field.name not in shown_only:
            assert getattr(found, field.name) == getattr(Preferences(), field.name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("them = 'x'", "s.toml: them: there is no such key; did you mean theme?"),
        ("zzzz = 1", "s.toml: zzzz: there is no such key"),
        ("colors = 'blue'", 's.toml: colors: expected one of auto, true, 256, 16, none, found "blue"'),
        ("colors = true", "s.toml: colors: expected one of auto, true, 256, 16, none, found true"),
        ("ascii = 1", "s.toml: ascii: expected true or false, found 1"),
        ("target = true", "s.toml: target: expected a whole number, found true"),
        ("target = 1.5", "s.toml: target: expected a whole number, found 1.5"),
        ("target = 0", "s.toml: target: expected 1 or more, found 0"),
        ("min_count = -3", "s.toml: min_count: expected 1 or more, found -3"),
        ("price_per_million = nan", "s.toml: price_per_million: expected a number, found nan"),
        ("price_per_million = -0.5", "s.toml: price_per_million: expected 0 or more, found -0.5"),
        ("theme = []", "s.toml: theme: expected a text, found []"),
        ("keys = 3", "s.toml: keys: expected a table, found 3"),
        ("keys.step = []", "s.toml: keys.step: expected a key or a list of keys, found []"),
        ("keys.step = [1]", "s.toml: keys.step: 1 is not a key; write one key, or a list of keys"),
        ("keys.step = 's,t'", 's.toml: keys.step: "s,t" is not a key; write one key, or a list of keys'),
        ("split = '('", "s.toml: split: the split pattern is wrong at character 2: missing )"),
        ("\n\ntheme == 1", "s.toml, line 3: invalid value"),
        ("theme = 'a'\ntheme = 'b'", "s.toml, line 2: cannot overwrite a value"),
        ("theme = [\n1,", "s.toml, line 2: invalid value"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, message: str) -> None:
    assert refusal(text) == message


def test_hostile_files_are_refused_in_safe_words(tmp_path: Path) -> None:
    assert "line 2: is not UTF-8" in refusal(b"ascii = true\ntheme = '\xff'")
    assert refusal("\"\\u001b[31m\" = 1") == "s.toml: ␛[31m: there is no such key"
    refusal("keys.\"\\u202e\" = 1")
    refusal("x = " + "[" * 30_000)
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(InputError, match="larger than 64 kB"):
        load(large)
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path)
    assert parse(b"\xef\xbb\xbfascii = true", "s.toml").ascii


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    said = "read"
    try:
        parse(data, "s.toml")
    except InputError as error:
        said = str(error)
    assert said.isprintable()


def test_the_key_map_is_checked_against_the_actions() -> None:
    actions = ["step", "back", "quit"]
    check_keys(parse(b"keys.step = ['n', 'space']", "s"), actions)
    for text, message in [
        ("keys.stop = 'n'", "keys: stop: there is no such action; did you mean step?"),
        ("[keys]\ntheme = 'x'", "keys: theme: there is no such action; settings stand above the line [keys]"),
        ("keys.step = 'n'\nkeys.back = 'n'", "keys: back: the key n is also given to step"),
    ]:
        with pytest.raises(InputError) as caught:
            check_keys(parse(text.encode(), "s"), actions)
        assert str(caught.value) == message
