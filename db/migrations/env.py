"""Alembic's entry point: runs the migrations on the engine that `db.migrate` hands over."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection, Engine

import db


def _run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=db.Base.metadata,
        render_as_batch=True,
        compare_type=True,
    )
    with context.begin_transaction():
        if connection.dialect.name == "postgresql":
            # A migration may take as long as it needs; the limits are meant for requests.
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
        context.run_migrations()


def _set_foreign_keys(connection: Connection, state: str) -> None:
    """Switch SQLite's foreign keys on the driver's own connection: inside a transaction the pragma has no effect."""
    driver = connection.connection.driver_connection
    if connection.dialect.name == "sqlite" and driver is not None:
        driver.execute(f"PRAGMA foreign_keys={state}")


engine: Engine = context.config.attributes["engine"]
with engine.connect() as connection:
    # A batch migration drops and renames tables; with foreign keys on, the drop would fail or cascade.
    _set_foreign_keys(connection, "OFF")
    try:
        _run(connection)
        connection.commit()
    finally:
        connection.rollback()
        _set_foreign_keys(connection, "ON")
