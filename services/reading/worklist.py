"""The work that waits for a rater or reviewer: each of their queues, with its progress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from sqlmodel import Session, col, select

from db import Database, Membership, Study, queries
from db.base import stored_id
from db.standing import REMAINS
from protocol.phases import Phase, Queue
from protocol.study_phases import StudyPhases
from services.people.identity import Actor
from services.people.permission import state_of, studies_of
from services.reading import desk, pace, practice, revision_rules, settling
from services.studies import frozen_facts

_NOTHING_CAME = "Nothing was assigned to you in this part."


@dataclass(frozen=True)
class Desk:
    """One of a member's queues, as their worklist shows it."""

    study_key: str
    study_title: str
    queue: Queue
    state: str
    # Why the queue is not open yet; empty if it is.
    waits_for: str
    simulated_readers: bool
    # Whether it stays closed to the member, as they did not pass the practice before it.
    is_shut: bool
    # Whether the practice has a pass mark; without one it ends with its last item.
    has_mark: bool
    # The sentence shown when the queue holds nothing for the member.
    nothing: str
    # How much is withheld while a queue waits that a version may have added to: it then counts nothing.
    done: int = 0
    total: int = 0
    # `open` or `failed` while the practice keeps the real items closed; `done` and `total` then count practice items.
    practice: str = ""
    # Roughly how long the rest takes at the member's own pace, in words.
    about: str = ""
    # How many of the member's own verdicts may still be revised once every item of the queue is closed.
    revisable: int = 0
    # How many units have been answered and will come back once, for their second step.
    halfway: int = 0
    # How many of `done` were never answered because an admin closed the part first.
    cut_off: int = 0

    @property
    def can_be_entered(self) -> bool:
        """Whether there is something to do in it now."""
        return self.state == "open" and not self.waits_for and self.done < self.total and self.practice != "failed"

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be asked in it: its study is closed, or all of it is done."""
        return self.state == "closed" or self.practice == "failed" or 0 < self.total == self.done


def desks_of(database: Database, actor: Actor) -> list[Desk]:
    """Return every queue that the actor has as a rater or reviewer, with its progress; studies with open work first.

    Draws that are due, but could not be made when the last answer came in, are made now.
    """
    desks, due = _desks_of(database, actor)
    for study_id in due:
        settling.settle_behind(database, study_id)
    return _desks_of(database, actor)[0] if due else desks


def desks_as_they_are(database: Database, actor: Actor) -> list[Desk]:
    """Return the same queues from a database that may only be read: nothing is drawn."""
    return _desks_of(database, actor)[0]


def has_left_all_studies(database: Database, actor: Actor) -> bool:
    """Return whether the actor was removed from a study and is in none any more."""
    with database.read_only() as session:
        own = session.exec(
            select(Membership.removed_at)
            .join(Study, col(Study.id) == Membership.study_id)
            .where(Membership.person_id == actor.person_id, *REMAINS)
        ).all()
        return bool(own) and None not in own


def _desks_of(database: Database, actor: Actor) -> tuple[list[Desk], list[int]]:
    """Return the desks, and the studies in which a draw of units is due."""
    desks: list[Desk] = []
    due: list[int] = []
    with database.read_only() as session:
        for study, membership in studies_of(session, actor):
            due += [stored_id(study.id)] if settling.is_due(session, stored_id(study.id)) else []
            desks += _desks_in(session, actor, study, membership)
    return _open_work_first(desks), due


def _desks_in(session: Session, actor: Actor, study: Study, membership: Membership) -> Iterator[Desk]:
    """Yield a member's queues in one study, in order, without those in which nothing was or can be dealt to them."""
    state = state_of(session, stored_id(study.id))
    phases, membership_id = frozen_facts.phases_of_member(session, membership), stored_id(membership.id)
    closed = _closed_by_practice(session, phases, membership_id)
    for queue in (queue for queue in phases.queues if queue.role == membership.role):
        comes_later = bool(phases.before(queue) or phases.waits_for_everyone(queue))
        training = phases.training_for(queue) if phases.listed else phases.training
        practising = _practice(session, training, membership_id) if queue.role == "rater" else ""
        if comes_later and practising and not phases.listed:
            continue
        waits_for = _waits_for(session, phases, membership_id, queue, closed)
        bare = Desk(
            study.key,
            study.title,
            queue,
            state=state,
            waits_for=waits_for,
            is_shut=bool(waits_for) and queue in closed,
            simulated_readers=study.simulated_readers,
            has_mark=_has_mark(phases, training),
            nothing=waits_for or (_NOTHING_CAME if phases.follows_from_answers(queue) else queue.empty),
        )
        if waits_for and not practising and _can_have_more(session, study, queue, phases):
            yield bare
            continue
        counted = _counted(session, actor, phases, membership, bare, practising)
        if not comes_later or counted.total or phases.follows_from_answers(queue):
            yield counted


def _waits_for(session: Session, phases: StudyPhases, membership_id: int, queue: Queue, closed: Set[Queue]) -> str:
    """Return why a queue is not open to a member yet, or never will be; empty if it is open."""
    if desk.is_work_before_done(session, phases, membership_id, queue):
        return ""
    if queue in closed:
        return f"“{queue.title}” stays closed for you, as the practice was not passed."
    return phases.opens_later(queue)


def _counted(
    session: Session, actor: Actor, phases: StudyPhases, membership: Membership, bare: Desk, practising: str
) -> Desk:
    """Return a desk with what its member has done in it and what is left."""
    queue, membership_id = bare.queue, stored_id(membership.id)
    done, total = desk.shown_progress_of(session, phases, membership_id, queue)
    is_all_done = 0 < total == done
    goes_on = bare.state == "open" and done < total and not practising
    is_revisable = is_all_done and not practising and phases.is_revisable(queue)
    return replace(
        bare,
        done=done,
        total=total,
        practice=practising if total and phases.training_for(queue) is not None else "",
        about=pace.about_how_long(session, phases, membership_id, queue, total - done) if goes_on else "",
        revisable=revision_rules.count_revisable(session, actor, phases, membership, queue) if is_revisable else 0,
        halfway=desk.count_halfway(session, phases, membership_id, queue),
        cut_off=desk.count_cut_off(session, phases, membership_id, queue) if is_all_done else 0,
    )


def _can_have_more(session: Session, study: Study, queue: Queue, phases: StudyPhases) -> bool:
    """Return whether a version may have added to a queue.

    Whether the queue's number of units grew would reveal how its phase selects what is new and may be read blind first.
    """
    study_id, within = stored_id(study.id), phases.in_queue(queue)
    closed = queries.phases_closed(session, study_id)
    can_grow = closed.isdisjoint(each.key for each in within) and not any(each.trains for each in within)
    return can_grow and queries.has_versions(session, study_id)


def _open_work_first(desks: Sequence[Desk]) -> list[Desk]:
    """Return studies with something to do now, then those that wait, then those that are over; each keeps its order."""
    own: dict[str, list[Desk]] = {}
    for each in desks:
        own.setdefault(each.study_key, []).append(each)

    def standing(of_study: Sequence[Desk]) -> int:
        if any(each.can_be_entered for each in of_study):
            return 0
        return 2 if all(each.is_over for each in of_study) else 1

    return [each for of_study in sorted(own.values(), key=standing) for each in of_study]


def _closed_by_practice(session: Session, phases: StudyPhases, membership_id: int) -> frozenset[Queue]:
    """Return the queues of listed phases behind a practice at which a member has no attempts left."""
    trainings = phases.trainings if phases.listed else ()
    failed = [each for each in trainings if _practice(session, each, membership_id) == "failed"]
    return frozenset(queue for each in failed for queue in desk.closed_by_failing(session, phases, each, membership_id))


def _practice(session: Session, training: Phase | None, membership_id: int) -> str:
    if training is None:
        return ""
    state = practice.state_of_practice(session, training, membership_id)
    return "" if state == "passed" else state


def _has_mark(phases: StudyPhases, training: Phase | None) -> bool:
    rule = None if training is None else phases.rules_of(training).practice
    return rule is not None and rule.pass_mark > 0
