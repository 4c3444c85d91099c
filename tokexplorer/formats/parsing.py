"""Bytes of a file as text lines or JSON, checked; every complaint names the file, the place and what was expected."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from tokexplorer.engine.errors import InputError
from tokexplorer.engine.glyphs import safe
from tokexplorer.engine.splits import Split, compile_split

BOM: Final = b"\xef\xbb\xbf"
MAX_ID: Final = (1 << 22) - 1
"""The highest token id that is taken: twenty times what real vocabularies reach."""
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Source:
    """The content of a file, the name that complaints call it by, and the title of the tokenizer in it."""

    name: str
    data: bytes
    title: str = ""

    def fail(self, place: str, expected: str) -> NoReturn:
        """Raise the InputError of a bad place; `place` is empty or such as `line 3`."""
        raise InputError(f"{self.name}, {place}: {expected}" if place else f"{self.name}: {expected}")

    def text(self) -> str:
        """The whole as text without a byte order mark; InputError names the byte that is not UTF-8."""
        skip = len(BOM) if self.data.startswith(BOM) else 0
        try:
            return self.data[skip:].decode()
        except UnicodeDecodeError as error:
            self.fail(f"byte {error.start + skip}", "expected UTF-8 text")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Line number and line, without line ends (LF or CRLF) and without the empty line after the last one."""
        lines = self.text().split("\n")
        if lines and lines[-1] == "":
            lines.pop()
        return ((number, line.removesuffix("\r")) for number, line in enumerate(lines, 1))

    def json(self) -> dict[str, Any]:
        """The JSON object that the file is; InputError names line and column, or the key that stands twice."""
        text = self.text()
        try:
            found = json.loads(text, object_pairs_hook=self._unique, parse_constant=self._refuse_constant)
        except json.JSONDecodeError as error:
            reason = error.msg[:1].lower() + error.msg[1:]
            ended = "the file ends early: " if not text[error.pos :].strip() else ""
            self.fail(f"line {error.lineno}, column {error.colno}", f"expected JSON; {ended}{reason}")
        except RecursionError:
            self.fail("", "expected JSON; it is nested too deeply")
        except InputError:
            raise
        except ValueError:
            self.fail("", "expected JSON; a number in it is too long")
        if not isinstance(found, dict):
            self.fail("line 1", "expected a JSON object")
        return found

    def _unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            self.fail("", f"expected each name once; {quote(twice)} stands twice in one JSON object")
        return found

    def _refuse_constant(self, name: str) -> NoReturn:
        self.fail("", f"expected JSON; {name} is no JSON number")


def quote(text: str | bytes) -> str:
    """A piece of a file as it may stand in a complaint: short, and safe to show."""
    return f'"{safe(text, _SHOWN)}"'


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    words = {str: "a string", list: "a list", dict: "an object", int: "a whole number", float: "a number"}
    return words[type(value)]


def field(source: Source, holder: Mapping[str, Any], path: str, kind: type | tuple[type, ...], *default: Any) -> Any:
    """The value at the last name of `path` (`model.vocab`) in its object, which must be of a kind; the default where
    it is missing or null and a default is given. InputError names the path."""
    value = holder.get(path.rpartition(".")[2])
    if value is None and default:
        return default[0]
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        wanted = " or ".join(kind_of(k()) if k is not bool else "true or false" for k in kinds)
        found = "nothing" if path.rpartition(".")[2] not in holder else kind_of(value)
        source.fail("", f"expected {wanted} at {path}, found {found}")
    return value


def token_id(source: Source, place: str, value: object) -> int:
    """A token id from a file: a whole number from 0 to MAX_ID."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_ID:
        shown = safe(json.dumps(value), _SHOWN)
        source.fail(place, f"expected a token id from 0 to {MAX_ID:,}, found {shown}")
    return value


def vocabulary(source: Source, vocab: Mapping[str, Any], path: str) -> dict[str, int]:
    """Token -> id from a JSON object; InputError on what is no id, and on an id that two tokens have."""
    found: dict[int, str] = {}
    for token, value in vocab.items():
        if type(value) is not int or not 0 <= value <= MAX_ID:
            token_id(source, f"{path}, token {quote(token)}", value)
        if value in found:
            source.fail(path, f"expected each id once; {value} is both {quote(found[value])} and {quote(token)}")
        check_text(source, path, token)
        found[value] = token
    return {token: number for number, token in found.items()}


def read_split(source: Source, place: str, pattern: str) -> Split:
    """The split of a pattern in a file; InputError names the place where the pattern is wrong."""
    try:
        return compile_split(pattern)
    except InputError as error:
        source.fail(place, str(error))


def check_text(source: Source, place: str, text: str) -> None:
    """InputError where a string of a JSON file holds half a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        source.fail(place, f"expected text; {quote(text)} holds half a surrogate pair")


def gaps_of(ids: Mapping[int, object] | set[int]) -> str:
    """A remark on ids below the highest that no token has; empty where there are none."""
    runs: list[tuple[int, int]] = []
    expected = 0
    for number in sorted(ids):
        if number > expected:
            runs.append((expected, number - 1))
        expected = number + 1
    if not runs:
        return ""
    total = sum(last - first + 1 for first, last in runs)
    named = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs[:4])
    more = f" and {len(runs) - 4} more runs" if len(runs) > 4 else ""
    are = "ids below the highest stand" if total > 1 else "id below the highest stands"
    return f"{total:,} {are} for no token: {named}{more}"


_LFS: Final = b"version https://git-lfs"
_PACKED: Final = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ": "xz",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_HTML: Final = re.compile(
    rb"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)


def name_stranger(head: bytes) -> str:
    """What a file that is no tokenizer looks like, as a clause."""
    return name_other(head) or f"it begins with {quote(head[:60])}"


def name_other(head: bytes) -> str | None:
    """What a file of a well-known kind that holds no tokenizer is, as a clause; None for all others."""
    if not head.strip():
        return "it is empty" if not head else "it holds nothing but white space"
    if _HTML.match(head.removeprefix(BOM)):
        return "it is an HTML page"
    if head.startswith(_LFS):
        return "it is a Git LFS pointer, not the file itself"
    for magic, name in _PACKED.items():
        if head.startswith(magic):
            return f"it is packed with {name}: unpack it first"
    return None
