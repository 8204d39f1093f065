"""Assign to each rater what they read and in which order: drawn once, stored and never recomputed."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import bindparam, func
from sqlalchemy.orm import load_only
from sqlmodel import Session, col, select

from db import Assignment, Case, Freeze, FreezeItem, Item, Membership, queries
from db.asking import ask
from db.base import stored_id
from db.standing import STANDS
from protocol.phase_rules import PhaseRules
from protocol.phases import Phase
from protocol.study_phases import StudyPhases
from services.studies import draws, groups
from services.studies.dealing import sides
from services.studies.dealing.dealt import Dealt, store
from services.studies.dealing.spacing import REPEATED_DRAWS, spaced

_OF_AN_ORDER: Any = (Item.key, Item.format, Item.options, Item.conversation, Item.turn)
_FREEZE: Any = select(Freeze).where(Freeze.study_id == bindparam("study_id"), *STANDS)


def assign_rater(
    session: Session, study_id: int, rater: Membership, phases: StudyPhases, only: Collection[str] = ()
) -> None:
    """Assign a rater the practice and the units of their phases, or those of their slot.

    Phases in which they already have assignments are skipped, as are phases that are closed or not drawn yet.

    Parameters
    ----------
    phases
        The phases of the rater's group.
    only
        The keys of the phases to assign; empty for all.
    """
    freeze = session.exec(_FREEZE, params={"study_id": study_id}).one()
    has = queries.phases_dealt(session, stored_id(rater.id))
    if phases.training is not None and phases.training.key not in has:
        assign_practice(session, study_id, rater, phases, phases.training, pass_number=1)
    key = draws.key_of(session, study_id, phases.seed)
    # Closed phases take no more answers, and phases that follow from others are only drawn once those are closed.
    closed = queries.phases_closed(session, study_id) if phases.listed else frozenset()
    own = [
        phase
        for phase in phases.counted
        if phase.role == "rater"
        and not phase.continues
        and phase.key not in has | closed
        and set(phase.follows) <= closed
        and (not only or phase.key in only)
    ]
    dealt = [each for phase in own for each in _dealt_of(session, rater, phases, phase, stored_id(freeze.id), key)]
    if not own or (has and not dealt):
        return
    draws.note(session, study_id, key, own[0].key, rater.pseudonym, rows=store(session, dealt))


def assign_anew(session: Session, study_id: int, rater: Membership, phases: StudyPhases, version: int) -> None:
    """Assign a rater what a version of their study added: in each phase, after their existing assignments."""
    freeze = session.exec(_FREEZE, params={"study_id": study_id}).one()
    last: dict[str, int] = dict(
        session.exec(
            select(Assignment.phase, func.max(Assignment.position))
            .where(Assignment.membership_id == rater.id)
            .group_by(Assignment.phase)
        ).all()
    )
    key = draws.key_of(session, study_id, phases.seed)
    for phase in phases.counted:
        if phase.key not in last or phase.continues or phase.role != "rater":
            continue
        dealt = _dealt_of(session, rater, phases, phase, stored_id(freeze.id), key, version)
        after = phases.continuation_of(phase)
        behind = max(last[phase.key], last.get(after.key, 0) if after else 0)
        for each in dealt:
            each.position += behind
        if dealt:
            draws.note(session, study_id, key, phase.key, rater.pseudonym, rows=store(session, dealt))
    # A phase in which they have nothing yet, such as a new one, is assigned in full.
    assign_rater(session, study_id, rater, phases)


def _dealt_of(
    session: Session,
    rater: Membership,
    phases: StudyPhases,
    phase: Phase,
    freeze_id: int,
    key: draws.DrawKey,
    version: int | None = None,
) -> list[Dealt]:
    """Return a rater's assignments in one phase, from one version of the study or from all of them."""
    study_id = rater.study_id
    rng = key.rng(phase.key, rater.pseudonym)
    rules, drawn_for = phases.rules_of(phase), phase.key if phase.listed else ""
    if not phase.rates_answers:
        with_subjects = _frozen_items(session, freeze_id, drawn_for, rater, version)
        assigned = _assign(rater, phase, 1, ordered(with_subjects, rules, rng), rules, rng)
        about = {stored_id(item.id): (subject, item.conversation or item.key) for item, subject in with_subjects}
    else:
        frozen = _frozen_candidates(session, freeze_id, drawn_for, rater, version)
        assigned = _assign_candidates(rater, phase, _in_order(frozen, phase, rules, rng))
        sides.draw(session, study_id, assigned, phase, rater.pseudonym, key)
        talks = _conversations(session, freeze_id)
        about = {each.item_id: (subject, talks.get(each.item_id, str(each.item_id))) for each, subject in frozen}
    steps = _with_what_is_shown_after(phases, phase, assigned, about)
    for step in filter(None, (phase, phases.continuation_of(phase))):
        if source := phases.rules_of(step).opinions_of:
            _add_opinions(session, study_id, [each for each in steps if each.step == step.step], phase, source, key)
    return steps


def _with_what_is_shown_after(
    phases: StudyPhases, phase: Phase, assigned: Sequence[Dealt], about: Mapping[int, tuple[str, str]]
) -> list[Dealt]:
    """Return a phase's assignments, with second steps if the phase shows more once the rater's own answer is sealed.

    A second step follows the last unit about which it reveals something: the last unit of its subject if it reveals
    the reference, otherwise of its item or conversation. In a phase that does not count it only follows its own unit.

    Parameters
    ----------
    about
        The subject, and the item or conversation, by item id.
    """
    after = phases.continuation_of(phase)
    if after is None:
        return list(assigned)
    place = 0 if phases.waits_for_subject(after) else 1
    counts = phases.rules_of(phase).counts
    reached = [about[each.item_id][place] if counts else str(number) for number, each in enumerate(assigned)]
    last = {thing: number for number, thing in enumerate(reached)}
    order: list[Dealt] = []
    waiting: dict[str, list[Dealt]] = {}
    for number, (first, thing) in enumerate(zip(assigned, reached, strict=True)):
        order.append(first)
        waiting.setdefault(thing, []).append(_second_step(first, after))
        if last[thing] == number:
            order += waiting.pop(thing)
    for position, each in enumerate(order, start=1):
        each.position = position
    return order


def _second_step(first: Dealt, after: Phase) -> Dealt:
    return Dealt(
        study_id=first.study_id,
        membership_id=first.membership_id,
        item_id=first.item_id,
        candidate_id=first.candidate_id,
        phase=after.key,
        kind=after.kind,
        step=after.step,
        pass_number=first.pass_number,
        position=first.position,
        option_order=list(first.option_order),
    )


def _add_opinions(
    session: Session, study_id: int, assigned: Sequence[Dealt], phase: Phase, source: str, key: draws.DrawKey
) -> None:
    """Note whose verdicts are shown beside each unit, in an order drawn for it; nobody is shown their own."""
    by_unit: dict[tuple[int, int | None], list[queries.StandingAnswer]] = {}
    for answer in queries.answers_in(session, study_id, source):
        by_unit.setdefault((answer.item_id, answer.candidate_id), []).append(answer)
    for assignment in assigned:
        answers = by_unit.get((assignment.item_id, assignment.candidate_id), [])
        if not answers:
            continue
        opinions = [answer.verdict_id for answer in answers]
        key.rng("opinions", phase.key, answers[0].candidate or answers[0].item).shuffle(opinions)
        own = {answer.verdict_id for answer in answers if answer.membership_id == assignment.membership_id}
        assignment.opinion_order = [opinion for opinion in opinions if opinion not in own]


def _is_for(frozen: Sequence[str], rater: Membership) -> bool:
    """Return whether a unit with these slots is for a rater: dealt to their slot, or not dealt to slots at all."""
    return not frozen or (rater.slot is not None and groups.name_of_slot(rater.group_key, rater.slot) in frozen)


def _frozen_items(
    session: Session, freeze_id: int, phase: str, rater: Membership, version: int | None = None
) -> list[tuple[Item, str]]:
    """Return a rater's items of a freeze, or of one phase of it, with their subjects, in the order of the tables."""
    place = {"freeze_id": freeze_id, "phase": phase, "version": version}
    rows = session.exec(_select_items(version is not None), params=place).all()
    return [(item, subject) for item, subject, slots in rows if _is_for(slots, rater)]


@cache
def _select_items(of_a_version: bool) -> Any:
    return (
        select(Item, Case.subject, FreezeItem.slots)
        .join(FreezeItem, col(FreezeItem.item_id) == Item.id)
        .join(Case, col(Case.id) == Item.case_id)
        .where(*_units_of(of_a_version), col(FreezeItem.candidate_id).is_(None))
        .order_by(col(Item.id))
        # Only the columns that ordering needs: the rest, mostly JSON, would be read again for each rater.
        .options(load_only(*_OF_AN_ORDER, raiseload=True))
    )


def _units_of(of_a_version: bool) -> list[Any]:
    """Return the conditions on a phase's units: of one version, or of all versions without what was replaced."""
    own = [
        FreezeItem.freeze_id == bindparam("freeze_id"),
        FreezeItem.phase == bindparam("phase"),
        ~queries.is_withdrawn(FreezeItem),
    ]
    return [*own, FreezeItem.version == bindparam("version")] if of_a_version else own


def _frozen_candidates(
    session: Session, freeze_id: int, phase: str, rater: Membership, version: int | None = None
) -> list[tuple[FreezeItem, str]]:
    """Return a rater's candidates of a freeze, or of one phase, with their subjects, in the order of the tables.

    If people's answers are rated, the rater's own are left out.
    """
    place = {"freeze_id": freeze_id, "phase": phase, "version": version}
    rows = session.exec(_select_candidates(version is not None), params=place).all()
    own = queries.own_in_pools(session, rater.study_id, stored_id(rater.id)) if phase else frozenset()
    return [
        (frozen, subject) for frozen, subject in rows if _is_for(frozen.slots, rater) and frozen.candidate_id not in own
    ]


@cache
def _select_candidates(of_a_version: bool) -> Any:
    return (
        select(FreezeItem, Case.subject)
        .join(Item, col(Item.id) == FreezeItem.item_id)
        .join(Case, col(Case.id) == Item.case_id)
        .where(*_units_of(of_a_version), col(FreezeItem.candidate_id).is_not(None))
        .order_by(col(FreezeItem.candidate_id))
    )


def _conversations(session: Session, freeze_id: int) -> dict[int, str]:
    """Return the conversation of each frozen turn, by id: what reveals one turn reveals them all."""
    return {item_id: str(conversation) for item_id, conversation in ask(session, _TURNS, freeze_id=freeze_id)}


_TURNS: Any = (
    select(Item.id, Item.conversation)
    .join(FreezeItem, col(FreezeItem.item_id) == Item.id)
    .where(FreezeItem.freeze_id == bindparam("freeze_id"), col(Item.conversation).is_not(None))
    .distinct()
)


def _in_order(
    candidates: Sequence[tuple[FreezeItem, str]], phase: Phase, rules: PhaseRules, rng: random.Random
) -> list[FreezeItem]:
    """Return candidates in the order in which a rater gets them."""
    order = [frozen for frozen, _ in candidates]
    if phase.listed and rules.order_is_random:
        return spaced(order, [subject for _, subject in candidates], rules.subject_distance, rng)
    if rules.order_is_random:
        rng.shuffle(order)
    return order


def _assign_candidates(
    rater: Membership, phase: Phase, candidates: Sequence[FreezeItem], pass_number: int = 1
) -> list[Dealt]:
    return [
        Dealt(
            study_id=rater.study_id,
            membership_id=stored_id(rater.id),
            item_id=frozen.item_id,
            candidate_id=frozen.candidate_id,
            phase=phase.key,
            kind=phase.kind,
            step=phase.step,
            pass_number=pass_number,
            position=position,
        )
        for position, frozen in enumerate(candidates, start=1)
    ]


def assign_practice(
    session: Session, study_id: int, rater: Membership, phases: StudyPhases, training: Phase, pass_number: int
) -> None:
    """Assign a rater every unit of a practice, in an order that differs from the previous pass."""
    key = draws.key_of(session, study_id, phases.seed)
    rules = phases.rules_of(training)
    rng = key.rng(training.key, rater.pseudonym, pass_number)
    if training.rates_answers:
        freeze = session.exec(select(Freeze.id).where(Freeze.study_id == study_id, *STANDS)).one()
        frozen = _frozen_candidates(session, stored_id(freeze), training.key, rater)
        dealt = _assign_candidates(rater, training, _in_order(frozen, training, rules, rng), pass_number)
        sides.draw(session, study_id, dealt, training, rater.pseudonym, key, pass_number)
    else:
        items = _practised_items(session, study_id, rater, training)
        before = _order_of_pass(session, rater, training, pass_number - 1)
        ordered_items = practice_order(items, before, rules, rng, pass_number)
        dealt = _assign(rater, training, pass_number, ordered_items, rules, rng)
    draws.note(session, study_id, key, training.key, rater.pseudonym, pass_number, rows=store(session, dealt))


def _practised_items(session: Session, study_id: int, rater: Membership, training: Phase) -> list[tuple[Item, str]]:
    """Return the items of a practice with their subjects: every practice item, or those that were drawn."""
    if training.listed:
        freeze = session.exec(select(Freeze.id).where(Freeze.study_id == study_id, *STANDS)).one()
        return _frozen_items(session, stored_id(freeze), training.key, rater)
    rows = session.exec(
        select(Item, Case.subject)
        .join(Case, col(Case.id) == Item.case_id)
        .where(Item.study_id == study_id, col(Item.practice))
        .order_by(col(Item.id))
    )
    return [(item, subject) for item, subject in rows]


def _order_of_pass(session: Session, rater: Membership, training: Phase, pass_number: int) -> Sequence[str]:
    """Return the item keys of the previous pass in their order; empty for the first pass."""
    return session.exec(
        select(Item.key)
        .join(Assignment, col(Assignment.item_id) == Item.id)
        .where(
            Assignment.membership_id == rater.id,
            Assignment.phase == training.key,
            Assignment.pass_number == pass_number,
        )
        .order_by(col(Assignment.position))
    ).all()


def practice_order(
    items: Sequence[tuple[Item, str]],
    before: Sequence[str],
    rules: PhaseRules,
    rng: random.Random,
    pass_number: int,
) -> list[Item]:
    """Return practice items in the order of a pass, different from that of the keys `before` if there is another."""
    order: list[Item] = []
    for _ in range(REPEATED_DRAWS):
        order = ordered(items, rules, rng, shuffled=pass_number > 1)
        if [item.key for item in order] != list(before):
            break
    return order


def ordered(
    items: Sequence[tuple[Item, str]], rules: PhaseRules, rng: random.Random, *, shuffled: bool = False
) -> list[Item]:
    """Return items in the order of reading; the turns of a conversation stay together, one after the other."""
    blocks: dict[object, list[tuple[Item, str]]] = {}
    for item, subject in items:
        blocks.setdefault(item.id if item.conversation is None else item.conversation, []).append((item, subject))
    together = list(blocks.values())
    if shuffled or rules.order_is_random:
        subjects = [block[0][1] for block in together]
        together = spaced(together, subjects, rules.subject_distance, rng)
    return [item for block in together for item, _ in sorted(block, key=lambda pair: pair[0].turn or 0)]


def _assign(
    rater: Membership,
    phase: Phase,
    pass_number: int,
    items: Sequence[Item],
    rules: PhaseRules,
    rng: random.Random,
) -> list[Dealt]:
    return [
        Dealt(
            study_id=rater.study_id,
            membership_id=stored_id(rater.id),
            item_id=stored_id(item.id),
            candidate_id=None,
            phase=phase.key,
            kind=phase.kind,
            step=phase.step,
            pass_number=pass_number,
            position=position,
            option_order=option_order(item, rules, rng),
        )
        for position, item in enumerate(items, start=1)
    ]


def option_order(item: Item, rules: PhaseRules, rng: random.Random) -> list[str]:
    """Return the order in which this rater sees an item's options: as listed, or shuffled if the study says so."""
    ids = [option["id"] for option in item.options]
    if item.format == "choice" and rules.shuffle_options:
        rng.shuffle(ids)
    return ids
