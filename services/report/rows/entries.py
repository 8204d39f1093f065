"""Read every assignment of a study and what became of it; the number of queries does not depend on its size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db import Assignment, Flag, TechnicalFailure, Verdict, ViewingTrace, queries
from protocol.study_phases import StudyPhases
from services.report.rows.study_rows import Entry


@dataclass
class _Spent:
    """How many verdicts on an assignment were superseded, and the total milliseconds spent on them."""

    verdicts: int = 0
    active_ms: int = 0
    idle_ms: int = 0
    load_ms: int = 0

    def add(self, active_ms: int, idle_ms: int, load_ms: int) -> None:
        self.verdicts += 1
        self.active_ms += active_ms
        self.idle_ms += idle_ms
        self.load_ms += load_ms


_NOTHING_SPENT = _Spent()
_AT_ONCE = 2000
# Columns in the order of the first fields of `Entry`, then those of the verdict that it holds. Plain columns, because
# there would be hundreds of thousands of mapped objects, and columns that are not selected need no decoding.
_OF_ASSIGNMENT = tuple(
    col(column)
    for column in (
        Assignment.id, Assignment.membership_id, Assignment.item_id, Assignment.candidate_id, Assignment.phase,
        Assignment.pass_number, Assignment.position,
    )
)  # fmt: skip
_OF_VERDICT = tuple(
    col(column)
    for column in (
        Verdict.assignment_id, Verdict.id, Verdict.fields, Verdict.freeze_sha256, Verdict.not_assessable,
        Verdict.comment, Verdict.shown_at, Verdict.submitted_at, Verdict.active_ms, Verdict.idle_ms, Verdict.load_ms,
        Verdict.renderer, Verdict.viewport, Verdict.receipt,
    )
)  # fmt: skip


def load_entries(
    session: Session, study_id: int, phases: StudyPhases, reasons: dict[str, str], without: frozenset[int]
) -> tuple[Entry, ...]:
    """Read every assignment of a study and what became of it.

    Parameters
    ----------
    reasons
        The reasons for "not assessable" in words, by id; an id that is not listed stands for itself.
    without
        Ids of items to leave out, such as sealed ones.
    """
    # Practice is excluded from all statistics.
    in_study = (Assignment.study_id == study_id, col(Assignment.phase).in_([phase.key for phase in phases.counted]))
    # Flags and viewing traces count with their verdict: those of a superseded verdict are as void as its answer.
    standing = (*in_study, queries.stands())
    verdicts = {
        assignment_id: verdict
        for assignment_id, *verdict in _rows(
            session,
            _columns(_OF_VERDICT).join(Assignment, col(Assignment.id) == col(Verdict.assignment_id)).where(*standing),
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
    sides = _sides(session, in_study)
    assignments = _columns(_OF_ASSIGNMENT).where(*in_study).order_by(col(Assignment.id))
    for place in _rows(session, assignments):
        key, _, item_id, *_ = place
        if item_id in without:
            continue
        entries.append(
            _entry(
                place,
                verdicts.get(key),
                superseded.get(key, _NOTHING_SPENT),
                flags.get(key, []),
                traces.get(key),
                failures.get(key),
                reasons,
                sides.get(key, ()),
            )
        )
    return _without_gaps(entries, phases) if without else tuple(entries)


def _without_gaps(entries: Sequence[Entry], phases: StudyPhases) -> tuple[Entry, ...]:
    """Number anew the places in queues whose units follow from answers, without what is left out.

    The gaps would tell how many units are left out, and so how far people agree on them.
    """
    places: defaultdict[tuple[int, str, int], set[int]] = defaultdict(set)
    chosen = {phase.key for phase in phases.chosen_by_answers}
    for entry in entries:
        places[entry.member_id, entry.phase, entry.pass_number].add(entry.position)
    ranks = {
        queue: {place: rank for rank, place in enumerate(sorted(taken), start=1)} for queue, taken in places.items()
    }
    return tuple(
        replace(entry, position=ranks[entry.member_id, entry.phase, entry.pass_number][entry.position])
        if entry.phase in chosen
        else entry
        for entry in entries
    )


def _sides(session: Session, in_study: tuple[Any, ...]) -> dict[int, tuple[str, ...]]:
    """Return which answers were shown as A and as B, by assignment, for comparisons of two answers."""
    pairs = _columns((col(Assignment.id), col(Assignment.option_order))).where(
        *in_study, col(Assignment.kind) == "pairs"
    )
    return {key: tuple(order) for key, order in _rows(session, pairs)}


def _columns(columns: Sequence[Any]) -> Any:
    return select_columns(*columns)


def _rows(session: Session, query: Any) -> Iterator[Any]:
    """Return the rows of a query of columns, fetched in large batches because fetching one by one is slow."""
    return chain.from_iterable(session.connection().execute(query).partitions(_AT_ONCE))


def _spent_on_superseded(session: Session, in_study: tuple[Any, ...]) -> dict[int, _Spent]:
    """Return the time spent on superseded verdicts, by assignment; they are few, and standing ones are read anyway."""
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
    for assignment_id, kind, note in session.exec(
        select(Verdict.assignment_id, Flag.kind, Flag.note)
        .join(Flag, col(Flag.verdict_id) == Verdict.id)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(*standing)
        .order_by(col(Flag.id))
    ):
        flags.setdefault(assignment_id, []).append((kind, note))
    return flags


def _traces(session: Session, standing: tuple[Any, ...]) -> dict[int, dict[str, Any]]:
    """Return the viewing traces of standing verdicts, by assignment."""
    query = (
        select(Verdict.assignment_id, ViewingTrace.trace)
        .join(ViewingTrace, col(ViewingTrace.verdict_id) == Verdict.id)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(*standing)
    )
    return dict(_rows(session, query))


def _entry(
    place: tuple[int, int, int, int | None, str, int, int],
    verdict: Sequence[Any] | None,
    superseded: _Spent,
    flags: list[tuple[str, str]],
    trace: dict[str, Any] | None,
    failure: str | None,
    reasons: dict[str, str],
    sides: tuple[str, ...],
) -> Entry:
    """Return what became of an assignment, from the values of `_OF_ASSIGNMENT` and `_OF_VERDICT`."""
    if verdict is None:
        status = "missing" if failure is None else "technical_failure"
        return Entry(*place, status=status, failure=failure or "", sides=sides)
    (verdict_id, fields, freeze_sha256, not_assessable, comment, shown_at, submitted_at, active_ms, idle_ms, load_ms,
     renderer, viewport, receipt) = verdict  # fmt: skip
    return Entry(
        *place,
        status="answered" if not_assessable is None else "not_assessable",
        verdict_id=verdict_id,
        answer=fields.get("answer") if not_assessable is None else None,
        fields=tuple(fields.items()),
        freeze_sha256=freeze_sha256,
        not_assessable=not_assessable,
        reason=reasons.get(not_assessable or "", not_assessable or ""),
        comment=comment,
        revisions=superseded.verdicts,
        flags=tuple(flags),
        shown_at=shown_at,
        submitted_at=submitted_at,
        # Time spent on an item is the sum over all versions of its verdict.
        active_ms=active_ms + superseded.active_ms,
        idle_ms=idle_ms + superseded.idle_ms,
        load_ms=load_ms + superseded.load_ms,
        renderer=renderer,
        viewport=viewport,
        receipt=receipt,
        trace=trace,
        sides=sides,
    )
