"""LLM judges' verdicts on candidates, the part of a study that is sealed for testing judges, and who looked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, String, UniqueConstraint, text
from sqlmodel import Field

from db.base import Base, now, one_of


class JudgeImport(Base, table=True):
    """The key under which a run's verdicts are stored, slice by slice, before the run's own row makes them visible.

    An import without a run of the same key is unfinished. Its holder works on it until it expires; after that, whatever
    was stored is removed.
    """

    __tablename__ = "judge_import"
    __table_args__ = (UniqueConstraint("study_id", "name"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    # The name of the run being imported.
    name: str = Field(max_length=80)
    holder: str = Field(max_length=40)
    expires_at: datetime


class JudgeRun(Base, table=True):
    """One pass of one judge over a study's candidates; append-only.

    The row is stored after its verdicts and makes them visible.
    """

    __tablename__ = "judge_run"
    __table_args__ = (UniqueConstraint("study_id", "name"),)

    # The same key as its import's.
    id: int | None = Field(default=None, primary_key=True, foreign_key="judge_import.id")
    study_id: int = Field(foreign_key="study.id")
    name: str = Field(max_length=80)
    judge: str = Field(max_length=120)
    source_sha256: str = Field(max_length=64)
    parameters: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    # The codes that a verdict of this run can have, lowest first; only "number" if verdicts are numbers.
    scale: list[str] = Field(
        default_factory=lambda: ["incorrect", "correct"],
        sa_column=Column(JSON, nullable=False, server_default='["incorrect", "correct"]'),
    )
    hash_rule: int = Field(default=1, sa_column_kwargs={"server_default": text("1")})
    created_at: datetime = Field(default_factory=now)


class JudgeVerdict(Base, table=True):
    """A judge's verdict on a candidate (a code of its run's scale or a number), or the error in its place; append-only.

    If the candidate stands for a pair, the verdict is in the order of the pair (a: its first answer is better), and
    `shown_first` says which of the two the judge was shown first; it is empty if that is not known.

    `failure` is the kind of error; it is empty in runs imported before the column existed. Until a run with its key
    exists, a verdict belongs to no study and may be deleted.
    """

    __tablename__ = "judge_verdict"
    __table_args__ = (
        UniqueConstraint("run_id", "candidate_id"),
        CheckConstraint("(verdict IS NULL) <> (error IS NULL)", name="verdict_or_error"),
    )

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="judge_import.id")
    candidate_id: int = Field(foreign_key="candidate.id")
    # SQLite stores text of any length, whatever the declared one, so the original declaration stays there.
    verdict: str | None = Field(
        default=None, sa_column=Column(String(60).with_variant(String(20), "sqlite"), nullable=True)
    )
    error: str | None = None
    explanation: str = ""
    failure: str = Field(default="", max_length=12, sa_column_kwargs={"server_default": ""})
    confidence: float | None = None
    shown_first: str = Field(default="", max_length=6, sa_column_kwargs={"server_default": ""})


class SealedSplit(Base, table=True):
    """The one-time division of a study's subjects into development and test; append-only.

    People's answers about test subjects are sealed (`services.judging.sealed_split`).
    """

    __tablename__ = "sealed_split"
    __table_args__ = (UniqueConstraint("study_id"), CheckConstraint("share > 0 AND share < 1", name="share"))

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    # The share of the items that is for testing.
    share: float
    strata: list[str] = Field(sa_column=Column(JSON, nullable=False))
    # Subjects rather than items, so that items corrected in a later version stay in the same part.
    test_subjects: list[str] = Field(sa_column=Column(JSON, nullable=False))
    method: str
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class SplitOpening(Base, table=True):
    """The opening of agreement on the test part for a judge with one prompt, and the reason; append-only.

    With an empty judge it unseals everything that people answered about test subjects.
    """

    __tablename__ = "split_opening"
    __table_args__ = (UniqueConstraint("study_id", "judge", "prompt"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    judge: str = Field(max_length=120)
    # The prompt's version, or the first digits of its hash; empty if the runs give neither.
    prompt: str = Field(max_length=80)
    reason: str
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class OpenedBasis(Base, table=True):
    """The human verdicts by which agreement on the test part is shown for an opened judge, and the reason; append-only.

    The newest row of an opening holds. An opening without rows is by raters' verdicts and the usual basis.
    """

    __tablename__ = "opened_basis"

    id: int | None = Field(default=None, primary_key=True)
    opening_id: int = Field(foreign_key="split_opening.id", index=True)
    # The names of imports of labels made elsewhere; empty for raters' verdicts.
    labels: list[str] = Field(sa_column=Column(JSON, nullable=False))
    # Empty for the usual one of the scale.
    basis: str = Field(max_length=120)
    reason: str
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class CalibrationLook(Base, table=True):
    """A record that somebody opened the agreement of a judge with people; append-only.

    Opening the same verdicts again is not another look: `material_sha256` is a hash of everything that was compared,
    keyed by the study's secret, so that it confirms no guess; older rows have a plain one.
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
