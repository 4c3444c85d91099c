"""Who may import whom, as contracts; and what the command line leaves out of memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_import_contracts_hold() -> None:
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    found = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_command_line_leaves_textual_and_tiktoken_out() -> None:
    code = "import sys, tokexplorer.cli; print([m for m in ('textual', 'tiktoken', 'rich') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_engine_needs_nothing_but_regex() -> None:
    code = (
        "import sys, pkgutil, importlib, tokexplorer.engine as e\n"
        "for m in pkgutil.iter_modules(e.__path__): importlib.import_module('tokexplorer.engine.' + m.name)\n"
        "print([m for m in ('textual', 'tiktoken', 'rich', 'platformdirs') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
