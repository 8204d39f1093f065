"""Migrations build what the models say, keep rows, and leave foreign keys in force."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, MetaData, inspect, text
from sqlmodel import select

import db
from db.engine import make_engine
from db.migrate import configuration, newest_schema, upgrade
from db.people import Membership, Person
from db.study import Study

REBUILD_OF_A_TABLE = '''
"""A migration as the next release may bring one."""

import sqlalchemy as sa
from alembic import op

revision = "0099"
down_revision = "NEWEST"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("person", recreate="auto") as table:
        table.alter_column("name", existing_type=sa.String(length=120), type_=sa.String(length=240))
'''


@pytest.fixture
def empty_engine(empty_database_url: str) -> Iterator[Engine]:
    made = make_engine(empty_database_url)
    yield made
    made.dispose()


def constraints_of(engine: Engine) -> dict[str, Any]:
    """Return all that Alembic's own comparison leaves out: keys, checks and indexes with their conditions."""
    inspector = inspect(engine)
    described = {}
    for table in sorted(set(inspector.get_table_names()) - {"alembic_version"}):
        described[table] = {
            "primary key": inspector.get_pk_constraint(table)["constrained_columns"],
            "checks": sorted(str(check["name"]) for check in inspector.get_check_constraints(table)),
            "check texts": sorted(str(check["sqltext"]) for check in inspector.get_check_constraints(table)),
            "unique": sorted(
                tuple(constraint["column_names"]) for constraint in inspector.get_unique_constraints(table)
            ),
            "foreign keys": sorted(
                (tuple(key["constrained_columns"]), key["referred_table"]) for key in inspector.get_foreign_keys(table)
            ),
            "indexes": sorted(
                (
                    str(index["name"]),
                    tuple(index["column_names"]),
                    bool(index["unique"]),
                    sorted(f"{option}: {value}" for option, value in index.get("dialect_options", {}).items()),
                )
                for index in inspector.get_indexes(table)
            ),
        }
    return described


def test_migrations_build_exactly_the_schema_of_the_models(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})

        differences = compare_metadata(context, db.Base.metadata)

    assert differences == []


def test_migrations_build_every_key_check_and_index_of_the_models(empty_engine: Engine) -> None:
    db.Base.metadata.create_all(empty_engine)
    wanted = constraints_of(empty_engine)
    db.Base.metadata.drop_all(empty_engine)

    upgrade(empty_engine)

    assert constraints_of(empty_engine) == wanted


def test_an_empty_database_gets_all_tables_and_a_second_upgrade_changes_nothing(empty_engine: Engine) -> None:
    upgrade(empty_engine)
    first = set(inspect(empty_engine).get_table_names())

    upgrade(empty_engine)

    assert set(inspect(empty_engine).get_table_names()) == first
    assert set(db.Base.metadata.tables) <= first


def test_the_models_do_not_share_a_registry_with_anybody() -> None:
    from sqlmodel import SQLModel

    assert SQLModel.metadata.tables == {}
    assert isinstance(db.Base.metadata, MetaData)
    assert db.Base.metadata.tables


def test_a_migration_can_rebuild_a_table_that_others_refer_to(engine: Engine, tmp_path: Path) -> None:
    """With foreign keys in force, SQLite would refuse to drop the old table, or delete what refers to it."""
    (tmp_path / "0099_rebuild.py").write_text(REBUILD_OF_A_TABLE.replace("NEWEST", newest_schema()), encoding="utf-8")
    config = configuration(engine)
    versions = Path(config.get_main_option("script_location") or "") / "versions"
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", f"{versions}\n{tmp_path}")
    database = db.Database(engine, tmp_path)
    with database.writing() as session:
        session.add(Person(id=1, login="a", name="A"))
        session.add(Study(id=1, key="s", title="S"))
        session.flush()
        session.add(Membership(person_id=1, study_id=1, role="rater", pseudonym="Rater 1"))

    command.upgrade(config, "head")

    with database.read_only() as session:
        assert session.exec(select(Person.name)).one() == "A"
        assert session.exec(select(Membership.person_id)).one() == 1


def test_foreign_keys_are_in_force_after_a_migration(empty_engine: Engine) -> None:
    upgrade(empty_engine)

    with empty_engine.connect() as connection, pytest.raises(Exception, match=r"(?i)foreign key"):
        connection.execute(
            text("INSERT INTO protocol (study_id, canonical_json, sha256) VALUES (4711, '{}', 'x')"),
        )
        connection.commit()
