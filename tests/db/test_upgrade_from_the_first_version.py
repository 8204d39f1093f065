"""A database of the first version keeps every row, every guard and every hash when it is brought up to date."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from alembic import command
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import DBAPIError

import db
from db import queries
from db.engine import make_engine
from db.migrate import configuration, upgrade

MOMENT = "2026-11-01 10:00:00+00:00"
# In the order of their foreign keys: what a study looks like in which one item was read and flagged.
ROWS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("person", {"id": 1, "login": "rater", "name": "Rita Rater", "is_owner": False, "created_at": MOMENT}),
    ("study", {"id": 1, "key": "old", "title": "Old", "simulated_readers": False, "salt": "aa", "created_at": MOMENT}),
    ("protocol", {"study_id": 1, "canonical_json": "{}", "sha256": "p"}),
    ("login_session", {"id": 1, "token_sha256": "t", "person_id": 1, "created_at": MOMENT, "last_seen_at": MOMENT,
                       "expires_at": MOMENT}),
    ("membership", {"id": 1, "person_id": 1, "study_id": 1, "role": "rater", "pseudonym": "Rater 1", "specialty": "",
                    "created_at": MOMENT}),
    ("study_case", {"id": 1, "study_id": 1, "key": "c", "subject": "s", "vignette": "v", "age": 50, "note": "n"}),
    ("volume", {"id": 1, "study_id": 1, "case_id": 1, "key": "v", "role": "current", "sequence": "T1", "label": "T1",
                "file_name": "f", "sha256": "s", "voxel_sha256": "s", "shape": "[1]", "spacing": "[1]",
                "window": "[0, 1]", "intensity_range": "[0, 1]"}),
    ("item", {"id": 1, "study_id": 1, "case_id": 1, "key": "i", "category": "c", "format": "yes_no",
              "grounding": "image_grounded", "form": "f", "prompt": "Is it there?", "options": "[]",
              "sequences": '["T1"]', "uses_prior": False}),
    ("reference", {"id": 1, "item_id": 1, "version": 1, "accepted": '["yes"]', "text_only_answer": "",
                   "provenance": "x", "created_at": MOMENT}),
    ("assignment", {"id": 1, "public_id": "a", "study_id": 1, "membership_id": 1, "item_id": 1, "phase": "reading",
                    "pass_number": 1, "position": 1, "option_order": "[]", "created_at": MOMENT}),
    ("draft", {"assignment_id": 1, "sequence": 3, "answers": "{}", "saved_at": MOMENT}),
    ("display", {"id": 1, "assignment_id": 1, "login_session_id": 1, "shown_at": MOMENT, "load_ms": 1,
                 "renderer": "r", "viewport": "v"}),
    ("verdict", {"id": 1, "assignment_id": 1, "fields": '{"answer": "yes"}', "comment": "", "shown_at": MOMENT,
                 "submitted_at": MOMENT, "active_ms": 1, "idle_ms": 0, "load_ms": 1, "renderer": "r", "viewport": "v",
                 "software_version": "0", "freeze_sha256": "f", "receipt": "7K2M-9FQD", "idempotency_key": "k",
                 "content_sha256": "c"}),
    ("flag", {"id": 1, "verdict_id": 1, "kind": "prompt", "note": "odd", "created_at": MOMENT}),
)  # fmt: skip


@pytest.fixture
def old_engine(empty_database_url: str) -> Iterator[Engine]:
    """A database as the first version left it, with rows in it."""
    engine = make_engine(empty_database_url)
    command.upgrade(configuration(engine), "0001")
    with engine.connect() as connection:
        for table, row in ROWS:
            known = {column["name"] for column in inspect(engine).get_columns(table)}
            assert set(row) <= known, (table, set(row) - known)
            columns, values = ", ".join(f'"{name}"' for name in row), ", ".join(f":{name}" for name in row)
            connection.execute(text(f'INSERT INTO "{table}" ({columns}) VALUES ({values})'), row)
        connection.commit()
    yield engine
    engine.dispose()


def rows_of(engine: Engine) -> dict[str, list[dict[str, Any]]]:
    with engine.connect() as connection:
        return {
            table: [dict(row) for row in connection.execute(text(f'SELECT * FROM "{table}"')).mappings()]
            for table, _ in ROWS
        }


def test_every_row_is_there_afterwards_and_new_columns_say_nothing(old_engine: Engine) -> None:
    before = rows_of(old_engine)

    upgrade(old_engine)

    after = rows_of(old_engine)
    for table, rows in before.items():
        for old, new in zip(rows, after[table], strict=True):
            assert old.items() <= new.items()
    item, reference, verdict = after["item"][0], after["reference"][0], after["verdict"][0]
    assert (item["conversation"], item["turn"], item["start"], bool(item["practice"])) == (None, None, None, False)
    assert (reference["explanation"], verdict["login_session_id"], bool(after["volume"][0]["placed"])) == (
        "",
        None,
        True,
    )
    assert [str(value) for value in (item["overlays"], after["study_case"][0]["history"])] == ["[]", "[]"]


@pytest.mark.parametrize("table", ["reference", "verdict", "flag", "display"])
def test_rows_that_were_guarded_still_are(old_engine: Engine, table: str) -> None:
    upgrade(old_engine)

    for statement in (f'UPDATE "{table}" SET id = 2', f'DELETE FROM "{table}"'):
        with old_engine.connect() as connection, pytest.raises(DBAPIError, match="append-only"):
            connection.execute(text(statement))


def test_an_old_assignment_keeps_its_guards_and_practice_can_be_assigned(old_engine: Engine) -> None:
    upgrade(old_engine)
    insert = (
        "INSERT INTO assignment (id, public_id, study_id, membership_id, item_id, phase, pass_number, position, "
        "option_order, created_at) VALUES (:id, :id, 1, 1, 1, :phase, 1, 1, '[]', :at)"
    ).replace(":id, :id", ":id, :public_id")

    with old_engine.connect() as connection:
        connection.execute(text(insert), {"id": 2, "public_id": "b", "phase": "practice", "at": MOMENT})
        connection.commit()
    for phase in ("reading", "training"):
        with old_engine.connect() as connection, pytest.raises(DBAPIError):
            connection.execute(text(insert), {"id": 3, "public_id": "c", "phase": phase, "at": MOMENT})


def test_the_models_read_what_the_first_version_wrote(old_engine: Engine, tmp_path: Any) -> None:
    upgrade(old_engine)

    with db.Database(old_engine, tmp_path).reading() as session:
        assert queries.shown_item(session, 1).history == []
        assert queries.shown_volumes(session, 1)[0].placed
        assert [one.receipt for one in queries.verdict_chain(session, 1)] == ["7K2M-9FQD"]


def test_a_check_that_was_once_named_otherwise_is_replaced_too(old_engine: Engine) -> None:
    before, doubled = "ck_assignment_phase", "ck_assignment_ck_assignment_phase"
    with old_engine.connect() as connection:
        if old_engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"ALTER TABLE assignment RENAME CONSTRAINT {before} TO {doubled}")
        else:
            connection.exec_driver_sql("PRAGMA writable_schema=ON")
            connection.exec_driver_sql(
                f"UPDATE sqlite_master SET sql = replace(sql, '{before}', '{doubled}') WHERE name = 'assignment'"
            )
            connection.exec_driver_sql("PRAGMA writable_schema=RESET")
        connection.commit()

    upgrade(old_engine)

    [check] = inspect(old_engine).get_check_constraints("assignment")
    assert check["name"] == before
    assert "practice" in str(check["sqltext"])
