"""Whether practice with a pass mark can be both passed and failed: items on which answers can be right or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exchange.refusal import listed
from exchange.study_folder.folder_rows import ReferenceRow
from exchange.study_folder.item_table import ItemRow, VolumeRow
from protocol.fields import KINDS
from protocol.forms import PhaseField
from protocol.phase_rules import PhaseRules
from protocol.phases import Phase
from protocol.references import FieldReference
from protocol.study_phases import StudyPhases
from services.studies.folders.places_apart import lies_apart, reference_in

_BY_PEOPLE = "people compare the answer"
_APART = "the place names its pane, since scans that are not co-registered stand side by side"


@dataclass(frozen=True)
class _Practised:
    """A practice item: why no answer to it can be right or wrong (or empty), and whether answers can only be right."""

    item: str
    because: str
    in_words: bool
    # Every option counts as right.
    accepts_all: bool = False


def never_judged(
    phases: StudyPhases, items: Sequence[ItemRow], volumes: Sequence[VolumeRow], references: Sequence[ReferenceRow]
) -> Iterator[tuple[str, str]]:
    """Yield the key of each practice phase whose pass mark has no item that can be right or wrong, with the reason."""
    for phase in phases.trainings:
        practised = _practised(phases, phase, items, volumes, references)
        because = list(dict.fromkeys(each.because for each in practised))
        if practised and all(because):
            remedy = "remove pass_mark" if phase.listed else "write pass_mark: 0"
            says = (
                f"no answer to any of the {len(practised)} practice items ({listed(each.item for each in practised)}) "
                f"can be right or wrong ({'; '.join(because)}), so that the mark says nothing; let a field that the "
                f"program compares be the primary one, or {remedy}."
            )
            yield phase.key, says


def judged_in_part(
    phases: StudyPhases, items: Sequence[ItemRow], volumes: Sequence[VolumeRow], references: Sequence[ReferenceRow]
) -> Iterator[str]:
    """Yield the practice items that do not count towards the pass mark, and those on which no answer can be wrong."""
    for phase in phases.trainings:
        practised = _practised(phases, phase, items, volumes, references)
        accepting = [each.item for each in practised if each.accepts_all]
        if accepting:
            yield (
                f"protocol.yaml: of the practice items that count for the pass mark, {listed(accepting)} "
                f"{'accepts' if len(accepting) == 1 else 'accept'} every option, so that whichever is chosen is right; "
                "accept fewer in references.csv."
            )
        lacking = [each for each in practised if each.because]
        if lacking:
            because = "; ".join(dict.fromkeys(each.because for each in lacking))
            yield (
                "protocol.yaml: the pass mark of practice is a share of the items that can be right or wrong; "
                f"{listed(each.item for each in lacking)} cannot ({because})."
            )
        elif practised and all(each.in_words for each in practised):
            yield (
                "protocol.yaml: every practice item is answered in words, and words that are not accepted are not "
                "scored, so that one accepted answer reaches any pass mark; give some items options or a range."
            )


def _practised(
    phases: StudyPhases,
    phase: Phase,
    items: Sequence[ItemRow],
    volumes: Sequence[VolumeRow],
    references: Sequence[ReferenceRow],
) -> list[_Practised]:
    """Return the practice items with a reference of a phase with a pass mark; empty if the phase has no pass mark."""
    rules = phases.rules_of(phase)
    if rules.practice is None or rules.practice.pass_mark == 0 or phase.kind != "items":
        return []
    of_item = {row.item: row for row in references}
    practised = []
    for item in items:
        key = rules.compared_in(item.form)
        field = next((each for each in rules.fields_of(item.form) if each.key == key), None) if item.practice else None
        reference = (
            reference_in(of_item[item.key], key, compared=True) if field is not None and item.key in of_item else None
        )
        if field is not None and reference is not None:
            practised.append(_of_item(rules, item, field, reference, volumes))
    return practised


def _of_item(
    rules: PhaseRules, item: ItemRow, field: PhaseField, reference: FieldReference, volumes: Sequence[VolumeRow]
) -> _Practised:
    if reference.compared_by == "people":
        return _Practised(item.key, _BY_PEOPLE, in_words=True)
    if field.key in rules.takes_options and item.options:
        return _Practised(item.key, "", in_words=False, accepts_all=_accepts_all(item.options, reference))
    kind = KINDS[field.type]
    apart = kind.scale == "place" and rules.shows_volumes and lies_apart(rules.hanging, item, volumes)
    return _Practised(
        item.key,
        _APART if apart else "",
        in_words=kind.is_in_words(reference.low, reference.high),
        accepts_all=kind.scale in ("nominal", "ordinal")
        and _accepts_all([(option.id, option.text) for option in field.offered], reference),
    )


def _accepts_all(options: Sequence[tuple[str, str]], reference: FieldReference) -> bool:
    ids = {option for option, _ in options}
    return bool(ids) and ids <= set(reference.accepted)
