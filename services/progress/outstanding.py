"""A study's open work by person and part: what its admin should know before the data are locked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlmodel import Session, col, select

from db import Assignment, Database, JudgeRun, Membership, Person, queries
from db.base import stored_id
from protocol.phases import OPINIONS, PRACTICE, READING, REVIEW, SCORING, Phase
from protocol.study_phases import StudyPhases
from services.adjudication import review_queue
from services.people.identity import Actor
from services.people.permission import require_role
from services.reading import practice
from services.studies import frozen_facts, groups

# In the order of a study's life; the words follow "3 of 20".
WORDS = {
    READING.key: READING.left,
    PRACTICE.key: f"{READING.left}, because the practice has not been passed",
    SCORING.key: SCORING.left,
    "queue": "items read are flagged or disagree, and are not with a reviewer",
    REVIEW.key: REVIEW.left,
    OPINIONS.key: OPINIONS.left,
    "judge": "candidates not judged",
    "judge of pairs": "pairs not judged",
    "failures": "items could not be shown",
}
NO_REVIEWER = "No reviewer"
# What could not be shown is closed: nothing more can be done about it.
CLOSED = "failures"


@dataclass(frozen=True)
class OpenWork:
    """A piece of open work: whose it is, in which part of the study, and how much.

    The part is a key of `WORDS` or, for a listed phase, the key of its queue.
    """

    who: str
    part: str
    open: int
    total: int
    # The person's name as admins know it, if `who` is a pseudonym.
    name: str = ""
    # What is left, in words, for a listed phase.
    left: str = ""
    # Whether sealed items of test subjects are left out of the counts, and whether any of those items is open.
    is_without_test: bool = False
    is_open_on_test: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it can still be done."""
        return self.part != CLOSED

    @property
    def sentence(self) -> str:
        """The work as a sentence."""
        return f"{self.who}: {self.how_much}"

    @property
    def how_much(self) -> str:
        """How much is open, in words. For sealed test subjects this only says whether anything is open."""
        said = f"{self.open} of {self.total} {self.words}"
        if not self.is_without_test:
            return said
        return f"{said} in development{', and some of test, which are sealed' if self.is_open_on_test else ''}"

    @property
    def words(self) -> str:
        """The words for what is left, following "3 of 20"."""
        return self.left or WORDS[self.part]


def in_order(work: Sequence[OpenWork]) -> list[OpenWork]:
    """Return open work in the order of a study's life, with each item counted once and finished work left out."""
    parts = list(WORDS)
    # An item that has not been read cannot be decided either. It is counted once, as not read.
    not_read = {piece.who: piece.open for piece in work if piece.part == REVIEW.key}
    work = [
        replace(piece, open=max(0, piece.open - not_read.get(piece.who, 0))) if piece.part == OPINIONS.key else piece
        for piece in work
    ]
    # Listed phases come first, in their own order, before anything that depends on their answers.
    return sorted(
        (piece for piece in work if piece.open or piece.is_open_on_test),
        key=lambda piece: -1 if piece.left else parts.index(piece.part),
    )


def open_work_of(database: Database, actor: Actor, study_key: str) -> list[OpenWork]:
    """Return a study's open work, for its admins. It contains counts and no answers."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        return open_work(session, stored_id(study.id))


def is_anything_assigned(database: Database, actor: Actor, study_key: str) -> bool:
    """Return, for admins, whether anybody has work in a study, done or not."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        return session.exec(select(Assignment.id).where(Assignment.study_id == study.id).limit(1)).first() is not None


def open_work(session: Session, study_id: int) -> list[OpenWork]:
    """Return a study's open work, in a number of queries that does not depend on the number of people."""
    phases = frozen_facts.phases_of(session, study_id)
    return in_order(
        [
            *_of_people(session, study_id, phases),
            *_of_empty_slots(session, study_id, phases),
            *_not_drawn(session, study_id, phases),
            *_not_sent(session, study_id, phases),
            *_of_judges(session, study_id),
        ]
    )


def _of_people(session: Session, study_id: int, phases: StudyPhases) -> list[OpenWork]:
    people = {
        stored_id(member.id): (member.pseudonym, name)
        for member, name in session.exec(
            select(Membership, Person.name)
            .join(Person)
            .where(Membership.study_id == study_id)
            .order_by(col(Membership.id))
        )
    }
    shut_out = practice.who_has_not_passed(session, phases, study_id)
    work = []
    counts = queries.count_by_member(session, study_id)
    without_test = _without_test(session, study_id, phases)
    on_test = queries.count_sealed_by_member(session, study_id, without_test)
    for member_id in people:
        for phase in phases.counted:
            sealed = on_test.get((member_id, phase.key), queries.NO_WORK)
            count = counts.get((member_id, phase.key), queries.NO_WORK) - sealed
            who, name = people[member_id]
            is_shut = member_id in shut_out and phases.training_for(phase.queue) is not None
            part = PRACTICE.key if is_shut else phase.queue.key if phase.listed else phase.key
            left = phase.left if phase.listed else ""
            work += [
                OpenWork(who, part, count.open, count.total, name, left, phase in without_test, sealed.open > 0),
                OpenWork(who, CLOSED, count.failures, count.total, name, is_without_test=phase in without_test),
            ]
    return work


def _without_test(session: Session, study_id: int, phases: StudyPhases) -> tuple[Phase, ...]:
    """Return the phases whose counts leave out sealed items: how many units follow from answers reveals agreement."""
    chosen = phases.chosen_by_answers
    return chosen if chosen and queries.sealed_items(session, study_id) else ()


def _of_empty_slots(session: Session, study_id: int, phases: StudyPhases) -> list[OpenWork]:
    """Return the work dealt to slots that nobody fills, which is open all the same."""
    titles = {group.key: group.title for group in phases.groups}
    closed = queries.phases_closed(session, study_id) if phases.listed else frozenset()
    without_test = {phase.key for phase in _without_test(session, study_id, phases)}
    sealed = queries.sealed_items(session, study_id) if without_test else frozenset()
    of_development = groups.unfilled(session, study_id, but=sealed) if sealed else {}
    work = []
    for place, units in groups.unfilled(session, study_id).items():
        phase, group, number = place
        counted = of_development.get(place, 0) if phase in without_test else units
        piece = OpenWork(
            f"Slot {number} of {titles[group]}",
            phases.named(phase).queue.key,
            counted,
            counted,
            left=f"{phases.named(phase).left}: nobody fills the slot",
            is_without_test=phase in without_test,
            is_open_on_test=counted < units,
        )
        work += [piece] if phase not in closed else []
    return work


def _not_drawn(session: Session, study_id: int, phases: StudyPhases) -> list[OpenWork]:
    """Return the phases whose units follow from answers still to come, so that none of their work is counted yet."""
    closed = queries.phases_closed(session, study_id) if phases.following else frozenset()
    return [
        OpenWork(
            phase.heading, phase.queue.key, 1, 1, left="phase without units yet: they depend on answers still to come"
        )
        for phase in phases.following
        if not set(phase.follows) <= closed
    ]


def _not_sent(session: Session, study_id: int, phases: StudyPhases) -> list[OpenWork]:
    adjudication = phases.adjudication
    if adjudication is None:
        return []
    return [OpenWork(NO_REVIEWER, "queue", *review_queue.count_not_sent(session, study_id, phases, adjudication))]


def _of_judges(session: Session, study_id: int) -> list[OpenWork]:
    lines = queries.lines_of_runs(session, study_id)
    runs = session.exec(select(JudgeRun.id, JudgeRun.name).where(JudgeRun.study_id == study_id)).all()
    work = []
    for number, name in sorted(runs, key=lambda run: stored_id(run[0])):
        of_run = lines[stored_id(number)]
        part = "judge of pairs" if of_run.are_pairs else "judge"
        work.append(OpenWork(f"Judge run “{name}”", part, of_run.missing, of_run.units))
    return work
