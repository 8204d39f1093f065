"""Deal units to slots at random when not everybody rates everything, with loads as even as possible."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Collection, Mapping, Sequence

# The slots to which each unit was dealt, by unit key.
Dealt = dict[str, tuple[str, ...]]


class TooFewSlots(ValueError):
    """Some units have fewer eligible slots than the number of raters asked for.

    Attributes
    ----------
    units
        The keys of these units.
    most
        The largest number of eligible slots among them.
    """

    def __init__(self, units: Sequence[str], most: int) -> None:
        super().__init__(f"{len(units)} units have at most {most} slots.")
        self.units = tuple(units)
        self.most = most


def deal(
    units: Sequence[str],
    slots: Sequence[str],
    per_unit: int | None,
    barred: Mapping[str, Collection[str]],
    rng: random.Random,
) -> Dealt:
    """Deal units to slots.

    Parameters
    ----------
    units, slots
        Their names.
    per_unit
        How many slots rate each unit, drawn at random; None for all that may.
    barred
        The slots that must not rate each unit, by unit.

    Returns
    -------
    dict
        The slots of each unit, by unit, in the order of `slots`.

    Raises
    ------
    TooFewSlots
        A unit has fewer than `per_unit` slots that may rate it, or none.

    Notes
    -----
    Units are taken in random order, and each goes to the slots with the fewest units so far, with ties drawn at
    random. Without barred slots, loads then never differ by more than one. With them, units are moved from fuller to
    emptier slots along the shortest chain of moves while a slot has at least two more than one reachable from it: no
    deal of these units has more even loads (Harvey, Ladner, Lovász and Tamir, J Algorithms 2006;59:53-78).
    """
    may = {unit: [slot for slot in slots if slot not in barred.get(unit, ())] for unit in units}
    short = [unit for unit in units if len(may[unit]) < (per_unit or 1)]
    if short:
        raise TooFewSlots(short, max(len(may[unit]) for unit in short))
    if per_unit is None:
        return {unit: tuple(may[unit]) for unit in units}
    loads = dict.fromkeys(slots, 0)
    has: dict[str, set[str]] = {}
    for unit in rng.sample(units, len(units)):
        by_load = sorted(may[unit], key=lambda slot: (loads[slot], rng.random()))
        has[unit] = set(by_load[:per_unit])
        for slot in has[unit]:
            loads[slot] += 1
    if any(barred.values()):
        _even_out(may, has, loads)
    return {unit: tuple(slot for slot in slots if slot in has[unit]) for unit in units}


def _even_out(may: Mapping[str, Sequence[str]], has: dict[str, set[str]], loads: dict[str, int]) -> None:
    """Move units to emptier slots while that brings two loads closer together."""
    moved = True
    while moved:
        moved = False
        for fullest in sorted(loads, key=lambda slot: -loads[slot]):
            chain = _chain_of_moves(fullest, may, has, loads)
            for unit, giver, taker in chain:
                has[unit].remove(giver)
                has[unit].add(taker)
                loads[giver] -= 1
                loads[taker] += 1
            if chain:
                moved = True
                break


def _chain_of_moves(
    fullest: str, may: Mapping[str, Sequence[str]], has: Mapping[str, set[str]], loads: Mapping[str, int]
) -> list[tuple[str, str, str]]:
    """Return the shortest chain of moves (unit, from, to) from a slot to one with at least two fewer units."""
    came_by: dict[str, tuple[str, str, str] | None] = {fullest: None}
    waiting = deque([fullest])
    while waiting:
        giver = waiting.popleft()
        if loads[giver] <= loads[fullest] - 2:
            chain = []
            step = came_by[giver]
            while step is not None:
                chain.append(step)
                step = came_by[step[1]]
            return chain
        for unit, holders in has.items():
            if giver in holders:
                for taker in may[unit]:
                    if taker not in holders and taker not in came_by:
                        came_by[taker] = (unit, giver, taker)
                        waiting.append(taker)
    return []
