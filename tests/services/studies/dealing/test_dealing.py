"""Units dealt to slots: as many raters for each as were asked for, with loads that differ by at most one."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, product

import pytest

from services.studies.dealing.slots import Dealt, TooFewSlots, deal

SLOTS = tuple(f"raters/{number}" for number in range(1, 6))


def loads_of(dealt: Dealt, slots: tuple[str, ...] = SLOTS) -> list[int]:
    counted = Counter(slot for to in dealt.values() for slot in to)
    return sorted(counted[slot] for slot in slots)


@pytest.mark.parametrize(("units", "per_unit"), list(product((1, 7, 20, 101), (1, 2, 3, 5))))
def test_loads_differ_by_at_most_one(units: int, per_unit: int) -> None:
    for seed in range(20):
        dealt = deal([f"u{n}" for n in range(units)], SLOTS, per_unit, {}, random.Random(seed))

        assert all(len(set(to)) == per_unit for to in dealt.values())
        assert loads_of(dealt)[-1] - loads_of(dealt)[0] <= 1


def test_any_two_can_meet_over_a_unit() -> None:
    dealt = deal([f"u{n}" for n in range(400)], SLOTS, 2, {}, random.Random(1))

    pairs = Counter(dealt.values())
    assert set(pairs) == set(combinations(SLOTS, 2))
    # 400 units over ten pairs: about 40 each.
    assert min(pairs.values()) > 20


def test_the_same_key_deals_the_same_and_another_differently() -> None:
    units = [f"u{n}" for n in range(30)]

    first, again, other = (deal(units, SLOTS, 2, {}, random.Random(seed)) for seed in (1, 1, 2))

    assert first == again
    assert first != other


def test_nobody_is_dealt_what_they_are_barred_from_and_loads_are_evened_out() -> None:
    units = [f"u{n}" for n in range(40)]
    barred = {unit: {SLOTS[place % 2]} for place, unit in enumerate(units)}

    for seed in range(20):
        dealt = deal(units, SLOTS, 2, barred, random.Random(seed))

        assert not any(barred[unit] & set(to) for unit, to in dealt.items())
        assert loads_of(dealt) == [16] * 5


def test_loads_lie_as_close_together_as_those_of_any_deal_of_a_small_pool() -> None:
    slots = ("a/1", "a/2", "a/3")
    rng = random.Random(3)
    for _ in range(60):
        units = [f"u{n}" for n in range(5)]
        barred = {unit: set(rng.sample(slots, rng.randint(0, 2))) for unit in units}
        may = [[slot for slot in slots if slot not in barred[unit]] for unit in units]
        least = min(sum(load**2 for load in Counter(chosen).values()) for chosen in product(*may))

        dealt = deal(units, slots, 1, barred, rng)

        assert sum(load**2 for load in loads_of(dealt, slots)) == least


def test_without_a_number_all_rate_it_who_may() -> None:
    dealt = deal(["u", "v"], SLOTS[:3], None, {"u": {"raters/2"}}, random.Random(1))

    assert dealt == {"u": ("raters/1", "raters/3"), "v": SLOTS[:3]}


def test_units_with_too_few_slots_are_named() -> None:
    with pytest.raises(TooFewSlots) as refusal:
        deal(["u", "v"], SLOTS[:2], 2, {"v": {"raters/1"}}, random.Random(1))

    assert (refusal.value.units, refusal.value.most) == (("v",), 1)
