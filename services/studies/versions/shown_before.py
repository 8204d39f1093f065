"""Raters whom a version would have read something blind that they have already seen unblinded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import exists, func, or_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from db import (
    Acknowledgement,
    Assignment,
    Candidate,
    CandidatePair,
    Case,
    Display,
    Item,
    Membership,
    TechnicalFailure,
    Verdict,
    queries,
)
from db.base import stored_id
from db.standing import STILL_MEMBER
from protocol.language.things import in_words
from protocol.language.wording import listed
from protocol.phases import Phase
from protocol.study_phases import StudyPhases, Telling
from services.studies.drawing.drawn_in_common import Share
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.sound_draws import abouts_of
from services.studies.groups import name_of_slot
from services.studies.sampling.units import Unit

_ABOUT = {"subject": "the subject", "item": "the item", "unit": "the answer"}


@dataclass(frozen=True)
class Replaced:
    """What versions replaced: the key of the replacement, by the stored key of the item or candidate it replaces."""

    items: Mapping[str, str]
    candidates: Mapping[str, str]


@dataclass(frozen=True)
class Asked:
    """What phases reveal, as far as it is known from what was drawn before.

    Attributes
    ----------
    phases
        The phases, and again with what was drawn before counted as selected, if that reveals more.
    shares
        What membership of a phase reveals about others' units, each with the phases in which it counts as selected.
    """

    phases: Sequence[StudyPhases]
    shares: Sequence[tuple[Share, StudyPhases]]


def reasons_against(
    session: Session, study_id: int, asked: Asked, parts: Sequence[DrawnPhase], replaced: Replaced
) -> Iterator[str]:
    """Yield a sentence for each rater who was shown something about what they would rate blind in this version.

    Phases that reveal something and have not been shown yet wait until the new work is done, because the gate of their
    queue checks each time. A second step follows its unit directly, so it would come before the new work and counts as
    shown. What was shown of an item or answer also reveals its corrected version.

    Parameters
    ----------
    asked
        What phases reveal.
    parts
        What is rated anew.
    replaced
        What the version replaces, and therefore no longer shows.
    """
    known_as = _newest(session, study_id, replaced)
    raters = session.exec(
        select(Membership)
        .where(Membership.study_id == study_id, Membership.role == "rater", *STILL_MEMBER)
        .order_by(col(Membership.id))
    ).all()
    for rater in raters:
        own = asked.phases[0].of_group(rater.group_key)
        there = {phase.listed_as for phase in own.phases}
        anew = {part.key: _of_rater(part, rater) for part in parts if part.key in there}
        for telling in own.phases:
            said: dict[str, set[str]] = {}
            revealed = _told_by(telling, asked, rater.group_key, there)
            shown = _shown(session, rater, own, telling, replaced, known_as) if revealed else []
            for breach, share in revealed if shown else ():
                units = shown if share is None else _told_of(share, shown)
                abouts = {about for unit in units for about in abouts_of(unit, breach.reach)}
                for blind in breach.blind:
                    known = said.setdefault(blind.key, set())
                    rated = (unit for unit in anew.get(blind.listed_as, ()) if unit.key not in known)
                    met = [unit for unit in rated if abouts.intersection(abouts_of(unit, breach.reach))]
                    if met:
                        known.update(unit.key for unit in met)
                        yield _sentence(rater, telling, blind, breach, share, met)


def _told_by(telling: Phase, asked: Asked, group: str, there: Set[str]) -> list[tuple[Telling, Share | None]]:
    """Return what a phase reveals to a group of what it shows, and of what is, or is not, among its units.

    What concerns a whole subject comes first, so that each unit is named once.
    """
    as_drawn = (phases.of_group(group) for phases in asked.phases)
    revealed: list[tuple[Telling, Share | None]] = [
        (breach, None) for each in as_drawn for breach in each.blind_to(each.named(telling.key))
    ]
    for share, phases in asked.shares:
        if share.telling == telling.listed_as and share.blind in there:
            as_left = phases.of_group(group)
            breaches = as_left.blind_to(as_left.named(share.telling))
            revealed += [(breach, share) for breach in breaches if share.key in breach.things]
    return sorted(revealed, key=lambda each: list(_ABOUT).index(each[0].reach))


def _told_of(share: Share, shown: Sequence[Unit]) -> list[Unit]:
    """Return the units of a share about which somebody knows who was shown these units of its phase."""
    there = {unit.item for unit in shown}
    return [unit for unit in share.units if share.is_new or unit.item in there]


def _of_rater(part: DrawnPhase, rater: Membership) -> list[Unit]:
    slot = None if rater.slot is None else name_of_slot(rater.group_key, rater.slot)
    units = (row.unit for row in part.sample.units)
    return [unit for unit in units if not part.slots.get(unit.key) or slot in part.slots[unit.key]]


def _newest(session: Session, study_id: int, replaced: Replaced) -> Replaced:
    """Return the current successor of everything that this or any earlier version replaced."""
    items, candidates = dict(replaced.items), dict(replaced.candidates)
    for item, candidate, key in queries.replaced_keys(session, study_id):
        (items if candidate is None else candidates)[candidate or item] = key
    return Replaced(
        {key: _last_of(key, items) for key in items}, {key: _last_of(key, candidates) for key in candidates}
    )


def _last_of(key: str, followed_by: Mapping[str, str]) -> str:
    while key in followed_by:
        key = followed_by[key]
    return key


def _shown(
    session: Session, rater: Membership, own: StudyPhases, telling: Phase, replaced: Replaced, known_as: Replaced
) -> list[Unit]:
    """Return what a rater was shown in a phase, or is certain to be shown in a second step, by current keys.

    A browser already has the item in front of the rater before it reports it as shown, and has items that it could not
    show.
    """
    was_shown = or_(
        *(exists().where(col(row.assignment_id) == Assignment.id) for row in (Display, Verdict, TechnicalFailure)),
        col(Assignment.id).in_(_on_the_desk(session, rater, own, telling)),
    )
    compared = _compared(session, rater.study_id) if telling.kind == "pairs" else {}
    query: Any = (
        select(Item, Case.subject, Candidate.key, was_shown)
        .join(Assignment, col(Assignment.item_id) == Item.id)
        .join(Case, col(Case.id) == Item.case_id)
        .join(Candidate, col(Candidate.id) == Assignment.candidate_id, isouter=True)
        .where(Assignment.membership_id == stored_id(rater.id), Assignment.phase == telling.key)
    )
    return [
        _unit(item, subject, candidate, known_as, compared.get(candidate or "", ()))
        for item, subject, candidate, shown in session.exec(query)
        if shown or (telling.continues and item.key not in replaced.items and candidate not in replaced.candidates)
    ]


def _on_the_desk(session: Session, rater: Membership, own: StudyPhases, telling: Phase) -> list[int]:
    """Return the ids of the assignments that a rater who has begun a phase may have, or have had, in front of them.

    An assignment was in front of the rater if everything before it was finished while it was still open. A browser may
    therefore have had assignments that a version replaced or that were undone when their phase was closed, whether or
    not it reported them.
    """
    begun: datetime | None = session.exec(
        select(func.min(Acknowledgement.acknowledged_at)).where(
            Acknowledgement.membership_id == rater.id,
            Acknowledgement.group_key == rater.group_key,
            Acknowledgement.phase == telling.listed_as,
        )
    ).one()
    if begun is None:
        return []
    before, lay = begun, list[int]()
    for number, end in queries.ends_of_assignments(session, stored_id(rater.id), own.in_queue(telling.queue)):
        if end is None or before < end:
            lay.append(number)
        if end is None:
            break
        before = max(before, end)
    return lay


def _compared(session: Session, study_id: int) -> dict[str, tuple[str, ...]]:
    """Return the keys of each pair's two answers, by the key of the pair."""
    pair, first, second = (aliased(Candidate) for _ in range(3))
    rows: Any = (
        select(pair.key, first.key, second.key)
        .select_from(CandidatePair)
        .join(pair, col(pair.id) == CandidatePair.candidate_id)
        .join(first, col(first.id) == CandidatePair.first_id)
        .join(second, col(second.id) == CandidatePair.second_id)
        .where(CandidatePair.study_id == study_id)
    )
    return {key: (first_key, second_key) for key, first_key, second_key in session.exec(rows)}


def _unit(item: Item, subject: str, candidate: str | None, known_as: Replaced, answers: Sequence[str]) -> Unit:
    key = known_as.items.get(item.key, item.key)
    answer = key if candidate is None else known_as.candidates.get(candidate, candidate)
    both = tuple(known_as.candidates.get(each, each) for each in answers)
    return Unit(answer, subject, key, {"conversation": item.conversation or ""}, pair=both)


def _sentence(
    rater: Membership, telling: Phase, blind: Phase, breach: Telling, share: Share | None, met: Sequence[Unit]
) -> str:
    named = ", ".join(sorted({f"'{unit.key}'" for unit in met})[:5])
    said = f"{listed([in_words(thing) for thing in breach.things])} of {_ABOUT[breach.reach]} of {named}"
    # A second step counts as shown as soon as its unit is assigned; in the same phase it does come before what is new.
    to_come = "is shown first" if telling.listed_as == blind.listed_as else "is to be shown"
    shown = f"was shown, or {to_come}," if telling.continues else "was shown"
    how = (
        f"{shown} {said} in phase '{telling.listed_as}'"
        if share is None
        else f"was shown phase '{telling.listed_as}', and knows {said} by whether it was there"
    )
    return (
        f"{rater.pseudonym} {how}, and would rate that blind in phase '{blind.listed_as}'; let others rate it, in a "
        "group and a phase that are added."
    )
