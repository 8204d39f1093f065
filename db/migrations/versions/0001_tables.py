"""The tables of the first version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

# Rows of these tables are added, never changed or deleted: the database itself refuses.
APPEND_ONLY = (
    "acknowledgement",
    "adjudication",
    "audit_event",
    "display",
    "flag",
    "freeze",
    "freeze_item",
    "judge_run",
    "judge_verdict",
    "reference",
    "review_task",
    "study_event",
    "technical_failure",
    "verdict",
    "viewing_trace",
)

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("login", sa.String(length=120), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("is_owner", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
        sa.UniqueConstraint("login", name="uq_person_login"),
    )
    op.create_table(
        "study",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("simulated_readers", sa.Boolean(), nullable=False),
        sa.Column("salt", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_study"),
        sa.UniqueConstraint("key", name="uq_study_key"),
    )
    op.create_table(
        "audit_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("study_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(length=60), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("previous_hash", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_audit_event_person_id_person"),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_audit_event_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_audit_event"),
        sa.UniqueConstraint("hash", name="uq_audit_event_hash"),
        sa.UniqueConstraint("previous_hash", name="uq_audit_event_previous_hash"),
    )
    op.create_index("ix_audit_event_study_id", "audit_event", ["study_id"], unique=False)

    op.create_table(
        "credential",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_credential_person_id_person"),
        sa.PrimaryKeyConstraint("person_id", name="pk_credential"),
    )
    op.create_table(
        "freeze",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("manifest_json", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("method", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_freeze_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_freeze"),
        sa.UniqueConstraint("study_id", name="uq_freeze_study_id"),
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("consumed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("purpose IN ('join', 'sign_in')", name=op.f("ck_invitation_purpose")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_invitation_person_id_person"),
        sa.PrimaryKeyConstraint("id", name="pk_invitation"),
        sa.UniqueConstraint("token_sha256", name="uq_invitation_token_sha256"),
    )
    op.create_index("ix_invitation_person_id", "invitation", ["person_id"], unique=False)

    op.create_table(
        "judge_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("judge", sa.String(length=120), nullable=False),
        sa.Column("source_sha256", sa.String(length=64), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_judge_run_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_judge_run"),
        sa.UniqueConstraint("study_id", "name", name="uq_judge_run_study_id_name"),
        sa.UniqueConstraint("study_id", "source_sha256", name="uq_judge_run_study_id_source_sha256"),
    )
    op.create_table(
        "login_session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_login_session_person_id_person"),
        sa.PrimaryKeyConstraint("id", name="pk_login_session"),
        sa.UniqueConstraint("token_sha256", name="uq_login_session_token_sha256"),
    )
    op.create_index("ix_login_session_person_id", "login_session", ["person_id"], unique=False)

    op.create_table(
        "membership",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("pseudonym", sa.String(length=40), nullable=False),
        sa.Column("specialty", sa.String(length=120), nullable=False),
        sa.Column("years", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("role IN ('rater', 'reviewer', 'admin')", name=op.f("ck_membership_role")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_membership_person_id_person"),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_membership_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_membership"),
        sa.UniqueConstraint("person_id", "study_id", name="uq_membership_person_id_study_id"),
        sa.UniqueConstraint("study_id", "pseudonym", name="uq_membership_study_id_pseudonym"),
    )
    op.create_index("ix_membership_study_id", "membership", ["study_id"], unique=False)

    op.create_table(
        "protocol",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("canonical_json", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_protocol_study_id_study"),
        sa.PrimaryKeyConstraint("study_id", name="pk_protocol"),
    )
    op.create_table(
        "study_case",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("subject", sa.String(length=80), nullable=False),
        sa.Column("vignette", sa.String(), nullable=False),
        sa.Column("age", sa.Integer(), nullable=True),
        sa.Column("note", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_study_case_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_study_case"),
        sa.UniqueConstraint("study_id", "key", name="uq_study_case_study_id_key"),
    )
    op.create_table(
        "study_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('open', 'interim', 'close', 'reopen')", name=op.f("ck_study_event_kind")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_study_event_person_id_person"),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_study_event_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_study_event"),
    )
    op.create_index("ix_study_event_study_id", "study_event", ["study_id"], unique=False)

    op.create_table(
        "acknowledgement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("membership_id", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(length=20), nullable=False),
        sa.Column("text_sha256", sa.String(length=64), nullable=False),
        sa.Column("acknowledged_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["membership_id"], ["membership.id"], name="fk_acknowledgement_membership_id_membership"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_acknowledgement"),
        sa.UniqueConstraint("membership_id", "phase", name="uq_acknowledgement_membership_id_phase"),
    )
    op.create_table(
        "item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("case_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("category", sa.String(length=80), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("grounding", sa.String(), nullable=False),
        sa.Column("form", sa.String(length=40), nullable=False),
        sa.Column("prompt", sa.String(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("sequences", sa.JSON(), nullable=False),
        sa.Column("uses_prior", sa.Boolean(), nullable=False),
        sa.CheckConstraint("format IN ('yes_no', 'choice', 'open')", name=op.f("ck_item_format")),
        sa.CheckConstraint("grounding IN ('image_grounded', 'image_informed')", name=op.f("ck_item_grounding")),
        sa.ForeignKeyConstraint(["case_id"], ["study_case.id"], name="fk_item_case_id_study_case"),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_item_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_item"),
        sa.UniqueConstraint("study_id", "key", name="uq_item_study_id_key"),
    )
    op.create_index("ix_item_case_id", "item", ["case_id"], unique=False)

    op.create_table(
        "volume",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("case_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("sequence", sa.String(length=40), nullable=False),
        sa.Column("label", sa.String(length=80), nullable=False),
        sa.Column("acquired", sa.Date(), nullable=True),
        sa.Column("file_name", sa.String(length=400), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("voxel_sha256", sa.String(length=64), nullable=False),
        sa.Column("shape", sa.JSON(), nullable=False),
        sa.Column("spacing", sa.JSON(), nullable=False),
        sa.Column("window", sa.JSON(), nullable=False),
        sa.Column("intensity_range", sa.JSON(), nullable=False),
        sa.CheckConstraint("role IN ('current', 'prior')", name=op.f("ck_volume_role")),
        sa.ForeignKeyConstraint(["case_id"], ["study_case.id"], name="fk_volume_case_id_study_case"),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_volume_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_volume"),
        sa.UniqueConstraint("study_id", "key", name="uq_volume_study_id_key"),
    )
    op.create_index("ix_volume_case_id", "volume", ["case_id"], unique=False)

    op.create_table(
        "candidate",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("model", sa.String(length=120), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_candidate_item_id_item"),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_candidate_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_candidate"),
        sa.UniqueConstraint("study_id", "key", name="uq_candidate_study_id_key"),
    )
    op.create_index("ix_candidate_item_id", "candidate", ["item_id"], unique=False)

    op.create_table(
        "reference",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("accepted", sa.JSON(), nullable=False),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("text_only_answer", sa.String(), nullable=False),
        sa.Column("provenance", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_reference_item_id_item"),
        sa.PrimaryKeyConstraint("id", name="pk_reference"),
        sa.UniqueConstraint("item_id", "version", name="uq_reference_item_id_version"),
    )
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(length=40), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("membership_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("candidate_id", sa.Integer(), nullable=True),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("pass_number", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("option_order", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("phase IN ('reading', 'scoring', 'review', 'opinions')", name=op.f("ck_assignment_phase")),
        sa.ForeignKeyConstraint(["candidate_id"], ["candidate.id"], name="fk_assignment_candidate_id_candidate"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_assignment_item_id_item"),
        sa.ForeignKeyConstraint(["membership_id"], ["membership.id"], name="fk_assignment_membership_id_membership"),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name="fk_assignment_study_id_study"),
        sa.PrimaryKeyConstraint("id", name="pk_assignment"),
        sa.UniqueConstraint(
            "membership_id",
            "phase",
            "pass_number",
            "position",
            name="uq_assignment_membership_id_phase_pass_number_position",
        ),
        sa.UniqueConstraint("public_id", name="uq_assignment_public_id"),
    )
    op.create_index("ix_assignment_item_id", "assignment", ["item_id"], unique=False)
    op.create_index("ix_assignment_study_id", "assignment", ["study_id"], unique=False)
    op.create_index(
        "uq_assignment_candidate",
        "assignment",
        ["membership_id", "phase", "pass_number", "candidate_id"],
        unique=True,
        sqlite_where=sa.text("candidate_id IS NOT NULL"),
        postgresql_where=sa.text("candidate_id IS NOT NULL"),
    )
    op.create_index(
        "uq_assignment_item",
        "assignment",
        ["membership_id", "phase", "pass_number", "item_id"],
        unique=True,
        sqlite_where=sa.text("candidate_id IS NULL"),
        postgresql_where=sa.text("candidate_id IS NULL"),
    )

    op.create_table(
        "freeze_item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("freeze_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("candidate_id", sa.Integer(), nullable=True),
        sa.Column("stratum", sa.String(length=200), nullable=False),
        sa.Column("inclusion_probability", sa.Float(), nullable=False),
        sa.CheckConstraint(
            "inclusion_probability > 0 AND inclusion_probability <= 1", name=op.f("ck_freeze_item_probability")
        ),
        sa.ForeignKeyConstraint(["candidate_id"], ["candidate.id"], name="fk_freeze_item_candidate_id_candidate"),
        sa.ForeignKeyConstraint(["freeze_id"], ["freeze.id"], name="fk_freeze_item_freeze_id_freeze"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_freeze_item_item_id_item"),
        sa.PrimaryKeyConstraint("id", name="pk_freeze_item"),
        sa.UniqueConstraint(
            "freeze_id", "item_id", "candidate_id", name="uq_freeze_item_freeze_id_item_id_candidate_id"
        ),
    )
    op.create_table(
        "judge_verdict",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("candidate_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("explanation", sa.String(), nullable=False),
        sa.CheckConstraint(
            "verdict IS NULL OR verdict IN ('correct', 'incorrect')", name=op.f("ck_judge_verdict_verdict")
        ),
        sa.CheckConstraint("(verdict IS NULL) <> (error IS NULL)", name=op.f("ck_judge_verdict_verdict_or_error")),
        sa.ForeignKeyConstraint(["candidate_id"], ["candidate.id"], name="fk_judge_verdict_candidate_id_candidate"),
        sa.ForeignKeyConstraint(["run_id"], ["judge_run.id"], name="fk_judge_verdict_run_id_judge_run"),
        sa.PrimaryKeyConstraint("id", name="pk_judge_verdict"),
        sa.UniqueConstraint("run_id", "candidate_id", name="uq_judge_verdict_run_id_candidate_id"),
    )
    op.create_table(
        "display",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("login_session_id", sa.Integer(), nullable=False),
        sa.Column("shown_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("load_ms", sa.Integer(), nullable=False),
        sa.Column("renderer", sa.String(length=40), nullable=False),
        sa.Column("viewport", sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name="fk_display_assignment_id_assignment"),
        sa.ForeignKeyConstraint(
            ["login_session_id"], ["login_session.id"], name="fk_display_login_session_id_login_session"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_display"),
    )
    op.create_index("ix_display_assignment_id", "display", ["assignment_id"], unique=False)

    op.create_table(
        "draft",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name="fk_draft_assignment_id_assignment"),
        sa.PrimaryKeyConstraint("assignment_id", name="pk_draft"),
    )
    op.create_table(
        "review_task",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("review_assignment_id", sa.Integer(), nullable=False),
        sa.Column("opinions_assignment_id", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("opinion_order", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("origin IN ('flag', 'disagreement', 'control')", name=op.f("ck_review_task_origin")),
        sa.ForeignKeyConstraint(
            ["opinions_assignment_id"], ["assignment.id"], name="fk_review_task_opinions_assignment_id_assignment"
        ),
        sa.ForeignKeyConstraint(
            ["review_assignment_id"], ["assignment.id"], name="fk_review_task_review_assignment_id_assignment"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_review_task"),
        sa.UniqueConstraint("opinions_assignment_id", name="uq_review_task_opinions_assignment_id"),
        sa.UniqueConstraint("review_assignment_id", name="uq_review_task_review_assignment_id"),
    )
    op.create_table(
        "technical_failure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=400), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignment.id"], name="fk_technical_failure_assignment_id_assignment"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_technical_failure"),
        sa.UniqueConstraint("assignment_id", name="uq_technical_failure_assignment_id"),
    )
    op.create_table(
        "verdict",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("supersedes_id", sa.Integer(), nullable=True),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("not_assessable", sa.String(length=40), nullable=True),
        sa.Column("comment", sa.String(), nullable=False),
        sa.Column("shown_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("active_ms", sa.Integer(), nullable=False),
        sa.Column("idle_ms", sa.Integer(), nullable=False),
        sa.Column("load_ms", sa.Integer(), nullable=False),
        sa.Column("renderer", sa.String(length=40), nullable=False),
        sa.Column("viewport", sa.String(length=20), nullable=False),
        sa.Column("software_version", sa.String(length=40), nullable=False),
        sa.Column("freeze_sha256", sa.String(length=64), nullable=False),
        sa.Column("receipt", sa.String(length=9), nullable=False),
        sa.Column("idempotency_key", sa.String(length=64), nullable=False),
        sa.Column("content_sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name="fk_verdict_assignment_id_assignment"),
        sa.ForeignKeyConstraint(["supersedes_id"], ["verdict.id"], name="fk_verdict_supersedes_id_verdict"),
        sa.PrimaryKeyConstraint("id", name="pk_verdict"),
        sa.UniqueConstraint("idempotency_key", name="uq_verdict_idempotency_key"),
        sa.UniqueConstraint("receipt", name="uq_verdict_receipt"),
        sa.UniqueConstraint("supersedes_id", name="uq_verdict_supersedes_id"),
    )
    op.create_index(
        "uq_verdict_root",
        "verdict",
        ["assignment_id"],
        unique=True,
        sqlite_where=sa.text("supersedes_id IS NULL"),
        postgresql_where=sa.text("supersedes_id IS NULL"),
    )

    op.create_table(
        "adjudication",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("first_read_id", sa.Integer(), nullable=False),
        sa.Column("opinions_shown", sa.JSON(), nullable=False),
        sa.Column("decision", sa.JSON(), nullable=False),
        sa.Column("not_assessable", sa.String(length=40), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("receipt", sa.String(length=9), nullable=False),
        sa.Column("idempotency_key", sa.String(length=64), nullable=False),
        sa.Column("content_sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["first_read_id"], ["verdict.id"], name="fk_adjudication_first_read_id_verdict"),
        sa.ForeignKeyConstraint(["task_id"], ["review_task.id"], name="fk_adjudication_task_id_review_task"),
        sa.PrimaryKeyConstraint("id", name="pk_adjudication"),
        sa.UniqueConstraint("idempotency_key", name="uq_adjudication_idempotency_key"),
        sa.UniqueConstraint("receipt", name="uq_adjudication_receipt"),
        sa.UniqueConstraint("task_id", name="uq_adjudication_task_id"),
    )
    op.create_table(
        "flag",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("verdict_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["verdict_id"], ["verdict.id"], name="fk_flag_verdict_id_verdict"),
        sa.PrimaryKeyConstraint("id", name="pk_flag"),
        sa.UniqueConstraint("verdict_id", name="uq_flag_verdict_id"),
    )
    op.create_table(
        "viewing_trace",
        sa.Column("verdict_id", sa.Integer(), nullable=False),
        sa.Column("trace", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["verdict_id"], ["verdict.id"], name="fk_viewing_trace_verdict_id_verdict"),
        sa.PrimaryKeyConstraint("verdict_id", name="pk_viewing_trace"),
    )
    _refuse_changes()


def _refuse_changes() -> None:
    """Put triggers on the append-only tables; each refusal names its table."""
    postgresql = op.get_bind().dialect.name == "postgresql"
    if postgresql:
        op.execute(
            "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ "
            "BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
        )
    for table in APPEND_ONLY:
        if postgresql:
            op.execute(
                f'CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON "{table}" '
                "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
            )
            op.execute(
                f'CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON "{table}" '
                "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )
        else:
            for change in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
                )
