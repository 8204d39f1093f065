"""Copies of a database that were prepared so that some answers are refused, or something foreign stays in them."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest
from sqlalchemy import inspect

from db import Database
from db.engine import make_engine
from services.errors import InputRefused
from services.record import maintenance, verification
from services.record.restoring import restore_installation
from tests.harness import databases
from tests.harness.forked import forked_manage
from tests.services.record.conftest import MakeEmpty, make_empty
from tests.services.record.tampering import change_copy, past_the_guards
from tests.situations import Situation

__all__ = ["make_empty"]


@pytest.fixture
def saved(opened: Situation, tmp_path: Path) -> Path:
    """A backup of the tiny study, open for reading."""
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    return tmp_path / "backup"


@pytest.fixture
def nowhere(tmp_path: Path) -> Database:
    """An installation whose data folder has not been made yet."""
    return Database(make_engine(databases.sqlite_url(tmp_path / "elsewhere" / "blindread.db")), tmp_path / "elsewhere")


def test_an_index_that_would_refuse_some_answers_later_is_not_brought_back(saved: Path, nowhere: Database) -> None:
    change_copy(
        saved, "CREATE INDEX quicker ON verdict (json(CASE WHEN comment LIKE '%metastasis%' THEN '{' ELSE '1' END))"
    )

    with pytest.raises(InputRefused, match="quicker"):
        restore_installation(nowhere, saved)


def test_a_unique_index_on_an_expression_that_does_not_belong_there_is_named(opened: Situation) -> None:
    past_the_guards(opened.database, "CREATE UNIQUE INDEX strange ON verdict (coalesce(not_assessable, receipt))")

    assert any("unique index" in problem for problem in verification.verify_study(opened.database, "tiny"))


@pytest.mark.postgresql
def test_no_function_of_an_index_acts_while_a_dump_is_brought_in(
    postgres_url: str, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    database = Database(make_engine(postgres_url), tmp_path / "data")
    database.data_dir.mkdir(exist_ok=True)
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE FUNCTION forge() RETURNS void LANGUAGE plpgsql AS "
            "$$ BEGIN UPDATE public.person SET is_owner = true WHERE login = 'mallory'; END $$"
        )
        # The body of a function that calls itself immutable is not looked into.
        connection.exec_driver_sql(
            "CREATE FUNCTION quick(bigint) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS "
            "$$ BEGIN PERFORM public.forge(); RETURN 1; END $$"
        )
        connection.exec_driver_sql("CREATE INDEX quicker ON audit_event (quick(id::bigint))")
        connection.exec_driver_sql(
            "INSERT INTO person (login, name, is_owner, created_at, is_demo) "
            "VALUES ('mallory', 'M', false, now(), false)"
        )
    maintenance.back_up_installation(database, tmp_path / "backup")
    database.engine.dispose()
    elsewhere = make_empty("postgresql")

    with pytest.raises(InputRefused, match="function"):
        restore_installation(elsewhere, tmp_path / "backup")

    assert inspect(elsewhere.engine).get_table_names() == []


@pytest.mark.postgresql
def test_a_function_with_the_name_of_ours_does_not_act_while_a_dump_is_brought_in(
    postgres_url: str, make_empty: MakeEmpty, tmp_path: Path
) -> None:
    database = Database(make_engine(postgres_url), tmp_path / "data")
    database.data_dir.mkdir(exist_ok=True)
    with database.engine.begin() as connection:
        connection.exec_driver_sql("DROP FUNCTION refuse_change() CASCADE")
        connection.exec_driver_sql(
            "CREATE FUNCTION refuse_change() RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN 1; END $$"
        )
        connection.exec_driver_sql("ALTER TABLE audit_event ADD CHECK (refuse_change() = id)")
    maintenance.back_up_installation(database, tmp_path / "backup")
    database.engine.dispose()
    elsewhere = make_empty("postgresql")

    with pytest.raises(InputRefused, match="holds a function that Blindread did not make"):
        restore_installation(elsewhere, tmp_path / "backup")

    assert inspect(elsewhere.engine).get_table_names() == []


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_disk_that_is_full_is_said_in_a_sentence(
    command: str, saved: Path, opened: Situation, tmp_path: Path
) -> None:
    ends = {"backup": (opened.database.data_dir, tmp_path / "other"), "restore": (tmp_path / "elsewhere", saved)}
    data_dir, place = ends[command]
    environment = {**os.environ, "BLINDREAD_DATA_DIR": str(data_dir)}
    environment.pop("DATABASE_URL", None)
    opened.database.engine.dispose()

    done = forked_manage(
        environment,
        command,
        str(place),
        before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )

    assert done.returncode == 1
    assert "OperationalError" not in done.stdout + done.stderr
    # The copy is whole.
    assert "use another backup" not in done.stderr + done.stdout
