"""What a flag misses rests on how many of the flagged and of the others were read."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agreement.flags import flag_misses


def test_the_share_weighs_both_parts_to_the_pool() -> None:
    said, flag = [True, False, True, False, False, False], [True, True, False, False, False, False]

    estimate = flag_misses(said, flag, probabilities=[0.5, 0.5, *[0.1] * 4])

    # Of 4 flagged units half are so, of 40 others a quarter.
    assert math.isclose(estimate.value, 10 / (2 + 10)) and estimate.n == 2


def test_few_of_the_others_leave_the_limits_wide_and_many_make_them_narrow() -> None:
    few = flag_misses([True] * 20 + [False] * 5, [True] * 20 + [False] * 5, probabilities=[1.0] * 20 + [0.05] * 5)
    many = flag_misses([True] * 20 + [False] * 100, [True] * 20 + [False] * 100)

    assert few.low == many.low == 0.0
    assert few.high > 0.6 and many.high < 0.2


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([True, None], "no item that is not flagged was read"),
        ([None, True], "no item that is flagged was read"),
        ([False, False], "no item that was read is called so"),
    ],
)
def test_what_was_not_read_leaves_it_undefined(said: list[bool | None], reason: str) -> None:
    assert flag_misses(said, [True, False]).undefined_because == reason


def test_clusters_of_very_unequal_sizes_are_warned_of() -> None:
    said, flagged = [True, False] * 30, [True, True, False, False] * 15
    alike, unequal = [n // 4 for n in range(60)], [max(0, n - 45) for n in range(60)]

    assert flag_misses(said, flagged, clusters=alike).warning is None
    assert "sizes are very unequal" in (flag_misses(said, flagged, clusters=unequal).warning or "")


def test_a_chance_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="probabilities holds 0"):
        flag_misses([True, False], [True, False], probabilities=[0.0, 1.0])


def test_the_limits_hold_the_share_of_what_was_drawn_from_as_often_as_they_claim() -> None:
    rng, held = np.random.default_rng(7), 0
    for _ in range(300):
        flagged, others = rng.random(50) < 0.9, rng.random(100) < 0.02
        said = [bool(is_so) for is_so in (*flagged, *others)]
        estimate = flag_misses(said, [True] * 50 + [False] * 100, probabilities=[1.0] * 50 + [0.1] * 100)
        truth = 20 / (45 + 20)
        held += estimate.low <= truth <= estimate.high

    assert held / 300 > 0.92
