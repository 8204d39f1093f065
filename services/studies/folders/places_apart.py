"""Items on which a place cannot be compared with a reference, because a place there belongs to one pane."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from exchange.refusal import listed
from exchange.study_folder.folder_rows import ReferenceRow
from exchange.study_folder.item_table import ItemRow, VolumeRow
from protocol.fields import KINDS
from protocol.hanging import Hanging
from protocol.hung import hung
from protocol.phase_rules import PhaseRules
from protocol.references import FieldReference, ItemReferences
from protocol.study_phases import StudyPhases

# Any other file is an image, without a position in the patient.
_PLACED = (".nii", ".nii.gz")


def lies_apart(hanging: Hanging, item: ItemRow, volumes: Sequence[VolumeRow]) -> bool:
    """Return whether a pane of an item has other world coordinates than the first; places then belong to one pane.

    `volumes` are those of the item's case, or more.
    """
    of_case = [volume for volume in volumes if volume.case == item.case]
    panes = [
        (pane.role, all(volume.path.name.lower().endswith(_PLACED) for volume in offered))
        for pane, offered in hung(hanging, item.sequences, item.uses_prior, of_case)
    ]
    return any(not hanging.lies_with(role, panes[0][0], placed=placed and panes[0][1]) for role, placed in panes[1:])


def reference_in(row: ReferenceRow, field: str, *, compared: bool) -> FieldReference | None:
    """Return what a line of the reference table says about one field; `compared` if that is the primary one."""
    return references_in(row).of(field, compared=compared)


def references_in(row: ReferenceRow) -> ItemReferences:
    """Return what the reference table says about an item: its primary field first, then the named ones."""
    primary = FieldReference(accepted=row.accepted, low=row.low, high=row.high)
    return ItemReferences((primary, *row.fields))


def never_compared(
    phases: StudyPhases,
    rated: Callable[[str], Sequence[ItemRow]],
    volumes: Sequence[VolumeRow],
    references: Sequence[ReferenceRow],
) -> Iterator[str]:
    """Yield, for each field, the items on which its reference cannot be compared with a place.

    Parameters
    ----------
    rated
        Returns the items that a phase selects, by the phase's key; only called for phases that ask for a place.
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
            f"references.csv: places in “{label}” cannot be compared with the reference on {listed(keys)}, where scans "
            "that are not co-registered are shown side by side and a place belongs to one pane; write "
            "hanging: {coregistered: yes} if they lie in one space, or ask for the place without the prior."
        )


def _asked(phases: StudyPhases, rated: Callable[[str], Sequence[ItemRow]]) -> Iterator[tuple[PhaseRules, ItemRow]]:
    """Yield the rules and items of phases that read items with their scans; of two steps, only the first."""
    for phase in phases.phases:
        rules = phases.rules_of(phase)
        fields = chain(rules.fields or (), *(() if rules.fields else rules.forms.values()))
        asks_places = any(KINDS[field.type].scale == "place" for field in fields)
        if asks_places and phase.kind == "items" and not phase.continues and rules.shows_volumes:
            yield from ((rules, item) for item in rated(phase.key))
