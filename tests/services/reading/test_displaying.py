"""One gate for all four acts: nothing but what is on the desk is shown, drafted, submitted or given up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import col, select

from db import Assignment, Database, Display, Draft, Membership, Study, TechnicalFailure, Verdict
from services.adjudication import review_queue
from services.errors import Conflict
from services.people.identity import Actor
from services.reading import displaying, submission
from tests.situations import Situation, answers, on_the_desk, open_study, read_all, show, submit

Act = Callable[[Situation, Actor, str], object]


def shown(situation: Situation, actor: Actor, public_id: str) -> object:
    return submission.record_display(situation.database, actor, public_id, load_ms=1, renderer="r", viewport="v")


def drafted(situation: Situation, actor: Actor, public_id: str) -> object:
    return submission.save_draft(situation.database, actor, public_id, 1, {"comment": "early"})


def submitted(situation: Situation, actor: Actor, public_id: str) -> object:
    with situation.database.read_only() as session:
        study = session.exec(select(Study)).one()
    key = displaying.keys_of(study, actor).idempotency_key(public_id)
    given = answers(answer="correct")
    if phase_of(situation.database, public_id) != "scoring":
        given = {**answers(), "not_assessable": "quality"}
    return submission.submit(situation.database, actor, public_id, key, given)


def given_up(situation: Situation, actor: Actor, public_id: str) -> object:
    return submission.report_failure(situation.database, actor, public_id, "It did not load.")


ACTS = pytest.mark.parametrize("act", [shown, drafted, submitted, given_up])


def phase_of(database: Database, public_id: str) -> str:
    with database.read_only() as session:
        return session.exec(select(Assignment.phase).where(Assignment.public_id == public_id)).one()


def assignment_of(situation: Situation, actor: Actor, phase: str, place: int) -> str:
    """Return the public id of one of somebody's assignments, which a browser is not told before its turn."""
    with situation.database.read_only() as session:
        rows = session.exec(
            select(Assignment.public_id)
            .join(Membership, col(Membership.id) == Assignment.membership_id)
            .where(Membership.person_id == actor.person_id, Assignment.phase == phase)
            .order_by(col(Assignment.position))
        ).all()
    return rows[place]


def rows_written(database: Database) -> list[int]:
    with database.read_only() as session:
        return [len(session.exec(select(table)).all()) for table in (Display, Draft, Verdict, TechnicalFailure)]


@ACTS
def test_a_later_item_is_refused(sqlite_database: Database, tmp_path: Path, act: Act) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    later = assignment_of(situation, rater, "reading", 3)

    with pytest.raises(Conflict, match="You have moved on to another item"):
        act(situation, rater, later)

    assert rows_written(sqlite_database) == [0, 0, 0, 0]


@ACTS
def test_an_answer_to_score_is_refused_while_items_are_unread(
    sqlite_database: Database, tmp_path: Path, act: Act
) -> None:
    """The first one is next in its own queue, and still shut: scoring shows references."""
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    first = assignment_of(situation, rater, "scoring", 0)

    with pytest.raises(Conflict, match="opens once you have read all your items"):
        act(situation, rater, first)

    assert rows_written(sqlite_database) == [0, 0, 0, 0]


@ACTS
def test_the_opinions_on_an_item_are_refused_before_the_own_read(
    sqlite_database: Database, tmp_path: Path, act: Act
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    read_all(situation, situation.raters[0])
    read_all(situation, situation.raters[1], by_prompt={"Prompt of i3?": "no", "Prompt of i6?": "no"})
    review_queue.open_review_queue(sqlite_database, situation.admin, "tiny")
    before = rows_written(sqlite_database)
    opinions = assignment_of(situation, situation.reviewer, "opinions", 0)

    with pytest.raises(Conflict, match="You have moved on to another item"):
        act(situation, situation.reviewer, opinions)

    assert rows_written(sqlite_database) == before


def test_what_is_on_the_desk_takes_all_four(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    first = on_the_desk(situation, rater)
    show(situation, rater, first)
    drafted(situation, rater, first["assignment"])
    submit(situation, rater, first)

    given_up(situation, rater, on_the_desk(situation, rater)["assignment"])

    assert rows_written(sqlite_database) == [1, 1, 1, 1]
