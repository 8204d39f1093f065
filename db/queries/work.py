"""How many assignments people have, and how many of them are done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, case, exists, func, or_
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from db.people import Membership
from db.queries.assignments import has_ended, is_done
from db.queries.since_freeze import is_withdrawn
from db.reading import Assignment, TechnicalFailure


@dataclass(frozen=True)
class WorkCount:
    """How many assignments of a member in a phase are open, could not be shown, have ended, and exist in all."""

    open: int = 0
    failures: int = 0
    ended: int = 0
    total: int = 0

    def __add__(self, more: WorkCount) -> WorkCount:
        """Return the assignments of both."""
        return WorkCount(
            self.open + more.open, self.failures + more.failures, self.ended + more.ended, self.total + more.total
        )

    def __sub__(self, part: WorkCount) -> WorkCount:
        """Return the assignments less a part of them."""
        return WorkCount(
            self.open - part.open, self.failures - part.failures, self.ended - part.ended, self.total - part.total
        )


NO_WORK = WorkCount()


def count_by_member(session: Session, study_id: int, *where: Any) -> dict[tuple[int, str], WorkCount]:
    """Count the assignments of members who are still in the study, by member and phase.

    Units that a version of the study replaced before they were answered are not counted.

    Parameters
    ----------
    where
        More conditions on the assignments that are counted.
    """
    query = _COUNTS.where(*where) if where else _COUNTS
    rows = session.connection().execute(query, {"study_id": study_id})
    return {(member, phase): WorkCount(*many) for member, phase, *many in rows}


_COULD_NOT_BE_SHOWN = exists().where(col(TechnicalFailure.assignment_id) == Assignment.id)
_COUNTS: Any = (
    select_columns(
        col(Assignment.membership_id),
        col(Assignment.phase),
        *(
            func.sum(case((counts, 1), else_=0))
            for counts in (~is_done(Assignment), _COULD_NOT_BE_SHOWN, has_ended(Assignment))
        ),
        func.count(),
    )
    .join(Membership, col(Membership.id) == Assignment.membership_id)
    .where(
        col(Assignment.study_id) == bindparam("study_id"),
        col(Membership.removed_at).is_(None),
        or_(~is_withdrawn(Assignment), has_ended(Assignment)),
    )
    .group_by(col(Assignment.membership_id), col(Assignment.phase))
)
