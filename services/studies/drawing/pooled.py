"""People's answers as units of a pool: which units a pool draws from, and which may exist once people have answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from db.queries import Author
from protocol.language.expansion import Expansion, Phase, Source
from protocol.language.pools import of_both
from services.studies.groups import Slots, name_of_slot
from services.studies.sampling.remarks import CannotDraw, listed
from services.studies.sampling.units import Unit


def unit_of_answer(key: str, item: Unit, phase: str, slot: str, *, responded: bool = True) -> Unit:
    """Return a person's answer as a unit, with the attributes of its item."""
    return Unit(
        key=key,
        subject=item.subject,
        item=item.item,
        attributes=item.attributes,
        practice=item.practice,
        responded=responded,
        given_in=phase,
        author=slot,
    )


def slot_of(author: Author) -> str:
    """Return the name of the slot that an author fills; empty if they fill none."""
    return "" if author.slot is None else name_of_slot(author.group, author.slot)


def units_in_pool(study: Expansion, phase: Phase, source: Source, candidates: Iterable[Unit]) -> list[Unit]:
    """Return the candidates of the kinds that a phase rates; models' answers only if it selects them.

    Parameters
    ----------
    source
        The source of the phase; its conditions spell yes and no as stored attributes do.

    Raises
    ------
    CannotDraw
        The phase selects models' answers for a pool, and there are none.
    """
    if phase.answers_of is None:
        return [unit for unit in candidates if not unit.given_in]
    _, of_models = of_both(study, source)
    pool, models = [], False
    for unit in candidates:
        if unit.given_in:
            pool += [unit] if unit.given_in == phase.answers_of else []
        elif "candidates" in phase.rates and _meets(unit, of_models):
            pool.append(unit)
            models = True
    if of_models.where and not models:
        asked = "; ".join(f"{said.name} is {listed(said.values, 'or')}" for said in of_models.where)
        raise CannotDraw([f"from.where: no model has an answer with {asked}; correct the values."])
    return pool


def _meets(unit: Unit, source: Source) -> bool:
    return all(unit.value(condition.name) in condition.values for condition in source.where)


def narrowing_both(study: Expansion, phase: Phase, source: Source) -> Source:
    """Return a source with its conditions on a whole pool or all pairs; conditions on models are applied before."""
    return source if phase.answers_of is None and phase.pairs is None else of_both(study, source)[0]


def answers_to_come(phase: Phase, drawn: Iterable[tuple[Unit, tuple[str, ...]]], slots: Slots) -> Iterator[Unit]:
    """Yield an answer from everybody to everything that they rate in a phase, as if they had already given it.

    Parameters
    ----------
    drawn
        The phase's units, each with the slots it was dealt to; empty if everybody in the phase rates it.
    """
    everybody = [name_of_slot(group, number) for group in phase.by.groups for number in slots.get(group, ())]
    for unit, dealt_to in drawn:
        for slot in dealt_to or everybody:
            yield unit_of_answer(f"{phase.key} {unit.key} {slot}", unit, phase.key, slot)


def by_key(units: Iterable[Unit]) -> Mapping[str, Unit]:
    """Return units by their keys."""
    return {unit.key: unit for unit in units}
