"""Tables that keep the processes of one installation out of each other's way."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Column
from sqlmodel import Field

from db.base import Base, now


class Lease(Base, table=True):
    """The right of one process to do something, until it expires or is given back."""

    __tablename__ = "lease"

    name: str = Field(primary_key=True, max_length=120)
    holder: str = Field(max_length=40)
    expires_at: datetime


class Verification(Base, table=True):
    """One verification of a study; without an end time it is resumed where it stopped."""

    __tablename__ = "verification"

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", index=True)
    started_at: datetime = Field(default_factory=now)
    ended_at: datetime | None = None
    files_checked: int = 0
    problems: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
