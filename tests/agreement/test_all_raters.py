"""All raters at once, within steps, by category, pair by pair, with weights of a study's own; Hommel's P values."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from agreement import (
    adjust_p_values,
    agreement_weights,
    cohen_kappa,
    cohen_kappa_with_weights,
    fleiss_kappa,
    fleiss_kappa_per_category,
    hommel_p_values,
    light_kappa,
    percent_agreement,
    percent_agreement_of_all,
    wilson_interval,
)
from tests.agreement.test_several_raters import FLEISS_1971, raters_of


def drawn(seed=1, items=60, raters=4, missing=0.0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, items)
    table = np.where(rng.random((items, raters)) < 0.6, truth[:, None], rng.integers(0, 4, (items, raters))).astype(
        float
    )
    table[rng.random(table.shape) < missing] = np.nan
    return table


def test_all_raters_within_steps_by_a_plain_loop():
    table = drawn(missing=0.1)

    for steps in (0, 1, 2):
        result = percent_agreement_of_all(table, steps)

        complete = [row for row in table if not np.isnan(row).any()]
        close = sum(max(row) - min(row) <= steps for row in complete)
        wilson = wilson_interval(close, len(complete))
        assert (result.value, result.low, result.high) == (wilson.value, wilson.low, wilson.high)
        assert f"{60 - len(complete)} without a rating of everybody left out" in result.method


def test_of_two_raters_it_is_their_percent_agreement():
    table = drawn(raters=2)

    assert percent_agreement_of_all(table).value == percent_agreement(table[:, 0], table[:, 1]).value


def test_steps_count_places_of_the_declared_scale_and_whole_numbers_without_one():
    order = ["none", "mild", "moderate", "severe"]

    assert percent_agreement_of_all([["none", "moderate"]], 1, categories=order).value == 0.0
    assert percent_agreement_of_all([["none", "moderate"]], 2, categories=order).value == 1.0
    assert percent_agreement_of_all([[1, 3], [1, 1]], 1).value == 0.5
    with pytest.raises(ValueError, match="have no order"):
        percent_agreement_of_all([["none", "mild"]], 1)
    with pytest.raises(ValueError, match="steps is -1"):
        percent_agreement_of_all([[1, 2]], -1)


def test_no_complete_item_has_no_agreement_of_all():
    assert percent_agreement_of_all([[1, None]]).undefined_because == "no items"


def test_what_raters_excluded_is_counted_apart():
    table = [["a", "a", "b"], ["a", None, "a"], ["a", None, None]]
    excluded = [[False] * 3, [False, True, False], [False, True, False]]

    estimate = percent_agreement_of_all(table, excluded=excluded)

    assert estimate.n == 1
    assert "; 1 that raters excluded left out, counted apart; 1 without a rating of everybody" in estimate.method


def test_fleiss_kappa_by_category_is_his_formula():
    table = raters_of(FLEISS_1971)

    result = fleiss_kappa_per_category(table)

    counts = np.array(FLEISS_1971)
    p = counts.sum(axis=0) / (30 * 6)
    by_formula = 1 - (counts * (6 - counts)).sum(axis=0) / (30 * 6 * 5 * p * (1 - p))
    assert [result[category].value for category in range(5)] == pytest.approx(by_formula)
    # R irr 0.84.1, kappam.fleiss(diagnoses, detail = TRUE): the same data
    assert by_formula.round(3).tolist() == [0.245, 0.245, 0.520, 0.471, 0.566]


def test_the_kappas_by_category_weigh_up_to_fleiss_kappa():
    counts = np.array(FLEISS_1971)
    p = counts.sum(axis=0) / 180
    kappas = [estimate.value for estimate in fleiss_kappa_per_category(raters_of(FLEISS_1971)).values()]

    # Fleiss, Levin and Paik (2003), 18.3
    assert np.average(kappas, weights=p * (1 - p)) == pytest.approx(fleiss_kappa(raters_of(FLEISS_1971)).value)


def test_a_category_that_nobody_used_has_no_kappa():
    result = fleiss_kappa_per_category([["a", "b"], ["a", "a"]], categories=["a", "b", "c"])

    assert math.isnan(result["c"].value)
    assert not math.isnan(result["a"].value)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_lights_kappa_is_the_mean_of_cohens_kappas(missing):
    table = drawn(missing=missing)

    result = light_kappa(table, resamples=300)

    kappas = [cohen_kappa(table[:, j], table[:, k]).value for j, k in itertools.combinations(range(4), 2)]
    assert result.value == pytest.approx(np.mean(kappas))
    assert result.low < result.value < result.high


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_lights_kappa_takes_weights(weights):
    table, order = drawn(), [0, 1, 2, 3]

    result = light_kappa(table, weights, categories=order, resamples=50)

    kappas = [
        cohen_kappa(table[:, j], table[:, k], weights=weights, categories=order).value
        for j, k in itertools.combinations(range(4), 2)
    ]
    assert result.value == pytest.approx(np.mean(kappas))


@pytest.mark.parametrize(("rarer", "warns"), [(7, True), (8, False)])
def test_lights_kappa_warns_where_a_category_is_expected_in_fewer_than_8_items(rarer, warns):
    table = np.zeros((80, 3), dtype=int)
    for rater in range(3):
        table[rater : rater + rarer, rater] = 1

    estimate = light_kappa(table, resamples=50)

    assert ("a category is expected in fewer than 8 items" in str(estimate.warning)) == warns


def test_lights_kappa_of_two_raters_has_the_bootstrap_interval_of_cohens():
    table = drawn(raters=2)

    light = light_kappa(table, resamples=4000, seed=3)
    cohen = cohen_kappa(table[:, 0], table[:, 1], interval="percentile", resamples=4000, seed=4)

    assert light.se == pytest.approx(cohen.se, rel=0.05)
    clustered = light_kappa(table, clusters=np.arange(60) // 3, resamples=200)
    assert clustered.n_clusters == 20


def test_a_pair_without_a_kappa_is_named():
    assert "columns 0 and 2" in light_kappa([[1, 2, None], [2, 2, None], [None, 1, 1]]).undefined_because
    assert light_kappa([[1, None], [None, 1]]).undefined_because == "no item has two ratings"
    with pytest.raises(ValueError, match="without categories="):
        light_kappa([[1, 2]], "linear")


def test_named_weights_by_their_formulas():
    q = 5
    for k, l_ in itertools.product(range(q), range(q)):
        d = abs(k - l_)
        assert agreement_weights("linear", q)[k, l_] == pytest.approx(1 - d / 4)
        assert agreement_weights("quadratic", q)[k, l_] == pytest.approx(1 - d**2 / 16)
        assert agreement_weights("radical", q)[k, l_] == pytest.approx(1 - math.sqrt(d) / 2)
        assert agreement_weights("ordinal", q)[k, l_] == pytest.approx(1 - math.comb(d + 1, 2) / math.comb(5, 2))
        assert agreement_weights(None, q)[k, l_] == (d == 0)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 0.5], [0.4, 1]], "not symmetric"),
        ([[1, 0.5]], "shape"),
        ([[0.9, 0.5], [0.5, 1]], "1 on the diagonal"),
        ([[1, 1.5], [1.5, 1]], "at most 1"),
        ([[1, -0.5], [-0.5, 1]], "at least 0"),
        ([[1, math.nan], [math.nan, 1]], "at least 0"),
        ([[1, 1], [1, 1]], "1 everywhere"),
        ([["x", 1], [1, 1]], "matrix of numbers"),
        ("cubic", "weights is 'cubic'"),
    ],
)
def test_a_matrix_that_is_no_weights_is_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        agreement_weights(matrix, 2)


def test_penalties_have_nothing_on_the_diagonal():
    with pytest.raises(ValueError, match="0 on the diagonal"):
        agreement_weights([[1, 2], [2, 1]], 2, disagreement=True)
    with pytest.raises(ValueError, match="categories is 1"):
        agreement_weights(None, 1)


def test_cohens_example_of_weighted_kappa():
    # Cohen (1968): 200 cases, his penalties 1, 3 and 6; kappa .492, weighted .348
    counts = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    a, b = zip(*((i, j) for i in range(3) for j in range(3) for _ in range(counts[i][j])), strict=True)

    weighted = cohen_kappa_with_weights(a, b, [[0, 1, 3], [1, 0, 6], [3, 6, 0]], (0, 1, 2), disagreement=True)

    assert round(weighted.value, 3) == 0.348
    assert round(cohen_kappa(a, b).value, 3) == 0.492


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_the_usual_weights_give_the_usual_kappa(weights):
    table = drawn(raters=2, missing=0.1)
    order = [0, 1, 2, 3]

    own = cohen_kappa_with_weights(*table.T, agreement_weights(weights, 4), order)
    usual = cohen_kappa(*table.T, categories=order, weights=weights)

    assert (own.value, own.se, own.low, own.high) == pytest.approx((usual.value, usual.se, usual.low, usual.high))
    assert own.n == usual.n


def test_clustered_items_have_a_cluster_bootstrap():
    table, order = drawn(raters=2), [0, 1, 2, 3]
    subjects = np.arange(60) // 3

    own = cohen_kappa_with_weights(*table.T, "linear", order, clusters=subjects, resamples=4000)
    usual = cohen_kappa(*table.T, categories=order, weights="linear", clusters=subjects, resamples=4000)

    assert own.n_clusters == 20
    assert own.se == pytest.approx(usual.se, rel=0.05)
    with pytest.raises(ValueError, match="interval is 'normal' with clusters"):
        cohen_kappa_with_weights(*table.T, "linear", order, clusters=subjects, interval="normal")


def test_degenerate_tables_keep_the_value_and_lose_the_limits():
    kappa = partial(cohen_kappa_with_weights, weights="linear", categories=[0, 1, 2], interval="normal")

    assert kappa([0, 1], [0, 1]).value == 1.0
    assert "perfect agreement" in kappa([0, 1], [0, 1]).undefined_because
    assert "constant" in kappa([0, 0], [0, 1]).undefined_because
    assert math.isnan(kappa([0, 0], [0, 0]).value)
    assert kappa([], []).undefined_because == "no item has both verdicts"
    assert "one item" in kappa([1], [1]).undefined_because


def closed_test_of_simes(p):
    """The greatest Simes P value over all sets that hold each hypothesis."""
    m = len(p)
    adjusted = [0.0] * m
    for size in range(1, m + 1):
        for chosen in itertools.combinations(range(m), size):
            ranked = sorted(p[i] for i in chosen)
            simes = min(size * value / rank for rank, value in enumerate(ranked, start=1))
            for i in chosen:
                adjusted[i] = max(adjusted[i], simes)
    return [min(1.0, value) for value in adjusted]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_hommel_is_the_closed_test_of_simes(p):
    assert hommel_p_values(p).tolist() == pytest.approx(closed_test_of_simes(p), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_hommel_is_among_the_adjustments(p):
    assert adjust_p_values(p, "hommel").tolist() == pytest.approx(closed_test_of_simes(p), abs=1e-12)


def test_hommel_is_that_of_statsmodels_and_never_above_holm():
    rng = np.random.default_rng(1)
    for m in (2, 5, 20, 60):
        p = rng.random(m) ** 2

        result = hommel_p_values(p)

        assert result == pytest.approx(multipletests(p, method="hommel")[1], abs=1e-12)
        assert (result <= adjust_p_values(p, "holm") + 1e-12).all()


def test_tests_that_could_not_be_done_do_not_count():
    assert hommel_p_values([0.01, math.nan, 0.03])[[0, 2]] == pytest.approx(hommel_p_values([0.01, 0.03]))
    assert math.isnan(hommel_p_values([0.01, math.nan])[1])
    assert hommel_p_values([]).size == 0


@pytest.mark.parametrize("wrong", [[1.2], [-0.1], [[0.1]], ["x"]])
def test_what_is_no_p_value_is_refused(wrong):
    with pytest.raises(ValueError, match="p "):
        hommel_p_values(wrong)
