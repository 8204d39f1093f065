"""A run is stored slice by slice, is seen all at once, and leaves nothing where it does not come to its end."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import select

from db import AuditEvent, Database, JudgeImport, JudgeRun, JudgeVerdict, now
from db.backup import back_up
from db.engine import make_engine
from services.errors import Conflict
from services.judging import import_runs
from services.record import verification
from services.report.rows.loading import newest_rows
from services.studies import thawing, unfinished_imports
from services.studies.unfinished_imports import Pace
from tests.harness.forked import forked_manage
from tests.services.judging.test_import_runs import stored_verdicts, take_in
from tests.situations import Situation, open_study

_FORK = multiprocessing.get_context("fork")


@pytest.fixture(autouse=True)
def a_slice_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRST", "FEWEST", "MOST"):
        monkeypatch.setattr(unfinished_imports, name, 1)


class Left(BaseException):
    """What ends a page whose reader has gone elsewhere."""


def unfinished_of(database: Database) -> tuple[int, int]:
    """Return how many imports there are without a run, and how many verdicts without one."""
    with database.read_only() as session:
        runs = select(JudgeRun.id)
        imports = session.exec(select(JudgeImport).where(JudgeImport.id.not_in(runs))).all()
        verdicts = session.exec(select(JudgeVerdict).where(JudgeVerdict.run_id.not_in(runs))).all()
    return len(imports), len(verdicts)


def seen_of_runs(situation: Situation) -> list[object]:
    """Return what readers see of runs: their list, what reports go by, the chain, and what the verification says."""
    with situation.database.read_only() as session:
        events = session.exec(select(AuditEvent.action)).all()
        newest = newest_rows(session, 1)
    return [
        import_runs.judge_runs_of(situation.database, situation.admin, "tiny"),
        newest,
        events,
        verification.verify_study(situation.database, "tiny"),
        thawing.can_be_thawed(situation.database, situation.admin, "tiny"),
    ]


def during(act: Callable[[int], object]) -> Callable[[int, int, str], None]:
    """Let an act be done after each slice, with how many were stored."""
    stored = [0]

    def feed(_done: int, _total: int, what: str) -> None:
        if what == "Storing the verdicts":
            stored[0] += 1
            act(stored[0])

    return feed


def killed_at(
    situation: Situation, beginning: str, before: int = 0, importing: Callable[[Situation], object] = take_in
) -> None:
    """Let another process import a run, or what else, and be killed at a statement after so many that begin like it."""
    # What SQLite knows of an open file does not go through a fork.
    situation.database.engine.dispose()
    process = _FORK.Process(target=_import_and_die, args=(situation, beginning, before, importing), daemon=True)
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL


def _import_and_die(
    situation: Situation, beginning: str, before: int, importing: Callable[[Situation], object]
) -> None:
    unfinished_imports.HELD_FOR = timedelta(seconds=1)
    engine, left = make_engine(situation.database.engine.url.render_as_string(hide_password=False)), [before]

    def kill(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        if statement.startswith(beginning):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    event.listen(engine, "before_cursor_execute", kill)
    importing(replace(situation, database=Database(engine, situation.database.data_dir)))


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


# ---- what ends it ----------------------------------------------------------------------------------------------------


@pytest.mark.server
@pytest.mark.parametrize(
    ("beginning", "before", "left"),
    [
        ("INSERT INTO judge_import", 0, 0),
        ("INSERT INTO judge_verdict", 0, 0),
        ("INSERT INTO judge_verdict", 1, 1),
        ("INSERT INTO judge_verdict", 3, 3),
        ("UPDATE judge_import", 2, 2),
        ("INSERT INTO judge_run", 0, 4),
        ("INSERT INTO audit_event", 0, 4),
    ],
)
def test_what_a_kill_leaves_is_seen_by_nobody_and_the_next_import_starts_clean_and_says_so(
    database: Database, tmp_path: Path, beginning: str, before: int, left: int
) -> None:
    situation = open_study(database, tmp_path / "study")
    seen = seen_of_runs(situation)

    killed_at(situation, beginning, before)

    assert seen_of_runs(situation)[:-1] == seen[:-1]
    assert unfinished_of(database)[1] == left
    line = take_in(situation)
    assert line.cleared == left
    assert ("cleaned away, and this one started clean" in line.in_words) == (left > 0)
    assert unfinished_of(database) == (0, 0)
    assert stored_verdicts(database)["k1"] == ("correct", None)
    assert import_runs.judge_runs_of(database, situation.admin, "tiny")[0].candidates == 4
    assert verification.verify_study(database, "tiny") == []


@pytest.mark.server
def test_what_a_kill_left_is_listed_and_removed_by_the_command_that_cleans(opened: Situation) -> None:
    killed_at(opened, "INSERT INTO judge_verdict", 3)
    time.sleep(1)
    environment = {**os.environ, "BLINDREAD_DATA_DIR": str(opened.database.data_dir)}
    environment["DATABASE_URL"] = opened.database.engine.url.render_as_string()
    opened.database.engine.dispose()

    listed, removed, nothing = (
        forked_manage(environment, "clean", *options).stdout for options in ((), ("--yes",), ("--yes",))
    )

    assert "3 verdicts of judges whose import was not completed. --yes deletes them." in listed
    assert "Deleted: 3 verdicts of judges" in removed
    assert "verdicts" not in nothing
    assert unfinished_of(opened.database) == (0, 0)


@pytest.mark.server
def test_an_import_of_another_run_cleans_away_what_a_kill_left_too(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    killed_at(situation, "INSERT INTO judge_verdict", 3)
    time.sleep(1)

    assert take_in(situation, name="run 2").cleared == 3

    assert unfinished_of(database) == (0, 0)


def test_an_import_whose_page_is_left_leaves_nothing(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")

    def leave(stored: int) -> None:
        if stored == 3:
            raise Left

    with pytest.raises(Left):
        take_in(situation, progress=during(leave))

    assert unfinished_of(database) == (0, 0)
    assert take_in(situation).cleared == 0


def test_a_run_that_is_being_imported_is_refused_to_others_and_comes_in_once(
    database: Database, tmp_path: Path
) -> None:
    situation = open_study(database, tmp_path / "study")
    begun, refused = threading.Event(), threading.Event()

    def slowly(stored: int) -> None:
        begun.set()
        # It moves, and its last slice waits until the other was refused.
        refused.wait(20) if stored == 4 else time.sleep(0.5)

    first = threading.Thread(target=take_in, args=(situation,), kwargs={"progress": during(slowly)})
    first.start()
    begun.wait(20)
    try:
        with pytest.raises(Conflict, match="'run 1' is being imported at this moment"):
            take_in(situation)
    finally:
        refused.set()
        first.join()

    assert [run.candidates for run in import_runs.judge_runs_of(database, situation.admin, "tiny")] == [4]


def test_an_import_that_stood_still_is_taken_over_and_stores_nothing_more(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    situation = open_study(database, tmp_path / "study")
    monkeypatch.setattr(unfinished_imports, "HELD_FOR", timedelta(seconds=0.5))
    lines = []

    def take_over(stored: int) -> None:
        if stored == 2 and not lines:
            lines.append(take_in(situation))

    with pytest.raises(Conflict, match="cleaned away"):
        take_in(situation, progress=during(take_over))

    assert [line.cleared for line in lines] == [2]
    assert unfinished_of(database) == (0, 0)
    assert len(stored_verdicts(database)) == 4
    assert verification.verify_study(database, "tiny") == []


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
    monkeypatch.setattr(import_runs, "how_frozen", lambda *_: stands[-1])

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
