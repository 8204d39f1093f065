"""The groups of a study that lists its phases: who is in which group, and which of its slots they fill.

A slot is one person's share of what a group rates. A freeze draws for slots, not for people: a person who joins later
fills the first free slot. If there is none, they get nothing in phases that are dealt by slot.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from db import Database, Freeze, FreezeItem, Membership, Study, queries
from db.base import stored_id
from db.standing import STANDS, STILL_MEMBER
from protocol.phases import Phase
from protocol.study_phases import Group, StudyPhases
from services.errors import Conflict
from services.people.identity import Actor
from services.people.permission import require_role
from services.studies import frozen_facts

# The numbers of the slots of each group, by its key.
Slots = dict[str, tuple[int, ...]]


def name_of_slot(group: str, number: int) -> str:
    """Return the name of a slot in the manifest and in files."""
    return f"{group}/{number}"


def group_of_slot(name: str) -> str:
    """Return the key of the group of a slot, from its name."""
    return name.rpartition("/")[0]


def groups_to_choose(database: Database, actor: Actor, study_key: str) -> tuple[Group, ...]:
    """Return, for admins, the groups that a rater can be put in; empty if there is nothing to choose."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        groups = frozen_facts.phases_of(session, stored_id(study.id)).groups
    return groups if len(groups) > 1 else ()


def titles_of(phases: StudyPhases) -> dict[str, str]:
    """Return the titles of a study's groups by key; empty if there are no groups to tell apart."""
    return {group.key: group.title for group in phases.groups} if len(phases.groups) > 1 else {}


def group_named(phases: StudyPhases, role: str, named: str) -> str:
    """Return the key of the group that somebody joins; empty if their role or study has none.

    Parameters
    ----------
    named
        Key or title of the group as it was typed; empty if none was given.

    Raises
    ------
    Conflict
        There is no such group, none was named although there are several, or the role has no groups.
    """
    wanted = named.strip().casefold()
    groups = phases.groups if role == "rater" else ()
    if not groups:
        if wanted:
            whose = "only raters are in one" if phases.groups else "the protocol of this study has none"
            raise Conflict(f"'{named[:40]}' is not a group of this study: {whose}; leave the group out.")
        return ""
    if not wanted and len(groups) == 1:
        return groups[0].key
    chosen = next((group.key for group in groups if wanted in (group.key.casefold(), group.title.casefold())), None)
    if chosen is None:
        names = [group.title if group.title == group.key else f"{group.title} ({group.key})" for group in groups]
        said = f"'{named[:40]}' is not a group of this study" if wanted else "A rater of this study is in one group"
        raise Conflict(f"{said}; name one of {', '.join(names)}.")
    return chosen


def slot_for(
    session: Session, study_id: int, group: str, before: int | None = None, *, saw_items: bool = False
) -> int | None:
    """Return the slot that the next person in a group fills: the first free one, those with dealt units first.

    Parameters
    ----------
    before
        The slot that they filled earlier in this group; they get it back if it is still free.
    saw_items
        Whether they have already seen items; if so, they never get what was dealt to others.
    """
    if not group:
        return None
    taken, dealt = slots_taken(session, study_id).get(group, ()), _dealt(session, study_id, group)
    if before in dealt and before not in taken:
        return before
    undealt = (number for number in count(1) if number not in dealt)
    return next(number for number in (undealt if saw_items else chain(dealt, count(1))) if number not in taken)


def was_filled_anew(session: Session, member: Membership) -> bool:
    """Return whether somebody else now fills a removed member's slot and has what was dealt to it."""
    dealt = _dealt(session, member.study_id, member.group_key)
    return member.slot in dealt and is_slot_of_another(session, member)


def is_slot_of_another(session: Session, member: Membership) -> bool:
    """Return whether another member is in the slot of this one."""
    of_group = (
        Membership.study_id == member.study_id,
        Membership.group_key == member.group_key,
        Membership.slot == member.slot,
        Membership.id != member.id,
        *STILL_MEMBER,
    )
    return member.slot is not None and session.exec(select(Membership.id).where(*of_group)).first() is not None


def slots_taken(session: Session, study_id: int) -> Slots:
    """Return the slots filled by members who are still in the study."""
    taken: dict[str, list[int]] = defaultdict(list)
    for group, number in session.exec(_TAKEN, params={"study_id": study_id}):
        if number is not None:
            taken[group].append(number)
    return {group: tuple(numbers) for group, numbers in taken.items()}


_TAKEN: Any = (
    select(Membership.group_key, Membership.slot)
    .where(Membership.study_id == bindparam("study_id"), Membership.role == "rater", *STILL_MEMBER)
    .order_by(col(Membership.slot))
)


def hold_raters(session: Session, study_id: int) -> list[Membership]:
    """Lock a study's members, then the study, against anybody submitting or joining; return its raters.

    Members are locked before the study, in the same order as when a rater revises.
    """
    raters = (
        select(Membership)
        .where(Membership.study_id == study_id, Membership.role == "rater", *STILL_MEMBER)
        .order_by(col(Membership.id))
    )
    if session.get_bind().dialect.name == "postgresql":
        session.exec(raters.with_for_update(of=Membership, key_share=True)).all()
        session.exec(select(Study.id).where(Study.id == study_id).with_for_update(key_share=True)).one()
    # Asked again, because somebody may have joined while this waited.
    return list(session.exec(raters))


def slots_of(session: Session, study_id: int, phases: StudyPhases) -> Slots:
    """Return the slots for which a freeze draws: those that are filled, and further ones up to the planned people."""
    taken = slots_taken(session, study_id)
    slots = {}
    for group in phases.groups:
        numbers = list(taken.get(group.key, ()))
        more = (number for number in count(1) if number not in taken.get(group.key, ()))
        while len(numbers) < (group.people or 0):
            numbers.append(next(more))
        slots[group.key] = tuple(sorted(numbers))
    return slots


def slots_with_units(session: Session, study_id: int, phases: StudyPhases) -> Slots:
    """Return the slots for which phases that follow from answers are drawn: `slots_of`, plus all slots with units."""
    there = slots_of(session, study_id, phases)
    return {group: tuple(sorted({*numbers, *_dealt(session, study_id, group)})) for group, numbers in there.items()}


def _dealt(session: Session, study_id: int, group: str) -> list[int]:
    """Return the numbers of a group's slots to which a freeze has dealt something."""
    return sorted({number for _, dealt_to, number in _units_by_slot(session, study_id) if dealt_to == group})


def unfilled(session: Session, study_id: int, *, but: Collection[int] = ()) -> dict[tuple[str, str, int], int]:
    """Return how many units were dealt to slots that nobody fills, by phase, group and slot number.

    Units of the items in `but` are left out.
    """
    taken = slots_taken(session, study_id)
    units = _units_by_slot(session, study_id, but)
    return {place: number for place, number in units.items() if place[2] not in taken.get(place[1], ())}


def lacks_people(session: Session, study_id: int, phases: Sequence[Phase]) -> bool:
    """Return whether some units of these phases have nobody to rate them yet: planned people or unfilled slots."""
    taken = slots_taken(session, study_id)
    planned = {group.key: group.people or 1 for group in frozen_facts.phases_of(session, study_id).groups}
    keys = {phase.key for phase in phases}
    return any(len(taken.get(group, ())) < planned[group] for phase in phases for group in phase.groups) or any(
        phase in keys for phase, _, _ in unfilled(session, study_id)
    )


def _units_by_slot(session: Session, study_id: int, but: Collection[int] = ()) -> Counter[tuple[str, str, int]]:
    """Count the units that were dealt, by phase, group and slot number, without those of the items in `but`."""
    rows = session.exec(_SLOTS_OF_UNITS, params={"study_id": study_id})
    places = ((phase, *name.rpartition("/")[::2]) for phase, slots, item in rows if item not in but for name in slots)
    return Counter((phase, group, int(number)) for phase, group, number in places)


_SLOTS_OF_UNITS: Any = (
    select(FreezeItem.phase, FreezeItem.slots, FreezeItem.item_id)
    .join(Freeze, col(Freeze.id) == FreezeItem.freeze_id)
    .where(Freeze.study_id == bindparam("study_id"), *STANDS, FreezeItem.phase != "", ~queries.is_withdrawn(FreezeItem))
)


def without_people(session: Session, study_id: int, phases: StudyPhases) -> dict[str, list[str]]:
    """Return the titles of the phases that wait for people, by the title of the group that nobody is in yet."""
    taken = slots_taken(session, study_id)
    empty = [group for group in phases.groups if len(phases.groups) > 1 and not taken.get(group.key)]
    work = {
        group.title: [phase.heading for phase in phases.of_group(group.key).phases if not phase.continues]
        for group in empty
    }
    return {title: titles for title, titles in work.items() if titles}


def remarks_before_freeze(
    session: Session, study_id: int, phases: StudyPhases, is_dealt: Mapping[str, bool]
) -> Iterator[str]:
    """Yield what admins have to know about a study's people before it is frozen, a sentence each.

    Parameters
    ----------
    is_dealt
        Whether a phase's units are dealt to only some of the people, by phase key.
    """
    waiting = without_people(session, study_id, phases)
    planned = {group.title: group.people for group in phases.groups}
    for title, titles in waiting.items():
        wanted = planned[title]
        plan = f": {wanted} {_are(wanted)} planned" if wanted else ""
        yield f"Nobody is in the group {title} yet, which rates {_quoted(titles)}{plan}."
    taken = slots_taken(session, study_id)
    for group in phases.groups:
        there = len(taken.get(group.key, ()))
        if there < (group.people or 0) and group.title not in waiting:
            people = "1 person who is" if group.people == 1 else f"{group.people} people who are"
            yield f"Of {people} planned as {group.title}, {there} {_are(there)} there."
        own = phases.of_group(group.key).phases
        dealt = [phase.heading for phase in own if is_dealt.get(phase.key)]
        if dealt and there >= (group.people or 0):
            who = f"the {there} who {_are(there)} in the group {group.title} now"
            yield (
                f"The freeze deals the units of {_quoted(dealt)} to {who}: somebody who joins later "
                "gets none of them until somebody leaves."
            )


def beyond_plan(database: Database, actor: Actor, study_key: str) -> list[str]:
    """Return, for admins, a sentence for each group with more people than planned, and on what waits for them."""
    with database.read_only() as session:
        study, _ = require_role(session, actor, study_key, "admin")
        study_id = stored_id(study.id)
        taken = slots_taken(session, study_id)
        phases, closed = frozen_facts.phases_of(session, study_id), queries.phases_closed(session, study_id)
        return [
            f"{len(taken[group.key])} people are in the group {group.title}, and the protocol plans {group.people}."
            f"{_waiting_for_all_of(phases, group.key, closed)}"
            for group in phases.groups
            if group.people is not None and len(taken.get(group.key, ())) > group.people
        ]


def _waiting_for_all_of(phases: StudyPhases, group: str, closed: Collection[str]) -> str:
    """Return a sentence on the phases that open once everybody in a group is done; empty if there are none."""
    of_group = {phase.key for phase in phases.of_group(group).phases} - set(closed)
    waiting = [
        phase.heading for phase in phases.phases if not phase.continues and of_group.intersection(phase.after_everyone)
    ]
    if not waiting:
        return ""
    opens = "opens" if len(waiting) == 1 else "open"
    return f" {_quoted(waiting)} {opens} only when everybody in it is done, including people beyond the plan."


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _quoted(titles: Sequence[str]) -> str:
    return " and ".join(f"“{title}”" for title in titles)
