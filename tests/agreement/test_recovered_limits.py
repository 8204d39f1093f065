"""Limits of a difference from the limits of each estimate, at the ends of what these can be."""

import pytest

from agreement.estimate import Estimate
from agreement.recovered_limits import limits_of_difference


def estimate(value, low, high):
    return Estimate("made up", value, low, high, 30, "item", "made up")


def test_an_estimate_beyond_its_own_limit_moves_no_limit_outwards():
    wrong, beyond = estimate(0.0, 0.0, 0.1), estimate(1.03, 0.8, 1.0)

    low, high = limits_of_difference(wrong, beyond, 0.0)

    assert (low, high) == pytest.approx((-1.03, -1.03 + (0.1**2 + 0.23**2) ** 0.5))


def test_limits_of_huge_estimates_are_finite():
    low, high = limits_of_difference(estimate(0.0, -1e200, 1e200), estimate(1e200, 0.0, 2e200), 0.5)

    assert (low, high) == pytest.approx((-2e200, 0.0), abs=1e185)
