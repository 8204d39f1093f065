"""People, how they sign in, and what they are in which study."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, UniqueConstraint, text
from sqlmodel import Field

from db.base import Base, now, one_of

ROLES = ("rater", "reviewer", "admin")


class Person(Base, table=True):
    """Somebody who can sign in. Raters appear in data by `Membership.pseudonym` only."""

    __tablename__ = "person"

    id: int | None = Field(default=None, primary_key=True)
    login: str = Field(unique=True, max_length=120)
    name: str = Field(max_length=120)
    is_owner: bool = False
    # Belongs to the demo, and goes with it.
    is_demo: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    # Nobody signs in under this login as long as this is set.
    locked_at: datetime | None = None
    created_at: datetime = Field(default_factory=now)


class Credential(Base, table=True):
    """The Argon2id hash of a person's password."""

    __tablename__ = "credential"

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    password_hash: str
    changed_at: datetime = Field(default_factory=now)


class LoginSession(Base, table=True):
    """A sign-in. The browser holds the token, the database its SHA-256 only."""

    __tablename__ = "login_session"

    id: int | None = Field(default=None, primary_key=True)
    token_sha256: str = Field(unique=True, max_length=64)
    person_id: int = Field(foreign_key="person.id", index=True)
    created_at: datetime = Field(default_factory=now)
    last_seen_at: datetime = Field(default_factory=now)
    expires_at: datetime
    ended_at: datetime | None = None
    # By the machine's monotonic clock, which nobody can set; comparable under one `boot_id` only.
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
    # Ended before it was used: by a newer link, by a password of one's own, or by a new membership.
    ended_at: datetime | None = None
    # None for the command line and in links that are older than this column.
    issued_by_id: int | None = Field(default=None, foreign_key="person.id")
    study_id: int | None = Field(default=None, foreign_key="study.id")
    # Whether its person had signed in before it was issued; then they get a notice, and the report counts it.
    for_known: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    told_at: datetime | None = None


class SignInTry(Base, table=True):
    """A try to sign in by password that was not (yet) a success; of a login or an address, by its SHA-256."""

    __tablename__ = "sign_in_try"

    id: int | None = Field(default=None, primary_key=True)
    subject_sha256: str = Field(index=True, max_length=64)
    at: datetime = Field(default_factory=now)


class Membership(Base, table=True):
    """One person's one role in one study."""

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
    # Of a rater in a study that lists its phases: the group whose phases are theirs, and the slot of it that they fill.
    group_key: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    slot: int | None = None
    specialty: str = Field(default="", max_length=120)
    years: int | None = None
    created_at: datetime = Field(default_factory=now)
    # Taken out of the study before any verdict.
    removed_at: datetime | None = None


class Acknowledgement(Base, table=True):
    """That a member has read a text (instructions, consent), with the text's hash and the time; append-only."""

    __tablename__ = "acknowledgement"
    __table_args__ = (UniqueConstraint("membership_id", "group_key", "phase", "text_sha256"),)

    id: int | None = Field(default=None, primary_key=True)
    membership_id: int = Field(foreign_key="membership.id")
    # The key of the first phase that is done where the text was read, and the member's group at that time.
    phase: str = Field(max_length=40)
    group_key: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    text_sha256: str = Field(max_length=64)
    acknowledged_at: datetime = Field(default_factory=now)
