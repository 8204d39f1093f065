"""What units that were drawn have in common of what tells the reference, as if their phase had selected it so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import product

from protocol.language.expansion import Attribute, Expansion, Phase
from protocol.language.listed import phases_of_listed
from protocol.language.narrowing import (
    Left,
    apart_from,
    decided_by_the_draw,
    selected_by,
    selecting_as_drawn,
    telling_drawn_by,
)
from protocol.language.pools import kind_rated
from protocol.language.results import values_as_stored
from protocol.study_phases import StudyPhases
from services.studies.drawing_phases import DrawnPhase
from services.studies.sampling.units import Unit
from services.studies.stored_pool import Pool

# Selections by what stands in the form of whoever reads it, or apart from all others: they say nothing beside that.
_NO_PROXY = frozenset({"practice", "format"})
# Of one, all units have one value in any case.
_FEWEST_SUBJECTS = 2


def asked_of(study: Expansion, phases: StudyPhases, left: Mapping[str, Left]) -> tuple[StudyPhases, ...]:
    """Return the phases of which the law is asked: as they are written, and once more as they were drawn.

    What a draw left, or answers can leave, counts as if it had been selected, and opens nothing that was refused
    without it.
    """
    return (phases, phases_of_listed(selecting_as_drawn(study, left))) if left else (phases,)


def left_by_draws(
    study: Expansion, drawn: Sequence[DrawnPhase], pool: Pool, to_come: Set[str] = frozenset()
) -> dict[str, Left]:
    """Return by the key of a phase what its units have in common, where that is more than all material has.

    Nobody may have the other values that a selection leaves, a size of few may draw none, and what is drawn apart from
    another phase may be what that one does not select. What is selected by another attribute can be of one value as
    well, as can be the pairs that a table names. Of what answers let in, any one value can be all that is left, so that
    the first stands for each.

    Parameters
    ----------
    to_come
        Keys of the phases of which everything is named here that answers could let in.
    """
    left: dict[str, Left] = {}
    for part in drawn:
        phase = study.phase(part.key)
        is_listed = phase.pairs is not None and phase.pairs.of is None
        values: dict[str, str] = {}
        unlike, alike = [], []
        for attribute in study.attributes:
            # What everything has, a draw tells of nothing.
            if not attribute.tells_reference or not _has_several(attribute, pool):
                continue
            key = attribute.key
            # A table of pairs selects as its author likes.
            beside_one = any(name in left and key in left[name].values for name in apart_from(study, phase))
            is_decided = is_listed or beside_one or key in decided_by_the_draw(study, phase)
            value = _one_value(part, key, pool, any_of_them=part.key in to_come and is_decided)
            if value and (is_decided or _stands_for(study, phase, key, pool)):
                values[key] = value
            if is_listed and attribute.table == "candidates":
                differ = {len(set(_values(row.unit, key, pool))) > 1 for row in part.sample.units}
                unlike += [key] * (differ == {True} and _can_be(key, pool, unlike=False))
                alike += [key] * (differ == {False} and _can_be(key, pool, unlike=True))
        if values or unlike or alike:
            left[part.key] = Left(values, tuple(unlike), tuple(alike))
    return left


@dataclass(frozen=True)
class Share:
    """What of a phase comes again from another one, or is new, where all of that has one value of what tells.

    Attributes
    ----------
    telling, blind
        Keys of the two phases.
    key, value
        The attribute, and the value that all that is left has.
    is_new
        Whether it is what of the second the first has not.
    units
        What it is.
    """

    telling: str
    blind: str
    key: str
    value: str
    is_new: bool
    units: tuple[Unit, ...]


def shares_of_draws(study: Expansion, drawn: Sequence[DrawnPhase], pool: Pool, to_come: Set[str]) -> Iterator[Share]:
    """Yield what is known of units by their having been, or not, in a phase that selects by what tells the reference.

    What was not there where all tumours and strokes were is neither; what comes again where no tumours are is a stroke.
    So it is where a sample that is shared out over the values, or limited in each, took all that there is of one. Of
    phases that are dealt nobody has all, and what answers let in is not known yet.

    Parameters
    ----------
    to_come
        As of `left_by_draws`.
    """
    telling = [part for part in drawn if not part.slots and part.key not in to_come]
    for part in telling:
        drawn_by = telling_drawn_by(study, study.phase(part.key))
        for attribute in study.attributes:
            if attribute.key not in drawn_by or not _has_several(attribute, pool):
                continue
            of_answers = attribute.table == "candidates"
            there = {row.unit.key if of_answers else row.unit.item for row in part.sample.units}
            for other, is_new in product(drawn, (True, False)):
                units = [row.unit for row in other.sample.units]
                part_of = tuple(unit for unit in units if is_new != ((unit.key if of_answers else unit.item) in there))
                values = {value for unit in part_of for value in _values(unit, attribute.key, pool)}
                enough = len({unit.subject for unit in part_of}) >= _FEWEST_SUBJECTS and len(part_of) < len(units)
                value = next(iter(values), "")
                if enough and value and len(values) == 1:
                    yield Share(part.key, other.key, attribute.key, value, is_new, part_of)


def _has_several(attribute: Attribute, pool: Pool) -> bool:
    """Return whether what counts has more than one value of an attribute; an empty cell may stand for any."""
    units = pool.candidates if attribute.table == "candidates" else pool.items
    counts = (unit for unit in units.values() if not unit.practice and not unit.given_in)
    return len({unit.value(attribute.key) for unit in counts}) > 1


def _one_value(part: DrawnPhase, key: str, pool: Pool, *, any_of_them: bool) -> str:
    """Return the value that all units of a phase have; an empty cell says nothing of the reference.

    Parameters
    ----------
    any_of_them
        Whether the first is meant where they have several.
    """
    values = {value for row in part.sample.units for value in _values(row.unit, key, pool)}
    some = sorted(values - {""})
    return some[0] if some and (any_of_them or len(values) == 1) else ""


def _values(unit: Unit, key: str, pool: Pool) -> list[str]:
    """Return an attribute of a unit; of a pair, that of each of its answers."""
    # Of those, a version may have replaced one.
    return [pool.candidates.get(answer, unit).value(key) for answer in unit.pair] or [unit.value(key)]


def _stands_for(study: Expansion, phase: Phase, key: str, pool: Pool) -> bool:
    """Return whether what a phase selects by other attributes is all of one value of this one."""
    chosen = {
        name: set(values_as_stored(name, sorted(values), study.attributes))
        for name, values in selected_by(study, phase).items()
        if name not in _NO_PROXY and "." not in name
    }
    of_answers = kind_rated(phase) in ("candidates", "pairs")
    units = (pool.candidates if of_answers else pool.items).values()
    left = [
        unit
        for unit in units
        if not unit.practice and all(unit.value(name) in values for name, values in chosen.items())
    ]
    one_value = len({unit.value(key) for unit in left}) == 1
    return bool(chosen) and one_value and len({unit.subject for unit in left}) >= _FEWEST_SUBJECTS


def _can_be(key: str, pool: Pool, *, unlike: bool) -> bool:
    """Return whether two answers to an item differ, or are alike, in an attribute, so that a table of pairs chooses."""
    by_item: dict[str, list[str]] = {}
    for unit in pool.candidates.values():
        if not unit.given_in:
            by_item.setdefault(unit.item, []).append(unit.value(key))
    several = [values for values in by_item.values() if len(values) > 1]
    return any(len(set(values)) > 1 if unlike else len(set(values)) < len(values) for values in several)
