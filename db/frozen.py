"""A study's freeze and what happened since: versions, thaws, closed and opened phases, pooled answers."""

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
    """The revocation of a freeze while nobody had seen anything of the study, with its reason; append-only."""

    __tablename__ = "thaw"

    id: int | None = Field(default=None, primary_key=True)
    freeze_id: int = Field(foreign_key="freeze.id", unique=True)
    reason: str
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class StudyVersion(Base, table=True):
    """A later version of a frozen study and what it adds; append-only. The first version is the freeze itself."""

    __tablename__ = "study_version"
    __table_args__ = (UniqueConstraint("study_id", "version"), CheckConstraint("version > 1", name="version"))

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    freeze_id: int = Field(foreign_key="freeze.id")
    version: int
    # Like the columns of `ProtocolRecord`: the protocol the program uses from now on, and the author's original file.
    protocol_json: str
    protocol_source: str
    # Contains the hash of the previous version and the differences from it.
    manifest_json: str
    sha256: str = Field(max_length=64)
    # The keys of the rows that this version added, by table, in the notation of the seals: `1-5,9`.
    added: dict[str, str] = Field(sa_column=Column(JSON, nullable=False))
    reason: str
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class WithdrawnUnit(Base, table=True):
    """An item, or one of its candidates, that a version replaces with a corrected one; append-only.

    Existing answers about it are retained; no further answers are accepted.
    """

    __tablename__ = "withdrawn_unit"
    __table_args__ = (UniqueConstraint("item_id", "candidate_id"),)

    id: int | None = Field(default=None, primary_key=True)
    version_id: int = Field(foreign_key="study_version.id")
    item_id: int = Field(foreign_key="item.id")
    # None if the item is withdrawn with all its candidates.
    candidate_id: int | None = Field(default=None, foreign_key="candidate.id")
    # The key of the corrected item or candidate.
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
    # In a study that lists its phases: the phase for which the unit was drawn.
    phase: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    stratum: str = Field(max_length=200)
    # None if unknown; nothing is then weighted by it.
    inclusion_probability: float | None
    # Monte Carlo error of a simulated probability, otherwise None.
    inclusion_error: float | None = None
    # The group slots to which the unit was dealt, such as "residents/2"; empty if everybody in the phase gets it.
    slots: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False, server_default=text("'[]'")))
    # The version of the study that added it.
    version: int = Field(default=1, sa_column_kwargs={"server_default": text("1")})


class PhaseClosing(Base, table=True):
    """The closing of a phase from whose answers the units of other phases are drawn, with that draw; append-only.

    From then on nothing can be answered or revised in it. Either everybody had finished, or an admin closed it with a
    reason.
    """

    __tablename__ = "phase_closing"
    __table_args__ = (UniqueConstraint("study_id", "phase"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    phase: str = Field(max_length=40)
    reason: str = ""
    person_id: int | None = Field(default=None, foreign_key="person.id")
    # By the key of each phase that was drawn: planned and drawn numbers, and every unit with its probability.
    manifest_json: str
    sha256: str = Field(max_length=64)
    at: datetime = Field(default_factory=now)


class PhaseOpening(Base, table=True):
    """The opening of a phase that waits for an admin, with the admin's reason; append-only."""

    __tablename__ = "phase_opening"
    __table_args__ = (UniqueConstraint("study_id", "phase"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    phase: str = Field(max_length=40)
    reason: str
    person_id: int = Field(foreign_key="person.id")
    at: datetime = Field(default_factory=now)


class PooledAnswer(Base, table=True):
    """The link between a candidate in a pool and the person's verdict from which it was made; append-only.

    In the pool it looks like a model's answer, except that its model is empty. Only this table says who wrote it.
    """

    __tablename__ = "pooled_answer"
    __table_args__ = (UniqueConstraint("candidate_id"), UniqueConstraint("verdict_id"))

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", index=True)
    candidate_id: int = Field(foreign_key="candidate.id")
    verdict_id: int = Field(foreign_key="verdict.id")


class StudyEvent(Base, table=True):
    """An event in the life of a study as a whole, with its reason; append-only."""

    __tablename__ = "study_event"
    __table_args__ = (CheckConstraint(one_of("kind", "open", "interim", "close", "reopen"), name="kind"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", index=True)
    kind: str
    reason: str = ""
    person_id: int | None = Field(default=None, foreign_key="person.id")
    at: datetime = Field(default_factory=now)
