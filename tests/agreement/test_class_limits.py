"""Limits of the scores of a classification: what they are made of, and where they hold."""

import numpy as np
import pytest

from agreement import accuracy, classification_scores, wilson_interval

MEANS = "macro_f1", "weighted_f1", "micro_f1", "balanced_accuracy"


def read(n, seed, right=0.85, classes=3, abstained=0.0):
    """Classes of n units and what was predicted, some of which abstains."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(classes, n, p=[0.5, *[0.5 / (classes - 1)] * (classes - 1)])
    given = np.where(rng.random(n) < right, truth, rng.integers(classes, size=n))
    return truth, np.where(rng.random(n) < abstained, -1, given)


def test_accuracy_precision_and_recall_have_wilsons_interval():
    truth, given = [0] * 30 + [1] * 30, [0] * 27 + [1] * 33

    scores = classification_scores(truth, given)

    for score, right, n in ((scores.accuracy, 57, 60), (scores.recall[0], 27, 30), (scores.precision[1], 30, 33)):
        wilson = wilson_interval(right, n)
        assert (score.low, score.high, score.n) == (wilson.low, wilson.high, n)


def test_f1_of_a_class_has_the_limits_of_its_share_of_what_is_given_or_right():
    # TP 27, FP 0, FN 3: the share is 27 of 30, F1 54 / 57
    f1 = classification_scores([0] * 30 + [1] * 30, [0] * 27 + [1] * 33).f1[0]

    low, high = (2 * limit / (1 + limit) for limit in (wilson_interval(27, 30).low, wilson_interval(27, 30).high))
    assert (f1.value, f1.low, f1.high) == pytest.approx((54 / 57, low, high))


def test_in_clusters_an_accuracy_has_the_limits_that_it_has_alone():
    truth, given = read(120, 1)
    subjects = np.repeat(np.arange(40), 3)

    score = classification_scores(truth, given, clusters=subjects).accuracy
    alone = accuracy(given, truth, clusters=subjects).primary

    assert (score.low, score.high, score.se) == (alone.low, alone.high, alone.se)


def test_where_nobody_abstains_micro_f1_is_the_accuracy_with_its_limits():
    scores = classification_scores(*read(60, 2))

    assert (scores.micro_f1.value, scores.micro_f1.low) == (scores.accuracy.value, scores.accuracy.low)


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("mean", MEANS)
def test_the_standard_error_of_a_mean_over_classes_is_that_of_a_bootstrap(mean, size):
    truth, given = read(400, 3, right=0.7, abstained=0.1)
    options = {"abstained": [-1], "clusters": np.arange(400) // size}

    linearised = getattr(classification_scores(truth, given, **options), mean)
    drawn = getattr(classification_scores(truth, given, interval="percentile", resamples=2000, **options), mean)

    assert linearised.value == drawn.value
    assert linearised.se == pytest.approx(drawn.se, rel=0.06)


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(20), 2)])
def test_scores_have_limits_where_all_are_right(clusters):
    truth = np.arange(40) % 2

    scores = classification_scores(truth, truth, clusters=clusters)

    for score in (*(getattr(scores, mean) for mean in MEANS), scores.accuracy, scores.f1[0], scores.precision[1]):
        assert 0.5 < score.low < score.high == 1.0


def test_balanced_accuracy_of_a_rare_class_without_errors_does_not_rest_on_the_frequent_one():
    # all 12 of the rare class are right, which may be luck: without it the limit would be .97
    truth, given = np.repeat([0, 1], [48, 12]), np.repeat([0, 1], [44, 16])

    assert classification_scores(truth, given).balanced_accuracy.high > 0.98


@pytest.mark.parametrize(("clusters", "less"), [(None, "items"), ([1] * 2, "clusters")])
def test_means_over_classes_of_fewer_than_two_have_no_limits(clusters, less):
    n = 1 if clusters is None else 2

    score = classification_scores([0] * n, [0] * n, clusters=clusters).macro_f1

    assert score.value == 1.0 and score.undefined_because == f"fewer than two {less}: nothing to compare"


def test_a_score_interval_within_strata_is_refused():
    with pytest.raises(ValueError, match="interval is 'score' with strata= given; expected 'percentile' or 'bca'"):
        classification_scores([0, 1], [0, 1], strata=[0, 1], interval="score")
