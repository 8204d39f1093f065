"""Who was shown a phase knows of what was not in it: a version gives them nothing new about that to read blind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from db import Database
from services.errors import Conflict, ReadsOpen
from services.reading import instructions, worklist
from services.studies.versions import making
from tests.listed_study import opened_listed, work_through
from tests.room_study import rewrite, rows_of, with_practice
from tests.services.studies.versions.test_levels import LOOK, READ, with_sizes
from tests.situations import Situation
from tests.versioned_study import REASON

# The first subject's items are small, and looked at once all is read.
SMALL_LATER = READ + LOOK.replace("{at_once: yes}", "{after: read}")
KNOWS = "Rater 1 was shown phase 'look', and knows 'size' of the subject of 'i7' by whether it was there"


def opened(
    database: Database,
    folder: Path,
    *sizes: int,
    protocol: str = SMALL_LATER,
    raters: int = 1,
    more: Sequence[Callable[[Path], object]] = (),
) -> Situation:
    return opened_listed(database, folder, protocol, raters, changes=[lambda to: with_sizes(to, 1, 2, *sizes), *more])


def with_item_of(folder: Path, case: str, size: str = "9", **more: str) -> None:
    *_, last = items = rows_of(folder / "items.csv")
    added = {"item": "i7", "case": case, "prompt": "Prompt of i7?", "size": size, "sequences": "", **more}
    rewrite(folder / "items.csv", [*items, last | added])


def test_somebody_shown_the_small_ones_is_given_nothing_new_about_who_was_not_there(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    situation = opened(sqlite_database, folder, 7, 8, 7, 9)
    work_through(situation)
    with_item_of(folder, "c3")

    with pytest.raises(Conflict, match=KNOWS):
        making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)


def dealt(to_each: int) -> str:
    return SMALL_LATER.replace("key: look,", f"key: look, by: {{per_unit: {to_each}}},")


def test_a_phase_that_is_dealt_whole_to_everybody_is_known_by_absence_too(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    situation = opened(sqlite_database, folder, 7, 8, 7, 9, protocol=dealt(2), raters=2)
    work_through(situation)
    with_item_of(folder, "c3")

    with pytest.raises(Conflict, match=KNOWS):
        making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)


def with_one_small_item(folder: Path) -> None:
    with_sizes(folder, 1, 6, 7, 8, 7, 9)


def test_so_is_a_phase_of_a_single_unit_that_is_dealt_to_everybody(sqlite_database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    situation = opened_listed(sqlite_database, folder, dealt(2), changes=[with_one_small_item])
    work_through(situation)
    with_item_of(folder, "c3")

    with pytest.raises(Conflict, match=KNOWS):
        making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)


def test_a_single_unit_of_one_person_may_be_one_of_several_peoples(sqlite_database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    situation = opened_listed(sqlite_database, folder, dealt(1), changes=[with_one_small_item])
    work_through(situation)
    with_item_of(folder, "c3")

    difference = making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)

    assert "1 item added: i7." in difference.changes


def test_whoever_was_dealt_a_part_of_a_phase_knows_nothing_of_what_was_not_in_theirs(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    situation = opened(sqlite_database, folder, 7, 8, 7, 9, protocol=dealt(1), raters=2)
    work_through(situation)
    with_item_of(folder, "c3")

    difference = making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)

    assert "1 item added: i7." in difference.changes


def with_item_of_a_new_subject(folder: Path, size: str = "9", **more: str) -> None:
    first, *_ = cases = rows_of(folder / "cases.csv")
    rewrite(folder / "cases.csv", [*cases, first | {"case": "c4", "subject": "subject-4"}])
    with_item_of(folder, "c4", size, **more)


def test_a_subject_that_is_new_was_nowhere_before(sqlite_database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    situation = opened(sqlite_database, folder, 7, 8, 7, 9)
    work_through(situation)
    with_item_of_a_new_subject(folder)

    difference = making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)

    assert "1 item added: i7." in difference.changes


def test_a_phase_that_nobody_has_been_shown_waits_for_what_is_new(sqlite_database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    situation = opened(sqlite_database, folder, 7, 8, 7, 9)
    with_item_of(folder, "c3")

    difference = making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)

    assert "1 item added: i7." in difference.changes


def test_absence_tells_nothing_where_the_others_are_of_several_levels(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    situation = opened(sqlite_database, folder, 7, 3, 7, 9)
    work_through(situation)
    with_item_of(folder, "c3")

    difference = making.difference_of(sqlite_database, situation.admin, situation.study_key, folder)

    assert "1 item added: i7." in difference.changes


@pytest.mark.parametrize("size", ["2", "9"])
def test_a_worklist_does_not_say_whether_what_is_new_is_in_a_part_that_selects_by_it(
    sqlite_database: Database, tmp_path: Path, size: str
) -> None:
    folder = tmp_path / "study"
    situation = opened(sqlite_database, folder, 7, 8, 7, 9)
    work_through(situation)
    with_item_of_a_new_subject(folder, size)

    making.make_version(sqlite_database, situation.admin, situation.study_key, folder, REASON)

    read, look = worklist.desks_of(sqlite_database, situation.raters[0])
    assert (read.done, read.total) == (6, 7)
    assert (look.done, look.total, look.is_over) == (0, 0, False)
    assert look.nothing == look.waits_for == "“Look” opens once you are done with what comes before it."


PRACTISED_LATER = READ + (
    "  - {key: try, rates: items, from: {where: {practice: yes}}, shows: [prompt], form: {seen: yes_no}, counts: no, "
    "opens: {after: read}}\n"
)
# Only the middle one of three parts selects by format, and it is the only one that the last waits for.
THREE_IN_A_ROW = (
    READ
    + (
        "  - {key: again, rates: items, from: {where: {format: [yes_no]}}, shows: [prompt], form: {seen: yes_no}, "
        "opens: {after: read}}\n"
    )
    + LOOK.replace("{at_once: yes}", "{after: again}")
)


@pytest.mark.parametrize("size", ["2", "9"])
def test_a_part_waits_for_what_is_new_also_past_a_part_that_got_nothing_new(
    sqlite_database: Database, tmp_path: Path, size: str
) -> None:
    folder = tmp_path / "study"
    situation = opened(sqlite_database, folder, 7, 8, 7, 9, protocol=THREE_IN_A_ROW)
    work_through(situation)
    with_item_of_a_new_subject(folder, size, format="open", form="open")

    making.make_version(sqlite_database, situation.admin, situation.study_key, folder, REASON)

    read, again, look = worklist.desks_of(sqlite_database, situation.raters[0])
    assert (read.done, read.total) == (6, 7)
    assert all((part.done, part.total, part.can_be_entered) == (0, 0, False) for part in (again, look))
    with pytest.raises(ReadsOpen, match="“Look” opens once you are done with what comes before it"):
        instructions.of_queue(sqlite_database, situation.raters[0], situation.study_key, look.queue.key)
    work_through(situation)
    *_, look = worklist.desks_of(sqlite_database, situation.raters[0])
    assert look.done == look.total == (3 if size == "2" else 2)


def test_a_practice_that_is_done_stays_done_while_what_is_new_is_read(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    situation = opened(sqlite_database, folder, 7, 8, 7, 9, protocol=PRACTISED_LATER, more=[with_practice])
    work_through(situation)
    with_item_of_a_new_subject(folder, practice="false", explanation="")

    making.make_version(sqlite_database, situation.admin, situation.study_key, folder, REASON)

    read, practised = worklist.desks_of(sqlite_database, situation.raters[0])
    assert (read.done, read.total) == (6, 7)
    assert practised.done == practised.total > 0
    assert practised.is_over
