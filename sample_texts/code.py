"""A small store room: items, stock, a graph of shelves, and a text wrapper for its labels.

Run this file to see it work:

    $ python code.py
"""

from __future__ import annotations

import heapq
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

MAX_LABEL_WIDTH = 32
PRICE_PATTERN = re.compile(r"^\s*(?P<whole>\d+)(?:[.,](?P<cents>\d{2}))?\s*(?:€|EUR)?\s*$")


class StockError(Exception):
    """Raised when a movement of stock is impossible."""


class Unit(Enum):
    PIECE = "pc"
    METRE = "m"
    KILOGRAM = "kg"

    def __str__(self) -> str:
        return self.value


def parse_price(text: str) -> int:
    """Return a price in cents; `parse_price("12,50 €") == 1250`."""
    match = PRICE_PATTERN.match(text)
    if match is None:
        raise ValueError(f"not a price: {text!r}")
    return int(match["whole"]) * 100 + int(match["cents"] or 0)


def format_price(cents: int) -> str:
    sign, cents = ("-", -cents) if cents < 0 else ("", cents)
    return f"{sign}{cents // 100:,}.{cents % 100:02d} EUR"


@dataclass(frozen=True, order=True)
class Item:
    """Something that can be kept on a shelf."""

    name: str
    price: int = field(compare=False)
    unit: Unit = field(default=Unit.PIECE, compare=False)
    tags: frozenset[str] = field(default_factory=frozenset, compare=False)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("an item needs a name")
        if self.price < 0:
            raise ValueError(f"{self.name}: the price is negative ({self.price})")

    @classmethod
    def from_line(cls, line: str) -> Item:
        """Read `name; price; unit; tag tag`. Unit and tags may be left out."""
        name, price, *rest = (part.strip() for part in line.split(";"))
        unit = Unit(rest[0]) if rest and rest[0] else Unit.PIECE
        tags = frozenset(rest[1].lower().split()) if len(rest) > 1 else frozenset()
        return cls(name, parse_price(price), unit, tags)


class Inventory:
    """Counts of items. Every change is remembered and can be taken back."""

    def __init__(self, items: Iterable[tuple[Item, int]] = ()) -> None:
        self._counts: Counter[Item] = Counter()
        self._log: list[tuple[Item, int]] = []
        self._listeners: list[Callable[[Item, int], None]] = []
        for item, amount in items:
            self.add(item, amount)

    def __len__(self) -> int:
        return len(+self._counts)

    def __iter__(self) -> Iterator[Item]:
        return iter(sorted(+self._counts))

    def __contains__(self, item: object) -> bool:
        return self._counts[item] > 0  # type: ignore[index]

    def __getitem__(self, item: Item) -> int:
        return self._counts[item]

    def watch(self, listener: Callable[[Item, int], None]) -> None:
        self._listeners.append(listener)

    def add(self, item: Item, amount: int = 1) -> None:
        if amount <= 0:
            raise StockError(f"cannot add {amount} of {item.name}")
        self._move(item, amount)

    def take(self, item: Item, amount: int = 1) -> None:
        left = self._counts[item] - amount
        if left < 0:
            raise StockError(f"{item.name}: {-left} {item.unit} short")
        self._move(item, -amount)

    def undo(self) -> bool:
        """Take back the last change. Returns False when there is none."""
        if not self._log:
            return False
        item, amount = self._log.pop()
        self._counts[item] -= amount
        return True

    def _move(self, item: Item, amount: int) -> None:
        self._counts[item] += amount
        self._log.append((item, amount))
        for listener in self._listeners:
            listener(item, self._counts[item])

    @property
    def value(self) -> int:
        return sum(item.price * n for item, n in self._counts.items())

    def by_tag(self) -> dict[str, list[Item]]:
        groups: defaultdict[str, list[Item]] = defaultdict(list)
        for item in self:
            for tag in item.tags or {"untagged"}:
                groups[tag].append(item)
        return {tag: sorted(found) for tag, found in sorted(groups.items())}

    def to_json(self, *, indent: int | None = 2) -> str:
        rows = [{"name": i.name, "price": i.price, "unit": str(i.unit), "count": self[i]} for i in self]
        return json.dumps({"items": rows, "value": self.value}, indent=indent, ensure_ascii=False)


class ShelfMap:
    """An undirected graph: which shelf can be walked to from which, and how far it is."""

    def __init__(self) -> None:
        self.edges: dict[str, dict[str, float]] = {}

    def connect(self, a: str, b: str, metres: float = 1.0) -> ShelfMap:
        if a == b or metres <= 0:
            raise ValueError(f"{a} -> {b}: {metres} m makes no sense")
        self.edges.setdefault(a, {})[b] = metres
        self.edges.setdefault(b, {})[a] = metres
        return self

    def route(self, start: str, goal: str) -> tuple[float, list[str]]:
        """The shortest way, by Dijkstra's algorithm; (inf, []) if there is no way."""
        best = {start: 0.0}
        came_from: dict[str, str] = {}
        queue = [(0.0, start)]
        while queue:
            so_far, here = heapq.heappop(queue)
            if here == goal:
                path = [here]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return so_far, path[::-1]
            if so_far > best[here]:
                continue
            for there, metres in self.edges.get(here, {}).items():
                distance = so_far + metres
                if distance < best.get(there, math.inf):
                    best[there] = distance
                    came_from[there] = here
                    heapq.heappush(queue, (distance, there))
        return math.inf, []


def wrap(text: str, width: int = MAX_LABEL_WIDTH, *, indent: str = "") -> list[str]:
    """Break text into lines of at most `width` characters; words that are longer are cut."""
    room = width - len(indent)
    if room < 1:
        raise ValueError("no room left after the indent")
    lines: list[str] = []
    line = ""
    for word in text.split():
        while len(word) > room:
            if line:
                lines.append(line)
                line = ""
            lines.append(word[:room])
            word = word[room:]
        candidate = f"{line} {word}".strip()
        if len(candidate) <= room:
            line = candidate
        else:
            lines.append(line)
            line = word
    if line:
        lines.append(line)
    return [indent + each for each in lines]


def label(item: Item, count: int, shelf: str) -> str:
    body = wrap(f"{item.name} ({', '.join(sorted(item.tags)) or 'no tags'})", indent="| ")
    head = f"+-- {shelf} " + "-" * max(0, MAX_LABEL_WIDTH - len(shelf) - 5)
    foot = f"| {count} {item.unit} x {format_price(item.price)}"
    return "\n".join([head, *body, foot])


STOCK = """\
Oak board, planed; 18.90; m; wood heavy
Wood screw 4x40; 0.07; pc; metal
Linseed oil; 7,25 €; kg; finish
# a comment, and an empty line, are passed over

Très petit tournevis; 3.10;; tool
"""


def main() -> None:
    inventory = Inventory()
    inventory.watch(lambda item, n: print(f"{item.name:<24}{n:>6} {item.unit}"))
    for number, line in enumerate(STOCK.splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        inventory.add(Item.from_line(line), amount=number * 10)
    try:
        inventory.take(next(iter(inventory)), 0x7FFF)
    except StockError as error:
        print("error:", error)
    assert inventory.undo() and len(inventory) == 3

    shelves = ShelfMap().connect("A1", "A2", 2.5).connect("A2", "B1", 1e1).connect("A1", "B1", 13)
    metres, path = shelves.route("A1", "B1")
    print(" -> ".join(path), f"({metres:.1f} m)")
    print(label(next(iter(inventory)), 30, path[-1]))
    print(inventory.to_json(indent=None), "total:", format_price(inventory.value))


if __name__ == "__main__":
    main()
