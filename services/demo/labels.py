"""Which studies and people belong to the demo, and signing in as them.

The module that installs the demo, `example`, creates and reads images; this one needs no library for that.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, or_, select

from db import Database, Membership, Person, Study, StudyEvent
from services.people import identity

OPEN_KEY = "demo"
FINISHED_KEY = "demo-finished"
JUDGED_KEY = "demo-judges"
PEOPLE = (
    ("demo-admin", "Demo admin", "admin"),
    ("demo-reviewer", "Demo reviewer", "reviewer"),
    ("demo-rater-1", "Demo rater 1", "rater"),
    ("demo-rater-2", "Demo rater 2", "rater"),
)
SIMULATED = (
    ("simulated-reviewer", "Simulated reviewer", "reviewer"),
    ("simulated-rater-1", "Simulated rater 1", "rater"),
    ("simulated-rater-2", "Simulated rater 2", "rater"),
)


def is_seeded(database: Database) -> bool:
    """Return whether the demo has ever been installed. A removed demo counts, so that it does not come back."""
    with database.read_only() as session:
        query = select(Study.id).where(or_(Study.key == OPEN_KEY, col(Study.is_demo)))
        return session.exec(query).first() is not None


def is_whole(database: Database) -> bool:
    """Return whether the installation came as far as the finished example, and was not interrupted before.

    To close the example is the last act on it.
    """
    with database.read_only() as session:
        closed = (
            select(StudyEvent.id)
            .join(Study, col(Study.id) == StudyEvent.study_id)
            .where(Study.key == FINISHED_KEY, StudyEvent.kind == "close")
        )
        return session.exec(closed).first() is not None


def label_demo(database: Database) -> None:
    """Mark the demo's studies and people as such, including those installed by a release that did not.

    They are recognised by key or login together with the role that the demo gave them, so that a user's own study under
    one of these keys is not mistaken for the demo.
    """
    roles = {login: role for login, _, role in (*PEOPLE, *SIMULATED)}
    with database.writing() as session:
        rows = session.exec(
            select(Study, Person)
            .join(Membership, col(Membership.study_id) == Study.id)
            .join(Person)
            .where(
                col(Study.key).in_((OPEN_KEY, FINISHED_KEY, JUDGED_KEY)),
                Person.login == PEOPLE[0][0],
                Membership.role == PEOPLE[0][2],
            )
        ).all()
        for study, _ in rows:
            study.is_demo = True
            session.add(study)
        members_there = session.exec(
            select(Person, Membership)
            .join(Membership, col(Membership.person_id) == Person.id)
            .where(col(Membership.study_id).in_([study.id for study, _ in rows]), col(Person.login).in_(list(roles)))
        ).all()
        for person, membership in members_there:
            if roles[person.login] == membership.role:
                person.is_demo = True
                session.add(person)


def demo_studies(session: Session) -> Sequence[Study]:
    """Return the demo's studies."""
    return session.exec(select(Study).where(col(Study.is_demo)).order_by(col(Study.id))).all()


def demo_people(session: Session) -> Sequence[Person]:
    """Return the demo's people."""
    return session.exec(select(Person).where(col(Person.is_demo)).order_by(col(Person.id))).all()


def sign_in_links(database: Database) -> list[tuple[str, str]]:
    """Return a new single-use sign-in token for each of the demo's people, with their names."""
    return [(name, identity.make_link(database, login, "sign_in")) for login, name, _ in PEOPLE]
