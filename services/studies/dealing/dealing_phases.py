"""Deal what was drawn for each listed phase to the slots of its groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from protocol.language.expansion import Expansion
from protocol.language.expansion import Phase as Listed
from protocol.language.pools import kind_rated
from services.errors import Conflict
from services.studies.dealing import slots as dealing
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.draws import DrawKey
from services.studies.groups import Slots, name_of_slot
from services.studies.sampling.remarks import listed
from services.studies.sampling.units import Unit


def deal_phases(
    study: Expansion,
    drawn: Sequence[DrawnPhase],
    slots: Slots,
    key: DrawKey,
    before: Mapping[str, DrawnPhase] | None = None,
) -> list[DrawnPhase]:
    """Deal what was drawn to slots, in each phase in which not everybody rates everything.

    Parameters
    ----------
    slots
        The numbers of the slots of each group.
    before
        What was already dealt, by the key of its phase; it is not dealt again.

    Raises
    ------
    Conflict
        With a sentence for each phase that does not have enough people.
    """
    dealt: dict[str, DrawnPhase] = dict(before or {})
    reasons = []
    for part in drawn:
        phase = study.phase(part.key)
        try:
            dealt[part.key] = replace(part, slots=_dealt(study, phase, part, dealt, slots, key))
        except dealing.TooFewSlots as refusal:
            reasons.append(_too_few(study, phase, refusal))
            dealt[part.key] = part
    if reasons:
        raise Conflict("\n".join(reasons))
    return [dealt[part.key] for part in drawn]


def _dealt(
    study: Expansion, phase: Listed, part: DrawnPhase, dealt: Mapping[str, DrawnPhase], slots: Slots, key: DrawKey
) -> dealing.Dealt:
    by = phase.by
    if not by.is_dealt:
        return {}
    units = [row.unit for row in part.sample.units]
    # Nobody rates their own answer.
    barred = {unit.key: {unit.author} - {""} for unit in units}
    for name in by.not_in:
        # If the kinds differ, the units are matched by their item or conversation.
        alike = kind_rated(study.phase(name)) == kind_rated(phase)
        rated = _rated_by(study.phase(name), dealt[name], slots, alike=alike)
        for unit in units:
            barred[unit.key] |= rated.get(unit.key if alike else _about(unit), set())
    # All turns of a conversation go to the same people, because each turn builds on those before it.
    whole = {unit.key: _about(unit) if phase.rates == ["items"] else unit.key for unit in units}
    barred_of: dict[str, set[str]] = {name: set() for name in whole.values()}
    for key_of_unit, name in whole.items():
        barred_of[name] |= barred[key_of_unit]
    dealt_of = dealing.deal(
        list(barred_of), _names_of(phase, slots), by.per_unit, barred_of, key.rng("design", phase.key)
    )
    return {key_of_unit: dealt_of[name] for key_of_unit, name in whole.items()}


def _about(unit: Unit) -> str:
    """Return the conversation that a unit is part of, or its item if there is none."""
    return unit.attributes.get("conversation") or unit.item


def _rated_by(phase: Listed, part: DrawnPhase, slots: Slots, *, alike: bool) -> dict[str, set[str]]:
    """Return the slots that rate each unit of a phase or, unless `alike`, anything about each item."""
    everybody = _names_of(phase, slots)
    rated: dict[str, set[str]] = {}
    for row in part.sample.units:
        about = row.unit.key if alike else _about(row.unit)
        rated.setdefault(about, set()).update(part.slots.get(row.unit.key, everybody))
    return rated


def _names_of(phase: Listed, slots: Slots) -> list[str]:
    return [name_of_slot(group, number) for group in phase.by.groups for number in slots[group]]


def rated_by_all(study: Expansion, phase: Listed) -> list[str]:
    """Return the phases that bar everybody in a phase from their units because all its people rate all of them."""
    above = [study.phase(name) for name in phase.by.not_in]
    return [other.key for other in above if not other.by.is_dealt and set(phase.by.groups) <= set(other.by.groups)]


def _too_few(study: Expansion, phase: Listed, refusal: dealing.TooFewSlots) -> str:
    titles = listed([group.title for group in study.groups if group.key in phase.by.groups])
    count = f"{len(refusal.units)} units" if len(refusal.units) > 1 else "1 unit"
    all_rate = rated_by_all(study, phase)
    if all_rate and not refusal.most:
        above, verb = listed(all_rate), "is" if len(all_rate) == 1 else "are"
        return (
            f"Phase '{phase.key}' is for people who did not rate its units in {above}, which {verb} rated by everybody "
            f"of {titles}, so that nobody is left for {count} ({listed(list(refusal.units))}); deal {above} too, as "
            "with by: {per_unit: 1}, or name another group in one of the two."
        )
    barred = " who did not rate them before" if phase.by.not_in else ""
    barred += " who did not write them" if phase.answers_of else ""
    people = "1 person" if phase.by.per_unit in (None, 1) else f"{phase.by.per_unit} people"
    return (
        f"Phase '{phase.key}' needs {people} per unit, and of {titles} there are at most "
        f"{refusal.most}{barred} for {count} ({listed(list(refusal.units))}); invite more, or say under groups how "
        "many people there will be."
    )
