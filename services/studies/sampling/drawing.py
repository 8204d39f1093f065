"""The draw: for each place in turn, a unit with equal chances from those with which the sample can be completed."""

from __future__ import annotations

import random
from collections.abc import Sequence

from services.studies.sampling.completion import Completion
from services.studies.sampling.pool import Pool

# After this many failed tries in a stratum, units that can no longer be drawn are set aside.
TRIES = 32


class Untried:
    """The units of a stratum that were not tried yet, drawn without replacement.

    This is the Fisher-Yates shuffle without copying the list: moves are noted separately. It only uses
    `Random.random`, whose sequence Python guarantees for a seed. A position's chance deviates from equality by less
    than one in 2 ** 34.
    """

    def __init__(self, units: Sequence[int]) -> None:
        self._units = units
        self._moved: dict[int, int] = {}
        self.left = len(units)

    def draw(self, rng: random.Random) -> int:
        """Remove one of the remaining units, each with equal chances, and return it."""
        moved, last = self._moved, self.left - 1
        position = int(rng.random() * self.left)
        drawn = moved.get(position, position)
        moved[position] = moved.get(last, last)
        self.left = last
        return self._units[drawn]

    def remaining(self) -> list[int]:
        """Return the remaining units."""
        return [self._units[self._moved.get(position, position)] for position in range(self.left)]


def _shuffle(places: list[int], rng: random.Random) -> None:
    chance = rng.random
    for last in range(len(places) - 1, 0, -1):
        other = int(chance() * (last + 1))
        places[last], places[other] = places[other], places[last]


def draw_once(pool: Pool, key: str) -> list[int]:
    """Draw a sample from a pool that has at least one, with the random numbers of a key.

    The draw is first tried without looking ahead. If it reaches the end, every unit on the way could be completed, and
    looking ahead would have drawn the same. If not, it starts again with the same random numbers and looks ahead.
    """
    drawn = fill_places(pool, random.Random(key), None)
    if len(drawn) == pool.size:
        return drawn
    completion = pool.completion
    completion.restart(drawn)
    return fill_places(pool, random.Random(key), completion)


def fill_places(pool: Pool, rng: random.Random, completion: Completion | None) -> list[int]:
    """Fill the places in random order; without a completion, stop early when a place cannot be filled."""
    room = list(pool.most)
    groups, strata = pool.groups, pool.strata
    drawn: list[int] = []
    for unit in pool.certain_units:
        # Loops instead of function calls, here and below: one probability takes some hundred thousand runs of this.
        for group in groups[unit]:
            if not room[group]:
                return drawn
        if completion is not None and not completion.admits(unit):
            return drawn
        drawn.append(unit)
        for group in groups[unit]:
            room[group] -= 1
    places = pool.open_places.copy()
    _shuffle(places, rng)
    untried: dict[int, Untried] = {}
    for stratum in places:
        units = untried.get(stratum)
        if units is None:
            units = untried[stratum] = Untried(strata[stratum])
        vain = 0
        while units.left:
            if vain > TRIES and 4 * vain > units.left:
                left = [unit for unit in units.remaining() if all(room[group] for group in groups[unit])]
                units = untried[stratum] = Untried(left)
                vain = 0
                continue
            unit = units.draw(rng)
            for group in groups[unit]:
                if not room[group]:
                    break
            else:
                if completion is None or completion.admits(unit):
                    break
            vain += 1
        else:
            return drawn
        drawn.append(unit)
        for group in groups[unit]:
            room[group] -= 1
    return drawn
