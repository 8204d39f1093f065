"""Assignments, drafts, verdicts and reviewers' decisions. Verdicts are only ever added, never changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Column, Index, UniqueConstraint, text
from sqlmodel import Field

from db.base import Base, new_public_id, now, one_of

# What an assignment rates.
KINDS = ("items", "candidates", "pairs", "references", "answers")


class Assignment(Base, table=True):
    """One member x one item (or candidate) x one phase x one pass, at a position that is fixed on creation."""

    __tablename__ = "assignment"
    __table_args__ = (
        UniqueConstraint("membership_id", "phase", "pass_number", "position"),
        # A plain unique constraint treats NULL candidates as distinct, so each case has an index of its own.
        Index(
            "uq_assignment_item",
            "membership_id",
            "phase",
            "pass_number",
            "item_id",
            unique=True,
            sqlite_where=text("candidate_id IS NULL"),
            postgresql_where=text("candidate_id IS NULL"),
        ),
        Index(
            "uq_assignment_candidate",
            "membership_id",
            "phase",
            "pass_number",
            "candidate_id",
            unique=True,
            sqlite_where=text("candidate_id IS NOT NULL"),
            postgresql_where=text("candidate_id IS NOT NULL"),
        ),
        CheckConstraint(one_of("kind", *KINDS), name="kind"),
        CheckConstraint("step >= 1", name="step"),
    )

    id: int | None = Field(default=None, primary_key=True)
    public_id: str = Field(default_factory=new_public_id, unique=True, max_length=40)
    study_id: int = Field(foreign_key="study.id", index=True)
    membership_id: int = Field(foreign_key="membership.id")
    item_id: int = Field(foreign_key="item.id", index=True)
    candidate_id: int | None = Field(default=None, foreign_key="candidate.id")
    # The key of a phase in the protocol, what is rated in it, and its step among the phases that work on one unit.
    phase: str
    kind: str = Field(default="items", max_length=20, sa_column_kwargs={"server_default": "items"})
    step: int = Field(default=1, sa_column_kwargs={"server_default": text("1")})
    pass_number: int = 1
    position: int
    # For two answers that are compared: which is on side A and which on side B.
    option_order: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    # The verdicts of others that are shown beside it, in this order; empty if the phase shows none.
    opinion_order: list[int] = Field(
        default_factory=list, sa_column=Column(JSON, nullable=False, server_default=text("'[]'"))
    )
    created_at: datetime = Field(default_factory=now)


class Display(Base, table=True):
    """The record that an assignment was shown on a screen; append-only. No verdict is accepted without one."""

    __tablename__ = "display"

    id: int | None = Field(default=None, primary_key=True)
    assignment_id: int = Field(foreign_key="assignment.id", index=True)
    login_session_id: int = Field(foreign_key="login_session.id")
    shown_at: datetime = Field(default_factory=now)
    load_ms: int
    renderer: str = Field(max_length=40)
    viewport: str = Field(max_length=20)
    # Read from the machine's monotonic clock, which nobody can set; comparable only within one `boot_id`.
    monotonic_ms: int | None = Field(default=None, sa_type=BigInteger)
    boot_id: str | None = Field(default=None, max_length=36)


class Draft(Base, table=True):
    """What is filled in but not submitted: one per assignment, overwritten when a higher sequence number arrives."""

    __tablename__ = "draft"

    assignment_id: int = Field(primary_key=True, foreign_key="assignment.id")
    sequence: int
    answers: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    saved_at: datetime = Field(default_factory=now)


class Verdict(Base, table=True):
    """What a member submitted for an assignment; append-only.

    An assignment has one root verdict, and a verdict is superseded at most once, so revisions cannot fork.
    """

    __tablename__ = "verdict"
    __table_args__ = (
        Index(
            "uq_verdict_root",
            "assignment_id",
            unique=True,
            sqlite_where=text("supersedes_id IS NULL"),
            postgresql_where=text("supersedes_id IS NULL"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    assignment_id: int = Field(foreign_key="assignment.id", index=True)
    supersedes_id: int | None = Field(default=None, foreign_key="verdict.id", unique=True)
    # None in verdicts older than this column.
    login_session_id: int | None = Field(default=None, foreign_key="login_session.id")
    fields: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    not_assessable: str | None = Field(default=None, max_length=40)
    comment: str = ""
    shown_at: datetime
    submitted_at: datetime = Field(default_factory=now)
    active_ms: int
    idle_ms: int
    load_ms: int
    renderer: str = Field(max_length=40)
    viewport: str = Field(max_length=20)
    software_version: str = Field(max_length=40)
    freeze_sha256: str = Field(max_length=64)
    receipt: str = Field(unique=True, max_length=9)
    idempotency_key: str = Field(unique=True, max_length=64)
    content_sha256: str = Field(max_length=64)
    # The rule by which the audit chain proves this row; 1 hashes the answers alone.
    hash_rule: int = Field(default=1, sa_column_kwargs={"server_default": text("1")})


class Reopening(Base, table=True):
    """The verdict that a login session is currently revising in a study: working state, like a draft."""

    __tablename__ = "reopening"

    login_session_id: int = Field(primary_key=True, foreign_key="login_session.id")
    membership_id: int = Field(primary_key=True, foreign_key="membership.id")
    verdict_id: int = Field(foreign_key="verdict.id")
    opened_at: datetime = Field(default_factory=now)


class PracticeResult(Base, table=True):
    """The result of a rater's pass through the practice; append-only. The first success opens the real items."""

    __tablename__ = "practice_result"
    __table_args__ = (UniqueConstraint("membership_id", "pass_number"),)

    id: int | None = Field(default=None, primary_key=True)
    membership_id: int = Field(foreign_key="membership.id")
    pass_number: int
    correct: int
    judged: int
    passed: bool
    created_at: datetime = Field(default_factory=now)


class Flag(Base, table=True):
    """A member's remark that something is wrong with an item; append-only."""

    __tablename__ = "flag"
    __table_args__ = (UniqueConstraint("verdict_id"),)

    id: int | None = Field(default=None, primary_key=True)
    verdict_id: int = Field(foreign_key="verdict.id")
    kind: str = Field(max_length=40)
    note: str = ""
    created_at: datetime = Field(default_factory=now)


class TechnicalFailure(Base, table=True):
    """An assignment whose image could not be shown: neither an answer nor "not assessable"; append-only."""

    __tablename__ = "technical_failure"

    id: int | None = Field(default=None, primary_key=True)
    assignment_id: int = Field(foreign_key="assignment.id", unique=True)
    reason: str = Field(max_length=400)
    created_at: datetime = Field(default_factory=now)


class ViewingTrace(Base, table=True):
    """Which parts of the volumes were viewed before a verdict; append-only, bounded in size."""

    __tablename__ = "viewing_trace"

    verdict_id: int = Field(primary_key=True, foreign_key="verdict.id")
    trace: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class ReviewTask(Base, table=True):
    """One item in a reviewer's queue, why it is there, and the order in which opinions are shown; append-only.

    The reviewer's own blinded read is the verdict of `review_assignment_id`; the decision is an `Adjudication` of
    `opinions_assignment_id`. `origin` is never shown before the decision.
    """

    __tablename__ = "review_task"
    __table_args__ = (CheckConstraint(one_of("origin", "flag", "disagreement", "control"), name="origin"),)

    id: int | None = Field(default=None, primary_key=True)
    review_assignment_id: int = Field(foreign_key="assignment.id", unique=True)
    opinions_assignment_id: int = Field(foreign_key="assignment.id", unique=True)
    origin: str
    opinion_order: list[int] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime = Field(default_factory=now)


class Adjudication(Base, table=True):
    """A reviewer's decision, its reason, and the opinions (verdict ids) that were shown; append-only."""

    __tablename__ = "adjudication"

    id: int | None = Field(default=None, primary_key=True)
    task_id: int = Field(foreign_key="review_task.id", unique=True)
    first_read_id: int = Field(foreign_key="verdict.id")
    opinions_shown: list[int] = Field(sa_column=Column(JSON, nullable=False))
    decision: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    not_assessable: str | None = Field(default=None, max_length=40)
    reason: str
    submitted_at: datetime = Field(default_factory=now)
    receipt: str = Field(unique=True, max_length=9)
    idempotency_key: str = Field(unique=True, max_length=64)
    content_sha256: str = Field(max_length=64)
    # The rule by which the audit chain proves this row; 1 hashes the answers alone.
    hash_rule: int = Field(default=1, sa_column_kwargs={"server_default": text("1")})
