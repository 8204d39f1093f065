"""The state of an admin's studies in one line each: how many read, how far they are, and what is pending."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from sqlmodel import col, select

from db import Database, Membership, queries
from db.base import stored_id
from db.standing import STILL_MEMBER
from protocol.study_phases import StudyPhases
from services.people.identity import Actor
from services.people.permission import require_role, state_of
from services.progress import outstanding
from services.studies import frozen_facts, groups


@dataclass(frozen=True)
class Overview:
    """How far a study is. Contains counts and no answers."""

    raters: int
    done: int
    total: int
    waits: tuple[str, ...]


def percent_done(done: int, total: int) -> int:
    """Return the rounded percentage: not 0 once something is done, and not 100 before everything is."""
    percent = math.floor(100 * done / total + 0.5)
    return min(max(percent, 1), 99) if 0 < done < total else percent


def overview_of(database: Database, actor: Actor, study_key: str) -> Overview:
    """Return a study's state, for its admins."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        raters = session.exec(
            select(Membership.id)
            .where(Membership.study_id == study_id, Membership.role == "rater", *STILL_MEMBER)
            .order_by(col(Membership.id))
        ).all()
        state = state_of(session, study_id)
        if state == "draft":
            return Overview(len(raters), 0, 0, ("not frozen yet",))
        phases = frozen_facts.phases_of(session, study_id)
        # A decision and the reviewer's own read before it count as one task.
        last_steps = {
            phase.key for phase in (phases.in_queue(queue)[-1] for queue in phases.queues) if not phase.trains
        }
        counts = {
            place: count
            for place, count in queries.count_by_member(session, study_id).items()
            if place[1] in last_steps
        }
        for place, sealed in queries.count_sealed_by_member(session, study_id, phases.chosen_by_answers).items():
            if place in counts:
                counts[place] -= sealed
        total = sum(count.total for count in counts.values())
        done = total - sum(count.open for count in counts.values())
        if state == "closed":
            return Overview(len(raters), done, total, ("report ready",))
        work = [piece for piece in outstanding.open_work(session, study_id) if piece.is_open]
        empty = (
            tuple(f"nobody in {title}" for title in groups.without_people(session, study_id, phases)) if raters else ()
        )
    return Overview(len(raters), done, total, _waits(work, _not_begun(work, counts, phases), len(raters)) + empty)


def _not_begun(
    work: list[outstanding.OpenWork], counts: dict[tuple[int, str], queries.WorkCount], phases: StudyPhases
) -> int:
    """Count the people who have work and have done nothing yet; in the first language, nothing of the first phase.

    Of somebody with work on sealed subjects alone the counts are 0, which must say no more than no work at all.
    """
    if not phases.listed:
        return sum(piece.open == piece.total for piece in work if piece.part == phases.counted[0].key)
    of_member: dict[int, queries.WorkCount] = defaultdict(queries.WorkCount)
    for (member, _), count in counts.items():
        of_member[member] += count
    return sum(0 < count.open == count.total for count in of_member.values())


def _waits(work: list[outstanding.OpenWork], not_begun: int, raters: int) -> tuple[str, ...]:
    people = len({piece.who for piece in work if piece.name})
    to_send = sum(piece.open for piece in work if piece.part == "queue")
    said = (
        (not raters, "nobody invited to read"),
        (people, f"{people} {'person has' if people == 1 else 'people have'} open work"),
        (not_begun, f"{not_begun} not started"),
        (to_send, f"{to_send} {'item' if to_send == 1 else 'items'} to send to a reviewer"),
    )
    return tuple(text for holds, text in said if holds)
