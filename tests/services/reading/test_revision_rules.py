"""What may be revised, and until when: the study's rule, its data lock, references, reviewers and later turns."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.adjudication import review_queue
from services.errors import Conflict, NotAllowed, NotFound
from services.progress import data_lock
from services.reading import instructions, revising
from tests.room_study import reading_rules, room_study, with_conversation
from tests.services.reading.revisable import FLAGGED, chain_of, read_item, revisable_study
from tests.situations import (
    on_the_desk,
    read_all,
    show,
    signed_in,
    submit,
)


def test_the_rule_says_how_long_a_verdict_may_be_revised(database: Database, tmp_path: Path) -> None:
    for rule, in_session, later in (("never", None, None), ("session", 1, 0), ("study", 1, 1)):
        situation = room_study(
            database, tmp_path / rule, protocol={**reading_rules(revision=rule), "name": rule}, key=rule
        )
        rater = situation.raters[0]
        payload, _ = read_item(situation, rater)
        again = signed_in(database, "rater-1")

        assert on_the_desk(situation, rater)["revisable"] == in_session
        assert on_the_desk(situation, again)["revisable"] == later
        assert len(revising.list_revisable(database, rater, payload["assignment"])) == (in_session or 0)
        for actor, allowed in ((rater, in_session), (again, later)):
            if not allowed:
                with pytest.raises(Conflict, match="can no longer be revised"):
                    revising.reopen(database, actor, payload["assignment"])


def test_a_closed_study_takes_no_revision_also_when_it_was_reopened_before(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload, first = read_item(situation, rater)
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    data_lock.close_study(database, situation.admin, "tiny")

    with pytest.raises((Conflict, NotAllowed)):
        submit(situation, rater, again, FLAGGED)
    with pytest.raises(Conflict):
        revising.reopen(database, rater, payload["assignment"])

    assert len(chain_of(database, first.receipt)) == 1


def test_nothing_is_revised_once_references_are_shown(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    rater = situation.raters[0]
    read_all(situation, rater)
    assert on_the_desk(situation, rater)["revisable"] == 6
    [first, *_] = revising.list_revisable(database, rater, on_the_desk(situation, rater)["assignment"])
    with pytest.raises(Conflict, match="instructions"):
        on_the_desk(situation, rater, "scoring")
    assert instructions.of_queue(database, rater, "tiny", "scoring").settles == instructions.SETTLED

    instructions.acknowledge_instructions(database, rater, "tiny", "scoring")

    assert on_the_desk(situation, rater, "scoring")["phase"] == "scoring"
    assert revising.list_revisable(database, rater, first["assignment"]) == []
    with pytest.raises(Conflict, match="can no longer be revised"):
        revising.reopen(database, rater, first["assignment"])


def test_scoring_cannot_be_begun_in_passing_before_the_last_read(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater)

    with pytest.raises(Conflict, match="once you have read all your items"):
        instructions.acknowledge_instructions(database, rater, "tiny", "scoring")

    assert revising.reopen(database, rater, payload["assignment"])["revision"] is not None


def test_the_reviewers_queue_ends_revision_for_every_item_alike(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    for rater in situation.raters:
        read_all(situation, rater, by_prompt={"Prompt of i1?": FLAGGED})
    assert on_the_desk(situation, situation.raters[0])["revisable"] == 6

    review_queue.open_review_queue(database, situation.admin, "tiny")

    assert on_the_desk(situation, situation.raters[0])["revisable"] == 0


def test_reviews_and_decisions_and_others_verdicts_are_never_reopened(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    for rater in situation.raters:
        read_all(situation, rater, by_prompt={"Prompt of i1?": FLAGGED})
    review_queue.open_review_queue(database, situation.admin, "tiny")
    review = on_the_desk(situation, situation.reviewer, "review")
    show(situation, situation.reviewer, review)
    submit(situation, situation.reviewer, review)

    with pytest.raises(Conflict, match="can no longer be revised"):
        revising.reopen(database, situation.reviewer, review["assignment"])
    with pytest.raises(NotFound):
        revising.reopen(database, situation.raters[0], review["assignment"])
    assert revising.list_revisable(database, situation.reviewer, review["assignment"]) == []


def test_a_turn_that_others_follow_is_settled_and_the_last_one_is_not(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study", with_conversation)
    rater = situation.raters[0]
    read_all(situation, rater)

    done = on_the_desk(situation, rater)
    listed = {line["prompt"] for line in revising.list_revisable(database, rater, done["assignment"])}

    assert "Turn 3 of the talk?" in listed
    assert not {"Turn 1 of the talk?", "Turn 2 of the talk?"} & listed
