"""What of a study is frozen, and what became of it since: versions, phases closed and opened, pooled answers."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, BigInteger, CheckConstraint, Column, UniqueConstraint, text
from sqlmodel import Field

from db.base import Base, now, one_of


class Freeze(Base, table=True):
    """The fixed state of a study in one version; append-only."""

    __tablename__ = "freeze"
    __table_args__ = (UniqueConstraint("study_id", "version"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    version: int = Field(default=1, sa_column_kwargs={"server_default": text("1")})
    manifest_json: str
    sha256: str = Field(max_length=64)
    seed: int = Field(sa_type=BigInteger)
    method: str = Field(max_length=200)
    # 1: from the protocol's seed alone; 2: from the study's draw key.
    draw_rule: int = Field(default=1, sa_column_kwargs={"server_default": text("1")})
    created_at: datetime = Field(default_factory=now)


class Thaw(Base, table=True):
    """That a freeze of which nobody had seen anything does not stand any more, and why; append-only."""

    __tablename__ = "thaw"

    id: int | None = Field(default=None, primary_key=True)
    freeze_id: int = Field(foreign_key="freeze.id", unique=True)
    reason: str
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class StudyVersion(Base, table=True):
    """A version of a frozen study that follows another, with what it adds; append-only. The first is its freeze."""

    __tablename__ = "study_version"
    __table_args__ = (UniqueConstraint("study_id", "version"), CheckConstraint("version > 1", name="version"))

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    freeze_id: int = Field(foreign_key="freeze.id")
    version: int
    # As the columns of `ProtocolRecord`: what the program goes by from now on, and the file as its author wrote it.
    protocol_json: str
    protocol_source: str
    # It names the hash of the version before it, and what differs from that.
    manifest_json: str
    sha256: str = Field(max_length=64)
    # The keys of the rows that came with it, by table, as seals name them: `1-5,9`.
    added: dict[str, str] = Field(sa_column=Column(JSON, nullable=False))
    reason: str
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class WithdrawnUnit(Base, table=True):
    """An item, or one candidate of it, that a version replaces by a corrected one; append-only.

    What was answered about it stays; nothing more is answered.
    """

    __tablename__ = "withdrawn_unit"
    __table_args__ = (UniqueConstraint("item_id", "candidate_id"),)

    id: int | None = Field(default=None, primary_key=True)
    version_id: int = Field(foreign_key="study_version.id")
    item_id: int = Field(foreign_key="item.id")
    # None where it is the item with all its candidates.
    candidate_id: int | None = Field(default=None, foreign_key="candidate.id")
    # The key of the corrected item, or candidate.
    replaced_by: str = Field(max_length=80)


class FreezeItem(Base, table=True):
    """An item (or one candidate of it) in a freeze, with its stratum and inclusion probability; append-only."""

    __tablename__ = "freeze_item"
    __table_args__ = (
        UniqueConstraint("freeze_id", "phase", "item_id", "candidate_id"),
        CheckConstraint("inclusion_probability > 0 AND inclusion_probability <= 1", name="probability"),
    )

    id: int | None = Field(default=None, primary_key=True)
    freeze_id: int = Field(foreign_key="freeze.id")
    item_id: int = Field(foreign_key="item.id")
    candidate_id: int | None = Field(default=None, foreign_key="candidate.id")
    # Of a study that lists its phases, the one for which it was drawn.
    phase: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    stratum: str = Field(max_length=200)
    # None where it is not known: then nothing is weighted by it.
    inclusion_probability: float | None
    # Monte Carlo error of a simulated probability; None of any other.
    inclusion_error: float | None = None
    # The slots of groups to which it was dealt, as "residents/2"; none where it is for everybody of its phase.
    slots: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False, server_default=text("'[]'")))
    # The version of the study with which it came.
    version: int = Field(default=1, sa_column_kwargs={"server_default": text("1")})


class PhaseClosing(Base, table=True):
    """That a phase is closed from whose answers the units of others follow, with what was drawn by that; append-only.

    From then on nothing is answered or revised in it. Everybody was done, or an admin closed it with a reason.
    """

    __tablename__ = "phase_closing"
    __table_args__ = (UniqueConstraint("study_id", "phase"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    phase: str = Field(max_length=40)
    reason: str = ""
    person_id: int | None = Field(default=None, foreign_key="person.id")
    # Planned against drawn and each unit with its probability, by the key of the phase that was drawn.
    manifest_json: str
    sha256: str = Field(max_length=64)
    at: datetime = Field(default_factory=now)


class PhaseOpening(Base, table=True):
    """That an admin has opened a phase which waits for that, and why then; append-only."""

    __tablename__ = "phase_opening"
    __table_args__ = (UniqueConstraint("study_id", "phase"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    phase: str = Field(max_length=40)
    reason: str
    person_id: int = Field(foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class PooledAnswer(Base, table=True):
    """Which candidate is what a person answered, in the words of the pool in which it is rated; append-only.

    Beside the model's answers it looks like one of them, but that its model is empty: only this says whose it is.
    """

    __tablename__ = "pooled_answer"
    __table_args__ = (UniqueConstraint("candidate_id"), UniqueConstraint("verdict_id"))

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", index=True)
    candidate_id: int = Field(foreign_key="candidate.id")
    verdict_id: int = Field(foreign_key="verdict.id")


class StudyEvent(Base, table=True):
    """What happened to a study as a whole, with its reason; append-only."""

    __tablename__ = "study_event"
    __table_args__ = (CheckConstraint(one_of("kind", "open", "interim", "close", "reopen"), name="kind"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", index=True)
    kind: str
    reason: str = ""
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)
