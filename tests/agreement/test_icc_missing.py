"""The intraclass correlation of incomplete ratings, against the complete case and the likelihood written out."""

import math

import numpy as np
import pytest
from scipy import optimize

from agreement import icc, icc_with_missing

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def drawn(seed, items=40, raters=4, missing=0.0, of_raters=0.6):
    rng = np.random.default_rng(seed)
    table = (
        rng.normal(0, 1.5, (items, 1)) + rng.normal(0, of_raters, (1, raters)) + rng.normal(0, 1, (items, raters)) + 7
    )
    table[rng.random(table.shape) < missing] = np.nan
    return table


def written_out(table, model):
    """The variances that maximise the restricted likelihood, with the whole covariance matrix in memory."""
    item, rater = np.nonzero(~np.isnan(table))
    y = table[item, rater]
    same_item, same_rater = np.equal.outer(item, item), np.equal.outer(rater, rater)
    x = np.eye(table.shape[1])[rater] if model == 3 else np.ones((y.size, 1))

    def deviance(logs):
        items, raters, rest = np.exp(logs)
        v = items * same_item + (raters * same_rater if model == 2 else 0.0) + rest * np.eye(y.size)
        inverse = np.linalg.inv(v)
        information = x.T @ inverse @ x
        residual = y - x @ np.linalg.solve(information, x.T @ inverse @ y)
        return np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1] + residual @ inverse @ residual

    best = optimize.minimize(
        deviance, [0.0, -1.0, 0.0], method="Nelder-Mead", options={"maxiter": 4000, "fatol": 1e-11}
    )
    items, raters, rest = np.exp(best.x)
    return items / (items + rest + (raters if model == 2 else 0.0))


@pytest.mark.parametrize("model", [1, 2, 3])
@pytest.mark.parametrize("average", [False, True])
def test_complete_ratings_have_the_value_of_the_analysis_of_variance(model, average):
    for table in (SHROUT_FLEISS, drawn(11, of_raters=1.0), drawn(2, raters=3)):
        complete = icc(table, model, average).value

        assert icc_with_missing(table, model, average).value == pytest.approx(complete, abs=1e-6)


def test_a_variance_of_raters_below_0_is_taken_as_0():
    table = drawn(1, of_raters=0.0)
    table -= table.mean(axis=0)  # the raters differ less than chance would have it

    two = icc_with_missing(table, 2)

    assert two.value == pytest.approx(icc_with_missing(table, 1).value, abs=1e-6)
    assert two.value != pytest.approx(icc(table, 2).value, abs=1e-4)


@pytest.mark.parametrize("model", [1, 2, 3])
def test_incomplete_ratings_maximise_the_likelihood_written_out(model):
    table = drawn(3, items=25, missing=0.3)

    assert icc_with_missing(table, model).value == pytest.approx(written_out(table, model), abs=1e-4)


@pytest.mark.parametrize("model", [1, 3])
def test_the_limits_are_close_to_those_of_the_f_interval_for_many_items(model):
    table = drawn(4, items=200)

    profile, f = icc_with_missing(table, model), icc(table, model)

    assert (profile.low, profile.high) == pytest.approx((f.low, f.high), abs=0.005)


def test_ratings_that_are_missing_at_random_move_the_value_little_and_widen_the_interval():
    complete = drawn(5, items=150)
    holes = complete.copy()
    holes[np.random.default_rng(6).random(complete.shape) < 0.4] = np.nan

    whole, part = icc_with_missing(complete, 3), icc_with_missing(holes, 3)

    assert part.value == pytest.approx(whole.value, abs=0.1)
    assert part.high - part.low > whole.high - whole.low


def test_the_interval_covers_as_it_claims():
    # true ICC(3,1) 2.25 / 3.25; 200 samples have a standard error of 1.5 points
    hits = 0
    for seed in range(200):
        result = icc_with_missing(drawn(100 + seed, items=30, raters=3, missing=0.2), 3)
        hits += result.low <= 2.25 / 3.25 <= result.high

    assert 0.90 <= hits / 200 <= 0.99


def test_the_unit_of_the_ratings_does_not_matter():
    table = drawn(7, missing=0.2)

    usual, other = icc_with_missing(table, 2), icc_with_missing(table * 1e9 + 1e12, 2)

    assert (other.value, other.low, other.high) == pytest.approx((usual.value, usual.low, usual.high), abs=1e-4)


def test_empty_rows_and_columns_are_left_out():
    table = np.vstack([drawn(8), np.full((1, 4), np.nan)])
    wider = np.column_stack([table, np.full(41, np.nan)])

    result = icc_with_missing(wider, 2, average=True)

    assert result.value == pytest.approx(icc_with_missing(drawn(8), 2, average=True).value, abs=1e-7)
    assert "1 without a rating left out" in result.method


def test_what_is_undefined_is_said():
    assert "fewer than two" in icc_with_missing([[1, 2]]).undefined_because
    assert "no item has two ratings" in icc_with_missing([[1, None], [None, 2]]).undefined_because
    assert icc_with_missing([[3, 3], [3, None]]).undefined_because == "all ratings are equal"
    perfect = icc_with_missing([[1, 1, None], [2, 2, 2], [4, None, 4]])
    assert perfect.value == 1.0
    assert "perfect agreement" in perfect.undefined_because
    shifted = icc_with_missing([[1, 2], [2, 3], [4, 5]], 3)
    assert math.isnan(shifted.low)
    with pytest.raises(ValueError, match="model is 4"):
        icc_with_missing([[1, 2]], 4)


def test_items_that_differ_less_than_raters_have_a_value_of_0():
    result = icc_with_missing([[0, 2], [2, 0], [1, 1.5]], 3)

    assert result.value == 0.0
    assert result.low == 0.0 < result.high


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("of_items, rest", [(0.0, 0.0), (1.0, 0.0), (1.0, 1e-4)])
def test_nothing_is_said_about_other_raters_where_items_and_raters_are_all_that_there_is(missing, of_items, rest):
    table = np.add.outer(np.arange(20.0) * of_items, [1.0, 2.0, 3.0, 5.0])
    table += np.random.default_rng(1).normal(0, rest, table.shape)
    if missing:
        table[1, 2] = table[4, 0] = np.nan

    for average in (False, True):
        estimate = icc_with_missing(table, 2, average)

        assert math.isnan(estimate.low)
        assert estimate.undefined_because == "the residual variance is 0: no likelihood"


def test_small_residuals_leave_the_value_of_the_analysis_of_variance():
    table = np.add.outer(np.arange(20.0), [1.0, 2.0, 3.0, 5.0])
    table += np.random.default_rng(1).normal(0, 0.02, table.shape)

    assert icc_with_missing(table, 2).value == pytest.approx(icc(table, 2).value, abs=1e-4)
