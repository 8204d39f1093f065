"""Close a study (data lock), re-open it with a reason, and take an interim look with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, func, select

from db import (
    Database,
    Freeze,
    OpenedBasis,
    Person,
    PhaseClosing,
    PhaseOpening,
    SealedSplit,
    SplitOpening,
    Study,
    StudyEvent,
    StudyVersion,
    Thaw,
    audit,
    now,
)
from db.base import stored_id
from protocol.language.computed import not_computed
from protocol.phases import THEN
from protocol.visibility import Progress, may_see
from services.errors import LONGEST_REASON, SHORTEST_REASON, NotAllowed, require_reason
from services.judging.counted_verdicts import CountedVerdicts
from services.people import acts
from services.people.acts import Act, require_in_study
from services.people.identity import Actor
from services.people.permission import require_role, state_of
from services.progress.outstanding import open_work
from services.seals import proofs
from services.studies import frozen_facts

# How many pieces of open work a refusal names; page and command line list all of them.
MOST_NAMED = 4
INTERIM_LOOK_LASTS = timedelta(hours=1)


@dataclass(frozen=True)
class EventLine:
    """One event in the life of a study, for its admins."""

    kind: str
    reason: str
    by: str
    at: datetime


def close_study(database: Database, actor: Actor, study_key: str, reason: str | None = None) -> None:
    """Lock the data: from now on no verdicts are accepted, and the report is open.

    Parameters
    ----------
    reason
        The reason that a person gave when asked; stored permanently, and required while work is open. None if nobody
        was asked.

    Raises
    ------
    NotAllowed
        Work is open, and no reason was given.
    """
    with database.writing() as session:
        study = _study_for(session, actor, study_key, acts.CLOSE)
        work = [piece for piece in open_work(session, stored_id(study.id)) if piece.is_open]
        said = (reason or "").replace("\x00", "").strip()[:LONGEST_REASON]
        if work and reason is not None and len(said) < SHORTEST_REASON:
            more = "; ..." if len(work) > MOST_NAMED else ""
            named = "; ".join(piece.sentence for piece in work[:MOST_NAMED]) + more
            raise NotAllowed(
                f"Work is open ({named}), so a reason of at least {SHORTEST_REASON} characters is needed; it is kept "
                "with the study."
            )
        outstanding: dict[str, int] = {}
        for piece in work:
            outstanding[piece.part] = outstanding.get(piece.part, 0) + piece.open
        _note(session, actor, study, "close", said, **({"outstanding": outstanding} if outstanding else {}))


def remark_on_report(database: Database, actor: Actor, study_key: str) -> str:
    """Return a sentence about what a study's report lacks, or an empty string."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        expansion = frozen_facts.expansion_of(session, stored_id(study.id))
        lacking = 0 if expansion is None else len(list(not_computed(expansion)))
        if not lacking:
            return ""
        estimates = "estimate is" if lacking == 1 else "estimates are"
        return f"{lacking} declared {estimates} not computed by this release; the report says which."


def reopen_study(database: Database, actor: Actor, study_key: str, reason: str) -> None:
    """Accept verdicts again. The reason is stored permanently."""
    _append(database, actor, study_key, "reopen", require_reason(reason), acts.REOPEN_STUDY)


def take_interim_look(database: Database, actor: Actor, study_key: str, reason: str) -> None:
    """Record that the report is opened before the data lock, and why."""
    _append(database, actor, study_key, "interim", require_reason(reason), acts.LOOK)


def events_of(database: Database, actor: Actor, study_key: str) -> list[EventLine]:
    """Return, for admins, the events of a study as a whole and of its phases, in chronological order."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        return events_in(session, study)


def events_in(session: Session, study: Study) -> list[EventLine]:
    """Return the events of a study as a whole and of its phases, in chronological order."""
    rows = session.exec(
        select(StudyEvent, Person.name)
        .join(Person, col(Person.id) == StudyEvent.person_id, isouter=True)
        .where(StudyEvent.study_id == study.id)
        .order_by(col(StudyEvent.id))
    ).all()
    events = [EventLine(event.kind, event.reason, name or "command line", event.at) for event, name in rows]
    events += _thaws(session, study)
    events += _of_phases(session, study, PhaseOpening, "open phase", "command line")
    events += _of_phases(session, study, PhaseClosing, "close phase", "all were done")
    events += _of_versions(session, study)
    events += _of_split(session, study)
    return sorted(events, key=lambda event: event.at)


def _thaws(session: Session, study: Study) -> list[EventLine]:
    rows = session.exec(
        select(Thaw.reason, Person.name, Thaw.at)
        .join(Freeze, col(Freeze.id) == Thaw.freeze_id)
        .join(Person, col(Person.id) == Thaw.person_id, isouter=True)
        .where(Freeze.study_id == study.id)
    )
    return [EventLine("thaw", reason, name or "command line", at) for reason, name, at in rows]


def _of_versions(session: Session, study: Study) -> list[EventLine]:
    rows = session.exec(
        select(StudyVersion.version, StudyVersion.reason, Person.name, StudyVersion.at)
        .join(Person, col(Person.id) == StudyVersion.person_id, isouter=True)
        .where(StudyVersion.study_id == study.id)
    )
    return [
        EventLine(f"make version {number}", reason, name or "command line", at) for number, reason, name, at in rows
    ]


def _of_split(session: Session, study: Study) -> list[EventLine]:
    divided = session.exec(
        select(SealedSplit.method, Person.name, SealedSplit.at)
        .join(Person, col(Person.id) == SealedSplit.person_id, isouter=True)
        .where(SealedSplit.study_id == study.id)
    )
    opened = session.exec(
        select(SplitOpening, OpenedBasis, Person.name)
        .join(OpenedBasis, col(OpenedBasis.opening_id) == SplitOpening.id, isouter=True)
        .join(Person, col(Person.id) == func.coalesce(OpenedBasis.person_id, SplitOpening.person_id), isouter=True)
        .where(SplitOpening.study_id == study.id)
    )
    lines = [EventLine("divide subjects", method, name or "command line", at) for method, name, at in divided]
    for opening, named, name in opened:
        by = "" if named is None else CountedVerdicts(tuple(named.labels), named.basis).if_not_usual
        kind = f"open test for {opening.judge}{by}" if opening.judge else "unseal test subjects"
        act = opening if named is None else named
        lines.append(EventLine(kind, act.reason, name or "command line", act.at))
    return lines


def _of_phases(
    session: Session, study: Study, table: type[PhaseOpening] | type[PhaseClosing], what: str, nobody: str
) -> list[EventLine]:
    rows = session.exec(
        select(table.phase, table.reason, Person.name, table.at)
        .join(Person, col(Person.id) == table.person_id, isouter=True)
        .where(table.study_id == study.id)
    )
    # A second step is closed by the same act as its phase.
    return [
        EventLine(f"{what} {phase}", reason, name or nobody, at)
        for phase, reason, name, at in rows
        if not phase.endswith(THEN)
    ]


def _append(database: Database, actor: Actor, study_key: str, kind: str, reason: str, act: Act) -> None:
    with database.writing() as session:
        _note(session, actor, _study_for(session, actor, study_key, act), kind, reason)


def _study_for(session: Session, actor: Actor, study_key: str, act: Act) -> Study:
    study, _ = require_role(session, actor, study_key, "admin", lock=True)
    require_in_study(session, act, study)
    return study


def _note(session: Session, actor: Actor, study: Study, kind: str, reason: str, **detail: Any) -> None:
    event = StudyEvent(study_id=stored_id(study.id), kind=kind, reason=reason, person_id=actor.person_id)
    session.add(event)
    session.flush()
    audit.record(
        session,
        f"study {kind}",
        person_id=actor.person_id,
        study_id=study.id,
        reason=reason,
        rows=proofs.sealed([event]),
        **detail,
    )


def require_report_open(session: Session, study_id: int, person_id: int) -> str:
    """Return `final` if the data are locked, or `interim` within an hour of this person's interim look with a reason.

    Raises
    ------
    NotAllowed
        The study is open, and this person has not given a reason for an interim look within the last hour.
    """
    if state_of(session, study_id) == "closed":
        return "final"
    look = session.exec(
        select(StudyEvent.at)
        .where(StudyEvent.study_id == study_id, StudyEvent.kind == "interim", StudyEvent.person_id == person_id)
        .order_by(col(StudyEvent.id).desc())
        .limit(1)
    ).first()
    looked = look is not None and now() - look <= INTERIM_LOOK_LASTS
    if not may_see("admin", None, "opinions", Progress(data_locked=looked)):
        raise NotAllowed("The report is locked until the study is closed (data lock); an interim look needs a reason.")
    return "interim"
