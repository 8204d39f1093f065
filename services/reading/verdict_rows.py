"""The rows added by a submission: a verdict with its flag and trace, or a decision. Rows are added, never changed."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Any

from sqlmodel import Session

from db import Adjudication, Assignment, Base, Display, Flag, Verdict, ViewingTrace, queries
from db.base import stored_id
from exchange.viewing_trace import kept_trace
from services.errors import Conflict
from services.installation.version import SOFTWARE_VERSION
from services.people.permission import freeze_of
from services.reading.answers import Answers
from services.seals import proofs

# Without 0 O 1 I L U, because receipts are read out over the telephone.
_RECEIPT_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class Circumstances:
    """How an item was viewed, as measured by the browser: milliseconds, renderer, viewport, viewing trace."""

    active_ms: int = 0
    idle_ms: int = 0
    load_ms: int = 0
    renderer: str = ""
    viewport: str = ""
    trace: dict[str, Any] | None = None


NOTHING_MEASURED = Circumstances()
LONGEST_MS = 86_400_000
# Two servers of one study may have slightly different clocks.
SLACK_MS = 5_000


def plausible_times(measured: Circumstances, passed_ms: int | None) -> Circumstances:
    """Clamp a browser's measurement to what is plausible: not negative, and no longer than the time that has passed.

    Parameters
    ----------
    passed_ms
        Time since the item was first shown, by the server's clock; None if unknown.
    """
    longest = LONGEST_MS if passed_ms is None or passed_ms < 0 else min(LONGEST_MS, passed_ms + SLACK_MS)
    active_ms = bounded(measured.active_ms, longest)
    return replace(
        measured,
        active_ms=active_ms,
        idle_ms=bounded(measured.idle_ms, longest - active_ms),
        load_ms=bounded(measured.load_ms),
    )


def store_verdict(
    session: Session,
    assignment: Assignment,
    checked: Answers,
    circumstances: Circumstances,
    display: Display,
    receipt: str,
    key: str,
    superseded: Verdict | None,
) -> tuple[Verdict, list[Base]]:
    """Add a verdict with its flag and viewing trace, if any; return it, and all rows to be sealed."""
    verdict = Verdict(
        assignment_id=stored_id(assignment.id),
        supersedes_id=superseded.id if superseded is not None else None,
        login_session_id=display.login_session_id,
        fields=checked.fields,
        not_assessable=checked.not_assessable,
        comment=checked.comment,
        shown_at=display.shown_at,
        active_ms=circumstances.active_ms,
        idle_ms=circumstances.idle_ms,
        load_ms=circumstances.load_ms,
        renderer=circumstances.renderer[:40],
        viewport=circumstances.viewport[:20],
        software_version=SOFTWARE_VERSION,
        freeze_sha256=_freeze_of(session, assignment),
        receipt=receipt,
        idempotency_key=key,
        content_sha256=checked.content_sha256(),
        hash_rule=proofs.RULE,
    )
    session.add(verdict)
    session.flush()
    stored: list[Base] = [verdict]
    if checked.flag is not None:
        stored.append(Flag(verdict_id=stored_id(verdict.id), kind=checked.flag[0], note=checked.flag[1]))
    trace = kept_trace(circumstances.trace)
    if trace is not None:
        stored.append(ViewingTrace(verdict_id=stored_id(verdict.id), trace=trace))
    session.add_all(stored)
    session.flush()
    return verdict, stored


def _freeze_of(session: Session, assignment: Assignment) -> str:
    sha256 = freeze_of(session, assignment.study_id)
    if sha256 is None:
        raise Conflict("This study is not frozen, so it does not accept verdicts.")
    return sha256


def store_decision(session: Session, assignment: Assignment, checked: Answers, receipt: str, key: str) -> Adjudication:
    """Add a reviewer's decision, with the opinions on which it is based.

    Raises
    ------
    Conflict
        The reviewer has not yet read the item themselves.
    """
    task = queries.review_task_of(session, assignment)
    first_read = queries.root_verdict(session, task.review_assignment_id)
    if first_read is None:
        raise Conflict("Read this item yourself first; then the opinions are shown.")
    decision = Adjudication(
        task_id=stored_id(task.id),
        first_read_id=stored_id(first_read.id),
        opinions_shown=task.opinion_order,
        decision={name: value for name, value in checked.fields.items() if name != "reason"},
        not_assessable=checked.not_assessable,
        reason=checked.fields.get("reason") or f"not assessable: {checked.not_assessable}",
        receipt=receipt,
        idempotency_key=key,
        content_sha256=checked.content_sha256(),
        hash_rule=proofs.RULE,
    )
    session.add(decision)
    session.flush()
    return decision


def new_receipt() -> str:
    """Return a new receipt, the proof that something is stored: eight letters and digits that are hard to confuse."""
    letters = [secrets.choice(_RECEIPT_LETTERS) for _ in range(8)]
    return "".join(letters[:4]) + "-" + "".join(letters[4:])


def bounded(milliseconds: int, longest: int = LONGEST_MS) -> int:
    """Clip a browser's measurement so that a broken clock cannot overflow a column."""
    return max(0, min(int(milliseconds), longest))
