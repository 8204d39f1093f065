"""What proves more of a study's rows, keys its draws, checks what is shown, and bounds who signs in.

Every change of an append-only table that is foreseen stands here at once (ADR 9): rebuilding one lifts its guard for
the length of a migration.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# phase: what is rated in it, and the step of the work on one unit.
PHASES = {
    "practice": ("items", 1),
    "reading": ("items", 1),
    "scoring": ("candidates", 1),
    "review": ("items", 1),
    "opinions": ("items", 2),
}
KINDS = "kind IN ('items', 'candidates', 'pairs', 'references', 'answers')"


def upgrade() -> None:
    _prove_rows()
    _key_draws()
    _free_phases_and_scales()
    _check_what_is_shown()
    _bound_who_signs_in()
    _let_drafts_go()
    _let_processes_take_turns()


def _prove_rows() -> None:
    """Rows written before this migration have rule 1: the hash of the answers alone."""
    for table in ("verdict", "adjudication", "judge_run"):
        op.add_column(table, sa.Column("hash_rule", sa.Integer(), server_default=sa.text("1"), nullable=False))
    # Differences of two readings of a clock that nobody can set; comparable within one start of one machine.
    op.add_column("display", sa.Column("monotonic_ms", sa.BigInteger(), nullable=True))
    op.add_column("display", sa.Column("boot_id", sa.String(length=36), nullable=True))


def _key_draws() -> None:
    """A freeze says by which rule it was drawn: 1 is the seed alone, 2 the key of the study's own."""
    op.add_column("freeze", sa.Column("draw_rule", sa.Integer(), server_default=sa.text("1"), nullable=False))
    op.add_column("freeze", sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False))
    with op.batch_alter_table("freeze") as table:
        table.drop_constraint("uq_freeze_study_id", type_="unique")
        table.create_unique_constraint("uq_freeze_study_id_version", ["study_id", "version"])
        # A protocol's seed may have 64 bits.
        table.alter_column("seed", existing_type=sa.Integer(), type_=sa.BigInteger(), existing_nullable=False)
    _guard_again("freeze")


def _free_phases_and_scales() -> None:
    op.add_column("assignment", sa.Column("kind", sa.String(length=20), server_default="items", nullable=False))
    op.add_column("assignment", sa.Column("step", sa.Integer(), server_default=sa.text("1"), nullable=False))
    for phase, (kind, step) in PHASES.items():
        op.execute(
            sa.text("UPDATE assignment SET kind = :kind, step = :step WHERE phase = :phase").bindparams(
                kind=kind, step=step, phase=phase
            )
        )
    with op.batch_alter_table("assignment") as table:
        table.drop_constraint(op.f("ck_assignment_phase"), type_="check")
        table.create_check_constraint(op.f("ck_assignment_kind"), KINDS)
        table.create_check_constraint(op.f("ck_assignment_step"), "step >= 1")
    op.add_column("judge_run", sa.Column("scale", sa.JSON(), server_default='["incorrect", "correct"]', nullable=False))
    with op.batch_alter_table("judge_run") as table:
        table.drop_constraint("uq_judge_run_study_id_source_sha256", type_="unique")
    _guard_again("judge_run")
    with op.batch_alter_table("judge_verdict") as table:
        table.drop_constraint(op.f("ck_judge_verdict_verdict"), type_="check")
    _guard_again("judge_verdict")


def _check_what_is_shown() -> None:
    """The hash of the decompressed file; of files that were prepared earlier it is filled in afterwards."""
    for table in ("volume", "overlay"):
        op.add_column(table, sa.Column("unpacked_sha256", sa.String(length=64), nullable=True))


def _bound_who_signs_in() -> None:
    op.add_column("person", sa.Column("locked_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("person", sa.Column("is_demo", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.execute(
        "ALTER TABLE invitation ADD COLUMN issued_by_id INTEGER "
        "CONSTRAINT fk_invitation_issued_by_id_person REFERENCES person (id)"
    )
    op.execute(
        "ALTER TABLE invitation ADD COLUMN study_id INTEGER "
        "CONSTRAINT fk_invitation_study_id_study REFERENCES study (id)"
    )
    op.add_column("invitation", sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True))
    # Whether its person had signed in before it was issued; then they are told of it, and the report counts it.
    op.add_column("invitation", sa.Column("for_known", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.add_column("invitation", sa.Column("told_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("login_session", sa.Column("monotonic_ms", sa.BigInteger(), nullable=True))
    op.add_column("login_session", sa.Column("seen_monotonic_ms", sa.BigInteger(), nullable=True))
    op.add_column("login_session", sa.Column("boot_id", sa.String(length=36), nullable=True))
    op.create_table(
        "sign_in_try",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("subject_sha256", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sign_in_try"),
    )
    op.create_index("ix_sign_in_try_subject_sha256", "sign_in_try", ["subject_sha256"], unique=False)


def _let_drafts_go() -> None:
    """A study that was never frozen can be removed; what remains is its row, which the audit chain names."""
    op.add_column("study", sa.Column("is_demo", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.add_column("study", sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("membership", sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True))
    frozen = (
        'EXISTS (SELECT 1 FROM item JOIN "freeze" ON "freeze".study_id = item.study_id WHERE item.id = OLD.item_id)'
    )
    if op.get_context().dialect.name == "postgresql":
        op.execute("DROP TRIGGER reference_append_only ON reference")
        op.execute(
            "CREATE FUNCTION refuse_change_once_frozen() RETURNS trigger LANGUAGE plpgsql AS $$ "
            f"BEGIN IF {frozen} THEN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END IF; RETURN OLD; END $$"
        )
        op.execute(
            "CREATE TRIGGER reference_append_only BEFORE UPDATE ON reference "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
        op.execute(
            "CREATE TRIGGER reference_no_delete BEFORE DELETE ON reference "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change_once_frozen()"
        )
        return
    op.execute("DROP TRIGGER reference_no_delete")
    op.execute(
        f"CREATE TRIGGER reference_no_delete BEFORE DELETE ON reference WHEN {frozen} "
        "BEGIN SELECT RAISE(ABORT, 'reference is append-only'); END"
    )


def _let_processes_take_turns() -> None:
    """What only one process at a time may do, and how far the daily verification has come."""
    op.create_table(
        "lease",
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("holder", sa.String(length=40), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_lease"),
    )
    op.create_table(
        "verification",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("files_checked", sa.Integer(), nullable=False),
        sa.Column("problems", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_verification_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_verification"),
    )
    op.create_index("ix_verification_study_id", "verification", ["study_id"], unique=False)


def _guard_again(table: str) -> None:
    """Put back the triggers that SQLite drops with a table that is rebuilt."""
    if op.get_context().dialect.name == "postgresql":
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
