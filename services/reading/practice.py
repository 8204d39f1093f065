"""Practice before the real items: which passes a rater has made, how each ended, and when the real items open.

Nothing of practice enters a statistic.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Integer, bindparam, cast, func
from sqlmodel import Session, col, select

from db import Assignment, Database, Membership, Person, PracticeResult, TechnicalFailure, Verdict, audit, queries
from db.asking import ask
from db.base import stored_id
from db.standing import STILL_MEMBER
from protocol.phases import Phase
from protocol.study_phases import StudyPhases
from services.errors import Conflict, NotFound
from services.people.identity import Actor
from services.people.logins import canonical_login
from services.people.permission import require_role
from services.reading.practice_scoring import practised_answer
from services.reading.practised import Practised, counts, is_enough
from services.seals import proofs
from services.studies import frozen_facts
from services.studies.dealing import assigning

FAILED = "The practice was not passed"


def state_of_practice(session: Session, training: Phase, membership_id: int) -> str:
    """Return `passed`, `open` (practice items are waiting) or `failed` (all attempts are used up)."""
    results = results_of(session, membership_id)
    if any(result.passed for result in results):
        return "passed"
    waiting = queries.has_open(session, membership_id, (training,))
    return "open" if waiting or not results else "failed"


def has_passed(session: Session, membership_id: int) -> bool:
    """Return whether any of a rater's passes was good enough to open the real items."""
    return ask(session, _PASSED, membership_id=membership_id).first() is not None


_PASSED: Any = select(PracticeResult.id).where(
    PracticeResult.membership_id == bindparam("membership_id"), col(PracticeResult.passed)
)


def has_failed(session: Session, training: Phase | None, membership_id: int) -> bool:
    """Return whether a rater has used up their attempts at a practice; False if there is no practice."""
    return training is not None and state_of_practice(session, training, membership_id) == "failed"


def who_has_failed(session: Session, phases: StudyPhases, study_id: int) -> set[int]:
    """Return the memberships for which `has_failed` is true; the number of queries does not grow with the raters."""
    if not phases.trainings:
        return set()
    best = (
        select(PracticeResult.membership_id, func.max(cast(PracticeResult.passed, Integer)))
        .join(Membership, col(Membership.id) == PracticeResult.membership_id)
        .where(Membership.study_id == study_id)
        .group_by(col(PracticeResult.membership_id))
    )
    without_success = {membership_id for membership_id, passed in session.exec(best) if not passed}
    return without_success.difference(
        *(queries.members_with_open(session, study_id, training) for training in phases.trainings)
    )


def who_has_not_passed(session: Session, phases: StudyPhases, study_id: int) -> set[int]:
    """Return the raters for whom the items are closed; the number of queries does not grow with the raters."""
    if phases.training is None:
        return set()
    raters = select(Membership.id).where(Membership.study_id == study_id, Membership.role == "rater")
    passed = select(PracticeResult.membership_id).where(col(PracticeResult.passed))
    return {stored_id(rater) for rater in session.exec(raters.where(~col(Membership.id).in_(passed)))}


def progress_of_pass(session: Session, training: Phase, membership_id: int) -> tuple[int, int]:
    """Return how many items of the rater's current practice pass are closed, and how many there are."""
    return queries.count_assignments(
        session, membership_id, (training,), pass_number=_newest_pass(session, training, membership_id)
    )


def results_of(session: Session, membership_id: int) -> list[PracticeResult]:
    """Return how a rater's passes ended, oldest first."""
    return list(session.exec(_RESULTS, params={"membership_id": membership_id}))


_RESULTS: Any = (
    select(PracticeResult)
    .where(PracticeResult.membership_id == bindparam("membership_id"))
    .order_by(col(PracticeResult.pass_number))
)


def end_pass_if_done(session: Session, phases: StudyPhases, assignment: Assignment) -> None:
    """Store the result of a pass whose last item was just closed, and deal the next pass if it was not enough."""
    training = phases.named(assignment.phase)
    rule = phases.rules_of(training).practice
    membership_id, pass_number = assignment.membership_id, assignment.pass_number
    session.flush()
    if rule is None or queries.has_open(session, membership_id, (training,)):
        return
    answers = _answers_of_pass(session, phases, training, membership_id, pass_number)
    passed = is_enough(answers, rule.pass_mark)
    correct, judged = counts(answers)
    result = PracticeResult(
        membership_id=membership_id, pass_number=pass_number, correct=correct, judged=judged, passed=passed
    )
    session.add(result)
    session.flush()
    audit.record(session, "practice ended", study_id=assignment.study_id, rows=proofs.sealed([result]))
    if not passed and (rule.attempts is None or pass_number < rule.attempts):
        rater = session.get_one(Membership, membership_id)
        assigning.assign_practice(session, assignment.study_id, rater, phases, training, pass_number + 1)
        session.flush()


def allow_another_attempt(database: Database, actor: Actor, study_key: str, login: str) -> None:
    """Give a rater who has used up their attempts at the practice one more.

    Raises
    ------
    Conflict
        The person has not used up their attempts.
    """
    with database.writing() as session:
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        study_id = stored_id(study.id)
        rater = session.exec(
            select(Membership)
            .join(Person)
            .where(
                Membership.study_id == study_id,
                Membership.role == "rater",
                *STILL_MEMBER,
                Person.login == canonical_login(login),
            )
        ).first()
        if rater is None:
            raise NotFound(f"The study has no rater '{login[:120]}'.")
        phases = frozen_facts.phases_of_member(session, rater)
        training = phases.training
        if training is None or not has_failed(session, training, stored_id(rater.id)):
            raise Conflict(f"'{login[:120]}' has not used up their attempts at the practice; nothing was changed.")
        last = results_of(session, stored_id(rater.id))[-1].pass_number
        assigning.assign_practice(session, study_id, rater, phases, training, last + 1)
        audit.record(
            session,
            "another attempt at practice",
            person_id=actor.person_id,
            study_id=study_id,
            member=rater.person_id,
            attempt=last + 1,
        )


def _newest_pass(session: Session, training: Phase, membership_id: int) -> int:
    newest: int | None = ask(session, _NEWEST_PASS, membership_id=membership_id, phase=training.key).scalar_one()
    return newest or 1


_NEWEST_PASS: Any = select(func.max(Assignment.pass_number)).where(
    Assignment.membership_id == bindparam("membership_id"), Assignment.phase == bindparam("phase")
)


def _answers_of_pass(
    session: Session, phases: StudyPhases, training: Phase, membership_id: int, pass_number: int
) -> list[Practised]:
    """Return how each item of a pass was answered; an item that could not be shown counts as wrong."""
    rows = session.exec(
        select(Assignment.item_id, Verdict, TechnicalFailure.id)
        .join(Verdict, col(Verdict.assignment_id) == Assignment.id, isouter=True)
        .join(TechnicalFailure, col(TechnicalFailure.assignment_id) == Assignment.id, isouter=True)
        .where(
            Assignment.membership_id == membership_id,
            Assignment.phase == training.key,
            Assignment.pass_number == pass_number,
        )
        .order_by(col(Assignment.position))
    ).all()
    return [
        "wrong" if verdict is None else practised_answer(session, phases, training, item_id, verdict)
        for item_id, verdict, _ in rows
    ]
