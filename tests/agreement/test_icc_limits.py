"""Limits of ICC: the modified large sample interval with few raters, and intervals of items that are not normal."""

import math

import numpy as np
import pytest
from scipy import stats

from agreement import icc, icc_with_missing
from agreement.icc_limits import (
    MeanSquares,
    correlation,
    limits_of_agreement,
    modified_large_sample_limits,
    seen_freedom,
)

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def of_a_population(n, k, value, of_raters, samples, rng):
    """Mean squares of normal ratings: items have the share `value` of the variance, raters `of_raters` of the rest."""
    residual = (1 - value) * (1 - of_raters)
    expected = residual + k * value, residual + n * (1 - value) * of_raters, residual
    freedom = n - 1, k - 1, (n - 1) * (k - 1)
    drawn = [e * rng.chisquare(f, samples) / f for e, f in zip(expected, freedom, strict=True)]
    return [MeanSquares(r, c, math.nan, e, n, k) for r, c, e in zip(*drawn, strict=True)]


@pytest.mark.parametrize(("value", "of_raters"), [(0.5, 0.1), (0.5, 0.5), (0.9, 0.5)])
@pytest.mark.parametrize("n", [30, 136])
def test_it_holds_with_four_raters(n, value, of_raters):
    samples = of_a_population(n, 4, value, of_raters, 400, np.random.default_rng([n, int(10 * value)]))

    limits = [modified_large_sample_limits(squares, 0.025) for squares in samples]

    # nominal 95 %; 400 samples have a standard error of 1.1 points
    assert np.mean([low <= value <= high for low, high in limits]) >= 0.93


def test_the_f_interval_does_not_where_raters_are_far_apart():
    samples = of_a_population(136, 4, 0.5, 0.5, 400, np.random.default_rng(1))

    held = [low <= 0.5 <= high for low, high in (limits_of_agreement(squares, 0.025) for squares in samples)]

    assert np.mean(held) < 0.90


def bound(parts, freedom, tail):
    """Ting et al. (1990) for one added and two subtracted parts, written out."""
    (a, b, c), (na, nb, nc) = parts, freedom
    g = 1 - na / stats.chi2.isf(tail, na)
    h = [n / stats.chi2.ppf(tail, n) - 1 for n in (nb, nc)]
    variance = (g * a) ** 2 + (h[0] * b) ** 2 + (h[1] * c) ** 2
    for part, n, own in ((b, nb, h[0]), (c, nc, h[1])):
        f = stats.f.isf(tail, na, n)
        variance += ((f - 1) ** 2 - g**2 * f**2 - own**2) / f * a * part
    return a - b - c - math.sqrt(variance)


def test_the_lower_limit_is_where_the_bound_of_the_combination_is_nothing():
    squares = MeanSquares(8.0, 10.0, math.nan, 2.0, 30, 4)

    low, high = modified_large_sample_limits(squares, 0.025)

    parts = (30 * (1 - low) * 8.0, 4 * low * 10.0, (30 + low * (120 - 34)) * 2.0)
    assert 0 < low < correlation(squares) < high < 1
    assert bound(parts, (29, 3, 87), 0.025) == pytest.approx(0.0, abs=1e-6)


OF_R = [
    # mean squares of items, raters and residual, items, raters, tail, and the limits that R prints
    (11.241666667, 32.486111111, 1.019444444, 6, 4, 0.025, 0.02861984481, 0.75893510796),
    (8.0, 10.0, 2.0, 30, 4, 0.025, 0.1610393457, 0.5959847096),
    (8.0, 2.1, 2.0, 30, 4, 0.05, 0.2735238307, 0.5944837507),
    (5.0, 40.0, 1.0, 136, 3, 0.005, 0.02155112515, 0.63591913556),
    (50.0, 4.0, 2.0, 20, 2, 0.025, 0.1065923324, 0.9671608210),
]


@pytest.mark.parametrize(("items", "raters", "residual", "n", "k", "tail", "low", "high"), OF_R)
def test_the_limits_are_those_of_another_program(items, raters, residual, n, k, tail, low, high):
    """R 4.2.2 with its own quantiles and roots, the bounds of Ting et al. (1990) written with quantiles of F; first the
    ratings of Shrout and Fleiss, whose mean squares are those of R's ``anova(lm(...))``:

    .. code-block:: r

        lower <- function(a, na, s, ns, alpha) {  # parts added and subtracted, their degrees of freedom
          F <- function(p, m, n) qf(1 - p, m, n)
          G <- 1 - 1 / F(alpha, na, Inf)
          H <- 1 / F(1 - alpha, ns, Inf) - 1
          V <- sum(G^2 * a^2) + sum(H^2 * s^2)
          for (q in seq_along(a)) for (r in seq_along(s)) {
            f <- F(alpha, na[q], ns[r])
            V <- V + ((f - 1)^2 - G[q]^2 * f^2 - H[r]^2) / f * a[q] * s[r]
          }
          if (length(a) > 1) for (q in 1:(length(a) - 1)) for (t in (q + 1):length(a)) {
            n <- na[q] + na[t]
            g <- (1 - 1 / F(alpha, n, Inf))^2 * n^2 / (na[q] * na[t]) - G[q]^2 * na[q] / na[t] - G[t]^2 * na[t] / na[q]
            V <- V + g / (length(a) - 1) * a[q] * a[t]
          }
          sum(a) - sum(s) - sqrt(max(V, 0))
        }
        upper <- function(a, na, s, ns, alpha) -lower(s, ns, a, na, alpha)
        mls <- function(R, C, E, n, k, alpha) {
          df <- c(n - 1, k - 1, (n - 1) * (k - 1))
          bound <- function(which, r) {
            w <- c(n * (1 - r) * R, -k * r * C, -(n + r * (n * k - n - k)) * E)
            which(w[w > 0], df[w > 0], -w[w < 0], df[w < 0], alpha)
          }
          r <- (R - E) / (R + (k - 1) * E + k * (C - E) / n)
          c(uniroot(function(x) bound(lower, x), c(-1 / (k - 1) + 1e-12, r), tol = 1e-13)$root,
            uniroot(function(x) bound(upper, x), c(r, 1 - 1e-12), tol = 1e-13)$root)
        }
    """
    squares = MeanSquares(items, raters, math.nan, residual, n, k)

    assert modified_large_sample_limits(squares, tail) == pytest.approx((low, high), abs=1e-8)


def test_with_very_many_raters_alike_it_is_the_exact_interval_of_two_mean_squares():
    # with raters as far apart as the error alone makes them, and very many of them, only items and residual vary
    squares = MeanSquares(8.0, 2.0, math.nan, 2.0, 30, 400_000)

    low, high = modified_large_sample_limits(squares, 0.025)

    f = [8.0 / 2.0 / (stats.chi2.isf(tail, 29) / 29) for tail in (0.025, 0.975)]
    assert (low, high) == pytest.approx([(x - 1) / (x - 1 + 400_000) for x in f], rel=1e-2)


def test_more_confidence_is_wider_and_the_limits_stay_in_range():
    rng = np.random.default_rng(2)
    for squares in of_a_population(10, 2, 0.3, 0.5, 50, rng) + of_a_population(5, 3, 0.0, 0.9, 50, rng):
        wide, narrow = (modified_large_sample_limits(squares, tail) for tail in (0.005, 0.05))

        least = -1 / (squares.k - 1)
        assert least <= wide[0] <= narrow[0] <= correlation(squares) <= narrow[1] <= wide[1] <= 1.0


def test_it_applies_to_model_2_alone():
    single, mean = (icc(SHROUT_FLEISS, 2, average=average, interval="mls") for average in (False, True))

    assert single.method.startswith("modified large sample interval, raters sampled (random)")
    assert mean.method.startswith("modified large sample interval of ICC(2,1) by Spearman-Brown")
    assert (mean.low, mean.high) == pytest.approx([4 * r / (1 + 3 * r) for r in (single.low, single.high)])
    assert icc(SHROUT_FLEISS, 2, interval="f").p == single.p
    for model in (1, 3):
        with pytest.raises(ValueError, match="interval is 'mls', which does not apply here"):
            icc(SHROUT_FLEISS, model, interval="mls")
    with pytest.raises(ValueError, match="'percentile' or 'bca' for clustered items"):
        icc(SHROUT_FLEISS, 2, clusters=[1, 1, 2, 2, 3, 3], interval="mls")


def test_a_mean_of_raters_has_its_lower_limit_at_minus_one_where_that_of_one_rater_is_the_least():
    rng = np.random.default_rng(3)
    tables = [rng.normal(size=(8, 3)) for _ in range(40)]

    estimates = [icc(table, 2, average=True) for table in tables]

    clipped = [estimate for estimate in estimates if estimate.low == -1.0]
    assert clipped
    assert all("lower limit clipped at -1" in estimate.method for estimate in clipped)


def left_out(x, rows_only):
    """Degrees of freedom from the mean squares of the table without each item."""
    n, k = x.shape
    logs = []
    for item in range(n):
        rest = np.delete(x, item, axis=0)
        own = rest if rows_only else rest - rest.mean(axis=0)
        logs.append(np.log([rest.mean(axis=1).var(), ((own - own.mean(axis=1, keepdims=True)) ** 2).sum()]))
    variances = (n - 1) / n * ((logs - np.mean(logs, axis=0)) ** 2).sum(axis=0)
    most = np.array([n - 1, n * (k - 1) if rows_only else (n - 1) * (k - 1)])
    return np.clip(2 / variances, 1, most)


@pytest.mark.parametrize("rows_only", [True, False])
def test_degrees_of_freedom_are_those_of_tables_without_each_item(rows_only):
    rng = np.random.default_rng(6)
    for _ in range(20):
        x = rng.standard_t(3, size=(12, 1)) + rng.standard_t(3, size=(12, 3))
        assert seen_freedom(x, rows_only=rows_only) == pytest.approx(left_out(x, rows_only), rel=1e-9)


@pytest.mark.parametrize("model", [1, 2, 3])
def test_the_default_has_degrees_of_freedom_by_the_jackknife_and_is_never_narrower(model):
    usual, normal = icc(SHROUT_FLEISS, model), icc(SHROUT_FLEISS, model, interval="mls" if model == 2 else "f")

    assert ", degrees of freedom by the jackknife" in usual.method
    assert (usual.value, usual.p) == (normal.value, normal.p)
    assert usual.low <= normal.low < normal.high <= usual.high


@pytest.mark.parametrize("model", [2, 3])
def test_the_default_holds_where_a_few_items_are_far_from_the_others(model):
    # chi-square with 4 degrees of freedom, 60 items and 6 raters: F and the modified large sample interval 84 to 88 %
    rng, held = np.random.default_rng(9), 0
    of_raters = 0.05 if model == 2 else 0.0
    for _ in range(100):
        items = 0.6**0.5 * (rng.chisquare(4, size=(60, 1)) - 4) / 8**0.5
        table = items + of_raters**0.5 * rng.normal(size=6) + (0.4 - of_raters) ** 0.5 * rng.normal(size=(60, 6))
        estimate = icc(table, model)
        held += estimate.low <= 0.6 <= estimate.high
    assert held >= 90


@pytest.mark.parametrize("n", [2, 3, 5])
def test_of_few_items_the_default_has_limits_or_a_reason(n):
    estimate = icc(np.arange(3.0 * n).reshape(n, 3) % 7, 3)

    assert estimate.undefined_because or estimate.low < estimate.high


@pytest.mark.parametrize(("n", "warned"), [(29, True), (30, False)])
@pytest.mark.parametrize("of", [icc, icc_with_missing])
def test_below_thirty_items_some_far_from_the_others_may_not_have_been_sampled(of, n, warned):
    rng = np.random.default_rng(4)
    estimate = of(rng.normal(size=(n, 1)) + rng.normal(size=(n, 3)), 3)

    assert [caution.kind for caution in estimate.cautions] == ["few_items"] * warned


BELOW = [[1.0, 9.0], [9.0, 2.0], [4.0, 5.0], [6.0, 3.0], [2.0, 8.0]]


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_a_lower_limit_of_a_bootstrap_below_minus_1_is_clipped_and_said_so(interval):
    estimate = icc([*BELOW, [9.0, 9.5]], 1, average=True, interval=interval, resamples=500)

    assert estimate.low == -1.0 < estimate.high
    assert "; lower limit clipped at -1" in estimate.method


def test_a_bootstrap_of_a_value_below_minus_1_explains_it_and_has_no_interval_below_it():
    estimate = icc(BELOW, 3, average=True, interval="percentile", resamples=500)

    assert estimate.value < -1.0
    assert "a value below -1 is no correlation" in estimate.method
    assert math.isnan(estimate.low) or estimate.low == -1.0
