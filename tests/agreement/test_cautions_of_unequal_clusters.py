"""An estimate warns where a few clusters have most of the units."""

import numpy as np
import pytest

from agreement import (
    accuracy_of_correctness,
    bootstrap,
    brier_score,
    classification_scores,
    coefficient_difference,
    cohen_kappa,
    icc,
    macro_auc,
    mcnemar_in_clusters,
    paired_difference,
    prediction_powered_difference,
    prediction_powered_mean,
    roc_auc,
    rogan_gladen_in_clusters,
)
from tests.agreement.test_cautions import in_clusters_of, of_kinds


@pytest.mark.parametrize(
    ("sizes", "clusters", "worth"),
    [([1, 1, 1, 40], 20, "5.8"), ([1, 1, 1, 40], 40, "11.5"), ([2, 7, 21], 21, "12.8"), ([1] * 19 + [40], 20, "2.2")],
)
def test_few_large_clusters_warn_of_every_interval_that_counts_on_the_number_of_clusters(sizes, clusters, worth):
    codes, right = in_clusters_of(sizes, clusters)
    judge, human = right.astype(int), np.roll(right, 7).astype(int)
    by = {"clusters": codes, "seed": 1, "resamples": 100}

    estimates = [
        accuracy_of_correctness(right, interval="percentile", **by).primary,
        accuracy_of_correctness(right, interval="bca", **by).primary,
        brier_score(np.where(right, 0.8, 0.6), right, clusters=codes),
        bootstrap(np.mean, right, **by),
        bootstrap(np.median, np.arange(right.size), **by),
        cohen_kappa(judge, human, interval="percentile", **by),
        icc(np.column_stack([judge, human]), 3, **by),
        classification_scores(human, judge, **by).macro_f1,
        paired_difference(judge, human, **by),
        mcnemar_in_clusters(judge, human, **by),
        coefficient_difference(judge, human, "kappa", reference=right.astype(int), **by),
    ]

    uneven = (
        f"cluster sizes are very unequal, equivalent to {worth} clusters of equal size: the interval is likely to be "
        "too narrow"
    )
    assert [estimate.name for estimate in estimates if uneven not in (estimate.warning or "")] == []


@pytest.mark.parametrize(
    ("sizes", "clusters", "worth"), [([1, 1, 1, 40], 20, "5.8"), ([1] * 19 + [40], 20, "2.2"), ([2, 30], 10, "5.7")]
)
def test_clusters_worth_fewer_than_six_warn_of_wilsons_interval_of_a_share(sizes, clusters, worth):
    codes, right = in_clusters_of(sizes, clusters)

    assert of_kinds(accuracy_of_correctness(right, clusters=codes).primary, "uneven_clusters") == (
        f"cluster sizes are very unequal, equivalent to {worth} clusters of equal size: the interval is likely to be "
        "too narrow"
    )


@pytest.mark.parametrize(
    ("sizes", "clusters"),
    [([10], 20), ([1, 2, 3, 4, 5, 6], 24), ([2, 7, 21], 20), ([1, 1, 1, 40], 24), ([1] * 99 + [40], 100)],
)
def test_clusters_of_like_sizes_or_enough_of_unlike_ones_do_not_warn_of_a_share(sizes, clusters):
    codes, right = in_clusters_of(sizes, clusters)

    assert of_kinds(accuracy_of_correctness(right, clusters=codes).primary, "uneven_clusters") is None


@pytest.mark.parametrize(("sizes", "warned"), [((1, 1, 1, 40), True), ((10,), False)])
def test_few_large_clusters_warn_of_areas_and_of_corrected_prevalences_too(sizes, warned):
    rng = np.random.default_rng(3)
    subjects = np.repeat(np.arange(20), np.resize(sizes, 20))
    outcome = rng.random(subjects.size) < 0.4
    judge = np.where(rng.random(subjects.size) < 0.15, ~outcome, outcome)
    score = outcome + rng.normal(size=subjects.size)
    estimates = (
        roc_auc(score, outcome, clusters=subjects),
        macro_auc(np.stack([-score, score], axis=1), outcome.astype(int), classes=[0, 1], clusters=subjects),
        rogan_gladen_in_clusters(
            outcome.astype(int), judge.astype(int), judge.astype(int), clusters=subjects, unlabelled_clusters=subjects
        ),
    )

    assert ["very unequal, equivalent to 5.8" in (each.warning or "") for each in estimates] == [warned] * 3


@pytest.mark.parametrize("interval", ["t", "normal"])
@pytest.mark.parametrize(
    ("of_labelled", "of_others", "warned"),
    [((1, 1, 1, 40), (5,), True), ((5,), (1, 1, 1, 40), True), ((5,), (10,), False)],
    ids=["labels", "others", "neither"],
)
def test_few_large_clusters_warn_of_corrected_means_and_of_corrected_differences(
    of_labelled, of_others, warned, interval
):
    subjects = np.concatenate([np.repeat(np.arange(20), np.resize(sizes, 20)) for sizes in (of_labelled, of_others)])
    human = np.random.default_rng(3).normal(size=subjects.size)
    labelled = np.arange(subjects.size) < np.resize(of_labelled, 20).sum()
    judge, none = human / 2, np.zeros(subjects.size)
    by = {"clusters": subjects[labelled], "unlabelled_clusters": subjects[~labelled]}

    share = prediction_powered_mean(human[labelled] > 0, judge[labelled] > 0, judge[~labelled] > 0.1, **by)
    by["interval"] = interval
    mean = prediction_powered_mean(human[labelled], judge[labelled], judge[~labelled], **by)
    difference = prediction_powered_difference(
        (human[labelled], none[labelled]), (judge[labelled], none[labelled]), (judge[~labelled], none[~labelled]), **by
    )

    estimates = (share, mean, difference.difference, difference.labelled_only)
    # The labelled alone do not depend on the clusters of the others.
    of_labelled_alone = warned and len(of_labelled) > 1
    expected = [warned] * 3 + [of_labelled_alone]
    assert ["very unequal, equivalent to 5.8" in (each.warning or "") for each in estimates] == expected


def test_p_of_a_macro_area_by_the_normal_distribution_warns_below_twenty_clusters():
    of_normal = "with fewer than 20, the normal distribution gives"
    rng, warned = np.random.default_rng(3), {}
    for clusters in (12, 20):
        subjects, classes = np.repeat(np.arange(clusters), 6), np.tile(np.arange(3), 2 * clusters)
        scores = rng.normal(size=(classes.size, 3))
        warned[clusters] = of_normal in (macro_auc(scores, classes, classes=[0, 1, 2], clusters=subjects).warning or "")
        assert macro_auc(scores, classes, classes=[0, 1, 2]).warning is None

    assert warned == {12: True, 20: False}


@pytest.mark.parametrize(
    ("of_others", "tuned", "warned"),
    [
        ((150, 150), True, "the others are of only 2 clusters: an interval from fewer than 10 clusters is likely"),
        ((300,), True, "the others are of only 1 cluster: an interval from fewer than 10 clusters is likely"),
        ((1,) * 11 + (80,), True, "cluster sizes are very unequal, equivalent to 1.3 clusters of equal size"),
        ((3,) * 100, True, ""),
        ((1,) * 8 + (4,), True, ""),
        ((12,), True, ""),
        ((12,), False, "the others are of only 1 cluster: an interval from fewer than 10 clusters is likely"),
    ],
)
def test_few_clusters_of_the_others_warn_of_corrected_means_where_the_others_matter(of_others, tuned, warned):
    rng = np.random.default_rng(3)
    labelled, others = np.repeat(np.arange(100), 5), np.repeat(np.arange(len(of_others)), of_others)
    human, unlabelled = rng.random(500) < 0.5, rng.random(others.size) < 0.5
    judge = human ^ (rng.random(500) < 0.1)

    mean = prediction_powered_mean(human, judge, unlabelled, tuned=tuned, clusters=labelled, unlabelled_clusters=others)

    assert (mean.warning or "").startswith(warned) and bool(mean.warning) == bool(warned)


@pytest.mark.parametrize(("errs", "warned"), [(0.5, False), (0.1, True)])
def test_clusters_of_the_others_do_not_warn_of_a_mean_in_which_the_judge_hardly_counts(errs, warned):
    rng = np.random.default_rng(5)
    labelled, others = np.repeat(np.arange(50), 8), np.repeat(np.arange(50), [1] * 49 + [400])
    human, unlabelled = rng.random(400) < 0.5, rng.random(others.size) < 0.5
    judge = human ^ (rng.random(400) < errs)

    mean = prediction_powered_mean(human, judge, unlabelled, clusters=labelled, unlabelled_clusters=others)

    assert ("sizes are very unequal" in (mean.warning or "")) == warned
