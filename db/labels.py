"""Labels given elsewhere and imported from files. Blindread itself does not know how the labellers were blinded."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, UniqueConstraint
from sqlmodel import Field

from db.base import Base, now, one_of

# How the labelled answers were selected, according to the importer: as a simple random sample, or not stated.
DRAWN = ("", "random")


class LabelReservation(Base, table=True):
    """The key under which a file's labels are stored, slice by slice, before their import's row makes them visible.

    It works as `db.judging.JudgeImport` does for a run: without an import of the same key it is unfinished.
    """

    __tablename__ = "label_reservation"
    __table_args__ = (UniqueConstraint("study_id", "name"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    # The name of the labels being imported.
    name: str = Field(max_length=80)
    holder: str = Field(max_length=40)
    expires_at: datetime


class LabelImport(Base, table=True):
    """The labels from one file, given by people elsewhere and not blinded here; append-only.

    The row is stored after its labels and makes them visible.
    """

    __tablename__ = "label_import"
    __table_args__ = (UniqueConstraint("study_id", "name"), CheckConstraint(one_of("drawn", *DRAWN), name="drawn"))

    # The same key as its reservation's.
    id: int | None = Field(default=None, primary_key=True, foreign_key="label_reservation.id")
    study_id: int = Field(foreign_key="study.id")
    name: str = Field(max_length=80)
    # As PHASE.FIELD; empty if a label says correct or incorrect.
    field: str = Field(max_length=160)
    # The codes that a label can have, lowest first; only "number" if labels are numbers.
    scale: list[str] = Field(sa_column=Column(JSON, nullable=False))
    source: str = Field(max_length=80)
    source_sha256: str = Field(max_length=64)
    # How the labellers were blinded, in the importer's words; empty if unknown.
    blinding: str
    drawn: str = Field(max_length=10)
    parameters: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class ImportedLabel(Base, table=True):
    """One labeller's label for a candidate, given elsewhere, or why there is none; append-only.

    Until an import with its key exists, a label belongs to no study and may be deleted.
    """

    __tablename__ = "imported_label"
    __table_args__ = (
        UniqueConstraint("import_id", "candidate_id", "labeller"),
        CheckConstraint("(label IS NULL) <> (missing = '')", name="label_or_missing"),
    )

    id: int | None = Field(default=None, primary_key=True)
    import_id: int = Field(foreign_key="label_reservation.id")
    candidate_id: int = Field(foreign_key="candidate.id")
    labeller: str = Field(max_length=80)
    label: str | None = Field(default=None, max_length=60)
    # The kind of a missing label; empty if there is a label.
    missing: str = Field(max_length=12)
    remark: str
