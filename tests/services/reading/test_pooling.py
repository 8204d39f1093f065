"""People's answers in a pool with models': laid out, drawn and stored by the act that closes their phase, once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import (
    Assignment,
    AuditEvent,
    Candidate,
    Database,
    FreezeItem,
    Membership,
    PhaseClosing,
    PooledAnswer,
    Verdict,
)
from services.errors import Conflict
from services.people.identity import Actor
from services.reading import settling, worklist
from services.record import verification
from services.studies.membership import members, removing
from tests.following_study import not_assessable, read_through, units_in
from tests.harness.server import ROOT
from tests.pool_study import GROUPS, POOL, consulting, opened_pool, pooled_answers
from tests.services.reading.test_settling import KILLED
from tests.situations import Situation, answers, at_once, signed_in

READERS_GRADE = POOL.replace("by: graders", "by: [readers, graders]")
REASON = "One reader has left the hospital."


def consulted(situation: Situation, readers: int = 2) -> None:
    """Let the readers answer everything."""
    for reader in situation.raters[:readers]:
        read_through(situation, reader, {f"i{n}": consulting() for n in range(1, 7)})


def test_the_pool_is_there_with_the_last_answer_and_holds_people_and_models(database: Database, tmp_path: Path) -> None:
    situation = opened_pool(database, tmp_path / "study")
    first, second, *graders = situation.raters
    everything = {f"i{n}": consulting() for n in range(1, 7)}
    read_through(situation, first, everything)
    before = [units_in(situation, "grade", grader) for grader in graders]

    read_through(situation, second, everything)

    models = {f"k{n}{model}" for n in range(1, 7) for model in "ab"} - {"k6b"}
    people = {f"secret_arm-{n}" for n in range(1, 13)}
    assert before == [set(), set()]
    assert [units_in(situation, "grade", grader) for grader in graders] == [models | people] * 2
    assert {candidate.model for candidate, _, _ in pooled_answers(database)} == {""}
    assert verification.verify_study(database, "listed") == []


def test_an_answer_is_laid_out_by_the_template_of_the_models(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_pool(sqlite_database, tmp_path / "study")
    said = consulting(("1. A first", " 1  second "), " It\u00a0fits.\r\n\r\n")

    read_through(situation, situation.raters[0], {f"i{n}": said for n in range(1, 7)})
    settling.close_phase(sqlite_database, situation.admin, "listed", "secret_arm", REASON)

    (of_person,) = [candidate.answer for candidate, item, _ in pooled_answers(sqlite_database) if item == "i1"]
    with sqlite_database.read_only() as session:
        of_model = session.exec(select(Candidate.answer).where(Candidate.key == "k1a")).one()
    assert of_person == of_model == "Differential:\n1. A first\n2. 1 second\nPlace: R 12 P 30 S 8 mm\nWhy: It fits."


def test_what_is_empty_or_not_assessable_is_no_response_and_nobody_scores_it(
    sqlite_database: Database, tmp_path: Path
) -> None:
    empty_ranked = POOL.replace("{type: ranked, at_most: 3}", "{type: ranked, at_most: 3, required: no}")
    situation = opened_pool(sqlite_database, tmp_path / "study", empty_ranked)
    said = {f"i{n}": consulting() for n in range(3, 7)} | {"i1": not_assessable, "i2": lambda _: answers(why=" ")}

    read_through(situation, situation.raters[0], said)
    settling.close_phase(sqlite_database, situation.admin, "listed", "secret_arm", REASON)

    silent = {candidate.key for candidate, item, _ in pooled_answers(sqlite_database) if item in ("i1", "i2")}
    assert {candidate.answer for candidate, _, _ in pooled_answers(sqlite_database) if candidate.key in silent} == {""}
    assert len(silent) == 2
    assert not silent & units_in(situation, "grade", situation.raters[2])
    with sqlite_database.read_only() as session:
        event = session.exec(select(AuditEvent).where(AuditEvent.action == "phases closed")).one()
    assert event.detail["pooled"] == {"secret_arm": {"answers": 6, "no_response": 2}}


def test_nobody_scores_their_own_answer(database: Database, tmp_path: Path) -> None:
    situation = opened_pool(database, tmp_path / "study", READERS_GRADE)

    consulted(situation)

    own = {
        reader: {c.key for c, _, verdict in pooled_answers(database) if verdict.receipt in receipts}
        for reader, receipts in receipts_by_reader(situation).items()
    }
    for reader in situation.raters[:2]:
        assert len(own[reader]) == 6
        assert not own[reader] & units_in(situation, "grade", reader)
        assert len(units_in(situation, "grade", reader)) == 11 + 6
    assert len(units_in(situation, "grade", situation.raters[2])) == 11 + 12


def receipts_by_reader(situation: Situation) -> dict[Actor, set[str]]:
    """Return the receipts that each reader was given."""
    with situation.database.read_only() as session:
        return {
            reader: set(
                session.exec(
                    select(Verdict.receipt)
                    .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
                    .join(Membership, col(Membership.id) == Assignment.membership_id)
                    .where(Membership.person_id == reader.person_id)
                )
            )
            for reader in situation.raters[:2]
        }


def test_answers_that_are_dealt_go_to_others_than_who_wrote_them(sqlite_database: Database, tmp_path: Path) -> None:
    dealt = POOL.replace("by: graders", "by: {groups: [readers, graders], per_unit: 2}")
    situation = opened_pool(sqlite_database, tmp_path / "study", dealt)

    consulted(situation)

    rated = Counter(key for rater in situation.raters for key in units_in(situation, "grade", rater))
    assert set(rated.values()) == {2}
    for reader, receipts in receipts_by_reader(situation).items():
        own = {c.key for c, _, verdict in pooled_answers(sqlite_database) if verdict.receipt in receipts}
        assert not own & units_in(situation, "grade", reader)


def test_who_would_have_to_score_alone_what_they_wrote_alone_keeps_the_study_from_being_frozen(
    sqlite_database: Database, tmp_path: Path
) -> None:
    alone = POOL.replace("people: 2}, graders: {title: Graders, people: 2}", "people: 1}, graders: Graders").replace(
        "by: graders", "by: {groups: readers, per_unit: 1}"
    )

    with pytest.raises(Conflict, match="who did not write them"):
        opened_pool(sqlite_database, tmp_path / "study", alone, groups=("readers",))


def test_what_an_admin_closes_early_holds_the_answers_there_are_and_nothing_later_enters(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_pool(sqlite_database, tmp_path / "study")
    read_through(situation, situation.raters[0], {f"i{n}": consulting() for n in range(1, 7)}, most=4)

    drawn = settling.close_phase(sqlite_database, situation.admin, "listed", "secret_arm", REASON)

    assert drawn == {"grade": 11 + 4}
    assert read_through(situation, situation.raters[1]) == []
    assert len(pooled_answers(sqlite_database)) == 4


def test_who_joins_later_scores_the_same_pool(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_pool(sqlite_database, tmp_path / "study")
    consulted(situation)

    members.invite(sqlite_database, situation.admin, "listed", "late", "Late", "rater", group="graders")

    late = signed_in(sqlite_database, "late")
    assert units_in(situation, "grade", late) == units_in(situation, "grade", situation.raters[2])


def test_models_are_narrowed_by_what_people_have_no_value_of(sqlite_database: Database, tmp_path: Path) -> None:
    narrowed = POOL.replace("    takes:", "    from: {where: {model: model-a, format: yes_no}}\n    takes:")
    situation = opened_pool(sqlite_database, tmp_path / "study", narrowed)

    consulted(situation)

    of_items = {item for candidate, item, _ in pooled_answers(sqlite_database)
                if candidate.key in units_in(situation, "grade", situation.raters[2])}  # fmt: skip
    models = {key for key in units_in(situation, "grade", situation.raters[2]) if key.startswith("k")}
    assert {f"k{item[1:]}a" for item in of_items} == models
    assert 0 < len(of_items) < 6


def test_models_answers_to_items_that_people_are_not_asked_are_in_no_pool(
    sqlite_database: Database, tmp_path: Path
) -> None:
    some = POOL.replace(
        "    shows: [scans, prompt]\n", "    from: {where: {format: choice}}\n    shows: [scans, prompt]\n"
    )
    situation = opened_pool(sqlite_database, tmp_path / "study", some)

    consulted(situation)

    models = {key for key in units_in(situation, "grade", situation.raters[2]) if key.startswith("k")}
    assert models == {"k2a", "k2b", "k4a", "k4b"}


def test_a_model_that_gave_no_answer_keeps_the_study_from_being_frozen(
    sqlite_database: Database, tmp_path: Path
) -> None:
    nobody = POOL.replace("    takes:", "    from: {where: {model: model-z}}\n    takes:")

    with pytest.raises(Conflict, match="no model has an answer with model is 'model-z'"):
        opened_pool(sqlite_database, tmp_path / "study", nobody)


def test_a_sample_is_of_the_whole_pool(sqlite_database: Database, tmp_path: Path) -> None:
    sampled = POOL.replace("    takes:", "    from: {sample: {size: 22}}\n    takes:")
    situation = opened_pool(sqlite_database, tmp_path / "study", sampled)

    consulted(situation)

    assert len(units_in(situation, "grade", situation.raters[2])) == 22


def test_a_sample_that_the_pool_can_never_have_is_refused(sqlite_database: Database, tmp_path: Path) -> None:
    too_large = POOL.replace("    takes:", "    from: {sample: {size: 24}}\n    takes:")

    with pytest.raises(Conflict, match="24"):
        opened_pool(sqlite_database, tmp_path / "study", too_large)


MORE_POOLS = """
  - key: more
    rates: [candidates, answers of secret_arm]
    takes: [differential, place, why]
    shows: [prompt, reference, candidate]
    form: {style: {type: ordinal, options: {'1': Badly, '2': Well}}}
    by: graders
  - key: settle
    rates: [candidates, answers of secret_arm]
    from: {phase: grade, where: {grade.right: no}}
    takes: [differential, place, why]
    shows: [prompt, reference, candidate]
    form: {finding: text}
    by: curators
"""


def test_an_answer_is_a_candidate_once_in_however_many_pools_it_is(sqlite_database: Database, tmp_path: Path) -> None:
    protocol = POOL.replace("people: 2}}", "people: 2}, curators: Curators}") + MORE_POOLS
    situation = opened_pool(sqlite_database, tmp_path / "study", protocol, groups=(*GROUPS, "curators"))
    consulted(situation)

    def grading(payload: dict[str, Any]) -> dict[str, Any]:
        right = "no" if payload["prompt"] == "Prompt of i2?" else "yes"
        return answers(right=right, author="unsure")

    for queue in ("part-1", "part-2"):
        for grader in situation.raters[2:4]:
            said = {f"i{n}": grading for n in range(1, 7)} if queue == "part-1" else {}
            read_through(situation, grader, said, queue)

    of_i2 = {candidate.key for candidate, item, _ in pooled_answers(sqlite_database) if item == "i2"}
    assert len(pooled_answers(sqlite_database)) == 12
    assert len(units_in(situation, "more", situation.raters[2])) == 11 + 12
    assert units_in(situation, "settle", situation.raters[4]) == {"k2a", "k2b"} | of_i2
    assert verification.verify_study(sqlite_database, "listed") == []


def opened_and_due(database: Database, folder: Path) -> tuple[Situation, Actor]:
    """Return a study in which everybody is done since somebody was taken out, and no pool is drawn yet; a grader."""
    protocol = POOL.replace("readers: {title: Readers, people: 2}", "readers: Readers")
    situation = opened_pool(database, folder, protocol, groups=("readers", "readers", "readers", "graders", "graders"))
    consulted(situation)
    removing.remove_member(database, situation.admin, "listed", "rater-3")
    assert pooled_answers(database) == []
    return situation, situation.raters[3]


@pytest.mark.server
@pytest.mark.parametrize("table", ["candidate", "pooled_answer", "freeze_item", "phase_closing", "audit_event"])
def test_a_kill_while_the_pool_is_stored_leaves_nothing_of_it_and_it_is_drawn_later_once(
    sqlite_database: Database, tmp_path: Path, table: str
) -> None:
    situation, grader = opened_and_due(sqlite_database, tmp_path / "study")
    sqlite_database.engine.dispose()
    url = sqlite_database.engine.url.render_as_string()

    killed = subprocess.run(
        [sys.executable, "-c", KILLED, url, str(sqlite_database.data_dir), f"INSERT INTO {table}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with sqlite_database.read_only() as session:
        assert session.exec(select(PooledAnswer)).all() == session.exec(select(PhaseClosing)).all() == []
        assert session.exec(select(FreezeItem).where(FreezeItem.phase == "grade")).all() == []
    worklist.desks_of(sqlite_database, grader)
    assert len(pooled_answers(sqlite_database)) == 12
    assert len(units_in(situation, "grade", grader)) == 11 + 12
    assert verification.verify_study(sqlite_database, situation.study_key) == []


def test_a_pool_that_is_due_is_drawn_once_when_several_open_their_worklists(database: Database, tmp_path: Path) -> None:
    situation, grader = opened_and_due(database, tmp_path / "study")

    at_once(*(lambda who=who: worklist.desks_of(database, who) for who in (*situation.raters[:2], grader)))

    assert len(pooled_answers(database)) == 12
    assert len(units_in(situation, "grade", grader)) == 11 + 12
    assert verification.verify_study(database, situation.study_key) == []
