"""Whether the times of verdicts are consistent: a server's clock may be set while people are reading."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, func, or_, select

from db import Assignment, Verdict

# Two verdicts sent at once wait for each other and may enter the chain in reverse order.
SLACK = timedelta(seconds=60)


def contradictory_times(session: Session, study_id: int) -> list[tuple[str, str]]:
    """Return the receipts of verdicts whose times contradict each other or the order of the rows, and why."""
    # The latest time of all verdicts before this one.
    latest = func.max(Verdict.submitted_at).over(order_by=col(Verdict.id), rows=(None, -1))
    timed = (
        select_columns(
            col(Verdict.id),
            col(Verdict.receipt),
            col(Verdict.shown_at),
            col(Verdict.submitted_at),
            latest.label("latest"),
        )
        .join(Assignment, col(Assignment.id) == col(Verdict.assignment_id))
        .where(col(Assignment.study_id) == study_id)
        .subquery()
    )
    # In a large study nearly all times are in order, and those rows need not be loaded.
    doubtful = (
        select(timed.c.receipt, timed.c.shown_at, timed.c.submitted_at, timed.c.latest)
        .where(or_(timed.c.submitted_at < timed.c.shown_at, timed.c.submitted_at < timed.c.latest))
        .order_by(timed.c.id)
    )
    contradictions = []
    for receipt, shown_at, submitted_at, before in session.exec(doubtful):
        if submitted_at < shown_at:
            contradictions.append((receipt, "submitted before it was shown"))
        elif submitted_at < before - SLACK:
            contradictions.append((receipt, "submitted before the verdict that came before it"))
    return contradictions
