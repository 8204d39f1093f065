"""Verdicts of judges are stored in slices: their rows belong to an import, and its run is the row that publishes them.

What is published can never be deleted; of an import that came to no run its rows can.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_IS_PUBLISHED = "EXISTS (SELECT 1 FROM judge_run WHERE judge_run.id = OLD.run_id)"


def upgrade() -> None:
    op.create_table(
        "judge_import",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("holder", sa.String(length=40), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_judge_import_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_judge_import"),
        sa.UniqueConstraint("study_id", "name", name="uq_judge_import_study_id_name"),
    )
    # Every run that is there is published.
    op.execute(
        "INSERT INTO judge_import (id, study_id, name, holder, expires_at) "
        "SELECT id, study_id, name, '', created_at FROM judge_run"
    )
    with op.batch_alter_table("judge_verdict") as table:
        table.drop_constraint("fk_judge_verdict_run_id_judge_run", type_="foreignkey")
        table.create_foreign_key("fk_judge_verdict_run_id_judge_import", "judge_import", ["run_id"], ["id"])
    with op.batch_alter_table("judge_run") as table:
        table.create_foreign_key("fk_judge_run_id_judge_import", "judge_import", ["id"], ["id"])
    if op.get_context().dialect.name == "postgresql":
        _guard_on_postgresql()
    else:
        _guard_on_sqlite()


def _guard_on_postgresql() -> None:
    op.execute(
        "SELECT setval(pg_get_serial_sequence('judge_import', 'id'), "
        "coalesce((SELECT max(id) FROM judge_import), 0) + 1, false)"
    )
    # Whoever publishes the run holds its import until the run is there to be seen; the lock waits for that.
    op.execute(
        "CREATE FUNCTION refuse_change_once_published() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM 1 FROM judge_import WHERE judge_import.id = OLD.run_id FOR UPDATE; "
        f"IF {_IS_PUBLISHED} THEN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END IF; RETURN OLD; END $$"
    )
    op.execute("DROP TRIGGER judge_verdict_append_only ON judge_verdict")
    op.execute(
        "CREATE TRIGGER judge_verdict_append_only BEFORE UPDATE ON judge_verdict "
        "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
    )
    op.execute(
        "CREATE TRIGGER judge_verdict_no_delete BEFORE DELETE ON judge_verdict "
        "FOR EACH ROW EXECUTE FUNCTION refuse_change_once_published()"
    )


def _guard_on_sqlite() -> None:
    """Put back the triggers that SQLite drops with a table that is rebuilt; one of them asks for the run."""
    for table in ("judge_run", "judge_verdict"):
        for change in ("UPDATE", "DELETE"):
            only = f" WHEN {_IS_PUBLISHED}" if (table, change) == ("judge_verdict", "DELETE") else ""
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table}{only} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
