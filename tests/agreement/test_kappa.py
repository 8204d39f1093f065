"""Cohen's kappa and its relatives, against published tables, R, fractions worked out by hand, and invariances."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import cohen_kappa, cohen_kappa_of_table, kappa_per_category, pabak
from agreement.tables import Table

# Fleiss, Cohen and Everitt (1969), table 1 as printed for n = 200
FLEISS_COHEN_EVERITT = [[106, 10, 4], [22, 28, 10], [2, 12, 6]]

VERDICTS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=40)


def as_raters(table):
    pairs = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in pairs], [j for _, j in pairs]


@pytest.mark.parametrize(
    ("weights", "value", "se"),
    [
        # R 4.2.2, vcd 1.4.11:  k <- Kappa(t, weights = "Equal-Spacing"); k$Unweighted; k$Weighted
        (None, 0.4285714285714, 0.0537110048692),
        ("linear", 0.4923076923077, 0.0507186076077),
        # R 4.2.2, vcd 1.4.11:  Kappa(t, weights = "Fleiss-Cohen")$Weighted
        ("quadratic", 0.5666666666667, 0.0556663401582),
    ],
)
def test_kappa_and_its_standard_error_are_those_of_r(weights, value, se):
    estimate = cohen_kappa_of_table(FLEISS_COHEN_EVERITT, weights=weights)

    assert estimate.value == pytest.approx(value, abs=1e-12)
    assert estimate.se == pytest.approx(se, abs=1e-12)
    # qnorm(0.975) = 1.959963984540054
    assert (estimate.low, estimate.high) == pytest.approx(
        (value - 1.959963984540054 * se, value + 1.959963984540054 * se), abs=1e-11
    )


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_verdicts_and_their_table_give_the_same_estimate(weights):
    a, b = as_raters(FLEISS_COHEN_EVERITT)

    of_verdicts = cohen_kappa(a, b, weights=weights, interval="normal")
    assert of_verdicts == cohen_kappa_of_table(FLEISS_COHEN_EVERITT, weights=weights)


def test_kappa_equals_a_fraction_worked_out_by_hand():
    # po = (20 + 15) / 50 = 7/10; pe = (25/50)(30/50) + (25/50)(20/50) = 1/2; kappa = (7/10 - 1/2) / (1/2) = 2/5
    assert cohen_kappa_of_table([[20, 5], [10, 15]]).value == pytest.approx(float(Fraction(2, 5)), abs=1e-15)


def test_a_level_of_the_scale_that_nobody_used_still_counts():
    # 1-5 scale, 3 unused. Disagreements |i - j|: three pairs (1,2) (4,5) (5,2): 1 + 1 + 3 = 5.
    # a: 1,1,4,5,5,2  b: 1,2,5,2,5,2 ; expected sum over all 36 pairings of |a_i - b_j|:
    # a = 1 (twice): 0+1+4+1+4+1 = 11 -> 22 ; a = 4: 3+2+1+2+1+2 = 11 ; a = 5 (twice): 4+3+0+3+0+3 = 13 -> 26
    # a = 2: 1+0+3+0+3+0 = 7 ; together 66.  kappa = 1 - 6 * 5 / 66 = 1 - 30/66 = 6/11
    a, b = [1, 1, 4, 5, 5, 2], [1, 2, 5, 2, 5, 2]

    undeclared = cohen_kappa(a, b, weights="linear")
    declared = cohen_kappa(a, b, weights="linear", categories=[1, 2, 3, 4, 5])

    assert undeclared.value == pytest.approx(6 / 11, abs=1e-15)
    assert declared == undeclared


def test_weights_over_text_need_a_declared_order():
    with pytest.raises(ValueError, match="no order; expected categories="):
        cohen_kappa(["mild", "severe"], ["mild", "none"], weights="linear")

    ordered = cohen_kappa(["mild", "severe"], ["none", "mild"], weights="linear", categories=["none", "mild", "severe"])

    # positions 1, 2 against 0, 1: penalties 1 + 1; expected 1 + 0 + 2 + 1 = 4; kappa = 1 - 2 * 2 / 4 = 0
    assert ordered.value == 0.0


def test_pooled_answers_and_correctness_are_two_units_with_two_kappas():
    # four options, reference always "A": the raters agree on A (10) and on B (10), and are wrong differently on 10
    a = ["A"] * 10 + ["B"] * 10 + ["C"] * 10
    b = ["A"] * 10 + ["B"] * 10 + ["D"] * 10

    on_answers = cohen_kappa(a, b)
    on_correctness = cohen_kappa([x == "A" for x in a], [y == "A" for y in b])

    # answers: po = 2/3, pe = 1/9 + 1/9 = 2/9 ; kappa = (6/9 - 2/9) / (7/9) = 4/7
    assert on_answers.value == pytest.approx(4 / 7, abs=1e-15)
    assert on_correctness.value == 1.0


def test_the_correctness_of_neuroqas_two_readers_has_another_kappa_than_their_answers():
    # 45 and 48 of 100 right, both right on 27 of the 56 agreed items; printed kappa .40 is that of the answers.
    # po = (27 + 34) / 100, pe = .45 * .48 + .55 * .52 = .502, kappa = .108 / .498
    estimate = cohen_kappa_of_table([[27, 18], [21, 34]])

    assert estimate.value == pytest.approx(0.108 / 0.498, abs=1e-12)
    assert round(estimate.value, 2) == 0.22


def test_no_overlap_one_item_and_equal_constants_have_no_kappa():
    empty = cohen_kappa([], [])
    no_overlap = cohen_kappa(["yes", None], [None, "yes"])
    one_item = cohen_kappa(["yes"], ["yes"])
    constant = cohen_kappa(["yes"] * 5, ["yes"] * 5)

    assert all(math.isnan(estimate.value) for estimate in (empty, no_overlap, one_item, constant))
    assert empty.undefined_because == no_overlap.undefined_because == "no item has both verdicts"
    assert one_item.undefined_because == "one item: kappa needs two or more"
    assert cohen_kappa([1], [1], unit="candidate").undefined_because == "one candidate: kappa needs two or more"
    assert constant.undefined_because == "both raters constant on the same category: expected agreement is 1"


def test_constants_on_different_categories_have_kappa_0_without_limits():
    estimate = cohen_kappa(["yes"] * 5, ["no"] * 5, interval="normal")

    assert estimate.value == 0.0
    assert math.isnan(estimate.low)
    assert "both raters constant" in estimate.undefined_because


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_one_constant_rater_has_kappa_0_without_limits(weights):
    estimate = cohen_kappa([1, 2, 3, 2], [2, 2, 2, 2], weights=weights, interval="normal")

    assert estimate.value == 0.0
    assert math.isnan(estimate.low)
    assert "one rater constant" in estimate.undefined_because


@pytest.mark.parametrize("interval", ["normal", "percentile", "bca"])
def test_perfect_agreement_keeps_its_value_and_has_no_interval_of_width_0(interval):
    estimate = cohen_kappa(list("aabb"), list("aabb"), interval=interval)

    assert estimate.value == 1.0
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)
    assert "perfect agreement" in estimate.undefined_because


def test_perfect_disagreement_has_no_interval_of_width_0():
    estimate = cohen_kappa_of_table([[0, 5], [5, 0]])

    assert estimate.value == -1.0
    assert estimate.undefined_because == "the standard error is 0 for this table"


def test_missing_verdicts_are_left_out_and_counted():
    with_gaps = cohen_kappa(["a", None, "b", "a", float("nan")], ["a", "b", "b", "b", "a"])
    without = cohen_kappa(["a", "b", "a"], ["a", "b", "b"])

    assert with_gaps.value == without.value
    assert with_gaps.n == 3
    assert "2 without both verdicts left out" in with_gaps.method


@given(VERDICTS)
def test_kappa_does_not_depend_on_the_order_of_raters_or_items_or_on_labels(pairs):
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    names = {"a": "z", "b": "x", "c": "y"}

    estimate = cohen_kappa(a, b)
    swapped = cohen_kappa(b, a)
    reversed_items = cohen_kappa(a[::-1], b[::-1])
    relabelled = cohen_kappa([names[x] for x in a], [names[y] for y in b])

    for other in (swapped, reversed_items, relabelled):
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
            (other.value, other.low, other.high), abs=1e-9, nan_ok=True
        )


@given(VERDICTS)
def test_duplicating_every_item_leaves_kappa_unchanged(pairs):
    a, b = [x for x, _ in pairs], [y for _, y in pairs]

    assert cohen_kappa(a * 2, b * 2).value == pytest.approx(cohen_kappa(a, b).value, abs=1e-12, nan_ok=True)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30))
def test_weighted_kappa_is_unchanged_when_the_scale_is_reversed_or_shifted(pairs):
    a, b = [x for x, _ in pairs], [y for _, y in pairs]

    result = cohen_kappa(a, b, weights="quadratic").value

    assert cohen_kappa([6 - x for x in a], [6 - y for y in b], weights="quadratic").value == pytest.approx(
        result, abs=1e-12, nan_ok=True
    )
    assert cohen_kappa([x + 10 for x in a], [y + 10 for y in b], weights="quadratic").value == pytest.approx(
        result, abs=1e-12, nan_ok=True
    )


def test_resampling_items_agrees_with_the_normal_interval_on_a_large_sample():
    a, b = as_raters([[count * 10 for count in row] for row in FLEISS_COHEN_EVERITT])

    normal = cohen_kappa(a, b)
    resampled = cohen_kappa(a, b, interval="percentile")

    assert resampled.value == normal.value
    assert resampled.se == pytest.approx(normal.se, rel=0.03)
    assert (resampled.low, resampled.high) == pytest.approx((normal.low, normal.high), abs=0.003)


def test_the_cluster_bootstrap_is_the_bootstrap_of_whole_clusters():
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(12), 5)
    a = rng.integers(0, 2, 60)
    b = np.where(rng.random(60) < 0.8, a, 1 - a)

    estimate = cohen_kappa(a, b, clusters=clusters, resamples=4000, seed=5, interval="percentile")

    def by_hand(x, y):
        agreed, by_chance = np.mean(x == y), x.mean() * y.mean() + (1 - x.mean()) * (1 - y.mean())
        return (agreed - by_chance) / (1 - by_chance)

    naive = []
    for _ in range(1500):
        drawn = rng.integers(0, 12, 12)
        items = np.concatenate([np.flatnonzero(clusters == cluster) for cluster in drawn])
        naive.append(by_hand(a[items], b[items]))
    assert estimate.value == pytest.approx(by_hand(a, b), abs=1e-12)
    assert estimate.n_clusters == 12
    assert estimate.se == pytest.approx(np.std(naive, ddof=1), rel=0.1)
    assert (estimate.low, estimate.high) == pytest.approx(np.quantile(naive, [0.025, 0.975]), abs=0.03)


def test_one_cluster_has_no_interval():
    estimate = cohen_kappa(list("aabb"), list("abbb"), clusters=["s1"] * 4)

    assert estimate.value == 0.5
    assert math.isnan(estimate.low)
    assert "fewer than two clusters" in estimate.undefined_because
    assert estimate.warning is not None


def test_clusters_and_a_normal_interval_exclude_each_other():
    with pytest.raises(ValueError, match="interval is 'normal' with clusters="):
        cohen_kappa([0, 1], [0, 1], clusters=["s1", "s2"], interval="normal")


def test_wrong_arguments_are_named_with_their_shape():
    with pytest.raises(ValueError, match=r"a has shape \(2,\) and b has shape \(3,\)"):
        cohen_kappa([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match=r"a has shape \(2, 2\); expected one dimension"):
        cohen_kappa(np.zeros((2, 2)), [0, 1])
    with pytest.raises(ValueError, match="a holds 'maybe'; expected one of the categories"):
        cohen_kappa(["maybe", "yes"], ["yes", "no"], categories=["yes", "no"])
    with pytest.raises(ValueError, match=r"table has shape \(2, 3\); expected \(k, k\)"):
        cohen_kappa_of_table([[1, 2, 3], [4, 5, 6]])
    with pytest.raises(ValueError, match="negative or fractional"):
        cohen_kappa_of_table([[1, 2], [0.5, 1]])
    with pytest.raises(ValueError, match="weights is 'cubic'"):
        cohen_kappa([0, 1], [0, 1], weights="cubic")
    with pytest.raises(ValueError, match="confidence is 95"):
        cohen_kappa([0, 1], [0, 1], confidence=95)


def test_kappa_of_a_category_is_kappa_of_that_category_against_the_rest():
    a, b = as_raters(FLEISS_COHEN_EVERITT)

    estimates = kappa_per_category(a, b)

    # first category: 106 both, 14 and 24 one-sided, 56 neither
    assert estimates[0].value == cohen_kappa_of_table([[106, 14], [24, 56]]).value
    assert set(estimates) == {0, 1, 2}


def test_a_declared_category_that_nobody_used_has_no_kappa():
    estimates = kappa_per_category(["x", "y", "x"], ["x", "y", "y"], categories=["x", "y", "z"])

    assert math.isnan(estimates["z"].value)
    assert "constant" in estimates["z"].undefined_because


def test_pabak_is_twice_the_agreement_less_one_with_the_exact_interval_carried_over():
    # Feinstein and Cicchetti (1990), the two tables of their paradox: po = .85 in both, kappa .70 and .32
    a, b = as_raters([[40, 9], [6, 45]])

    estimate = pabak(a, b)

    # R 4.2.2:  2 * binom.test(85, 100)$conf.int - 1
    assert estimate.value == pytest.approx(0.70, abs=1e-12)
    assert (estimate.low, estimate.high) == pytest.approx((0.529384999702, 0.827091228717), abs=1e-11)
    assert pabak(*as_raters([[80, 10], [5, 5]])).value == pytest.approx(0.70, abs=1e-12)
    assert round(cohen_kappa(a, b).value, 2) == 0.70
    assert round(cohen_kappa_of_table([[80, 10], [5, 5]]).value, 2) == 0.32


def test_equal_constants_have_pabak_1_with_an_interval():
    estimate = pabak(["yes"] * 10, ["yes"] * 10)

    assert estimate.value == 1.0
    assert estimate.low < 1.0
    assert estimate.high == 1.0


@pytest.mark.parametrize("count", [math.nan, math.inf, None, 1e30, 2.5, -1, "many", 1j])
def test_a_table_refuses_what_is_no_count(count):
    with pytest.raises(ValueError, match="table holds"):
        cohen_kappa_of_table([[count, 1], [1, 1]])


def test_a_table_with_rows_of_different_length_is_refused():
    with pytest.raises(ValueError, match=r"rows of different length; expected \(k, k\)"):
        cohen_kappa_of_table([[1, 2], [3]])


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_a_gap_of_a_million_levels_needs_no_table_of_a_million_levels(weights):
    a, b = [1, 10**6, 3, 5], [1, 10**6, 1, 5]

    estimate = cohen_kappa(a, b, weights=weights)

    # kappa = 1 - mean penalty of the pairs / mean penalty of all pairings
    power = 1 if weights == "linear" else 2
    observed = Fraction(sum(abs(x - y) ** power for x, y in zip(a, b, strict=True)), 4)
    expected = Fraction(sum(abs(x - y) ** power for x in a for y in b), 16)
    assert estimate.value == pytest.approx(float(1 - observed / expected), abs=1e-15)


def test_the_standard_error_keeps_its_digits_where_one_category_is_very_rare():
    n, both, first, second = 10**9, 4, 3, 2

    estimate = cohen_kappa_of_table([[n, second], [first, both]])

    # the delta method in exact fractions: kappa = 1 - q / e, where q is the share of disagreements and e that
    # expected; a cell with penalty v moves it by (v - (1 - kappa) (v_i. + v_.j)) / e + (1 - kappa)
    total = n + both + first + second
    rows = (Fraction(n + second, total), Fraction(first + both, total))
    columns = (Fraction(n + first, total), Fraction(second + both, total))
    expected = rows[0] * columns[1] + rows[1] * columns[0]
    lost = Fraction(first + second, total) / expected
    variance = Fraction(0)
    for i, j, count in ((0, 0, n), (0, 1, second), (1, 0, first), (1, 1, both)):
        moved = ((i != j) - lost * (columns[1 - i] + rows[1 - j])) / expected + lost
        variance += Fraction(count, total) * moved**2
    assert estimate.value == pytest.approx(float(1 - lost), rel=1e-12)
    assert estimate.se == pytest.approx(math.sqrt(variance / total), rel=1e-12)


@pytest.mark.parametrize("categories", range(2, 60))
def test_pabak_of_full_agreement_is_exactly_1_whatever_the_number_of_categories(categories):
    estimate = pabak([0, 1, 1], [0, 1, 1], categories=range(categories))

    assert (estimate.value, estimate.high) == (1.0, 1.0)


def test_tens_of_thousands_of_different_answers_need_no_table_of_all_pairs_of_them():
    rng = np.random.default_rng(11)
    a = rng.integers(0, 30_000, 40_000)
    b = np.where(rng.random(40_000) < 0.5, a, rng.integers(0, 30_000, 40_000))

    estimate = cohen_kappa([f"answer {x}" for x in a], [f"answer {x}" for x in b])

    # with so many answers chance agreement is next to nothing: kappa is the agreement, its variance binomial
    agreed = np.mean(a == b)
    chance = np.bincount(a, minlength=30_000) @ np.bincount(b, minlength=30_000) / 40_000**2
    assert estimate.value == pytest.approx((agreed - chance) / (1 - chance), abs=1e-12)
    assert estimate.se == pytest.approx(math.sqrt(agreed * (1 - agreed) / 40_000), rel=1e-3)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30), st.sampled_from([1, 2]))
def test_penalties_against_all_verdicts_are_the_sums_over_all_pairs(pairs, power):
    a, b = np.array([x for x, _ in pairs]), np.array([y for _, y in pairs])
    places = np.array([0.0, 1.0, 2.0, 5.0, 6.0, 10.0, 11.0])

    table = Table.of_codes(a, b, places, "linear" if power == 1 else "quadratic")

    assert table.against(table.columns).tolist() == [sum(abs(x - places[y]) ** power for y in b) for x in places]


def test_a_bootstrap_of_too_many_categories_is_refused_before_it_is_tried():
    a = range(15_000)

    with pytest.raises(ValueError, match="a and b hold 15000 categories"):
        cohen_kappa(a, [*list(a)[1:], 0], interval="percentile")
