"""Fleiss, Gwet, Brennan-Prediger, Conger and Krippendorff, against published values, irrCAC and each other."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement import brennan_prediger, cohen_kappa, conger_kappa, fleiss_kappa, gwet_ac, krippendorff_alpha

# Krippendorff (2011), example C: four observers, twelve units; Gwet (2014) takes the same up as raw4raters
UNITS = [
    [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, 3, None, None],
]  # fmt: skip

# Fleiss (1971), table 1: 30 patients, 6 psychiatrists, depression, personality disorder, schizophrenia, neurosis, other
FLEISS_1971 = [
    [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0], [2, 0, 4, 0, 0],
    [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6], [1, 0, 0, 5, 0], [1, 1, 0, 4, 0],
    [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1], [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0],
    [0, 2, 0, 4, 0], [1, 0, 2, 0, 3], [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0],
    [1, 0, 0, 4, 1], [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6],
]  # fmt: skip

ALL = [fleiss_kappa, gwet_ac, brennan_prediger, conger_kappa, krippendorff_alpha]
WEIGHTED = {"gwet": gwet_ac, "fleiss": fleiss_kappa, "conger": conger_kappa, "bp": brennan_prediger}

TABLES = st.lists(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=3, max_size=3), min_size=3, max_size=15)


def raters_of(counts):
    return [[category for category, count in enumerate(row) for _ in range(count)] for row in counts]


def test_fleiss_kappa_of_fleiss_1971():
    estimate = fleiss_kappa(raters_of(FLEISS_1971))

    # printed: .430; statsmodels 0.15.0: fleiss_kappa(table) = 0.43024452006014
    assert round(estimate.value, 3) == 0.430
    assert estimate.value == pytest.approx(0.43024452006014, abs=1e-12)
    assert estimate.n == 30


@pytest.mark.parametrize(
    ("weights", "name", "value", "se", "low"),
    [
        # irrCAC 0.4: CAC(df, weights=w, categories=[1, 2, 3, 4, 5], digits=12).gwet() etc.
        (None, "gwet", 0.775444068127, 0.142949950641, 0.460813348131),
        (None, "fleiss", 0.761169275422, 0.153019203469, 0.424376279377),
        (None, "conger", 0.762066893651, 0.150108795070, 0.431679663303),
        (None, "bp", 0.772727272727, 0.144716619899, 0.454208139910),
        ("linear", "gwet", 0.858739136433, 0.117329021881, 0.600499700424),
        ("linear", "fleiss", 0.817944767097, 0.148504355499, 0.491088884434),
        ("linear", "conger", 0.813137032843, 0.145868196929, 0.492083296072),
        ("linear", "bp", 0.848484848485, 0.123356124494, 0.576979849067),
        ("quadratic", "gwet", 0.914000723552, 0.103962244645, 0.685181365878),
        ("quadratic", "fleiss", 0.864935064935, 0.146033610757, 0.543517254785),
        ("quadratic", "conger", 0.857168224092, 0.144360791358, 0.539432264613),
        ("quadratic", "bp", 0.901515151515, 0.110894374974, 0.657438277860),
    ],
)
def test_coefficients_and_standard_errors_are_those_of_irrcac(weights, name, value, se, low):
    estimate = WEIGHTED[name](UNITS, weights=weights, interval="t")

    assert estimate.value == pytest.approx(value, abs=1e-11)
    assert estimate.se == pytest.approx(se, abs=1e-11)
    assert estimate.low == pytest.approx(low, abs=1e-11)
    assert estimate.high == 1.0
    assert estimate.n == 12


@pytest.mark.parametrize(
    ("level", "value"),
    [
        # Krippendorff (2011) prints .743, .815, .849, .797; PyPI krippendorff 0.8 to twelve digits:
        ("nominal", 0.743421052631579),
        ("ordinal", 0.815387503754881),
        ("interval", 0.849107142857143),
        ("ratio", 0.797402774711612),
    ],
)
def test_alpha_is_krippendorffs_at_every_level(level, value):
    estimate = krippendorff_alpha(UNITS, level)

    assert estimate.value == pytest.approx(value, abs=1e-12)
    assert estimate.n == 11
    assert "1 with fewer than two ratings left out" in estimate.method


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_what_raters_excluded_is_counted_apart_from_what_nobody_rated(level):
    table = [[1, 2, 1], [2, 2, None], [1, None, None], [None, None, None], [2, None, None]]
    excluded = np.zeros((5, 3), dtype=bool)
    excluded[1, 2] = excluded[2, 1] = True
    excluded[3] = True

    estimate = krippendorff_alpha(table, level, excluded=excluded)

    assert (estimate.n, estimate.value) == (2, krippendorff_alpha(table, level).value)
    assert "; 2 that raters excluded left out, counted apart; 1 with fewer than two ratings left out" in estimate.method


@pytest.mark.parametrize(
    ("excluded", "message"),
    [
        ([[True, False]], r"excluded has shape \(1, 2\); expected \(2, 2\) of True and False"),
        ([[0, 1], [0, 0]], "of True and False"),
        ([[False, False], [False, True]], "row 1, column 1 is excluded and has a rating"),
    ],
)
def test_exclusions_that_do_not_fit_the_ratings_are_refused(excluded, message):
    with pytest.raises(ValueError, match=message):
        krippendorff_alpha([[1, None], [2, 2]], excluded=excluded)


@pytest.mark.parametrize(
    ("level", "se", "low"),
    # irrCAC 0.4: CAC(df, weights="identity" | "quadratic", categories=[1, ..., 5]).krippendorff()
    [("nominal", 0.145573886985, 0.419062219206), ("interval", 0.129129965715, 0.561387649292)],
)
def test_the_standard_error_of_alpha_is_that_of_irrcac(level, se, low):
    estimate = krippendorff_alpha(UNITS, level, interval="t")

    assert (estimate.se, estimate.low) == pytest.approx((se, low), abs=1e-11)


def test_interval_alpha_by_hand():
    # two raters, units (1, 2), (3, 3), (5, 4): D_o: 2 + 0 + 2 = 4 over m_u - 1 = 1
    # pool 1 2 3 3 4 5: sum of squared differences over ordered pairs = 2 * (6 * 64 - 18^2) = 120
    # alpha = 1 - (n - 1) * 4 / 120 = 1 - 5 * 4 / 120 = 5/6
    assert krippendorff_alpha([[1, 2], [3, 3], [5, 4]], "interval").value == pytest.approx(5 / 6, abs=1e-15)


def test_large_values_lose_no_digits():
    shifted = [[1e9 + x, 1e9 + y] for x, y in ([1, 2], [3, 3], [5, 4])]

    assert krippendorff_alpha(shifted, "interval").value == pytest.approx(5 / 6, abs=1e-9)


def test_conger_of_two_raters_is_cohen():
    rng = np.random.default_rng(6)
    a = rng.integers(0, 3, 80)
    b = np.where(rng.random(80) < 0.6, a, rng.integers(0, 3, 80))

    conger = conger_kappa(np.column_stack([a, b]), interval="t")
    cohen = cohen_kappa(a, b, interval="normal")

    assert conger.value == pytest.approx(cohen.value, abs=1e-12)
    # Gwet's variance divides by n - 1 where Fleiss, Cohen and Everitt divide by n
    assert conger.se == pytest.approx(cohen.se * math.sqrt(80 / 79), abs=1e-12)


@pytest.mark.parametrize("coefficient", ALL)
def test_no_item_with_two_ratings_has_no_coefficient(coefficient):
    for ratings in ([], [[1, None], [None, 2]], [[None, None]]):
        estimate = coefficient(ratings)

        assert math.isnan(estimate.value)
        assert estimate.undefined_because == "no item has two ratings"


@pytest.mark.parametrize("coefficient", ALL)
def test_perfect_agreement_keeps_its_value_without_limits(coefficient):
    estimate = coefficient([["a", "a"], ["b", "b"], ["a", "a"]], interval="t")

    assert estimate.value == 1.0
    assert math.isnan(estimate.low)
    assert estimate.undefined_because


def test_equal_constants_are_undefined_or_1_each_in_its_own_way():
    same = [["a", "a", "a"]] * 4

    for coefficient in (fleiss_kappa, conger_kappa, krippendorff_alpha):
        assert math.isnan(coefficient(same).value)
        assert "all ratings are the same" in coefficient(same).undefined_because
    for coefficient in (gwet_ac, brennan_prediger):
        assert coefficient(same).value == 1.0
        assert math.isnan(coefficient(same, interval="t").low)


def test_alpha_looks_at_the_pairable_ratings_alone():
    estimate = krippendorff_alpha([["a", "a"], ["a", "a"], ["b", None]])

    assert estimate.undefined_because == "all ratings are the same: expected disagreement is 0"


@pytest.mark.parametrize("coefficient", ALL)
def test_one_item_has_no_interval(coefficient):
    estimate = coefficient([["a", "b"]])

    assert math.isnan(estimate.low)
    assert estimate.undefined_because


def test_a_rater_who_rated_nothing_has_no_marginals():
    estimate = conger_kappa([["a", "a", None], ["a", "b", None]])

    assert estimate.undefined_because == "a rater (column 2) has rated nothing"


@pytest.mark.parametrize("coefficient", ALL)
@settings(max_examples=40)
@given(table=TABLES)
def test_coefficients_do_not_depend_on_order_or_labels_and_not_on_duplication_of_counts(coefficient, table):
    names = {"a": "z", "b": "x", "c": "y", None: None}

    result = coefficient(table).value

    assert coefficient([row[::-1] for row in table]).value == pytest.approx(result, abs=1e-9, nan_ok=True)
    assert coefficient(table[::-1]).value == pytest.approx(result, abs=1e-9, nan_ok=True)
    relabelled = [[names[value] for value in row] for row in table]
    assert coefficient(relabelled).value == pytest.approx(result, abs=1e-9, nan_ok=True)
    if coefficient is not krippendorff_alpha:  # alpha corrects for the size of the sample
        assert coefficient(table * 2).value == pytest.approx(result, abs=1e-9, nan_ok=True)


def test_declared_categories_count_for_gwet_and_brennan_prediger():
    two = [["a", "b"], ["a", "a"], ["b", "b"], ["a", "a"]]

    # pa = 3/4; two categories pe = 1/2 -> 1/2; declared third: pe = 1/3 -> 5/8
    assert brennan_prediger(two).value == pytest.approx(1 / 2)
    assert brennan_prediger(two, categories=["a", "b", "c"]).value == pytest.approx(5 / 8)
    assert gwet_ac(two, categories=["a", "b", "c"]).value > gwet_ac(two).value


@pytest.mark.parametrize("coefficient", ALL)
def test_the_cluster_bootstrap_counts_clusters_and_brackets_the_value(coefficient):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 60)
    ratings = np.where(rng.random((60, 3)) < 0.7, truth[:, None], rng.integers(0, 3, (60, 3)))

    estimate = coefficient(ratings, clusters=np.repeat(np.arange(15), 4), seed=2)
    items = coefficient(ratings, interval="percentile", seed=2)

    assert estimate.n_clusters == 15
    assert estimate.low < estimate.value < estimate.high
    assert "these raters (fixed)" in estimate.method
    # resampling items has the spread of the linearised standard error
    assert items.se == pytest.approx(coefficient(ratings).se, rel=0.1)


def test_the_ordinal_bootstrap_computes_the_metric_anew():
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 6, 40)
    ratings = np.clip(truth[:, None] + rng.integers(-1, 2, (40, 3)), 1, 5)

    estimate = krippendorff_alpha(ratings, "ordinal", interval="percentile", seed=1, resamples=2000)

    naive = []
    for _ in range(300):
        drawn = rng.integers(0, 40, 40)
        naive.append(krippendorff_alpha(ratings[drawn], "ordinal").value)
    assert estimate.se == pytest.approx(np.std(naive, ddof=1), rel=0.15)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match=r"ratings has shape \(3,\); expected \(items, raters\)"):
        fleiss_kappa(np.array([1, 2, 3]))
    with pytest.raises(ValueError, match=r"ratings has shape \(2, 1\); expected two raters or more"):
        fleiss_kappa([[1], [2]])
    with pytest.raises(ValueError, match="ratings has 2 ratings in row 0 and 3 in row 1"):
        fleiss_kappa([[1, 2], [1, 2, 3]])
    with pytest.raises(ValueError, match="have no order; expected categories="):
        gwet_ac([["mild", "severe"]], weights="linear")
    with pytest.raises(ValueError, match="have no order; expected categories="):
        krippendorff_alpha([["mild", "severe"]], "ordinal")
    with pytest.raises(ValueError, match="level is 'ordinary'"):
        krippendorff_alpha([[1, 2]], "ordinary")
    with pytest.raises(ValueError, match="expected numbers of at least 0"):
        krippendorff_alpha([[-1, 2], [2, 2]], "ratio")
    with pytest.raises(ValueError, match="interval is 't' with clusters="):
        fleiss_kappa([[1, 2], [1, 1]], clusters=["s", "t"], interval="t")


@pytest.mark.parametrize("coefficient", [gwet_ac, brennan_prediger])
def test_one_item_has_a_coefficient_without_limits_where_chance_needs_no_second_item(coefficient):
    agreed = coefficient([["a", "a"]], categories=["a", "b"], interval="t")
    split = coefficient([["a", "b"]], interval="t")

    assert (agreed.value, split.value) == (1.0, -1.0)
    assert math.isnan(agreed.low)
    assert agreed.undefined_because == "one item: no standard error"


@pytest.mark.parametrize("coefficient", [fleiss_kappa, conger_kappa, krippendorff_alpha])
def test_one_item_has_no_kappa_and_no_alpha(coefficient):
    estimate = coefficient([["a", "b"]])

    assert math.isnan(estimate.value)
    assert "one item" in estimate.undefined_because


@pytest.mark.parametrize("coefficient", [gwet_ac, brennan_prediger, conger_kappa, fleiss_kappa])
def test_linear_and_quadratic_weights_of_two_categories_are_none(coefficient):
    ratings = [[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 0, None]]
    plain = coefficient(ratings, interval="t")

    for weights in ("linear", "quadratic"):
        weighted = coefficient(ratings, weights=weights)
        assert (weighted.value, weighted.se) == pytest.approx((plain.value, plain.se), abs=1e-15)


def test_conger_of_one_constant_rater_is_0_without_limits():
    estimate = conger_kappa([["a", "a"], ["a", "b"], ["a", "a"], ["a", "b"]], interval="t")

    assert estimate.value == 0.0
    assert math.isnan(estimate.low)


def test_ratio_alpha_of_ratings_that_hardly_differ_keeps_its_value():
    # two levels: whatever the metric between them, alpha is the nominal one
    near = [[1e12, 1e12 + 1], [1e12 + 1, 1e12 + 1], [1e12, 1e12]]

    assert krippendorff_alpha(near, "ratio").value == pytest.approx(krippendorff_alpha(near).value, abs=1e-12)


@pytest.mark.parametrize("level", ["ordinal", "interval", "ratio"])
@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_alpha_does_not_depend_on_the_unit_however_small_or_large(level, unit):
    numbers = [[1, 2, 2], [3, 3, 4], [5, 4, 4], [7, None, 5]]
    scaled = [[None if x is None else x * unit for x in row] for row in numbers]

    assert krippendorff_alpha(scaled, level).value == pytest.approx(krippendorff_alpha(numbers, level).value, abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_refuses_a_rating_that_was_not_declared_at_every_level(level):
    with pytest.raises(ValueError, match="ratings holds 9; expected one of the categories"):
        krippendorff_alpha([[1, 9], [1, 1], [2, 2]], level, categories=[1, 2])


def test_ordinal_alpha_of_a_continuous_scale_needs_no_table_of_all_pairs_of_levels():
    rng = np.random.default_rng(8)
    truth = rng.normal(size=4000)
    ratings = truth[:, None] + rng.normal(size=(4000, 3)) / 2

    estimate = krippendorff_alpha(ratings, "ordinal")

    # without ties the ordinal metric is the interval metric of the ranks
    ranks = ratings.ravel().argsort().argsort().reshape(ratings.shape)
    by_ranks = krippendorff_alpha(ranks, "interval")
    assert estimate.value == pytest.approx(by_ranks.value, abs=1e-12)


@given(TABLES)
@settings(max_examples=60)
def test_the_two_ways_to_the_ordinal_metric_meet(rows):
    t = krippendorff_alpha(rows, "ordinal", categories=["x", "a", "b", "c", "y"])
    resampled = krippendorff_alpha(
        rows, "ordinal", categories=["x", "a", "b", "c", "y"], interval="percentile", resamples=1
    )

    assert t.value == pytest.approx(resampled.value, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("coefficient", ALL)
def test_free_text_is_refused_before_its_table_is_made(coefficient):
    with pytest.raises(ValueError, match=r"ratings hold 22000 categories .* not free text"):
        coefficient(np.arange(22_000).reshape(11_000, 2))


@pytest.mark.parametrize(
    ("coefficient", "weights", "lowest"),
    [
        (gwet_ac, None, -1.0),
        (brennan_prediger, None, -1.0),
        (brennan_prediger, "quadratic", -1.0),
        (fleiss_kappa, None, -1.0),
    ],
)
def test_limits_are_clipped_at_the_least_that_a_coefficient_can_be(coefficient, weights, lowest):
    ratings = [[1, 2], [2, 1], [1, 2], [1, 1]]

    estimate = coefficient(ratings, weights=weights, interval="t")

    assert estimate.low == lowest
    assert "lower limit clipped at -1, the lowest possible value" in estimate.method


def test_weights_let_a_coefficient_lie_below_minus_one():
    # no agreement at all, while equal shares of five levels would agree for 3/4 with quadratic weights
    estimate = brennan_prediger(
        [[1, 5], [5, 1], [1, 5], [2, 5]], categories=range(1, 6), weights="quadratic", interval="t"
    )

    assert estimate.low == pytest.approx(-3.0)
    assert estimate.value < -1.0
