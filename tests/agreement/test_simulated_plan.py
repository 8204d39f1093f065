"""Planning by simulation: the assumptions hold in what is drawn, and widths and powers are those of closed forms."""

import math

import numpy as np
import pytest
from scipy import stats

from agreement import (
    accuracy_of_correctness,
    cohen_kappa_of_table,
    fleiss_kappa,
    plan_by_simulation,
    wilson_interval,
)
from agreement.resampling import random_generator
from agreement.simulated_plan import _accuracy, _ratings


def test_drawn_ratings_have_the_stated_kappa_and_shares():
    table = _ratings(random_generator(1), 60_000, 4, 0.55, np.array([0.2, 0.3, 0.5]), 0.0)

    assert fleiss_kappa(table).value == pytest.approx(0.55, abs=0.01)
    assert [(table == k).mean() for k in range(3)] == pytest.approx([0.2, 0.3, 0.5], abs=0.01)


def test_the_width_of_a_kappa_is_that_of_the_expected_table():
    (planned,) = plan_by_simulation("cohen_kappa", [200], value=0.6, shares=(0.3, 0.7), simulations=200, seed=3)

    p = np.array([0.3, 0.7])
    expected = np.round(200_000 * (0.6 * np.diag(p) + 0.4 * np.outer(p, p))).astype(int)
    se = cohen_kappa_of_table(expected).se * math.sqrt(1000)
    assert planned.width == pytest.approx(2 * stats.norm.isf(0.025) * se, rel=0.05)
    assert planned.coverage > 0.9
    assert planned.power is None


def test_the_width_of_an_accuracy_is_wilsons():
    (planned,) = plan_by_simulation("accuracy", [100], value=0.8, simulations=300, seed=1)

    interval = wilson_interval(80, 100)
    assert planned.width == pytest.approx(interval.high - interval.low, rel=0.03)
    assert planned.raters == 1


def test_the_power_of_an_accuracy_is_the_binomial_chance_of_a_low_limit_above_the_null():
    (planned,) = plan_by_simulation("accuracy", [100], value=0.8, null=0.7, simulations=2000, seed=2)

    enough = next(x for x in range(101) if wilson_interval(x, 100).low > 0.7)
    assert planned.power == pytest.approx(stats.binom.sf(enough - 1, 100, 0.8), abs=0.035)


def test_items_of_a_cluster_correlate_as_stated_and_widen_the_interval():
    estimates = [_accuracy(random_generator([1, seed]), 200, 0.7, 4, 0.5, 0.95).value for seed in range(400)]
    # design effect 1 + (m - 1) ICC
    assert np.var(estimates) == pytest.approx(0.7 * 0.3 / 200 * (1 + 3 * 0.5), rel=0.2)

    alone, clustered = (
        plan_by_simulation("accuracy", [200], value=0.7, simulations=60, seed=1, **options)[0]
        for options in ({}, {"items_per_cluster": 4, "icc": 0.5})
    )
    assert clustered.width / alone.width == pytest.approx(math.sqrt(1 + 3 * 0.5), rel=0.1)
    assert "clusters of 4 items with ICC 0.5" in clustered.assumptions


@pytest.mark.parametrize("statistic", ["fleiss_kappa", "krippendorff_alpha"])
def test_more_items_and_more_raters_narrow_the_interval(statistic):
    grid = plan_by_simulation(statistic, [40, 160], [3, 6], value=0.5, null=0.3, missing=0.1, simulations=60, seed=4)

    widths = {(row.items, row.raters): row.width for row in grid}
    assert widths[160, 3] == pytest.approx(widths[40, 3] / 2, rel=0.15)
    assert widths[40, 6] < widths[40, 3]
    assert "10 % missing" in grid[0].assumptions
    assert grid[-1].power > grid[0].power


def test_a_size_has_the_same_numbers_whatever_the_rest_of_the_grid():
    options = {"value": 0.5, "simulations": 30, "seed": 5}

    (alone,) = plan_by_simulation("cohen_kappa", [60], **options)
    _, among = plan_by_simulation("cohen_kappa", [30, 60], **options)

    assert alone == among


def test_studies_without_an_interval_are_counted_and_exclude_nothing():
    (planned,) = plan_by_simulation(
        "cohen_kappa", [4], value=1.0, null=0.2, shares=(1 - 1e-9, 1e-9), simulations=50, seed=6
    )  # fmt: skip

    # where all verdicts are the same there is no kappa
    assert planned.without_interval == 1.0
    assert planned.power == 0.0
    assert math.isnan(planned.width)
    assert planned.as_dict()["width"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "pabak"}, "statistic is 'pabak'"),
        ({"items": [1]}, "items is 1"),
        ({"raters": (3,)}, "with Cohen's kappa; expected 2"),
        ({"value": 1.2}, "value is 1.2"),
        ({"shares": (0.5, 0.6)}, "shares is"),
        ({"null": 0.7}, "expected a null below the value"),
        ({"missing": 1.0}, "missing is 1"),
        ({"icc": 0.2}, "with an accuracy only"),
        ({"statistic": "accuracy", "missing": 0.1}, "missing is given with an accuracy"),
        ({"simulations": 0}, "simulations is 0"),
        ({"seed": None}, "seed is None"),
    ],
)
def test_wrong_assumptions_are_refused_by_name(options, message):
    given = {"statistic": "cohen_kappa", "items": [50], "value": 0.6, "simulations": 5, "seed": 1} | options

    with pytest.raises(ValueError, match=message):
        plan_by_simulation(**given)


def test_a_grid_without_a_size_is_refused():
    with pytest.raises(ValueError, match="items or raters is empty; expected a size or more"):
        plan_by_simulation("cohen_kappa", [], value=0.6, seed=1)


@pytest.mark.parametrize("sizes", [{"items": 40}, {"items": [40], "raters": 2}, {"items": None}])
def test_sizes_that_are_no_list_are_refused_by_name(sizes):
    with pytest.raises(ValueError, match=r"(items|raters) is (40|2|None); expected numbers of"):
        plan_by_simulation("cohen_kappa", **sizes, value=0.6, simulations=20, seed=1)


def test_accuracy_in_clusters_is_planned_with_the_interval_that_it_will_have():
    planned = plan_by_simulation("accuracy", [100], value=0.9, items_per_cluster=5, icc=0.3, simulations=200, seed=1)[0]

    rng, widths = np.random.default_rng(3), []
    for _ in range(200):
        of_cluster, own = rng.random((20, 1)) < 0.9, rng.random((20, 5)) < 0.9
        right = np.where(rng.random((20, 5)) < 0.3**0.5, of_cluster, own).ravel()
        estimate = accuracy_of_correctness(right, clusters=np.repeat(np.arange(20), 5)).primary
        widths.append(estimate.high - estimate.low)
    assert planned.width == pytest.approx(np.median(widths), rel=0.05)


@pytest.mark.parametrize(("seed", "plain"), [(np.int64(3), 3), (np.array([3, 4]), [3, 4])])
def test_a_seed_of_numpy_is_the_number_that_it_holds(seed, plain):
    studies = [plan_by_simulation("accuracy", [20], value=0.5, simulations=3, seed=each) for each in (seed, plain)]

    assert studies[0] == studies[1]
