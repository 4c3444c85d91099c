"""Bringing the engine to where a step needs it: the stages of a lesson added up, and a session set up by one."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Final

from tokexplorer.analysis.languages import load_paragraphs
from tokexplorer.engine.algorithms import Algorithm
from tokexplorer.engine.alphabet import AlphabetKind
from tokexplorer.engine.choosing import TieRule
from tokexplorer.engine.corpus import Document, ShouldStop, TextDocument
from tokexplorer.engine.errors import InputError
from tokexplorer.files.sources import open_document, sample_files
from tokexplorer.lessons.lesson import Lesson, Stage
from tokexplorer.session import Session, Settings, Snapshot
from tokexplorer.timeline.branches import MAIN

OPENS: Final = ("text", "counts", "sample", "languages")
"""What a stage can open, one of them at a time."""
TRAINS: Final = ("algorithm", "alphabet", "split", "ties", "target")
PASSING: Final = ("veil", "at")
"""What holds only for the step that says it."""
TEXT_NAME: Final = "lesson"


def stage_at(lesson: Lesson, number: int, revealed: bool = False) -> Stage:
    """The whole stage of step `number` (from 0): all that the steps up to it asked for. What a stage opens begins
    afresh: nothing of the stages before it is kept. `revealed`: the step's task or guess is done."""
    found = Stage()
    for step in lesson.steps[: number + 1]:
        found = _after(found, step.stage)
        if step.reveal is not None and (revealed or step is not lesson.steps[number]):
            found = _after(found, step.reveal)
    return found


def _after(before: Stage, stage: Stage) -> Stage:
    given = {f.name: value for f in fields(Stage) if (value := getattr(stage, f.name)) is not None}
    if any(name in given for name in OPENS):
        return replace(Stage(), **given)
    changed = dict.fromkeys(PASSING)
    if any(name in given for name in TRAINS) and "step" not in given:
        changed["step"] = None
    return replace(before, **{**changed, **given})


def settings_of(stage: Stage) -> Settings:
    """The settings of training on a stage."""
    default = Settings()
    algorithm = Algorithm(stage.algorithm) if stage.algorithm else default.algorithm
    alphabet = stage.alphabet or (AlphabetKind.WORDS.value if stage.counts else default.alphabet.value)
    return Settings(
        algorithm=algorithm,
        alphabet=AlphabetKind(alphabet),
        split=stage.split or ("words" if stage.counts else default.split),
        ties=TieRule(stage.ties) if stage.ties else default.ties,
        target=stage.target,
    ).suited()


def document_of(stage: Stage) -> Document:
    """What a stage opens. InputError where a sample is not there."""
    if stage.counts is not None:
        lines = "".join(f"{word}\t{count}\n" for word, count in stage.counts.items())
        return TextDocument(f"{TEXT_NAME}.tsv", lines.encode())
    if stage.sample is not None:
        for path in sample_files():
            if path.name == stage.sample:
                return open_document(str(path))
        raise InputError(f"the sample text {stage.sample} is missing")
    if stage.languages is not None:
        texts = {paragraph.name: paragraph.text for paragraph in load_paragraphs()}
        return TextDocument(TEXT_NAME, "\n\n".join(texts[name] for name in stage.languages).encode())
    return TextDocument(TEXT_NAME, (stage.text or "").encode())


def arrange(session: Session | None, stage: Stage, should_stop: ShouldStop | None = None) -> tuple[Session, Snapshot]:
    """A session at a stage: the one given where it has the same text and settings, else a new one.

    Raises InputError where the stage cannot be reached, Cancelled.
    """
    document, settings = document_of(stage), settings_of(stage)
    usable = session is not None and session.documents == (document,) and session.settings == settings
    snapshot = session.snapshot() if session is not None and usable else None
    if session is None or snapshot is None or _has_branched(snapshot):
        session, snapshot = _open(document, settings, stage, should_stop)
    wanted = stage.step or 0
    if snapshot.step != wanted:
        snapshot = session.goto(wanted, should_stop)
    if snapshot.stop is not None and snapshot.step == wanted:
        snapshot = session.goto(wanted)  # a step that is known already, so that no run is told of
    if snapshot.step != wanted:
        raise InputError(f"step {wanted} cannot be reached: the text has no more than {snapshot.step} merges")
    return session, snapshot


def _has_branched(snapshot: Snapshot) -> bool:
    """Whether the reader has merged pairs of choice, so that its steps are not those that the lesson tells of."""
    return snapshot.branch != MAIN or len(snapshot.branches) > 1 or any(row.chosen for row in snapshot.merges)


def _open(
    document: Document, settings: Settings, stage: Stage, should_stop: ShouldStop | None
) -> tuple[Session, Snapshot]:
    session = Session(settings)
    word_counts = None if stage.sample is not None else stage.counts is not None
    snapshot = session.open([document], should_stop=should_stop, word_counts=word_counts)
    if session.settings != settings:
        snapshot = session.configure(settings, should_stop=should_stop)
    return session, snapshot
