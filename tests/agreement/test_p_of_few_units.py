"""P by inverting percentiles: given from ten units on, and in plans that were frozen earlier from two on."""

import copy
import pickle

import numpy as np
import pytest

from agreement import (
    ClusterDraw,
    coefficient_difference,
    icc,
    lin_ccc,
    paired_difference,
    pearson,
    reader_averaged_difference,
    readers_against_judge,
    spearman,
)
from agreement.contrast import difference_of_parts
from agreement.planned_seed import PlannedSeed

STATISTICS = {
    "paired difference": lambda a, b, by: paired_difference(a, b, tests_zero=True, **by),
    "difference of parts": lambda a, b, by: difference_of_parts(a, b > np.median(b), tests_zero=True, **by),
    "Pearson": lambda a, b, by: pearson(a, b, **by),
    "Spearman": lambda a, b, by: spearman(a, b, **by),
    "concordance": lambda a, b, by: lin_ccc(a, b, **by),
    "ICC": lambda a, b, by: icc(np.column_stack([a, b]), **by),
}


def tried(name, clusters, *, shared=False, p_from=None):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 4 * clusters))
    subjects = np.repeat(np.arange(clusters), 4)
    fixed = {} if p_from is None else {"p_from": p_from}
    if shared:
        return STATISTICS[name](a, b, ClusterDraw(subjects, resamples=200, seed=3, **fixed).by())
    by = {"clusters": subjects, "seed": PlannedSeed(3, **fixed) if fixed else 3, "resamples": 200}
    return STATISTICS[name](a, b, by)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", STATISTICS)
def test_percentiles_of_nine_clusters_give_no_p_and_say_so_and_of_ten_do(name, shared):
    nine, ten = (tried(name, clusters, shared=shared) for clusters in (9, 10))

    assert (nine.p, "no P from fewer than 10 clusters" in nine.method) == (None, True)
    assert ten.p is not None and "no P" not in ten.method
    assert nine.low < nine.high


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", STATISTICS)
def test_a_plan_that_was_frozen_earlier_keeps_p_and_what_its_method_says(name, shared):
    earlier, today = (tried(name, 9, shared=shared, p_from=p_from) for p_from in (2, None))

    assert earlier.p is not None and "no P" not in earlier.method
    assert (earlier.low, earlier.high) == (today.low, today.high)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda seed: pickle.loads(pickle.dumps(seed))])
def test_a_copy_of_the_seed_of_a_plan_that_was_frozen_earlier_keeps_p(copied):
    assert copied(PlannedSeed(3, p_from=2)) == PlannedSeed(3, p_from=2)


@pytest.mark.parametrize("p_from", [None, 2, 10])
@pytest.mark.parametrize("shared", [False, True])
def test_a_method_names_the_seed_of_a_plan_as_the_number(shared, p_from):
    assert ", seed 3" in tried("Pearson", 10, shared=shared, p_from=p_from).method


def test_percentiles_of_few_items_give_no_p_either():
    few = paired_difference([1, 2, 4], [0, 1, 1], seed=1, resamples=200, tests_zero=True)

    assert few.p is None
    assert few.method.endswith("no P from fewer than 10 units")


@pytest.mark.parametrize("readers", ["random", "fixed"])
@pytest.mark.parametrize("clustered", [False, True])
def test_a_difference_for_other_raters_too_has_no_p_from_nine_units_and_says_so(readers, clustered):
    def against_judge_and_between_conditions(units, **given):
        first, second = np.random.default_rng(2).normal(size=(2, 3 * units if clustered else units, 3))
        by = {"readers": readers, "clusters": np.repeat(np.arange(units), 3) if clustered else None, **given}
        return reader_averaged_difference(first, second, **by), readers_against_judge(first, second[:, 0], **by)

    for few in against_judge_and_between_conditions(9):
        assert few.p is None and few.low < few.high
        assert few.method.endswith(f"; no P from fewer than 10 {'clusters' if clustered else 'items'}")
    for enough in (*against_judge_and_between_conditions(10), *against_judge_and_between_conditions(9, p_from=2)):
        assert enough.p is not None and "no P" not in enough.method


@pytest.mark.parametrize("first", [np.ones(20), np.arange(20.0) % 2])
def test_the_method_of_a_difference_without_limits_speaks_of_no_p_by_inverting_them(first):
    alike = paired_difference(first, first, resamples=200, seed=1, tests_zero=True)
    differing = paired_difference(first, np.r_[np.zeros(10), first[10:]], resamples=200, seed=1, tests_zero=True)
    parts = difference_of_parts(np.ones(40), [True] * 20 + [False] * 20, resamples=200, seed=1, tests_zero=True)
    judges = coefficient_difference(first, first, "accuracy", reference=first, resamples=200, seed=1)

    for estimate in (alike, parts, judges):
        assert estimate.undefined_because and estimate.p is None and "P by inverting" not in estimate.method
    assert "P by inverting the interval" in differing.method and differing.p is not None


ONE_WAY = "fewer than 8 differ, all in one direction: P is likely to be too small"


@pytest.mark.parametrize(("first", "second", "warns"), [(5, 0, True), (7, 0, True), (8, 0, False), (6, 1, False)])
def test_p_of_a_difference_of_shares_warns_if_the_few_that_differ_all_favour_one_side(first, second, warns):
    a, b = np.ones(60), np.ones(60)
    b[:first], a[first : first + second] = 0, 0
    usual = {"resamples": 200, "seed": 1}

    by_items = paired_difference(a, b, tests_zero=True, **usual)
    by_subjects = paired_difference(
        np.repeat(a, 3), np.repeat(b, 3), clusters=np.arange(180) // 3, tests_zero=True, **usual
    )
    of_accuracies = coefficient_difference(a, b, "accuracy", reference=np.ones(60), **usual)

    assert [ONE_WAY in str(each.warning) for each in (by_items, by_subjects, of_accuracies)] == [warns] * 3
    assert ONE_WAY not in str(paired_difference(a, b, **usual).warning)


def test_a_difference_without_p_has_no_warning_of_its_p():
    by = {"resamples": 200, "seed": PlannedSeed(1, p_from=2), "tests_zero": True}

    same = paired_difference(np.ones(6), np.zeros(6), **by)
    differing = paired_difference(np.ones(6), np.r_[np.zeros(5), 1], **by)

    assert same.p is None and ONE_WAY not in str(same.warning)
    assert differing.p is not None and ONE_WAY in str(differing.warning)
