"""People's and models' answers in one pool: nothing but the text differs, in what is sent and in how it is read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import Assignment, Candidate, Database, Membership, Study, Verdict
from services.reading import displaying, worklist
from tests.blinding.columns import COMMON, OF_THE_ITEM, OF_THE_REFERENCE, change_everything_but, take_the_guards_away
from tests.blinding.test_listed_identity import payloads
from tests.following_study import read_through
from tests.pool_study import POOL, consulting, opened_pool, pooled_answers
from tests.server.test_statements import statements
from tests.situations import Situation

# In which group somebody is, and what is closed, say which of their parts are there and open.
STANDING = COMMON | {"membership.group_key", "acknowledgement.group_key", "phase_closing.phase"}
SHOWN = STANDING | OF_THE_ITEM | OF_THE_REFERENCE | {"candidate.answer"}
SHOWN -= {"study_case.vignette", "study_case.age", "item.form"}
FROM_WORDS = POOL.replace("shows: [scans, prompt, reference, candidate]", "shows: [prompt, reference, candidate]")


def opened_and_consulted(database: Database, folder: Path, protocol: str = POOL) -> Situation:
    """Return a study whose pool is drawn; a grader comes first among its raters."""
    situation = opened_pool(database, folder, protocol)
    first, second, *graders = situation.raters
    for reader, why in ((first, "It fits."), (second, "I have seen it before.")):
        read_through(situation, reader, {f"i{n}": consulting(why=why) for n in range(1, 7)})
    return Situation(database, situation.study_key, situation.admin, (*graders, first, second), graders[0])


def units_of(situation: Situation) -> dict[str, Assignment]:
    """Return the first grader's assignments by the key of the candidate."""
    with situation.database.read_only() as session:
        rows = session.exec(
            select(Candidate.key, Assignment)
            .join(Assignment, col(Assignment.candidate_id) == Candidate.id)
            .join(Membership, col(Membership.id) == Assignment.membership_id)
            .where(Membership.person_id == situation.raters[0].person_id, Assignment.phase == "grade")
        ).all()
    return dict(rows)


def sent_with(situation: Situation, assignment: Assignment) -> dict[str, Any]:
    """Return what is sent with one assignment."""
    with situation.database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == situation.study_key)).one()
        return dict(displaying.assignment_payload(session, situation.raters[0], study, [assignment], (0, 23)))


def of_both(situation: Situation) -> tuple[Assignment, Assignment]:
    """Return the assignments of a person's and of a model's answer to one item."""
    units = units_of(situation)
    person = next(c.key for c, item, _ in pooled_answers(situation.database) if item == "i2" and c.key in units)
    return units[person], units["k2a"]


@pytest.mark.parametrize("protocol", [POOL, FROM_WORDS], ids=["beside scans", "from words"])
def test_a_person_and_a_model_can_be_exchanged_and_not_a_byte_changes(
    database: Database, tmp_path: Path, protocol: str
) -> None:
    situation = opened_and_consulted(database, tmp_path / "study", protocol)
    person, model = of_both(situation)
    before = payloads(situation, "grade")
    assert sent_with(situation, person)["candidate"] != sent_with(situation, model)["candidate"]

    with database.engine.connect() as connection:
        take_the_guards_away(connection)
        connection.commit()
    with database.engine.begin() as connection:
        ids = (person.candidate_id, model.candidate_id)
        texts = [
            connection.exec_driver_sql(f"SELECT answer FROM candidate WHERE id = {candidate}").scalar_one()
            for candidate in ids
        ]
        # The text stays where it was on the screens, and its author becomes the other.
        for candidate, text in zip(ids, reversed(texts), strict=True):
            quoted = text.replace("'", "''")
            connection.exec_driver_sql(f"UPDATE candidate SET answer = '{quoted}' WHERE id = {candidate}")
        for assignment, candidate in ((person, 0), (model, person.candidate_id), (person, model.candidate_id)):
            value = candidate or "NULL"
            connection.exec_driver_sql(f"UPDATE assignment SET candidate_id = {value} WHERE id = {assignment.id}")

    assert payloads(situation, "grade") == before


def test_hidden_values_can_all_change_and_not_a_byte_of_a_pool_does(database: Database, tmp_path: Path) -> None:
    situation = opened_and_consulted(database, tmp_path / "study")
    before = payloads(situation, "grade")

    changed = change_everything_but(database, SHOWN)

    assert payloads(situation, "grade") == before
    hidden = {
        *("candidate.model", "candidate.key", "verdict.fields", "verdict.receipt", "candidate.attributes"),
        *("membership.pseudonym", "person.name", "freeze_item.stratum", "phase_closing.manifest_json"),
    }
    assert hidden <= set(changed)


def test_what_is_sent_has_the_same_keys_and_lengths_and_asks_the_same_of_the_database(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_and_consulted(sqlite_database, tmp_path / "study")
    both = of_both(situation)

    sent, asked = [], []
    for assignment in both:
        with statements(sqlite_database.engine) as collected:
            sent.append(sent_with(situation, assignment))
        asked.append(list(collected))

    person, model = sent
    assert asked[0] == asked[1]
    assert list(person) == list(model)
    assert {key for key in person if person[key] != model[key]} == {"assignment", "key", "candidate"}
    assert [len(person[key]) for key in ("assignment", "key")] == [len(model[key]) for key in ("assignment", "key")]


def test_places_in_the_order_say_nothing_of_who_wrote_an_answer(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_and_consulted(sqlite_database, tmp_path / "study")

    with sqlite_database.read_only() as session:
        orders = [
            list(
                session.exec(
                    select(Candidate.model)
                    .join(Assignment, col(Assignment.candidate_id) == Candidate.id)
                    .join(Membership, col(Membership.id) == Assignment.membership_id)
                    .where(Membership.person_id == grader.person_id, Assignment.phase == "grade")
                    .order_by(col(Assignment.position))
                )
            )
            for grader in situation.raters[:2]
        ]

    for order in orders:
        # A person's among the first, and a model's among the last.
        assert "" in order[:11] and any(order[12:])
    assert orders[0] != orders[1]


def test_no_source_rater_model_or_phase_is_in_anything_that_is_sent(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_and_consulted(sqlite_database, tmp_path / "study")
    desks = worklist.desks_of(sqlite_database, situation.raters[0])

    seen = read_through(situation, situation.raters[0])

    assert len(seen) == 11 + 12
    sent = json.dumps([*seen, repr(desks)])
    with sqlite_database.read_only() as session:
        receipts = list(session.exec(select(Verdict.receipt)))
        keys = list(session.exec(select(Candidate.key)))
    for hidden in ("secret_arm", "model-a", "model-b", "Rater ", "Readers", "Consultation", *receipts):
        assert hidden not in sent
    # A key of three letters comes about within a drawn token now and then: only as a word is it the key.
    assert not set(re.findall(r"[\w-]+", sent)) & set(keys)
    options = [field["options"] for field in seen[0]["form"]["fields"] if field["key"] == "author"]
    assert [[option["id"] for option in offered] for offered in options] == [["person", "model", "unsure"]]
