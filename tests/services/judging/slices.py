"""Imports that go slice by slice: what is seen meanwhile, what is left behind, and how one is killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import event
from sqlmodel import select

from db import AuditEvent, Database, JudgeImport, JudgeRun, JudgeVerdict
from db.engine import make_engine
from services.judging import import_runs
from services.record import verification
from services.report.rows.loading import newest_rows
from services.studies.folders import unfinished_imports
from services.studies.freeze import thawing
from tests.services.judging.test_import_runs import take_in
from tests.situations import Situation

_FORK = multiprocessing.get_context("fork")


def store_one_row_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each slice of an import be of one row."""
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
