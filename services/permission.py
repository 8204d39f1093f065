"""What somebody is in a study, read from the database inside the transaction that relies on it."""

from __future__ import annotations

from sqlmodel import Session, col, select

from db import Assignment, Database, Freeze, Membership, Study, StudyEvent
from services.errors import NotAllowed, NotFound
from services.identity import Actor

# A removed study, or membership, keeps its row for the audit chain, which names it; for everybody else it is gone.
REMAINS = (col(Study.removed_at).is_(None),)
STILL_MEMBER = (col(Membership.removed_at).is_(None),)


def study_of(session: Session, key: str) -> Study:
    """Return the study with this key; one that was removed is not found."""
    study = session.exec(select(Study).where(Study.key == key, *REMAINS)).first()
    if study is None:
        raise NotFound(f"There is no study '{key}'.")
    return study


def membership_of(session: Session, actor: Actor, study: Study) -> Membership | None:
    """Return what the actor is in the study, or None; who was taken out of it is nothing there."""
    query = select(Membership).where(Membership.study_id == study.id, Membership.person_id == actor.person_id)
    return session.exec(query.where(*STILL_MEMBER)).first()


def administers(database: Database, actor: Actor) -> bool:
    """Say whether the actor may bring in studies or is admin of one: only they have files to send or to fetch."""
    if actor.is_owner:
        return True
    with database.reading() as session:
        admin = (
            select(Membership.id)
            .join(Study)
            .where(Membership.person_id == actor.person_id, Membership.role == "admin", *REMAINS, *STILL_MEMBER)
        )
        return session.exec(admin).first() is not None


def require_role(
    session: Session, actor: Actor, study_key: str, *roles: str, lock: bool = False
) -> tuple[Study, Membership]:
    """Return study and membership when the actor has one of `roles` there.

    Somebody without any role learns no more than that there is nothing for them. With `lock`, others who want to change
    the study as a whole wait until this transaction has ended, and then see what it did.
    """
    # PostgreSQL refuses even to compare with a NUL character, and the key may come from an address that anybody edits.
    query = select(Study).where(Study.key == study_key.replace("\x00", ""), *REMAINS)
    # Not the full lock of the row: it would wait for everybody who adds a row that names the study, and deadlock with
    # those among them that hold the lock of the audit chain.
    study = session.exec(query.with_for_update(key_share=True) if lock else query).first()
    membership = membership_of(session, actor, study) if study else None
    if study is None or membership is None:
        raise NotFound("There is no such study among yours.")
    if membership.role not in roles:
        raise NotAllowed(f"This needs the role {' or '.join(roles)} in the study.")
    return study, membership


def hold_study(session: Session, study_id: int) -> None:
    """Let whoever wants to change the study as a whole wait until this transaction has ended, or wait for them."""
    session.exec(select(Study.id).where(Study.id == study_id).with_for_update(read=True)).one()


def state_of(session: Session, study_id: int) -> str:
    """Return `draft` (not frozen), `open` or `closed` (data lock), derived from freeze and events."""
    if session.exec(select(Freeze.id).where(Freeze.study_id == study_id)).first() is None:
        return "draft"
    last = session.exec(
        select(StudyEvent.kind)
        .where(StudyEvent.study_id == study_id, col(StudyEvent.kind).in_(("open", "close", "reopen")))
        .order_by(col(StudyEvent.id).desc())
        .limit(1)
    ).first()
    return "closed" if last == "close" else "open"


def own_assignment(
    session: Session, actor: Actor, public_id: str, *, lock: bool = False
) -> tuple[Assignment, Study, Membership]:
    """Return one of the actor's own assignments; somebody else's does not exist for them.

    With `lock`, others who want to write to the same assignment wait until this transaction has ended.
    """
    query = (
        select(Assignment, Study, Membership)
        .join(Study, col(Study.id) == Assignment.study_id)
        .join(Membership, col(Membership.id) == Assignment.membership_id)
        .where(Assignment.public_id == public_id, Membership.person_id == actor.person_id, *REMAINS, *STILL_MEMBER)
    )
    # The membership too: whoever waited here for its removal to end must see it.
    row = session.exec(query.with_for_update(of=(Assignment, Membership)) if lock else query).first()
    if row is None:
        raise NotFound("There is no such item among yours.")
    return row[0], row[1], row[2]
