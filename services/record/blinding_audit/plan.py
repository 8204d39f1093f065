"""Which assignments an audit searches, and in which order: all, or a random draw that includes each kind of screen."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from db import Assignment, Item, Membership
from db.standing import STILL_MEMBER
from protocol.study_phases import StudyPhases
from services.record.blinding_audit.hidden import Cut

# Above LIMIT assignments, DRAWN of them are drawn.
LIMIT = 20_000
DRAWN = 5_000


@dataclass(frozen=True)
class Planned:
    """An assignment with its position in its queue.

    Attributes
    ----------
    screen
        Phase, role and form: at least one screen of each combination is searched, however few are drawn.
    waiting
        Its id, and those of the member's next two in the same queue.
    progress
        How many come before it, and how many there are.
    """

    screen: tuple[str, str, str]
    membership_id: int
    item_id: int
    candidate_id: int | None
    waiting: tuple[int, ...]
    progress: tuple[int, int]

    @property
    def assignment_id(self) -> int:
        """The assignment's own id."""
        return self.waiting[0]


@dataclass(frozen=True)
class Plan:
    """What is searched, and out of how many; `seed` repeats the draw, and is None if everything is searched."""

    planned: tuple[Planned, ...]
    in_the_study: int
    left_out: int
    screens: int
    seed: int | None


def all_assignments(
    session: Session, study_id: int, phases: StudyPhases, cut: Cut
) -> tuple[list[Planned], list[tuple[str, int]]]:
    """Return every assignment that somebody can get, and phase and item of the others, such as of removed members.

    A member who changed groups gets nothing of what was dealt to them in the earlier one.
    """
    query = (
        select_columns(
            col(Assignment.id), col(Assignment.membership_id), col(Assignment.phase), col(Assignment.item_id),
            col(Assignment.candidate_id), col(Item.form), col(Membership.role), col(Membership.group_key),
            col(Assignment.pass_number),
        )
        .join(Item, col(Item.id) == Assignment.item_id)
        .join(Membership, col(Membership.id) == Assignment.membership_id)
        .where(col(Assignment.study_id) == study_id, col(Assignment.id) <= cut.assignment, *STILL_MEMBER)
        .order_by(
            col(Assignment.membership_id), col(Assignment.pass_number), col(Assignment.position), col(Assignment.step)
        )
    )  # fmt: skip
    by_key = {phase.key: phase for phase in phases.phases}
    queues: dict[tuple[object, ...], list[tuple[int, int, str, str, int, int | None]]] = defaultdict(list)
    rows: Any = session.connection().execute(query)
    for row_id, member, phase, item, candidate, form, role, group, number in rows:
        named = by_key.get(phase)
        if named is None or (named.groups and len(phases.groups) > 1 and group not in named.groups):
            continue
        form_key = form if named.kind == "items" and phases.rules_of(named).fields is None else ""
        row = (row_id, item, f"{phase} {role} {form_key}", role, member, candidate)
        queues[member, named.queue.key, named.trains, number].append(row)
    planned = [planned for rows in queues.values() for planned in _of_queue(rows)]
    everything = select_columns(col(Assignment.id), col(Assignment.phase), col(Assignment.item_id)).where(
        col(Assignment.study_id) == study_id, col(Assignment.id) <= cut.assignment
    )
    of_somebody = {row[0] for rows in queues.values() for row in rows}
    every: Any = session.connection().execute(everything)
    return planned, [(phase, item) for row_id, phase, item in every if row_id not in of_somebody]


def _of_queue(rows: list[tuple[int, int, str, str, int, int | None]]) -> Iterable[Planned]:
    for place, (_, item, screen, _, member, candidate) in enumerate(rows):
        phase, role, form = screen.split(" ")
        yield Planned(
            screen=(phase, role, form),
            membership_id=member,
            item_id=item,
            candidate_id=candidate,
            waiting=tuple(row[0] for row in rows[place : place + 3]),
            progress=(place, len(rows)),
        )


def plan_of(planned: list[Planned], left_out: int, seed: int, limit: int = LIMIT, drawn: int = DRAWN) -> Plan:
    """Return what to search: all up to `limit` assignments, else `drawn` of them and one of each kind of screen."""
    screens: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for place, assignment in enumerate(planned):
        screens[assignment.screen].append(place)
    if len(planned) <= limit:
        return Plan(tuple(planned), len(planned), left_out, len(screens), None)
    rng = random.Random(seed)
    chosen = {rng.choice(places) for _, places in sorted(screens.items())}
    chosen |= set(rng.sample(range(len(planned)), min(drawn, len(planned))))
    return Plan(tuple(planned[place] for place in sorted(chosen)), len(planned), left_out, len(screens), seed)
