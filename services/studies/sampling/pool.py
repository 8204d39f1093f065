"""A plan in numbers: units and groups as indices, so that 20,000 repeats of a draw are fast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from services.studies.sampling.completion import Completion, Flow, IntegerProgram


@dataclass(frozen=True)
class Partition:
    """Groups of units with a maximum number that may be drawn from each.

    Attributes
    ----------
    label
        For each unit, the index of its group, or -1 if it is in none.
    most
        How many units of each group may be drawn.
    """

    label: Sequence[int]
    most: Sequence[int]

    def within(self, other: Partition) -> bool:
        """Return whether each group is contained in one of the other's groups, or is outside all of them."""
        around: dict[int, int] = {}
        return all(
            inner == -1 or around.setdefault(inner, outer) == outer
            for inner, outer in zip(self.label, other.label, strict=True)
        )


def limit_by(value: Callable[[int], str], size: int, most: int) -> Partition | None:
    """Return the groups of equal values on which a limit can bite; None if it bites on none.

    Units without a value are not limited, and a group with no more units than may be drawn needs no limit.
    """
    counts: dict[str, int] = {}
    values = [value(unit) for unit in range(size)]
    for text in values:
        counts[text] = counts.get(text, 0) + 1
    groups = {text: position for position, text in enumerate(t for t, n in counts.items() if t and n > most)}
    if not groups:
        return None
    return Partition([groups.get(text, -1) for text in values], [most] * len(groups))


@dataclass(frozen=True)
class Pool:
    """The numbers that a draw works on.

    Attributes
    ----------
    stratum
        For each unit, the index of its stratum.
    wanted
        How many units are drawn in each stratum.
    limits
        The limits that no draw may exceed.
    """

    stratum: Sequence[int]
    wanted: Sequence[int]
    limits: Sequence[Partition]

    @property
    def size(self) -> int:
        """How many units are drawn in all."""
        return sum(self.wanted)

    @cached_property
    def strata(self) -> list[list[int]]:
        """The units of each stratum."""
        units: list[list[int]] = [[] for _ in self.wanted]
        for unit, stratum in enumerate(self.stratum):
            units[stratum].append(unit)
        return units

    @cached_property
    def most(self) -> list[int]:
        """How many units of each limited group may be drawn, the groups of all limits one after another."""
        return [most for limit in self.limits for most in limit.most]

    @cached_property
    def groups(self) -> list[tuple[int, ...]]:
        """For each unit, its limited groups as indices into `most`."""
        if not self.limits:
            return [()] * len(self.stratum)
        starts, start = [], 0
        for limit in self.limits:
            starts.append(start)
            start += len(limit.most)
        labels = zip(*(limit.label for limit in self.limits), strict=True)
        return [tuple(first + label for first, label in zip(starts, row, strict=True) if label >= 0) for row in labels]

    @cached_property
    def certain(self) -> list[bool]:
        """For each stratum, whether all its units are drawn."""
        return [len(units) == wanted for units, wanted in zip(self.strata, self.wanted, strict=True)]

    @cached_property
    def certain_units(self) -> list[int]:
        """The units of the strata that are drawn in full."""
        return [unit for units, certain in zip(self.strata, self.certain, strict=True) if certain for unit in units]

    @cached_property
    def open_places(self) -> list[int]:
        """The strata that are not drawn in full, each repeated once per unit wanted from it."""
        wanted = zip(self.wanted, self.certain, strict=True)
        return [stratum for stratum, (places, certain) in enumerate(wanted) if not certain for _ in range(places)]

    @cached_property
    def unlimited(self) -> list[bool]:
        """For each stratum, whether no limit bites on any of its units."""
        return [not self.limits or not any(self.groups[unit] for unit in units) for units in self.strata]

    @cached_property
    def completion(self) -> Completion:
        """The object that decides whether a partial sample can be completed.

        If strata and limits form two chains of nested partitions (templates within categories; subjects within sites),
        samples are flows through a network. If they cross one another in more ways, it takes an integer program.
        """
        strata = Partition(self.stratum, self.wanted)
        chains = two_chains([strata, *self.limits])
        if chains is None:
            return IntegerProgram(len(self.stratum), [strata, *self.limits], self.size)
        return Flow(len(self.stratum), *chains)


def two_chains(partitions: Sequence[Partition]) -> tuple[list[Partition], list[Partition]] | None:
    """Put partitions into two chains, each from finest to coarsest, with the first partition in the first chain.

    Return None if at least three of them cross one another.
    """
    many = range(len(partitions))
    within = [[partitions[inner].within(partitions[outer]) for outer in many] for inner in many]

    def chain(members: Sequence[int]) -> list[Partition] | None:
        ordered = sorted(members, key=lambda a: (-sum(within[a][b] for b in members), a))
        if not all(within[inner][outer] for inner, outer in combinations(ordered, 2)):
            return None
        return [partitions[member] for member in ordered]

    for choice in range(2 ** (len(partitions) - 1)):
        second = [member for member in many if member and choice >> (member - 1) & 1]
        first = [member for member in many if member not in second]
        chains = chain(first), chain(second)
        if chains[0] is not None and chains[1] is not None:
            return chains[0], chains[1]
    return None
