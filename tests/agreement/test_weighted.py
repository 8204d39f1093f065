"""Means under unequal inclusion probabilities."""

from typing import Any

import numpy as np
import pytest

from agreement import bootstrap
from agreement.weighted import weighted_mean


def test_value_is_the_hajek_estimator() -> None:
    # Weights 1, 1, 4, 4: (1 + 0 + 4 + 0) / 10
    estimate = weighted_mean([1, 0, 1, 0], [1.0, 1.0, 0.25, 0.25], resamples=200)

    assert estimate.value == pytest.approx(0.5)
    assert estimate.n == 4


def test_equal_probabilities_give_the_plain_mean_and_its_interval() -> None:
    values, clusters = [1, 0, 1, 1, 0, 1], list("aabbcc")

    weighted = weighted_mean(values, [0.4] * 6, clusters=clusters, resamples=500, seed=3, interval="percentile")
    plain = bootstrap(np.mean, np.array(values, dtype=float), clusters=clusters, resamples=500, seed=3)

    assert weighted.value == pytest.approx(plain.value)
    assert weighted.low == pytest.approx(plain.low)
    assert weighted.high == pytest.approx(plain.high)


def test_missing_values_are_left_out_with_their_weights() -> None:
    estimate = weighted_mean([1, None, 0], [0.5, 0.01, 0.5], resamples=200)

    assert estimate.value == pytest.approx(0.5)
    assert estimate.n == 2


def test_no_values_are_undefined_with_the_reason() -> None:
    estimate = weighted_mean([None], [0.5], resamples=200, unit="candidate")

    assert np.isnan(estimate.value)
    assert estimate.undefined_because == "no candidates"


@pytest.mark.parametrize("probability", [0.0, 1.2])
def test_a_probability_outside_its_range_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="probabilities"):
        weighted_mean([1.0], [probability])


@pytest.mark.parametrize(
    ("values", "probabilities", "options", "message"),
    [
        (["x"], [0.5], {}, "values holds"),
        ([float("inf")], [0.5], {}, "values holds an infinite value"),
        ([1.0], [None], {}, "probabilities holds"),
        ([1.0], [1e-320], {}, "probabilities holds"),
        (
            [1.0],
            [0.5],
            {"interval": "t"},
            "interval is 't', which does not apply here; expected 'score', 'percentile', 'bca' or 'linearised'",
        ),
        ([1.0], [0.5], {"finite_pool": True}, "expected interval 'linearised'"),
        ([1.0, 0.0], [0.5, 0.4], {"finite_pool": True, "interval": "linearised"}, "within one stratum"),
        ([], [], {"confidence": 3}, "confidence is 3"),
    ],
)
def test_wrong_arguments_are_named(
    values: list[object], probabilities: list[object], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        weighted_mean(values, probabilities, **options)


def test_linearised_standard_error_of_a_simple_sample_is_that_of_a_mean() -> None:
    # 3 of 4: sqrt(4/3 * (3 (1/4)^2 + (3/4)^2) / 16) = sqrt(.25 / 4); t on 3 degrees of freedom is 3.18244630528
    estimate = weighted_mean([1, 1, 1, 0], [0.3] * 4, interval="linearised")

    assert estimate.se == pytest.approx(0.25)
    assert estimate.high == pytest.approx(0.75 + 3.18244630528 * 0.25)
    assert "t with 3 degrees of freedom" in estimate.method


def test_a_stratum_drawn_completely_adds_neither_variance_nor_degrees_of_freedom() -> None:
    # 4 flagged items, all read; of 20 others one in five: 4 with shares 1/2. Pool of 24, se = 20/24 sqrt(.8 (1/3) / 4)
    values, probabilities = [1, 0, 0, 1, 1, 0, 1, 0], [1.0] * 4 + [0.2] * 4
    flagged = ["flagged"] * 4 + ["other"] * 4

    estimate = weighted_mean(values, probabilities, strata=flagged, finite_pool=True, interval="linearised")

    assert estimate.se == pytest.approx(20 / 24 * np.sqrt(0.8 / 3 / 4))
    assert "finite pool, t with 3 degrees of freedom" in estimate.method


@pytest.mark.parametrize(
    ("values", "options", "reason"),
    [
        ([1, 1, 1], {}, "no spread"),
        ([1], {}, "there is one of the items only"),
        ([1, 0, 1], {"strata": ["a", "a", "b"]}, "a stratum holds one of the items only"),
        ([1, 0, 1], {"clusters": ["s", "s", "s"]}, "there is one of the clusters only"),
        ([None, 1], {}, "no degrees of freedom"),
    ],
)
def test_linearised_limits_without_spread_or_with_one_unit_are_undefined(
    values: list[object], options: dict[str, Any], reason: str
) -> None:
    estimate = weighted_mean(values, [0.5] * len(values), interval="linearised", **options)

    assert np.isfinite(estimate.value)
    assert np.isnan(estimate.low)
    assert estimate.undefined_because is not None
    assert reason in estimate.undefined_because


def test_a_pool_read_completely_leaves_nothing_to_estimate() -> None:
    estimate = weighted_mean([1, 0, 1], [1.0] * 3, interval="linearised", finite_pool=True)

    assert estimate.undefined_because == "the whole pool was drawn: nothing is left to estimate"


def test_strata_keep_their_sizes() -> None:
    values = [1.0] * 5 + [0.0] * 5

    strata = ["a"] * 5 + ["b"] * 5
    estimate = weighted_mean(values, [0.5] * 10, strata=strata, interval="percentile", resamples=200, seed=1)

    # Within a stratum nothing varies, so no resample differs from the sample.
    assert estimate.value == 0.5
    assert estimate.undefined_because is not None


def test_probabilities_near_nothing_weigh_as_their_ratios_say():
    values, chances = [1, 0, 1, 1, 0, 1], [0.2, 0.4, 0.4, 0.2, 0.2, 0.8]

    tiny = weighted_mean(values, [chance * 1e-300 for chance in chances])
    usual = weighted_mean(values, chances)

    assert (tiny.value, tiny.low, tiny.high) == pytest.approx((usual.value, usual.low, usual.high))
