"""Removing the demo in one step, so that nobody can sign in as its people once real work begins.

Verdicts and the audit trail are append-only, so the rows stay: the studies are marked as removed and given different
keys, and the people are locked.
"""

from __future__ import annotations

from sqlmodel import Session, col, select

from db import Database, Membership, Person, Study, audit, now
from db.base import stored_id
from services.demo.labels import demo_people, demo_studies
from services.errors import Conflict, NotAllowed
from services.people.accounts import hold_owners, lock_within, other_owners
from services.people.identity import Actor


def has_demo(database: Database) -> bool:
    """Return whether the demo is installed and has not been removed."""
    with database.read_only() as session:
        remaining = select(Study.id).where(col(Study.is_demo), col(Study.removed_at).is_(None))
        return session.exec(remaining).first() is not None


def was_removed(database: Database) -> bool:
    """Return whether the demo was installed once and has been removed."""
    with database.read_only() as session:
        removed = select(Study.id).where(col(Study.is_demo), col(Study.removed_at).is_not(None))
        return session.exec(removed).first() is not None


def remove_demo(database: Database, actor: Actor) -> None:
    """Remove the demo's studies and lock its people.

    Raises
    ------
    Conflict
        Without the demo's people there would be no owner, or another study would have no admin.
    """
    if not actor.is_owner:
        raise NotAllowed("Only an owner of this installation may remove the demo; ask one.")
    with database.writing() as session:
        hold_owners(session)
        studies = [study for study in demo_studies(session) if study.removed_at is None]
        people = [person for person in demo_people(session) if person.locked_at is None]
        if not studies and not people:
            raise Conflict("There is no demo here.")
        _require_others(session, people)
        for study in studies:
            study.removed_at = now()
            # The key becomes available again for a user's own study.
            study.key = f"removed-{study.id}-{study.key}"[:80]
            session.add(study)
            audit.record(session, "demo removed", person_id=actor.person_id, study_id=study.id)
        for person in people:
            lock_within(session, person)
            audit.record(session, "locked", person_id=actor.person_id, member=person.id)


def _require_others(session: Session, people: list[Person]) -> None:
    leaving = {stored_id(person.id) for person in people}
    if not other_owners(session, leaving):
        raise Conflict(
            "The demo's admin is the only owner here; make yourself an owner first: "
            "'manage.py owner LOGIN --name NAME'."
        )
    for study in session.exec(select(Study).where(~col(Study.is_demo), col(Study.removed_at).is_(None))).all():
        admins = session.exec(
            select(Membership.person_id)
            .join(Person)
            .where(
                Membership.study_id == study.id,
                Membership.role == "admin",
                col(Membership.removed_at).is_(None),
                col(Person.locked_at).is_(None),
            )
        ).all()
        if admins and leaving.issuperset(admins):
            raise Conflict(
                f"Study '{study.key}' has no admin but the demo's; let 'demo-admin' invite another admin there first."
            )
