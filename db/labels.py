"""Labels that people gave elsewhere, as files brought them: nothing here knows how these people were blinded."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, UniqueConstraint
from sqlmodel import Field

from db.base import Base, now, one_of

# How the answers that were labelled are said to have been chosen: as a simple random part, or nobody says it.
DRAWN = ("", "random")


class LabelReservation(Base, table=True):
    """Under whose key the labels of a file are stored, slice by slice, before their import itself makes them visible.

    As `db.judging.JudgeImport` is of a run: without an import of the same key it is unfinished.
    """

    __tablename__ = "label_reservation"
    __table_args__ = (UniqueConstraint("study_id", "name"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    # Of the labels that they are to be.
    name: str = Field(max_length=80)
    holder: str = Field(max_length=40)
    expires_at: datetime


class LabelImport(Base, table=True):
    """The labels of one file that people gave elsewhere, not blinded here; append-only.

    It is stored behind its labels, and makes them visible.
    """

    __tablename__ = "label_import"
    __table_args__ = (UniqueConstraint("study_id", "name"), CheckConstraint(one_of("drawn", *DRAWN), name="drawn"))

    # That of its reservation.
    id: int | None = Field(default=None, primary_key=True, foreign_key="label_reservation.id")
    study_id: int = Field(foreign_key="study.id")
    name: str = Field(max_length=80)
    # As PHASE.FIELD; empty where a label says correct or incorrect.
    field: str = Field(max_length=160)
    # The codes that a label can have, lowest first; "number" alone where it is a number.
    scale: list[str] = Field(sa_column=Column(JSON, nullable=False))
    source: str = Field(max_length=80)
    source_sha256: str = Field(max_length=64)
    # How the people are said to have been blinded, in the words of the importer; empty where that is not known.
    blinding: str
    drawn: str = Field(max_length=10)
    parameters: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class ImportedLabel(Base, table=True):
    """What one labeller said of a candidate elsewhere, or why they gave no label; append-only.

    Until there is an import with its key, a label belongs to no study, and may be deleted.
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
    # Of which kind a missing label is; empty where there is a label.
    missing: str = Field(max_length=12)
    remark: str
