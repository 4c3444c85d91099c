"""Lessons without a screen: files and their schema, questions to the engine, claims, stages, walks, progress."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokexplorer.engine.corpus import TextDocument
from tokexplorer.engine.errors import InputError
from tokexplorer.finding import find_tokenizer
from tokexplorer.lessons import progress as progress_file
from tokexplorer.lessons.asking import FACTS, ask
from tokexplorer.lessons.checking import names_unknown, texts, unbacked
from tokexplorer.lessons.claims import holds, tokenizers_named, untrue
from tokexplorer.lessons.lesson import Claim, Lesson, Question
from tokexplorer.lessons.loading import load_lessons, read_lesson
from tokexplorer.lessons.moment import Moment
from tokexplorer.lessons.progress import Progress
from tokexplorer.lessons.staging import arrange, stage_at
from tokexplorer.lessons.walk import Walk
from tokexplorer.lessons.wording import fill, parse, plain
from tokexplorer.session import Session, Settings
from tokexplorer.timeline.snapshots import Snapshot
from tokexplorer.tokenizers.base import Tokenizer
from tokexplorer.tokenizers.baselines import CharacterTokenizer, WordTokenizer
from tokexplorer.tui.actions import EXPLORER

LESSONS = load_lessons()
ACTIONS = {action.id for action in EXPLORER}
TOKENIZERS = ("own", "gpt2", "r50k_base", "cl100k_base", "o200k_base", "characters", "words")
ROOM = 30
"""Characters of a title that fit the panel."""
SHORT = 380
"""Characters of a text that are read at once."""

GOOD = """
title = "A lesson"
about = "What it is about."

[[steps]]
text = "The text `aaaaa` has {n} tokens. Press {key.step}."
values.n = { fact = "corpus_tokens" }
claims = [{ fact = "pair_count", pair = ["a", "a"], is = 4 }]
[steps.stage]
text = "aaaaa"
split = "none"
[steps.task]
do = "Press {key.step}."
press = ["step"]
until = [{ fact = "step", is = 1 }]
[steps.then]
text = "Now it has {n}."
values.n = { fact = "corpus_tokens" }

[[steps]]
text = "And next?"
[steps.stage]
step = 1
[steps.guess]
ask = "Which?"
answer = { fact = "next_pair" }
hint = "The first."
options = [{ text = "`aa` + `aa`", is = ["aa", "aa"] }, { text = "`aa` + `a`", is = ["aa", "a"] }]
[steps.then]
text = "Right."
stage.step = 2

[[steps]]
text = "Last."
[steps.guess]
ask = "How many a's?"
answer = { fact = "letters", text = "aaaaa", letter = "a" }
hint = "Count."
"""


def moment_at(snapshot: Snapshot) -> Moment:
    def find(name: str) -> Tokenizer:
        if name == "own":
            return snapshot.tokenizer()
        if name == "words":
            return WordTokenizer(snapshot.corpus.chunks, snapshot.corpus.split)
        return CharacterTokenizer() if name == "characters" else find_tokenizer(name)

    return Moment(snapshot, find)


def opened(text: str, **settings: object) -> tuple[Session, Moment]:
    session = Session(Settings(**settings))  # type: ignore[arg-type]
    return session, moment_at(session.open([TextDocument("text", text.encode("utf-8", "surrogateescape"))]))


def test_all_lessons_are_there_in_order() -> None:
    assert [lesson.number for lesson in LESSONS] == list(range(1, 14))
    assert all(5 <= len(lesson.steps) <= 10 for lesson in LESSONS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_lesson_names_only_what_exists_and_says_only_what_is_checked(lesson: Lesson) -> None:
    assert names_unknown(lesson, ACTIONS.__contains__, TOKENIZERS.__contains__) == []
    assert unbacked(lesson) == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_a_lesson_is_short_enough_to_be_read_beside_the_panes(lesson: Lesson) -> None:
    assert len(lesson.title) <= ROOM
    for step in lesson.steps:
        for text in texts(step):
            assert len(plain(fill(text, dict.fromkeys(re.findall(r"\{([a-z_]+)", text), 12345), str))) <= SHORT


def test_every_lesson_asks_for_a_guess_and_for_hands() -> None:
    for lesson in LESSONS:
        assert any(step.guess for step in lesson.steps), lesson.id
        assert any(step.task for step in lesson.steps), lesson.id


def test_every_kind_of_fact_is_documented_with_its_arguments() -> None:
    document = resources.files("tokexplorer.lessons").joinpath("SCHEMA.md").read_text(encoding="utf-8")
    lines = {match[1]: match[0] for match in re.finditer(r"^- `([a-z_]+)`.*$", document, re.MULTILINE)}
    assert set(lines) == set(FACTS)
    for name, fact in FACTS.items():
        assert all(argument in lines[name] for argument in (*fact.needed, *fact.optional)), name


def test_every_kind_of_fact_is_used_by_a_lesson() -> None:
    source = "".join(
        entry.read_text(encoding="utf-8")
        for entry in resources.files("tokexplorer.lessons").joinpath("en").iterdir()
        if entry.name.endswith(".toml")
    )
    assert {name for name in FACTS if f'fact = "{name}"' not in source} == set()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('title = "A lesson"', "title = 3", "bad.toml: title: must be a text"),
        ('title = "A lesson"', "", "bad.toml: title: is missing"),
        ('title = "A lesson"', 'title = "x', "bad.toml: Illegal character"),
        ('about = "What', 'abuot = "What', "bad.toml: about: is missing"),
        ('title = "A lesson"', 'title = "A"\nbout = 1', "bad.toml: bout: is not known here; did you mean about?"),
        ('"corpus_tokens" }\nclaims', '"corpus_tokns" }\nclaims', "steps[1].values.n.fact: corpus_tokns is none of"),
        ('values.n = { fact = "corpus_tokens" }\nclaims', "claims", "steps[1].text: {n} is not among its values"),
        ("has {n} tokens", "has tokens", "steps[1].values.n: is not used in the text"),
        ("`aaaaa` has", "`aaaaa has", "steps[1].text: a stray `"),
        ("is = 4", "is = 4, has = 4", "steps[1].claims[1]: a claim has one of"),
        (", is = 4", "", "steps[1].claims[1]: a claim has one of is, is_not, at_least"),
        ('pair = ["a", "a"]', 'pair = ["a"]', "steps[1].claims[1].pair: must be a list of two texts"),
        ('pair = ["a", "a"]', 'pear = ["a", "a"]', "steps[1].claims[1].pear: pair_count takes pair"),
        ('pair = ["a", "a"], ', "", "steps[1].claims[1].pair: is missing"),
        ('split = "none"', "split = 1", "steps[1].stage.split: must be a text"),
        ('split = "none"', 'ties = "none"', "steps[1].stage.ties: none is none of first, lowest"),
        ('split = "none"', 'sample = "english.txt"', "steps[1].stage.sample: only one of text, counts, sample"),
        ('split = "none"', 'shows = ["id"]', "steps[1].stage.shows: id is none of ids, group, chunks"),
        ('split = "none"', "step = -1", "steps[1].stage.step: must be at least 0"),
        ('split = "none"', "step = true", "steps[1].stage.step: must be a whole number"),
        ('split = "none"', "stepp = 1", "steps[1].stage.stepp: is not known here; did you mean step?"),
        ('text = "aaaaa"\n', "", "steps[1].stage: the first step must open one of text, counts"),
        ('text = "aaaaa"\n', "counts = { a = 0 }\n", "steps[1].stage.counts.a: must be at least 1"),
        ('text = "aaaaa"\n', 'languages = ["Latin"]\n', "steps[1].stage.languages: there is no paragraph in Latin"),
        ('press = ["step"]', "", "steps[1].task.press: is missing"),
        ('do = "Press {key.step}."', 'do = "Press {n}."', "steps[1].task.do: {n}: values can be filled in only"),
        ('until = [{ fact = "step", is = 1 }]', "", "steps[1].task.until: there is no condition"),
        ('answer = { fact = "next_pair" }', "", "steps[2].guess.answer: is missing"),
        (', is = ["aa", "a"] }]', " }]", "steps[2].guess.options[2]: an option has at least one of"),
        (', { text = "`aa` + `a`", is = ["aa", "a"] }]', "]", "steps[2].guess.options: there must be 2 to 5"),
        ("[steps.guess]\nask = \"How", '[steps.then]\ntext = "x"\n[steps.guess]\nask = "How', ""),
        ('text = "Last."', 'text = ""', "steps[3].text: is empty"),
        ('text = "Last."\n[steps.guess]', '[steps.guess]', "steps[3].text: is missing"),
    ],
)
def test_a_file_against_the_schema_is_refused_with_file_and_key(old: str, new: str, words: str) -> None:
    source = GOOD.replace(old, new, 1)
    assert source != GOOD
    if not words:
        assert read_lesson("good.toml", source).steps[2].then is not None
        return
    with pytest.raises(InputError) as caught:
        read_lesson("bad.toml", source)
    message = str(caught.value)
    assert words in message
    assert message.startswith("bad.toml: ")
    assert "\n" not in message


def test_a_language_without_lessons_is_refused() -> None:
    with pytest.raises(InputError, match="no lessons in the language tlh"):
        load_lessons("tlh")


@pytest.mark.parametrize(
    ("relation", "operand", "true"),
    [
        ("is", ["aa", "aa", "a"], True),
        ("is", ["aa", "aa"], False),
        ("is_not", ["aaaaa"], True),
        ("has", "a", True),
        ("has", "aaa", False),
        ("lacks", "aaa", True),
        ("begins", ["aa", "aa"], True),
        ("begins", ["a"], False),
        ("is", Question("tokens", {"text": "aaaaa", "tokenizer": "own"}), True),
    ],
)
def test_relations(relation: str, operand: list[str], true: bool) -> None:
    session, _ = opened("aaaaa", split="none")
    moment = moment_at(session.step())
    claim = Claim(Question("tokens"), relation, operand, "here")  # type: ignore[arg-type]
    assert holds(claim, moment) is true
    number = Claim(Question("count"), "at_least", 3, "here")
    assert [holds(replace(number, operand=n), moment) for n in (2, 3, 4)] == [True, True, False]
    assert [holds(replace(number, relation="at_most", operand=n), moment) for n in (2, 3, 4)] == [False, True, True]


def test_a_wrong_claim_is_told_with_its_place_and_what_is_true() -> None:
    lesson = read_lesson("wrong.toml", GOOD.replace("is = 4", "is = 2"))
    _, snapshot = arrange(None, stage_at(lesson, 0))
    [line] = untrue(lesson.steps[0].telling.claims, moment_at(snapshot))
    assert line == "wrong.toml: steps[1].claims[1]: pair_count(pair=['a', 'a']) is 4; claimed: is 2"


def test_a_claim_that_cannot_be_asked_or_compared_is_told_too() -> None:
    _, moment = opened("aaaaa")
    lines = untrue(
        [
            Claim(Question("merge", {"step": 1}), "is", ["a", "a"], "here"),
            Claim(Question("tokens"), "at_least", 3, "there"),
            Claim(Question("tokens", {"text": "a", "tokenizer": "gpt9"}), "is", 3, "yonder"),
        ],
        moment,
    )
    assert lines[0] == "here: merge(step=1): step 1 has not been made: we are at step 0"
    assert lines[1].startswith("there: at_least does not compare")
    assert lines[2].startswith("yonder: ")
    assert "gpt9" in lines[2]


def recount(words: list[list[str]]) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for word in words:
        for pair in itertools.pairwise(word):
            counts[pair] = counts.get(pair, 0) + 1
    return counts


@given(st.text("ab c", min_size=2, max_size=30), st.integers(0, 6))
def test_answers_on_pairs_are_those_of_a_plain_recount(text: str, steps: int) -> None:
    session, _ = opened(text, split="none")
    snapshot = session.step(steps)
    moment = moment_at(snapshot)
    tokens = ask(Question("tokens", {"text": text, "tokenizer": "own"}), moment)
    assert isinstance(tokens, list)
    assert "".join(map(str, tokens)) == text
    counts = recount([[str(token) for token in tokens]])
    for (left, right), count in counts.items():
        assert ask(Question("pair_count", {"pair": [left, right]}), moment) == count
    assert ask(Question("pair_count", {"pair": ["x", "y"]}), moment) == 0
    if counts:
        best = max(counts.values())
        first = next(pair for pair in counts if counts[pair] == best)
        assert ask(Question("next_pair"), moment) == list(first)
        assert ask(Question("next_count"), moment) == best
        assert ask(Question("tied"), moment) == sum(count == best for count in counts.values())
        assert ask(Question("tied_pairs"), moment) == ["".join(p) for p in counts if counts[p] == best]


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_answers_on_tokenizers_name_every_token(name: str) -> None:
    _, moment = opened("x")
    tokenizer = find_tokenizer(name)
    for text in ("1234567", " SolidGoldMagikarp", "HOW'S it", "héllo 🙂", "        return x", "<|endoftext|>"):
        arguments = {"text": text, "tokenizer": name}
        ids = list(tokenizer.encode(text.encode()).ids)
        assert ask(Question("ids", arguments), moment) == ids
        assert ask(Question("count", arguments), moment) == len(ids)
        names = ask(Question("tokens", arguments), moment)
        assert isinstance(names, list)
        spelled = [bytes.fromhex(n[1:-1]) if str(n).startswith("‹") else str(n).encode() for n in map(str, names)]
        assert spelled == [tokenizer.token_bytes(i) for i in ids]
    assert ask(Question("tokens", {"text": "<|endoftext|>", "tokenizer": name, "special": "token"}), moment) == [
        "<|endoftext|>"
    ]


def test_stages_add_up_until_something_is_opened() -> None:
    lesson = read_lesson("good.toml", GOOD)
    assert stage_at(lesson, 0).step is None
    assert (stage_at(lesson, 1).text, stage_at(lesson, 1).split, stage_at(lesson, 1).step) == ("aaaaa", "none", 1)
    assert stage_at(lesson, 1, revealed=True).step == 2
    assert stage_at(lesson, 2).step == 2
    other = read_lesson("good.toml", GOOD.replace('text = "Last."', 'text = "Last."\nstage.text = "b"'))
    assert (stage_at(other, 2).text, stage_at(other, 2).split, stage_at(other, 2).step) == ("b", None, None)
    split = read_lesson("good.toml", GOOD.replace('text = "Last."', 'text = "Last."\nstage.split = "gpt2"'))
    assert (stage_at(split, 2).text, stage_at(split, 2).step) == ("aaaaa", None)


def test_a_stage_is_reached_from_wherever_the_reader_has_gone() -> None:
    lesson = read_lesson("good.toml", GOOD)
    session, snapshot = arrange(None, stage_at(lesson, 1))
    assert snapshot.step == 1
    session.step()
    again, snapshot = arrange(session, stage_at(lesson, 1))
    assert again is session
    assert (snapshot.step, snapshot.stop) == (1, None)
    session.goto(0)
    last = session.snapshot().candidates[-1]
    session.merge(last.left, last.right)
    session.goto(0)
    session.step()
    session.merge(session.snapshot().candidates[-1].left, session.snapshot().candidates[-1].right)
    fresh, snapshot = arrange(session, stage_at(lesson, 1))
    assert fresh is not session
    assert not any(row.chosen for row in snapshot.merges)
    session.configure(Settings(split="gpt2"))
    assert arrange(session, stage_at(lesson, 1))[1].corpus.split.name == "none"


def test_a_stage_out_of_reach_is_told() -> None:
    lesson = read_lesson("far.toml", GOOD.replace("step = 1\n[steps.guess]", "step = 99\n[steps.guess]"))
    with pytest.raises(InputError, match="step 99 cannot be reached"):
        arrange(None, stage_at(lesson, 1))
    with pytest.raises(InputError, match=r"sample text nowhere\.txt is missing"):
        arrange(None, replace(stage_at(lesson, 0), text=None, sample="nowhere.txt"))


@pytest.mark.parametrize("text", ["a `b", "a * b", "a {b", "a} b", "{A}", "`{", "*a\n\nb*"])
def test_marks_that_are_not_closed_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="stray"):
        parse(text)


def test_a_text_is_filled_with_answers_and_keys() -> None:
    text = "`[red]x` is {n}:\n{list} or {list:+}.\n\n*Press* {key.step}"
    found = fill(text, {"n": 1234, "list": ["a", " b"]}, lambda action: action.upper())
    assert plain(found) == "[red]x is 1,234: a  b or a +  b.\n\nPress STEP"
    assert [piece.kind for piece in found[0] if piece.text == "[red]x"] == ["literal"]


def walked(number: int) -> tuple[Walk, Callable[[], Moment]]:
    walk = Walk(read_lesson("good.toml", GOOD), number)

    def arrive() -> Moment:
        moment = moment_at(arrange(None, walk.stage)[1])
        walk.arrive(moment)
        return moment

    arrive()
    return walk, arrive


def test_a_walk_waits_for_the_task() -> None:
    walk, _ = walked(0)
    session, snapshot = arrange(None, walk.stage)
    assert not walk.moved(moment_at(snapshot))
    assert walk.waits
    moment = moment_at(session.step())
    assert walk.moved(moment)
    walk.arrive(moment)
    page = walk.page(str)
    assert "has 5 tokens" in plain(page.told)
    assert plain(page.then) == "Now it has 3."
    assert page.good
    assert not walk.waits


def test_a_walk_checks_a_chosen_answer_and_one_that_is_typed() -> None:
    walk, arrive = walked(1)
    assert not walk.choose(1)
    assert walk.wrong == {1}
    assert "The first." in plain(walk.page(str).note)
    assert walk.choose(0)
    arrive()
    assert plain(walk.page(str).then) == "Right."
    walk.go(1)
    arrive()
    assert not walk.type("x")
    assert not walk.type("4")
    assert "Not 4. Count." in plain(walk.page(str).note)
    assert walk.type(" 5 ")
    assert walk.page(str).good
    assert not walk.go(1)


@pytest.mark.parametrize(("typed", "count"), [("", 1), ("4", 2)])
def test_who_gives_up_is_told_the_answer(typed: str, count: int) -> None:
    walk, _ = walked(2)
    for _ in range(count):
        settled = walk.type(typed)
    assert settled
    page = walk.page(str)
    assert plain(page.note) == "It is 5."
    assert not page.good


def test_the_tokenizers_of_a_lesson_are_known_before_it_begins() -> None:
    assert tokenizers_named(LESSONS[1]) == {"own", "characters", "gpt2", "o200k_base"}


def test_progress_is_kept_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "state" / "lessons.json"
    assert progress_file.load(path) == Progress()
    progress = Progress().at("01_a", 3).done("02_b").at("03_c", 1)
    progress_file.save(progress, path)
    assert progress_file.load(path) == progress
    assert progress.finished == {"02_b"}
    assert progress.steps == {"01_a": 3, "02_b": 0, "03_c": 1}
    assert progress.last == "03_c"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"version": 2, "finished": [], "steps": {}, "last": ""}',
        b'{"version": 1, "finished": [1], "steps": {}, "last": ""}',
        b'{"version": 1, "finished": [], "steps": {"a": -1}, "last": ""}',
        b'{"version": 1, "finished": [], "steps": {"a": true}, "last": ""}',
        b'{"version": 1, "finished": [], "steps": [], "last": ""}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_progress_that_is_none_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "lessons.json"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"lessons\.json: is not the progress of lessons"):
        progress_file.load(path)


def test_progress_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        progress_file.load(tmp_path)
