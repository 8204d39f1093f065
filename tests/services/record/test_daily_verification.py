"""Every frozen study is verified once a day by one process, which goes on where it was interrupted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select

from db import Database, Lease, Verification, Volume, now
from services.installation import leases
from services.record import daily_verification
from services.record.daily_verification import SlowReading, state_of_verification, verify_what_is_due
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.volumes import volume_store
from tests.services.record.tampering import past_the_guards
from tests.situations import Situation, imported_study, open_study, write_study_folder

FILES = 9
A_MOMENT = 0.0


def unhurried(_count: int) -> None:
    """The pace of a test."""


def runs_of(database: Database) -> list[Verification]:
    with database.read_only() as session:
        return list(session.exec(select(Verification).order_by(col(Verification.id))))


def verify(database: Database, pace: Callable[[int], None] = unhurried, holder: str = "one") -> timedelta:
    return verify_what_is_due(database, holder, pace, save_every=A_MOMENT)


class Killed(BaseException):
    """What a process that is killed does not live to see."""


class ReadingThatIsKilled:
    """Counts the files that are begun and stops before one of them, as `kill -9` does."""

    def __init__(self, before: int | None = None) -> None:
        self.begun = 0
        self._before = before

    def __call__(self, _count: int) -> None:
        # Every file of the tiny study is read in one part.
        self.begun += 1
        if self.begun == self._before:
            raise Killed


def test_a_frozen_study_is_verified_and_then_left_alone_for_a_day(database: Database, tmp_path: Path) -> None:
    study = open_study(database, tmp_path / "study")

    assert verify(database) == daily_verification.LONGEST_WAIT
    reading = ReadingThatIsKilled()
    verify(database, reading)

    (run,) = runs_of(database)
    assert (run.files_checked, run.problems, run.ended_at is not None, reading.begun) == (FILES, [], True, 0)
    state = state_of_verification(database, study.admin, "tiny")
    assert (state.ended_at, state.problems, state.under_way) == (run.ended_at, [], None)


def test_it_is_due_again_after_a_day(opened: Situation) -> None:
    verify(opened.database)
    a_day_later(opened.database)

    verify(opened.database)

    assert [run.files_checked for run in runs_of(opened.database)] == [FILES, FILES]


def a_day_later(database: Database) -> None:
    with database.writing() as session:
        for run in session.exec(select(Verification)):
            run.started_at -= timedelta(days=1)
            run.ended_at = run.ended_at and run.ended_at - timedelta(days=1)
            session.add(run)


def test_a_study_that_is_not_frozen_is_not_verified(sqlite_database: Database, tmp_path: Path) -> None:
    imported_study(sqlite_database, tmp_path / "study")

    verify(sqlite_database)

    assert runs_of(sqlite_database) == []


def test_what_does_not_hold_is_kept_for_the_admins(opened: Situation) -> None:
    with opened.database.read_only() as session:
        sha256 = session.exec(select(Volume.sha256).where(Volume.key == "c2-t2")).one()
    volume_store.path_of(opened.database, sha256).write_bytes(b"damaged")

    verify(opened.database)

    state = state_of_verification(opened.database, opened.admin, "tiny")
    assert state.problems == ["The prepared file of volume 'c2-t2' is missing or damaged."]


def test_rows_that_do_not_hold_are_found_too(opened: Situation) -> None:
    with opened.database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE item SET prompt = 'Another.' WHERE key = 'i1'")

    verify(opened.database)

    state = state_of_verification(opened.database, opened.admin, "tiny")
    assert "Changed since the freeze: items i1." in state.problems


def test_after_a_kill_it_goes_on_with_the_file_it_was_at(database: Database, tmp_path: Path) -> None:
    study = open_study(database, tmp_path / "study")
    with pytest.raises(Killed):
        verify(database, ReadingThatIsKilled(before=5))
    assert state_of_verification(database, study.admin, "tiny").under_way == (4, FILES)
    the_lease_runs_out(database)

    rest = ReadingThatIsKilled()
    verify(database, rest, holder="two")

    (run,) = runs_of(database)
    assert (run.files_checked, run.ended_at is not None) == (FILES, True)
    assert rest.begun == FILES - 4


def test_problems_found_before_a_kill_are_not_forgotten(opened: Situation) -> None:
    with opened.database.read_only() as session:
        sha256 = session.exec(select(Volume.sha256).order_by(col(Volume.id))).first()
    volume_store.path_of(opened.database, str(sha256)).write_bytes(b"damaged")
    with pytest.raises(Killed):
        verify(opened.database, ReadingThatIsKilled(before=3))
    the_lease_runs_out(opened.database)

    verify(opened.database, holder="two")

    (run,) = runs_of(opened.database)
    assert run.problems == ["The prepared file of volume 'c1-t1' is missing or damaged."]


def the_lease_runs_out(database: Database) -> None:
    with database.writing() as session:
        lease = session.exec(select(Lease)).one()
        lease.expires_at = now() - timedelta(seconds=1)
        session.add(lease)


def test_one_process_at_a_time_verifies(opened: Situation) -> None:
    assert leases.take(opened.database, daily_verification.LEASE, "another", timedelta(minutes=2))

    wait = verify(opened.database)

    assert wait == daily_verification.HELD_FOR
    assert runs_of(opened.database) == []


def test_a_process_whose_lease_was_taken_stops(opened: Situation) -> None:
    def losing(_count: int) -> None:
        with opened.database.writing() as session:
            lease = session.exec(select(Lease)).one()
            lease.holder = "another"
            session.add(lease)

    assert verify(opened.database, losing) == daily_verification.HELD_FOR

    (run,) = runs_of(opened.database)
    assert run.ended_at is None


def test_a_lease_is_taken_by_one_prolonged_by_it_and_given_back(database: Database) -> None:
    for_long = timedelta(minutes=2)

    assert leases.take(database, "work", "one", for_long)
    assert leases.take(database, "work", "one", for_long)
    assert not leases.take(database, "work", "two", for_long)
    leases.give_back(database, "work", "two")
    assert not leases.take(database, "work", "two", for_long)
    leases.give_back(database, "work", "one")
    assert leases.take(database, "work", "two", for_long)


def test_hashes_that_older_files_lack_are_made_on_the_way(opened: Situation) -> None:
    with opened.database.writing() as session:
        for volume in session.exec(select(Volume)):
            volume.unpacked_sha256 = None
            session.add(volume)

    verify(opened.database)

    with opened.database.read_only() as session:
        assert None not in session.exec(select(Volume.unpacked_sha256)).all()


def test_reading_waits_as_long_as_its_bytes_are_worth() -> None:
    time = [0.0]
    slow = SlowReading(50_000_000, sleep=lambda seconds: time.__setitem__(0, time[0] + seconds), clock=lambda: time[0])

    for _ in range(100):
        slow(1_000_000)
    # A pause is not made up for by reading faster afterwards.
    time[0] += 10
    for _ in range(100):
        slow(1_000_000)

    assert time[0] == pytest.approx(2 + 10 + 2)


def test_of_very_many_problems_the_first_are_kept() -> None:
    bounded = daily_verification._bounded([f"Problem {number}." for number in range(1_000)])

    assert len(bounded) == daily_verification.MOST_PROBLEMS + 1
    assert bounded[-1].startswith("There are further problems")


def test_rows_that_the_program_cannot_read_are_a_problem_and_not_its_end(opened: Situation) -> None:
    with opened.database.engine.begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER freeze_no_update")
        connection.exec_driver_sql("UPDATE freeze SET manifest_json = '{'")

    verify(opened.database)

    (run,) = runs_of(opened.database)
    assert run.ended_at is not None
    assert run.problems[0] == (
        "Rows of the study are gone or cannot be read (JSONDecodeError), so not all could be verified."
    )


UNREADABLE = (
    "UPDATE item SET prompt = CAST(x'ff' AS TEXT) WHERE study_id = 1",
    "UPDATE study SET created_at = 'yesterday' WHERE id = 1",
    "UPDATE study SET key = CAST(x'ff' AS TEXT) WHERE id = 1",
    "UPDATE volume SET label = CAST(x'ff' AS TEXT), key = CAST(x'ff' AS TEXT) WHERE id = 1",
    "UPDATE freeze SET manifest_json = '[' WHERE study_id = 1",
    "INSERT INTO verification (study_id, started_at, files_checked, problems) VALUES (1, 'yesterday', 0, '[]')",
)


def with_another_study(opened: Situation, folder: Path) -> None:
    importing.import_study(opened.database, opened.admin, write_study_folder(folder, {"name": "other"}))
    freezing.freeze_study(opened.database, opened.admin, "other")


@pytest.mark.parametrize("change", UNREADABLE)
def test_a_study_of_which_something_cannot_be_read_keeps_no_other_from_being_verified(
    opened: Situation, tmp_path: Path, change: str
) -> None:
    with_another_study(opened, tmp_path / "other")
    past_the_guards(opened.database, change)

    verify(opened.database)

    with opened.database.asking() as connection:
        runs = connection.exec_driver_sql(
            "SELECT study_id, problems FROM verification WHERE ended_at IS NOT NULL"
        ).all()
    assert {study_id: problems == "[]" for study_id, problems in runs} == {1: False, 2: True}


def test_of_a_study_without_audit_chain_a_problem_is_kept(opened: Situation) -> None:
    past_the_guards(opened.database, "DROP TABLE audit_event")

    verify(opened.database)

    (run,) = runs_of(opened.database)
    assert "The table 'audit_event' is gone." in run.problems


def test_a_run_that_died_is_a_problem_and_never_all_holds(opened: Situation) -> None:
    verify(opened.database)
    a_day_later(opened.database)
    with pytest.raises(Killed):
        verify(opened.database, ReadingThatIsKilled(before=3))
    the_lease_runs_out(opened.database)

    state = state_of_verification(opened.database, opened.admin, "tiny")

    (problem,) = state.problems
    assert problem.endswith(
        "was interrupted after 2 of 9 files: until one has finished, it is not known whether all is as it was frozen."
    )
    assert state.under_way is None


def test_results_that_cannot_be_read_are_never_all_holds(opened: Situation) -> None:
    verify(opened.database)
    past_the_guards(opened.database, "UPDATE verification SET ended_at = 'yesterday'")

    state = state_of_verification(opened.database, opened.admin, "tiny")

    assert state.problems == [
        "The results of earlier verifications are gone or cannot be read (ValueError), so not all could be verified."
    ]


def test_an_error_in_the_middle_of_a_run_ends_it_with_a_problem(opened: Situation) -> None:
    def failing(_count: int) -> None:
        raise RecursionError

    verify(opened.database, failing)

    (run,) = runs_of(opened.database)
    assert run.ended_at is not None
    assert run.problems == [
        "Rows of the study are gone or cannot be read (RecursionError), so not all could be verified."
    ]
