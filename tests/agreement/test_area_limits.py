"""Score limits of areas under the ROC curve."""

import math

import numpy as np
import pytest
from scipy import stats

from agreement import roc_auc


def covered(area, sides, *, interval, samples=400):
    """Share of samples of normal scores whose interval holds the area, and of those without an interval."""
    rng, groups = np.random.default_rng(4), np.repeat([1, 0], sides)
    shift, held, without = math.sqrt(2) * stats.norm.ppf(area), 0, 0
    for _ in range(samples):
        scores = np.concatenate([rng.normal(shift, 1, sides[0]), rng.normal(size=sides[1])])
        estimate = roc_auc(scores, groups, interval=interval)
        held += estimate.low <= area <= estimate.high
        without += math.isnan(estimate.low)
    return held / samples, without / samples


@pytest.mark.parametrize("sides", [(30, 30), (15, 45)])
def test_areas_near_1_of_small_samples_hold_and_always_have_an_interval(sides):
    (normal, without), (score, never) = (covered(0.96, sides, interval=kind) for kind in ("normal", "score"))

    assert normal < 0.88 and without > 0.0
    assert score > 0.93 and never == 0.0


def test_an_area_and_its_mirror_have_mirrored_limits_on_both_sides_of_the_value():
    rng = np.random.default_rng(1)
    scores, outcome = rng.normal(size=40).round(1), np.arange(40) % 3 == 0
    scores[outcome] += 1.0

    above, below = roc_auc(scores, outcome), roc_auc(-scores, outcome)

    assert (below.low, below.high) == pytest.approx((1 - above.high, 1 - above.low))
    assert 0.0 < above.low < above.value < above.high < 1.0
    assert "Newcombe score interval" in above.method


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(30), 2)])
def test_sides_that_do_not_overlap_have_a_limit_by_their_numbers(clusters):
    outcome = np.arange(60) % 2 if clusters is not None else np.arange(60) < 30

    estimate = roc_auc(np.arange(60) + 100 * outcome, outcome, clusters=clusters)

    assert (estimate.value, estimate.high, estimate.se) == (1.0, 1.0, None)
    assert 0.9 < estimate.low < 0.95
    assert "overlap" in estimate.warning


def test_scores_that_do_not_vary_have_no_limits():
    assert math.isnan(roc_auc([1, 1, 1, 1], [0, 0, 1, 1]).low)


def test_limits_in_clusters_use_t_for_what_they_are_worth():
    rng = np.random.default_rng(3)
    subjects = np.repeat(np.arange(20), np.resize([1, 1, 1, 40], 20))
    outcome = rng.random(subjects.size) < 0.5
    scores = outcome + rng.normal(size=20)[subjects] + rng.normal(size=subjects.size)

    score, normal = (roc_auc(scores, outcome, clusters=subjects, interval=kind) for kind in (None, "normal"))

    assert score.se == normal.se
    assert score.low < normal.low < normal.high < score.high


def test_other_kinds_of_interval_are_refused():
    with pytest.raises(ValueError, match="interval is 'bca', which does not apply here; expected 'score' or 'normal'"):
        roc_auc([1, 2], [0, 1], interval="bca")
