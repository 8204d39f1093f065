"""People, how they sign in, and their role in each study."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, BigInteger, CheckConstraint, Column, UniqueConstraint, text
from sqlmodel import Field

from db.base import Base, now, one_of

ROLES = ("rater", "reviewer", "admin")


class Person(Base, table=True):
    """Somebody who can sign in. Study data refers to raters only by `Membership.pseudonym`."""

    __tablename__ = "person"

    id: int | None = Field(default=None, primary_key=True)
    login: str = Field(unique=True, max_length=120)
    name: str = Field(max_length=120)
    is_owner: bool = False
    # Belongs to the demo and is removed with it.
    is_demo: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    # While this is set, nobody can sign in with this login.
    locked_at: datetime | None = None
    created_at: datetime = Field(default_factory=now)


class Credential(Base, table=True):
    """The Argon2id hash of a person's password."""

    __tablename__ = "credential"

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    password_hash: str
    changed_at: datetime = Field(default_factory=now)


class LoginSession(Base, table=True):
    """A login session. The browser holds the token, the database only its SHA-256."""

    __tablename__ = "login_session"

    id: int | None = Field(default=None, primary_key=True)
    token_sha256: str = Field(unique=True, max_length=64)
    person_id: int = Field(foreign_key="person.id", index=True)
    created_at: datetime = Field(default_factory=now)
    last_seen_at: datetime = Field(default_factory=now)
    expires_at: datetime
    ended_at: datetime | None = None
    # Read from the machine's monotonic clock, which nobody can set; comparable only within one `boot_id`.
    monotonic_ms: int | None = Field(default=None, sa_type=BigInteger)
    seen_monotonic_ms: int | None = Field(default=None, sa_type=BigInteger)
    boot_id: str | None = Field(default=None, max_length=36)


class Invitation(Base, table=True):
    """A single-use link. `join` sets a password; `sign_in` just signs in (for demos and lost passwords)."""

    __tablename__ = "invitation"
    __table_args__ = (CheckConstraint(one_of("purpose", "join", "sign_in"), name="purpose"),)

    id: int | None = Field(default=None, primary_key=True)
    token_sha256: str = Field(unique=True, max_length=64)
    purpose: str
    person_id: int = Field(foreign_key="person.id", index=True)
    created_at: datetime = Field(default_factory=now)
    expires_at: datetime
    consumed_at: datetime | None = None
    # When it was invalidated before use: by a newer link, by a password its person set, or by a new membership.
    ended_at: datetime | None = None
    # None if issued on the command line, and in links older than this column.
    issued_by_id: int | None = Field(default=None, foreign_key="person.id")
    study_id: int | None = Field(default=None, foreign_key="study.id")
    # Whether its person had signed in before it was issued. If so, they get a notice and the report counts it.
    for_known: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    told_at: datetime | None = None


class SignInTry(Base, table=True):
    """A password attempt that has not (yet) succeeded, by the SHA-256 of a login or an address."""

    __tablename__ = "sign_in_try"

    id: int | None = Field(default=None, primary_key=True)
    subject_sha256: str = Field(index=True, max_length=64)
    at: datetime = Field(default_factory=now)


class Membership(Base, table=True):
    """A person's single role in one study."""

    __tablename__ = "membership"
    __table_args__ = (
        UniqueConstraint("person_id", "study_id"),
        UniqueConstraint("study_id", "pseudonym"),
        CheckConstraint(one_of("role", *ROLES), name="role"),
    )

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(foreign_key="person.id")
    study_id: int = Field(foreign_key="study.id", index=True)
    role: str
    pseudonym: str = Field(max_length=40)
    # For a rater in a study that lists its phases: the group whose phases they work in, and the slot that they fill.
    group_key: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    slot: int | None = None
    specialty: str = Field(default="", max_length=120)
    years: int | None = None
    # What else the protocol declares of raters, as canonical text.
    attributes: dict[str, str] = Field(
        default_factory=dict, sa_column=Column(JSON, nullable=False, server_default=text("'{}'"))
    )
    created_at: datetime = Field(default_factory=now)
    # Removed from the study before submitting any verdict.
    removed_at: datetime | None = None


class Acknowledgement(Base, table=True):
    """A member's confirmation of having read a text (instructions, consent), with its hash and time; append-only."""

    __tablename__ = "acknowledgement"
    __table_args__ = (UniqueConstraint("membership_id", "group_key", "phase", "text_sha256"),)

    id: int | None = Field(default=None, primary_key=True)
    membership_id: int = Field(foreign_key="membership.id")
    # The key of the first phase of the queue whose text was read, and the member's group at that time.
    phase: str = Field(max_length=40)
    group_key: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    text_sha256: str = Field(max_length=64)
    acknowledged_at: datetime = Field(default_factory=now)
