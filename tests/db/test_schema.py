"""A schema is compared as a whole with what the migrations make; whatever acts on rows is named."""

from __future__ import annotations

import json
import os
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, event, text

from db import Database
from db.backup import back_up, restore_dump
from db.engine import make_engine
from db.migrate import altered_schema, configuration, place_of_definitions, stored_definitions, upgrade
from db.schema import Definitions, definitions
from tests.db.altered_schemas import ALTERED, ALTERED_IN_PLACE, HARMLESS
from tests.db.first_release import load_first_release
from tests.harness.server import ROOT
from tests.services.record.conftest import MakeEmpty, make_empty

__all__ = ["make_empty"]

NUMBERS = sorted(script.revision for script in ScriptDirectory(str(ROOT / "db" / "migrations")).walk_revisions())


def altered(url: str, *statements: str) -> list[str]:
    """Return the findings on the schema after some statements, none of which stays."""
    engine = make_engine(url)
    with engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
        problems = altered_schema(connection)
    engine.dispose()
    return problems


@pytest.mark.postgresql
@pytest.mark.parametrize("number", NUMBERS)
def test_stored_definitions_are_what_the_migrations_make(empty_postgres_url: str, number: str) -> None:
    """With BLINDREAD_UPDATE_SCHEMAS=1 it writes them."""
    engine = make_engine(empty_postgres_url)
    command.upgrade(configuration(engine), number)
    with engine.connect() as connection:
        made = {label: sorted(parts) for label, parts in definitions(connection).items()}
    engine.dispose()
    place = place_of_definitions(number)
    if os.environ.get("BLINDREAD_UPDATE_SCHEMAS"):
        place.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n", encoding="utf-8")

    assert json.loads(place.read_text(encoding="utf-8")) == made
    assert {label: sorted(parts) for label, parts in stored_definitions(number).items()} == made


def made_at_once(file: Path) -> dict[str, Definitions]:
    """Migrate a new SQLite database in one go; return what stood in it whenever it had reached a number."""
    made: dict[str, Definitions] = {}
    engine = make_engine(f"sqlite:///{file.as_posix()}")

    @event.listens_for(engine, "after_cursor_execute")
    def _note(connection: Connection, _cursor: Any, statement: str, *_: Any) -> None:
        # Each migration ends with its number.
        if re.match("(INSERT INTO|UPDATE) alembic_version", statement):
            number = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one()
            made[number] = definitions(connection)

    upgrade(engine)
    engine.dispose()
    return made


def test_a_database_that_was_migrated_step_by_step_is_what_a_new_one_is(
    empty_database_url: str, tmp_path: Path
) -> None:
    engine = make_engine(empty_database_url)
    on_sqlite = engine.dialect.name == "sqlite"
    at_once = made_at_once(tmp_path / "at-once.db") if on_sqlite else {}

    for number in NUMBERS:
        command.upgrade(configuration(engine), number)

        with engine.connect() as connection:
            if on_sqlite:
                assert definitions(connection) == at_once.pop(number)
            # To compare with an older number, a new SQLite database is migrated up to it, which takes a while.
            if not on_sqlite or number in {NUMBERS[0], NUMBERS[-1]}:
                assert altered_schema(connection) == []
    assert at_once == {}
    engine.dispose()


def test_a_database_of_the_first_release_is_what_a_new_one_is(empty_database_url: str, tmp_path: Path) -> None:
    engine = make_engine(empty_database_url)
    load_first_release(engine, tmp_path)
    with engine.connect() as connection:
        assert altered_schema(connection) == []

    upgrade(engine)

    with engine.connect() as connection:
        assert altered_schema(connection) == []
    engine.dispose()


@pytest.mark.postgresql
@pytest.mark.parametrize("number", NUMBERS)
def test_a_dump_that_was_restored_again_and_again_has_the_schema_that_was_made(
    make_empty: MakeEmpty, tmp_path: Path, number: str
) -> None:
    database = make_empty("postgresql")
    command.upgrade(configuration(database.engine), number)

    for turn in range(2):
        back_up(database, tmp_path / f"{turn}.dump")
        database = make_empty("postgresql")
        restore_dump(database, tmp_path / f"{turn}.dump")

        with database.engine.connect() as connection:
            assert altered_schema(connection) == []


@pytest.mark.postgresql
@pytest.mark.parametrize("what", [*ALTERED, *ALTERED_IN_PLACE])
def test_what_changes_results_refuses_rows_or_runs_code_is_named(postgres_url: str, what: str) -> None:
    change, says = {**ALTERED, **ALTERED_IN_PLACE}[what]

    problems = altered(postgres_url, change)

    assert re.search(says, f". {' '.join(problems)}")


@pytest.mark.postgresql
@pytest.mark.parametrize("what", HARMLESS)
def test_what_is_done_for_speed_or_for_the_server_is_not_named(postgres_url: str, what: str) -> None:
    assert altered(postgres_url, HARMLESS[what]) == []


@pytest.mark.postgresql
def test_comparing_takes_no_more_rights_than_to_connect_and_writes_nothing(postgres_url: str) -> None:
    problems = altered(
        postgres_url,
        "CREATE ROLE reading_only",
        "GRANT SELECT ON alembic_version TO reading_only",
        "SET LOCAL ROLE reading_only",
        "SET TRANSACTION READ ONLY",
    )

    assert problems == []


@pytest.mark.postgresql
@pytest.mark.parametrize("name", ["other", "Other Home"])
def test_another_schema_than_public_holds_the_same(make_empty: MakeEmpty, name: str) -> None:
    database = make_empty("postgresql")
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f'CREATE SCHEMA "{name}"')
        connection.exec_driver_sql(
            f"ALTER ROLE CURRENT_USER IN DATABASE \"{database.engine.url.database}\" SET search_path = '{name}'"
        )
    database.engine.dispose()

    upgrade(database.engine)

    with database.engine.connect() as connection:
        assert connection.execute(text("SELECT current_schema()")).scalar() == name
        assert altered_schema(connection) == []


@pytest.mark.parametrize(
    "index",
    [
        "more ON study (key ,id)",
        "more ON study ( key )",
        "more ON [study] ([key])",
        "more ON `study` (`key`)",
        "more ON study (key) -- for the list of studies",
        '"more-and-more" ON study (key)',
        'more ON "study"("key" DESC, title asc)',
        "more ON study (key COLLATE binary)",
    ],
)
def test_an_index_on_plain_columns_is_harmless_however_it_is_written(sqlite_url: str, index: str) -> None:
    assert altered(sqlite_url, f"CREATE INDEX {index}") == []


@pytest.mark.parametrize(
    ("index", "kind"),
    [
        ("INDEX more ON study (key COLLATE NOCASE)", "index"),
        ("INDEX more ON study (lower(key))", "index"),
        ("INDEX more ON study (key) WHERE 1 / id > 0", "index"),
        ("UNIQUE INDEX more ON study (salt)", "unique index"),
        ("UNIQUE INDEX more ON study (lower(salt))", "unique index"),
    ],
)
def test_any_other_index_of_sqlite_is_named_without_a_warning(sqlite_url: str, index: str, kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        problems = altered(sqlite_url, f"CREATE {index}")

    assert problems == [f"The {kind} 'more' on 'study' does not belong to this database."]


def test_a_trigger_with_the_name_of_a_plain_index_is_no_plain_index(sqlite_url: str) -> None:
    problems = altered(
        sqlite_url,
        "CREATE INDEX more ON draft (sequence)",
        "CREATE TRIGGER more AFTER UPDATE ON draft BEGIN DELETE FROM lease; END",
    )

    assert problems == ["The trigger 'more' on 'draft' does not belong to this database."]


def test_a_condition_on_a_word_in_quotes_is_not_the_one_on_nothing(sqlite_url: str) -> None:
    problems = altered(
        sqlite_url,
        "DROP INDEX uq_verdict_root",
        'CREATE UNIQUE INDEX uq_verdict_root ON verdict (assignment_id) WHERE supersedes_id IS "NULL"',
    )

    assert problems == ["The unique index 'uq_verdict_root' on 'verdict' was altered."]


def test_a_table_is_named_with_what_of_it_is_gone_and_what_is_new(sqlite_database: Database) -> None:
    url = sqlite_database.engine.url.render_as_string()

    (problem,) = altered(url, "ALTER TABLE person DROP COLUMN is_demo", "ALTER TABLE person ADD COLUMN more TEXT")

    assert re.fullmatch(r"The table 'person' was altered \(gone: is_demo BOOLEAN .*; new: more TEXT\)\.", problem)
