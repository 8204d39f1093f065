"""Open a phase that waits for an admin: once, with a reason, for everybody who works in it."""

from __future__ import annotations

from collections.abc import Sequence

from db import Database, PhaseOpening, audit, queries
from db.base import stored_id
from protocol.phases import Phase
from services.errors import Conflict, NotFound, require_reason
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import require_role
from services.seals import proofs
from services.studies import frozen_facts


def open_phase(database: Database, actor: Actor, study_key: str, phase: str, reason: str) -> None:
    """Open a phase for everybody who works in it; work that must come before it still comes before it.

    Raises
    ------
    NotFound
        The phase does not exist, or does not wait for an admin.
    NotAllowed
        The reason is too short.
    Conflict
        The phase is already open, or the study is not.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        require_in_study(session, acts.OPEN_PHASE, study)
        study_id = stored_id(study.id)
        waiting = _by_admin(frozen_facts.phases_of(session, study_id).phases)
        if phase not in waiting:
            names = ", ".join(waiting) or "there is none"
            raise NotFound(f"Phase '{phase[:40]}' is not one that an admin opens; those are: {names}.")
        if phase in queries.phases_opened(session, study_id):
            raise Conflict(f"Phase '{phase}' is already open.")
        said = require_reason(reason)
        opening = PhaseOpening(study_id=study_id, phase=phase, reason=said, person_id=actor.person_id)
        session.add(opening)
        session.flush()
        audit.record(
            session,
            "phase opened",
            person_id=actor.person_id,
            study_id=study_id,
            phase=phase,
            reason=said,
            rows=proofs.sealed([opening], study.salt),
        )


def phases_to_open(database: Database, actor: Actor, study_key: str) -> dict[str, str]:
    """Return, for admins, the titles by key of the phases that an admin has yet to open."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        waiting = _by_admin(frozen_facts.phases_of(session, study_id).phases)
        opened = queries.phases_opened(session, study_id) if waiting else frozenset()
        return {key: title for key, title in waiting.items() if key not in opened}


def _by_admin(phases: Sequence[Phase]) -> dict[str, str]:
    return {phase.key: phase.heading for phase in phases if phase.by_admin and not phase.continues}
