"""What judges said, as columns of numbers: small, in few statements, and page by page with what they wrote."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import event, insert
from sqlmodel import select

from db import Candidate, Database, JudgeRun, JudgeVerdict
from protocol.scales import CORRECTNESS, Code, JudgeScale
from services.errors import InputRefused
from services.judging import import_runs
from services.judging.verdict_columns import (
    NOT_JUDGED,
    READ_AT_ONCE,
    UNRESOLVED,
    VerdictColumns,
    judged_page,
    verdict_columns,
)
from tests.judged_runs import new_run
from tests.situations import Situation, open_study

# Neither in the order of the candidates nor in that of their items.
CSV = b"item,candidate,verdict,error,explanation\ni2,k3,1,,Left.\ni1,k2,,timeout,\ni1,k1,0,,No.\ni2,k4,correct,,\n"
GRADES = JudgeScale(
    "grades",
    tuple(Code(name, frozenset({name})) for name in ("wrong", "partly", "right")),
    correct_from=2,
    refusal="is not one of wrong, partly, right",
)
FEW, MANY = 100, 2 * READ_AT_ONCE + 1


def take_in(situation: Situation, name: str = "run", content: bytes = CSV, scale: JudgeScale = CORRECTNESS) -> int:
    """Import a run and return its id."""
    import_runs.import_judge_verdicts(
        situation.database, situation.admin, "tiny",
        name=name, judge="", content=content, file_name="judge.csv", scale=scale,
    )  # fmt: skip
    with situation.database.read_only() as session:
        return session.exec(select(JudgeRun.id).where(JudgeRun.name == name)).one()


def columns_of(database: Database, run: int, scale: JudgeScale = CORRECTNESS) -> VerdictColumns:
    with database.read_only() as session:
        return verdict_columns(session, {run: scale})[run]


def ids_of(database: Database, *keys: str) -> np.ndarray:
    with database.read_only() as session:
        id_by_key = dict(session.exec(select(Candidate.key, Candidate.id)).all())
    return np.array([id_by_key[key] for key in keys], dtype=np.int64)


def judged_by_runs(situation: Situation, runs: int, verdicts: int) -> list[int]:
    """Store so many runs with so many verdicts each, on candidates made for it."""
    item_ids = "SELECT id, study_id FROM item ORDER BY id LIMIT 1"
    with situation.database.writing() as session:
        item, study = session.connection().exec_driver_sql(item_ids).one()
        rows = [
            {"study_id": study, "item_id": item, "key": f"x{n}", "model": "m", "answer": "a"} for n in range(verdicts)
        ]
        session.connection().execute(insert(Candidate), rows)
        candidates = session.exec(select(Candidate.id).where(Candidate.model == "m").order_by(Candidate.id)).all()
        made = [new_run(session, study, f"run {n}") for n in range(runs)]
        for run in made:
            session.connection().execute(
                insert(JudgeVerdict),
                [
                    {"run_id": run.id, "candidate_id": candidate_id, "verdict": "correct", "explanation": "e"}
                    for candidate_id in candidates
                ],
            )
        return [int(run.id or 0) for run in made]


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    said: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        said.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield said
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


# ---- columns ---------------------------------------------------------------------------------------------------------


def test_columns_say_of_each_candidate_what_its_row_says(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")

    columns = columns_of(database, take_in(situation))

    assert columns.candidates.tolist() == ids_of(database, "k1", "k2", "k3", "k4").tolist()
    assert columns.codes.tolist() == [0, UNRESOLVED, 1, 1]
    assert columns.errors.tolist() == [False, True, False, False]
    assert (columns.n_correct, columns.n_incorrect, columns.n_unresolved, len(columns)) == (2, 1, 1, 4)


def test_candidates_are_found_in_any_order_and_those_that_the_run_lacks_are_told_from_errors(opened: Situation) -> None:
    columns = columns_of(opened.database, take_in(opened))

    asked = ids_of(opened.database, "k6", "k4", "k2", "k1", "k5")

    assert columns.codes_of(asked).tolist() == [NOT_JUDGED, 1, UNRESOLVED, 0, NOT_JUDGED]
    said = columns.correctness_of(asked).tolist()
    assert [None if math.isnan(value) else value for value in said] == [None, 1.0, None, 0.0, None]


def test_a_run_without_verdicts_judges_nobody(opened: Situation) -> None:
    of_no_verdict = take_in(opened) + 1

    columns = columns_of(opened.database, of_no_verdict)

    assert len(columns) == columns.n_correct == columns.n_incorrect == columns.n_unresolved == 0
    assert columns.codes_of(ids_of(opened.database, "k1")).tolist() == [NOT_JUDGED]


def test_a_verdict_takes_nine_bytes(opened: Situation) -> None:
    (run,) = judged_by_runs(opened, 1, MANY)

    columns = columns_of(opened.database, run)

    assert len(columns) == MANY
    assert columns.candidates.nbytes + columns.codes.nbytes == 9 * MANY
    assert columns.candidates.base is None
    assert columns.codes.base is None


def test_all_runs_are_read_in_one_statement_without_what_the_judges_wrote(database: Database, tmp_path: Path) -> None:
    runs = judged_by_runs(open_study(database, tmp_path / "study"), 3, FEW)

    with database.read_only() as session, statements(database) as said:
        columns = verdict_columns(session, dict.fromkeys(runs, CORRECTNESS))

    assert [len(columns[run]) for run in runs] == [FEW] * 3
    assert len(said) == 1
    assert "explanation" not in said[0]


def test_verdicts_are_fetched_some_at_a_time(database: Database, tmp_path: Path) -> None:
    (run,) = judged_by_runs(open_study(database, tmp_path / "study"), 1, MANY)

    columns = columns_of(database, run)

    assert len(columns) == columns.n_correct == MANY
    assert (np.diff(columns.candidates) > 0).all()


def test_runs_are_counted_in_as_many_statements_however_many_there_are(opened: Situation) -> None:
    take_in(opened)
    with statements(opened.database) as of_one:
        (alone,) = import_runs.judge_runs_of(opened.database, opened.admin, "tiny")
    take_in(opened, "again")
    with statements(opened.database) as of_two:
        listed = import_runs.judge_runs_of(opened.database, opened.admin, "tiny")

    assert [(line.candidates, line.unresolved, line.not_judged) for line in (alone, *listed)] == [(4, 1, 2)] * 3
    assert len(of_one) == len(of_two)


# ---- scales ----------------------------------------------------------------------------------------------------------


def test_a_run_on_another_scale_is_stored_and_read_by_its_own_codes(opened: Situation) -> None:
    lines = b"item,candidate,verdict\ni1,k1,wrong\ni1,k2,Partly\ni2,k3,right\ni2,k4,\n"

    run = take_in(opened, content=lines, scale=GRADES)

    with opened.database.read_only() as session:
        assert session.get_one(JudgeRun, run).scale == ["wrong", "partly", "right"]
    columns = columns_of(opened.database, run, GRADES)
    assert columns.codes.tolist() == [0, 1, 2, UNRESOLVED]
    assert (columns.n_correct, columns.n_incorrect, columns.n_unresolved) == (1, 2, 1)


def test_a_verdict_is_refused_in_the_words_of_its_scale(opened: Situation) -> None:
    with pytest.raises(InputRefused, match="verdict 'correct' is not one of wrong, partly, right; leave it empty"):
        take_in(opened, content=b"item,candidate,verdict\ni1,k1,correct\n", scale=GRADES)


def test_a_stored_verdict_that_is_not_on_the_scale_of_its_run_is_refused(opened: Situation) -> None:
    run = take_in(opened)

    with pytest.raises(ValueError, match="is not on its scale, 'grades'"):
        columns_of(opened.database, run, GRADES)


# ---- pages -----------------------------------------------------------------------------------------------------------


def test_pages_follow_the_file_and_hold_what_the_judge_wrote(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    take_in(situation, "another")
    run = take_in(situation)

    with database.read_only() as session:
        first = judged_page(session, run, limit=3)
        second = judged_page(session, run, first[-1].verdict_id, limit=3)
        third = judged_page(session, run, second[-1].verdict_id, limit=3)

    assert [tuple(row[1:]) for row in (*first, *second)] == [
        ("k3", "i2", "model-a", "correct", None, "Left.", "", None, ""),
        ("k2", "i1", "model-b", None, "timeout", "", "error", None, ""),
        ("k1", "i1", "model-a", "incorrect", None, "No.", "", None, ""),
        ("k4", "i2", "model-b", "correct", None, "", "", None, ""),
    ]
    assert [len(page) for page in (first, second, third)] == [3, 1, 0]


def test_a_page_is_found_by_its_first_verdict_and_not_by_sorting_the_run(opened: Situation) -> None:
    run = take_in(opened)

    with opened.database.read_only() as session, statements(opened.database) as said:
        page = judged_page(session, run)
        judged_page(session, run, page[0].verdict_id)
        asked = session.connection()
        plans = [
            " ".join(
                row[3] for row in asked.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", (1,) * statement.count("?"))
            )
            for statement in list(said)
        ]

    assert len(plans) == 2
    assert all("SEARCH judge_verdict USING INTEGER PRIMARY KEY (rowid>?)" in plan for plan in plans)
    assert not any("TEMP B-TREE" in plan for plan in plans)
