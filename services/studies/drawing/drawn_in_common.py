"""Values that tell the reference and that all drawn units of a phase share, as if the phase had selected by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import product

from protocol.language.bins import level_of
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
from services.studies.drawing.drawn_phase import DrawnPhase
from services.studies.drawing.pool import Pool
from services.studies.sampling.units import Unit

# Selections by something that the form shows to its readers anyway: they reveal nothing more.
_NO_PROXY = frozenset({"practice", "format"})
# The units of a single subject have one value in any case.
_FEWEST_SUBJECTS = 2
# How a value is read: as written, or as its level between the bounds of a number.
_Read = Callable[[str], str]


def asked_of(study: Expansion, phases: StudyPhases, left: Mapping[str, Left]) -> tuple[StudyPhases, ...]:
    """Return the phases to check against the safety rules: as they are written, and again as they were drawn.

    What a draw left, or answers can leave, counts as if it had been selected. It never permits anything that was
    refused without it.
    """
    return (phases, phases_of_listed(selecting_as_drawn(study, left))) if left else (phases,)


def left_by_draws(
    study: Expansion,
    drawn: Sequence[DrawnPhase],
    pool: Pool,
    to_come: Set[str] = frozenset(),
) -> dict[str, Left]:
    """Return what a phase's units have in common beyond what all units share, by the key of the phase.

    A draw can leave a single value for several reasons: no unit may have the other values that a selection allows, a
    small sample may miss them, and a draw apart from another phase may only get what that phase did not select.
    Selecting by another attribute can also leave one value, as can a table of pairs or a rule for them. If answers
    decide what is let in, any one value may be all that remains, so the first stands for each.

    Parameters
    ----------
    to_come
        Keys of the phases for which `drawn` holds everything that answers could let in.
    """
    left: dict[str, Left] = {}
    for part in drawn:
        phase = study.phase(part.key)
        is_listed = phase.pairs is not None and phase.pairs.of is None
        values: dict[str, str] = {}
        unlike, alike = [], []
        for attribute, read in _read_in_each_way(study):
            # If all units have the same value, a draw reveals nothing by it.
            if not attribute.tells_reference or attribute.key in values or not _has_several(attribute, pool, read):
                continue
            key = attribute.key
            # The author of a table of pairs can select by anything.
            beside_one = any(name in left and key in left[name].values for name in apart_from(study, phase))
            is_decided = is_listed or beside_one or key in decided_by_the_draw(study, phase)
            units = [row.unit for row in part.sample.units]
            value = _one_value(units, part, attribute, pool, read, any_of_them=part.key in to_come and is_decided)
            if value is not None and (is_decided or _stands_for(study, phase, key, pool, read)):
                values[key] = value
            if phase.pairs is not None and attribute.table == "candidates":
                differ = {len(set(_values(unit, key, pool, read))) > 1 for unit in units}
                # A rule names a column in which answers differ, which may coincide with this one in all of them.
                by_rule = not is_listed and len({unit.subject for unit in units}) >= _FEWEST_SUBJECTS
                unlike += [key] * (
                    differ == {True} and (by_rule or (is_listed and _can_be(key, pool, read, unlike=False)))
                )
                alike += [key] * (
                    differ == {False} and (by_rule or is_listed) and _can_be(key, pool, read, unlike=True)
                )
        if values or unlike or alike:
            left[part.key] = Left(values, tuple(dict.fromkeys(unlike)), tuple(dict.fromkeys(alike)))
    return left


def _read_in_each_way(study: Expansion) -> Iterator[tuple[Attribute, _Read]]:
    """Yield each attribute with the ways of reading its values: a level tells the reference as a value does."""
    for attribute in study.attributes:
        yield attribute, str
        if attribute.bins:
            yield attribute, partial(level_of, attribute.bins)


@dataclass(frozen=True)
class Share:
    """Units of a phase that recur from another phase, or are new, and all have one value that tells the reference.

    Attributes
    ----------
    telling, blind
        Keys of the two phases.
    key, value
        The attribute, and the value that all these units have.
    is_new
        Whether these are the units of the second phase that the first does not have.
    units
        The units.
    """

    telling: str
    blind: str
    key: str
    value: str
    is_new: bool
    units: tuple[Unit, ...]

    @property
    def comes(self) -> str:
        """How its units are known, as words to follow them."""
        return "is new" if self.is_new else "comes again"


def shares_of_draws(study: Expansion, drawn: Sequence[DrawnPhase], pool: Pool, to_come: Set[str]) -> Iterator[Share]:
    """Yield what membership of a phase that selects by what tells the reference reveals about units of other phases.

    A unit absent from the phase with all tumours and strokes is neither; one that recurs where there are no tumours is
    a stroke. The same holds if a sample that is divided among the values, or limited within each, took every unit of
    one value. Phases of which people are dealt a part are left out because nobody sees all of them, and phases that
    follow from answers because their units are not known yet.

    Parameters
    ----------
    to_come
        See `left_by_draws`.
    """
    telling = [part for part in drawn if _is_seen_whole(part) and part.key not in to_come]
    for part in telling:
        drawn_by = telling_drawn_by(study, study.phase(part.key))
        # Units of one value are of one level, too, which need not be said.
        of_one_value: set[tuple[str, str, bool]] = set()
        for attribute, read in _read_in_each_way(study):
            if attribute.key not in drawn_by or not _has_several(attribute, pool, read):
                continue
            of_answers = attribute.table == "candidates"
            there = {row.unit.key if of_answers else row.unit.item for row in part.sample.units}
            for other, is_new in product(drawn, (True, False)):
                units = [row.unit for row in other.sample.units]
                part_of = tuple(unit for unit in units if is_new != ((unit.key if of_answers else unit.item) in there))
                value = _one_value(part_of, other, attribute, pool, read)
                enough = len({unit.subject for unit in part_of}) >= _FEWEST_SUBJECTS and len(part_of) < len(units)
                about = (attribute.key, other.key, is_new)
                if enough and value is not None and about not in of_one_value:
                    of_one_value.add(about)
                    yield Share(part.key, other.key, attribute.key, value, is_new, part_of)


def _is_seen_whole(part: DrawnPhase) -> bool:
    """Return whether whoever gets units of a phase gets all of them.

    A single unit that one person gets may be one of several people's; one that several get counts as seen by everybody.
    """
    dealt_to = {frozenset(slots) for slots in part.slots.values()}
    return not dealt_to or (len(dealt_to) == 1 and (len(part.slots) > 1 or len(next(iter(dealt_to))) > 1))


def _has_several(attribute: Attribute, pool: Pool, read: _Read) -> bool:
    """Return whether the units that count have more than one value of an attribute; empty cells count as a value."""
    units = pool.candidates if attribute.table == "candidates" else pool.items
    counts = (unit for unit in units.values() if not unit.practice and not unit.given_in)
    return len({read(unit.value(attribute.key)) for unit in counts}) > 1


def _one_value(
    units: Sequence[Unit],
    part: DrawnPhase,
    attribute: Attribute,
    pool: Pool,
    read: _Read,
    *,
    any_of_them: bool = False,
) -> str | None:
    """Return the value that all of some units of a phase share, also if their cells are empty; None if they share none.

    Parameters
    ----------
    any_of_them
        Return the first value if they have several.
    """
    values = {value for unit in units for value in _values(unit, attribute.key, pool, read)}
    if any_of_them and values - {""}:
        return min(values - {""})
    # Items and answers of people have no cells in a column of candidates.
    of_models = part.rates in ("candidates", "pairs") and not any(unit.given_in for unit in units)
    without_cells = attribute.table == "candidates" and not of_models
    return next(iter(values)) if len(values) == 1 and not (without_cells and "" in values) else None


def _values(unit: Unit, key: str, pool: Pool, read: _Read) -> list[str]:
    """Return a unit's values of an attribute: one, or for a pair one for each answer."""
    # A version may have replaced one of the answers.
    values = [pool.candidates.get(answer, unit).value(key) for answer in unit.pair] or [unit.value(key)]
    return [read(value) for value in values]


def _stands_for(study: Expansion, phase: Phase, key: str, pool: Pool, read: _Read) -> bool:
    """Return whether a phase's selection by other attributes leaves a single value of this one."""
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
    one_value = len({read(unit.value(key)) for unit in left}) == 1
    return bool(chosen) and one_value and len({unit.subject for unit in left}) >= _FEWEST_SUBJECTS


def _can_be(key: str, pool: Pool, read: _Read, *, unlike: bool) -> bool:
    """Return whether an item has two answers that differ (or are alike) in an attribute, so that a table can choose."""
    by_item: dict[str, list[str]] = {}
    for unit in pool.candidates.values():
        if not unit.given_in:
            by_item.setdefault(unit.item, []).append(read(unit.value(key)))
    several = [values for values in by_item.values() if len(values) > 1]
    return any(len(set(values)) > 1 if unlike else len(set(values)) < len(values) for values in several)
