"""A bootstrap of any statistic warns where its percentiles are known to be too narrow."""

from functools import partial

import numpy as np
import pytest

from agreement import bootstrap

FEW = "a bootstrap of fewer than {} items is likely to be too narrow"
OTHERS = "a bootstrap of fewer than {} items can be too narrow, as that of a standard deviation is"
CONSTANT = "fewer than 5 differ from the most frequent value: the interval is uncertain"
CONSTANT_CLUSTERS = "fewer than 5 clusters have a value other than the most frequent one: the interval is uncertain"
FAR_OUT = "a few items lie far out on one side: the interval is likely to be too narrow"


def warning(statistic, values, **by):
    return bootstrap(statistic, np.asarray(values, dtype=float), resamples=50, seed=1, **by).warning


@pytest.mark.parametrize(("items", "warned"), [(19, FEW.format(20)), (20, None)])
def test_means_of_fewer_than_twenty_items_warn(items, warned):
    assert warning(np.mean, np.linspace(-1, 1, items)) == warned


@pytest.mark.parametrize(("items", "warned"), [(19, FEW.format(20)), (59, OTHERS.format(60)), (60, None)])
@pytest.mark.parametrize("statistic", [np.std, partial(np.quantile, q=0.9), lambda x: x.max() - x.min()])
def test_other_statistics_of_one_array_warn_below_sixty_items(statistic, items, warned):
    assert warning(statistic, np.linspace(-1, 1, items)) == warned


@pytest.mark.parametrize(("subjects", "is_warned"), [(29, True), (30, False)])
def test_a_spread_of_fewer_than_thirty_clusters_warns(subjects, is_warned):
    values, clusters = np.linspace(-1, 1, 4 * subjects), np.arange(4 * subjects) % subjects

    assert ("fewer than 30 clusters" in str(warning(np.std, values, clusters=clusters))) is is_warned


@pytest.mark.parametrize(("wrong", "warned", "of_clusters"), [(4, CONSTANT, CONSTANT_CLUSTERS), (5, None, None)])
def test_a_share_warns_if_fewer_than_five_items_or_clusters_have_the_rarer_value(wrong, warned, of_clusters):
    right = np.r_[np.zeros(wrong), np.ones(60 - wrong)]

    assert warning(np.mean, right) == warned
    assert warning(np.mean, np.repeat(right, 3), clusters=np.arange(180) // 3) == of_clusters


def test_a_mean_of_skewed_values_warns_unless_there_are_many():
    skewed = np.exp(np.random.default_rng(4).normal(size=4000))

    assert warning(np.mean, skewed[:40]) == FAR_OUT
    assert warning(np.mean, np.log(skewed[:40])) is None
    assert warning(np.mean, skewed) is None


def test_a_spread_of_skewed_values_warns_of_any_number_of_items():
    skewed = np.exp(np.random.default_rng(4).normal(size=1000))

    assert warning(np.std, skewed).startswith("a few items lie far out on one side: the interval can be too narrow")
    assert warning(np.std, np.log(skewed)) is None


def test_an_interval_that_is_undefined_has_no_warning_of_its_values():
    assert warning(np.mean, np.ones(30)) is None


def test_a_mean_in_extended_precision_warns_as_in_double():
    values = np.exp(np.random.default_rng(4).normal(size=40))

    estimate = bootstrap(np.mean, values.astype(np.longdouble), resamples=50, seed=1)

    assert estimate.warning == FAR_OUT
