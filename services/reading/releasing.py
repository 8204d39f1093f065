"""Withheld content that a phase releases: the reference, the answer under judgement, attributes and opinions.

Each is refused before its time. `once_open` treats the work that is blind to it as done: for the audit, whose payloads
are sent to nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from sqlmodel import Session, col, select

from db import Assignment, Verdict, queries
from db.base import stored_id
from db.queries import ShownItem
from protocol.fields import IN_WORDS
from protocol.fields.preference import SWAPPED, as_in_table
from protocol.language.things import shows_the_reference
from protocol.phase_rules import PhaseRules
from protocol.study_phases import StudyPhases
from protocol.visibility import Progress, may_see
from services.errors import Conflict, NotOnTheDesk, ReadsOpen
from services.reading import blinding, desk, shown_items
from services.reading.payloads import Line
from services.studies import frozen_facts


def judged(
    session: Session, phases: StudyPhases, assignment: Assignment, item: ShownItem, *, once_open: bool
) -> tuple[list[str] | None, str | None]:
    """Return the reference and the candidate if the phase shows them.

    Raises
    ------
    ReadsOpen
        Work that is blind to them is still open.
    """
    phase = phases.named(assignment.phase)
    shows = phases.rules_of(phase).shows
    shows_reference, shows_candidate = shows_the_reference(shows), phase.kind != "pairs" and "candidate" in shows
    things = [*(["reference"] if shows_reference else []), *(["candidate"] if shows_candidate else [])]
    _require(session, phases, assignment, *things, once_open=once_open)
    return (
        shown_items.reference_words(session, phases, assignment, item) if shows_reference else None,
        _candidate(session, assignment) if shows_candidate else None,
    )


def sides(session: Session, phases: StudyPhases, assignment: Assignment, *, once_open: bool) -> tuple[str, str] | None:
    """Return the two answers to compare, on sides A and B as drawn for this person; None if no pair is rated.

    Raises
    ------
    ReadsOpen
        Work that is blind to them is still open.
    """
    if phases.named(assignment.phase).kind != "pairs" or assignment.candidate_id is None:
        return None
    _require(session, phases, assignment, "candidate", once_open=once_open)
    first, second = queries.answers_compared(session, assignment.candidate_id)
    return (second, first) if tuple(assignment.option_order) == SWAPPED else (first, second)


def explanation(session: Session, phases: StudyPhases, assignment: Assignment, *, once_open: bool) -> str:
    """Return why the reference is what it is, if a phase shows that; empty if the item has no explanation.

    Raises
    ------
    ReadsOpen
        Work that is blind to it is still open.
    """
    if not _is_released(session, phases, assignment, "explanation", once_open=once_open):
        return ""
    reference = queries.reference_for_forms_that_show_it(session, assignment.item_id)
    return "" if reference is None else reference.explanation


def own_answer(session: Session, phases: StudyPhases, assignment: Assignment, *, once_open: bool) -> list[Line] | None:
    """Return the answer given before more was shown, as text; None if the assignment is not a second step.

    Raises
    ------
    NotOnTheDesk
        It has not been answered yet.
    """
    phase = phases.named(assignment.phase)
    if not phase.continues:
        return None
    beside = queries.assignment_beside(session, assignment, phase.continues)
    verdict = None if beside is None else queries.root_verdict(session, stored_id(beside.id))
    if verdict is None:
        if once_open:
            return []
        raise NotOnTheDesk("Answer this first; then more of it is shown.")
    first, item = phases.named(phase.continues), shown_items.item_of(session, assignment)
    return shown_items.lines_of(session, assignment.study_id, phases, first, item, assignment.option_order, verdict)


def opinions(
    session: Session, phases: StudyPhases, assignment: Assignment, item: ShownItem, *, once_open: bool
) -> list[list[Line]] | None:
    """Return others' answers as text in the order drawn for this assignment; None unless a listed phase shows them.

    Raises
    ------
    ReadsOpen
        Work that is blind to them is still open.
    """
    source = phases.rules_of(phases.named(assignment.phase)).opinions_of
    if not source or not _is_released(session, phases, assignment, "opinions", once_open=once_open):
        return None
    order = assignment.opinion_order
    rows = session.exec(
        select(Verdict, Assignment.option_order)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(col(Verdict.id).in_(order))
    )
    verdicts = {stored_id(verdict.id): (verdict, sides) for verdict, sides in rows}
    of_study = frozen_facts.phases_of(session, assignment.study_id)
    answered_in = of_study.named(source)
    rules = of_study.rules_of(answered_in)
    opinions = []
    study_id, order_here = assignment.study_id, assignment.option_order
    for verdict, sides in (verdicts[verdict_id] for verdict_id in order):
        said = _turned(verdict.fields, rules.preferences, sides, assignment.option_order)
        lines = shown_items.lines_of(session, study_id, phases, answered_in, item, order_here, verdict, said)
        if answered_in.kind == "pairs" and _has_words(rules, verdict):
            lines.append(blinding.sides_in_words(exchanged=sides != order_here))
        opinions.append(lines)
    return opinions


def _has_words(rules: PhaseRules, verdict: Verdict) -> bool:
    """Return whether a verdict contains free text, which may refer to the answers of a pair by their sides."""
    written = [verdict.fields.get(asked.key) for asked in rules.fields or () if asked.type in IN_WORDS]
    return bool(verdict.comment) or any(written)


def _turned(
    fields: Mapping[str, Any], preferences: Set[str], sides: Sequence[str], own: Sequence[str]
) -> Mapping[str, Any]:
    """Return somebody's answers with their A and B translated into the reader's."""
    turned = {
        key: as_in_table(as_in_table(value, sides), own)
        for key, value in fields.items()
        if key in preferences and isinstance(value, str)
    }
    return {**fields, **turned}


def attributes(session: Session, phases: StudyPhases, assignment: Assignment, *, once_open: bool) -> list[Line]:
    """Return the attributes of a unit that a phase releases, as labels and texts, in the order of their declaration.

    Raises
    ------
    ReadsOpen
        Work that is blind to them is still open.
    """
    rules = phases.rules_of(phases.named(assignment.phase))
    if not rules.released:
        return []
    _require(session, phases, assignment, "attributes", once_open=once_open)
    return lines_of(session, rules, assignment.item_id, assignment.candidate_id)


def lines_of(session: Session, rules: PhaseRules, item_id: int, candidate_id: int | None) -> list[Line]:
    """Return exactly the attributes of a unit that a phase names, as labels and texts."""
    named = [(attribute.table, attribute.key) for attribute in rules.released]
    stored = queries.released_attributes(session, item_id, candidate_id, named)
    return blinding.attribute_lines(rules.released, stored)


def _is_released(session: Session, phases: StudyPhases, assignment: Assignment, thing: str, *, once_open: bool) -> bool:
    if thing not in phases.rules_of(phases.named(assignment.phase)).shows:
        return False
    _require(session, phases, assignment, thing, once_open=once_open)
    return True


def _require(session: Session, phases: StudyPhases, assignment: Assignment, *things: str, once_open: bool) -> None:
    if not things:
        return
    phase = phases.named(assignment.phase)
    reads_done = once_open or desk.tells_nothing_too_early(session, phases, assignment)
    progress = Progress(on_the_desk=True, reads_done=reads_done, released=True)
    if not all(may_see(phase.role, phase, thing, progress) for thing in things):
        raise ReadsOpen(phases.opens_later(phase.queue))


def _candidate(session: Session, assignment: Assignment) -> str:
    if assignment.candidate_id is None:
        raise Conflict("This study has no answers to score.")
    return queries.candidate_answer(session, assignment.candidate_id)
