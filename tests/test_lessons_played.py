"""Every lesson is played to its end through the real screen, and all it says is checked against the engine there."""

from __future__ import annotations

from pathlib import Path

import pytest
from explorer_driver import explorer
from lesson_player import Player

from tokexplorer import paths
from tokexplorer.lessons import progress
from tokexplorer.lessons.lesson import Lesson
from tokexplorer.lessons.loading import load_lessons, read_lesson
from tokexplorer.tui import guide

LESSONS = load_lessons()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
async def test_a_lesson_is_played_to_its_end_and_nothing_in_it_is_untrue(lesson: Lesson) -> None:
    async with explorer() as driver:
        player = Player(driver)
        await player.play(lesson)
        assert player.problems == []
        assert f"That was {lesson.title}" in " ".join(str(player.panel.query_one("#told").render()).split())
        await driver.idle()
    assert progress.load(paths.lessons_file()).finished == {lesson.id}


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (170, 50)], ids=str)
@pytest.mark.parametrize("number", [3, 11])
async def test_lessons_are_played_on_terminals_of_other_sizes(number: int, size: tuple[int, int]) -> None:
    async with explorer(size=size) as driver:
        player = Player(driver)
        await player.play(LESSONS[number - 1])
        assert player.problems == []


WRONG = [
    ('is = ["l", "o", "w", "</w>"]', 'is = ["low", "</w>"]', "steps[1].claims[1]: tokens(text='low'"),
    ('pair = ["w", "i"], is = 3', 'pair = ["w", "i"], is = 4', "steps[1].claims[4]: pair_count(pair=['w', 'i']) is 3"),
    ('`low` 5 times', '`low` 17 times', "steps[1]: nothing proves the number 17"),
    ('"next_count", is = 9', '"next_count", is = 8', "steps[2].then.claims[2]: next_count() is 9"),
    ('step = 1, is = ["e", "s"]', 'step = 1, is = ["s", "t"]', "steps[3].then.claims[1]: merge(step=1) is ['e', 's']"),
    ('press = ["back", "back"]', 'press = ["back"]', "steps[6]: what is asked for is not done by what the file says"),
]


@pytest.mark.parametrize(("old", "new", "problem"), WRONG, ids=[problem for *_, problem in WRONG])
async def test_a_wrong_claim_in_a_file_makes_the_play_fail(
    old: str, new: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (Path(guide.__file__).parents[1] / "lessons" / "en" / "03_bpe_by_hand.toml").read_text(encoding="utf-8")
    assert old in source
    lesson = read_lesson("03_bpe_by_hand.toml", source.replace(old, new, 1))
    monkeypatch.setattr(guide, "load_lessons", lambda: (lesson,))
    async with explorer() as driver:
        player = Player(driver)
        await player.play(lesson)
    assert len(player.problems) == 1
    assert f"03_bpe_by_hand.toml: {problem}" in player.problems[0]
