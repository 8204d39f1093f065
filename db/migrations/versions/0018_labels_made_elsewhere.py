"""Labels that people gave elsewhere, as files brought them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "label_import",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("field", sa.String(length=160), nullable=False),
        sa.Column("scale", sa.JSON(), nullable=False),
        sa.Column("source", sa.String(length=80), nullable=False),
        sa.Column("source_sha256", sa.String(length=64), nullable=False),
        sa.Column("blinding", sa.String(), nullable=False),
        sa.Column("drawn", sa.String(length=10), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("drawn IN ('', 'random')", name=op.f("ck_label_import_drawn")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_label_import_study_id_study"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_label_import_person_id_person"),
        sa.PrimaryKeyConstraint("id", name="pk_label_import"),
        sa.UniqueConstraint("study_id", "name", name="uq_label_import_study_id_name"),
    )
    op.create_table(
        "imported_label",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("import_id", sa.Integer(), nullable=False),
        sa.Column("candidate_id", sa.Integer(), nullable=False),
        sa.Column("labeller", sa.String(length=80), nullable=False),
        sa.Column("label", sa.String(length=60), nullable=True),
        sa.Column("missing", sa.String(length=12), nullable=False),
        sa.Column("remark", sa.String(), nullable=False),
        sa.CheckConstraint("(label IS NULL) <> (missing = '')", name=op.f("ck_imported_label_label_or_missing")),
        sa.ForeignKeyConstraint(["import_id"], ["label_import.id"], name="fk_imported_label_import_id_label_import"),
        sa.ForeignKeyConstraint(["candidate_id"], ["candidate.id"], name="fk_imported_label_candidate_id_candidate"),
        sa.PrimaryKeyConstraint("id", name="pk_imported_label"),
        sa.UniqueConstraint(
            "import_id", "candidate_id", "labeller", name="uq_imported_label_import_id_candidate_id_labeller"
        ),
    )
    for table in ("label_import", "imported_label"):
        _refuse_changes(table)


def _refuse_changes(table: str) -> None:
    if op.get_context().dialect.name == "postgresql":
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
