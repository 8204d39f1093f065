"""What LLM judges said about candidates, which part of a study is sealed for their test, and who looked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, String, UniqueConstraint, text
from sqlmodel import Field

from db.base import Base, now, one_of


class JudgeImport(Base, table=True):
    """Under whose key the verdicts of a run are stored, slice by slice, before the run itself makes them visible.

    Without a run of the same key it is unfinished: its holder works on it until it expires, and then what is
    stored of it is cleaned away.
    """

    __tablename__ = "judge_import"
    __table_args__ = (UniqueConstraint("study_id", "name"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    # Of the run that it is to be.
    name: str = Field(max_length=80)
    holder: str = Field(max_length=40)
    expires_at: datetime


class JudgeRun(Base, table=True):
    """One judge's one pass over the candidates of a study; append-only.

    It is stored behind its verdicts, and makes them visible.
    """

    __tablename__ = "judge_run"
    __table_args__ = (UniqueConstraint("study_id", "name"),)

    # That of its import.
    id: int | None = Field(default=None, primary_key=True, foreign_key="judge_import.id")
    study_id: int = Field(foreign_key="study.id")
    name: str = Field(max_length=80)
    judge: str = Field(max_length=120)
    source_sha256: str = Field(max_length=64)
    parameters: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    # The codes that a verdict of this run can have, lowest first; "number" alone where it is a number.
    scale: list[str] = Field(
        default_factory=lambda: ["incorrect", "correct"],
        sa_column=Column(JSON, nullable=False, server_default='["incorrect", "correct"]'),
    )
    hash_rule: int = Field(default=1, sa_column_kwargs={"server_default": text("1")})
    created_at: datetime = Field(default_factory=now)


class JudgeVerdict(Base, table=True):
    """A judge's verdict on a candidate (a code of its run's scale, or a number) or the error in its place; append-only.

    `failure` is of which kind the error is; empty in runs that are older than it. Until there is a run with its key, a
    verdict belongs to no study, and may be deleted.
    """

    __tablename__ = "judge_verdict"
    __table_args__ = (
        UniqueConstraint("run_id", "candidate_id"),
        CheckConstraint("(verdict IS NULL) <> (error IS NULL)", name="verdict_or_error"),
    )

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="judge_import.id")
    candidate_id: int = Field(foreign_key="candidate.id")
    # SQLite keeps texts of any length, whatever was declared first.
    verdict: str | None = Field(
        default=None, sa_column=Column(String(60).with_variant(String(20), "sqlite"), nullable=True)
    )
    error: str | None = None
    explanation: str = ""
    failure: str = Field(default="", max_length=12, sa_column_kwargs={"server_default": ""})
    confidence: float | None = None


class SealedSplit(Base, table=True):
    """How the subjects of a study were divided into development and test, once; append-only.

    What people answered about test subjects is sealed (`services.studies.sealed_split`).
    """

    __tablename__ = "sealed_split"
    __table_args__ = (UniqueConstraint("study_id"), CheckConstraint("share > 0 AND share < 1", name="share"))

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    # Of the items, for test.
    share: float
    strata: list[str] = Field(sa_column=Column(JSON, nullable=False))
    # Subjects and not items, so that what a later version corrects stays in its part.
    test_subjects: list[str] = Field(sa_column=Column(JSON, nullable=False))
    method: str
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class SplitOpening(Base, table=True):
    """That agreement on test was opened for a judge with one prompt, and why; append-only.

    Without a judge it is the unsealing of all that people answered about test subjects.
    """

    __tablename__ = "split_opening"
    __table_args__ = (UniqueConstraint("study_id", "judge", "prompt"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    judge: str = Field(max_length=120)
    # Its version, or the first digits of its hash; empty where the runs say neither.
    prompt: str = Field(max_length=80)
    reason: str
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class CalibrationLook(Base, table=True):
    """That somebody opened the agreement of a judge with people; append-only.

    The same verdicts opened again are no further look: `material_sha256` is a hash of all that were compared.
    """

    __tablename__ = "calibration_look"
    __table_args__ = (CheckConstraint(one_of("part", "all", "development", "test"), name="part"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", index=True)
    field: str = Field(max_length=160)
    judge: str = Field(max_length=120)
    prompt: str = Field(max_length=80)
    part: str
    material_sha256: str = Field(max_length=64)
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)
