"""Normal limits of a kappa lie within what it can be, and say where they were clipped."""

import pytest

from agreement import cohen_kappa, cohen_kappa_of_table

NEARLY_ALIKE = ([1, 2, 3, 4, 5] * 5 + [1], [1, 2, 3, 4, 5] * 5 + [2])


@pytest.mark.parametrize("weights", ["linear", "quadratic", [[1, 0.9, 0], [0.9, 1, 0.9], [0, 0.9, 1]]])
def test_an_upper_limit_beyond_1_is_clipped_and_said_so(weights):
    a, b = NEARLY_ALIKE if isinstance(weights, str) else ([1, 2, 3] * 8 + [1], [1, 2, 3] * 8 + [2])
    categories = [1, 2, 3, 4, 5] if isinstance(weights, str) else [1, 2, 3]

    estimate = cohen_kappa(a, b, categories=categories, weights=weights, interval="normal")

    assert estimate.value < estimate.high == 1.0
    assert estimate.value + 1.959964 * estimate.se > 1.0
    assert estimate.method.endswith("assumes independent items; upper limit clipped at 1")


def test_a_lower_limit_below_minus_1_is_clipped_and_said_so():
    estimate = cohen_kappa([1, 2] * 4 + [1], [2, 1] * 4 + [1], interval="normal")

    assert estimate.low == -1.0 < estimate.value
    assert estimate.method.endswith("; lower limit clipped at -1")


def test_limits_within_the_range_are_those_of_the_standard_error():
    estimate = cohen_kappa_of_table([[106, 10, 4], [22, 28, 10], [2, 12, 6]])

    assert estimate.high - estimate.value == pytest.approx(1.959964 * estimate.se, rel=1e-6)
    assert estimate.method == "Fleiss-Cohen-Everitt standard error, normal interval, assumes independent items"
