"""Phases that a protocol lists: nothing but what they show is in any byte that a rater gets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlmodel import col, select

from db import Assignment, Database, Membership, Study, queries
from db.reading import Verdict
from services.errors import NotFound, ReadsOpen
from services.reading import displaying, instructions, shown_volumes, submission, worklist
from tests.blinding.columns import COMMON, OF_THE_ITEM, OF_THE_REFERENCE, change_everything_but, take_the_guards_away
from tests.listed_study import READ_THEN_JUDGE, READ_THEN_SCORE, opened_listed, work_through
from tests.situations import Situation

# Neither vignette nor age is among what the phase shows, and no item names a form.
SHOWN_IN = {
    "secret_arm": (COMMON | OF_THE_ITEM) - {"study_case.vignette", "study_case.age", "item.form"},
    "score": COMMON | {"item.prompt", "item.options", "candidate.answer"} | OF_THE_REFERENCE,
}
# Of two phases that differ in nothing but the scans, the one with them gets all that a read gets, and nothing else.
_CASES = [
    ("secret_arm", READ_THEN_SCORE, SHOWN_IN["secret_arm"]),
    ("score", READ_THEN_SCORE, SHOWN_IN["score"]),
    ("score", READ_THEN_JUDGE, SHOWN_IN["score"] | SHOWN_IN["secret_arm"]),
]


def payloads(situation: Situation, phase: str) -> bytes:
    """Return, as they would be sent, worklist, instructions and all payloads of the first rater in one phase."""
    rater, database = situation.raters[0], situation.database
    with database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == situation.study_key)).one()
        waiting = list(
            session.exec(
                select(Assignment)
                .join(Membership, col(Membership.id) == Assignment.membership_id)
                .where(Membership.person_id == rater.person_id, Assignment.phase == phase)
                .order_by(col(Assignment.position))
            )
        )
        sent = [
            displaying.assignment_payload(session, rater, study, waiting[place : place + 3], (place, len(waiting)))
            for place in range(len(waiting))
        ]
    assert sent
    desks = worklist.desks_of(database, rater)
    said = [
        instructions.of_queue(database, rater, situation.study_key, desk.queue.key)
        for desk in desks
        if not desk.waits_for
    ]
    return json.dumps(sent).encode() + repr([desks, said]).encode()


@pytest.mark.parametrize(("phase", "protocol", "shown"), _CASES, ids=["read", "score", "score beside scans"])
def test_hidden_values_can_all_change_and_not_a_byte_of_a_phase_does(
    database: Database, tmp_path: Path, phase: str, protocol: str, shown: frozenset[str]
) -> None:
    situation = opened_listed(database, tmp_path / "study", protocol)
    if phase == "score":
        work_through(situation)
    before = payloads(situation, phase)

    changed = change_everything_but(database, shown)

    assert payloads(situation, phase) == before
    hidden = {
        *("study_case.attributes", "item.attributes", "candidate.attributes", "candidate.model", "freeze_item.phase"),
        *("freeze_item.stratum", "study_case.subject", "item.category", "protocol.source"),
    }
    assert hidden <= set(changed)


def test_the_key_of_a_phase_is_in_nothing_that_is_sent(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_SCORE)

    sent = payloads(situation, "secret_arm")

    assert b"secret_arm" not in sent
    assert b'"phase": "reading"' in sent


def test_a_blind_phase_works_without_the_table_of_references(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_SCORE)
    before = payloads(situation, "secret_arm")

    with sqlite_database.engine.connect() as connection:
        take_the_guards_away(connection)
        connection.execute(text("DROP TABLE reference"))
        connection.commit()

    assert payloads(situation, "secret_arm") == before


def test_scans_of_a_phase_that_is_not_open_are_out_of_reach(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_SCORE)
    rater = situation.raters[0]

    with sqlite_database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == situation.study_key)).one()
        membership = session.exec(select(Membership).where(Membership.person_id == rater.person_id)).one()
        own = session.exec(
            select(Assignment).where(Assignment.membership_id == membership.id).order_by(col(Assignment.position))
        ).all()
        on_the_desk = [row.item_id for row in own if row.phase == "secret_arm"][:2]
        in_reach = {queries.shown_item(session, item).case_id for item in on_the_desk}
        # Three cases, of which two at most are on the desk or next.
        later = [queries.shown_item(session, row.item_id).case_id for row in own if row.phase == "second"]
        case = next(case for case in later if case not in in_reach)
        token = displaying.keys_of(study, rater).volume_token(queries.shown_volumes(session, case)[0].volume_id)

    with pytest.raises(NotFound, match="not available to you"):
        shown_volumes.volume_in_reach(sqlite_database, rater, token)


@pytest.mark.parametrize("protocol", [READ_THEN_SCORE, READ_THEN_JUDGE], ids=["words", "beside scans"])
def test_a_reference_is_withheld_while_anything_about_its_subject_is_open_that_is_blind_to_it(
    sqlite_database: Database, tmp_path: Path, protocol: str
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol)
    work_through(situation)
    rater = situation.raters[0]
    queue = worklist.desks_of(sqlite_database, rater)[-1].queue
    with sqlite_database.engine.connect() as connection:
        take_the_guards_away(connection)
        # As if one read of the subject, and the score of an answer about it, had not been given.
        membership = text("SELECT id FROM membership WHERE person_id = :person").bindparams(person=rater.person_id)
        member = connection.execute(membership).scalar_one()
        scored = connection.execute(
            text("SELECT item_id FROM assignment WHERE membership_id = :m AND phase = 'score' LIMIT 1").bindparams(
                m=member
            )
        ).scalar_one()
        gone = text(
            "DELETE FROM verdict WHERE assignment_id IN (SELECT id FROM assignment WHERE membership_id = :m "
            "AND item_id = :i AND phase IN ('secret_arm', 'score'))"
        ).bindparams(m=member, i=scored)
        assert connection.execute(gone).rowcount >= 2
        connection.commit()

    with pytest.raises(ReadsOpen):
        submission.current_payload(sqlite_database, rater, situation.study_key, queue.key)
    with sqlite_database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == situation.study_key)).one()
        waiting = session.exec(
            select(Assignment)
            .join(Verdict, col(Verdict.assignment_id) == Assignment.id, isouter=True)
            .where(Assignment.membership_id == member, Assignment.phase == "score", col(Verdict.id).is_(None))
        ).all()
        # Also where somebody had come to the builder of payloads itself.
        with pytest.raises(ReadsOpen):
            displaying.assignment_payload(session, rater, study, list(waiting), (0, len(waiting)))
