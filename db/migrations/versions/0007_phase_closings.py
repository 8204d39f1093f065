"""Which phases are closed, with what was drawn from their answers; whose answers are shown beside an assignment."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("assignment", sa.Column("opinion_order", sa.JSON(), server_default=sa.text("'[]'"), nullable=False))
    op.create_table(
        "phase_closing",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(length=40), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("manifest_json", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_phase_closing_study_id_study"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_phase_closing_person_id_person"),
        sa.PrimaryKeyConstraint("id", name="pk_phase_closing"),
        sa.UniqueConstraint("study_id", "phase", name="uq_phase_closing_study_id_phase"),
    )
    # Whether something is answered is asked of each assignment.
    op.create_index("ix_verdict_assignment_id", "verdict", ["assignment_id"], unique=False)
    if op.get_context().dialect.name == "postgresql":
        op.execute(
            "CREATE TRIGGER phase_closing_append_only BEFORE UPDATE OR DELETE ON phase_closing "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
        op.execute(
            "CREATE TRIGGER phase_closing_no_truncate BEFORE TRUNCATE ON phase_closing "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER phase_closing_no_{change.lower()} BEFORE {change} ON phase_closing "
            "BEGIN SELECT RAISE(ABORT, 'phase_closing is append-only'); END"
        )
