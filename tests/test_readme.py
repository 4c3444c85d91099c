"""The README is true: its commands run, its Python runs, its keys are the registry's, its pictures exist."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tokexplorer.tui.actions import EXPLORER, shown_key

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("readme")
    shutil.copy(ROOT / "sample_texts" / "english.txt", path / "book.txt")
    shutil.copy(ROOT / "sample_texts" / "unicode.txt", path / "notes.md")
    shutil.copy(ROOT / "sample_texts" / "hand_example.tsv", path / "words.tsv")
    return path


def test_every_command_runs_and_the_python_after_them(folder: Path) -> None:
    commands = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("tokexplorer ")]
    assert len(commands) >= 12
    for command in commands:
        line = command.replace("tokexplorer ", f"{sys.executable} -m tokexplorer ", 1)
        done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout or " -o " in command or "convert" in command, command
    for number, code in enumerate(blocks("python")):
        done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, (number, done.stderr)


def test_the_two_commands_stand_alone_in_their_blocks() -> None:
    found = [block.strip() for block in blocks("sh") if block.startswith("python3 -m venv")]
    assert len(found) == 2
    assert found[0].endswith(".venv/bin/tokexplorer")
    assert found[1].endswith(".venv/bin/python -m pytest -n auto")


def test_the_keys_are_those_of_the_program() -> None:
    table = README.split("## Keys")[1].split("\n## ")[0]
    named = set(re.findall(r"`([^`]+)`", "\n".join(line.split("|")[1] for line in table.splitlines() if "|" in line)))
    keys = {shown_key(key) for action in EXPLORER for key in action.keys.split(",")} | {"^p"}
    assert keys - named == set(), "keys that the README does not name"
    assert named - keys == set(), "keys that the program does not have"


def test_every_picture_exists() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert len(pictures) >= 3
    for picture in pictures:
        assert (ROOT / picture).is_file(), picture
