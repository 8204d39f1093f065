"""Whether the times of verdicts can all be right: a server's clock may be set while people read."""

from __future__ import annotations

from datetime import timedelta

from sqlmodel import Session, col, select

from db import Assignment, Verdict

# Two verdicts that were sent at once may come into the chain the other way round, after waiting for each other.
SLACK = timedelta(seconds=60)


def contradictory_times(session: Session, study_id: int) -> list[tuple[str, str]]:
    """Return the receipts of verdicts whose times cannot all be right, and why; the order of rows is the true one."""
    rows = session.exec(
        select(Verdict.receipt, Verdict.shown_at, Verdict.submitted_at)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(Assignment.study_id == study_id)
        .order_by(col(Verdict.id))
    ).all()
    contradictions = []
    latest = None
    for receipt, shown_at, submitted_at in rows:
        if submitted_at < shown_at:
            contradictions.append((receipt, "submitted before it was shown"))
        elif latest is not None and submitted_at < latest - SLACK:
            contradictions.append((receipt, "submitted before the verdict that came before it"))
        latest = submitted_at if latest is None else max(latest, submitted_at)
    return contradictions
