"""Hanging, overlays, history, conversations, practice, and revisions of verdicts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _add_columns()
    _let_assignments_be_practice()
    op.create_table(
        "overlay",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("case_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("label", sa.String(length=80), nullable=False),
        sa.Column("colour", sa.String(length=7), nullable=False),
        sa.Column("style", sa.String(), nullable=False),
        sa.Column("opacity", sa.Float(), nullable=False),
        sa.Column("file_name", sa.String(length=400), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("voxel_sha256", sa.String(length=64), nullable=False),
        sa.Column("shape", sa.JSON(), nullable=False),
        sa.Column("spacing", sa.JSON(), nullable=False),
        sa.CheckConstraint("style IN ('outline', 'fill')", name=op.f("ck_overlay_style")),
        sa.CheckConstraint("opacity > 0 AND opacity <= 1", name=op.f("ck_overlay_opacity")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_overlay_study_id_study"),
        sa.ForeignKeyConstraint(["case_id"], ["study_case.id"], name="fk_overlay_case_id_study_case"),
        sa.PrimaryKeyConstraint("id", name="pk_overlay"),
        sa.UniqueConstraint("study_id", "key", name="uq_overlay_study_id_key"),
    )
    op.create_index("ix_overlay_case_id", "overlay", ["case_id"], unique=False)
    op.create_table(
        "reopening",
        sa.Column("login_session_id", sa.Integer(), nullable=False),
        sa.Column("membership_id", sa.Integer(), nullable=False),
        sa.Column("verdict_id", sa.Integer(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["login_session_id"], ["login_session.id"], name="fk_reopening_login_session_id_login_session"
        ),
        sa.ForeignKeyConstraint(["membership_id"], ["membership.id"], name="fk_reopening_membership_id_membership"),
        sa.ForeignKeyConstraint(["verdict_id"], ["verdict.id"], name="fk_reopening_verdict_id_verdict"),
        sa.PrimaryKeyConstraint("login_session_id", "membership_id", name="pk_reopening"),
    )
    op.create_table(
        "practice_result",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("membership_id", sa.Integer(), nullable=False),
        sa.Column("pass_number", sa.Integer(), nullable=False),
        sa.Column("correct", sa.Integer(), nullable=False),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["membership_id"], ["membership.id"], name="fk_practice_result_membership_id_membership"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_practice_result"),
        sa.UniqueConstraint("membership_id", "pass_number", name="uq_practice_result_membership_id_pass_number"),
    )
    _refuse_changes("practice_result")


def _add_columns() -> None:
    """Add columns in place: rebuilding a table would drop the triggers that keep its rows."""
    op.add_column("study_case", sa.Column("history", sa.JSON(), server_default=sa.text("'[]'"), nullable=False))
    op.add_column("volume", sa.Column("placed", sa.Boolean(), server_default=sa.text("true"), nullable=False))
    op.add_column("item", sa.Column("overlays", sa.JSON(), server_default=sa.text("'[]'"), nullable=False))
    op.add_column("item", sa.Column("start", sa.JSON(), nullable=True))
    op.add_column("item", sa.Column("conversation", sa.String(length=80), nullable=True))
    op.add_column("item", sa.Column("turn", sa.Integer(), nullable=True))
    op.add_column("item", sa.Column("practice", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.add_column("reference", sa.Column("explanation", sa.String(), server_default=sa.text("''"), nullable=False))
    # Alembic adds a foreign key to an existing SQLite table by rebuilding it; both engines take it in the column.
    op.execute(
        "ALTER TABLE verdict ADD COLUMN login_session_id INTEGER "
        "CONSTRAINT fk_verdict_login_session_id_login_session REFERENCES login_session (id)"
    )


def _let_assignments_be_practice() -> None:
    present = {str(check["name"]) for check in sa.inspect(op.get_bind()).get_check_constraints("assignment")}
    with op.batch_alter_table("assignment") as table:
        # The very first databases were made with the table's name twice in those of its checks.
        for name in sorted(present & {"ck_assignment_phase", "ck_assignment_ck_assignment_phase"}):
            table.drop_constraint(op.f(name), type_="check")
        table.create_check_constraint(
            op.f("ck_assignment_phase"), "phase IN ('practice', 'reading', 'scoring', 'review', 'opinions')"
        )


def _refuse_changes(table: str) -> None:
    """Put the triggers of an append-only table on a new one."""
    if op.get_context().dialect.name == "postgresql":
        op.execute(
            f'CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON "{table}" '
            "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
        op.execute(
            f'CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON "{table}" '
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
