"""Which items a reviewer's queue takes along as controls: only such on which raters do agree."""

from __future__ import annotations

from pathlib import Path

from db import Database
from services.adjudication import review_queue
from services.reading import submission
from tests.situations import any_answers, on_the_desk, open_study, read_all, show, submit

PROMPT = "Prompt of i1?"


def test_an_item_that_only_one_rater_could_read_is_no_control(database: Database, tmp_path: Path) -> None:
    # As many controls are wanted as there are items, and the raters differ on one item.
    situation = open_study(database, tmp_path / "study", {"adjudication": {"instructions": "Decide.", "controls": 6}})
    first, second = situation.raters
    read_all(situation, first, by_prompt={PROMPT: "yes"})
    unreadable = on_the_desk(situation, second)
    while unreadable["prompt"] == PROMPT:
        show(situation, second, unreadable)
        submit(situation, second, unreadable, any_answers(unreadable, "no"))
        unreadable = on_the_desk(situation, second)
    submission.report_failure(database, second, unreadable["assignment"], "It could not be shown.")
    read_all(situation, second, by_prompt={PROMPT: "no"})

    added = review_queue.open_review_queue(database, situation.admin, situation.study_key)

    assert (added.flagged, added.disagreed) == (0, 1)
    assert added.controls == 6 - 1 - 1


def test_what_comes_to_the_queue_later_brings_a_control_of_its_own(database: Database, tmp_path: Path) -> None:
    """Without, a reviewer whose queue grows would know that what is new is contested."""
    adjudication = {"instructions": "Decide.", "controls": 1}
    situation = open_study(database, tmp_path / "study", {"adjudication": adjudication})
    first, second = situation.raters
    read_all(situation, first)
    added = []
    for number in range(6):
        payload = on_the_desk(situation, second)
        options = next(field["options"] for field in payload["form"]["fields"] if field["key"] == "answer")
        # The first two agree, so that there is something to draw from.
        differs = number >= 2 and len(added) < 2
        show(situation, second, payload)
        submit(
            situation,
            second,
            payload,
            any_answers(payload, options[-1]["id"] if options else "other words") if differs else None,
        )
        opening = review_queue.open_review_queue(database, situation.admin, situation.study_key)
        if opening.disagreed:
            added.append(opening.controls)

    assert added == [1, 1]
