"""Numbers of several raters at the edges: units very large or small, near concordance, limits that do not exist."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import (
    ClusterDraw,
    bland_altman,
    difference_of_parts,
    icc,
    kendall_w,
    lin_ccc,
    paired_difference,
    reader_averaged_difference,
)  # fmt: skip
from agreement.icc import every_icc
from agreement.percent import mean

RATINGS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
FIRST, SECOND = [1.0, 2.0, 4.0, 3.0, 6.0], [1.5, 2.0, 3.0, 3.5, 7.0]

NUMBERS = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=12)


def numbers_of(estimate):
    return estimate.value, estimate.low, estimate.high


@pytest.mark.parametrize("unit", [1e-250, 1e-9, 1e9, 1e250])
@pytest.mark.parametrize("model", [1, 2, 3])
def test_icc_does_not_depend_on_the_unit_however_small_or_large(model, unit):
    assert numbers_of(icc(np.array(RATINGS) * unit, model)) == pytest.approx(numbers_of(icc(RATINGS, model)), abs=1e-12)


@pytest.mark.parametrize("unit", [1e-250, 1e-9, 1e9, 1e250])
def test_lins_concordance_does_not_depend_on_the_unit_however_small_or_large(unit):
    scaled = lin_ccc(np.array(FIRST) * unit, np.array(SECOND) * unit)

    assert numbers_of(scaled) == pytest.approx(numbers_of(lin_ccc(FIRST, SECOND)), abs=1e-12)


ONE, OTHER = np.tile(FIRST, 4), np.tile(SECOND[::-1], 4)


@pytest.mark.parametrize("unit", [2.0**-45, 2.0**-30, 2.0**-12, 2.0**12])
@pytest.mark.parametrize(
    "resampled",
    [
        lambda unit: paired_difference(ONE * unit, OTHER * unit, resamples=99, seed=1, tests_zero=True),
        lambda unit: difference_of_parts(ONE * unit, np.arange(ONE.size) % 2, resamples=99, tests_zero=True),
        lambda unit: bland_altman(ONE * unit, OTHER * unit, interval="percentile", resamples=99).upper,
        lambda unit: bland_altman(ONE * unit, OTHER * unit, clusters=np.arange(ONE.size) // 2, resamples=99).bias,
        lambda unit: mean(ONE * unit, None, name="mean", resamples=99),
    ],
    ids=["paired_difference", "difference_of_parts", "bland_altman", "bland_altman in clusters", "mean"],
)
def test_resampled_intervals_have_the_unit_of_the_data_however_small(resampled, unit):
    scaled, plain = resampled(unit), resampled(1.0)

    assert [x / unit for x in numbers_of(scaled)] == pytest.approx(list(numbers_of(plain)), rel=1e-9)
    assert scaled.p == plain.p


THIRDS, LEVELS = np.array([5, 4, 3, 1, 2, 0]) / 3.0, [0, 0, 0, 2, 1, 2]
ACCURATE = [[1, 1, 1], [0, 0, 1], [0, 0, 1], [1, 0, 1], [1, 0, 1], [0, 0, 1]]
AS_ACCURATE = [[1, 1, 0], [1, 0, 1], [1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    "difference",
    [
        lambda: bland_altman(THIRDS, LEVELS).bias,
        lambda: bland_altman(THIRDS * 1e-9, np.array(LEVELS) * 1e-9).bias,
        lambda: paired_difference(THIRDS, LEVELS, resamples=99, seed=1),
        lambda: reader_averaged_difference(ACCURATE, AS_ACCURATE),
    ],
    ids=["bland_altman", "of a small unit", "paired_difference", "reader_averaged_difference"],
)
def test_means_that_are_equal_but_for_the_rounding_of_their_numbers_differ_by_0(difference):
    assert difference().value == 0.0


@pytest.mark.parametrize("unit", [1e-250, 1e-13, 1e250])
def test_limits_of_agreement_have_the_unit_of_the_data_however_small_or_large(unit):
    result, scaled = bland_altman(FIRST, SECOND), bland_altman(np.array(FIRST) * unit, np.array(SECOND) * unit)

    for name in ("bias", "lower", "upper"):
        plain, other = getattr(result, name), getattr(scaled, name)
        assert [x / unit for x in numbers_of(other)] == pytest.approx(list(numbers_of(plain)), abs=1e-12)
    assert scaled.sd / unit == pytest.approx(result.sd, rel=1e-12)


def test_limits_of_agreement_of_numbers_at_the_end_of_the_range_are_refused():
    with pytest.raises(ValueError, match="a and b hold values beyond"):
        bland_altman([1e308, 1], [-1e308, 2])


def test_limits_of_a_mean_of_raters_are_clipped_and_a_value_that_is_no_correlation_is_explained():
    rng = np.random.default_rng(0)
    tables = [rng.integers(1, 6, (6, 3)) for _ in range(300)]

    estimates = [icc(table, model, average=True) for table in tables for model in (1, 2, 3)]

    limits = [estimate.low for estimate in estimates if not np.isnan(estimate.low)]
    assert min(limits) == -1.0
    for estimate in estimates:
        if estimate.low == -1.0:
            assert "lower limit clipped at -1" in estimate.method
        assert ("a value below -1 is no correlation" in estimate.method) == (estimate.value < -1.0)
    assert any(estimate.value < -1.0 for estimate in estimates)


def test_a_mean_of_raters_below_the_range_of_spearman_and_brown_has_no_icc():
    # all items have the same mean: ICC(1,1) = -1 / (k - 1), where the formula of the mean divides by 0
    estimate = icc([[1, 2, 3], [3, 1, 2], [2, 3, 1]], 1, average=True)

    assert math.isnan(estimate.value)
    assert "too low for the mean of 3" in estimate.undefined_because


def test_the_interval_of_icc_2_k_says_where_it_comes_from():
    assert "of ICC(2,1) by Spearman-Brown" in icc(RATINGS, 2, average=True).method
    assert "Spearman-Brown" not in icc(RATINGS, 3, average=True).method


@given(NUMBERS)
def test_icc_and_w_do_not_depend_on_the_order_of_items_or_raters(rows):
    table = np.array(rows)

    for statistic in (lambda x: icc(x, 1), lambda x: icc(x, 2), lambda x: icc(x, 3), kendall_w):
        result = statistic(table).value
        assert statistic(table[::-1]).value == pytest.approx(result, abs=1e-9, nan_ok=True)
        assert statistic(table[:, [2, 0, 1]]).value == pytest.approx(result, abs=1e-9, nan_ok=True)


def test_a_constant_that_is_no_binary_fraction_is_constant():
    assert "constant" in lin_ccc([0.1, 0.1, 0.1], [1, 2, 3]).undefined_because


def test_lins_concordance_of_nearly_equal_values_keeps_its_digits():
    # 1 - ccc = sum (x - y)^2 / n / (var x + var y + gap^2), in exact fractions
    n = 1000
    x = [float(i) for i in range(n)]
    y = [i + (1 if i % 3 else -1) / 256 for i in range(n)]

    estimate = lin_ccc(x, y)

    exact_x, exact_y = [Fraction(v) for v in x], [Fraction(v) for v in y]
    mean_x, mean_y = sum(exact_x) / n, sum(exact_y) / n
    below = sum((v - mean_x) ** 2 for v in exact_x) / n + sum((v - mean_y) ** 2 for v in exact_y) / n
    below += (mean_x - mean_y) ** 2
    short = sum((p - q) ** 2 for p, q in zip(exact_x, exact_y, strict=True)) / n / below
    assert estimate.value == pytest.approx(1 - float(short), abs=1e-15)
    assert 1 - estimate.high < float(short) < 1 - estimate.low
    # small beside 1, but not beside what is short of 1
    assert 0.01 * float(short) < estimate.se < float(short)


def test_lins_concordance_without_correlation_has_the_limit_of_the_standard_error():
    # x = 1 2 3 2, y = 2 1 2 3: covariance 0, variances 1/2, gap 0: ccc / r = 1, se = 1 / sqrt(n - 2)
    estimate = lin_ccc([1, 2, 3, 2], [2, 1, 2, 3])

    assert estimate.value == 0.0
    assert estimate.se == pytest.approx(1 / math.sqrt(2), abs=1e-15)
    assert estimate.low == pytest.approx(-estimate.high)


def test_lins_concordance_of_opposites_is_minus_1_without_limits():
    estimate = lin_ccc([1, 2, 3], [3, 2, 1])

    assert estimate.value == -1.0
    assert estimate.undefined_because == "perfect discordance: no standard error"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=20))
def test_lins_concordance_does_not_depend_on_the_order_of_raters_and_lies_below_the_correlation(pairs):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]

    estimate = lin_ccc(x, y)

    assert numbers_of(estimate) == pytest.approx(numbers_of(lin_ccc(y, x)), abs=1e-9, nan_ok=True)
    if not math.isnan(estimate.value):
        assert abs(estimate.value) <= abs(np.corrcoef(x, y)[0, 1]) + 1e-12
        assert lin_ccc(x * 2, y * 2).value == pytest.approx(estimate.value, abs=1e-12)


def test_w_of_many_items_keeps_its_digits():
    rng = np.random.default_rng(9)
    x = rng.permuted(np.tile(np.arange(100_000), (3, 1)), axis=1).T

    estimate = kendall_w(x)

    # in whole numbers of Python: ranks 1 .. n, no ties
    n, m = x.shape
    sums = [int(row) + m for row in x.sum(axis=1)]
    exact = Fraction(12 * sum(s * s for s in sums) - 3 * m * m * n * (n + 1) ** 2, m * m * n * (n * n - 1))
    assert estimate.value == pytest.approx(float(exact), rel=1e-13)


def test_w_refuses_a_confidence_outside_0_and_1():
    with pytest.raises(ValueError, match="confidence is 95"):
        kendall_w(RATINGS, confidence=95)


@pytest.mark.parametrize("change", [lambda x: 1e10 * x, lambda x: x + 1e9])
def test_lins_concordance_of_numbers_of_very_different_size_says_why_there_is_no_interval(change):
    x = np.random.default_rng(1).normal(size=30)

    estimate = lin_ccc(x, change(x))

    assert estimate.undefined_because == ("the two differ greatly in scale or mean: the coefficient is close to 0")


@pytest.mark.parametrize("clusters", [None, "names", "a draw"])
def test_all_six_correlations_that_share_their_sums_are_those_of_each_alone(clusters):
    rng = np.random.default_rng(4)
    ratings = rng.normal(size=(60, 1)) + rng.normal(size=(60, 3))
    ratings[::9, 1] = np.nan
    subjects = np.arange(60) // 4
    options = {"clusters": subjects, "resamples": 200} if clusters else {}
    if clusters == "a draw":
        options = ClusterDraw(subjects, resamples=200, seed=3).by()

    together = every_icc(ratings, **options)

    assert together == [icc(ratings, model, average, **options) for model in (1, 2, 3) for average in (False, True)]
