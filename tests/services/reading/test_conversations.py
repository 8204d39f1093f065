"""The turns of a conversation stay together in their order, and a turn shows nothing before the one before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import Assignment, Database, Item, Membership, queries
from services.adjudication import review_queue
from services.errors import Conflict, NotFound
from services.people.permission import study_of
from services.reading import displaying, previewing, shown_volumes, submission
from services.studies.membership import members
from tests.room_study import add_case, add_item, reading_rules, room_study, with_conversation
from tests.situations import Situation, answers, any_answers, on_the_desk, read_all, show, signed_in, submit

TALK = [f"Turn {turn} of the talk?" for turn in (1, 2, 3)]


def orders(database: Database) -> list[list[str]]:
    """Return the prompts of every rater in the order of reading."""
    with database.read_only() as session:
        return [
            list(
                session.exec(
                    select(Item.prompt)
                    .join(Assignment, col(Assignment.item_id) == Item.id)
                    .where(Assignment.membership_id == rater, Assignment.phase == "reading")
                    .order_by(col(Assignment.position))
                )
            )
            for rater in session.exec(select(Membership.id).where(Membership.role == "rater")).all()
        ]


def reach_turn(situation: Situation, turn: int) -> dict[str, Any]:
    """Read until a turn is on the desk of the first rater."""
    rater = situation.raters[0]
    while (payload := on_the_desk(situation, rater))["prompt"] != TALK[turn - 1]:
        show(situation, rater, payload)
        submit(situation, rater, payload)
    return payload


@pytest.mark.parametrize("order", ["random_per_rater", "as_listed"])
def test_turns_stay_together_in_order_for_every_rater(sqlite_database: Database, tmp_path: Path, order: str) -> None:
    def scattered(folder: Path) -> None:
        add_case(folder, "other")
        add_item(folder, "other-2", "other", "Second of the other?", "yes", conversation="other", turn="2")
        with_conversation(folder)
        add_item(folder, "other-1", "other", "First of the other?", "yes", conversation="other", turn="1")

    room_study(sqlite_database, tmp_path / "study", scattered, protocol=reading_rules(order=order, subject_distance=1))

    drawn = orders(sqlite_database)
    for prompts in drawn:
        place = prompts.index(TALK[0])
        assert prompts[place : place + 3] == TALK
        place = prompts.index("First of the other?")
        assert prompts[place + 1] == "Second of the other?"
    if order == "random_per_rater":
        assert drawn[0] != drawn[1]


def test_nothing_of_the_next_turn_is_sent_or_in_reach_before_its_time(database: Database, tmp_path: Path) -> None:
    situation = room_study(database, tmp_path / "study", with_conversation)
    rater = situation.raters[0]

    first = reach_turn(situation, 1)
    show(situation, rater, first)
    submit(situation, rater, first, any_answers(first, "yes"))
    second = on_the_desk(situation, rater)

    assert (first["prefetch"], first["turns"]) == ([], [])
    assert TALK[1] not in json.dumps(first)
    assert second["prompt"] == TALK[1]
    assert second["turns"] == [{"prompt": TALK[0], "lines": [["Answer", "Yes"]]}]
    t1, t2 = (volume["url"] for volume in second["images"]["panes"][0]["volumes"])
    assert t1 in json.dumps(first)
    assert t2 not in json.dumps(first)


def test_the_volume_that_a_turn_adds_is_out_of_reach_until_then(database: Database, tmp_path: Path) -> None:
    situation = room_study(database, tmp_path / "study", with_conversation)
    rater = situation.raters[0]
    payload = reach_turn(situation, 1)
    preview = previewing.preview_item(database, situation.admin, "tiny", "talk-2")
    with database.read_only() as session:
        keys = displaying.keys_of(study_of(session, "tiny"), rater)
        second = session.exec(select(Item).where(Item.key == "talk-2")).one()
        volumes = [
            volume.volume_id for volume in queries.shown_volumes(session, second.case_id) if volume.label == "T2"
        ]
    token = keys.volume_token(volumes[0])

    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(database, rater, token)
    show(situation, rater, payload)
    submit(situation, rater, payload)
    assert shown_volumes.volume_in_reach(database, rater, token).is_file()
    assert preview["turns"] == [{"prompt": TALK[0], "lines": []}]


def test_a_later_turn_takes_no_verdict_before_the_one_before_it(database: Database, tmp_path: Path) -> None:
    situation = room_study(database, tmp_path / "study", with_conversation)
    rater = situation.raters[0]
    reach_turn(situation, 1)
    with database.read_only() as session:
        later = session.exec(
            select(Assignment.public_id)
            .join(Item, col(Item.id) == Assignment.item_id)
            .where(Item.key == "talk-2", Assignment.phase == "reading")
            .order_by(col(Assignment.id))
        ).first()
    assert later is not None

    with pytest.raises(Conflict, match="You have moved on to another item"):
        submission.submit(database, rater, later, "k", answers(answer="yes"))


def test_a_turn_whose_volumes_could_not_be_shown_lets_the_next_one_come(database: Database, tmp_path: Path) -> None:
    situation = room_study(database, tmp_path / "study", with_conversation)
    rater = situation.raters[0]
    first = reach_turn(situation, 1)

    submission.report_failure(database, rater, first["assignment"], "no scan")

    assert on_the_desk(situation, rater)["turns"] == [{"prompt": TALK[0], "lines": []}]


def test_a_reviewer_gets_the_turns_in_order_with_their_own_answers(database: Database, tmp_path: Path) -> None:
    rules = {"adjudication": {"instructions": "Read it yourself first.", "controls": 0}}
    situation = room_study(database, tmp_path / "study", with_conversation, protocol=rules)
    flagged = {**answers(answer="no"), "flag": {"id": "prompt", "note": ""}}
    for rater in situation.raters:
        read_all(situation, rater, by_prompt={TALK[0]: flagged, TALK[2]: flagged})
    review_queue.open_review_queue(database, situation.admin, "tiny")

    seen = []
    while (payload := on_the_desk(situation, situation.reviewer, "review"))["kind"] == "item":
        seen.append((payload["phase"], payload["prompt"], payload["turns"]))
        show(situation, situation.reviewer, payload)
        submit(situation, situation.reviewer, payload, any_answers(payload, "yes"))

    talked = [(phase, prompt, turns) for phase, prompt, turns in seen if "talk" in prompt]
    assert [prompt for phase, prompt, _ in talked if phase == "review"] == [TALK[0], TALK[2]]
    assert talked[2][2] == [{"prompt": TALK[0], "lines": [["Answer", "Yes"]]}, {"prompt": TALK[1], "lines": []}]


# ---- the reviewers' queue --------------------------------------------------------------------------------------------

FLAGGED = {**answers(answer="no"), "flag": {"id": "prompt", "note": ""}}
NO_CONTROLS = {"adjudication": {"instructions": "Read it yourself first.", "controls": 0}}


def queued(database: Database) -> dict[str, int]:
    """Return who has which item in their queue, in the order of the queue."""
    with database.read_only() as session:
        rows = session.exec(
            select(Item.prompt, Assignment.membership_id)
            .join(Assignment, col(Assignment.item_id) == Item.id)
            .where(Assignment.phase == "review")
            .order_by(col(Assignment.membership_id), col(Assignment.position))
        )
        return dict(rows.all())


def read_by_somebody_who_joins_later(situation: Situation, says: dict[str, object]) -> None:
    members.invite(situation.database, situation.admin, "tiny", "rater-3", "Rater-3", "rater")
    read_all(situation, signed_in(situation.database, "rater-3"), by_prompt=says)


def test_a_conversation_comes_into_the_queue_only_when_all_its_turns_are_closed(
    database: Database, tmp_path: Path
) -> None:
    situation = room_study(database, tmp_path / "study", with_conversation, protocol=NO_CONTROLS)
    read_all(situation, situation.raters[1], by_prompt={TALK[0]: FLAGGED, TALK[1]: FLAGGED})
    reach_turn(situation, 2)

    early = review_queue.open_review_queue(database, situation.admin, "tiny")
    read_all(situation, situation.raters[0])
    late = review_queue.open_review_queue(database, situation.admin, "tiny")

    assert (early.flagged, late.flagged) == (0, 2)
    assert list(queued(database)) == TALK[:2]


def test_a_turn_is_never_put_into_the_queue_of_somebody_who_has_a_later_one(database: Database, tmp_path: Path) -> None:
    situation = room_study(database, tmp_path / "study", with_conversation, protocol=NO_CONTROLS)
    read_all(situation, situation.raters[0], by_prompt={TALK[1]: FLAGGED})
    read_all(situation, situation.raters[1])
    review_queue.open_review_queue(database, situation.admin, "tiny")
    read_by_somebody_who_joins_later(situation, {TALK[0]: FLAGGED})

    alone = review_queue.open_review_queue(database, situation.admin, "tiny")
    with_one_reviewer = queued(database)
    members.invite(database, situation.admin, "tiny", "second", "Second Reviewer", "reviewer")
    together = review_queue.open_review_queue(database, situation.admin, "tiny")

    assert (alone.flagged, alone.out_of_turn, list(with_one_reviewer)) == (0, 1, [TALK[1]])
    assert (together.flagged, together.out_of_turn) == (1, 0)
    assert queued(database)[TALK[0]] != queued(database)[TALK[1]]


def test_a_later_turn_goes_to_the_reviewer_who_has_the_earlier_ones(database: Database, tmp_path: Path) -> None:
    situation = room_study(database, tmp_path / "study", with_conversation, protocol=NO_CONTROLS)
    for login in ("second", "third"):
        members.invite(database, situation.admin, "tiny", login, login.title(), "reviewer")
    read_all(situation, situation.raters[0], by_prompt={TALK[0]: FLAGGED, "Prompt of i1?": FLAGGED})
    read_all(situation, situation.raters[1])
    review_queue.open_review_queue(database, situation.admin, "tiny")
    read_by_somebody_who_joins_later(situation, {TALK[1]: FLAGGED, TALK[2]: FLAGGED})

    review_queue.open_review_queue(database, situation.admin, "tiny")

    assert len({queued(database)[prompt] for prompt in TALK}) == 1


def test_an_agreed_turn_of_a_conversation_in_the_queue_does_not_follow_as_a_control(
    database: Database, tmp_path: Path
) -> None:
    controls = {"adjudication": {"instructions": "Read it yourself first.", "controls": 50}}
    situation = room_study(database, tmp_path / "study", with_conversation, protocol=controls)
    first, second = situation.raters
    # Of these two there is one verdict, and so nothing that is agreed upon, until somebody joins.
    while (payload := on_the_desk(situation, first))["kind"] == "item":
        if payload["prompt"] in (TALK[0], "Prompt of i6?"):
            submission.report_failure(database, first, payload["assignment"], "no scan")
            continue
        show(situation, first, payload)
        submit(situation, first, payload, FLAGGED if payload["prompt"] == TALK[2] else None)
    read_all(situation, second)
    review_queue.open_review_queue(database, situation.admin, "tiny")
    read_by_somebody_who_joins_later(situation, {"Prompt of i6?": FLAGGED})

    added = review_queue.open_review_queue(database, situation.admin, "tiny")

    assert (added.flagged, added.controls) == (1, 0)
    assert TALK[0] not in queued(database)
