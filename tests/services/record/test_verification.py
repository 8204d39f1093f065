"""Verdicts and decisions that were changed behind the program's back are found by their receipt."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, select

from db import AuditEvent, Database, Study, Verdict
from db.engine import make_engine
from db.migrate import altered_schema
from services.adjudication import review_queue
from services.errors import Conflict
from services.record import maintenance, verification
from services.record.row_checks import row_problems
from services.seals import audit_head, proofs
from services.studies.membership import members, removing
from tests.db.first_release import load_as_before, load_first_release, load_sealed_rows
from tests.db.full_study import full_study
from tests.harness import databases
from tests.services.record.tampering import past_the_guards
from tests.situations import Situation, answers, open_study, opened_once, read_all, write_study_folder


def with_every_verdict(database: Database, folder: Path) -> Situation:
    """Return a study that was read and adjudicated; see `opened_once`."""
    return opened_once(
        database, write_study_folder(folder), ("every verdict",), lambda empty: _with_every_verdict(empty, folder)
    )


def _with_every_verdict(database: Database, folder: Path) -> Situation:
    """Read all items with a flag and a comment among them, differing in one, and adjudicate."""
    situation = open_study(database, folder)
    flagged = {**answers(answer="yes"), "comment": "A remark.", "flag": {"id": "prompt", "note": "Which one?"}}
    read_all(situation, situation.raters[0], by_prompt={"Prompt of i1?": flagged})
    read_all(
        situation,
        situation.raters[1],
        by_prompt={"Prompt of i3?": "no", "Prompt of i6?": {**answers(), "not_assessable": "quality"}},
    )
    review_queue.open_review_queue(database, situation.admin, "tiny")
    read_all(situation, situation.reviewer, "review")
    read_all(situation, situation.raters[0], "scoring")
    return situation


def test_a_worked_through_study_verifies(database: Database, tmp_path: Path) -> None:
    with_every_verdict(database, tmp_path / "study")

    assert verification.verify_study(database, "tiny") == []


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("verdict", 'UPDATE verdict SET fields = \'{"answer":"no"}\' WHERE id = 1'),
        ("verdict", "UPDATE verdict SET comment = 'Another.' WHERE id = 1"),
        ("verdict", "UPDATE verdict SET receipt = '2222-2222' WHERE id = 1"),
        ("flag", "UPDATE flag SET note = 'Another.'"),
        ("adjudication", "UPDATE adjudication SET reason = 'Another.' WHERE id = 1"),
        ("adjudication", "DELETE FROM adjudication WHERE id = 1"),
    ],
)
def test_a_changed_verdict_is_named_by_its_receipt(
    sqlite_database: Database, tmp_path: Path, table: str, change: str
) -> None:
    with_every_verdict(sqlite_database, tmp_path / "study")

    with sqlite_database.engine.begin() as connection:
        for kind in ("update", "delete"):
            connection.exec_driver_sql(f"DROP TRIGGER {table}_no_{kind}")
        connection.exec_driver_sql(change)

    problems = verification.verify_study(sqlite_database, "tiny")
    assert any("was changed after it was submitted, or is missing" in problem for problem in problems)


def test_an_index_that_says_what_its_table_does_not_is_named(sqlite_database: Database, tmp_path: Path) -> None:
    """Queries read either: a report would count a verdict as superseded while every row is as it was."""
    with_every_verdict(sqlite_database, tmp_path / "study")
    file = Path(str(sqlite_database.engine.url.database))
    sqlite_database.engine.dispose()
    index, place = "ix_assignment_item_id", "FROM sqlite_master WHERE name = 'ix_assignment_item_id'"
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        (number, item) = connection.execute(
            "SELECT id, item_id FROM assignment WHERE phase = 'review' ORDER BY id"
        ).fetchone()
        connection.execute(
            "UPDATE assignment SET item_id = (SELECT min(id) FROM item WHERE id NOT IN"
            " (SELECT item_id FROM assignment WHERE phase = 'review')) WHERE id = ?",
            (number,),
        )
        row = connection.execute(f"SELECT * {place}").fetchone()
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(f"DELETE {place}")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("UPDATE assignment SET item_id = ? WHERE id = ?", (item, number))
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", row)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for _, definition in triggers:
            connection.execute(definition)

    (problem,) = verification.verify_study(sqlite_database, "tiny")

    assert problem.startswith("The database file contradicts itself: ")
    assert index in problem


def with_first_release(url: str, folder: Path) -> Database:
    database = Database(make_engine(url), folder / "data")
    load_first_release(database.engine, folder)
    maintenance.prepare(database)
    return database


def without_files(problems: list[str]) -> list[str]:
    """Leave out the scans, which are not kept with the database of the first release."""
    return [problem for problem in problems if "prepared file" not in problem]


def test_rows_of_the_first_release_are_sealed_once_and_it_says_so(empty_database_url: str, tmp_path: Path) -> None:
    database = with_first_release(empty_database_url, tmp_path)
    maintenance.prepare(database)

    with database.read_only() as session:
        events = session.exec(select(AuditEvent).where(AuditEvent.action == "earlier rows sealed")).all()
    assert len(events) == 1
    for key in ("demo", "demo-finished"):
        assert without_files(verification.verify_study(database, key)) == []
    (remark,) = verification.remarks_on(database, "demo-finished")
    assert "159 verdicts among them, were sealed only at" in remark
    assert "proven from then on" in remark
    database.engine.dispose()


def test_seals_hold_across_migrations_that_add_columns(empty_database_url: str, tmp_path: Path) -> None:
    database = Database(make_engine(empty_database_url), tmp_path / "data")
    load_sealed_rows(database.engine, tmp_path)

    maintenance.prepare(database)

    assert verification.verify_study(database, "tiny", files=False) == []
    database.engine.dispose()


def sealed_and_upgraded(engine: Engine, scratch: Path) -> None:
    load_sealed_rows(engine, scratch)
    maintenance.prepare(Database(engine, scratch / "data"))


SAID_LATER = {
    "slot": "1", "inclusion_error": "1", "confidence": "0.5", "slots": "'[\"x\"]'", "attributes": "'{\"x\": 1}'",
}  # fmt: skip


@pytest.mark.parametrize(
    ("table", "column"),
    [(proofs.table_name(table), column) for table, columns in proofs.YOUNGER.items() for column in columns],
)
def test_a_column_that_is_younger_than_the_seal_does_not_change_unseen(tmp_path: Path, table: str, column: str) -> None:
    database = Database(make_engine(databases.sqlite_url(tmp_path / "blindread.db")), tmp_path / "data")
    load_as_before("sealed-rows-upgraded", database.engine, lambda emptied: sealed_and_upgraded(emptied, tmp_path))

    said = SAID_LATER.get(column, "'x'")
    past_the_guards(database, f"UPDATE {table} SET {column} = {said}")

    assert any(f"Table {table}, " in problem for problem in verification.verify_study(database, "tiny", files=False))
    database.engine.dispose()


def test_a_database_without_a_study_needs_no_seal(database: Database) -> None:
    maintenance.prepare(database)

    with database.read_only() as session:
        assert session.exec(select(AuditEvent.id)).all() == []


ON_EITHER = (
    ("verdict", "UPDATE verdict SET active_ms = active_ms + 1 WHERE id = 1"),
    ("verdict", "UPDATE verdict SET submitted_at = shown_at WHERE id = 1"),
    ("display", "DELETE FROM display WHERE id = 1"),
    ("assignment", "UPDATE assignment SET option_order = '[]' WHERE phase = 'reading' AND item_id = 2"),
    ("membership", "UPDATE membership SET specialty = 'another' WHERE role = 'rater'"),
    ("membership", "UPDATE membership SET group_key = 'another' WHERE role = 'rater'"),
    ("membership", "UPDATE membership SET slot = 7 WHERE role = 'rater'"),
    ("reference", "UPDATE reference SET provenance = 'invented'"),
    ("freeze_item", "UPDATE freeze_item SET inclusion_probability = 0.5 WHERE candidate_id IS NOT NULL"),
    ("freeze_item", "UPDATE freeze_item SET slots = '[\"raters/1\"]'"),
    ("judge_verdict", "UPDATE judge_verdict SET explanation = 'another'"),
    ("review_task", "UPDATE review_task SET opinion_order = '[901,900]'"),
    ("adjudication", "UPDATE adjudication SET opinions_shown = '[1]'"),
    ("acknowledgement", "DELETE FROM acknowledgement"),
    ("acknowledgement", "UPDATE acknowledgement SET group_key = 'another'"),
    ("practice_result", "UPDATE practice_result SET correct = correct + 1"),
    ("technical_failure", "DELETE FROM technical_failure"),
    ("study_event", "UPDATE study_event SET reason = 'another' WHERE kind = 'interim'"),
    ("study", "UPDATE study SET simulated_readers = NOT simulated_readers"),
    ("freeze", "UPDATE \"freeze\" SET sha256 = 'f'"),
)


def test_changes_behind_the_programs_back_are_found_on_either_database(database: Database, tmp_path: Path) -> None:
    full_study(database, tmp_path / "study")
    postgresql = database.engine.dialect.name == "postgresql"
    assert verification.verify_study(database, "tiny") == []

    for table, change in ON_EITHER:
        with Session(database.engine) as session:
            connection = session.connection(execution_options={"blindread_writing": True})
            if postgresql:
                connection.exec_driver_sql(f'ALTER TABLE "{table}" DISABLE TRIGGER ALL')
            else:
                for (name,) in connection.exec_driver_sql(
                    "SELECT name FROM sqlite_master WHERE type = 'trigger'"
                ).all():
                    connection.exec_driver_sql(f"DROP TRIGGER {name}")
                connection.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
            assert connection.exec_driver_sql(change).rowcount > 0, change

            assert row_problems(session, session.exec(select(Study)).one()) != [], change
            assert altered_schema(connection) != [], change
            session.rollback()


@pytest.mark.postgresql
def test_a_schema_of_postgresql_that_was_altered_is_a_problem_of_every_study(postgres_url: str, tmp_path: Path) -> None:
    database = Database(make_engine(postgres_url), tmp_path / "data")
    open_study(database, tmp_path / "study")
    assert verification.verify_study(database, "tiny") == []

    with database.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE study ALTER COLUMN title SET DEFAULT 'evil'")
        connection.exec_driver_sql("CREATE INDEX quicker ON draft (sequence)")

    (problem,) = verification.verify_study(database, "tiny")
    assert problem.startswith("The table 'study' was altered (gone: title character varying(200) NOT NULL; new: title ")
    database.engine.dispose()


OTHER_ROOTS = (
    "DROP INDEX uq_verdict_root",
    "CREATE UNIQUE INDEX uq_verdict_root ON verdict (assignment_id) WHERE supersedes_id IS NULL AND id < 0",
)


def test_a_unique_index_that_holds_for_other_rows_is_named(database: Database) -> None:
    with database.engine.connect() as connection:
        assert altered_schema(connection) == []
        for statement in OTHER_ROOTS:
            connection.exec_driver_sql(statement)

        assert altered_schema(connection) == ["The unique index 'uq_verdict_root' on 'verdict' was altered."]


def test_a_further_unique_index_is_named(database: Database) -> None:
    with database.engine.connect() as connection:
        connection.exec_driver_sql("CREATE UNIQUE INDEX strange ON verdict (comment, id)")

        assert altered_schema(connection) == [
            "The unique index 'strange' on 'verdict' does not belong to this database."
        ]


@pytest.mark.parametrize(
    ("statements", "says"),
    [
        (
            ("ALTER TABLE draft RENAME TO other", "CREATE VIEW draft AS SELECT * FROM other"),
            "The table 'draft' is gone.",
        ),
        (("ALTER TABLE person DROP COLUMN is_demo",), "The table 'person' was altered (gone: is_demo "),
        (
            ("DROP INDEX ix_verification_study_id",),
            "The plain index 'ix_verification_study_id' on 'verification' is gone.",
        ),
    ],
)
def test_tables_columns_and_indexes_that_are_gone_are_named(
    database: Database, statements: tuple[str, ...], says: str
) -> None:
    with database.engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)

        assert says in altered_schema(connection)[0]


def test_a_foreign_key_that_is_gone_is_named(sqlite_database: Database) -> None:
    with closing(sqlite3.connect(str(sqlite_database.engine.url.database))) as connection:
        (made,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'verdict'").fetchone()
        without = made.replace("FOREIGN KEY(assignment_id) REFERENCES assignment (id)", "CHECK (1)")
        assert without != made
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'verdict'", (without,))
        connection.commit()

    name = "fk_verdict_assignment_id_assignment"
    with sqlite_database.engine.connect() as connection:
        assert altered_schema(connection) == [
            (
                f"The table 'verdict' was altered (gone: CONSTRAINT {name} FOREIGN KEY(assignment_id) REFERENCES "
                f"assignment (id); new: CONSTRAINT {name} CHECK (1))."
            )
        ]


def test_a_head_is_found_in_the_file_that_was_kept_and_a_file_without_one_is_refused(
    sqlite_database: Database, tmp_path: Path
) -> None:
    open_study(sqlite_database, tmp_path / "study")
    content = audit_head.head_file(audit_head.present_head(sqlite_database))

    assert verification.verify_study(sqlite_database, "tiny", content) == []
    assert verification.verify_study(sqlite_database, "tiny", "f" * 64) != []
    with pytest.raises(Conflict, match="holds no head"):
        verification.verify_study(sqlite_database, "tiny", "nothing")


def test_somebody_who_was_taken_out_and_came_back_in_another_role_leaves_a_study_that_verifies(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    removing.remove_member(sqlite_database, situation.admin, "tiny", "rater-2")
    assert verification.verify_study(sqlite_database, "tiny") == []

    for role in ("rater", "reviewer"):
        members.invite(sqlite_database, situation.admin, "tiny", "rater-2", "Rita", role)
        assert verification.verify_study(sqlite_database, "tiny") == []
        removing.remove_member(sqlite_database, situation.admin, "tiny", "rater-2")


DEEP = "[" * 100_000 + "]" * 100_000
FORGED_ANSWER = 'UPDATE verdict SET fields = \'{"answer":"forged"}\' WHERE id = 1'
UNREADABLE = {
    "text that is no text": "UPDATE verdict SET comment = CAST(x'fffe80' AS TEXT) WHERE id = 2",
    "a date that is none": "UPDATE verdict SET submitted_at = 'yesterday' WHERE id = 2",
    "a study's date that is none": "UPDATE study SET created_at = 'yesterday'",
    "a study's title that is no text": "UPDATE study SET title = CAST(x'fffe80' AS TEXT)",
    "answers nested too deeply": f"UPDATE verdict SET fields = '{DEEP}' WHERE id = 2",
    "an event nested too deeply": f"UPDATE audit_event SET detail = '{DEEP}' WHERE id = 20",
    "an event that is no object": "UPDATE audit_event SET detail = '[1]' WHERE id = 20",
    "an event with bytes in it": "UPDATE audit_event SET previous_hash = x'00' WHERE id = 20",
    "a manifest nested too deeply": f"UPDATE freeze SET manifest_json = '{DEEP}'",
    "a salt that is none": "UPDATE study SET salt = 'zz'",
    "a table that is gone": "DROP TABLE flag",
    "a table under another name": "ALTER TABLE reference RENAME TO reference_2",
    "a column under another name": "ALTER TABLE display RENAME COLUMN viewport TO viewport_2",
}


@pytest.fixture(scope="module")
def read_through(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a study with every verdict."""
    folder = tmp_path_factory.mktemp("read-through")
    engine = make_engine(databases.copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    with_every_verdict(Database(engine, folder / "data"), folder / "study")
    engine.dispose()
    return folder / "data"


@pytest.fixture
def altered(read_through: Path, tmp_path: Path) -> Iterator[Database]:
    """A copy of that study, to be altered."""
    shutil.copytree(read_through, tmp_path / "data")
    engine = make_engine(databases.sqlite_url(tmp_path / "data" / "blindread.db"))
    yield Database(engine, tmp_path / "data")
    engine.dispose()


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_a_problem_and_hides_no_altered_answer(altered: Database, name: str) -> None:
    with altered.read_only() as session:
        receipt = session.exec(select(Verdict.receipt).where(Verdict.id == 1)).one()
    past_the_guards(altered, FORGED_ANSWER)
    before = verification.verify_study(altered, "tiny")

    past_the_guards(altered, UNREADABLE[name])

    problems = verification.verify_study(altered, "tiny")
    assert f"The verdict with receipt {receipt} was changed after it was submitted, or is missing." in problems
    assert set(problems) - set(before) != set()
    assert isinstance(verification.remarks_on(altered, "tiny"), list)


def test_without_an_audit_chain_every_row_is_a_problem(altered: Database) -> None:
    past_the_guards(altered, "DROP TABLE audit_event")

    problems = verification.verify_study(altered, "tiny")

    assert "The table 'audit_event' is gone." in problems


def test_without_a_table_of_studies_that_is_the_problem(altered: Database) -> None:
    past_the_guards(altered, "DROP TABLE study")

    assert verification.verify_study(altered, "tiny") == [
        "The studies are gone or cannot be read (OperationalError), so not all could be verified."
    ]


@pytest.mark.postgresql
@pytest.mark.parametrize("change", ["DROP TABLE flag CASCADE", "ALTER TABLE display RENAME COLUMN viewport TO other"])
def test_what_cannot_be_read_hides_no_altered_answer_on_postgresql(
    postgres_url: str, tmp_path: Path, change: str
) -> None:
    database = Database(make_engine(postgres_url), tmp_path / "data")
    situation = open_study(database, tmp_path / "study")
    read_all(situation, situation.raters[0])
    with database.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE verdict DISABLE TRIGGER ALL")
        connection.exec_driver_sql(FORGED_ANSWER)
        connection.exec_driver_sql(change)

    problems = verification.verify_study(database, "tiny")

    assert any("was changed after it was submitted, or is missing" in problem for problem in problems)
    assert any("cannot be read (ProgrammingError)" in problem for problem in problems)
    database.engine.dispose()
