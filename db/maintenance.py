"""What keeps several processes of one installation from getting in each other's way."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Column
from sqlmodel import Field

from db.base import Base, now


class Lease(Base, table=True):
    """What one process at a time may do, until it expires or is given back."""

    __tablename__ = "lease"

    name: str = Field(primary_key=True, max_length=120)
    holder: str = Field(max_length=40)
    expires_at: datetime


class Verification(Base, table=True):
    """One run of the verification over a study; without an end it goes on where it stopped."""

    __tablename__ = "verification"

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", index=True)
    started_at: datetime = Field(default_factory=now)
    ended_at: datetime | None = None
    files_checked: int = 0
    problems: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
