"""People's answers as units of a pool: which units a pool draws from, and which there may be before anybody answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from db.queries import Author
from protocol.language.expansion import Expansion, Phase, Source
from protocol.language.pools import of_both
from services.studies.groups import Slots, name_of_slot
from services.studies.sampling.remarks import CannotDraw, listed
from services.studies.sampling.units import Unit


def unit_of_answer(key: str, item: Unit, phase: str, slot: str, *, responded: bool = True) -> Unit:
    """Return an answer of a person as a unit, with the attributes of its item."""
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
    """Return the name of the slot that an author fills; empty for who fills none."""
    return "" if author.slot is None else name_of_slot(author.group, author.slot)


def units_in_pool(study: Expansion, phase: Phase, source: Source, candidates: Iterable[Unit]) -> list[Unit]:
    """Return the candidates that are of the kinds which a phase rates, models' answers as far as it selects them.

    Parameters
    ----------
    source
        Of the phase; its conditions name yes and no as attributes are stored.

    Raises
    ------
    CannotDraw
        It selects models' answers for a pool, and there is none.
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
        raise CannotDraw([f"from.where: of no model is there an answer with {asked}; correct the values."])
    return pool


def _meets(unit: Unit, source: Source) -> bool:
    return all(unit.value(condition.name) in condition.values for condition in source.where)


def narrowing_both(study: Expansion, phase: Phase, source: Source) -> Source:
    """Return what of a source narrows the whole of a pool, or all pairs: conditions on models come first."""
    return source if phase.answers_of is None and phase.pairs is None else of_both(study, source)[0]


def answers_to_come(phase: Phase, drawn: Iterable[tuple[Unit, tuple[str, ...]]], slots: Slots) -> Iterator[Unit]:
    """Yield an answer of everybody to everything that they rate in a phase, as if it were there.

    Parameters
    ----------
    drawn
        Its units, each with the slots to which it was dealt; none where everybody of the phase rates it.
    """
    everybody = [name_of_slot(group, number) for group in phase.by.groups for number in slots.get(group, ())]
    for unit, dealt_to in drawn:
        for slot in dealt_to or everybody:
            yield unit_of_answer(f"{phase.key} {unit.key} {slot}", unit, phase.key, slot)


def by_key(units: Iterable[Unit]) -> Mapping[str, Unit]:
    """Return units by their keys."""
    return {unit.key: unit for unit in units}
