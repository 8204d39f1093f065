"""A run is stored slice by slice, and is seen all at once."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import select

from db import Database, JudgeImport, JudgeRun, now
from db.backup import back_up
from db.engine import make_engine
from services.errors import Conflict
from services.judging import import_runs, slices
from services.record import verification
from services.studies.folders import unfinished_imports
from services.studies.folders.unfinished_imports import Pace
from services.studies.freeze import thawing
from tests.services.judging.slices import Left, during, killed_at, seen_of_runs, store_one_row_a_slice, unfinished_of
from tests.services.judging.test_import_runs import stored_verdicts, take_in
from tests.situations import Situation, open_study


@pytest.fixture(autouse=True)
def a_slice_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    store_one_row_a_slice(monkeypatch)


# ---- what is seen meanwhile ------------------------------------------------------------------------------------------


def test_nobody_sees_anything_of_a_run_before_all_of_it(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    before, meanwhile, stored = seen_of_runs(situation), [], []

    def look(_: int) -> None:
        meanwhile.append(seen_of_runs(situation))
        stored.append(unfinished_of(database))

    take_in(situation, progress=during(look))

    assert stored == [(1, 1), (1, 2), (1, 3), (1, 4)]
    # While verdicts come in, the study cannot be thawed; nothing else is different.
    assert [seen[:-1] for seen in meanwhile] == [before[:-1]] * 4
    assert [seen[-1] for seen in meanwhile] == [False] * 4
    after = seen_of_runs(situation)
    assert unfinished_of(database) == (0, 0)
    assert all(now_seen != then for now_seen, then in zip(after[:3], before[:3], strict=True))
    assert after[3] == []


def test_what_is_unfinished_can_be_deleted_and_what_is_published_never(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    take_in(situation)

    def tried(run: int, statement: str) -> str:
        with database.engine.connect() as connection:
            transaction = connection.begin()
            try:
                connection.execute(text(statement.format(run=run)))
            except DBAPIError as error:
                return str(error.orig)
            finally:
                transaction.rollback()
        return ""

    said: list[list[str]] = []

    def try_it(stored: int) -> None:
        with database.read_only() as session:
            runs = {row.name: row.id for row in session.exec(select(JudgeImport))}
        if stored == 2:
            for name in ("run 2", "run 1"):
                said.append(
                    [
                        tried(runs[name], "DELETE FROM judge_verdict WHERE run_id = {run}"),
                        tried(runs[name], "UPDATE judge_verdict SET verdict = verdict WHERE run_id = {run}"),
                        tried(
                            runs["run 2"], f"UPDATE judge_verdict SET run_id = {{run}} WHERE run_id = {runs['run 1']}"
                        ),
                        tried(runs[name], "DELETE FROM judge_import WHERE id = {run}"),
                    ]
                )

    take_in(situation, name="run 2", progress=during(try_it))

    unfinished, published = said
    assert unfinished[0] == ""
    assert "append-only" in published[0]
    assert all("append-only" in sentence for sentence in (*unfinished[1:3], *published[1:3]))
    # Neither goes while verdicts are stored under it.
    assert all("foreign key" in sentence.lower() for sentence in (unfinished[3], published[3]))


@pytest.mark.postgresql
def test_verdicts_are_not_deleted_while_their_run_is_being_published(
    postgres_url: str, data_dir: Path, tmp_path: Path
) -> None:
    """Neither transaction sees what the other does; on SQLite there is one writer at a time."""
    postgres_database = Database(make_engine(postgres_url), data_dir)
    situation = open_study(postgres_database, tmp_path / "study")
    said: list[str] = []

    def delete(import_id: int) -> None:
        try:
            with postgres_database.engine.begin() as connection:
                connection.execute(text(f"DELETE FROM judge_verdict WHERE run_id = {import_id}"))
        except DBAPIError as error:
            said.append(str(error.orig))

    def publish_meanwhile(stored: int) -> None:
        if stored < 4:
            return
        with postgres_database.writing() as session:
            reserved = session.exec(select(JudgeImport)).one()
            session.add(JudgeRun(id=reserved.id, study_id=1, name="run 1", judge="j", source_sha256="0" * 64))
            session.flush()
            deleting.append(threading.Thread(target=delete, args=(reserved.id,)))
            deleting[0].start()
            time.sleep(0.5)
        deleting[0].join()
        raise Left

    deleting: list[threading.Thread] = []
    with pytest.raises(Left):
        take_in(situation, progress=during(publish_meanwhile))

    assert ["append-only" in sentence for sentence in said] == [True]
    assert len(stored_verdicts(postgres_database)) == 4
    postgres_database.engine.dispose()


def test_a_run_is_there_since_it_is_seen_and_not_since_its_import_began(opened: Situation) -> None:
    """So that what was opened for the runs that were there is not open for it."""
    moments = []

    take_in(opened, progress=during(lambda _: moments.append(now())))

    with opened.database.read_only() as session:
        assert session.exec(select(JudgeRun.created_at)).one() > moments[-1]


def test_two_runs_that_are_imported_at_once_are_both_whole(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")

    def another(stored: int) -> None:
        if stored == 2:
            take_in(situation, name="run 2")

    take_in(situation, progress=during(another))

    runs = import_runs.judge_runs_of(database, situation.admin, "tiny")
    assert [(run.name, run.candidates, run.unresolved) for run in runs] == [("run 1", 4, 1), ("run 2", 4, 1)]
    assert verification.verify_study(database, "tiny") == []


def test_a_backup_that_was_taken_meanwhile_has_nothing_of_the_run_and_takes_it_anew(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    copy = tmp_path / "copy" / "blindread.db"

    def copied(stored: int) -> None:
        if stored == 2:
            back_up(sqlite_database, copy)

    take_in(situation, progress=during(copied))

    restored = Database(make_engine(f"sqlite:///{copy}"), sqlite_database.data_dir)
    there = replace(situation, database=restored)
    try:
        assert unfinished_of(restored) == (1, 2)
        assert import_runs.judge_runs_of(restored, situation.admin, "tiny") == []
        assert verification.verify_study(restored, "tiny") == []
        with restored.engine.begin() as connection:
            connection.execute(text("UPDATE judge_import SET expires_at = '2026-01-01 00:00:00.000000'"))
        line = take_in(there)
        assert (line.cleared, line.candidates) == (2, 4)
        assert verification.verify_study(restored, "tiny") == []
    finally:
        restored.engine.dispose()


# ---- the study meanwhile ---------------------------------------------------------------------------------------------


@pytest.mark.server
def test_a_study_is_not_thawed_while_verdicts_come_in_and_is_after_a_kill(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    said = []

    def thaw(_: int) -> None:
        with pytest.raises(Conflict, match="verdicts of judges are being imported") as refusal:
            thawing.thaw_study(database, situation.admin, "tiny", "A prompt is wrong.")
        said.append(refusal)
        raise Left

    with pytest.raises(Left):
        take_in(situation, progress=during(thaw))
    killed_at(situation, "INSERT INTO judge_verdict", 2)
    time.sleep(1)

    thawing.thaw_study(database, situation.admin, "tiny", "A prompt is wrong.")

    assert len(said) == 1
    assert unfinished_of(database) == (0, 0)


def test_a_study_that_was_changed_meanwhile_takes_nothing_of_the_run(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    situation = open_study(database, tmp_path / "study")
    stands = [(1, None)]
    for asking in (import_runs, slices):
        monkeypatch.setattr(asking, "how_frozen", lambda *_: stands[-1])

    with pytest.raises(Conflict, match="changed while the verdicts were imported"):
        take_in(situation, progress=during(lambda _: stands.append((1, 1))))

    assert unfinished_of(database) == (0, 0)
    assert import_runs.judge_runs_of(database, situation.admin, "tiny") == []


def test_a_study_that_is_closed_meanwhile_takes_the_run(opened: Situation) -> None:
    from services.progress import data_lock

    def close(stored: int) -> None:
        if stored == 2:
            data_lock.close_study(opened.database, opened.admin, "tiny", "The readers are done.")

    line = take_in(opened, progress=during(close))

    assert line.candidates == 4
    assert verification.verify_study(opened.database, "tiny") == []


# ---- sizes -----------------------------------------------------------------------------------------------------------


def test_slices_follow_how_long_the_one_before_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    pace, sizes = Pace(), []
    for seconds in (0.01, 0.01, 0.3, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0):
        pace.took(pace.rows, seconds)
        sizes.append(pace.rows)

    assert sizes == [2_000, 4_000, 2_000, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000]


def test_a_slice_ends_when_its_time_is_over_although_more_rows_were_meant_for_it(
    opened: Situation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a machine that becomes slow between two slices nobody has to wait for the second."""
    monkeypatch.undo()
    monkeypatch.setattr(unfinished_imports, "STEP", 1)
    monkeypatch.setattr(unfinished_imports, "LONGEST_SECONDS", -1.0)
    statements: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement.partition(" (")[0])

    event.listen(opened.database.engine, "before_cursor_execute", note)
    try:
        line = take_in(opened)
    finally:
        event.remove(opened.database.engine, "before_cursor_execute", note)

    stored = [what for what in statements if what in ("BEGIN IMMEDIATE", "INSERT INTO judge_verdict")]
    assert stored[-9:-1] == ["BEGIN IMMEDIATE", "INSERT INTO judge_verdict"] * 4
    assert line.candidates == 4
    assert verification.verify_study(opened.database, "tiny") == []


def test_an_unfinished_import_says_when_it_counts_as_dead(opened: Situation) -> None:
    ends, said = [], []

    def look(_: int) -> None:
        with opened.database.read_only() as session:
            ends.append(session.exec(select(JudgeImport)).one().expires_at - now())
        said.append(unfinished_imports.held_in_words(opened.database, unfinished_imports.VERDICTS))

    take_in(opened, progress=during(look))

    assert all(timedelta(seconds=10) < left <= unfinished_imports.HELD_FOR for left in ends)
    # What cleans leaves it alone meanwhile, and says so.
    assert all("counts as running for 1" in sentence and "left alone until then" in sentence for sentence in said)
    assert unfinished_imports.held_in_words(opened.database, unfinished_imports.VERDICTS) == ""
