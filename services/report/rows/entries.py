"""Read every assignment of a study and what became of it; the number of queries does not depend on its size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from sqlalchemy import bindparam, select
from sqlmodel import Session, col

from db import Assignment, Flag, TechnicalFailure, Verdict, ViewingTrace, queries
from db.asking import ask
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
# Practice is excluded from all statistics: only phases that count are asked for.
_IN_STUDY = (
    col(Assignment.study_id) == bindparam("study_id"),
    col(Assignment.phase).in_(bindparam("phases", expanding=True)),
)
# Flags and viewing traces count with their verdict: those of a superseded verdict are as void as its answer.
_STANDING = (*_IN_STUDY, queries.stands())
# Columns in the order of the first fields of `Entry`, then those of the verdict that it holds. Plain columns, because
# there would be hundreds of thousands of mapped objects, and columns that are not selected need no decoding.
_ASSIGNMENTS = (
    select(
        col(Assignment.id), col(Assignment.membership_id), col(Assignment.item_id), col(Assignment.candidate_id),
        col(Assignment.phase), col(Assignment.pass_number), col(Assignment.position),
    )
    .where(*_IN_STUDY)
    .order_by(col(Assignment.id))
)  # fmt: skip
_VERDICTS = (
    select(
        col(Verdict.assignment_id), col(Verdict.id), col(Verdict.fields), col(Verdict.freeze_sha256),
        col(Verdict.not_assessable), col(Verdict.comment), col(Verdict.shown_at), col(Verdict.submitted_at),
        col(Verdict.active_ms), col(Verdict.idle_ms), col(Verdict.load_ms), col(Verdict.renderer),
        col(Verdict.viewport), col(Verdict.receipt),
    )
    .join(Assignment, col(Assignment.id) == col(Verdict.assignment_id))
    .where(*_STANDING)
)  # fmt: skip
# They are few, and standing ones are read anyway.
_SUPERSEDED = (
    select(col(Verdict.assignment_id), col(Verdict.active_ms), col(Verdict.idle_ms), col(Verdict.load_ms))
    .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
    .where(*_IN_STUDY, ~queries.stands())
)
_FLAGS = (
    select(col(Verdict.assignment_id), col(Flag.kind), col(Flag.note))
    .join(Flag, col(Flag.verdict_id) == Verdict.id)
    .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
    .where(*_STANDING)
    .order_by(col(Flag.id))
)
_TRACES = (
    select(col(Verdict.assignment_id), col(ViewingTrace.trace))
    .join(ViewingTrace, col(ViewingTrace.verdict_id) == Verdict.id)
    .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
    .where(*_STANDING)
)
_FAILURES = (
    select(col(TechnicalFailure.assignment_id), col(TechnicalFailure.reason))
    .join(Assignment, col(Assignment.id) == TechnicalFailure.assignment_id)
    .where(*_IN_STUDY)
)
# Which answers were shown as A and as B, in comparisons of two answers.
_SIDES = select(col(Assignment.id), col(Assignment.option_order)).where(*_IN_STUDY, col(Assignment.kind) == "pairs")


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
    counted = [phase.key for phase in phases.counted]

    def rows(statement: Any) -> Iterator[Any]:
        # In large batches, because fetching one by one is slow.
        asked = ask(session, statement, study_id=study_id, phases=counted)
        return chain.from_iterable(asked.partitions(_AT_ONCE))

    verdicts = {assignment_id: verdict for assignment_id, *verdict in rows(_VERDICTS)}
    superseded: defaultdict[int, _Spent] = defaultdict(_Spent)
    for assignment_id, *times in rows(_SUPERSEDED):
        superseded[assignment_id].add(*times)
    flags: dict[int, list[tuple[str, str]]] = {}
    for assignment_id, kind, note in rows(_FLAGS):
        flags.setdefault(assignment_id, []).append((kind, note))
    traces: dict[int, dict[str, Any]] = dict(rows(_TRACES))
    failures: dict[int, str] = dict(rows(_FAILURES))
    sides = {assignment_id: tuple(order) for assignment_id, order in rows(_SIDES)}
    entries = []
    for place in rows(_ASSIGNMENTS):
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
    """Return what became of an assignment, from the values of `_ASSIGNMENTS` and `_VERDICTS`."""
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
