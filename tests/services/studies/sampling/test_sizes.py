"""How many units a size means, and what of it falls to each stratum."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.studies.sampling.sizes import equal, proportional, size_of


@pytest.mark.parametrize(
    ("written", "available", "size"),
    [
        ("all", 7, 7),
        ("18", 1134, 18),
        ("5%", 1234, 62),  # 61.7
        ("5 %", 1230, 62),  # 61.5, half up
        ("2.5%", 20, 1),  # 0.5, half up
        ("0.1%", 100, 0),
        ("100%", 9, 9),
        ("29%", 100, 29),  # binary fractions give 28.999...
    ],
)
def test_a_size_is_a_number_a_share_rounded_half_up_or_all(written: str, available: int, size: int) -> None:
    assert size_of(written, available) == size


def test_largest_remainders_get_the_places_that_are_left() -> None:
    # Quotas of 10 of 100: 4.7, 3.2, 2.1.
    assert proportional(10, [47, 32, 21]) == [5, 3, 2]


def test_of_equal_remainders_the_larger_stratum_comes_first_and_then_the_earlier() -> None:
    # Quotas 0.5, 1.5: both have one half. Quotas 1.5, 1.5: the same size.
    assert proportional(2, [10, 30]) == [0, 2]
    assert proportional(3, [10, 10]) == [2, 1]


def test_equal_allocation_gives_what_is_left_to_the_larger_strata() -> None:
    assert equal(11, [40, 50, 50]) == [3, 4, 4]
    assert equal(10, [50, 50, 50]) == [4, 3, 3]


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=12), st.data())
def test_proportional_shares_add_up_stay_within_the_strata_and_are_off_by_less_than_a_unit(
    available: list[int], data: st.DataObject
) -> None:
    size = data.draw(st.integers(0, sum(available)))

    shares = proportional(size, available)

    assert sum(shares) == size
    assert all(share <= units for share, units in zip(shares, available, strict=True))
    assert all(
        abs(share - Fraction(size * units, sum(available))) < 1 for share, units in zip(shares, available, strict=True)
    )
