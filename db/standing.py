"""What nearly every request needs first (who is asking, and their standing), in one prepared statement each."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, bindparam, exists, func, or_
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from db.base import Base
from db.frozen import Freeze, StudyEvent, StudyVersion, Thaw
from db.people import Acknowledgement, Membership, Person
from db.queries import is_done
from db.reading import Assignment, Draft
from db.study import Study
from protocol.phases import THEN

_LOGIN_SESSION, _PERSON, _DRAFT, _DISPLAY = (
    Base.metadata.tables[name] for name in ("login_session", "person", "draft", "display")
)


# Selects the freeze that stands: a thawed one keeps its row for the audit chain.
STANDS = (~exists().where(col(Thaw.freeze_id) == Freeze.id),)


def _frozen(study_id: Any) -> Any:
    """Return, as a column, the hash of a study's newest version, or of its standing freeze if it has no versions."""
    newest = select(Freeze.sha256).where(Freeze.study_id == study_id, *STANDS).order_by(col(Freeze.version).desc())
    later = select(StudyVersion.sha256).where(StudyVersion.study_id == study_id)
    later = later.order_by(col(StudyVersion.version).desc())
    return func.coalesce(later.limit(1).scalar_subquery(), newest.limit(1).scalar_subquery())


def _last_event(study_id: Any) -> Any:
    """Return, as a column, the kind of the last event that opened or closed a study."""
    moving = or_(*(col(StudyEvent.kind) == kind for kind in ("open", "close", "reopen")))
    last = select(StudyEvent.kind).where(StudyEvent.study_id == study_id, moving)
    return last.order_by(col(StudyEvent.id).desc()).limit(1).scalar_subquery()


def _something_earlier_is_open() -> Any:
    """Return the condition that an assignment which is not done precedes another in its queue."""
    earlier = aliased(Assignment)
    # The steps of work on one unit form one queue, ordered by position and step. In the first language these are the
    # phases of one kind; in a study that lists its phases, a phase and its second step.
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


# Removed studies and memberships keep their row because the audit chain refers to it. For everybody they are gone.
REMAINS = (col(Study.removed_at).is_(None),)
STILL_MEMBER = (col(Membership.removed_at).is_(None),)

# The freeze and last event of a study. Parameter: `study_id`.
OF_STUDY: Any = select_columns(_frozen(bindparam("study_id")), _last_event(bindparam("study_id")))

# A study with one person's membership in it, its freeze and its last event. Parameters: `person_id`, `study_key`.
OF_MEMBER: Any = (
    select_columns(Study, Membership, _frozen(Study.id), _last_event(Study.id))
    .join(Membership, and_(col(Membership.study_id) == Study.id, col(Membership.person_id) == bindparam("person_id")))
    .where(col(Study.key) == bindparam("study_key"), *REMAINS, *STILL_MEMBER)
)

# The same as `OF_MEMBER`, for all studies in which a person is a member. Parameter: `person_id`.
OF_EVERY_STUDY: Any = (
    select_columns(Study, Membership, _frozen(Study.id), _last_event(Study.id))
    .join(Membership, col(Membership.study_id) == Study.id)
    .where(col(Membership.person_id) == bindparam("person_id"), *REMAINS, *STILL_MEMBER)
    .order_by(col(Study.id))
)

# The lock on a member's own assignment. Parameters: `person_id`, `public_id`.
LOCK_OF_ASSIGNMENT: Any = (
    select(Assignment.id)
    .join(Membership, col(Membership.id) == Assignment.membership_id)
    .where(Assignment.public_id == bindparam("public_id"), Membership.person_id == bindparam("person_id"))
    # The membership as well: a request that waited here while the member was removed must see the removal.
    .with_for_update(of=(Assignment, Membership))
)

# The lock on a person's membership in a study. Parameters: `person_id`, `study_key`.
LOCK_OF_MEMBER: Any = (
    select(Membership.id)
    .join(Study, col(Study.id) == Membership.study_id)
    .where(col(Study.key) == bindparam("study_key"), col(Membership.person_id) == bindparam("person_id"))
    # Others may still add rows that refer to the membership.
    .with_for_update(of=Membership, key_share=True)
)

# A member's own assignment with its study, draft, freeze and last event, and whether it is next in its queue.
# Parameters: `person_id`, `public_id`.
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

# The phase of a member's own assignment, the membership and the study's freeze, once for each text that the member has
# acknowledged in their current group, oldest first; once without a text if there is none.
# Parameters: `person_id`, `public_id`.
ACKNOWLEDGED_BEFORE: Any = (
    select_columns(
        col(Assignment.phase),
        Membership,
        _frozen(Study.id),
        col(Acknowledgement.phase),
        col(Acknowledgement.text_sha256),
    )
    .join(Study, col(Study.id) == Assignment.study_id)
    .join(Membership, col(Membership.id) == Assignment.membership_id)
    .join(
        Acknowledgement,
        and_(
            col(Acknowledgement.membership_id) == Membership.id,
            col(Acknowledgement.group_key) == Membership.group_key,
        ),
        isouter=True,
    )
    .where(
        col(Assignment.public_id) == bindparam("public_id"),
        col(Membership.person_id) == bindparam("person_id"),
        *REMAINS,
        *STILL_MEMBER,
    )
    .order_by(col(Acknowledgement.id))
)

# The columns of a login session, and those of its person that identify them; no objects, as every request asks this.
_SIGNED_IN = select_columns(*_LOGIN_SESSION.c, col(Person.name), col(Person.is_owner), col(Person.locked_at)).join(
    _PERSON, _PERSON.c.id == _LOGIN_SESSION.c.person_id
)
# Parameter: `token_sha256` or `login_session_id`.
BY_TOKEN: Any = _SIGNED_IN.where(_LOGIN_SESSION.c.token_sha256 == bindparam("token_sha256"))
BY_SESSION: Any = _SIGNED_IN.where(_LOGIN_SESSION.c.id == bindparam("login_session_id"))

# An assignment's draft, inserted or updated. Parameters: `assignment`, `sequence`, `answers`, `saved_at`.
_WRITTEN: dict[str, Any] = {name: bindparam(name) for name in ("sequence", "answers", "saved_at")}
NEW_DRAFT: Any = _DRAFT.insert().values(assignment_id=bindparam("assignment"), **_WRITTEN)
NEXT_DRAFT: Any = _DRAFT.update().where(_DRAFT.c.assignment_id == bindparam("assignment")).values(**_WRITTEN)
# The sequence number and answers of an assignment's draft. Parameter: `assignment`.
DRAFT: Any = select_columns(_DRAFT.c.sequence, _DRAFT.c.answers).where(
    _DRAFT.c.assignment_id == bindparam("assignment")
)

# Records that an assignment was shown; inlined, because nobody needs the new row's key.
NEW_DISPLAY: Any = _DISPLAY.insert().inline()
