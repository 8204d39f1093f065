"""Answers that are judged beside scans: marks are planted, and all that reached a rater's browser is searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from db import Database
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.blinding.journey import Stage, Visitor
from tests.blinding.marked_study import (
    CANDIDATES,
    HIDDEN_WORDS,
    ITEMS,
    OBSERVED,
    STUDY,
    MarkedStudy,
    machine_names,
    mark,
    own_marks_by_prompt,
    shown,
    write_marked_folder,
)
from tests.blinding.serving import ServedStudy, serve_marked
from tests.blinding.transcript import marks_in, words_in
from tests.situations import Situation, owner_of, signed_in

pytestmark = pytest.mark.browser

READ_THEN_JUDGE = f"""
blindread: 2
name: {STUDY}
title: Study {shown("title")}
instructions: Look at every item. {shown("instructions")}
phases:
  - key: {mark("read").lower()}
    title: Reads
    rates: items
    shows: [scans, prior, vignette, age, prompt, options]
    form: {{answer: as_item}}
  - key: {mark("judge").lower()}
    title: Judging
    question: Does it say the same as the reference?
    rates: candidates
    shows: [scans, prompt, reference, candidate]
    form: {{verdict: correctness}}
"""


@dataclass(frozen=True)
class Journey:
    """All that reached a rater, a stage for each item."""

    reads: list[Stage]
    judging: list[Stage]
    names: frozenset[str]


def marked_judging(database: Database, folder: Path) -> MarkedStudy:
    """Import the marked tables with a protocol that lists its phases, and freeze them; nobody has done anything."""
    admin = owner_of(database)
    write_marked_folder(folder)
    (folder / "protocol.yaml").write_text(READ_THEN_JUDGE, encoding="utf-8")
    importing.import_study(database, admin, folder)
    members.invite(database, admin, STUDY, OBSERVED, "Olive Observed", "rater", specialty=mark("specialty"))
    freezing.freeze_study(database, admin, STUDY)
    rater = signed_in(database, OBSERVED)
    return MarkedStudy(Situation(database, STUDY, admin, (rater,), admin), rater, rater, machine_names(database))


@pytest.fixture(scope="module")
def journey(migrated_sqlite, tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Journey]:
    """One rater reads everything, then judges every answer."""
    with serve_marked(migrated_sqlite, tmp_path_factory.mktemp("judged"), marked_judging) as serving:
        rater = Visitor(browser, serving)
        try:
            rater.come_in(OBSERVED)
            yield Journey(_work_through(rater, "part-1"), _work_through(rater, "part-2"), _names(serving))
        finally:
            rater.close()


def _names(serving: ServedStudy) -> frozenset[str]:
    return serving.study.machine_names


def _work_through(rater: Visitor, queue: str) -> list[Stage]:
    begun = len(rater.stages)
    with rater.stage(queue) as stage:
        rater.enter(queue)
        stage.shown = _words(rater)
    while not rater.is_done():
        with rater.stage(queue) as stage:
            rater.fill_in()
            rater.hand_in()
            stage.shown = _words(rater)
    return rater.stages[begun:]


def _words(rater: Visitor) -> str:
    return " ".join(rater.words_of(place) for place in (".brief", ".cards"))


def hidden(stages: list[Stage]) -> set[str]:
    """Return the planted marks that nobody was meant to see, as far as they came."""
    return {word for stage in stages for word in marks_in(stage.chunks) if word.startswith(mark("")[:8])}


def test_nothing_of_what_is_judged_later_reaches_who_still_reads(journey: Journey) -> None:
    assert len(journey.reads) == len(ITEMS) + 1
    assert hidden(journey.reads) == set()
    assert any(shown("vignettec1") in stage.shown for stage in journey.reads)


def test_judging_shows_the_scans_with_the_own_items_reference_and_answer_and_no_more(journey: Journey) -> None:
    answers = {
        shown(f"prompt{item}"): {mark(f"answer{key}") for key, other, _ in CANDIDATES if other == item}
        for _, item, _ in CANDIDATES
    }
    allowed: set[str] = set()

    assert len(journey.judging) == len(CANDIDATES) + 1
    for stage in journey.judging[:-1]:
        prompt = next(prompt for prompt in answers if prompt in stage.shown)
        assert any(answer in stage.shown for answer in answers[prompt])
        allowed |= own_marks_by_prompt()[prompt] | {answer for answer in answers[prompt] if answer in stage.shown}
        assert hidden([stage]) <= allowed
    assert hidden(journey.judging) <= allowed
    fetched = [chunk.origin for stage in journey.judging for chunk in stage.chunks]
    assert any("/reading/volume/" in origin for origin in fetched)


def test_no_model_no_key_and_no_name_of_the_machine_comes_with_what_is_judged(journey: Journey) -> None:
    chunks = [chunk for stage in (*journey.reads, *journey.judging) for chunk in stage.chunks]

    assert words_in(chunks, {mark("modela"), mark("modelb"), mark("read"), mark("judge"), *HIDDEN_WORDS}) == {}
    assert words_in(chunks, journey.names) == {}
