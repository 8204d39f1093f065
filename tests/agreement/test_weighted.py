"""Means under unequal inclusion probabilities."""

import numpy as np
import pytest

from agreement import bootstrap
from agreement.weighted import weighted_mean


def test_value_is_the_hajek_estimator() -> None:
    # Weights 1, 1, 4, 4: (1 + 0 + 4 + 0) / 10
    found = weighted_mean([1, 0, 1, 0], [1.0, 1.0, 0.25, 0.25], resamples=200)

    assert found.value == pytest.approx(0.5)
    assert found.n == 4


def test_equal_probabilities_give_the_plain_mean_and_its_interval() -> None:
    values, clusters = [1, 0, 1, 1, 0, 1], list("aabbcc")

    weighted = weighted_mean(values, [0.4] * 6, clusters=clusters, resamples=500, seed=3)
    plain = bootstrap(np.mean, np.array(values, dtype=float), clusters=clusters, resamples=500, seed=3)

    assert weighted.value == pytest.approx(plain.value)
    assert weighted.low == pytest.approx(plain.low)
    assert weighted.high == pytest.approx(plain.high)


def test_missing_values_are_left_out_with_their_weights() -> None:
    found = weighted_mean([1, None, 0], [0.5, 0.01, 0.5], resamples=200)

    assert found.value == pytest.approx(0.5)
    assert found.n == 2


def test_no_values_are_undefined_with_the_reason() -> None:
    found = weighted_mean([None], [0.5], resamples=200, unit="candidate")

    assert np.isnan(found.value)
    assert found.undefined_because == "no candidates"


@pytest.mark.parametrize("probability", [0.0, 1.2])
def test_a_probability_outside_its_range_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="probabilities"):
        weighted_mean([1.0], [probability])


def test_strata_keep_their_sizes() -> None:
    values = [1.0] * 5 + [0.0] * 5

    found = weighted_mean(values, [0.5] * 10, strata=["a"] * 5 + ["b"] * 5, resamples=200, seed=1)

    # Within a stratum nothing varies, so no resample differs from the sample.
    assert found.value == 0.5
    assert found.undefined_because is not None
