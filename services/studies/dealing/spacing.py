"""Random orders that keep things about one subject apart: drawn once and never recomputed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
REPEATED_DRAWS = 50


def spaced(things: Sequence[T], subjects: Sequence[str], distance: int, rng: random.Random) -> list[T]:
    """Return `things` in random order with at least `distance` others between two of one subject, if possible.

    A random draw can end with only one subject left, so it is repeated a few times. If no draw keeps the distance, the
    subject with the most things left goes first at each place, which keeps the distance whenever any order does. If
    none does, the first draw is used, so that there is always an order.
    """
    if distance == 0:
        return _drawn_without_distance(things, subjects, rng)
    first, is_spaced = _drawn(things, subjects, distance, rng)
    if is_spaced:
        return first
    for _ in range(REPEATED_DRAWS):
        order, is_spaced = _drawn(things, subjects, distance, rng)
        if is_spaced:
            return order
    order, is_spaced = _drawn(things, subjects, distance, rng, most_left_first=True)
    return order if is_spaced else first


def _drawn(
    things: Sequence[T],
    subjects: Sequence[str],
    distance: int,
    rng: random.Random,
    *,
    most_left_first: bool = False,
) -> tuple[list[T], bool]:
    """Return an order, and whether it keeps the distance.

    At each place a subject is drawn among those that have rested long enough, in proportion to how many of its things
    are left; if none has, the one that has rested longest goes next.
    """
    left: dict[str, list[T]] = {}
    for thing, subject in zip(things, subjects, strict=True):
        left.setdefault(subject, []).append(thing)
    for waiting in left.values():
        rng.shuffle(waiting)
    last_place: dict[str, int] = {}
    order: list[T] = []
    is_spaced = True
    while left:
        place = len(order)
        rested = [pseudonym for pseudonym in left if place - last_place.get(pseudonym, -distance - 1) > distance]
        if rested and most_left_first:
            subject = max(rested, key=lambda pseudonym: (len(left[pseudonym]), rng.random()))
        elif rested:
            subject = rng.choices(rested, weights=[len(left[pseudonym]) for pseudonym in rested])[0]
        else:
            is_spaced = False
            subject = min(left, key=lambda pseudonym: last_place[pseudonym])
        order.append(left[subject].pop())
        last_place[subject] = place
        if not left[subject]:
            del left[subject]
    return order, is_spaced


def _drawn_without_distance(things: Sequence[T], subjects: Sequence[str], rng: random.Random) -> list[T]:
    """Return the order that `_drawn` draws without a distance, but not in quadratic time.

    `random.choices` would rebuild its list of cumulative sums for each place; here they are looked up in a tree.
    """
    left: dict[str, list[T]] = {}
    for thing, subject in zip(things, subjects, strict=True):
        left.setdefault(subject, []).append(thing)
    waiting = list(left.values())
    for of_subject in waiting:
        rng.shuffle(of_subject)
    sums = _Sums([len(of_subject) for of_subject in waiting])
    order: list[T] = []
    for remaining in range(len(things), 0, -1):
        place = sums.place_of(rng.random() * (remaining + 0.0))
        order.append(waiting[place].pop())
        sums.take_one(place)
    return order


class _Sums:
    """Numbers with a fast look-up of the index at which their cumulative sum exceeds a value (Fenwick 1994)."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = list(numbers)
        self._tree = [0, *numbers]
        for node in range(1, len(self._tree)):
            above = node + (node & -node)
            if above < len(self._tree):
                self._tree[above] += self._tree[node]

    def place_of(self, value: float) -> int:
        """Return the first index at which the cumulative sum exceeds a value, or the last index."""
        node, step = 0, 1 << len(self._tree).bit_length()
        while step:
            if node + step < len(self._tree) and self._tree[node + step] <= value:
                node += step
                value -= self._tree[node]
            step >>= 1
        # A product that was rounded up to the whole sum belongs to the last index.
        place = min(node, len(self._numbers) - 1)
        while not self._numbers[place]:
            place -= 1
        return place

    def take_one(self, place: int) -> None:
        """Reduce the number at an index by one."""
        self._numbers[place] -= 1
        node = place + 1
        while node < len(self._tree):
            self._tree[node] -= 1
            node += node & -node
