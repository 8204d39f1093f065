"""Read all of the report's data once, into plain long-format rows."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from sqlalchemy import bindparam, func
from sqlmodel import Session, col, select

from db import (
    Adjudication,
    Assignment,
    CalibrationLook,
    Case,
    Display,
    Freeze,
    FreezeItem,
    Invitation,
    Item,
    JudgeRun,
    LabelImport,
    Membership,
    OpenedBasis,
    PhaseClosing,
    PhaseOpening,
    ProtocolRecord,
    Reference,
    ReviewTask,
    SealedSplit,
    SplitOpening,
    Study,
    StudyEvent,
    StudyVersion,
    TechnicalFailure,
    Verdict,
    Volume,
    queries,
)
from db.asking import ask
from db.base import stored_id
from db.standing import STANDS
from protocol.first_phases import phases_of_first_language
from protocol.hanging import Hanging
from protocol.study import Protocol
from services.reading import practice
from services.reading.answer_key import answer_key
from services.reading.correctness import AnswerKey
from services.reading.verdict_times import contradictory_times
from services.report.rows.candidates import load_candidates, load_runs
from services.report.rows.entries import load_entries
from services.report.rows.study_rows import (
    Entry,
    Event,
    Member,
    OfferedVolume,
    ReadItem,
    Review,
    StudyRows,
)

# The fields of the answer key that are copied to the report's item unchanged.
_OF_KEY = tuple(field.name for field in fields(AnswerKey))


def hold_one_snapshot(session: Session) -> None:
    """Let the session read everything from one snapshot; call this before it reads anything.

    SQLite does so anyway; by default, each statement on PostgreSQL sees everything committed before it.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def load_rows(session: Session, study: Study, without: frozenset[int] | None = None) -> StudyRows:
    """Read a frozen study; the number of queries does not depend on its size.

    Parameters
    ----------
    without
        Ids of items to leave out with everything said about them; None for the sealed items.
    """
    study_id = stored_id(study.id)
    left_out = queries.sealed_items(session, study_id) if without is None else without
    freeze = session.exec(select(Freeze).where(Freeze.study_id == study_id, *STANDS)).one()
    record = session.get_one(ProtocolRecord, study_id)
    everybody = session.exec(
        select(Membership).where(Membership.study_id == study_id).order_by(col(Membership.id))
    ).all()
    members = [member for member in everybody if member.removed_at is None]
    removed = [member for member in everybody if member.removed_at is not None]
    frozen = session.exec(select(FreezeItem).where(FreezeItem.freeze_id == freeze.id)).all()
    item_ids = {row.item_id for row in frozen if row.candidate_id is None} - left_out
    probabilities = {
        row.candidate_id: row.inclusion_probability
        for row in frozen
        if row.candidate_id is not None and row.inclusion_probability is not None
    }
    protocol = Protocol.of_canonical_json(record.canonical_json)
    phases = phases_of_first_language(protocol)
    raters, failed = _members(members, "rater"), practice.who_has_failed(session, phases, study_id)
    reasons = {option.id: option.text for option in protocol.reading.not_assessable}
    # Work assigned to somebody who was removed before any verdict is not missing.
    out = {stored_id(member.id) for member in removed}
    entries = tuple(
        entry for entry in load_entries(session, study_id, phases, reasons, left_out) if entry.member_id not in out
    )
    return StudyRows(
        study_key=study.key,
        title=study.title,
        simulated_readers=study.simulated_readers,
        protocol=protocol,
        protocol_sha256=record.sha256,
        freeze_sha256=freeze.sha256,
        freeze_method=freeze.method,
        frozen_at=freeze.created_at,
        events=tuple(
            Event(event.kind, event.reason, event.at)
            for event in session.exec(
                select(StudyEvent).where(StudyEvent.study_id == study_id).order_by(col(StudyEvent.id))
            )
        ),
        items=_items(session, study_id, item_ids, protocol),
        raters=tuple(rater for rater in raters if rater.id not in failed),
        not_let_in=tuple(rater for rater in raters if rater.id in failed),
        reviewers=_members(members, "reviewer"),
        removed=(*_members(removed, "rater"), *_members(removed, "reviewer")),
        entries=entries,
        reviews=_reviews(session, study_id, entries),
        candidates=load_candidates(session, study_id, probabilities, left_out),
        runs=load_runs(session, study_id, left_out),
        links_for_known=tuple(session.exec(_PSEUDONYMS_FOR_KNOWN, params={"study_id": study_id})),
        contradictory_times=len(contradictory_times(session, study_id)),
    )


def newest_rows(session: Session, study_id: int) -> list[int | None]:
    """Return the highest key in each table that the report reads, and how many members were removed.

    Rows are otherwise only ever added, so these values reveal any change.
    """
    more = ask(session, _OF_REPORTS, study_id=study_id).one()
    return [*newest_but_for_looks(session, study_id), *more]


def newest_but_for_looks(session: Session, study_id: int) -> list[int | None]:
    """Return the same values without the looks at judges' agreement, which change no figure but their own count."""
    return list(ask(session, _NEWEST, study_id=study_id).one())


_STUDY: Any = bindparam("study_id")


def _highest(table: Any) -> Any:
    return select(func.max(table.id)).where(table.study_id == _STUDY)


def _highest_of_assignments(table: Any) -> Any:
    of_study = select(func.max(table.id)).join(Assignment, col(Assignment.id) == table.assignment_id)
    return of_study.where(Assignment.study_id == _STUDY)


def _links_for_known(wanted: Any) -> Any:
    """Select from the links made since the freeze for readers whose account was already in use."""
    frozen_at = select(func.min(Freeze.created_at)).where(Freeze.study_id == _STUDY, *STANDS).scalar_subquery()
    return (
        select(wanted)
        .select_from(Invitation)
        .join(Membership, col(Membership.person_id) == Invitation.person_id)
        .where(
            Membership.study_id == _STUDY,
            Membership.role != "admin",
            col(Invitation.for_known),
            col(Invitation.created_at) >= frozen_at,
        )
    )


def _in_one_row(*queries_of_one: Any) -> Any:
    return select(*(query.scalar_subquery() for query in queries_of_one))


# One statement each, since every view of a report asks whether anything is new.
_NEWEST = _in_one_row(
    _links_for_known(func.max(Invitation.id)),
    _highest(StudyEvent),
    _highest(Freeze),
    _highest(StudyVersion),
    _highest(PhaseOpening),
    _highest(PhaseClosing),
    _highest(SealedSplit),
    _highest(SplitOpening),
    select(func.max(OpenedBasis.id))
    .join(SplitOpening, col(SplitOpening.id) == OpenedBasis.opening_id)
    .where(SplitOpening.study_id == _STUDY),
    _highest(Membership),
    select(func.count(col(Membership.removed_at))).where(Membership.study_id == _STUDY),
    _highest(Assignment),
    _highest_of_assignments(Verdict),
    _highest_of_assignments(TechnicalFailure),
    select(func.max(Adjudication.id))
    .join(Verdict, col(Verdict.id) == Adjudication.first_read_id)
    .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
    .where(Assignment.study_id == _STUDY),
    select(func.max(Reference.id)).join(Item, col(Item.id) == Reference.item_id).where(Item.study_id == _STUDY),
    # A run imported in slices may finish with a lower id than runs that were stored before it.
    select(func.count(col(JudgeRun.id))).where(JudgeRun.study_id == _STUDY),
    select(func.count(col(LabelImport.id))).where(LabelImport.study_id == _STUDY),
)
# Only the report counts displays.
_OF_REPORTS = _in_one_row(_highest(CalibrationLook), _highest_of_assignments(Display))
_PSEUDONYMS_FOR_KNOWN = _links_for_known(Membership.pseudonym).order_by(Membership.pseudonym)


def _members(rows: Any, role: str) -> tuple[Member, ...]:
    return tuple(Member(stored_id(row.id), row.pseudonym, row.specialty, row.years) for row in rows if row.role == role)


def _items(session: Session, study_id: int, frozen: set[int], protocol: Protocol) -> tuple[ReadItem, ...]:
    rows = session.exec(
        select(Item, Case.subject)
        .join(Case, col(Case.id) == Item.case_id)
        .where(Item.study_id == study_id)
        .order_by(col(Item.id))
    ).all()
    # Ordered by version, so that the newest overwrites the others.
    references = {
        reference.item_id: reference
        for reference in session.exec(
            select(Reference)
            .join(Item, col(Item.id) == Reference.item_id)
            .where(Item.study_id == study_id)
            .order_by(col(Reference.version))
        )
    }
    volumes: dict[int, list[Volume]] = {}
    for volume in session.exec(select(Volume).where(Volume.study_id == study_id).order_by(col(Volume.id))):
        volumes.setdefault(volume.case_id, []).append(volume)
    return tuple(
        _item(
            answer_key(item, protocol.forms[item.form].primary, references.get(stored_id(item.id))),
            item,
            subject,
            references.get(stored_id(item.id)),
            _offered(item, volumes.get(item.case_id, []), protocol.hanging),
        )
        for item, subject in rows
        if item.id in frozen
    )


def _offered(item: Item, volumes: list[Volume], hanging: Hanging) -> tuple[OfferedVolume, ...]:
    """Return what an item's panes hold, in the order of the reading room, without empty panes."""
    hung = [
        [
            (pane.title, pane.role, sequence, volume.label)
            for sequence in pane.sequences
            for volume in volumes
            if (volume.role, volume.sequence) == (pane.role, sequence)
        ]
        for pane in hanging.panes_of(item.sequences, item.uses_prior)
    ]
    return tuple(OfferedVolume(number, *held) for number, pane in enumerate(filter(None, hung)) for held in pane)


def _item(
    key: AnswerKey, item: Item, subject: str, reference: Reference | None, offered: tuple[OfferedVolume, ...]
) -> ReadItem:
    return ReadItem(
        **{name: getattr(key, name) for name in _OF_KEY},
        id=stored_id(item.id),
        key=item.key,
        subject=subject,
        category=item.category,
        grounding=item.grounding,
        prompt=item.prompt,
        reference_version=reference.version if reference else 0,
        text_only_answer=reference.text_only_answer if reference else "",
        offered=offered,
    )


def _reviews(session: Session, study_id: int, entries: tuple[Entry, ...]) -> tuple[Review, ...]:
    by_assignment = {entry.assignment_id: entry for entry in entries}
    tasks = session.exec(
        select(ReviewTask, Adjudication)
        .join(Assignment, col(Assignment.id) == ReviewTask.review_assignment_id)
        .join(Adjudication, col(Adjudication.task_id) == ReviewTask.id, isouter=True)
        .where(Assignment.study_id == study_id)
        .order_by(col(ReviewTask.id))
    ).all()
    reviews = []
    for task, decision in tasks:
        read = by_assignment.get(task.review_assignment_id)
        # The reviewer was removed; the item has gone to another.
        if read is None:
            continue
        reviews.append(
            Review(
                item_id=read.item_id,
                reviewer_id=read.member_id,
                origin=task.origin,
                first_read=read if read.verdict_id is not None else None,
                decided=decision is not None,
                answer=decision.decision.get("answer") if decision is not None else None,
                not_assessable=decision.not_assessable if decision is not None else None,
                reason=decision.reason if decision is not None else "",
                opinions=tuple(decision.opinions_shown if decision is not None else task.opinion_order),
                submitted_at=decision.submitted_at if decision is not None else None,
            )
        )
    return tuple(reviews)
