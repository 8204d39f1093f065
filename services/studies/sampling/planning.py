"""Which units are selected and how many are drawn of each stratum, or every reason why that is impossible."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from difflib import get_close_matches

from protocol.language.expansion import Limit, Sample, Source
from protocol.language.narrowing import NO_VALUE
from protocol.language.wording import size_in_words
from services.errors import counted
from services.studies.sampling.drawing import fill_places
from services.studies.sampling.pool import Partition, Pool, limit_by
from services.studies.sampling.remarks import Remarks, by_size, is_known, listed
from services.studies.sampling.selection import selected_by
from services.studies.sampling.sizes import equal, proportional, size_of
from services.studies.sampling.units import ALWAYS, Drawable, Unit, clusters_of

WHOLE = "all"  # the stratum of a sample without strata


@dataclass(frozen=True)
class Stratum:
    """A part of the selected units, and how many of it are drawn.

    Attributes
    ----------
    name
        The values of the attributes, joined by " / "; "all" if the sample has no strata.
    available
        How many were selected (with `unit: item`, items).
    planned
        How many are to be drawn; None if the sample is as large as the limits allow, without a number per stratum.
    """

    name: str
    available: int
    planned: int | None


@dataclass(frozen=True)
class Plan:
    """A sample that can be drawn.

    Attributes
    ----------
    frame
        What can be drawn, sorted by key.
    stratum_of
        For each unit of the frame, the index of its stratum.
    strata
        In the order of their names; numeric names are ordered by size.
    pool
        The same plan in numbers.
    notes
        What the study's author should know, a sentence each.
    """

    frame: tuple[Drawable, ...]
    stratum_of: tuple[int, ...]
    strata: tuple[Stratum, ...]
    pool: Pool
    notes: tuple[str, ...]


def plan(units: Iterable[Unit], source: Source, subjects_elsewhere: Set[str] = frozenset()) -> Plan:
    """Select from the units, and share a sample out over its strata.

    Practice items are left out unless `where` names practice or the units are those of a phase. Units without a
    response and units of subjects used elsewhere are always left out. `let_in` and `controls` depend on answers: pass
    in what was let in. Percentages refer to the units that remain.

    Raises
    ------
    CannotDraw
        With every reason: an unknown attribute, a condition that no unit meets, a size larger than its stratum, sizes
        for strata that do not exist, limits that cannot be met.
    """
    everything = list(units)
    keys = {unit.key for unit in everything}
    if len(keys) < len(everything):
        raise ValueError(f"{len(everything) - len(keys)} units have the key of another one, expected unique keys")
    remarks = Remarks()
    known = set(ALWAYS)
    # Units with equal attributes share one object.
    for attributes in {id(unit.attributes): unit.attributes for unit in everything}.values():
        known.update(attributes)
    selected = selected_by(everything, source, subjects_elsewhere, known, remarks)
    sample = source.sample or _ALL
    strata = [name for name in sample.strata if is_known(name, known, "sample.strata", remarks)]
    limits = [limit for limit in sample.at_most if is_known(limit.attribute, known, "sample.at_most", remarks)]
    frame = clusters_of(selected, sample.keeps_items_together)
    if sample.keeps_items_together:
        for name in dict.fromkeys([*strata, *(limit.attribute for limit in limits)]):
            _require_same_within_items(frame, name, remarks)
    if not selected or len(strata) < len(sample.strata):
        remarks.settle()
    columns = [[cluster.value(name) for cluster in frame] for name in strata]
    values: list[tuple[str, ...]] = list(zip(*columns, strict=True)) if columns else [()] * len(frame)
    order = sorted(set(values), key=lambda parts: [(part == "", by_size(part)) for part in parts])
    position = {parts: place for place, parts in enumerate(order)}
    names = [" / ".join(part or NO_VALUE for part in parts) or WHOLE for parts in order]
    stratum_of = [position[parts] for parts in values]
    available = [0] * len(names)
    for stratum in stratum_of:
        available[stratum] += 1
    wanted = _sizes(sample, names, available, remarks)
    remarks.settle()
    pool, free = _within_limits(frame, stratum_of, names, wanted, limits, sample, remarks)
    remarks.settle()
    _note_strata(names, available, wanted, free, remarks)
    _note_missing_values(frame, limits, remarks)
    rows = [
        Stratum(name, units_there, None if free else planned)
        for name, units_there, planned in zip(names, available, wanted, strict=True)
    ]
    return Plan(tuple(frame), tuple(stratum_of), tuple(rows), pool, tuple(remarks.notes))


_ALL = Sample(
    size="all", strata=[], allocation="proportional", sizes=[], at_most=[], not_in=[], keeps_items_together=False
)


def _require_same_within_items(frame: Sequence[Drawable], name: str, remarks: Remarks) -> None:
    for cluster in frame:
        values = {unit.value(name) for unit in cluster.members}
        if len(values) > 1:
            remarks.reasons.append(
                f"sample.unit: candidates of an item are drawn together, but '{name}' differs among those of item "
                f"'{cluster.key}' ({listed(sorted(values))}); use an attribute of items, or remove unit."
            )
            return


def _sizes(sample: Sample, names: Sequence[str], available: Sequence[int], remarks: Remarks) -> list[int]:
    """Return how many are drawn of each stratum."""
    if sample.sizes:
        return _sizes_by_stratum(sample, names, available, remarks)
    total = sum(available)
    size = size_of(sample.size, total)
    if size == 0:
        remarks.reasons.append(
            f"sample.size: {size_in_words(sample.size)} of {counted(total, 'unit')} is less than a unit, expected "
            "at least one; write a larger share or a number."
        )
        return [0] * len(names)
    if sample.size == "all":
        return list(available)
    if size > total:
        remarks.reasons.append(
            f"sample.size: {size} units are wanted, but only {total} can be drawn; "
            f"write {total} or fewer, or add units."
        )
        return list(available)
    if sample.allocation == "proportional":
        return proportional(size, available)
    wanted = equal(size, available)
    for name, share, units in zip(names, wanted, available, strict=True):
        _require_available(name, share, units, "sample.allocation", remarks)
    return wanted


def _sizes_by_stratum(sample: Sample, names: Sequence[str], available: Sequence[int], remarks: Remarks) -> list[int]:
    written = {size.stratum: size.size for size in sample.sizes}
    of = listed(sample.strata)
    for stratum in written:
        if stratum not in names:
            near = get_close_matches(stratum, names, n=1, cutoff=0.6)
            hint = f" (nearest: '{near[0]}')" if near else ""
            remarks.reasons.append(
                f"sample.sizes: there is no stratum '{stratum}' of {of}{hint}, expected {listed(names)}; "
                "correct the name or remove it."
            )
    wanted = []
    for name, units in zip(names, available, strict=True):
        if name not in written:
            remarks.reasons.append(
                f"sample.sizes: stratum '{name}' of {of} has {counted(units, 'unit')} and no size; "
                "give it a number, a share, all, or 0 %."
            )
        size = size_of(written.get(name, "0 %"), units)
        _require_available(name, size, units, "sample.sizes", remarks)
        wanted.append(size)
    if names and set(names) <= set(written) and sum(wanted) == 0:
        remarks.reasons.append("sample.sizes: nothing is drawn of any stratum, expected at least one unit; correct it.")
    return wanted


def _require_available(name: str, wanted: int, available: int, place: str, remarks: Remarks) -> None:
    if wanted > available:
        remarks.reasons.append(
            f"{place}: {wanted} units are wanted of stratum '{name}', but it has {available}; "
            f"write {available} or fewer, or add units."
        )


def _within_limits(
    frame: Sequence[Drawable],
    stratum_of: Sequence[int],
    names: Sequence[str],
    wanted: Sequence[int],
    limits: Sequence[Limit],
    sample: Sample,
    remarks: Remarks,
) -> tuple[Pool, bool]:
    """Return the pool, and whether it is drawn as large as the limits allow, without a number for each stratum."""
    partitions: list[Partition] = []
    for limit in limits:
        partition = limit_by(_values(frame, limit.attribute), len(frame), limit.most)
        if partition is not None:
            partitions.append(partition)
    pool = Pool(stratum_of, wanted, partitions)
    if not partitions:
        return pool, False
    if sample.size == "all":
        everything = Pool([0] * len(frame), [len(frame)], partitions)
        return Pool(everything.stratum, [everything.completion.maximum()], partitions), True
    if len(fill_places(pool, random.Random(0), None)) == pool.size:
        return pool, False  # A sample exists, so any random numbers will find one.
    said = " and ".join(f"{limit.most} per {limit.attribute}" for limit in limits)
    largest = pool.completion.maximum()
    if largest == pool.size:
        return pool, False
    for stratum, units in enumerate(pool.strata):
        alone = pool.completion.maximum(units)
        if alone < wanted[stratum]:
            what = f"stratum '{names[stratum]}'" if sample.strata else "the sample"
            remarks.reasons.append(
                f"sample.at_most: {wanted[stratum]} units are wanted of {what}, but with at most {said} the largest "
                f"number that exists is {alone}; write {alone} or fewer, or allow more."
            )
    if not remarks.reasons:
        remarks.reasons.append(
            f"sample.at_most: {pool.size} units are wanted of the strata {listed(names)} together, but with at most "
            f"{said} the largest number that exists is {largest}, although each stratum alone has enough; "
            "write smaller sizes or allow more."
        )
    return pool, False


def _values(frame: Sequence[Drawable], name: str) -> Callable[[int], str]:
    return lambda place: frame[place].value(name)


def _note_strata(
    names: Sequence[str], available: Sequence[int], wanted: Sequence[int], free: bool, remarks: Remarks
) -> None:
    if len(names) == 1:
        return
    single = [name for name, units in zip(names, available, strict=True) if units == 1]
    if single:
        which = "Stratum" if len(single) == 1 else "Strata"
        remarks.notes.append(f"{which} {listed(single)} with a single unit: no variance can be estimated within it.")
    empty = [name for name, size in zip(names, wanted, strict=True) if size == 0]
    if empty and not free:
        which = "stratum" if len(empty) == 1 else "strata"
        remarks.notes.append(
            f"Nothing is drawn of {which} {listed(empty)}: weighted estimates speak for the other strata only."
        )


def _note_missing_values(frame: Sequence[Drawable], limits: Sequence[Limit], remarks: Remarks) -> None:
    for limit in limits:
        missing = sum(not cluster.value(limit.attribute) for cluster in frame)
        if missing:
            said = f"{counted(missing, 'unit')} without a {limit.attribute}"
            remarks.notes.append(f"{said}: sample.at_most does not limit what has no {limit.attribute}.")
