"""Difference between two parts of one sample."""

import numpy as np
import pandas as pd
import pytest

from agreement.contrast import difference_of_parts


def test_value_is_the_difference_of_the_two_means() -> None:
    values = [1, 1, 0, 1, 0, 0, None]
    first = [True, True, True, False, False, False, True]

    estimate = difference_of_parts(values, first, resamples=200, seed=1)

    # 2/3 - 1/3
    assert estimate.value == pytest.approx(1 / 3)
    assert estimate.n == 6


@pytest.mark.parametrize("right_of_eight", [0, 1, 4, 8])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_part_whose_values_are_nearly_all_alike_is_warned_of(right_of_eight: int, is_first: bool) -> None:
    values = [1] * right_of_eight + [0] * (8 - right_of_eight) + [0, 1] * 20

    estimate = difference_of_parts(values, [is_first] * 8 + [not is_first] * 40, resamples=200)

    said = "in one of the two parts, fewer than 5 differ from the most frequent value: the interval is uncertain"
    assert estimate.warning == said


def test_parts_in_which_enough_values_differ_are_not_warned_of() -> None:
    estimate = difference_of_parts([0, 1] * 25, [True] * 10 + [False] * 40, resamples=200)

    assert estimate.warning is None


def test_interval_is_that_of_a_plain_loop_over_subjects() -> None:
    rng = np.random.default_rng(4)
    subjects = np.repeat(np.arange(30), 4)
    first = np.tile([True, True, False, False], 30)
    values = (rng.random(120) < np.where(first, 0.7, 0.4)).astype(float)

    estimate = difference_of_parts(values.tolist(), first.tolist(), clusters=subjects.tolist(), resamples=4000, seed=2)

    replicates = []
    for _ in range(4000):
        items = (rng.integers(0, 30, 30)[:, None] * 4 + np.arange(4)).ravel()
        replicates.append(values[items][first[items]].mean() - values[items][~first[items]].mean())
    low, high = np.quantile(replicates, [0.025, 0.975])
    assert estimate.low == pytest.approx(low, abs=0.02)
    assert estimate.high == pytest.approx(high, abs=0.02)
    assert estimate.n_clusters == 30


def test_parts_are_symmetric() -> None:
    values, first = [1, 0, 1, 1, 0, 0], [True, True, True, False, False, False]

    first_less_second = difference_of_parts(values, first, resamples=300, seed=1)
    other = difference_of_parts(values, [not part for part in first], resamples=300, seed=1)

    assert first_less_second.value == pytest.approx(-other.value)


@pytest.mark.parametrize("first", [[True, True], [False, False]])
def test_an_empty_part_is_undefined_with_its_reason(first: list[bool]) -> None:
    estimate = difference_of_parts([1, 0], first, resamples=200)

    assert np.isnan(estimate.value)
    assert estimate.undefined_because == "one of the two parts is empty"


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_a_unit_of_neither_part_is_refused(missing: object) -> None:
    with pytest.raises(ValueError, match="first has no value at position 1"):
        difference_of_parts([1, 0, 1], [True, missing, False])


def test_a_missing_part_of_a_missing_value_does_not_matter() -> None:
    estimate = difference_of_parts([1, None, 0], [True, None, False], resamples=200)

    assert estimate.value == 1.0


@pytest.mark.parametrize(
    ("values", "first", "options", "message"),
    [
        (["x", 0], [True, False], {}, "values holds"),
        ([float("inf"), 0], [True, False], {}, "values holds an infinite value"),
        ([1, 0], ["a", "b"], {}, "first holds 'a'"),
        ([], [], {"confidence": 3}, "confidence is 3"),
        ([], [], {"resamples": 0}, "resamples is 0"),
    ],
)
def test_wrong_arguments_are_named(
    values: list[object], first: list[object], options: dict[str, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        difference_of_parts(values, first, **options)  # type: ignore[arg-type]


def test_lengths_must_match() -> None:
    with pytest.raises(ValueError, match="first"):
        difference_of_parts([1, 0], [True])
