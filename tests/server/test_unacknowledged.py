"""The reading room's routes give and take nothing of a part whose instructions its reader has not acknowledged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select
from starlette.testclient import TestClient

from db import Acknowledgement, Assignment, Database, Display, Membership, Person, TechnicalFailure, Verdict
from db.base import stored_id
from db.engine import database_from_environment
from services.people import identity
from services.reading import instructions
from tests.room_study import reading_rules, room_study
from tests.server.test_statements import client_of
from tests.situations import Situation, any_answers, on_the_desk

REFUSED = {"error": "Read and acknowledge the instructions of this part first; reload the page.", "instructions": True}
ASKED = ("revisable", "scans")
POSTED = ("shown", "verdict", "failure", "reopen", "resume")


@pytest.fixture
def situation(sqlite_url: str, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Situation]:
    """A study that asks for consent, served by the routes of this process."""
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    monkeypatch.setenv("BLINDREAD_DATA_DIR", str(data_dir))
    database_from_environment.cache_clear()
    database = database_from_environment()
    yield room_study(database, tmp_path / "study", protocol={**reading_rules(revision="study"), "consent": "I agree."})
    database.engine.dispose()
    database_from_environment.cache_clear()


def requests_about(assignment: str, key: str, answers: dict[str, Any], client: TestClient) -> list[tuple[int, Any]]:
    """Ask everything that the room may ask about an assignment."""
    body = {"assignment": assignment, "key": key, "sequence": 1, "answers": answers, "load_ms": 1, "reason": "none"}
    given = [client.get(f"/reading/{route}", params={"assignment": assignment}) for route in ASKED]
    given += [client.post(f"/reading/{route}", json=body) for route in POSTED]
    return [(answer.status_code, answer.json()) for answer in given]


def own_assignments(database: Database, login: str) -> list[Assignment]:
    with database.read_only() as session:
        mine = select(Assignment).join(Membership).join(Person).where(Person.login == login)
        return list(session.exec(mine.order_by(col(Assignment.position))))


def test_without_the_acknowledgement_no_item_is_sent_and_nothing_of_one_is_stored(situation: Situation) -> None:
    database, client = situation.database, client_of(situation.database, "rater-1")
    first, second, *_ = own_assignments(database, "rater-1")
    key = on_the_desk(situation, situation.raters[0])["key"]

    answers = [
        answer
        for assignment in (first, second)
        for answer in requests_about(assignment.public_id, key, {"fields": {"answer": "yes"}}, client)
    ]

    assert answers == [(409, REFUSED)] * len(answers)
    with database.read_only() as session:
        for table in (Acknowledgement, Display, Verdict, TechnicalFailure):
            assert session.exec(select(table)).all() == []


def test_a_draft_is_answered_with_nothing_of_the_item_that_is_on_the_desk(situation: Situation) -> None:
    client = client_of(situation.database, "rater-1")
    _, second, *_ = own_assignments(situation.database, "rater-1")

    waiting = client.post("/reading/draft", json={"assignment": second.public_id, "sequence": 1, "answers": {}})

    assert (waiting.status_code, waiting.json()["next"]) == (409, None)


def test_once_acknowledged_the_same_requests_are_answered(situation: Situation) -> None:
    client = client_of(situation.database, "rater-1")
    reader = identity.actor_of_token(situation.database, client.cookies["blindread-default"])
    assert reader is not None
    instructions.acknowledge_instructions(situation.database, reader, situation.study_key, "reading")
    payload = on_the_desk(situation, reader)
    body = {"assignment": payload["assignment"], "key": payload["key"], "answers": any_answers(payload)}

    shown = client.post("/reading/shown", json=body)
    verdict = client.post("/reading/verdict", json=body)

    assert (shown.status_code, verdict.status_code) == (200, 200)
    assert verdict.json()["next"]["kind"] == "item"


def test_instructions_that_say_something_else_by_now_are_acknowledged_before_anything_is_sent(
    situation: Situation,
) -> None:
    database, client = situation.database, client_of(situation.database, "rater-1")
    first = own_assignments(database, "rater-1")[0]
    with database.writing() as session:
        own = session.get_one(Membership, first.membership_id)
        earlier = {"phase": "reading", "group_key": own.group_key, "text_sha256": "of what it said before"}
        session.add(Acknowledgement(membership_id=stored_id(own.id), **earlier))

    before = client.get("/reading/scans", params={"assignment": first.public_id})
    instructions.acknowledge_instructions(database, situation.raters[0], situation.study_key, "reading")
    after = client.get("/reading/scans", params={"assignment": first.public_id})

    assert (before.status_code, before.json()) == (409, REFUSED)
    assert (after.status_code, set(after.json())) == (200, {"images", "prefetch"})


def test_somebody_elses_assignment_is_as_unknown_as_before(situation: Situation) -> None:
    client = client_of(situation.database, "rater-1")
    other = own_assignments(situation.database, "rater-2")[0].public_id

    assert requests_about(other, "k", {}, client) == requests_about("nobodys", "k", {}, client)
    assert {status for status, _ in requests_about(other, "k", {}, client)} == {404}
