"""Which units can be drawn at all: by condition, without practice or missing responses, of subjects not used yet."""

from __future__ import annotations

from collections.abc import Sequence, Set

from protocol.language.expansion import Condition, Source
from services.errors import counted
from services.studies.sampling.remarks import Remarks, by_size, is_known, listed
from services.studies.sampling.units import Unit


def selected_by(
    units: Sequence[Unit], source: Source, elsewhere: Set[str], known: Set[str], remarks: Remarks
) -> list[Unit]:
    """Return the units that can be drawn; add a remark on any condition or rule that leaves none."""
    asks_for_practice = source.phase is not None or any(condition.name == "practice" for condition in source.where)
    left = [unit for unit in units if unit.responded and (asks_for_practice or not unit.practice)]
    if not left:
        remarks.reasons.append(
            f"from: none of {counted(len(units), 'unit')} can be drawn, since they are practice or have no response; "
            "expected at least one; add units."
        )
        return []
    conditions = [condition for condition in source.where if is_known(condition.name, known, "from.where", remarks)]
    failed = len(conditions) < len(source.where)
    for condition in conditions:
        failed |= _is_met_by_none(condition, left, remarks)
    if failed:
        return []
    selected = left
    for condition in conditions:
        values = set(condition.values)
        selected = [unit for unit in selected if unit.value(condition.name) in values]
    if not selected:
        remarks.reasons.append(
            "from.where: no unit meets all conditions at once ("
            + "; ".join(f"{condition.name} is {listed(condition.values, 'or')}" for condition in conditions)
            + "), though each is met by some; remove a condition or widen it."
        )
        return []
    apart = [unit for unit in selected if not unit.subject or unit.subject not in elsewhere]
    if not apart:
        remarks.reasons.append(
            f"sample.not_in: all {counted(len(selected), 'selected unit')} are about subjects that were used "
            "elsewhere; add units of other subjects, or remove a name from not_in."
        )
    return apart


def that_fit(units: Sequence[Unit], source: Source, elsewhere: Set[str]) -> list[Unit]:
    """Return the units that `selected_by` selects, without a remark if there are none."""
    asks_for_practice = source.phase is not None or any(condition.name == "practice" for condition in source.where)
    return [
        unit
        for unit in units
        if unit.responded
        and (asks_for_practice or not unit.practice)
        and not (unit.subject and unit.subject in elsewhere)
        and all(unit.value(condition.name) in condition.values for condition in source.where)
    ]


def _is_met_by_none(condition: Condition, units: Sequence[Unit], remarks: Remarks) -> bool:
    values = sorted({unit.value(condition.name) for unit in units} - {""}, key=by_size)
    absent = [value for value in condition.values if value not in values]
    if len(absent) == len(condition.values):
        remarks.reasons.append(
            f"from.where: no unit has {condition.name} {listed(condition.values, 'or')}, "
            f"expected {listed(values, 'or')}; correct the values or remove the condition."
        )
        return True
    if absent:
        remarks.notes.append(f"No unit has {condition.name} {listed(absent, 'or')}, which from.where names.")
    return False
