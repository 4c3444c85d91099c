"""Random events against the whole explorer: keys, pastes, clicks, resizes on any content; its invariants are checked.

    python tests/explorer_fuzz.py [--events 20000] [--seed 1]

plays one game after another, each from a seed of its own, and prints the seed of one that fails. `play(seed, events)`
plays it again; the seeds that found something are kept in test_app_fuzz.py.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import tempfile
import time
import traceback
from collections import Counter
from itertools import pairwise
from pathlib import Path

from textual import events
from textual.geometry import Size
from textual.pilot import Pilot
from textual.worker import WorkerFailed

from tokexplorer.engine.training import BpeTrainer
from tokexplorer.engine.wordpiece import WordPieceTrainer
from tokexplorer.files.sources import sample_files
from tokexplorer.texts import Text, TokenizedText
from tokexplorer.tokenizers.base import SpecialMode
from tokexplorer.tui.actions import EXPLORER
from tokexplorer.tui.app import ExplorerApp
from tokexplorer.tui.screens.explorer import ExplorerScreen

KEYS = sorted({key for action in EXPLORER for key in action.keys.split(",")} - {"q"})
MOVES = ["up", "down", "left", "right", "pageup", "pagedown", "home", "end", "enter", "escape", "tab", "shift+tab"]
TYPED = [*"abcxyz0123456789 .-+,/\\<>|()[]{}*?", "backspace", "delete", "é", "漢", "\u202e"]
PIECES = [
    *("the ", "cat ", "  ", "\n", "\r\n", "\t", "1234567", "'s", "<|endoftext|>", "漢字", "é", "e\u0301", "[/INST]"),
    *("[UNK]", "\x1b[31m", "\x00", "\u202e", "\u200b", "\udcff", "\udc80", "aaaa", "low 5", "http://a.b/c?d=e", "ก็"),
    *("\ufffd", "x" * 300, "\U0001f469\u200d\U0001f467"),
]
LIMIT = 60.0
"""Seconds after which work that Esc does not stop counts as stuck."""


def content(draw: random.Random) -> bytes:
    """A small text of any kind, sometimes nothing, sometimes a table of words and counts."""
    kind = draw.random()
    if kind < 0.05:
        return b""
    if kind < 0.15:
        return bytes(draw.randrange(256) for _ in range(draw.randrange(1, 400)))
    if kind < 0.25:
        return "".join(f"w{draw.randrange(20)}\t{draw.randrange(1, 50)}\n" for _ in range(20)).encode()
    if kind < 0.3:
        return draw.choice(sample_files()).read_bytes()
    return "".join(draw.choices(PIECES, k=draw.randrange(1, 200))).encode("utf-8", "surrogateescape")


class Game:
    """One explorer and the events that come to it."""

    def __init__(self, app: ExplorerApp, pilot: Pilot[int], draw: random.Random) -> None:
        self.app = app
        self.pilot = pilot
        self.draw = draw
        self.said: list[str] = []

    @property
    def screen(self) -> ExplorerScreen | None:
        return next((s for s in self.app.screen_stack if isinstance(s, ExplorerScreen)), None)

    async def event(self) -> None:
        """One event of any kind."""
        draw = self.draw
        kind = draw.random()
        if kind < 0.55:
            await self.key(draw.choice(KEYS))
        elif kind < 0.8:
            await self.key(draw.choice(MOVES))
        elif kind < 0.9:
            await self.key(draw.choice(TYPED))
        elif kind < 0.94:
            text = "".join(draw.choices(PIECES, k=draw.randrange(1, 30)))
            await self.post(events.Paste(text.encode("utf-8", "replace").decode()))
        elif kind < 0.97:
            await self.mouse()
        else:
            await self.resize()

    async def key(self, key: str) -> None:
        self.said.append(key)
        await self.pilot.press(key)

    async def post(self, event: events.Event) -> None:
        self.said.append(type(event).__name__)
        event.set_sender(self.app)
        driver = self.app._driver
        assert driver is not None
        driver.process_message(event)
        await self.pilot.pause()

    async def mouse(self) -> None:
        width, height = self.app.size
        x, y = self.draw.randrange(max(1, width)), self.draw.randrange(max(1, height))
        click = [events.MouseDown, events.MouseUp]
        kinds = (click, [events.MouseMove], [events.MouseScrollDown], [events.MouseScrollUp])
        for kind in self.draw.choice(kinds):
            await self.post(kind(None, x, y, 0, 0, 1, False, False, False, x, y))

    async def resize(self) -> None:
        draw = self.draw
        odd = draw.randrange(1, 200), draw.randrange(1, 60)
        size = Size(*draw.choice([(120, 36), (80, 24), (60, 20), (40, 15), odd]))
        self.said.append(f"{size.width}x{size.height}")
        await self.post(events.Resize(size, size))

    async def settle(self) -> None:
        """Leave nothing running."""
        until = time.monotonic() + LIMIT
        # Textual's own workers, of the file dialog, end with their widget.
        while (screen := self.screen) is not None and (
            screen.busy or any(not worker.is_finished and worker._thread_worker for worker in self.app.workers)
        ):
            screen.halt()
            assert time.monotonic() < until, f"work does not end: {screen.busy} {[*self.app.workers]}"
            await self.pilot.pause(0.02)
        await self.pilot.pause()

    def check(self) -> None:
        """What must hold at any moment of rest."""
        screen = self.screen
        assert screen is not None
        snapshot = screen.snapshot
        view = screen.tokens_pane.view
        model = view.model
        if model is not None and isinstance(getattr(model, "tokenized", None), TokenizedText):
            assert_tiles(model.tokenized)
        if snapshot is None:
            return
        session = screen.session
        trainer = session.trainer
        assert snapshot.step == trainer.step_count
        assert snapshot.known == len(trainer.history)
        assert snapshot.tokens == trainer.tokens
        if isinstance(trainer, BpeTrainer | WordPieceTrainer):
            assert_counts(trainer)
        if isinstance(trainer, BpeTrainer) and not snapshot.corpus.word_counts:
            text = TokenizedText(Text(snapshot.corpus.documents), snapshot.tokenizer(), SpecialMode.TEXT)
            assert text.count() == snapshot.tokens


def assert_tiles(tokenized: TokenizedText) -> None:
    """The tokens tile the text."""
    at = 0
    for start, encoded in tokenized.pieces(0, tokenized.text.size):
        assert start == at
        for token in encoded:
            assert start + token.start == at, (start, token)
            assert token.end > token.start
            at = start + token.end
    assert at == tokenized.text.size


def assert_counts(trainer: BpeTrainer | WordPieceTrainer) -> None:
    """Counts equal a recount."""
    counts: Counter[str] = Counter()
    tokens = 0
    for word, weight in zip(trainer.table.words, trainer.table.weights, strict=True):
        tokens += len(word) * weight
        for left, right in pairwise(word):
            counts[left + right] += weight
    assert {pair: count for pair, count in trainer.table.counts.items() if count} == dict(counts)
    assert trainer.tokens == tokens


async def play(seed: int, count: int) -> int:
    """One game of `count` events; returns how many were played. Raises what the explorer raised."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        paths = []
        for number in range(draw.randrange(1, 4)):
            path = Path(folder) / draw.choice([f"text{number}.txt", f"words{number}.tsv", f"[bold]{number}\x1b"])
            path.write_bytes(content(draw))
            paths.append(str(path))
        os.environ["TOKEXPLORER_HOME"] = str(Path(folder) / "home")
        app = ExplorerApp(paths)
        app.action_quit = _stay  # type: ignore[method-assign]
        size = draw.choice([(120, 36), (80, 24), (60, 20), (40, 15)])
        async with app.run_test(size=size) as pilot:
            game = Game(app, pilot, draw)
            try:
                await game.settle()
                for number in range(count):
                    await game.event()
                    if app._exception is not None or not app.is_running:
                        break
                    if number % 20 == 19:
                        await game.settle()
                        game.check()
                await game.settle()
            except BaseException:
                print(f"seed {seed}, event {len(game.said)}: …{' '.join(game.said[-40:])}")
                raise
            if app._exception is not None:
                print(f"seed {seed}, event {len(game.said)}: …{' '.join(game.said[-40:])}")
            else:
                game.check()
    return count


async def _stay() -> None:
    """Nobody leaves in the middle of a game."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--length", type=int, default=250)
    args = parser.parse_args()
    played, seed, failed = 0, args.seed, []
    while played < args.events:
        try:
            played += asyncio.run(play(seed, args.length))
        except Exception as error:
            failed.append(seed)
            error = error.error if isinstance(error, WorkerFailed) else error
            print(f"  {type(error).__name__}: {str(error)[:300]}")
            for frame in traceback.extract_tb(error.__traceback__)[-4:]:
                print(f"    {frame.filename}:{frame.lineno} {frame.name}: {frame.line}", flush=True)
            played += args.length
        seed += 1
        print(f"{played:,} events, {seed - args.seed} games, failed: {failed}", flush=True)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
