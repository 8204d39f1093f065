"""Labels made elsewhere are stored in slices: they belong to a reservation, and their import is what publishes them.

What is published can never be deleted; of a reservation that came to no import the labels can.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_IS_PUBLISHED = "EXISTS (SELECT 1 FROM label_import WHERE label_import.id = OLD.import_id)"


def upgrade() -> None:
    op.create_table(
        "label_reservation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("holder", sa.String(length=40), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_label_reservation_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_label_reservation"),
        sa.UniqueConstraint("study_id", "name", name="uq_label_reservation_study_id_name"),
    )
    # Every import that is there is published.
    op.execute(
        "INSERT INTO label_reservation (id, study_id, name, holder, expires_at) "
        "SELECT id, study_id, name, '', at FROM label_import"
    )
    with op.batch_alter_table("imported_label") as table:
        table.drop_constraint("fk_imported_label_import_id_label_import", type_="foreignkey")
        table.create_foreign_key(
            "fk_imported_label_import_id_label_reservation", "label_reservation", ["import_id"], ["id"]
        )
    with op.batch_alter_table("label_import") as table:
        table.create_foreign_key("fk_label_import_id_label_reservation", "label_reservation", ["id"], ["id"])
    if op.get_context().dialect.name == "postgresql":
        _guard_on_postgresql()
    else:
        _guard_on_sqlite()


def _guard_on_postgresql() -> None:
    op.execute(
        "SELECT setval(pg_get_serial_sequence('label_reservation', 'id'), "
        "coalesce((SELECT max(id) FROM label_reservation), 0) + 1, false)"
    )
    # Whoever publishes the labels holds their reservation until they are there to be seen; the lock waits for that.
    op.execute(
        "CREATE FUNCTION refuse_change_of_published_labels() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM 1 FROM label_reservation WHERE label_reservation.id = OLD.import_id FOR UPDATE; "
        f"IF {_IS_PUBLISHED} THEN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END IF; RETURN OLD; END $$"
    )
    op.execute("DROP TRIGGER imported_label_append_only ON imported_label")
    op.execute(
        "CREATE TRIGGER imported_label_append_only BEFORE UPDATE ON imported_label "
        "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
    )
    op.execute(
        "CREATE TRIGGER imported_label_no_delete BEFORE DELETE ON imported_label "
        "FOR EACH ROW EXECUTE FUNCTION refuse_change_of_published_labels()"
    )


def _guard_on_sqlite() -> None:
    """Put back the triggers that SQLite drops with a table that is rebuilt; one of them asks for the import."""
    for table in ("label_import", "imported_label"):
        for change in ("UPDATE", "DELETE"):
            only = f" WHEN {_IS_PUBLISHED}" if (table, change) == ("imported_label", "DELETE") else ""
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table}{only} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
