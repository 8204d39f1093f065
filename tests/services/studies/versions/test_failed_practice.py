"""Who has failed a practice learns nothing of what a version adds behind it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from db import Database
from services.reading import submission, worklist
from services.studies.versions import making
from tests.listed_study import opened_listed, work_through
from tests.room_study import rewrite, rows_of, with_practice
from tests.services.studies.versions.test_absent_units import with_item_of_a_new_subject, with_one_small_item
from tests.services.studies.versions.test_levels import LOOK, READ
from tests.situations import any_answers
from tests.versioned_study import REASON

# Practised at any time; the small item is looked at by one of the two.
FAILED_LATER = (
    READ
    + (
        "  - {key: try, rates: items, from: {where: {practice: yes}}, shows: [prompt, options], "
        "form: {answer: as_item}, counts: no, pass_mark: 1, attempts: 1, opens: {at_once: yes}}\n"
    )
    + LOOK.replace("key: look,", "key: look, by: {per_unit: 1},").replace("{at_once: yes}", "{after: [read, try]}")
)


# One for each of the two if they are small.
def with_two_items(folder: Path, size: str) -> None:
    with_item_of_a_new_subject(folder, size, practice="false", explanation="")
    *_, last = items = rows_of(folder / "items.csv")
    rewrite(folder / "items.csv", [*items, last | {"item": "i8", "prompt": "Prompt of i8?"}])


@pytest.mark.parametrize("size", ["2", "9"])
def test_a_part_behind_a_failed_practice_stays_closed_whether_or_not_a_version_adds_to_it(
    sqlite_database: Database, tmp_path: Path, size: str
) -> None:
    folder = tmp_path / "study"
    situation = opened_listed(sqlite_database, folder, FAILED_LATER, changes=[with_one_small_item, with_practice])
    idle = next(rater for rater in situation.raters if len(worklist.desks_of(sqlite_database, rater)) == 2)
    work_through(replace(situation, raters=(idle,)), lambda payload: any_answers(payload, "no"))
    with_two_items(folder, size)

    making.make_version(sqlite_database, situation.admin, situation.study_key, folder, REASON)

    read, practised, look = worklist.desks_of(sqlite_database, idle)
    assert (read.done, read.total) == (6, 8)
    assert look.waits_for == "“Look” stays closed for you, as the practice was not passed."
    over = submission.current_payload(sqlite_database, idle, situation.study_key, practised.queue.key)
    assert str(dict(over)["message"]).startswith("All attempts are used up, so “Look” stays closed for you.")
