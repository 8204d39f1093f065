"""By which human verdicts agreement on test subjects was opened."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "opened_basis",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("opening_id", sa.Integer(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("basis", sa.String(length=120), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["opening_id"], ["split_opening.id"], name="fk_opened_basis_opening_id_split_opening"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_opened_basis_person_id_person"),
        sa.PrimaryKeyConstraint("id", name="pk_opened_basis"),
    )
    op.create_index("ix_opened_basis_opening_id", "opened_basis", ["opening_id"], unique=False)
    if op.get_context().dialect.name == "postgresql":
        op.execute(
            "CREATE TRIGGER opened_basis_append_only BEFORE UPDATE OR DELETE ON opened_basis "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
        op.execute(
            "CREATE TRIGGER opened_basis_no_truncate BEFORE TRUNCATE ON opened_basis "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER opened_basis_no_{change.lower()} BEFORE {change} ON opened_basis "
            "BEGIN SELECT RAISE(ABORT, 'opened_basis is append-only'); END"
        )
