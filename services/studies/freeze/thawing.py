"""Thaw a study that nobody has seen any of: its freeze stays on record, and the study becomes a draft again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import bindparam, delete, exists
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from db import (
    Acknowledgement,
    Assignment,
    Base,
    Database,
    Display,
    Draft,
    Freeze,
    JudgeRun,
    LabelImport,
    Membership,
    Overlay,
    PhaseClosing,
    PhaseOpening,
    ReviewTask,
    SealedSplit,
    Study,
    StudyEvent,
    StudyVersion,
    TechnicalFailure,
    Thaw,
    Verdict,
    Volume,
    audit,
    new_public_id,
    now,
)
from db.base import stored_id
from db.standing import STANDS
from services.errors import Conflict, require_length
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import require_role
from services.seals import proofs
from services.studies.folders import unfinished_imports

THAWED = "study thawed"
LONGEST_REASON = 2_000
# Tables whose rows a draft may change or the thaw deletes: the seals on these rows end.
_FREED: tuple[type[Base], ...] = (Study, Volume, Overlay, Assignment)
_STUDY: Any = bindparam("study_id")


def _of_assignments(column: Any) -> Any:
    return exists().where(Assignment.study_id == _STUDY, col(column) == Assignment.id)


def _of_study(table: Any, *conditions: Any) -> Any:
    return exists().where(table.study_id == _STUDY, *conditions)


# What prevents a thaw, each with its sentence, as queries that are built once.
_AGAINST: tuple[tuple[Any, str], ...] = tuple(
    (select(is_so), says)
    for is_so, says in (
        (_of_assignments(Verdict.assignment_id), "verdicts were submitted"),
        (_of_assignments(Display.assignment_id), "items were shown"),
        (_of_assignments(Draft.assignment_id), "answers were begun"),
        (_of_assignments(TechnicalFailure.assignment_id), "items failed to be shown"),
        (_of_assignments(ReviewTask.review_assignment_id), "items were sent to reviewers"),
        (
            _of_study(Membership, col(Acknowledgement.membership_id) == Membership.id),
            "somebody has begun, having read the instructions",
        ),
        (_of_study(StudyEvent, col(StudyEvent.kind) == "interim"), "an interim look was taken"),
        (_of_study(JudgeRun), "verdicts of a judge were imported"),
        (_of_study(LabelImport), "labels made elsewhere were imported"),
        *((kind.is_in_work, kind.are_imported) for kind in unfinished_imports.KINDS),
        (_of_study(PhaseClosing), "a phase was closed"),
        (_of_study(PhaseOpening), "a phase was opened"),
        (_of_study(StudyVersion), "a version of it was made"),
        (_of_study(SealedSplit), "its subjects were divided into development and test"),
    )
)


def what_stands_against(session: Session, study: Study) -> Iterator[str]:
    """Yield why the freeze of a study can no longer be undone, each as the rest of a sentence."""
    given = {"study_id": study.id, "moment": now()}
    for query, says in _AGAINST:
        if session.exec(query, params=given).one():
            yield says


def can_be_thawed(database: Database, actor: Actor, study_key: str) -> bool:
    """Return whether a study is frozen and open, and nobody has seen any of it."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        freeze = select(Freeze.id).where(Freeze.study_id == study.id, *STANDS)
        return session.exec(freeze).first() is not None and not any(what_stands_against(session, study))


def thaw_study(database: Database, actor: Actor, study_key: str, reason: str) -> None:
    """Make a study a draft again; its assignments are deleted, and what was frozen stays on record.

    Raises
    ------
    Conflict
        The study is not open, somebody has seen some of it, or no reason is given.
    """
    reason = require_length("The reason", reason, LONGEST_REASON)
    if not reason:
        raise Conflict("A thaw requires a reason, which is kept; say what is to be corrected.")
    with database.read_only() as session:
        study_id = stored_id(require_role(session, actor, study_key, "admin")[0].id)
    # Rows left by a killed import would still refer to candidates that a draft may change.
    for kind in unfinished_imports.KINDS:
        unfinished_imports.clear_what_was_left(database, kind, new_public_id(), study_id)
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        require_in_study(session, acts.THAW, study)
        study_id = stored_id(study.id)
        against = next(what_stands_against(session, study), None)
        if against is None:
            left = (kind for kind in unfinished_imports.KINDS if unfinished_imports.unfinished(session, kind, study_id))
            against = next((kind.are_imported for kind in left), None)
        if against is not None:
            raise Conflict(
                f"The study '{study.key}' cannot be thawed: {against}. Import the corrected folder under another key."
            )
        freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).one()
        freed = {table: proofs.rows_of(session, table, study_id) for table in _FREED}
        ended = {proofs.table_name(table): proofs.ranges(rows) for table, rows in freed.items() if rows}
        try:
            session.connection().execute(delete(Assignment).where(col(Assignment.study_id) == study_id))
        except IntegrityError:
            raise Conflict("Somebody has just been shown an item; the study stays frozen.") from None
        thaw = Thaw(freeze_id=stored_id(freeze.id), reason=reason, person_id=actor.person_id)
        session.add(thaw)
        session.flush()
        audit.record(
            session,
            THAWED,
            person_id=actor.person_id,
            study_id=study_id,
            manifest_sha256=freeze.sha256,
            rows=proofs.sealed([thaw]),
            ended=ended,
        )
