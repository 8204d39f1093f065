"""The progress of a study's members, without what they answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, bindparam, func
from sqlmodel import Session, col, select

from db import (
    Assignment,
    Database,
    Draft,
    Membership,
    Person,
    TechnicalFailure,
    Verdict,
    queries,
)
from db.base import stored_id
from db.standing import STILL_MEMBER
from protocol.phases import Phase, Queue
from protocol.study_phases import StudyPhases
from services.people.identity import Actor
from services.people.permission import require_role
from services.reading import desk, practice
from services.studies import frozen_facts, groups


@dataclass(frozen=True)
class MemberProgress:
    """A member's progress: counts and times, but no answer to a real item."""

    pseudonym: str
    name: str
    role: str
    queue: Queue
    done: int
    total: int
    technical_failures: int
    last_saved: datetime | None
    # Empty if the study has no practice.
    practice: str = ""
    # Title of their group; empty if the study has no groups to distinguish.
    group: str = ""
    # How many of the items have a verdict that was revised.
    revised: int = 0
    # Whether the sealed items of test subjects are left out of these counts.
    is_without_test: bool = False

    @property
    def count_in_words(self) -> str:
        """How many items are done: of development subjects only, if items depend on answers and test is sealed."""
        said = f"{self.done} of {self.total}" if self.total else "–"
        return f"{said} in development; those of test are sealed" if self.is_without_test else said


def progress_of_members(database: Database, actor: Actor, study_key: str) -> list[MemberProgress]:
    """Return, for admins, the progress of every rater and reviewer."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        titles = groups.titles_of(frozen_facts.phases_of(session, stored_id(study.id)))
        rows = session.exec(
            select(Membership, Person)
            .join(Person)
            .where(Membership.study_id == study.id, Membership.role != "admin", *STILL_MEMBER)
            .order_by(col(Membership.id))
        ).all()
        lines = []
        following = frozen_facts.phases_of(session, stored_id(study.id)).chosen_by_answers
        sealed_items = queries.sealed_items(session, stored_id(study.id)) if following else frozenset()
        on_test = queries.count_sealed_by_member(session, stored_id(study.id), following)
        for membership, person in rows:
            phases = frozen_facts.phases_of_member(session, membership)
            for queue in (queue for queue in phases.queues if queue.role == membership.role):
                done, total = desk.progress_of(session, phases, stored_id(membership.id), queue)
                done -= desk.count_cut_off(session, phases, stored_id(membership.id), queue)
                is_without_test = bool(sealed_items) and phases.is_chosen_by_answers(queue)
                of_queue = _in(phases, queue, sealed_items if is_without_test else frozenset())
                failures, last_saved = _failures_and_last_save(session, stored_id(membership.id), of_queue)
                if is_without_test and total:
                    sealed = on_test.get((stored_id(membership.id), phases.in_queue(queue)[-1].key), queries.NO_WORK)
                    done, total = done - sealed.ended, total - sealed.total
                waits = phases.listed and phases.follows_from_answers(queue)
                if total or is_without_test or waits or not phases.before(queue):
                    lines.append(
                        MemberProgress(
                            membership.pseudonym,
                            person.name,
                            membership.role,
                            queue,
                            done,
                            total,
                            failures,
                            last_saved,
                            _practice(session, phases.training_for(queue), stored_id(membership.id)),
                            titles.get(membership.group_key, ""),
                            _revised(session, stored_id(membership.id), of_queue),
                            is_without_test,
                        )
                    )
        return lines


def _practice(session: Session, training: Phase | None, membership_id: int) -> str:
    """Return the outcome of a rater's practice in a few words."""
    if training is None:
        return ""
    results = practice.results_of(session, membership_id)
    state = practice.state_of_practice(session, training, membership_id)
    if not results:
        return "not finished yet"
    last = results[-1]
    score = f"{last.correct} of {last.judged} correct" if last.judged else "nothing was scored"
    score += f" in attempt {last.pass_number}"
    return f"{'passed' if state == 'passed' else 'not passed'}: {score}" + (
        ", no attempt left" if state == "failed" else ""
    )


def _revised(session: Session, membership_id: int, of_queue: Any) -> int:
    return session.exec(
        select(func.count(func.distinct(col(Verdict.assignment_id))))
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .where(
            Assignment.membership_id == membership_id,
            of_queue,
            col(Verdict.supersedes_id).is_not(None),
        )
    ).one()


def _failures_and_last_save(session: Session, membership_id: int, of_queue: Any) -> tuple[int, datetime | None]:
    chosen = select(Assignment.id).where(Assignment.membership_id == membership_id, of_queue)
    failures = session.exec(
        select(func.count()).select_from(TechnicalFailure).where(col(TechnicalFailure.assignment_id).in_(chosen))
    ).one()
    verdict = session.exec(
        select(Verdict.submitted_at)
        .where(col(Verdict.assignment_id).in_(chosen))
        .order_by(col(Verdict.submitted_at).desc())
    ).first()
    draft = session.exec(
        select(Draft.saved_at).where(col(Draft.assignment_id).in_(chosen)).order_by(col(Draft.saved_at).desc())
    ).first()
    moments = [moment for moment in (verdict, draft) if moment is not None]
    return failures, max(moments, default=None)


def _in(phases: StudyPhases, queue: Queue, without: frozenset[int]) -> Any:
    """Return the condition that an assignment is in a queue, and not on certain items.

    A count or a time that changes with each answer on a sealed item, when the queue's other counts do not, would count
    these answers.
    """
    # As literals, as a statement takes fewer parameters than a study has items.
    items: Any = bindparam("without", sorted(without), expanding=True, literal_execute=True)
    return and_(
        col(Assignment.phase).in_([phase.key for phase in phases.in_queue(queue)]),
        *([col(Assignment.item_id).not_in(items)] if without else []),
    )
