"""Warnings of intervals that rest on what was seen of long tails and of disagreements."""

import math

import numpy as np
import pytest

from agreement import (
    bland_altman,
    cohen_kappa,
    cohen_kappa_of_table,
    fleiss_kappa,
    gwet_ac,
    icc,
    icc_with_missing,
    krippendorff_alpha,
    lin_ccc,
    pearson,
    spearman,
)

AT_A_SIDE = "a few items lie far out on one side"
FEW = "raters differ"


def rated(items, seed=2):
    rng = np.random.default_rng(seed)
    return items[:, None] + 0.3 * rng.normal(size=(items.size, 5))


OF_NUMBERS = {
    "Lin's concordance": lambda x: lin_ccc(x[:, 0], x[:, 1]),
    "Lin's concordance, resampled": lambda x: lin_ccc(x[:, 0], x[:, 1], interval="percentile", resamples=200),
    "Pearson's r": lambda x: pearson(x[:, 0], x[:, 1]),
    "Pearson's r, falling": lambda x: pearson(x[:, 0], -3.0 * x[:, 1]),
    "Pearson's r, resampled": lambda x: pearson(x[:, 0], x[:, 1], interval="bca", resamples=200),
    "alpha of numbers": lambda x: krippendorff_alpha(x, "interval"),
    "ICC with missing ratings": lambda x: icc_with_missing(x, 3),
}


@pytest.mark.parametrize("coefficient", OF_NUMBERS.values(), ids=OF_NUMBERS)
def test_every_coefficient_of_numbers_with_a_long_tail_warns_and_of_their_logarithms_does_not(coefficient):
    logarithms = np.random.default_rng(4).normal(size=60)

    skewed, even = coefficient(rated(np.exp(logarithms))), coefficient(rated(logarithms))

    assert AT_A_SIDE in str(skewed.warning)
    assert AT_A_SIDE not in str(even.warning)


def warnings_of_limits(draw, n, clusters=None, samples=200):
    """Warnings of the upper limit of agreement in samples of differences."""
    rng = np.random.default_rng(6)
    limits = [bland_altman(draw(rng, n), np.zeros(n), clusters=clusters, resamples=20).upper for _ in range(samples)]
    return [str(limit.warning) for limit in limits]


def share_warned(draw, n, clusters=None, samples=200):
    """The share of samples of differences whose limits of agreement warn of long tails."""
    return np.mean(["differences have long tails" in text for text in warnings_of_limits(draw, n, clusters, samples)])


def normal(rng, n):
    return rng.normal(size=n)


def long_tailed(rng, n):
    return rng.standard_t(3, size=n)


def one_sided(rng, n):
    return rng.lognormal(0.0, 0.6, size=n)


@pytest.mark.parametrize("n", [30, 50, 100])
def test_limits_of_agreement_seldom_warn_of_normal_differences_and_often_of_long_tails(n):
    assert share_warned(normal, n) <= 0.08  # .05 and two standard errors
    assert share_warned(long_tailed, n) > 0.35
    assert share_warned(one_sided, n) > 0.5


def test_limits_of_agreement_in_clusters_warn_of_long_tails_too():
    subjects = np.arange(250) // 5

    assert share_warned(normal, 250, subjects, samples=30) == 0.0
    assert share_warned(long_tailed, 250, subjects, samples=30) > 0.5
    assert share_warned(long_tailed, 1_000, np.arange(1_000) // 5, samples=3) == 0.0  # the interval follows 200 of them


HIDE = "so few differences may hide long tails: the interval holds only if they are about normal"


def share_in_doubt(draw, n, clusters=None, samples=100):
    return np.mean(
        [HIDE in text or "long tails: the" in text for text in warnings_of_limits(draw, n, clusters, samples)]
    )


@pytest.mark.parametrize(
    ("n", "clusters", "least", "most"), [(30, None, 0.8, 0.55), (60, None, 0.9, 0.5), (150, 30, 0.9, 0.15)]
)
def test_limits_of_agreement_of_few_differences_say_that_long_tails_may_be_hidden(n, clusters, least, most):
    subjects = None if clusters is None else np.arange(n) // (n // clusters)

    assert share_in_doubt(long_tailed, n, subjects) >= least
    assert share_in_doubt(normal, n, subjects) <= most


def test_fewer_than_thirty_differences_always_may_hide_long_tails_and_hundred_do_not():
    twenty_nine, thirty, hundred = (
        bland_altman(np.linspace(-1.0, 1.0, n), np.zeros(n)).lower.warning for n in (29, 30, 100)
    )

    assert (twenty_nine, thirty, hundred) == (HIDE, None, None)
    assert all(HIDE not in text for text in warnings_of_limits(normal, 100))


def test_the_bias_beside_limits_of_agreement_does_not_warn_of_long_tails():
    differences = np.r_[np.zeros(40), 30.0, -1.0]

    of_both = bland_altman(differences, np.zeros(42))

    assert "differences have long tails: the interval is likely to be too narrow" in str(of_both.lower.warning)
    assert of_both.bias.warning is None


def test_a_correlation_of_ranks_knows_no_long_tail():
    items = rated(np.exp(np.random.default_rng(4).normal(size=60)))

    assert AT_A_SIDE not in str(spearman(items[:, 0], items[:, 1]).warning)


def steps(items, cuts, seed=3):
    """Steps of two raters of normal items, divided at the cuts."""
    rng = np.random.default_rng(seed)
    return np.digitize(rng.normal(size=items)[:, None] + 0.5 * rng.normal(size=(items, 2)), cuts)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@pytest.mark.parametrize("by", [{}, {"clusters": np.arange(90) // 3}], ids=["independent", "clusters"])
def test_a_weighted_kappa_warns_if_a_few_items_on_one_side_make_up_its_spread(weights, by):
    mostly_first, everywhere = steps(90, [1.2, 1.7, 2.1, 2.5]), steps(90, [-0.84, -0.25, 0.25, 0.84])

    gathered, spread = (
        cohen_kappa(*of_both.T, weights=weights, categories=range(5), **by) for of_both in (mostly_first, everywhere)
    )

    assert AT_A_SIDE in str(gathered.warning)
    assert AT_A_SIDE not in str(spread.warning)


def test_a_weighted_kappa_of_many_steps_of_the_same_shape_and_one_without_weights_do_not_warn_of_spread():
    many, few = (steps(items, [1.2, 1.7, 2.1, 2.5]) for items in (1000, 90))

    weighted = cohen_kappa(*many.T, weights="quadratic", categories=range(5))
    unweighted = cohen_kappa(*few.T, categories=range(5))

    assert AT_A_SIDE not in str(weighted.warning) + str(unweighted.warning)


def test_a_printed_table_with_weights_warns_of_spread_like_the_verdicts_it_counts():
    table = [[80, 4, 0], [2, 2, 1], [0, 1, 2]]

    assert AT_A_SIDE in str(cohen_kappa_of_table(table, weights="quadratic").warning)
    assert AT_A_SIDE not in str(cohen_kappa_of_table([[30, 4, 0], [4, 30, 4], [0, 4, 30]], weights="linear").warning)


@pytest.mark.parametrize("model", [1, 2, 3])
def test_an_icc_of_items_with_a_long_tail_warns_and_of_their_logarithms_does_not(model):
    logarithms = np.random.default_rng(4).normal(size=60)

    skewed, even = icc(rated(np.exp(logarithms)), model), icc(rated(logarithms), model)

    assert AT_A_SIDE in str(skewed.warning)
    assert AT_A_SIDE not in str(even.warning)


def test_the_warning_of_a_long_tail_is_rare_for_normal_items():
    rng = np.random.default_rng(5)

    warned = [AT_A_SIDE in str(icc(rated(rng.normal(size=50), seed)).warning) for seed in range(200)]

    assert np.mean(warned) < 0.1


def far_apart(raters, far):
    """Sixty items over five steps: on 24 of them a rater is one step away, on some of the others four steps."""
    table = np.tile(np.arange(60)[:, None] % 5, raters)
    table[:24, 0] = np.where(table[:24, 0] == 4, 3, table[:24, 0] + 1)
    ends = [item for item in range(24, 60) if table[item, 0] == 0][:far]
    table[ends, 0] = 4
    return table


OF_STEPS = {
    "AC2 of three": (3, lambda t, **by: gwet_ac(t, "quadratic", categories=range(5), **by)),
    "AC2 of two": (2, lambda t, **by: gwet_ac(t, "quadratic", categories=range(5), **by)),
    "Fleiss": (3, lambda t, **by: fleiss_kappa(t, weights="quadratic", categories=range(5), **by)),
    "Cohen": (2, lambda t, **by: cohen_kappa(*t.T, weights="quadratic", categories=range(5), **by)),
    "ordinal alpha": (3, lambda t, **by: krippendorff_alpha(t, "ordinal", categories=range(5), **by)),
}


@pytest.mark.parametrize(("raters", "coefficient"), OF_STEPS.values(), ids=OF_STEPS)
def test_a_weighted_coefficient_warns_if_a_few_large_disagreements_make_up_most_of_it(raters, coefficient):
    small, few, many = (coefficient(far_apart(raters, far)) for far in (0, 2, 7))

    assert "a few large disagreements, worth those on fewer than 6 items" in str(few.warning)
    assert "large disagreements" not in str(small.warning) + str(many.warning)
    assert "large disagreements" not in str(coefficient(far_apart(raters, 2), clusters=np.arange(60) // 2).warning)


def test_raters_who_never_differ_have_no_large_disagreements():
    alike = np.tile(np.arange(60)[:, None] % 5, 3)

    assert gwet_ac(alike, "quadratic", categories=range(5)).warning is None


def steps_with(differing_clusters):
    """Forty clusters of three items, three raters, one of whom differs in some clusters."""
    steps = np.tile(np.random.default_rng(6).integers(1, 6, 120)[:, None], 3)
    for cluster in range(differing_clusters):
        steps[3 * cluster, 0] = steps[3 * cluster, 0] % 5 + 1
    return steps


@pytest.mark.parametrize("level", ["ordinal", "interval", "ratio"])
def test_alpha_warns_where_raters_differ_in_fewer_than_five_clusters(level):
    clusters = np.arange(120) // 3

    four, five = (krippendorff_alpha(steps_with(count), level, clusters=clusters) for count in (4, 5))

    assert FEW + " in fewer than 5 clusters" in str(four.warning)
    assert FEW not in str(five.warning)


def test_alpha_of_independent_items_counts_the_items_on_which_raters_differ():
    four, five = (krippendorff_alpha(steps_with(count), "ordinal") for count in (4, 5))

    assert FEW + " on fewer than 5 items" in str(four.warning)
    assert FEW not in str(five.warning)


@pytest.mark.parametrize("level", ["interval", "ratio"])
def test_alpha_of_numbers_in_perfect_agreement_says_why_it_has_no_limits_and_of_steps_has_them(level):
    alike = steps_with(0)

    of_numbers, of_steps = krippendorff_alpha(alike, level), krippendorff_alpha(alike, "ordinal")

    assert (of_numbers.value, math.isnan(of_numbers.low)) == (1.0, True)
    assert of_numbers.undefined_because.startswith("perfect agreement: nothing shows how large")
    assert of_steps.low < 1.0 == of_steps.high


@pytest.mark.parametrize(("n", "warned"), [(36, True), (40, False)])
def test_a_moderate_tail_of_few_items_warns_of_intraclass_correlations_alone(n, warned):
    items = np.linspace(0.0, 1.0, n) ** 2.3
    ratings = items[:, None] + 0.001 * np.arange(2)[::-1] * np.cos(np.arange(n))[:, None]

    estimate = icc(ratings, 3)

    assert 0.6 < float(((items - items.mean()) ** 3).mean() / items.std() ** 3) < 0.8
    assert (AT_A_SIDE in (estimate.warning or "")) == warned
    assert AT_A_SIDE not in (pearson(*ratings.T).warning or "")
