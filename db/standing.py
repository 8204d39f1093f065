"""Who asks, and where they stand: what nearly every request has to know first, in one statement each, built once."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, bindparam, exists, func, or_
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from db.base import Base
from db.frozen import Freeze, StudyEvent, StudyVersion, Thaw
from db.people import Membership, Person
from db.queries import is_done
from db.reading import Assignment, Draft
from db.study import Study
from protocol.phases import THEN

_LOGIN_SESSION, _PERSON, _DRAFT, _DISPLAY = (
    Base.metadata.tables[name] for name in ("login_session", "person", "draft", "display")
)


# Of a study's freezes, the one that stands: a thawed one keeps its row for the audit chain.
STANDS = (~exists().where(col(Thaw.freeze_id) == Freeze.id),)


def _frozen(study_id: Any) -> Any:
    """Return the hash of the freeze of a study that stands, or of the newest version after it, as a column."""
    newest = select(Freeze.sha256).where(Freeze.study_id == study_id, *STANDS).order_by(col(Freeze.version).desc())
    later = select(StudyVersion.sha256).where(StudyVersion.study_id == study_id)
    later = later.order_by(col(StudyVersion.version).desc())
    return func.coalesce(later.limit(1).scalar_subquery(), newest.limit(1).scalar_subquery())


def _last_event(study_id: Any) -> Any:
    """Return the kind of the last event that opened or closed a study, as a column."""
    moving = or_(*(col(StudyEvent.kind) == kind for kind in ("open", "close", "reopen")))
    last = select(StudyEvent.kind).where(StudyEvent.study_id == study_id, moving)
    return last.order_by(col(StudyEvent.id).desc()).limit(1).scalar_subquery()


def _something_earlier_is_open() -> Any:
    """Whether anything that is not closed comes before an assignment in its queue."""
    earlier = aliased(Assignment)
    # The steps of the work on one unit are one queue, worked through by position and step: in the first language those
    # of one kind, of a phase that a protocol lists itself and what shows more after it.
    in_one = or_(col(earlier.phase).contains(THEN), col(Assignment.phase).contains(THEN))
    one_queue = or_(
        col(earlier.phase) == Assignment.phase,
        and_(col(earlier.kind) == Assignment.kind, col(earlier.step) != Assignment.step, ~in_one),
        col(earlier.phase) == col(Assignment.phase).concat(THEN),
        col(Assignment.phase) == col(earlier.phase).concat(THEN),
    )
    return exists().where(
        col(earlier.membership_id) == Assignment.membership_id,
        one_queue,
        or_(
            col(earlier.position) < col(Assignment.position),
            and_(col(earlier.position) == Assignment.position, col(earlier.step) < Assignment.step),
        ),
        ~is_done(earlier),
    )


# A removed study, or membership, keeps its row for the audit chain, which names it; for everybody else it is gone.
REMAINS = (col(Study.removed_at).is_(None),)
STILL_MEMBER = (col(Membership.removed_at).is_(None),)

# Freeze and last event of a study; parameter `study_id`.
OF_STUDY: Any = select_columns(_frozen(bindparam("study_id")), _last_event(bindparam("study_id")))

# A study with what one person is there, its freeze and its last event; parameters `person_id` and `study_key`.
OF_MEMBER: Any = (
    select_columns(Study, Membership, _frozen(Study.id), _last_event(Study.id))
    .join(Membership, and_(col(Membership.study_id) == Study.id, col(Membership.person_id) == bindparam("person_id")))
    .where(col(Study.key) == bindparam("study_key"), *REMAINS, *STILL_MEMBER)
)

# All studies in which one person is something, as `OF_MEMBER` does with one; parameter `person_id`.
OF_EVERY_STUDY: Any = (
    select_columns(Study, Membership, _frozen(Study.id), _last_event(Study.id))
    .join(Membership, col(Membership.study_id) == Study.id)
    .where(col(Membership.person_id) == bindparam("person_id"), *REMAINS, *STILL_MEMBER)
    .order_by(col(Study.id))
)

# The lock of one's own assignment; parameters `person_id` and `public_id`.
LOCK_OF_ASSIGNMENT: Any = (
    select(Assignment.id)
    .join(Membership, col(Membership.id) == Assignment.membership_id)
    .where(Assignment.public_id == bindparam("public_id"), Membership.person_id == bindparam("person_id"))
    # The membership too: a request that waited here for its removal must see it.
    .with_for_update(of=(Assignment, Membership))
)

# The lock of what one person is in a study; parameters `person_id` and `study_key`.
LOCK_OF_MEMBER: Any = (
    select(Membership.id)
    .join(Study, col(Study.id) == Membership.study_id)
    .where(col(Study.key) == bindparam("study_key"), col(Membership.person_id) == bindparam("person_id"))
    # Rows that name the membership may still be added by others.
    .with_for_update(of=Membership, key_share=True)
)

# One's own assignment with its study, its draft, freeze and last event, and whether it is its turn in its queue;
# parameters `person_id` and `public_id`.
OF_ASSIGNMENT: Any = (
    select_columns(
        Assignment,
        Study,
        Membership,
        Draft,
        _frozen(Study.id),
        _last_event(Study.id),
        ~is_done(Assignment) & ~_something_earlier_is_open(),
    )
    .join(Study, col(Study.id) == Assignment.study_id)
    .join(Membership, col(Membership.id) == Assignment.membership_id)
    .join(Draft, col(Draft.assignment_id) == Assignment.id, isouter=True)
    .where(
        col(Assignment.public_id) == bindparam("public_id"),
        col(Membership.person_id) == bindparam("person_id"),
        *REMAINS,
        *STILL_MEMBER,
    )
)

# The columns of a login session with those of its person that say who it is; no objects, since every request asks.
_SIGNED_IN = select_columns(*_LOGIN_SESSION.c, col(Person.name), col(Person.is_owner), col(Person.locked_at)).join(
    _PERSON, _PERSON.c.id == _LOGIN_SESSION.c.person_id
)
# Parameter `token_sha256` or `login_session_id`.
BY_TOKEN: Any = _SIGNED_IN.where(_LOGIN_SESSION.c.token_sha256 == bindparam("token_sha256"))
BY_SESSION: Any = _SIGNED_IN.where(_LOGIN_SESSION.c.id == bindparam("login_session_id"))

# The draft of an assignment, new or over the one before it; parameters `assignment`, `sequence`, `answers`, `saved_at`.
_WRITTEN: dict[str, Any] = {name: bindparam(name) for name in ("sequence", "answers", "saved_at")}
NEW_DRAFT: Any = _DRAFT.insert().values(assignment_id=bindparam("assignment"), **_WRITTEN)
NEXT_DRAFT: Any = _DRAFT.update().where(_DRAFT.c.assignment_id == bindparam("assignment")).values(**_WRITTEN)
# Sequence number and answers of the draft of an assignment; parameter `assignment`.
DRAFT: Any = select_columns(_DRAFT.c.sequence, _DRAFT.c.answers).where(
    _DRAFT.c.assignment_id == bindparam("assignment")
)

# That an assignment stands on a screen; nothing comes back of it, and nobody asks for its key.
NEW_DISPLAY: Any = _DISPLAY.insert().inline()
