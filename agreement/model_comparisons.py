"""Comparison of models: differences from few human and many judge verdicts, and confidence sets of ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agreement.arguments import check_resamples
from agreement.cautions_of_shape import nearly_constant
from agreement.clustered_scores import units_of
from agreement.coding import Floats, Ratings, numbers_or_nan, same_length
from agreement.estimate import Estimate, check_confidence
from agreement.interval_kinds import Interval, chosen_interval
from agreement.magnitude import in_range
from agreement.p_in_clusters import two_sided
from agreement.prevalence import clusters_of_both, prediction_powered_mean
from agreement.quantiles import normal_tail, upper_t
from agreement.ratings import RatingTable, numbers_of
from agreement.resampling import Seed, random_generator, shown_seed, sums_by_cluster
from agreement.result import Result
from agreement.words import Part, Words

_ROUNDING = 1e-12


@dataclass(frozen=True)
class ModelDifference(Result):
    """The difference between two models, from human verdicts on some items and a judge's on all.

    Attributes
    ----------
    difference : Estimate
        Prediction-powered.
    labelled_only : Estimate
        The same without the judge's verdicts on the unlabelled.
    effective_labels : float or None
        Number of labelled items that would give the same precision without a judge; None if either has no standard
        error.
    """

    difference: Estimate
    labelled_only: Estimate
    effective_labels: float | None


def prediction_powered_difference(
    human: tuple[Ratings, Ratings],
    judge: tuple[Ratings, Ratings],
    unlabelled: tuple[Ratings, Ratings],
    *,
    tuned: bool = True,
    interval: Interval | None = None,
    clusters: Ratings | None = None,
    unlabelled_clusters: Ratings | None = None,
    confidence: float = 0.95,
    unit: str = "item",
) -> ModelDifference:
    """Mean verdict on model A minus that on model B over a pool, from a labelled sample and a judge's verdicts on all.

    The prediction-powered mean [1]_ [2]_ of the differences item by item, so that errors common to both models on an
    item cancel before estimation. Limits and P are normal, with clusters by t, and limits are not clipped: a difference
    is not a share, even if the labelled ones happen to be only 0 and 1. The gain in labels follows
    from the variances: ``effective labels = n (se of the labelled alone / se)^2``.

    Parameters
    ----------
    human, judge : pair of sequences of numbers, shape (n,) each
        Verdicts on the answers of A and of B to the labelled items, for example 1 right, 0 wrong; None is missing, and
        an item without both verdicts is left out.
    unlabelled : pair of sequences of numbers, shape (N,) each
        The judge's verdicts on A and B for all other items of the pool.
    interval : {"t", "normal"}, optional
        The distribution of limits and P: by default t with the number of labelled clusters less 1 degrees of freedom,
        without clusters normal.
    tuned, clusters, unlabelled_clusters, confidence
        As in `prediction_powered_mean`.
    unit : str
        What is counted.

    Returns
    -------
    ModelDifference
        Each is undefined in the same cases as `prediction_powered_mean`; with a warning if the models differ on fewer
        than five labelled items, and where "normal" is used in fewer than 20 clusters.

    Raises
    ------
    ValueError
        When an argument is not a pair, or as in `prediction_powered_mean`.

    References
    ----------
    .. [1] Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023). Prediction-powered inference. Science 382, 669-674.
    .. [2] Angelopoulos, Duchi and Zrnic (2023). PPI++: efficient prediction-powered inference. arXiv 2311.01453.

    Examples
    --------
    Untuned: the judge's difference is .2 on the others and .25 on the labelled, the humans' .5: .2 + (.5 - .25).

    >>> human, judge = ([1, 1, 1, 0], [0, 0, 1, 0]), ([1, 1, 0, 0], [0, 0, 1, 0])
    >>> others = ([1] * 12 + [0] * 8, [1] * 8 + [0] * 12)
    >>> round(prediction_powered_difference(human, judge, others, tuned=False).difference.value, 3)
    0.45
    """
    gaps = [_gap(pair, name) for pair, name in ((human, "human"), (judge, "judge"), (unlabelled, "unlabelled"))]
    name = "prediction-powered difference of two models"
    known, there = ~np.isnan(gaps[0]) & ~np.isnan(gaps[1]), ~np.isnan(gaps[2])
    groups = clusters_of_both(clusters, unlabelled_clusters, known, there)[0]
    usual: Interval = "normal" if groups is None else "t"
    by: dict[str, Any] = {
        "interval": chosen_interval(usual if interval is None else interval, "t", "normal"),
        "clusters": clusters, "unlabelled_clusters": unlabelled_clusters, "confidence": confidence, "unit": unit,
    }  # fmt: skip
    powered = prediction_powered_mean(*gaps, tuned=tuned, name=name, **by)
    # an uninformative judge leaves the mean of the labelled items
    silent = [np.where(np.isnan(gap), np.nan, 0.0) for gap in gaps[1:]]
    labelled_only = "difference of two models, labelled alone"
    alone = prediction_powered_mean(gaps[0], *silent, tuned=False, name=labelled_only, **by)
    used = gaps[0][known]
    few = nearly_constant(used, groups) if used.size else None
    powered, alone = (_with_p(each.warned(few), by["interval"]) for each in (powered, alone))
    effective = powered.n * (alone.se / powered.se) ** 2 if alone.se and powered.se else None
    return ModelDifference(powered, alone, effective)


def _with_p(difference: Estimate, interval: Interval) -> Estimate:
    """P for no difference, by the distribution of the limits."""
    if not difference.se:
        return difference
    units = difference.n if difference.n_clusters is None else difference.n_clusters
    return replace(difference, p=two_sided(difference.value / difference.se, units - 1 if interval == "t" else None))


@dataclass(frozen=True)
class RankSet(Result):
    """The confidence set of a model's rank.

    Attributes
    ----------
    mean : float
        Mean score of the model; nan without items (see `undefined_because`).
    best, worst : int
        Smallest and largest rank; 1 is the highest mean.
    undefined_because : str or None
        Why `mean` has no value.
    """

    mean: float
    best: int
    worst: int
    undefined_because: str | None = None


@dataclass(frozen=True)
class RankSets(Result):
    """Confidence sets of the ranks of several models, with simultaneous coverage.

    Attributes
    ----------
    ranks : tuple of RankSet, length models
    n : int
        Number of items used.
    n_clusters : int or None
    confidence : float
    method : str
    undefined_because : str or None
        Why every set holds all ranks.
    """

    ranks: tuple[RankSet, ...]
    n: int
    n_clusters: int | None
    confidence: float
    method: str
    undefined_because: str | None = None


def rank_sets(
    scores: RatingTable,
    *,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed,
    confidence: float = 0.95,
) -> RankSets:
    """Confidence sets of each model's rank, from simultaneous intervals of all pairwise differences.

    A model's best rank is one more than the number of models with a significantly higher mean, and its worst is the
    number of models minus those with a significantly lower mean [1]_. A difference is significant if 0 is outside
    ``d_jk -+ q se_jk``, on the same items. q is the quantile, over bootstraps of items or clusters, of the greatest
    ``|d*_jk - d_jk| / se_jk`` over all pairs, times ``sqrt(n / (n - 1))`` for n items or clusters. Its normal tail
    probability is then converted to a quantile of t on n - 1 degrees of freedom, which is at least that of t for one
    pair. All sets hold the true ranks simultaneously with the requested confidence, even if models tie, which is not so
    for a bootstrap of the ranks themselves.

    Parameters
    ----------
    scores : array_like of numbers, shape (items, models)
        Scores, for example 1 right, 0 wrong; items with a missing one are left out.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    resamples, seed
        See `bootstrap`; the seed is required.
    confidence : float
        Simultaneous coverage of the true ranks; for tied models, any rank within the tie is true.

    Returns
    -------
    RankSets
        All ranks for every model, with the reason, for fewer than two items or clusters.

    Raises
    ------
    ValueError
        When the table does not hold numbers, or an option is unknown.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh and Wilhelm (2024). Inference for ranks with applications to mobility across
       neighbourhoods and academic achievement across countries. Review of Economic Studies 91, 476-518.

    Examples
    --------
    The first two cannot be distinguished; the third is below both.

    >>> scores = [[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1], [1, 1, 0]] * 12
    >>> [(model.best, model.worst) for model in rank_sets(scores, resamples=500, seed=1).ranks]
    [(1, 2), (1, 2), (3, 3)]
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    table = numbers_of(scores, "scores")
    known = np.asarray(~np.isnan(table).any(axis=1))
    units, n_clusters = units_of(clusters, known)
    table = table[known]
    n, models = table.shape
    count = n if n_clusters is None else n_clusters
    kind = "clusters" if n_clusters is not None else "items"
    of_draws = Part(f"greatest standardised one of {resamples} bootstraps of {kind}", terms=("bootstrap",))
    method = Words("simultaneous pairwise differences", ", ", of_draws, ", tails of t")
    (scaled,), exponent = in_range(table)
    means = np.ldexp(scaled.mean(axis=0), exponent) if n else np.full(models, math.nan)
    if count < 2:
        reason = None if n else "no item has the scores of all models"
        every = tuple(RankSet(float(mean), 1, models, reason) for mean in means)
        return RankSets(every, n, n_clusters, confidence, method, f"fewer than two {kind}")
    above, below = _certain(scaled, units, count, scaled.mean(axis=0), resamples, seed, confidence)
    ranks = tuple(
        RankSet(float(mean), 1 + int(higher), models - int(lower))
        for mean, higher, lower in zip(means, above, below, strict=True)
    )
    return RankSets(ranks, n, n_clusters, confidence, method + f", seed {shown_seed(seed)}")


def _certain(
    table: Floats, units: Any, count: int, means: Floats, resamples: int, seed: Seed, confidence: float
) -> tuple[Floats, Floats]:
    """Number of models significantly above, and significantly below, each model."""
    n, models = table.shape
    first, second = np.triu_indices(models, 1)
    gap = means[first] - means[second]
    # contribution of each cluster to the deviation of each mean
    parts = sums_by_cluster(table - means, units) / n
    pairs = parts[:, first] - parts[:, second]
    se = np.sqrt(count / (count - 1) * (pairs**2).sum(axis=0))
    varies = se > _ROUNDING
    generator = random_generator(seed)
    greatest = np.zeros(resamples)
    if varies.any():
        size = np.bincount(units, minlength=count) / n
        for start in range(0, resamples, step := max(1, 2_000_000 // max(count, gap.size))):
            many = min(step, resamples - start)
            times = generator.multinomial(count, np.full(count, 1.0 / count), size=many)
            drawn = (times @ parts) / (times @ size)[:, None]  # the number of items varies with the clusters drawn
            moved = np.abs(drawn[:, first] - drawn[:, second])[:, varies] / se[varies]
            greatest[start : start + many] = moved.max(axis=1)
    # the bootstrap variance is (count - 1) / count of the variance, with tails of the normal distribution, not of t
    normal = float(np.quantile(greatest, confidence)) * math.sqrt(count / (count - 1))
    tail = min(normal_tail(normal), (1.0 - confidence) / 2.0)
    quantile = upper_t(tail, count - 1)
    # a difference that is the same on every item is certain
    certain = np.where(varies, np.abs(gap) > quantile * se, np.abs(gap) > _ROUNDING)
    above, below = np.zeros(models), np.zeros(models)
    np.add.at(above, np.where(gap > 0, second, first)[certain], 1)
    np.add.at(below, np.where(gap > 0, first, second)[certain], 1)
    return above, below


def _gap(pair: tuple[Ratings, Ratings], name: str) -> Floats:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ValueError(f"{name} is not a pair; expected the verdicts on model A and those on model B")
    first, second = (numbers_or_nan(part, name) for part in pair)
    same_length(first, second, f"{name}, model A", f"{name}, model B")
    return first - second
