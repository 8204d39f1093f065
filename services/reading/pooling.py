"""Turn people's answers into candidates of a pool: laid out and stored when their phase is closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlmodel import Session, col, select

from db import Base, Candidate, Item, Membership, PooledAnswer, add_many, queries
from db.base import stored_id
from db.queries import StandingAnswer
from protocol.fields import PLACES
from protocol.fields.pixels import WITH_SCALE, Places
from protocol.language.expansion import Expansion, Phase
from protocol.language.layout import laid_out
from protocol.language.pools import fields_taken
from services.reading.following import Answers
from services.reading.places import whole_images_of
from services.studies import frozen_facts
from services.studies.drawing import pooled
from services.studies.drawing.pool import Pool
from services.studies.groups import name_of_slot


@dataclass(frozen=True)
class NewAnswer:
    """A person's answer that becomes a candidate: its key, the keys of its phase and item, and its text.

    Attributes
    ----------
    slot
        The name of the slot of the person who gave it.
    text
        Empty for no response: none of the fields laid out was filled in, or the item was not assessable.
    """

    key: str
    phase: str
    item: str
    slot: str
    verdict_id: int
    text: str


def new_answers(
    session: Session, study_id: int, study: Expansion, phases: Iterable[Phase], pool: Pool, answers: Answers
) -> list[NewAnswer]:
    """Return the answers that some phases rate and that are not yet candidates, laid out as their pool requires."""
    laid_out_by = {phase.answers_of: phase for phase in phases if phase.answers_of is not None}
    if not laid_out_by:
        return []
    there = {author.verdict_id for author in queries.authors_in_pools(session, study_id).values()}
    slots = _slots_of(session, study_id)
    options = _options_of(session, study_id)
    new: list[NewAnswer] = []
    for source, phase in laid_out_by.items():
        number = 0
        # Units that a version of the study replaced are no longer rated.
        of_items = (each for each in answers.get(source, ()) if each.item in pool.items)
        for answer in (each for each in of_items if each.verdict_id not in there):
            number += 1
            while (key := f"{source}-{number}") in pool.candidates:
                number += 1
            places = _places_in(session, study_id, study, phase, answer)
            text = _text_of(study, phase, answer, options.get(answer.item_id, {}), places)
            slot = slots.get(answer.membership_id, "")
            new.append(NewAnswer(key, source, answer.item, slot, answer.verdict_id, text))
    return new


def _text_of(study: Expansion, phase: Phase, answer: StandingAnswer, options: dict[str, str], places: Places) -> str:
    if answer.not_assessable is not None:
        return ""
    return laid_out(fields_taken(study, phase, answer.form), answer.fields, options, places)


def _places_in(session: Session, study_id: int, study: Expansion, phase: Phase, answer: StandingAnswer) -> Places:
    """Return in whose words a pool lays out a place in an item, as its models' places were when they were imported."""
    if phase.places == "in_mm" or not any(asked.type in PLACES for asked in fields_taken(study, phase, answer.form)):
        return WITH_SCALE
    return whole_images_of(session, study_id, frozen_facts.item_of(session, study_id, answer.item_id), study.hanging)


def _slots_of(session: Session, study_id: int) -> dict[int, str]:
    """Return the name of the slot that each member fills."""
    rows = session.exec(
        select(Membership.id, Membership.group_key, Membership.slot).where(
            Membership.study_id == study_id, col(Membership.slot).is_not(None)
        )
    )
    return {stored_id(member): name_of_slot(group, int(slot or 0)) for member, group, slot in rows}


def _options_of(session: Session, study_id: int) -> dict[int, dict[str, str]]:
    """Return the option texts of each item by option id."""
    rows = session.exec(select(Item.id, Item.options).where(Item.study_id == study_id))
    return {stored_id(item): {option["id"]: option["text"] for option in options} for item, options in rows}


def with_new(pool: Pool, new: Sequence[NewAnswer]) -> Pool:
    """Return the pool with answers added that are not stored yet."""
    units = {
        answer.key: pooled.unit_of_answer(
            answer.key, pool.items[answer.item], answer.phase, answer.slot, responded=bool(answer.text)
        )
        for answer in new
    }
    return replace(pool, candidates={**pool.candidates, **units}) if units else pool


def store(session: Session, study_id: int, new: Sequence[NewAnswer], pool: Pool) -> tuple[Pool, list[Base]]:
    """Store answers as candidates; return the pool with their ids, and the rows to be sealed."""
    if not new:
        return pool, []
    candidates = [
        Candidate(
            study_id=study_id,
            item_id=pool.item_ids[answer.item],
            key=answer.key,
            model="",
            answer=answer.text,
            attributes={},
        )
        for answer in new
    ]
    add_many(session, candidates)
    ids = [stored_id(candidate.id) for candidate in candidates]
    pairs = [
        PooledAnswer(study_id=study_id, candidate_id=candidate_id, verdict_id=answer.verdict_id)
        for candidate_id, answer in zip(ids, new, strict=True)
    ]
    add_many(session, pairs)
    known = dict(zip((answer.key for answer in new), ids, strict=True))
    return replace(pool, candidate_ids={**pool.candidate_ids, **known}), [*candidates, *pairs]


def count_of(new: Sequence[NewAnswer]) -> dict[str, dict[str, int]]:
    """Return, for each phase, how many answers entered the pool and how many of them are no response."""
    return {
        phase: {
            "answers": sum(answer.phase == phase for answer in new),
            "no_response": sum(answer.phase == phase and not answer.text for answer in new),
        }
        for phase in dict.fromkeys(answer.phase for answer in new)
    }
