"""What a rater's every item asks of the database is looked up, and not sought through all verdicts."""

from __future__ import annotations

import pytest
from sqlalchemy.dialects import sqlite
from sqlmodel import col, select

from db import Assignment, Database
from db.queries.assignments import is_done


@pytest.mark.parametrize("wanted", ["done", "open"])
def test_whether_an_assignment_is_done_is_asked_of_no_verdict_but_its_own(
    sqlite_database: Database, wanted: str
) -> None:
    done = is_done(Assignment)
    query = select(Assignment.id).where(col(Assignment.membership_id) == 1, done if wanted == "done" else ~done)
    statement = query.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})

    with sqlite_database.asking() as connection:
        plan = [str(row[-1]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}")]

    assert [step for step in plan if step.startswith("SCAN")] == []
