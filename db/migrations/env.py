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
        context.run_migrations()


engine: Engine = context.config.attributes["engine"]
with engine.connect() as connection:
    if engine.dialect.name == "sqlite":
        # A batch migration drops and renames tables; with foreign keys on, the drop would cascade.
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        connection.commit()
    _run(connection)
    connection.commit()
    if engine.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA foreign_keys=ON")
