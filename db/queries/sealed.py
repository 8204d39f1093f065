"""The sealed part of a study: the items of test subjects, about which only the authors may read an answer.

Everything that lets an admin read people's answers calls `sealed_items` and leaves those items out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, func
from sqlmodel import Session, col, select

from db.base import stored_id
from db.judging import OpenedBasis, SealedSplit, SplitOpening
from db.labels import ImportedLabel, LabelImport
from db.queries.work import NO_WORK, WorkCount, count_by_member
from db.reading import Assignment, Verdict
from db.study import Candidate, Case, Item
from protocol.phases import Phase

NOTHING_SEALED: frozenset[int] = frozenset()
# The number of subjects or items in one statement.
_ASKED_AT_ONCE = 500
# Queries made wherever people's answers are read, built once.
_STUDY: Any = bindparam("study_id")
_SPLIT: Any = select(SealedSplit).where(SealedSplit.study_id == _STUDY)
_OPENINGS: Any = select(SplitOpening).where(SplitOpening.study_id == _STUDY)


def split_of(session: Session, study_id: int) -> SealedSplit | None:
    """Return how a study's subjects were divided into development and test, or None if they were not."""
    split: SealedSplit | None = session.exec(_SPLIT, params={"study_id": study_id}).first()
    return split


def items_for_test(session: Session, study_id: int) -> frozenset[int]:
    """Return the ids of the test subjects' items, unsealed or not; empty if the study is not divided."""
    split = split_of(session, study_id)
    subjects = [] if split is None else split.test_subjects
    of_study = select(Item.id).join(Case, col(Case.id) == Item.case_id).where(Item.study_id == study_id)
    items: set[int] = set()
    for start in range(0, len(subjects), _ASKED_AT_ONCE):
        of_subjects = of_study.where(col(Case.subject).in_(subjects[start : start + _ASKED_AT_ONCE]))
        items |= {item_id for item_id in session.exec(of_subjects) if item_id is not None}
    return frozenset(items)


def is_unsealed(session: Session, study_id: int) -> bool:
    """Return whether everything that people answered about test subjects has been unsealed."""
    return ("", "") in openings_of(session, study_id)


def openings_of(session: Session, study_id: int) -> dict[tuple[str, str], int]:
    """Return the judges and prompts for which agreement on the test part was opened, with the opening's key.

    An opening with an empty judge unseals everything.
    """
    rows = session.exec(_OPENINGS, params={"study_id": study_id})
    return {(row.judge, row.prompt): stored_id(row.id) for row in rows}


def opened_bases_of(session: Session, study_id: int) -> dict[tuple[str, str], OpenedBasis]:
    """Return by which human verdicts agreement on the test part is open, by judge and prompt: the newest row of each.

    Openings without a row are left out; they are by raters' verdicts and the usual basis.
    """
    query = (
        select(SplitOpening.judge, SplitOpening.prompt, OpenedBasis)
        .join(OpenedBasis, col(OpenedBasis.opening_id) == SplitOpening.id)
        .where(SplitOpening.study_id == study_id)
        .order_by(col(OpenedBasis.id))
    )
    return {(judge, prompt): row for judge, prompt, row in session.exec(query)}


def sealed_items(session: Session, study_id: int) -> frozenset[int]:
    """Return the ids of the items on which people's answers are sealed."""
    if split_of(session, study_id) is None or is_unsealed(session, study_id):
        return NOTHING_SEALED
    return items_for_test(session, study_id)


def sealed_subjects(session: Session, study_id: int) -> frozenset[str]:
    """Return the subjects on whose items people's answers are sealed."""
    split = split_of(session, study_id)
    if split is None or is_unsealed(session, study_id):
        return frozenset()
    return frozenset(split.test_subjects)


def count_verdicts_on(session: Session, items: frozenset[int], but: Sequence[Phase] = ()) -> int:
    """Return the number of verdicts on some items, including superseded ones, except in the phases `but`."""
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


def count_sealed_by_member(
    session: Session, study_id: int, phases: Sequence[Phase]
) -> dict[tuple[int, str], WorkCount]:
    """Count the assignments of some phases that are on sealed items, by member and phase.

    The number of units that follow from people's answers reveals how far they agree. For sealed items, only the people
    who answer them may learn it.
    """
    ids = sorted(sealed_items(session, study_id)) if phases else []
    of_phases = col(Assignment.phase).in_([phase.key for phase in phases])
    counts: dict[tuple[int, str], WorkCount] = {}
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        of_items = col(Assignment.item_id).in_(ids[start : start + _ASKED_AT_ONCE])
        for place, more in count_by_member(session, study_id, of_items, of_phases).items():
            counts[place] = counts.get(place, NO_WORK) + more
    return counts


def count_labels_on(session: Session, items: frozenset[int]) -> int:
    """Return how many labels made elsewhere there are for some items."""
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
