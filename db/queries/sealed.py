"""What is sealed of a study: the items of its test subjects, about which nobody but their authors reads an answer.

Everything that lets an admin read what people answered asks `sealed_items` and leaves those out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import case, exists, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from db.base import stored_id
from db.judging import SealedSplit, SplitOpening
from db.labels import ImportedLabel, LabelImport
from db.queries.assignments import is_answered, is_done
from db.reading import Assignment, TechnicalFailure, Verdict
from db.study import Candidate, Case, Item
from protocol.phases import Phase

NOTHING_SEALED: frozenset[int] = frozenset()
# Rows are asked for by so many subjects in one statement.
_ASKED_AT_ONCE = 500


def split_of(session: Session, study_id: int) -> SealedSplit | None:
    """Return how the subjects of a study were divided into development and test; None where they were not."""
    return session.exec(select(SealedSplit).where(SealedSplit.study_id == study_id)).first()


def items_for_test(session: Session, study_id: int) -> frozenset[int]:
    """Return the ids of the items of test subjects, unsealed or not; none where the study is not divided."""
    split = split_of(session, study_id)
    subjects = [] if split is None else split.test_subjects
    of_study = select(Item.id).join(Case, col(Case.id) == Item.case_id).where(Item.study_id == study_id)
    items: set[int] = set()
    for start in range(0, len(subjects), _ASKED_AT_ONCE):
        of_subjects = of_study.where(col(Case.subject).in_(subjects[start : start + _ASKED_AT_ONCE]))
        items |= {item_id for item_id in session.exec(of_subjects) if item_id is not None}
    return frozenset(items)


def is_unsealed(session: Session, study_id: int) -> bool:
    """Return whether all that people answered about test subjects was unsealed."""
    return ("", "") in openings_of(session, study_id)


def openings_of(session: Session, study_id: int) -> dict[tuple[str, str], int]:
    """Return for which judges and prompts agreement on test was opened, with the key of the opening.

    One without a name unseals everything.
    """
    rows = session.exec(select(SplitOpening).where(SplitOpening.study_id == study_id)).all()
    return {(row.judge, row.prompt): stored_id(row.id) for row in rows}


def sealed_items(session: Session, study_id: int) -> frozenset[int]:
    """Return the ids of the items about which what people answered is sealed."""
    if split_of(session, study_id) is None or is_unsealed(session, study_id):
        return NOTHING_SEALED
    return items_for_test(session, study_id)


def count_verdicts_on(session: Session, items: frozenset[int], but: Sequence[Phase] = ()) -> int:
    """Return how many verdicts there are on some items, superseded ones too, but those of some phases."""
    ids, many = sorted(items), 0
    keys = [phase.key for phase in but]
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        query = (
            select(func.count())
            .select_from(Verdict)
            .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
            .where(col(Assignment.item_id).in_(ids[start : start + _ASKED_AT_ONCE]), col(Assignment.phase).not_in(keys))
        )
        many += session.exec(query).one()
    return many


@dataclass(frozen=True)
class SealedCount:
    """How many assignments of a member in a phase are on sealed items: open, not to be shown, answered, and in all."""

    open: int
    failures: int
    answered: int
    total: int


def count_sealed_by_member(
    session: Session, study_id: int, phases: Sequence[Phase]
) -> dict[tuple[int, str], SealedCount]:
    """Count the assignments of some phases that are on sealed items, by member and phase.

    How many units follow from what people answered is how far they agree: of sealed items nobody but who answers
    them is told.
    """
    ids = sorted(sealed_items(session, study_id)) if phases else []
    failed = exists().where(col(TechnicalFailure.assignment_id) == Assignment.id)
    counts: dict[tuple[int, str], SealedCount] = {}
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        query = (
            select_columns(
                col(Assignment.membership_id),
                col(Assignment.phase),
                func.sum(case((is_done(Assignment), 0), else_=1)),
                func.sum(case((failed, 1), else_=0)),
                func.sum(case((is_answered(Assignment), 1), else_=0)),
                func.count(),
            )
            .where(
                col(Assignment.study_id) == study_id,
                col(Assignment.item_id).in_(ids[start : start + _ASKED_AT_ONCE]),
                col(Assignment.phase).in_([phase.key for phase in phases]),
            )
            .group_by(col(Assignment.membership_id), col(Assignment.phase))
        )
        rows: Any = session.connection().execute(query)
        for member, phase, *many in rows:
            before = counts.get((member, phase), SealedCount(0, 0, 0, 0))
            counts[member, phase] = SealedCount(
                before.open + many[0], before.failures + many[1], before.answered + many[2], before.total + many[3]
            )
    return counts


def count_labels_on(session: Session, items: frozenset[int]) -> int:
    """Return how many labels made elsewhere there are on some items."""
    ids, many = sorted(items), 0
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        query = (
            select(func.count())
            .select_from(ImportedLabel)
            .join(LabelImport, col(LabelImport.id) == ImportedLabel.import_id)
            .join(Candidate, col(Candidate.id) == ImportedLabel.candidate_id)
            .where(col(Candidate.item_id).in_(ids[start : start + _ASKED_AT_ONCE]))
        )
        many += session.exec(query).one()
    return many
