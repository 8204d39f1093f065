"""On which items a place can be compared with no reference, because the place names its pane."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from exchange.folder_rows import ReferenceRow
from exchange.item_table import ItemRow, VolumeRow
from exchange.refusal import listed
from protocol.fields import KINDS
from protocol.hanging import Hanging
from protocol.hung import hung
from protocol.phase_rules import PhaseRules
from protocol.references import FieldReference, ItemReferences
from protocol.study_phases import StudyPhases

# Everything else is an image, which has no place in a patient.
_PLACED = (".nii", ".nii.gz")


def lies_apart(hanging: Hanging, item: ItemRow, volumes: Sequence[VolumeRow]) -> bool:
    """Return whether any pane of an item lies in another world than the first one; then a place names its pane.

    `volumes` are those of the case of the item, or more.
    """
    of_case = [volume for volume in volumes if volume.case == item.case]
    panes = [
        (pane.role, all(volume.path.name.lower().endswith(_PLACED) for volume in offered))
        for pane, offered in hung(hanging, item.sequences, item.uses_prior, of_case)
    ]
    return any(not hanging.lies_with(role, panes[0][0], placed=placed and panes[0][1]) for role, placed in panes[1:])


def reference_in(row: ReferenceRow, field: str, *, compared: bool) -> FieldReference | None:
    """Return what a line of the table of references says of one field; `compared` where it is the primary one."""
    return references_in(row).of(field, compared=compared)


def references_in(row: ReferenceRow) -> ItemReferences:
    """Return what the table of references says of an item, of its primary field before those that are named."""
    primary = FieldReference(accepted=row.accepted, low=row.low, high=row.high)
    return ItemReferences((primary, *row.fields))


def never_compared(
    phases: StudyPhases,
    rated: Callable[[str], Sequence[ItemRow]],
    volumes: Sequence[VolumeRow],
    references: Sequence[ReferenceRow],
) -> Iterator[str]:
    """Yield for each field on which items its reference is compared with no place.

    Parameters
    ----------
    rated
        What returns the items that a phase selects, by its key; it is asked of phases with a place alone.
    """
    of_item = {row.item: row for row in references}
    of_case: dict[str, list[VolumeRow]] = defaultdict(list)
    for volume in volumes:
        of_case[volume.case].append(volume)
    in_vain: dict[str, dict[str, None]] = defaultdict(dict)
    for rules, item in _asked(phases, rated):
        row = None if item.practice else of_item.get(item.key)
        places = [field for field in rules.fields_of(item.form) if KINDS[field.type].scale == "place"]
        if row is None or not places or not lies_apart(rules.hanging, item, of_case[item.case]):
            continue
        for field in places:
            reference = reference_in(row, field.key, compared=field.key == rules.compared_in(item.form))
            if reference is not None and reference.compared_by == "program":
                in_vain[field.label][item.key] = None
    for label, keys in in_vain.items():
        yield (
            f"references.csv: places in “{label}” are compared with no reference on {listed(keys)}, where scans that "
            "are not co-registered stand side by side, so that a place names its pane; write "
            "hanging: {coregistered: yes} if they lie in one space, or ask for the place without the prior."
        )


def _asked(phases: StudyPhases, rated: Callable[[str], Sequence[ItemRow]]) -> Iterator[tuple[PhaseRules, ItemRow]]:
    """Yield what is asked about items beside their scans; of two steps, the first."""
    for phase in phases.phases:
        rules = phases.rules_of(phase)
        fields = chain(rules.fields or (), *(() if rules.fields else rules.forms.values()))
        asks_places = any(KINDS[field.type].scale == "place" for field in fields)
        if asks_places and phase.kind == "items" and not phase.continues and rules.shows_volumes:
            yield from ((rules, item) for item in rated(phase.key))
