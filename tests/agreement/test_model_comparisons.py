"""Models compared by few human and many judge verdicts, and their ranks."""

import math

import numpy as np
import pytest
from scipy import stats

from agreement import prediction_powered_difference, prediction_powered_mean, rank_sets


def verdicts(rng: np.random.Generator, n: int, others: int, error: float):
    """Verdicts of humans and of a judge who errs, on two models that are right in 60 and 50 % of the items."""
    truth = rng.random((n + others, 2)) < [0.6, 0.5]
    judged = np.where(rng.random(truth.shape) < error, ~truth, truth).astype(float)
    truth = truth.astype(float)
    return tuple(truth[:n].T), tuple(judged[:n].T), tuple(judged[n:].T)


def test_it_is_the_prediction_powered_mean_of_the_differences():
    human, judge, others = verdicts(np.random.default_rng(1), 60, 600, 0.1)

    result = prediction_powered_difference(human, judge, others)

    mean = prediction_powered_mean(human[0] - human[1], judge[0] - judge[1], others[0] - others[1])
    assert (result.difference.value, result.difference.se) == (mean.value, mean.se)
    assert result.labelled_only.value == pytest.approx(np.mean(human[0] - human[1]))
    assert result.labelled_only.se == pytest.approx(np.std(human[0] - human[1]) / math.sqrt(60))
    assert result.effective_labels == pytest.approx(60 * (result.labelled_only.se / mean.se) ** 2)


def test_a_difference_has_no_interval_of_a_share_where_one_model_never_did_better_among_the_labelled():
    human = ([1.0] * 3 + [1.0, 0.0] * 28, [0.0] * 3 + [1.0, 0.0] * 28)
    others = ([1.0, 0.0, 1.0, 0.0] * 100, [1.0, 0.0, 0.0, 1.0] * 100)

    result = prediction_powered_difference(human, human, others, tuned=False)

    se = math.sqrt(np.var(np.subtract(*others)) / 400)
    assert result.difference.low == pytest.approx(-1.959964 * se) and result.difference.high == -result.difference.low
    alone = np.std([1.0] * 3 + [0.0] * 56) / math.sqrt(59)
    assert result.labelled_only.low == pytest.approx(3 / 59 - 1.959964 * alone)
    assert result.labelled_only.low < 0 < result.labelled_only.high
    assert result.difference.warning == result.labelled_only.warning
    assert result.difference.warning == "fewer than 5 differ from the most frequent value: the interval is uncertain"


def test_two_models_alike_on_every_labelled_item_have_no_interval():
    alike = ([1.0, 0.0] * 10, [1.0, 0.0] * 10)

    result = prediction_powered_difference(alike, alike, alike)

    assert result.difference.value == 0.0
    assert result.difference.undefined_because == "the standard error is 0"


def test_p_is_the_level_at_which_the_interval_begins_at_no_difference():
    human, judge = ([1, 1, 1, 0, 1, 1], [0, 0, 1, 0, 1, 0]), ([1, 1, 0, 0, 1, 0], [0, 0, 1, 0, 1, 1])
    others = [1] * 12 + [0] * 8, [1] * 8 + [0] * 12

    result = prediction_powered_difference(human, judge, others)
    touching = prediction_powered_difference(human, judge, others, confidence=1 - result.difference.p)

    assert 0.001 < result.difference.p < 0.05 < result.difference.low
    assert touching.difference.low == pytest.approx(0.0, abs=1e-12)


def test_a_good_judge_gains_labels_and_a_coin_none():
    rng = np.random.default_rng(2)

    good = prediction_powered_difference(*verdicts(rng, 100, 2000, 0.05))
    coin = prediction_powered_difference(*verdicts(rng, 100, 2000, 0.5))

    assert good.effective_labels > 200
    assert coin.effective_labels == pytest.approx(100, rel=0.1)


def test_nineteen_of_twenty_intervals_hold_the_true_difference():
    rng = np.random.default_rng(3)

    held = sum(
        result.low <= 0.1 <= result.high
        for result in (prediction_powered_difference(*verdicts(rng, 80, 800, 0.15)).difference for _ in range(400))
    )

    assert stats.binomtest(held, 400, 0.95).pvalue > 0.01


def test_an_item_without_one_of_the_models_is_left_out_and_no_pair_refused():
    result = prediction_powered_difference(
        ([1, 0, None, 1], [0, 0, 1, 1]), ([1, 0, 1, 1], [0, 1, 1, 1]), ([1, 0], [0, 0])
    )

    assert result.difference.n == 3
    with pytest.raises(ValueError, match="human is not a pair"):
        prediction_powered_difference([1, 0, 1], ([1], [1]), ([1], [1]))
    with pytest.raises(ValueError, match="judge, model A"):
        prediction_powered_difference(([1, 0], [1, 1]), ([1, 0], [1]), ([1], [1]))


def test_all_sets_hold_the_true_ranks_at_once_where_models_tie():
    rng = np.random.default_rng(4)
    shares = np.array([0.7, 0.7, 0.7, 0.4])  # any of the ranks 1 to 3 is true of each of the first three
    subjects, held = np.repeat(np.arange(40), 3), 0
    for seed in range(200):
        lift = rng.normal(0, 0.1, 40)[subjects, None]
        result = rank_sets(rng.random((120, 4)) < shares + lift, clusters=subjects, resamples=300, seed=seed)
        held += all(model.best == 1 and model.worst >= 3 for model in result.ranks[:3]) and result.ranks[3].worst == 4

    assert stats.binomtest(held, 200, 0.95, alternative="less").pvalue > 0.01


def test_all_sets_hold_the_true_ranks_of_many_tied_models_on_few_items():
    rng, held = np.random.default_rng(6), 0
    for seed in range(120):
        result = rank_sets(rng.random((20, 10)) < 0.7, resamples=400, seed=seed)
        held += all((model.best, model.worst) == (1, 10) for model in result.ranks)

    assert stats.binomtest(held, 120, 0.93, alternative="less").pvalue > 0.01


def test_models_far_apart_have_one_rank_each():
    rng = np.random.default_rng(5)

    result = rank_sets(rng.random((400, 3)) < [0.2, 0.9, 0.55], resamples=500, seed=1)

    assert [(model.best, model.worst) for model in result.ranks] == [(3, 3), (1, 1), (2, 2)]
    assert result.n == 400


def test_equal_scores_can_have_every_rank_and_one_cluster_tells_nothing():
    equal = rank_sets([[1, 1], [0, 0], [1, 1]], resamples=50, seed=1)
    one_cluster = rank_sets([[1, 0], [1, 0]], clusters=["s", "s"], resamples=50, seed=1)

    assert [(model.best, model.worst) for model in equal.ranks] == [(1, 2), (1, 2)]
    assert one_cluster.undefined_because == "fewer than two clusters"
    assert [(model.best, model.worst) for model in one_cluster.ranks] == [(1, 2), (1, 2)]


def test_without_a_complete_item_a_mean_score_has_the_reason_in_place_of_a_value():
    nothing, complete = (rank_sets(scores, resamples=50, seed=1).ranks for scores in ([[1, None], [None, 0]], [[1, 0]]))

    assert {model.undefined_because for model in nothing} == {"no item has the scores of all models"}
    assert [(model.mean, model.undefined_because) for model in complete] == [(1.0, None), (0.0, None)]
