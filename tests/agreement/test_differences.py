"""Differences of two dependent coefficients, and of two groups of raters."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from agreement import (
    brennan_prediger,
    coefficient_difference,
    cohen_kappa,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    icc,
    kendall_tau,
    krippendorff_alpha,
    lin_ccc,
    pearson,
    rater_group_difference,
    spearman,
)
from agreement.spread import bca_limits, percentile_limits, widened


def three_verdicts(seed: int, items: int = 80, levels: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    human = rng.integers(0, levels, items)
    a = np.where(rng.random(items) < 0.2, rng.integers(0, levels, items), human)
    b = np.where(rng.random(items) < 0.5, rng.integers(0, levels, items), human)
    return a, b, human


def macro_f1(said: np.ndarray, reference: np.ndarray) -> float:
    """The mean of F1 = 2 TP / (2 TP + FP + FN) over categories, in a tenth of scikit-learn's time."""
    of_each = [
        2 * np.sum((said == each) & (reference == each)) / (np.sum(said == each) + np.sum(reference == each))
        for each in np.union1d(said, reference)
    ]
    return float(np.mean(of_each))


OF_TWO = {
    "kappa": lambda x, y: cohen_kappa(x, y, categories=range(4)).value,
    "ac": lambda x, y: gwet_ac(np.column_stack([x, y]), categories=range(4)).value,
    "fleiss": lambda x, y: fleiss_kappa(np.column_stack([x, y]), categories=range(4)).value,
    "brennan_prediger": lambda x, y: brennan_prediger(np.column_stack([x, y]), categories=range(4)).value,
    "alpha": lambda x, y: krippendorff_alpha(np.column_stack([x, y]), categories=range(4)).value,
    "icc": lambda x, y: icc(np.column_stack([x, y])).value,
    "ccc": lambda x, y: lin_ccc(x, y).value,
    "pearson": lambda x, y: pearson(x, y).value,
    "spearman": lambda x, y: spearman(x, y).value,
    "kendall": lambda x, y: kendall_tau(x, y).value,
    "accuracy": lambda x, y: float(np.mean(x == y)),
    "f1": macro_f1,
}


def test_the_macro_f1_of_these_tests_is_that_of_scikit_learn():
    *of_two, human = three_verdicts(1)

    for verdicts in of_two:
        assert macro_f1(verdicts, human) == pytest.approx(f1_score(human, verdicts, average="macro"), abs=1e-15)


@pytest.mark.parametrize("statistic", OF_TWO)
def test_the_value_is_the_difference_of_the_two_coefficients(statistic):
    a, b, human = three_verdicts(1)
    options = {"categories": range(4)} if statistic in ("kappa", "ac", "fleiss", "brennan_prediger", "alpha") else {}

    estimate = coefficient_difference(a, b, statistic, reference=human, resamples=200, seed=1, **options)

    assert estimate.value == pytest.approx(OF_TWO[statistic](a, human) - OF_TWO[statistic](b, human), abs=1e-12)


@pytest.mark.parametrize("statistic", ["kappa", "ac", "alpha", "icc", "f1", "spearman", "kendall"])
def test_the_interval_is_that_of_a_plain_loop_over_subjects(statistic):
    a, b, human = three_verdicts(2, items=90)
    subjects = np.repeat(np.arange(30), 3)
    options = {"categories": range(4)} if statistic in ("kappa", "ac", "alpha") else {}

    estimate = coefficient_difference(
        a, b, statistic, reference=human, clusters=subjects, resamples=1500, seed=3, **options
    )

    rng, gaps = np.random.default_rng(9), []
    for _ in range(200):
        rows = (rng.integers(0, 30, 30)[:, None] * 3 + np.arange(3)).ravel()
        gaps.append(OF_TWO[statistic](a[rows], human[rows]) - OF_TWO[statistic](b[rows], human[rows]))
    assert estimate.se == pytest.approx(np.std(gaps, ddof=1), rel=0.17)
    assert estimate.n_clusters == 30


def test_weights_and_quadratic_kappa_follow_the_declared_scale():
    a, b, human = three_verdicts(4)

    estimate = coefficient_difference(
        a, b, "kappa", reference=human, weights="quadratic", categories=range(4), resamples=200, seed=1
    )

    values = [cohen_kappa(x, human, weights="quadratic", categories=range(4)).value for x in (a, b)]
    assert estimate.value == pytest.approx(values[0] - values[1], abs=1e-12)


def test_two_tables_are_compared_on_the_items_that_both_have():
    rng = np.random.default_rng(5)
    first, second = rng.integers(0, 3, (40, 3)).astype(float), rng.integers(0, 3, (40, 4)).astype(float)
    first[0, :2], second[1] = np.nan, np.nan

    estimate = coefficient_difference(first, second, "kappa", resamples=200, seed=1)

    assert estimate.value == pytest.approx(conger_kappa(first[2:]).value - conger_kappa(second[2:]).value, abs=1e-12)
    assert estimate.n == 38
    assert "2 without the ratings of both left out" in estimate.method


def test_exchanging_the_two_changes_the_sign_only():
    a, b, human = three_verdicts(6)

    one_way = coefficient_difference(a, b, "kappa", reference=human, resamples=999, seed=2)
    other_way = coefficient_difference(b, a, "kappa", reference=human, resamples=999, seed=2)

    assert other_way.value == pytest.approx(-one_way.value, abs=1e-12)
    assert other_way.p == pytest.approx(one_way.p, abs=0.02)


def test_p_is_below_the_level_exactly_where_the_interval_excludes_0():
    for seed in range(12):
        a, b, human = three_verdicts(seed, items=40)

        estimate = coefficient_difference(a, b, "kappa", reference=human, resamples=400, seed=seed)
        within = coefficient_difference(
            a, b, "kappa", reference=human, resamples=400, seed=seed, confidence=1 - 0.98 * estimate.p
        )
        without = coefficient_difference(
            a, b, "kappa", reference=human, resamples=400, seed=seed, confidence=1 - min(0.999, 1.02 * estimate.p)
        )

        assert (estimate.p < 0.05) == (not estimate.low <= 0.0 <= estimate.high)
        assert estimate.p <= 0.012 or within.low <= 0.0 <= within.high
        assert estimate.p >= 0.97 or not without.low <= 0.0 <= without.high


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_the_p_of_resampled_values_inverts_their_limits(kind):
    rng = np.random.default_rng(1)
    left_out = rng.gamma(2, 1, 25)
    for _ in range(60):
        values = rng.normal(rng.normal() * 1.5, 1, 150)

        def limits(confidence, values=values):
            if kind == "percentile":
                return percentile_limits(values, confidence, "")
            return bca_limits(values, float(values.mean()), left_out, np.ones(25, dtype=np.int64), confidence, "")

        p = limits(0.95).p
        if not 2.1 / (values.size + 1) < p < 0.97:
            continue
        assert not limits(1 - p * 1.02).low <= 0.0 <= limits(1 - p * 1.02).high
        assert limits(1 - p * 0.98).low <= 0.0 <= limits(1 - p * 0.98).high


def test_tails_are_those_of_t_for_the_units_that_are_resampled():
    tail = (1 - widened(0.95, 12)) / 2

    assert stats.norm.isf(tail) == pytest.approx(math.sqrt(12 / 11) * stats.t.isf(0.025, 11))


@pytest.mark.parametrize("interval", ["percentile", "bca"])
@pytest.mark.parametrize(("clusters", "confidence"), [(2, 0.95), (3, 0.99), (4, 0.999)])
def test_limits_of_very_few_clusters_are_the_least_and_the_greatest_resample(clusters, confidence, interval):
    human = [1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1]
    a, b = [1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0], [1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0]
    gaps = (np.equal(a, human).astype(float) - np.equal(b, human)).reshape(clusters, -1).mean(axis=1)

    estimate = coefficient_difference(
        a, b, "accuracy", reference=human, clusters=np.repeat(np.arange(clusters), 12 // clusters), seed=1,
        confidence=confidence, interval=interval, resamples=400,
    )  # fmt: skip

    assert (estimate.low, estimate.high) == pytest.approx((gaps.min(), gaps.max()))


@pytest.mark.parametrize("clustered", [False, True])
def test_without_a_difference_it_is_seen_in_one_sample_of_twenty(clustered):
    rng = np.random.default_rng(8)
    samples, excluded = 100, 0
    for seed in range(samples):
        subjects = np.repeat(np.arange(40), 3)
        human = rng.random(120) < rng.beta(1.2, 1.2, 40)[subjects]
        a, b = (np.where(rng.random(120) < 0.15, ~human, human) for _ in range(2))
        estimate = coefficient_difference(
            a, b, "kappa", reference=human, clusters=subjects if clustered else None, resamples=400, seed=seed
        )
        excluded += not estimate.low <= 0.0 <= estimate.high

    # 3 to 7 %, and what 100 samples can miss it by
    assert stats.binomtest(excluded, samples, 0.05).pvalue > 0.01


def test_what_has_no_value_says_why():
    same = coefficient_difference([1, 1, 1], [1, 2, 1], "kappa", reference=[1, 1, 1], seed=1)
    none = coefficient_difference([None, 1], [1, None], "kappa", reference=[1, 1], seed=1)
    equal = coefficient_difference([1, 2, 2], [1, 2, 2], "kappa", reference=[1, 2, 1], resamples=50, seed=1)

    assert same.undefined_because == "the kappa of the first has no value"
    assert none.undefined_because == "no item has the ratings of both"
    assert equal.value == 0.0
    assert math.isnan(equal.low)
    assert equal.p is None


@pytest.mark.parametrize("statistic", ["kappa", "ac", "f1", "alpha"])
@pytest.mark.parametrize(("changed", "warns"), [(4, True), (5, False)])
def test_two_that_differ_on_fewer_than_five_items_have_a_warning(statistic, changed, warns):
    human = np.arange(60) % 2
    first, second = human.copy(), human.copy()
    first[:9] = 1 - first[:9]
    second[: 9 - changed] = 1 - second[: 9 - changed]

    estimate = coefficient_difference(first, second, statistic, reference=human, resamples=200, seed=1)

    assert ("the two differ on fewer than 5" in str(estimate.warning)) is warns


@pytest.mark.parametrize("statistic", ["accuracy", "f1"])
def test_two_who_are_always_right_about_one_category_do_not_differ(statistic):
    estimate = coefficient_difference(["no"] * 9, ["no"] * 9, statistic, reference=["no"] * 9, seed=1)

    assert estimate.value == 0.0
    assert "every resample gave the same value" in str(estimate.undefined_because)


@pytest.mark.parametrize("statistic", ["kappa", "alpha"])
def test_one_category_alone_has_no_chance_corrected_difference(statistic):
    estimate = coefficient_difference(["no"] * 9, ["no"] * 9, statistic, reference=["no"] * 9, seed=1)

    assert "of the first has no value" in str(estimate.undefined_because)


@pytest.mark.parametrize(
    ("statistic", "options", "message"),
    [
        ("kendal", {}, "statistic is 'kendal'"),
        ("pearson", {"reference": None}, "without a reference"),
        ("accuracy", {"weights": "linear"}, "weights is given with 'accuracy'"),
        ("kappa", {"weights": "linear"}, "without categories"),
        ("kappa", {"level": "ordinal"}, "level is 'ordinal' with 'kappa'"),
        ("f1", {"positive": 7}, "positive is 7"),
        ("kappa", {"positive": 1}, "positive is given with 'kappa'"),
        ("kappa", {"interval": "t"}, "interval is 't'"),
        ("kappa", {"reference": [1, 2]}, "expected the same items"),
    ],
)
def test_wrong_options_are_named(statistic, options, message):
    options = {"reference": [1, 2, 1]} | options
    with pytest.raises(ValueError, match=message):
        coefficient_difference([1, 2, 2], [1, 1, 2], statistic, seed=1, **options)


def a_panel(rng: np.random.Generator, truth: np.ndarray, raters: int, error: float) -> np.ndarray:
    wrong = rng.random((truth.size, raters)) < error
    return np.where(wrong, rng.integers(0, 3, (truth.size, raters)), truth[:, None])


def test_groups_of_complete_ratings_have_congers_kappa():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 50)
    first, second = a_panel(rng, truth, 5, 0.2), a_panel(rng, truth, 6, 0.4)

    estimate = rater_group_difference(first, second, resamples=300, seed=1)

    assert estimate.value == pytest.approx(conger_kappa(first).value - conger_kappa(second).value, abs=1e-12)
    assert estimate.low < estimate.value < estimate.high
    assert 0.0 < estimate.p <= 1.0


def test_the_standard_error_is_the_spread_over_other_items_and_other_raters():
    rng = np.random.default_rng(4)

    def sample():
        truth, errors = rng.integers(0, 3, 40), rng.beta(4, 12, 12)
        panel = np.where(rng.random((40, 12)) < errors, rng.integers(0, 3, (40, 12)), truth[:, None])
        return rater_group_difference(panel[:, :6], panel[:, 6:], "agreement", resamples=200, seed=1)

    estimates = [sample() for _ in range(150)]

    spread = np.std([estimate.value for estimate in estimates], ddof=1)
    assert math.sqrt(np.mean([estimate.se**2 for estimate in estimates])) == pytest.approx(spread, rel=0.25)


def test_accuracy_of_two_groups_is_the_share_of_all_ratings():
    reference = [0, 1, 1, 0]
    first = [[0] * 5, [1] * 5, [0] * 5, [0] * 5]
    second = [[0] * 5, [0] * 5, [0] * 5, [None] * 5]

    estimate = rater_group_difference(first, second, "accuracy", reference=reference, resamples=300, seed=1)

    assert estimate.value == pytest.approx(3 / 4 - 1 / 3)
    assert estimate.method.endswith("; 0.750 in the first group, 0.333 in the second")


def test_fewer_than_five_raters_say_nothing_about_others():
    table = np.tile([[0], [1], [1]], 4)

    estimate = rater_group_difference(table, np.tile([[0], [1], [1]], 6), "agreement", seed=1)

    assert estimate.undefined_because == "4 raters in a group: generalising to other raters needs 5 in each"
    assert math.isnan(estimate.low)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "ac"}, "statistic is 'ac'"),
        ({"statistic": "accuracy"}, "expected reference= with 'accuracy'"),
        ({"weights": "linear"}, "with categories="),
    ],
)
def test_wrong_options_of_groups_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        rater_group_difference([[1, 2]], [[1, 2]], **options, seed=1)


@pytest.mark.parametrize("raters", [2, 5])
@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (None, ""),
        ("quadratic", "; quadratic weights"),
        ([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]], "; weights as given"),
    ],
)
def test_a_difference_between_groups_says_the_weights_of_its_kappa(raters, weights, says):
    rng = np.random.default_rng(4)
    first, second = (rng.integers(1, 4, size=(30, raters)).tolist() for _ in range(2))

    estimate = rater_group_difference(
        first, second, "kappa", weights=weights, categories=[1, 2, 3], resamples=50, seed=1
    )

    assert says in estimate.method
    assert ("weights" in estimate.method) == (weights is not None)
