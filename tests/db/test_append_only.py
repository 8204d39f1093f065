"""Rows of append-only tables are added, never changed or removed: the database refuses, as trying shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Table, text
from sqlalchemy.exc import DBAPIError

import db
from db import Database
from services.reading import opening, settling
from services.studies.freeze import freezing, thawing
from services.studies.versions import making
from tests.db.full_study import full_study
from tests.following_study import GROUPS, READ_THEN_RESOLVE, read_through
from tests.listed_study import SCORE_ALONE, imported_listed, write_listed
from tests.pool_study import GROUPS as POOL_GROUPS
from tests.pool_study import POOL, consulting, with_models
from tests.sealed_study import looked_at_and_opened, with_many_items
from tests.versioned_study import corrected_prompt

APPEND_ONLY = (
    "acknowledgement", "adjudication", "audit_event", "calibration_look", "display", "flag", "freeze", "freeze_item",
    "imported_label", "judge_run", "judge_verdict", "label_import", "opened_basis", "phase_closing", "phase_opening",
    "pooled_answer", "practice_result", "reference", "review_task", "sealed_split", "split_opening", "study_event",
    "study_version", "technical_failure", "thaw", "verdict", "viewing_trace", "withdrawn_unit",
)  # fmt: skip


def with_a_closed_phase(database: Database, folder: Path) -> None:
    """Add a study of which a phase was closed before everybody was done, and another one opened."""
    later = "{key: later, rates: items, shows: [prompt], form: {v: text}, counts: no, opens: {by_admin: yes}}"
    write_listed(folder, f"{READ_THEN_RESOLVE}  - {later}\n")
    situation = imported_listed(database, folder, groups=GROUPS[1:])
    freezing.freeze_study(database, situation.admin, "listed")
    read_through(situation, situation.raters[0], most=1)
    settling.close_phase(database, situation.admin, "listed", "secret_arm", "So that there is a row.")
    opening.open_phase(database, situation.admin, "listed", "later", "So that there is a row.")


def with_a_pool(database: Database, folder: Path) -> None:
    """Add a study in which an answer of a person is rated among models' answers."""
    write_listed(folder, POOL, [with_models])
    situation = imported_listed(database, folder, key="pool", groups=POOL_GROUPS[1:])
    freezing.freeze_study(database, situation.admin, "pool")
    read_through(situation, situation.raters[0], {f"i{n}": consulting() for n in range(1, 7)}, most=1)
    settling.close_phase(database, situation.admin, "pool", "secret_arm", "So that there is a row.")


def refusal_of(database: Database, statement: str) -> str:
    """Return with which words the database refuses a statement; empty when it does as it is told."""
    with database.engine.connect() as connection:
        transaction = connection.begin()
        try:
            connection.execute(text(statement))
        except DBAPIError as error:
            return str(error.orig)
        finally:
            transaction.rollback()
    return ""


def quoted(table: Table, column: str = "") -> str:
    return f'"{column}"' if column else f'"{table.name}"'


def rows_in(database: Database, table: Table) -> int:
    with database.engine.connect() as connection:
        return int(connection.execute(text(f"SELECT count(*) FROM {quoted(table)}")).scalar_one())


def with_a_thaw(database: Database, folder: Path) -> None:
    """Add a study that was frozen and thawed."""
    situation = imported_listed(database, write_listed(folder, SCORE_ALONE), key="thawed")
    freezing.freeze_study(database, situation.admin, "thawed")
    thawing.thaw_study(database, situation.admin, "thawed", "So that there is a row.")


def with_a_version(database: Database, folder: Path) -> None:
    """Add a study with a version, in which a prompt is corrected."""
    situation = imported_listed(database, write_listed(folder, SCORE_ALONE), key="versions")
    freezing.freeze_study(database, situation.admin, "versions")
    corrected_prompt(folder)
    making.make_version(database, situation.admin, "versions", folder, "So that there is a row.")


def with_a_sealed_part(database: Database, folder: Path) -> None:
    """Add a study whose subjects are divided, of which a judge was looked at and opened on test."""
    situation = imported_listed(database, with_many_items(folder), key="divided")
    looked_at_and_opened(situation)


def test_the_tables_that_say_they_are_append_only_are_the_ones_that_are_tried_here() -> None:
    says_so = {
        str(mapper.local_table.name)
        for mapper in db.Base._sa_registry.mappers
        if "append-only" in (mapper.class_.__doc__ or "")
    }

    assert says_so == set(APPEND_ONLY)


def test_every_append_only_table_refuses_every_change_of_its_rows(database: Database, tmp_path: Path) -> None:
    full_study(database, tmp_path / "study")
    with_a_closed_phase(database, tmp_path / "following")
    with_a_pool(database, tmp_path / "pool")
    with_a_thaw(database, tmp_path / "thawed")
    with_a_version(database, tmp_path / "versions")
    with_a_sealed_part(database, tmp_path / "divided")
    postgresql = database.engine.dialect.name == "postgresql"
    not_refused = []

    for name in APPEND_ONLY:
        table = db.Base.metadata.tables[name]
        assert rows_in(database, table) > 0, f"{name} is empty, so nothing is tried"
        columns = [column.name for column in table.columns]
        tried = [f"UPDATE {quoted(table)} SET {quoted(table, column)} = {quoted(table, column)}" for column in columns]
        tried.append(f"DELETE FROM {quoted(table)}")
        if postgresql:
            tried += [f"TRUNCATE {quoted(table)}", f"TRUNCATE {quoted(table)} CASCADE"]
        else:
            tried.append(f"INSERT OR REPLACE INTO {quoted(table)} SELECT * FROM {quoted(table)}")
        not_refused += [statement for statement in tried if "append-only" not in refusal_of(database, statement)]

    assert [
        statement for statement in not_refused if not (postgresql and _is_refused_by_a_foreign_key(database, statement))
    ] == []
    assert "verdict is append-only" in refusal_of(database, "UPDATE verdict SET comment = 'something else'")
    assert refusal_of(database, "UPDATE draft SET sequence = sequence + 1") == ""  # drafts are not append-only


def _is_refused_by_a_foreign_key(database: Database, statement: str) -> bool:
    """A plain TRUNCATE of a table that others refer to is refused before any trigger is asked."""
    return "TRUNCATE" in statement and "foreign key" in refusal_of(database, statement)


@pytest.mark.parametrize("chosen", ["verdict", "adjudication"])
def test_a_second_root_for_the_same_assignment_cannot_be_stored(
    sqlite_database: Database, tmp_path: Path, chosen: str
) -> None:
    full_study(sqlite_database, tmp_path / "study")
    table = db.Base.metadata.tables[chosen]
    fresh = {"id": "NULL", "receipt": "'AAAA-AAAA'", "idempotency_key": "'another'"}
    columns = [column.name for column in table.columns]
    values = ", ".join(fresh.get(column, column) for column in columns)

    refused = refusal_of(
        sqlite_database,
        f"INSERT INTO {chosen} ({', '.join(columns)}) SELECT {values} FROM {chosen} LIMIT 1",
    )

    assert "UNIQUE" in refused


def test_revisions_of_a_verdict_cannot_fork(sqlite_database: Database, tmp_path: Path) -> None:
    full_study(sqlite_database, tmp_path / "study")
    columns = [column.name for column in db.Base.metadata.tables["verdict"].columns]

    def revision(number: int) -> str:
        fresh = {
            "id": "NULL", "supersedes_id": "id", "receipt": f"'AAAA-000{number}'", "idempotency_key": f"'key {number}'",
        }  # fmt: skip
        values = ", ".join(fresh.get(column, column) for column in columns)
        return f"INSERT INTO verdict ({', '.join(columns)}) SELECT {values} FROM verdict ORDER BY id LIMIT 1"

    with sqlite_database.engine.begin() as connection:
        connection.execute(text(revision(1)))

    assert "supersedes_id" in refusal_of(sqlite_database, revision(2))
