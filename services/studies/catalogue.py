"""The studies in which somebody has a role."""

from __future__ import annotations

from dataclasses import dataclass

from db import (
    Database,
    queries,
)
from db.base import stored_id
from services.errors import NotFound
from services.people import permission
from services.people.identity import Actor
from services.people.permission import state_of


@dataclass(frozen=True)
class StudyLine:
    """One study as the list of studies shows it."""

    key: str
    title: str
    role: str
    state: str
    simulated_readers: bool
    # Without practice items.
    items: int
    practice: int


def studies_of(database: Database, actor: Actor) -> list[StudyLine]:
    """Return the studies in which the actor has a role."""
    with database.read_only() as session:
        return [
            StudyLine(
                study.key,
                study.title,
                membership.role,
                state_of(session, stored_id(study.id)),
                study.simulated_readers,
                queries.count_items(session, stored_id(study.id)),
                queries.count_practice_items(session, stored_id(study.id)),
            )
            for study, membership in permission.studies_of(session, actor)
        ]


def roles_of(database: Database, actor: Actor) -> set[str]:
    """Return the roles that the actor has in any study."""
    with database.read_only() as session:
        return {membership.role for _, membership in permission.studies_of(session, actor)}


def study_line(database: Database, actor: Actor, study_key: str) -> StudyLine:
    """Return one study that the actor administers."""
    for line in studies_of(database, actor):
        if line.key == study_key and line.role == "admin":
            return line
    raise NotFound("This study does not exist, or you have no access to it; choose one in the list of studies.")
