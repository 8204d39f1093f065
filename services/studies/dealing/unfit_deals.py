"""Whether what was drawn for a phase can be dealt to the planned people, reported before the import."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from protocol.language.expansion import Expansion, Phase
from services.errors import Conflict
from services.studies.dealing import dealing_phases
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.draws import DrawKey
from services.studies.groups import Slots


def cannot_be_dealt(study: Expansion, phase: Phase, tries: Sequence[dict[str, DrawnPhase]]) -> Iterator[str]:
    """Yield once why the units drawn for a phase cannot be dealt; store the slots of those that can in `tries`.

    A group without a planned number can have as many people as are invited, so only problems that no number of people
    would solve are reported.
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
            (drawn[phase.key],) = dealing_phases.deal_phases(study, [drawn[phase.key]], _slots(study), key, drawn)
        except Conflict as refusal:
            refused.append(str(refusal))
    if refused and (planned or dealing_phases.rated_by_all(study, phase)):
        tried = f" in {len(refused)} of {len(ready)} draws that were tried" if len(refused) < len(ready) else ""
        yield f"The freeze would refuse to deal what is drawn{tried}: {refused[0]}"


def _bears_on_others(study: Expansion, phase: Phase) -> bool:
    """Return whether dealing this phase affects another phase or depends on one."""
    return bool(phase.by.not_in) or any(phase.key in other.by.not_in for other in study.phases)


def _slots(study: Expansion) -> Slots:
    # More than all phases together ask for, so that a phase never fails for lack of people.
    enough = 1 + sum(phase.by.per_unit or 1 for phase in study.phases)
    return {group.key: tuple(range(1, (group.people or enough) + 1)) for group in study.groups}
