"""What a study is made of: its protocol, cases, volumes, items, references and candidates."""

from __future__ import annotations

import secrets
from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, UniqueConstraint, text
from sqlmodel import Field

from db.base import Base, now, one_of


def _new_salt() -> str:
    return secrets.token_hex(32)


def _attributes() -> Any:
    """Return the column for attributes that a protocol declares beyond a table's fixed columns."""
    return Field(default_factory=dict, sa_column=Column(JSON, nullable=False, server_default=text("'{}'")))


class Study(Base, table=True):
    """A study. Its status is derived from its freeze and its events, never stored."""

    __tablename__ = "study"

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(unique=True, max_length=80)
    title: str = Field(max_length=200)
    simulated_readers: bool = False
    # Belongs to the demo and is removed with it.
    is_demo: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    # Removed as a draft or with the demo. The row stays for the audit chain, under a different key.
    removed_at: datetime | None = None
    # The key of the study's tokens and keyed hashes; never leaves the server.
    salt: str = Field(default_factory=_new_salt, max_length=64)
    created_at: datetime = Field(default_factory=now)


class ProtocolRecord(Base, table=True):
    """The protocol as canonical JSON, with its SHA-256."""

    __tablename__ = "protocol"

    study_id: int = Field(primary_key=True, foreign_key="study.id")
    # What the program uses; in a study that lists its phases, the expanded protocol.
    canonical_json: str
    sha256: str = Field(max_length=64)
    # The author's original file, in a study that lists its phases.
    source: str = Field(default="", sa_column_kwargs={"server_default": text("''")})


class Case(Base, table=True):
    """What is shown at once. `subject` is the cluster of every interval and never reaches a rater."""

    __tablename__ = "study_case"
    __table_args__ = (UniqueConstraint("study_id", "key"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    key: str = Field(max_length=80)
    subject: str = Field(max_length=80)
    vignette: str = ""
    age: int | None = None
    # Pairs of name and value, in the study folder's order.
    history: list[list[str]] = Field(
        default_factory=list, sa_column=Column(JSON, nullable=False, server_default=text("'[]'"))
    )
    note: str = ""
    attributes: dict[str, str] = _attributes()


class Volume(Base, table=True):
    """One prepared scan; its file is in the volume store, named by its SHA-256."""

    __tablename__ = "volume"
    __table_args__ = (
        UniqueConstraint("study_id", "key"),
        CheckConstraint(one_of("role", "current", "prior"), name="role"),
    )

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    case_id: int = Field(foreign_key="study_case.id", index=True)
    key: str = Field(max_length=80)
    role: str
    sequence: str = Field(max_length=40)
    label: str = Field(max_length=80)
    acquired: date | None = None
    file_name: str = Field(max_length=400)
    sha256: str = Field(max_length=64)
    voxel_sha256: str = Field(max_length=64)
    # Of the uncompressed file, which is what the browser compares. None in files of 0.1.0 until it is computed.
    unpacked_sha256: str | None = Field(default=None, max_length=64)
    shape: list[int] = Field(sa_column=Column(JSON, nullable=False))
    spacing: list[float] = Field(sa_column=Column(JSON, nullable=False))
    window: list[float] = Field(sa_column=Column(JSON, nullable=False))
    intensity_range: list[float] = Field(sa_column=Column(JSON, nullable=False))
    # Whether the file gives the position and size of its voxels in the patient; a PNG or JPEG does not.
    placed: bool = Field(default=True, sa_column_kwargs={"server_default": text("true")})


class Overlay(Base, table=True):
    """A mask that can be shown over a case's scans; its file is in the volume store, named by its SHA-256."""

    __tablename__ = "overlay"
    __table_args__ = (
        UniqueConstraint("study_id", "key"),
        CheckConstraint(one_of("style", "outline", "fill"), name="style"),
        CheckConstraint("opacity > 0 AND opacity <= 1", name="opacity"),
    )

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    case_id: int = Field(foreign_key="study_case.id", index=True)
    key: str = Field(max_length=80)
    label: str = Field(max_length=80)
    colour: str = Field(max_length=7)
    style: str
    opacity: float
    file_name: str = Field(max_length=400)
    sha256: str = Field(max_length=64)
    voxel_sha256: str = Field(max_length=64)
    # Of the uncompressed file, which is what the browser compares. None in files of 0.1.0 until it is computed.
    unpacked_sha256: str | None = Field(default=None, max_length=64)
    shape: list[int] = Field(sa_column=Column(JSON, nullable=False))
    spacing: list[float] = Field(sa_column=Column(JSON, nullable=False))


class PoolFile(Base, table=True):
    """A scan or mask of a study that draws its items; prepared as a `Volume` or `Overlay` if a drawn item shows it."""

    __tablename__ = "pool_file"
    __table_args__ = (
        UniqueConstraint("study_id", "kind", "key"),
        CheckConstraint(one_of("kind", "volume", "overlay"), name="kind"),
    )

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    case_id: int = Field(foreign_key="study_case.id", index=True)
    kind: str
    key: str = Field(max_length=80)
    # Within the study folder.
    path: str = Field(max_length=400)
    # The other columns of its row in the table.
    said: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    # Whether the most recent draw needs it.
    needed: bool = False


class Item(Base, table=True):
    """One prompt about one case. It contains nothing about the right answer, which is in `Reference`."""

    __tablename__ = "item"
    __table_args__ = (
        UniqueConstraint("study_id", "key"),
        CheckConstraint(one_of("format", "yes_no", "choice", "open"), name="format"),
        CheckConstraint(one_of("grounding", "image_grounded", "image_informed", ""), name="grounding"),
    )

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    case_id: int = Field(foreign_key="study_case.id", index=True)
    key: str = Field(max_length=80)
    category: str = Field(max_length=80)
    format: str
    grounding: str
    form: str = Field(max_length=40)
    prompt: str
    options: list[dict[str, str]] = Field(sa_column=Column(JSON, nullable=False))
    sequences: list[str] = Field(sa_column=Column(JSON, nullable=False))
    uses_prior: bool = False
    # Keys of the overlays that can be shown over this item's scans.
    overlays: list[str] = Field(
        default_factory=list, sa_column=Column(JSON, nullable=False, server_default=text("'[]'"))
    )
    # Initial position of the crosshair in mm. Empty: the middle. None: as the study specifies.
    start: list[float] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True), nullable=True))
    # Items of one conversation are read consecutively, in the order of their turns.
    conversation: str | None = Field(default=None, max_length=80)
    turn: int | None = None
    # Read before the real items, with feedback; never part of a freeze's sample or any statistic.
    practice: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    attributes: dict[str, str] = _attributes()


class Reference(Base, table=True):
    """The answer counted as right; append-only once frozen. The highest version applies.

    No query that serves a reading phase joins this table.
    """

    __tablename__ = "reference"
    __table_args__ = (UniqueConstraint("item_id", "version"),)

    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="item.id")
    version: int = 1
    accepted: list[str] = Field(sa_column=Column(JSON, nullable=False))
    low: float | None = None
    high: float | None = None
    text_only_answer: str = ""
    provenance: str = ""
    # Shown with the answer after a practice verdict, never before.
    explanation: str = Field(default="", sa_column_kwargs={"server_default": text("''")})
    # What counts as right in named fields, as stored by `protocol.references`. The columns above refer to the primary
    # field.
    fields: list[dict[str, Any]] = Field(
        default_factory=list, sa_column=Column(JSON, nullable=False, server_default=text("'[]'"))
    )
    created_at: datetime = Field(default_factory=now)


class Candidate(Base, table=True):
    """An answer that is judged: a model's or, with an empty model, a person's (see `PooledAnswer`).

    With an empty model it may also stand for two answers that are compared (see `CandidatePair`).
    """

    __tablename__ = "candidate"
    __table_args__ = (UniqueConstraint("study_id", "key"),)

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    item_id: int = Field(foreign_key="item.id", index=True)
    key: str = Field(max_length=80)
    model: str = Field(max_length=120)
    # Empty if no answer was given: no response, which is counted but never shown.
    answer: str
    attributes: dict[str, str] = _attributes()


class CandidatePair(Base, table=True):
    """The two answers to one item for which a candidate stands when answers are compared with each other.

    The candidate itself has no model and no text. `first` and `second` follow the order of the tables; which side a
    person sees each answer on is stored with the assignment.
    """

    __tablename__ = "candidate_pair"
    __table_args__ = (UniqueConstraint("candidate_id"), CheckConstraint("first_id <> second_id", name="two"))

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", index=True)
    candidate_id: int = Field(foreign_key="candidate.id")
    first_id: int = Field(foreign_key="candidate.id")
    second_id: int = Field(foreign_key="candidate.id")
    # True if listed in pairs.csv; false if drawn by the freeze or the closing of a phase.
    listed: bool = False
