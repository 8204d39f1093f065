"""A version gives nobody anything to read blind of a subject whose reference a second step shows or will show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.errors import Conflict
from services.reading import instructions
from tests.listed_study import work_through
from tests.situations import Situation, any_answers, on_the_desk, show, submit
from tests.versioned_study import READS, new_version, one_more_case, opened_for_versions

WITH_A_SECOND_STEP = f"{READS}    then: {{shows: [reference]}}\n"
STEPS = 12


def another_of_the_first_subject(folder: Path) -> None:
    one_more_case(folder, subject="subject-1")


def take_steps(situation: Situation, most: int) -> None:
    rater = situation.raters[0]
    instructions.acknowledge_instructions(situation.database, rater, situation.study_key, "part-1")
    for _ in range(most):
        payload = on_the_desk(situation, rater, "part-1")
        show(situation, rater, payload)
        submit(situation, rater, payload, any_answers(payload))


@pytest.mark.parametrize("most", [0, 1, STEPS])
def test_nothing_is_added_about_a_subject_whose_reference_is_shown_after_the_own_answer(
    sqlite_database: Database, tmp_path: Path, most: int
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", WITH_A_SECOND_STEP, raters=1)
    take_steps(situation, most)

    with pytest.raises(Conflict) as refused:
        new_version(situation, tmp_path / "study", another_of_the_first_subject)

    assert str(refused.value) == (
        "Rater 1 was shown, or is shown first, the reference of the subject of 'i7' in phase 'read', and would rate "
        "that blind in phase 'read'; let others rate it, in a group and a phase that are added."
    )


def test_a_second_step_of_a_later_phase_is_not_called_the_first_to_be_shown(
    sqlite_database: Database, tmp_path: Path
) -> None:
    later = READS + WITH_A_SECOND_STEP[WITH_A_SECOND_STEP.index("  - key: read") :].replace("key: read", "key: look")
    situation = opened_for_versions(sqlite_database, tmp_path / "study", later, raters=1)

    with pytest.raises(Conflict) as refused:
        new_version(situation, tmp_path / "study", another_of_the_first_subject)

    assert str(refused.value).startswith(
        "Rater 1 was shown, or is to be shown, the reference of the subject of 'i7' in phase 'look', and would rate "
        "that blind in phase 'read'"
    )


def test_what_is_added_about_another_subject_is_read_to_the_end(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", WITH_A_SECOND_STEP, raters=1)
    take_steps(situation, 1)

    new_version(situation, tmp_path / "study", one_more_case)

    assert len(work_through(situation)) == STEPS + 2 - 1
