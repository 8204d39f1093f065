"""Whether a judge's bias is the same across models, categories and tiers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from agreement.accuracy import correctness
from agreement.arguments import one_of
from agreement.codebook import MISSING
from agreement.coding import Codes, Floats, Ratings, compact, encode, encode_clusters, same_length
from agreement.estimate import Estimate, check_confidence
from agreement.judge import judge_direction
from agreement.multiplicity import Adjustment, adjust_p_values
from agreement.quantiles import chi_square_tail
from agreement.resampling import Seed
from agreement.result import Result

WithinClusters = Literal["by_level", "common"]
"""Whether candidates of one cluster may be more alike on the same level than on two, or are all equally alike."""


@dataclass(frozen=True)
class BiasByFactor(Result):
    """The judge's signed difference at each level of one factor.

    Attributes
    ----------
    factor : str
        For example "model" or "tier".
    levels : dict
        Signed difference at each level (human minus judge; above 0, the judge is stricter).
    statistic, df, p, p_adjusted : float
        Score test of equal differences; nan if not estimable. `p_adjusted` is adjusted over the factors.
    undefined_because : str or None
        Why the test is not estimable.
    """

    factor: str
    levels: dict[Hashable, Estimate]
    statistic: float
    df: int
    p: float
    p_adjusted: float
    undefined_because: str | None


def judge_bias_by_factor(
    human: Ratings,
    judge: Ratings,
    factors: Mapping[str, Ratings],
    *,
    clusters: Ratings | None = None,
    within_clusters: WithinClusters = "by_level",
    correction: Adjustment = "holm",
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "candidate",
) -> tuple[BiasByFactor, ...]:
    """Homogeneity of a judge's bias: whether its signed difference is the same at all levels of each factor.

    With ``d = human - judge`` (1, 0 or -1), means ``m_g`` of ``n_g`` candidates over the levels and ``C`` the contrasts
    against the first level, the statistic is ``(C m)' (C V C')^-1 (C m)``, chi-square on ``levels - 1`` degrees of
    freedom. V is the covariance under equal differences: ``V_gg = v / n_g`` with ``v`` the variance of d over all
    levels, and with clusters ``V_gh`` gains ``c pairs_gh / (n_g n_h)``, where ``pairs_gh`` counts ordered pairs within
    a cluster with one candidate in g and the other in h, and ``c`` is the mean product of the deviations of such pairs,
    at least 0: by default one mean of all pairs on the same level and one of all pairs on two levels, and the mean of
    both kinds if pairs on the same level are not the more alike. Without clusters this is the mean score statistic of
    Cochran, Mantel and Haenszel, ``(N - 1)`` times the share of the sum of squares between levels [1]_. A separate
    variance for each level would reject far too often when a judge rarely errs. P values are adjusted over the factors.
    Not estimable with: one level (a bias validated on one model says nothing about others), a level with fewer than two
    candidates, no variation in d, no more clusters than levels, or a V that is no covariance, as of very few pairs.

    Parameters
    ----------
    human, judge : sequence, shape (candidates,)
        True or 1 for correct, False or 0 for incorrect, None if there is no verdict.
    factors : mapping of str to sequence, shape (candidates,)
        Level of each candidate on each factor; None or NaN is left out for that factor.
    clusters : sequence, shape (candidates,), optional
        Cluster of each candidate, for example its item; clusters may span levels.
    within_clusters : {"by_level", "common"}
        Whether pairs of one cluster on the same level have a covariance of their own. "common" rejects too often if
        clusters differ in how they react to the levels (`docs/statistics.md`).
    correction : {"holm", "bonferroni", "bh", "by"}
        Adjustment over factors.
    resamples, seed, confidence, unit
        As in `judge_direction`, for the difference of each level.

    Returns
    -------
    tuple of BiasByFactor
        In the order of `factors`.

    Raises
    ------
    ValueError
        When lengths differ, `factors` is not a mapping, or a verdict is not correct, incorrect or missing.

    References
    ----------
    .. [1] Landis, Heyman and Koch (1978). Average partial association in three-way contingency tables: a review and
       discussion of alternative tests. International Statistical Review 46, 237-254.

    Examples
    --------
    >>> human, judge = [1] * 40, [0] * 10 + [1] * 10 + [0] * 2 + [1] * 18
    >>> result = judge_bias_by_factor(human, judge, {"model": ["x"] * 20 + ["y"] * 20})[0]
    >>> result.levels["x"].value, round(result.levels["y"].value, 3), result.p < 0.01
    (0.5, 0.1, True)
    """
    confidence = check_confidence(confidence)
    if not hasattr(factors, "items"):
        raise ValueError(
            f"factors is a {type(factors).__name__}; expected a mapping from the factor's name to its levels"
        )
    one_of(correction, "correction", get_args(Adjustment))
    one_of(within_clusters, "within_clusters", get_args(WithinClusters))
    known_human, said_human = correctness(human, "human")
    known_judge, said_judge = correctness(judge, "judge")
    same_length(known_human, known_judge, "human", "judge")
    d = said_human.astype(np.float64) - said_judge
    groups = encode_clusters(clusters, d.size) if clusters is not None else None
    result = []
    for factor, values in factors.items():
        argument = f"factors[{factor!r}]"
        codes, levels = encode(values, None, argument)
        same_length(d, codes, "human", argument)
        used = known_human & known_judge & (codes != MISSING)
        estimates: dict[Hashable, Estimate] = {}
        for code, level in enumerate(levels):
            among = np.flatnonzero(used & (codes == code))
            estimates[level] = judge_direction(
                said_human[among],
                said_judge[among],
                clusters=None if groups is None else groups[among],
                resamples=resamples,
                seed=seed,
                confidence=confidence,
                unit=unit,
            ).difference
        within = groups[used] if groups is not None else np.arange(int(used.sum()))
        statistic, df, reason = score_test(d[used], codes[used], levels, within, unit, within_clusters)
        p = math.nan if reason else chi_square_tail(statistic, df)
        result.append((factor, estimates, statistic, df, p, reason.in_words if reason else None))
    adjusted = adjust_p_values([p for *_, p, _ in result], correction)
    return tuple(
        BiasByFactor(factor, estimates, statistic, df, p, float(adjusted[number]), reason)
        for number, (factor, estimates, statistic, df, p, reason) in enumerate(result)
    )


@dataclass(frozen=True)
class NotEstimable:
    """What a test lacks, and the consequence."""

    lacking: str
    hence: str = "not estimable"

    @property
    def in_words(self) -> str:
        """Both, as one reason."""
        return f"{self.lacking}: {self.hence}"


def score_test(
    d: Floats,
    codes: Codes,
    names: tuple[Any, ...],
    within: Codes,
    unit: str,
    within_clusters: WithinClusters = "by_level",
) -> tuple[float, int, NotEstimable | None]:
    """Score test of equal means of a difference over the levels of a factor.

    Parameters
    ----------
    d : ndarray of float, shape (n,)
        Human minus judge, none missing.
    codes : ndarray of int, shape (n,)
        Level of each, none missing.
    names : tuple
        The levels.
    within : ndarray of int, shape (n,)
        Cluster of each; all different if they are independent.
    unit : str
        What is counted.
    within_clusters : {"by_level", "common"}
        As in `judge_bias_by_factor`.

    Returns
    -------
    statistic : float
        As defined in `judge_bias_by_factor`.
    df : int
        Number of levels minus one.
    reason : NotEstimable or None
        Why there is no statistic.
    """
    levels = len(names)
    if levels < 2:
        return math.nan, 0, NotEstimable("one level only", "uniformity is not estimable")
    sizes = np.bincount(codes, minlength=levels).astype(np.float64)
    if (sizes < 2).any():
        few = names[int(np.argmin(sizes))]
        return math.nan, levels - 1, NotEstimable(f"level {few!r} with fewer than two {unit}s")
    clusters, count = compact(within)
    if count <= levels:
        return math.nan, levels - 1, NotEstimable("no more clusters than levels")
    means = np.bincount(codes, weights=d, minlength=levels) / sizes
    away = d - d.mean()
    variance = float(away @ away) / (d.size - 1)
    # number of pairs of units of one cluster in each pair of levels
    members = np.zeros((count, levels))
    np.add.at(members, (clusters, codes), 1.0)
    pairs = members.T @ members - np.diag(sizes)
    shared = _shared(away, clusters, codes, pairs, within_clusters)
    covariance = (variance * np.diag(sizes) + shared * pairs) / np.outer(sizes, sizes)
    contrasts = np.column_stack([-np.ones(levels - 1), np.eye(levels - 1)])
    gap = contrasts @ means
    of_gap = contrasts @ covariance @ contrasts.T
    if variance == 0.0 or np.linalg.matrix_rank(of_gap) < levels - 1:
        return math.nan, levels - 1, NotEstimable("no spread of the differences")
    if np.linalg.eigvalsh(of_gap)[0] < 0.0:
        # Moments of a few pairs need not be those of any distribution.
        return math.nan, levels - 1, NotEstimable("too few pairs within clusters for their covariance")
    return float(gap @ np.linalg.solve(of_gap, gap)), levels - 1, None


def _shared(away: Floats, clusters: Codes, codes: Codes, pairs: Floats, within_clusters: WithinClusters) -> Floats:
    """The covariance of two units of one cluster, by the levels that they are on, shape (levels, levels)."""
    levels = len(pairs)
    of_cluster = np.zeros((int(clusters.max()) + 1, levels))
    np.add.at(of_cluster, (clusters, codes), away)
    on_level, in_cluster = float((of_cluster**2).sum()), float((of_cluster.sum(axis=1) ** 2).sum())
    inside, total = float(np.trace(pairs)), float(pairs.sum())
    common = max(0.0, (in_cluster - float(away @ away)) / total) if total else 0.0
    result = np.full((levels, levels), common)
    if within_clusters == "by_level" and 0.0 < inside < total:
        same, other = (on_level - float(away @ away)) / inside, (in_cluster - on_level) / (total - inside)
        if same > other:
            result[:] = max(0.0, other)
            np.fill_diagonal(result, max(0.0, same))
    return result
