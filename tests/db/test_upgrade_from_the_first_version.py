"""A database of the first version keeps every row, every guard and every hash when it is brought up to date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

import db
from db import queries
from db.engine import make_engine
from db.migrate import configuration, upgrade
from services.studies.folders import unfinished_imports
from tests.db.first_release import load_as_before

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
    ("freeze", {"id": 1, "study_id": 1, "manifest_json": "{}", "sha256": "f", "seed": 1, "method": "all",
                "created_at": MOMENT}),
    ("candidate", {"id": 1, "study_id": 1, "item_id": 1, "key": "c", "model": "m", "answer": "yes"}),
    ("judge_run", {"id": 1, "study_id": 1, "name": "run", "judge": "j", "source_sha256": "s", "parameters": "{}",
                   "created_at": MOMENT}),
    ("judge_verdict", {"id": 1, "run_id": 1, "candidate_id": 1, "verdict": "correct", "explanation": ""}),
)  # fmt: skip


def insert_into(connection: Connection, table: str, row: dict[str, Any]) -> None:
    known = {column["name"] for column in inspect(connection).get_columns(table)}
    assert set(row) <= known, (table, set(row) - known)
    columns, values = ", ".join(f'"{name}"' for name in row), ", ".join(f":{name}" for name in row)
    connection.execute(text(f'INSERT INTO "{table}" ({columns}) VALUES ({values})'), row)


def make_old(engine: Engine) -> None:
    command.upgrade(configuration(engine), "0001")
    with engine.connect() as connection:
        for table, row in ROWS:
            insert_into(connection, table, row)
        connection.commit()


def make_upgraded(engine: Engine) -> None:
    make_old(engine)
    upgrade(engine)


@pytest.fixture
def old_engine(empty_database_url: str) -> Iterator[Engine]:
    """A database as the first version left it, with rows in it."""
    engine = make_engine(empty_database_url)
    load_as_before("first-version", engine, make_old)
    yield engine
    engine.dispose()


@pytest.fixture
def upgraded_engine(empty_database_url: str) -> Iterator[Engine]:
    """The same database, brought up to date."""
    engine = make_engine(empty_database_url)
    load_as_before("first-version-upgraded", engine, make_upgraded)
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


@pytest.mark.parametrize("table", ["verdict", "flag", "display", "freeze", "judge_run", "judge_verdict"])
def test_rows_that_were_guarded_still_are(upgraded_engine: Engine, table: str) -> None:
    for statement in (f'UPDATE "{table}" SET id = 2', f'DELETE FROM "{table}"'):
        with upgraded_engine.connect() as connection, pytest.raises(DBAPIError, match="append-only"):
            connection.execute(text(statement))


def test_an_old_assignment_keeps_its_guards_and_any_phase_can_be_assigned(upgraded_engine: Engine) -> None:
    insert = (
        "INSERT INTO assignment (id, public_id, study_id, membership_id, item_id, phase, pass_number, position, "
        "option_order, created_at) VALUES (:id, :id, 1, 1, 1, :phase, 1, 1, '[]', :at)"
    ).replace(":id, :id", ":id, :public_id")

    with upgraded_engine.connect() as connection:
        connection.execute(text(insert), {"id": 2, "public_id": "b", "phase": "practice", "at": MOMENT})
        connection.commit()
        connection.execute(text(insert), {"id": 3, "public_id": "c", "phase": "second_look", "at": MOMENT})
        connection.commit()
    with upgraded_engine.connect() as connection, pytest.raises(DBAPIError, match=r"(?i)unique"):
        connection.execute(text(insert), {"id": 4, "public_id": "d", "phase": "reading", "at": MOMENT})


def test_old_phases_get_their_kind_and_step(old_engine: Engine) -> None:
    insert = (
        "INSERT INTO assignment (id, public_id, study_id, membership_id, item_id, phase, pass_number, position, "
        "option_order, created_at) VALUES (:id, :public_id, 1, 1, 1, :phase, 1, 1, '[]', :at)"
    )
    with old_engine.connect() as connection:
        for number, phase in enumerate(("scoring", "review", "opinions"), start=2):
            connection.execute(text(insert), {"id": number, "public_id": phase, "phase": phase, "at": MOMENT})
        connection.commit()

    upgrade(old_engine)

    with old_engine.connect() as connection:
        rows = connection.execute(text("SELECT phase, kind, step FROM assignment ORDER BY id")).all()
    assert [tuple(row) for row in rows] == [
        ("reading", "items", 1),
        ("scoring", "candidates", 1),
        ("review", "items", 1),
        ("opinions", "items", 2),
    ]


def test_rows_of_the_first_version_say_that_they_follow_its_rules(upgraded_engine: Engine, tmp_path: Path) -> None:
    with db.Database(upgraded_engine, tmp_path).read_only() as session:
        freeze, run = session.get_one(db.Freeze, 1), session.get_one(db.JudgeRun, 1)
        assert (freeze.draw_rule, freeze.version) == (1, 1)
        assert (run.hash_rule, run.scale) == (1, ["incorrect", "correct"])
        # It counts as published: its verdicts cannot be cleaned away.
        assert session.get_one(db.JudgeImport, 1).name == run.name == "run"
        assert unfinished_imports.unfinished(session, unfinished_imports.VERDICTS) == []
        assert session.get_one(db.Verdict, 1).hash_rule == 1


def test_labels_that_were_stored_at_once_count_as_published(old_engine: Engine, tmp_path: Path) -> None:
    command.upgrade(configuration(old_engine), "0018")
    imported = {"id": 7, "study_id": 1, "name": "labels", "field": "", "scale": "[]", "source": "s",
                "source_sha256": "s", "blinding": "", "drawn": "", "parameters": "{}", "at": MOMENT}  # fmt: skip
    label = {"id": 1, "import_id": 7, "candidate_id": 1, "labeller": "Dr A", "label": "correct", "missing": "",
             "remark": ""}  # fmt: skip
    with old_engine.connect() as connection:
        insert_into(connection, "label_import", imported)
        insert_into(connection, "imported_label", label)
        connection.commit()

    upgrade(old_engine)

    with db.Database(old_engine, tmp_path).read_only() as session:
        assert session.get_one(db.LabelReservation, 7).name == session.get_one(db.LabelImport, 7).name == "labels"
        assert unfinished_imports.unfinished(session, unfinished_imports.LABELS) == []
    for table in ("imported_label", "label_import"):
        with old_engine.connect() as connection, pytest.raises(DBAPIError, match="append-only"):
            connection.execute(text(f"DELETE FROM {table}"))
    with db.Database(old_engine, tmp_path).writing() as session:
        reserved = db.LabelReservation(study_id=1, name="next", holder="", expires_at=db.now())
        session.add(reserved)
        session.flush()
        assert reserved.id == 8


@pytest.mark.parametrize("frozen", [True, False])
def test_references_can_be_removed_until_their_study_is_frozen(old_engine: Engine, frozen: bool) -> None:
    if not frozen:
        with old_engine.connect() as connection:
            for table, row in ROWS:
                if table in {"study", "study_case", "item", "reference"}:
                    moved = {name: 2 if value == 1 and name.endswith("id") else value for name, value in row.items()}
                    insert_into(connection, table, {**moved, "key": "draft"} if "key" in moved else moved)
            connection.commit()
    upgrade(old_engine)

    with old_engine.connect() as connection:
        if frozen:
            with pytest.raises(DBAPIError, match="append-only"):
                connection.execute(text("DELETE FROM reference WHERE item_id = 1"))
        else:
            assert connection.execute(text("DELETE FROM reference WHERE item_id = 2")).rowcount == 1


def test_the_models_read_what_the_first_version_wrote(upgraded_engine: Engine, tmp_path: Any) -> None:
    with db.Database(upgraded_engine, tmp_path).read_only() as session:
        assert queries.shown_item(session, 1).history == []
        assert queries.shown_volumes(session, 1)[0].placed
        assert [verdict.receipt for verdict in queries.verdict_chain(session, 1)] == ["7K2M-9FQD"]


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

    checks = {str(check["name"]) for check in inspect(old_engine).get_check_constraints("assignment")}
    assert checks == {"ck_assignment_kind", "ck_assignment_step"}
