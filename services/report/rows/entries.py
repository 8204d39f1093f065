"""Read every assignment of a study and what became of it; the number of queries does not depend on its size."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from sqlalchemy import inspect
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db import Assignment, Flag, TechnicalFailure, Verdict, ViewingTrace, queries
from db.base import stored_id
from protocol.study_phases import StudyPhases
from services.report.rows.study_rows import Entry


@dataclass
class _Spent:
    """How many verdicts on an assignment were superseded, and the milliseconds of all of them together."""

    verdicts: int = 0
    active_ms: int = 0
    idle_ms: int = 0
    load_ms: int = 0

    def add(self, active_ms: int, idle_ms: int, load_ms: int) -> None:
        self.verdicts += 1
        self.active_ms += active_ms
        self.idle_ms += idle_ms
        self.load_ms += load_ms


def load_entries(
    session: Session, study_id: int, phases: StudyPhases, reasons: dict[str, str], without: frozenset[int]
) -> tuple[Entry, ...]:
    """Read every assignment of a study and what became of it.

    Parameters
    ----------
    reasons
        Why something could not be assessed, in words by id; where one is not named, the id stands for it.
    without
        Ids of items that are left out, as those that are sealed.
    """
    # Not what was practised: it is no part of any figure.
    in_study = (Assignment.study_id == study_id, col(Assignment.phase).in_([phase.key for phase in phases.counted]))
    # What was flagged or looked at counts with its verdict: that of a superseded one no more than its answer.
    standing = (*in_study, queries.stands())
    verdicts = {
        verdict.assignment_id: verdict
        for verdict in session.connection().execute(
            _columns_of(Verdict).join(Assignment, col(Assignment.id) == Verdict.assignment_id).where(*standing)
        )
    }
    superseded = _spent_on_superseded(session, in_study)
    flags = _flags(session, standing)
    traces = _traces(session, standing)
    failures = {
        failure.assignment_id: failure.reason
        for failure in session.exec(
            select(TechnicalFailure)
            .join(Assignment, col(Assignment.id) == TechnicalFailure.assignment_id)
            .where(*in_study)
        )
    }
    entries = []
    assignments = _columns_of(Assignment).where(*in_study).order_by(col(Assignment.id))
    for assignment in session.connection().execute(assignments):
        if assignment.item_id in without:
            continue
        key = stored_id(assignment.id)
        entries.append(
            _entry(
                assignment,
                verdicts.get(key),
                superseded.get(key, _Spent()),
                flags.get(key, []),
                traces.get(key),
                failures.get(key),
                reasons,
            )
        )
    return tuple(entries)


def _columns_of(model: type[Assignment | Verdict]) -> Any:
    """Select the columns of a table: of a row with an object's attributes there are hundreds of thousands."""
    return select_columns(*inspect(model).columns)


def _spent_on_superseded(session: Session, in_study: tuple[Any, ...]) -> dict[int, _Spent]:
    """Return the time spent on superseded verdicts, by assignment: few, where those that stand are read anyway."""
    superseded: defaultdict[int, _Spent] = defaultdict(_Spent)
    for assignment_id, *times in session.exec(
        select(Verdict.assignment_id, Verdict.active_ms, Verdict.idle_ms, Verdict.load_ms)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(*in_study, ~queries.stands())
    ):
        superseded[assignment_id].add(*times)
    return superseded


def _flags(session: Session, standing: tuple[Any, ...]) -> dict[int, list[tuple[str, str]]]:
    """Return kind and note of the flags on standing verdicts, by assignment."""
    flags: dict[int, list[tuple[str, str]]] = {}
    for assignment_id, flag in session.exec(
        select(Verdict.assignment_id, Flag)
        .join(Flag, col(Flag.verdict_id) == Verdict.id)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(*standing)
        .order_by(col(Flag.id))
    ):
        flags.setdefault(assignment_id, []).append((flag.kind, flag.note))
    return flags


def _traces(session: Session, standing: tuple[Any, ...]) -> dict[int, dict[str, Any]]:
    """Return the viewing traces of standing verdicts, by assignment."""
    query = (
        select(Verdict.assignment_id, ViewingTrace)
        .join(ViewingTrace, col(ViewingTrace.verdict_id) == Verdict.id)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(*standing)
    )
    return {assignment_id: trace.trace for assignment_id, trace in session.exec(query)}


def _entry(
    assignment: Any,
    verdict: Any | None,
    superseded: _Spent,
    flags: list[tuple[str, str]],
    trace: dict[str, Any] | None,
    failure: str | None,
    reasons: dict[str, str],
) -> Entry:
    place: dict[str, Any] = {
        "assignment_id": stored_id(assignment.id),
        "member_id": assignment.membership_id,
        "item_id": assignment.item_id,
        "candidate_id": assignment.candidate_id,
        "phase": assignment.phase,
        "pass_number": assignment.pass_number,
        "position": assignment.position,
        "sides": tuple(assignment.option_order) if assignment.kind == "pairs" else (),
    }
    if verdict is None:
        status = "missing" if failure is None else "technical_failure"
        return Entry(**place, status=status, failure=failure or "")
    return Entry(
        **place,
        status="answered" if verdict.not_assessable is None else "not_assessable",
        verdict_id=verdict.id,
        answer=verdict.fields.get("answer") if verdict.not_assessable is None else None,
        fields=tuple(verdict.fields.items()),
        freeze_sha256=verdict.freeze_sha256,
        not_assessable=verdict.not_assessable,
        reason=reasons.get(verdict.not_assessable or "", verdict.not_assessable or ""),
        comment=verdict.comment,
        revisions=superseded.verdicts,
        flags=tuple(flags),
        shown_at=verdict.shown_at,
        submitted_at=verdict.submitted_at,
        # What is spent on an item is spent on all versions of its verdict.
        active_ms=verdict.active_ms + superseded.active_ms,
        idle_ms=verdict.idle_ms + superseded.idle_ms,
        load_ms=verdict.load_ms + superseded.load_ms,
        renderer=verdict.renderer,
        viewport=verdict.viewport,
        receipt=verdict.receipt,
        trace=trace,
    )
