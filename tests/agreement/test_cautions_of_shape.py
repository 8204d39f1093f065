"""Warnings of intervals that rest on what was seen of long tails and of disagreements."""

import math

import numpy as np
import pytest

from agreement import icc, krippendorff_alpha

AT_A_SIDE = "a few items lie far out on one side"
FEW = "raters differ"


def rated(items, seed=2):
    rng = np.random.default_rng(seed)
    return items[:, None] + 0.3 * rng.normal(size=(items.size, 5))


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
