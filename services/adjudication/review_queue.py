"""The reviewers' queue: which items are in it, why, and in which order the opinions are shown."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from agreement.consensus import are_different
from db import Assignment, Base, Database, Flag, Item, Membership, ReviewTask, Verdict, audit, queries
from db.base import stored_id
from db.standing import STILL_MEMBER
from protocol.forms import PRIMARY
from protocol.study_phases import Adjudication, StudyPhases
from services.errors import Conflict
from services.people import acts
from services.people.acts import require_in_study
from services.people.identity import Actor
from services.people.permission import require_role
from services.reading import practice
from services.reading.correctness import said
from services.seals import proofs
from services.studies import draws, frozen_facts
from services.studies.dealing import assigning


@dataclass(frozen=True)
class QueueSummary:
    """What opening the queue added. Admins see these counts; reviewers see neither counts nor origins.

    `not_yet_read` items wait for a rater, or belong to a conversation that does. `out_of_turn` items were left out:
    they precede a turn of their conversation that every reviewer has already had. While test subjects are sealed
    (`is_without_test`), their items are sent but not counted.
    """

    flagged: int
    disagreed: int
    controls: int
    not_yet_read: int
    out_of_turn: int = 0
    is_without_test: bool = False

    @property
    def in_words(self) -> str:
        """The sentences that an admin reads."""
        if self.flagged + self.disagreed + self.controls:
            controls = "1 control" if self.controls == 1 else f"{self.controls} controls"
            text = f"Sent: {self.flagged} flagged, {self.disagreed} disagreeing, {controls}. "
            text += f"{_waiting(self.not_yet_read)} for a rater."
        else:
            nothing = "Nothing of development subjects" if self.is_without_test else "Nothing"
            text = f"{nothing} was sent: {_waiting(self.not_yet_read)} for a rater."
        if self.out_of_turn:
            text += f" Turns left out because every reviewer has already seen a later one: {self.out_of_turn}."
        if self.is_without_test:
            text += " What was sent of test subjects is sealed, and not counted."
        return text


def _waiting(items: int) -> str:
    return "1 item still waits" if items == 1 else f"{items} items still wait"


# How far conversations are in the reviewers' queues: the latest turn, by conversation and reviewer.
Reached = dict[str, dict[int, int]]


@dataclass(frozen=True)
class _ReadItem:
    """An item that every rater has finished, with the verdicts on it."""

    item: Item
    field_type: str
    verdicts: list[Verdict]
    flagged: bool

    @property
    def differs(self) -> bool:
        return differs(self.field_type, self.verdicts)


def differs(field_type: str, verdicts: Iterable[Verdict]) -> bool:
    """Return whether the verdicts on an item differ."""
    return are_different(
        said(field_type, verdict.fields.get(PRIMARY), not_assessable=verdict.not_assessable is not None)
        for verdict in verdicts
    )


def count_not_sent(session: Session, study_id: int, phases: StudyPhases, adjudication: Adjudication) -> tuple[int, int]:
    """Return how many items differ or are flagged without being with a reviewer, and how many have been read.

    Neither number includes items of sealed test subjects.
    """
    sealed = queries.sealed_items(session, study_id)
    rows = session.exec(
        select(Assignment.item_id, Item.form, Verdict.fields, Verdict.not_assessable)
        .join(Assignment, col(Assignment.id) == Verdict.assignment_id)
        .join(Item, col(Item.id) == Assignment.item_id)
        .where(Assignment.study_id == study_id, Assignment.phase == adjudication.settled.key, queries.stands())
    )
    rules = phases.rules_of(adjudication.settled)
    of_item: dict[int, list[str | None]] = defaultdict(list)
    for item_id, form, fields, not_assessable in rows:
        if item_id in sealed:
            continue
        field_type = rules.primary_of(form).type
        of_item[item_id].append(said(field_type, fields.get(PRIMARY), not_assessable=not_assessable is not None))
    to_review = {item_id for item_id, answers in of_item.items() if are_different(answers)}
    to_review |= _flagged(session, study_id, adjudication) - sealed
    return len(to_review - _in_queue(session, study_id, adjudication)), len(of_item)


def open_review_queue(database: Database, actor: Actor, study_key: str) -> QueueSummary:
    """Put every flagged and every disagreeing item, and some controls, into the reviewers' queue.

    Items that a rater still has to finish are left out, together with the other turns of their conversation; opening
    the queue again adds those finished since. The items are divided among the reviewers, each item and conversation
    going to one of them.

    Raises
    ------
    Conflict
        The study takes no verdicts, has no rules for adjudication, or has no reviewer yet.
    """
    with database.writing() as session:
        # Two admins who press the button at the same time must not both choose the same items.
        study, _ = require_role(session, actor, study_key, "admin", lock=True)
        study_id = stored_id(study.id)
        phases = frozen_facts.phases_of(session, study_id)
        adjudication = phases.adjudication
        if adjudication is None:
            raise Conflict("This study's protocol has no adjudication, so there is no queue to open.")
        require_in_study(session, acts.OPEN_QUEUE, study)
        reviewers = list(
            session.exec(
                select(Membership)
                .where(
                    Membership.study_id == study_id,
                    Membership.role == "reviewer",
                    *STILL_MEMBER,
                )
                .order_by(col(Membership.id))
            )
        )
        if not reviewers:
            raise Conflict("This study has no reviewer yet; invite one first.")
        reached = _conversations_in_queue(session, study_id, adjudication)
        waiting, not_yet_read = _items_to_consider(session, study_id, phases, adjudication)
        key, occasion = draws.key_of(session, study_id, phases.seed), _tasks(session, study_id, adjudication)
        rng = key.rng("review", occasion)
        left = adjudication.controls - _controls(session, study_id)
        # If later additions never contained a control, reviewers would know that all of them are contested.
        wanted = max(left, 1) if adjudication.controls and occasion else left
        chosen, agreed = _choose(waiting, wanted, reached, rng)
        drawn = _noted(chosen, agreed)
        rng.shuffle(chosen)
        origins, counted = [], []
        sealed = queries.sealed_items(session, study_id)
        rows: list[Base] = []
        rules = phases.rules_of(adjudication.own_read)
        for reviewer, turns in _dealt(_in_turn(chosen), reviewers, reached):
            for read, origin in turns:
                order = assigning.option_order(read.item, rules, rng)
                opinions = [stored_id(verdict.id) for verdict in read.verdicts]
                key.rng("opinions", occasion, read.item.key).shuffle(opinions)
                rows += _add_task(session, adjudication, reviewer, read, origin, opinions, order)
                origins.append(origin)
                counted += [] if read.item.id in sealed else [origin]
        summary = QueueSummary(
            flagged=counted.count("flag"),
            disagreed=counted.count("disagreement"),
            controls=counted.count("control"),
            not_yet_read=not_yet_read,
            out_of_turn=sum(read.item.id not in sealed for read, _ in chosen) - len(counted),
            is_without_test=bool(sealed),
        )
        draws.note(session, study_id, key, "review", occasion, **drawn, rows=proofs.sealed(rows))
        audit.record(session, "review queue opened", person_id=actor.person_id, study_id=study_id, items=len(origins))
        return summary


def _choose(
    waiting: list[_ReadItem], controls_wanted: int, reached: Reached, rng: random.Random
) -> tuple[list[tuple[_ReadItem, str]], list[_ReadItem]]:
    """Return the items for the queue with their origin (all flagged, all disagreeing, and a draw from the others).

    Also returns the items from which the controls were drawn.
    """
    chosen = [(read, "flag") for read in waiting if read.flagged]
    chosen += [(read, "disagreement") for read in waiting if read.differs and not read.flagged]
    # A single verdict, beside a technical failure, is not an agreement with which a reviewer could be compared.
    agreed = [read for read in waiting if not read.differs and not read.flagged and len(read.verdicts) >= 2]
    # Nor can a turn be a control if other turns of its conversation are already in the queue.
    agreed = [read for read in agreed if read.item.conversation not in reached]
    # Without anything to adjudicate, the queue would consist of controls only.
    wanted = min(max(controls_wanted, 0), len(agreed)) if chosen else 0
    return chosen + [(read, "control") for read in rng.sample(agreed, wanted)], agreed


def _noted(chosen: list[tuple[_ReadItem, str]], agreed: list[_ReadItem]) -> dict[str, Any]:
    """Return the inputs of a draw for the queue, so that it can be repeated."""
    return {
        "for_review": [read.item.key for read, origin in chosen if origin != "control"],
        "agreed": [read.item.key for read in agreed],
        "controls": [read.item.key for read, origin in chosen if origin == "control"],
    }


def _in_turn(chosen: list[tuple[_ReadItem, str]]) -> list[list[tuple[_ReadItem, str]]]:
    """Return groups that one reviewer reads in a row: single items, and a conversation's turns in their order."""
    together: dict[object, list[tuple[_ReadItem, str]]] = {}
    for read, origin in chosen:
        key = read.item.id if read.item.conversation is None else read.item.conversation
        together.setdefault(key, []).append((read, origin))
    return [sorted(turns, key=lambda turn: turn[0].item.turn or 0) for turns in together.values()]


def _dealt(
    groups: Sequence[list[tuple[_ReadItem, str]]], reviewers: Sequence[Membership], reached: Reached
) -> Iterator[tuple[Membership, list[tuple[_ReadItem, str]]]]:
    """Deal the groups to the reviewers in rotation; nobody gets a turn after a later one of the same conversation."""
    in_turn = itertools.cycle(reviewers)
    for group in groups:
        first = group[0][0].item
        latest = reached.get(first.conversation, {}) if first.conversation is not None else {}
        if not latest:
            yield next(in_turn), group
            continue
        able = [reviewer for reviewer in reviewers if latest.get(stored_id(reviewer.id), 0) < (first.turn or 0)]
        if able:
            # The reviewer who has had the earlier turns continues the conversation.
            yield max(able, key=lambda reviewer: latest.get(stored_id(reviewer.id), 0)), group


def _items_to_consider(
    session: Session, study_id: int, phases: StudyPhases, adjudication: Adjudication
) -> tuple[list[_ReadItem], int]:
    """Return the items that every rater has finished and no reviewer has, and the number that are still open."""
    settled = adjudication.settled
    training = phases.training_for(settled.queue)
    in_queue = _in_queue(session, study_id, adjudication)
    still_open = {
        assignment.item_id
        for membership in session.exec(
            select(Membership).where(Membership.study_id == study_id, Membership.role == "rater", *STILL_MEMBER)
        ).all()
        # A rater who has finally failed the practice will never read the items, so nobody need wait for them.
        if not practice.has_failed(session, training, stored_id(membership.id))
        for assignment in queries.open_assignments(session, stored_id(membership.id), (settled,))
    }
    items = session.exec(select(Item).where(Item.study_id == study_id).order_by(col(Item.id))).all()
    # A conversation goes into the queue as a whole, so that its turns stay together and in order.
    unfinished = {item.conversation for item in items if item.id in still_open} - {None}
    still_open |= {stored_id(item.id) for item in items if item.conversation in unfinished}
    verdicts: dict[int, list[Verdict]] = defaultdict(list)
    for verdict, item_id in queries.standing_verdicts(session, study_id, settled):
        verdicts[item_id].append(verdict)
    flagged = _flagged(session, study_id, adjudication)
    rules = phases.rules_of(settled)
    ready = [
        _ReadItem(item, rules.primary_of(item.form).type, verdicts[stored_id(item.id)], item.id in flagged)
        for item in items
        if item.id not in in_queue and item.id not in still_open and verdicts[stored_id(item.id)]
    ]
    return ready, len(still_open)


def _flagged(session: Session, study_id: int, adjudication: Adjudication) -> set[int]:
    return set(
        session.exec(
            select(Assignment.item_id)
            .join(Verdict, col(Verdict.assignment_id) == Assignment.id)
            .join(Flag, col(Flag.verdict_id) == Verdict.id)
            .where(Assignment.study_id == study_id, Assignment.phase == adjudication.settled.key, queries.stands())
        )
    )


def _in_queue(session: Session, study_id: int, adjudication: Adjudication) -> set[int]:
    """Return the items that a reviewer has. Those of a removed reviewer are dealt again."""
    return set(
        session.exec(
            select(Assignment.item_id)
            .join(Membership, col(Membership.id) == Assignment.membership_id)
            .where(Assignment.study_id == study_id, Assignment.phase == adjudication.own_read.key, *STILL_MEMBER)
        )
    )


def _conversations_in_queue(session: Session, study_id: int, adjudication: Adjudication) -> Reached:
    reached: Reached = defaultdict(dict)
    for conversation, turn, reviewer in session.exec(
        select(Item.conversation, Item.turn, Assignment.membership_id)
        .join(Assignment, col(Assignment.item_id) == Item.id)
        .join(Membership, col(Membership.id) == Assignment.membership_id)
        .where(
            Assignment.study_id == study_id,
            Assignment.phase == adjudication.own_read.key,
            col(Item.conversation).is_not(None),
            *STILL_MEMBER,
        )
    ):
        reached[str(conversation)][reviewer] = max(reached[str(conversation)].get(reviewer, 0), turn or 0)
    return dict(reached)


def _add_task(
    session: Session,
    adjudication: Adjudication,
    reviewer: Membership,
    read: _ReadItem,
    origin: str,
    opinion_order: list[int],
    option_order: list[str],
) -> list[Base]:
    reviewer_id = stored_id(reviewer.id)
    position = (
        1
        + session.exec(
            select(func.count())
            .select_from(Assignment)
            .where(Assignment.membership_id == reviewer_id, Assignment.phase == adjudication.own_read.key)
        ).one()
    )
    review, opinions = (
        Assignment(
            study_id=reviewer.study_id,
            membership_id=reviewer_id,
            item_id=stored_id(read.item.id),
            phase=phase.key,
            kind=phase.kind,
            step=phase.step,
            position=position,
            option_order=option_order,
        )
        for phase in (adjudication.own_read, adjudication.decision)
    )
    session.add(review)
    session.add(opinions)
    session.flush()
    task = ReviewTask(
        review_assignment_id=stored_id(review.id),
        opinions_assignment_id=stored_id(opinions.id),
        origin=origin,
        opinion_order=opinion_order,
    )
    session.add(task)
    session.flush()
    return [review, opinions, task]


def _tasks(session: Session, study_id: int, adjudication: Adjudication) -> int:
    return session.exec(
        select(func.count())
        .select_from(Assignment)
        .where(Assignment.study_id == study_id, Assignment.phase == adjudication.own_read.key)
    ).one()


def _controls(session: Session, study_id: int) -> int:
    return session.exec(
        select(func.count())
        .select_from(ReviewTask)
        .join(Assignment, col(Assignment.id) == ReviewTask.review_assignment_id)
        .join(Membership, col(Membership.id) == Assignment.membership_id)
        .where(Assignment.study_id == study_id, ReviewTask.origin == "control", *STILL_MEMBER)
    ).one()
