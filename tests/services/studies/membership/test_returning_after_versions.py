"""Who comes back without having seen anything that counts is dealt what versions made of it, as who joins late is."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from sqlalchemy import text
from sqlmodel import select

from db import Database, Membership, now
from services.record import verification
from services.studies.membership import members, removing
from tests.blinding.columns import take_the_guards_away
from tests.situations import Situation
from tests.versioned_study import READS, corrected_prompt, new_version, one_more_case, opened_for_versions, read

WITH_A_SECOND_STEP = f"{READS}    then: {{shows: [reference]}}\n"
ANOTHER = """  - key: second
    title: A second look
    rates: items
    shows: [prompt, options]
    form: {answer: as_item}
"""


def another_phase(folder: Path) -> None:
    protocol = folder / "protocol.yaml"
    protocol.write_text(protocol.read_text() + ANOTHER)


def leave(situation: Situation, rater: int) -> None:
    removing.remove_member(situation.database, situation.admin, "listed", f"rater-{rater}")


def come_back(situation: Situation, rater: int) -> None:
    members.invite(situation.database, situation.admin, "listed", f"rater-{rater}", f"Rater {rater}", "rater")


def test_a_correction_comes_before_the_second_steps_of_its_subject(database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(database, tmp_path / "study", WITH_A_SECOND_STEP, raters=1)
    leave(situation, 1)
    new_version(situation, tmp_path / "study", corrected_prompt)
    come_back(situation, 1)

    prompts = read(situation, 0)

    # Six items, each with its second step; the corrected one and i2 have the same subject.
    assert len(prompts) == 12
    assert prompts.index("Is there a lesion?") < len(prompts) - 1 - prompts[::-1].index("Prompt of i2?")
    assert verification.verify_study(database, "listed") == []


def test_a_clock_that_was_set_back_meanwhile_loses_no_correction(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    leave(situation, 1)
    with sqlite_database.writing() as session:
        member = session.exec(select(Membership).where(Membership.pseudonym == "Rater 1")).one()
        member.removed_at = now() + timedelta(days=1)
        session.add(member)
    new_version(situation, tmp_path / "study", corrected_prompt)

    come_back(situation, 1)

    assert "Is there a lesion?" in read(situation, 0)
    assert verification.verify_study(sqlite_database, "listed") == []


def test_after_several_versions_everything_is_dealt_once(database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(database, tmp_path / "study")
    leave(situation, 2)
    new_version(situation, tmp_path / "study", another_phase)
    new_version(situation, tmp_path / "study", one_more_case)

    come_back(situation, 2)

    assert [len(read(situation, 1, queue=part)) for part in ("part-1", "part-2")] == [7, 7]
    assert verification.verify_study(database, "listed") == []


def test_a_change_past_the_program_is_noticed_after_others_returned(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study")
    leave(situation, 1)
    leave(situation, 2)
    new_version(situation, tmp_path / "study", corrected_prompt)
    come_back(situation, 2)
    of_rater = "FROM assignment a JOIN membership m ON m.id = a.membership_id WHERE m.pseudonym = 'Rater 2'"
    with sqlite_database.engine.connect() as connection:
        take_the_guards_away(connection)
        connection.execute(text(f"UPDATE assignment SET position = 99 WHERE id = (SELECT MAX(a.id) {of_rater})"))
        connection.commit()

    come_back(situation, 1)

    problems = verification.verify_study(sqlite_database, "listed")
    assert any("Table assignment" in problem and "changed since" in problem for problem in problems), problems
