"""The pictures of the README and a few more, held against the present program.

`python -m pytest tests/test_pictures.py --snapshot-update` makes them anew, in tests/pictures.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from explorer_driver import Driver, explorer
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.widgets import Input


class Picture(SingleFileSnapshotExtension):
    """One SVG file per picture."""

    _write_mode = WriteMode.TEXT
    file_extension = "svg"

    @classmethod
    def dirname(cls, *, test_location: object) -> str:
        """Where the README finds them."""
        return str(Path(__file__).parent / "pictures")

    @classmethod
    def get_snapshot_name(cls, *, test_location: object, index: object = 0) -> str:
        """The name that the test gives."""
        return str(index)


async def travel(driver: Driver, step: str) -> None:
    """Run to the target, then go to a step."""
    await driver.press("e", "g")
    driver.app.screen.query_one(Input).value = step
    await driver.press("enter")
    await quiet(driver)


async def quiet(driver: Driver) -> None:
    """Without messages that come and go."""
    driver.app.clear_notifications()
    await driver.pilot.pause()


async def explorer_scene(driver: Driver) -> None:
    """Own merges on the first sample, the next winner and the last merge marked."""
    await travel(driver, "25")


async def hand_scene(driver: Driver) -> None:
    """The hand example, three merges in."""
    await driver.press("s", "s", "s")
    await quiet(driver)


async def gpt2_scene(driver: Driver) -> None:
    """The sample through GPT-2, as ids."""
    await driver.press("t", "number_sign")
    await quiet(driver)


async def start_scene(driver: Driver) -> None:
    """The first run."""
    await quiet(driver)


SAMPLES = Path(__file__).parent.parent / "sample_texts"
SCENES: dict[str, tuple[list[Path], tuple[int, int], Callable[[Driver], Awaitable[None]]]] = {
    "explorer": ([SAMPLES / "english.txt"], (120, 36), explorer_scene),
    "explorer-80x24": ([SAMPLES / "english.txt"], (80, 24), explorer_scene),
    "explorer-60x20": ([SAMPLES / "english.txt"], (60, 20), explorer_scene),
    "first-run": ([], (120, 36), start_scene),
    "hand-example": ([SAMPLES / "hand_example.tsv"], (120, 36), hand_scene),
    "gpt2-ids": ([SAMPLES / "unicode.txt"], (120, 36), gpt2_scene),
}


def stable(svg: str) -> str:
    """Without the number that Rich makes up for each export, and without the address of the font."""
    unique = re.search(r"terminal-(\d+)-", svg)
    assert unique is not None
    return svg.replace(unique.group(1), "0")


@pytest.mark.parametrize("name", SCENES)
async def test_pictures_are_of_the_present_program(name: str, snapshot: SnapshotAssertion) -> None:
    files, size, scene = SCENES[name]
    async with explorer(files, size=size) as driver:
        await scene(driver)
        picture = stable(driver.app.export_screenshot(title="tokexplorer"))
    assert picture == snapshot(extension_class=Picture, name=name)
