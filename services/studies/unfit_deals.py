"""Whether what was drawn for a phase can be dealt to the people that are planned, said before the import."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from protocol.language.expansion import Expansion, Phase
from services.errors import Conflict
from services.studies import drawing_phases
from services.studies.drawing_phases import DrawnPhase
from services.studies.draws import DrawKey
from services.studies.groups import Slots


def cannot_be_dealt(study: Expansion, phase: Phase, tries: Sequence[dict[str, DrawnPhase]]) -> Iterator[str]:
    """Yield why what was drawn for a phase cannot be dealt, once; in `tries`, put the slots of what can be.

    A group without a plan has as many people as are invited, so that only what no number of people mends is named.
    """
    by = phase.by
    ready = [drawn for drawn in tries if {phase.key, *by.not_in} <= drawn.keys()]
    if not by.is_dealt or not ready:
        return
    if not _bears_on_others(study, phase):
        ready = ready[:1]
    planned = all(group.people is not None for group in study.groups if group.key in by.groups)
    refused: list[str] = []
    for number, drawn in enumerate(ready):
        try:
            key = DrawKey(0, 0, str(number).encode())
            (drawn[phase.key],) = drawing_phases.deal_phases(study, [drawn[phase.key]], _slots(study), key, drawn)
        except Conflict as refusal:
            refused.append(str(refusal))
    if refused and (planned or drawing_phases.rated_by_all(study, phase)):
        tried = f" in {len(refused)} of {len(ready)} draws that were tried" if len(refused) < len(ready) else ""
        yield f"The freeze would refuse to deal what is drawn{tried}: {refused[0]}"


def _bears_on_others(study: Expansion, phase: Phase) -> bool:
    """Return whether what is dealt here decides about another phase, or is decided by one."""
    return bool(phase.by.not_in) or any(phase.key in other.by.not_in for other in study.phases)


def _slots(study: Expansion) -> Slots:
    # More than are asked for in all phases together: nobody lacks because of their number.
    enough = 1 + sum(phase.by.per_unit or 1 for phase in study.phases)
    return {group.key: tuple(range(1, (group.people or enough) + 1)) for group in study.groups}
