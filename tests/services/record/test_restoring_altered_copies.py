"""A copy that lost or gained part of its schema, or holds what nobody can read, never takes the database's place."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import inspect

from db import Database
from db.engine import make_engine
from services.errors import Conflict, InputRefused
from services.record import maintenance
from services.record.restoring import restore_installation
from tests.db.altered_schemas import ALTERED
from tests.db.first_release import load_first_release, write_first_release
from tests.db.test_append_only import APPEND_ONLY
from tests.harness import databases
from tests.services.record.conftest import MakeEmpty
from tests.services.record.tampering import change_copy
from tests.situations import Situation

# One of each kind of what a dump says in its own way; tests/db/test_schema.py goes through all of them.
BROUGHT_ALONG = (
    "a default", "a generated column", "no column", "values that may lack", "a shorter type", "another collation",
    "an exclusion", "another check", "rows that go along", "a table that inherits", "a sequence", "no table",
    "row level security for its owner", "no trigger", "triggers that are off", "a trigger", "an index on an expression",
    "an index of ours of another kind",
)  # fmt: skip
FORGING = "CREATE TRIGGER {name} AFTER UPDATE ON login_session BEGIN DELETE FROM audit_event WHERE id = 1; END"


@pytest.fixture
def saved(opened: Situation, tmp_path: Path) -> Path:
    """A backup of the tiny study, open for reading."""
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    return tmp_path / "backup"


@pytest.fixture
def saved_draft(imported: Situation, tmp_path: Path) -> Path:
    """A backup in which no study is frozen."""
    maintenance.back_up_installation(imported.database, tmp_path / "backup")
    return tmp_path / "backup"


@pytest.fixture
def nowhere(tmp_path: Path) -> Database:
    """An installation whose data folder has not been made yet."""
    return Database(make_engine(databases.sqlite_url(tmp_path / "elsewhere" / "blindread.db")), tmp_path / "elsewhere")


def refused(database: Database, backup: Path) -> str:
    """Restore, and return the sentences of the refusal, after seeing that it left nothing behind."""
    with pytest.raises(InputRefused) as refusal:
        restore_installation(database, backup)

    assert not database.data_dir.exists()
    return str(refusal.value)


def test_a_copy_without_its_triggers_is_refused_although_no_study_is_frozen(
    saved_draft: Path, nowhere: Database
) -> None:
    change_copy(saved_draft, guards_back=False)

    said = refused(nowhere, saved_draft)

    assert "does not have the schema that Blindread made; use another backup. The trigger 'acknowledgement_no" in said
    # Two of each table, of which three are named.
    assert said.endswith(f" is gone. ({2 * len(APPEND_ONLY) - 3} more after it.)")


def test_a_foreign_trigger_is_refused_before_it_can_run(saved_draft: Path, nowhere: Database) -> None:
    change_copy(saved_draft, FORGING.format(name="forging"))

    assert "The trigger 'forging' on 'login_session' does not belong to this database." in refused(nowhere, saved_draft)


def test_a_name_in_a_copy_cannot_fill_or_steer_a_terminal(saved_draft: Path, nowhere: Database) -> None:
    change_copy(saved_draft, FORGING.format(name=f'"\x1b[2J{5_000 * "x"}"'))

    said = refused(nowhere, saved_draft)

    assert said.isprintable()
    assert len(said) < 600


@pytest.mark.parametrize("name", ["forging", "verdict_no_update"])
def test_a_trigger_that_no_release_made_is_refused_in_the_copy_of_an_older_release(
    name: str, nowhere: Database, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    write_first_release(backup / "blindread.db")
    change_copy(backup, f"SELECT '{name}'")
    with closing(sqlite3.connect(backup / "blindread.db")) as connection:
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
        connection.execute(FORGING.format(name=name))
        connection.commit()

    assert f"The trigger '{name}' on 'login_session' does not belong to this database." in refused(nowhere, backup)


def test_a_copy_of_an_older_release_is_compared_with_the_schema_of_that_release(
    nowhere: Database, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    write_first_release(backup / "blindread.db")
    with closing(sqlite3.connect(backup / "blindread.db")) as connection:
        connection.execute("DROP TRIGGER verdict_no_update")

    assert "The trigger 'verdict_no_update' on 'verdict' is gone." in refused(nowhere, backup)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DROP INDEX uq_verdict_root", "The unique index 'uq_verdict_root' on 'verdict' is gone."),
        (
            "DROP INDEX ix_verification_study_id",
            "The plain index 'ix_verification_study_id' on 'verification' is gone.",
        ),
        ("CREATE UNIQUE INDEX strange ON draft (sequence)", "The unique index 'strange' on 'draft' does not belong"),
        ("ALTER TABLE person DROP COLUMN is_demo", "The table 'person' was altered (gone: is_demo BOOLEAN"),
    ],
)
def test_lost_indexes_and_columns_are_refused_by_name(
    statement: str, says: str, saved: Path, nowhere: Database
) -> None:
    change_copy(saved, statement)

    assert says in refused(nowhere, saved)


def test_an_index_that_somebody_added_to_be_quicker_is_brought_back(saved: Path, nowhere: Database) -> None:
    change_copy(saved, "CREATE INDEX quicker ON draft (sequence)")

    assert restore_installation(nowhere, saved).problems == []


@pytest.mark.parametrize("table", ["assignment", "credential", "draft", "lease", "verdict", "volume"])
def test_a_copy_without_a_table_is_refused(table: str, saved: Path, nowhere: Database) -> None:
    with closing(sqlite3.connect(saved / "blindread.db")) as connection:
        connection.execute(f'DROP TABLE "{table}"')

    assert f"The table '{table}' is gone." in refused(nowhere, saved)


def test_a_view_in_the_place_of_a_table_is_no_table(saved: Path, nowhere: Database) -> None:
    with closing(sqlite3.connect(saved / "blindread.db")) as connection:
        connection.execute("ALTER TABLE credential RENAME TO other")
        connection.execute("CREATE VIEW credential AS SELECT * FROM other")

    assert "The table 'credential' is gone." in refused(nowhere, saved)


def test_a_view_in_the_place_of_the_schemas_number_is_no_number(saved: Path, nowhere: Database) -> None:
    with closing(sqlite3.connect(saved / "blindread.db")) as connection:
        (number,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        connection.execute("DROP TABLE alembic_version")
        connection.execute(f"CREATE VIEW alembic_version AS SELECT '{number}' AS version_num")

    assert "holds no database of Blindread" in refused(nowhere, saved)


def test_a_long_number_of_a_schema_is_not_quoted_in_full(saved: Path, nowhere: Database) -> None:
    change_copy(saved, "UPDATE alembic_version SET version_num = '" + 300_000 * "9" + "'")

    with pytest.raises(Conflict, match=r"^The backup has schema 9{40} and this program knows up to"):
        restore_installation(nowhere, saved)


@pytest.mark.parametrize("table", ["person", "study"])
def test_a_value_that_cannot_be_read_is_refused_in_a_sentence_or_named(
    table: str, saved: Path, nowhere: Database
) -> None:
    change_copy(saved, f"UPDATE {table} SET created_at = 'junk'")

    try:
        said = " ".join(restore_installation(nowhere, saved).problems)
    except InputRefused as refusal:
        said = str(refusal)
        assert not nowhere.data_dir.exists()

    assert "cannot be read (ValueError)" in said
    assert "junk" not in said


def test_a_copy_that_bears_an_older_number_than_its_tables_have_is_refused(saved: Path, nowhere: Database) -> None:
    change_copy(saved, "UPDATE alembic_version SET version_num = '0001'")

    assert "does not have the schema that Blindread made" in refused(nowhere, saved)


def test_volumes_that_were_there_before_stay_behind_a_refusal(saved: Path, nowhere: Database) -> None:
    shutil.copytree(saved / "volumes", nowhere.data_dir / "volumes")
    change_copy(saved, "UPDATE person SET created_at = 'junk'")

    with pytest.raises(InputRefused):
        restore_installation(nowhere, saved)

    assert len(list(nowhere.volume_dir.rglob("*.nii.gz"))) == 9
    assert [path.name for path in nowhere.data_dir.iterdir()] == ["volumes"]


def test_a_link_at_the_place_of_a_file_that_is_coming_in_is_not_written_through(
    saved: Path, nowhere: Database, tmp_path: Path
) -> None:
    volume = next((saved / "volumes").rglob("*.nii.gz")).relative_to(saved)
    incoming = (nowhere.data_dir / volume).with_name(f".incoming-{volume.name}")
    incoming.parent.mkdir(parents=True)
    (tmp_path / "precious").write_text("years of work")
    incoming.symlink_to(tmp_path / "precious")

    assert restore_installation(nowhere, saved).problems == []
    assert (tmp_path / "precious").read_text() == "years of work"


def test_the_head_of_an_empty_chain_compares_nothing(saved: Path, nowhere: Database) -> None:
    (saved / "audit-head.txt").write_text(64 * "0")

    assert not restore_installation(nowhere, saved).head_compared


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (os.mkfifo, "a pipe, socket or device"),
        (Path.mkdir, "a folder"),
        (lambda path: path.symlink_to(path.with_name("gone")), "a broken link"),
    ],
)
def test_what_is_no_file_in_the_place_of_the_database_is_refused_by_what_it_is(
    make: Callable[[Path], object], what: str, saved: Path, make_empty: MakeEmpty
) -> None:
    elsewhere = make_empty("sqlite")
    make(elsewhere.data_dir / "blindread.db")

    with pytest.raises(Conflict, match=rf"blindread\.db is {what}, where the database belongs; move it away"):
        restore_installation(elsewhere, saved)

    assert [path.name for path in elsewhere.data_dir.iterdir()] == ["blindread.db"]


def test_a_volume_with_an_endless_name_is_refused_and_leaves_nothing(saved: Path, nowhere: Database) -> None:
    (saved / "volumes" / ("x" * 250)).write_bytes(b"")

    with pytest.raises(InputRefused, match="a name of more than 200 letters"):
        restore_installation(nowhere, saved)

    assert not nowhere.data_dir.exists()


@pytest.mark.postgresql
@pytest.mark.parametrize("what", BROUGHT_ALONG)
def test_a_dump_with_another_schema_is_refused_and_its_database_stays_shut(
    postgres_url: str, make_empty: MakeEmpty, tmp_path: Path, what: str
) -> None:
    change, says = ALTERED[what]
    database = Database(make_engine(postgres_url), tmp_path / "data")
    with database.engine.begin() as connection:
        connection.exec_driver_sql(change)
    maintenance.back_up_installation(database, tmp_path / "backup")
    database.engine.dispose()
    elsewhere = make_empty("postgresql")

    with pytest.raises(InputRefused, match=says.removeprefix("^").removesuffix("$")):
        restore_installation(elsewhere, tmp_path / "backup")

    with pytest.raises(Conflict, match="was broken off; make an empty database"):
        maintenance.require_prepared(elsewhere)


@pytest.mark.postgresql
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            "CREATE RULE forging AS ON UPDATE TO login_session DO ALSO DELETE FROM sign_in_try",
            "rule login_session forg",
        ),
        ("CREATE FUNCTION forge() RETURNS integer LANGUAGE sql AS 'SELECT 1'", r"function forge\(\)"),
        ("CREATE VIEW everybody AS SELECT * FROM person", "view everybody"),
        ("CREATE POLICY mine ON verdict USING (false)", "policy verdict mine"),
        ("CREATE EVENT TRIGGER forging ON ddl_command_end EXECUTE FUNCTION forge()", "(function|event trigger)"),
        ("CREATE SCHEMA other; CREATE TABLE other.verdict (id int)", "schema other"),
    ],
)
def test_a_part_of_a_dump_that_no_release_makes_is_refused_before_anything_is_written(
    postgres_url: str, make_empty: MakeEmpty, tmp_path: Path, change: str, says: str
) -> None:
    database = Database(make_engine(postgres_url), tmp_path / "data")
    with database.engine.begin() as connection:
        if "forge()" in change and not change.startswith("CREATE FUNCTION"):
            connection.exec_driver_sql(
                "CREATE FUNCTION forge() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN NULL; END'"
            )
        connection.exec_driver_sql(change)
    maintenance.back_up_installation(database, tmp_path / "backup")
    with database.engine.begin() as connection:
        # An event trigger acts in the whole server's database, also while the next test tidies up.
        connection.exec_driver_sql("DROP EVENT TRIGGER IF EXISTS forging")
    database.engine.dispose()
    elsewhere = make_empty("postgresql")

    with pytest.raises(InputRefused, match=says):
        restore_installation(elsewhere, tmp_path / "backup")

    assert inspect(elsewhere.engine).get_table_names() == []


@pytest.mark.postgresql
def test_extensions_privileges_and_comments_are_left_out_of_what_is_brought_back(
    postgres_url: str, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    database = Database(make_engine(postgres_url), tmp_path / "data")
    with database.engine.begin() as connection:
        connection.exec_driver_sql("CREATE EXTENSION pg_trgm")
        connection.exec_driver_sql("GRANT SELECT ON study TO PUBLIC")
        connection.exec_driver_sql("COMMENT ON TABLE study IS 'Studies'")
    maintenance.back_up_installation(database, tmp_path / "backup")
    database.engine.dispose()
    elsewhere = make_empty("postgresql")

    restore_installation(elsewhere, tmp_path / "backup")

    with elsewhere.engine.connect() as connection:
        names = connection.exec_driver_sql("SELECT extname FROM pg_extension").scalars().all()
    assert list(names) == ["plpgsql"]


@pytest.mark.postgresql
def test_a_foreign_trigger_in_an_older_dump_is_refused_before_it_is_migrated(
    make_empty: MakeEmpty, tmp_path: Path
) -> None:
    old, elsewhere = make_empty("postgresql"), make_empty("postgresql")
    old.data_dir.mkdir(exist_ok=True)
    load_first_release(old.engine, tmp_path / "scratch")
    with old.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TRIGGER forging AFTER UPDATE ON assignment FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
    maintenance.back_up_installation(old, tmp_path / "backup", incomplete=True)

    with pytest.raises(InputRefused, match="The trigger 'forging' on 'assignment' does not belong"):
        restore_installation(elsewhere, tmp_path / "backup")


def rewritten(folder: Path, name: str, before: str, after: str) -> None:
    """Change a definition where it is written, as no statement of SQL could."""
    with closing(sqlite3.connect(folder / "blindread.db")) as connection:
        (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        assert before in sql
        connection.execute("PRAGMA writable_schema = ON")
        change = "UPDATE sqlite_master SET sql = ? WHERE name = ?"
        connection.execute(change, (sql.replace(before, after, 1), name))
        connection.commit()


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("reference_no_delete", '"freeze".study_id', '"freeze.study_id"'),
        ("verdict", "UNIQUE (supersedes_id)", "UNIQUE (supersedes_id) ON CONFLICT REPLACE"),
        ("verdict", "UNIQUE (supersedes_id)", "UNIQUE (supersedes_id), CHECK (0)"),
        ("verdict", "REFERENCES assignment (id)", "REFERENCES assignment (id) ON DELETE CASCADE"),
    ],
    ids=["a condition that is never true", "rows that are replaced", "a check that refuses", "rows that go along"],
)
def test_a_definition_that_was_rewritten_is_refused(
    saved: Path, nowhere: Database, name: str, before: str, after: str
) -> None:
    rewritten(saved, name, before, after)

    assert f"'{name}'" in refused(nowhere, saved)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE verdict ADD COLUMN more TEXT NOT NULL DEFAULT 'x'",
        "CREATE TABLE more (id INTEGER)",
        "CREATE VIEW more AS SELECT 1",
    ],
)
def test_a_table_column_or_view_that_was_added_is_refused(saved: Path, nowhere: Database, statement: str) -> None:
    change_copy(saved, statement)

    assert "does not have the schema that Blindread made" in refused(nowhere, saved)
