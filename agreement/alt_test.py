"""The alternative annotator test: whether a judge may stand in for a human, given several humans."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats

from agreement.codebook import MISSING
from agreement.coding import Codes, Floats, Ratings, as_values, compact, encode, encode_clusters, numbers_or_nan
from agreement.comparisons import adjust_p_values
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.magnitude import magnitude
from agreement.ratings import RatingTable, numbers_of, rows_of
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster

MIN_ITEMS = 30
"""Items that a rater must share with others for the t test of that rater."""


@dataclass(frozen=True)
class RaterComparison:
    """The judge against one rater, both held against the other raters.

    Attributes
    ----------
    column : int
        Which rater.
    n : int
        Items that this rater, the judge and at least one other rater rated.
    judge_advantage, rater_advantage : float
        Share of items on which the judge (the rater) is at least as close to the others; they overlap on ties.
    p, p_adjusted : float
        One-sided P of the t test, and after Benjamini-Yekutieli; nan below 30 items.
    won : bool
        Whether the judge wins against this rater.
    """

    column: int
    n: int
    judge_advantage: float
    rater_advantage: float
    p: float
    p_adjusted: float
    won: bool


@dataclass(frozen=True)
class AltTest:
    """Result of the alternative annotator test.

    Attributes
    ----------
    winning_rate : Estimate
        Share of the tested raters against whom the judge wins; without interval, since these raters are fixed.
    advantage_probability : Estimate
        Mean over raters of `judge_advantage`, with a bootstrap interval over items or clusters.
    raters : tuple of RaterComparison
        One for each rater.
    passed : bool or None
        Whether the winning rate reaches one half; None where the test could not be done.
    undefined_because : str or None
        Why it could not be done.
    """

    winning_rate: Estimate
    advantage_probability: Estimate
    raters: tuple[RaterComparison, ...]
    passed: bool | None
    undefined_because: str | None

    def as_dict(self) -> dict[str, Any]:
        """Everything by name, ready for JSON."""

        def plain(value: Any) -> Any:
            return None if isinstance(value, float) and math.isnan(value) else value

        return {
            "winning_rate": self.winning_rate.as_dict(),
            "advantage_probability": self.advantage_probability.as_dict(),
            "raters": [{name: plain(value) for name, value in vars(one).items()} for one in self.raters],
            "passed": self.passed,
            "undefined_because": self.undefined_because,
        }


def alt_test(
    humans: RatingTable,
    judge: Ratings,
    epsilon: float = 0.2,
    *,
    level: Literal["nominal", "interval"] = "nominal",
    alpha: float = 0.05,
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> AltTest:
    """Alternative annotator test: leave one rater out, and ask who is closer to the others, rater or judge.

    For each rater j and each item i that j and at least one other rated, the score of j and of the judge is the
    share of the others they agree with (nominal), or minus the root mean square difference (interval). ``d_ij`` is
    1, 0 or -1 as the rater, neither or the judge has the higher score; the judge wins against j when a one-sided t
    test says ``mean d < epsilon`` [1]_, with Benjamini-Yekutieli over raters. Winning rate: share of raters won
    against; the judge passes from one half on. Advantage probability: mean over raters of the share of items on
    which the judge's score is not lower.

    Parameters
    ----------
    humans : array_like, shape (items, raters)
        Verdicts of the raters; None or NaN is missing.
    judge : sequence, shape (items,)
        The judge's verdicts; None or NaN is missing.
    epsilon : float
        What the judge is forgiven for being cheaper: 0.2 for experts, 0.15 for trained raters, 0.1 for crowds.
    level : {"nominal", "interval"}
        How closeness is measured.
    alpha : float
        False discovery rate.
    clusters : sequence, shape (items,), optional
        Cluster of each item: the t tests then have the cluster-robust standard error [2]_ on clusters - 1 degrees of
        freedom, and the bootstrap draws clusters. Without, the items are taken as independent.
    resamples, seed, confidence, unit
        For the bootstrap interval of the advantage probability.

    Returns
    -------
    AltTest
        Raters who share fewer than 30 items with others are not tested, but others are still held against them. Not
        done (`passed` None) for fewer than three raters, and when none can be tested.

    Raises
    ------
    ValueError
        When lengths differ, or `epsilon` or `alpha` lies outside 0 and 1.

    References
    ----------
    .. [1] Calderon, Reichart and Dror (2025). The alternative annotator test for LLM-as-a-judge. ACL, section 3.
    .. [2] Cameron and Miller (2015). A practitioner's guide to cluster-robust inference. Journal of Human Resources 50,
       317-372, section II, factor G / (G - 1).

    Examples
    --------
    >>> found = alt_test([[1, 1], [0, 1]], [1, 1])
    >>> found.undefined_because
    '2 raters: the test leaves one out and needs three or more'
    """
    check_confidence(confidence)
    if not 0.0 <= epsilon < 1.0 or not 0.0 < alpha < 1.0:
        raise ValueError(f"epsilon and alpha are {epsilon!r} and {alpha!r}; expected numbers between 0 and 1")
    if level not in ("nominal", "interval"):
        raise ValueError(f"level is {level!r}; expected 'nominal' or 'interval'")
    of_humans, of_judge = _numeric(humans, judge, level)
    items, raters = of_humans.shape
    if of_judge.size != items:
        raise ValueError(f"judge has shape ({of_judge.size},); expected ({items},), one for each row of humans")
    judge_ahead, rater_ahead, counted = _compare(of_humans, of_judge, level)
    shared = counted.sum(axis=0)
    tested = shared >= MIN_ITEMS
    reason = None
    if raters < 3:
        reason = f"{raters} rater{'' if raters == 1 else 's'}: the test leaves one out and needs three or more"
    elif not tested.any():
        reason = f"no rater shares {MIN_ITEMS} {unit}s with another; the most is {int(shared.max())}"
    groups = encode_clusters(clusters, items) if clusters is not None else np.arange(items, dtype=np.intp)
    p = np.array(
        [
            _one_sided((rater_ahead - judge_ahead)[counted[:, j], j], groups[counted[:, j]], epsilon)
            if tested[j]
            else math.nan
            for j in range(raters)
        ]
    )
    adjusted = adjust_p_values(p, "by")
    found = tuple(
        RaterComparison(
            j,
            int(shared[j]),
            float(judge_ahead[counted[:, j], j].mean()) if shared[j] else math.nan,
            float(rater_ahead[counted[:, j], j].mean()) if shared[j] else math.nan,
            float(p[j]),
            float(adjusted[j]),
            bool(adjusted[j] <= alpha),
        )
        for j in range(raters)
    )
    kind = "independent items" if clusters is None else "clustered"
    method = f"alt-test, epsilon {epsilon}, t tests ({kind}) with Benjamini-Yekutieli at {alpha}; these raters (fixed)"
    if not tested.all():
        method += f"; {int((~tested).sum())} with fewer than {MIN_ITEMS} shared {unit}s not tested"
    rate = math.nan if reason else sum(one.won for one in found) / int(tested.sum())
    return AltTest(
        winning_rate=undefined(
            "winning rate",
            int(tested.sum()),
            "rater",
            method,
            reason or "these raters are fixed",
            value=rate,
            confidence=confidence,
        ),
        advantage_probability=_advantage(
            judge_ahead[:, tested],
            counted[:, tested],
            clusters,
            reason,
            resamples=resamples,
            seed=seed,
            confidence=confidence,
            unit=unit,
        ),
        raters=found,
        passed=None if reason else rate >= 0.5,
        undefined_because=reason,
    )


def _numeric(humans: RatingTable, judge: Ratings, level: str) -> tuple[Floats, Floats]:
    if level == "interval":
        of_humans, of_judge = numbers_of(humans, "humans", fewest=1), numbers_or_nan(judge, "judge")
        scale = magnitude(of_humans, of_judge)
        return of_humans / scale, of_judge / scale
    rows = rows_of(humans, "humans", fewest=1)
    flat = [value for row in rows for value in row] + as_values(judge, "judge")
    codes, _ = encode(flat, None, "humans")
    numbers = np.where(codes == MISSING, np.nan, codes).astype(np.float64)
    size = sum(len(row) for row in rows)
    return numbers[:size].reshape(len(rows), len(rows[0]) if rows else 0), numbers[size:]


def _compare(humans: Floats, judge: Floats, level: str) -> tuple[Floats, Floats, Floats]:
    """For each item and rater: judge not behind, rater not behind, and whether the item counts for the rater."""
    items, raters = humans.shape
    judge_ahead, rater_ahead = np.zeros((items, raters)), np.zeros((items, raters))
    counted = np.zeros((items, raters), dtype=bool)
    for j in range(raters):
        others = np.delete(humans, j, axis=1)
        known = ~np.isnan(others)
        counted[:, j] = known.any(axis=1) & ~np.isnan(humans[:, j]) & ~np.isnan(judge)
        scores = []
        for own in (judge, humans[:, j]):
            gap = np.where(known, own[:, None] - others, 0.0)
            if level == "nominal":
                scores.append(((gap == 0.0) & known).sum(axis=1) / np.maximum(1, known.sum(axis=1)))
            else:
                scores.append(-np.sqrt((gap**2).sum(axis=1) / np.maximum(1, known.sum(axis=1))))
        # 0.4 and 0.2 are as far from 0.3, which their binary fractions are not
        tie = np.isclose(scores[0], scores[1], rtol=1e-12, atol=1e-12)
        judge_ahead[:, j] = (scores[0] > scores[1]) | tie
        rater_ahead[:, j] = (scores[1] > scores[0]) | tie
    return judge_ahead, rater_ahead, counted


def _one_sided(d: Floats, groups: Codes, epsilon: float) -> float:
    """P of ``mean d < epsilon`` by a t test, of one cluster 1; without spread the mean decides."""
    of_cluster, clusters = compact(groups)
    if clusters < 2:
        return 1.0
    mean = float(d.mean())
    # with one item to a cluster this is the usual s^2 / n
    parts = np.bincount(of_cluster, weights=d - mean)
    squared = clusters / (clusters - 1) * float((parts**2).sum()) / d.size**2
    if squared <= 1e-18:
        return 0.0 if mean < epsilon else 1.0
    return float(stats.t.cdf((mean - epsilon) / math.sqrt(squared), clusters - 1))


def _advantage(
    judge_ahead: Floats,
    counted: Floats,
    clusters: Ratings | None,
    reason: str | None,
    *,
    resamples: int,
    seed: Seed,
    confidence: float,
    unit: str,
) -> Estimate:
    items, raters = judge_ahead.shape
    name = "advantage probability"
    used = counted.any(axis=1)
    n = int(used.sum())
    groups, n_clusters = None, None
    if clusters is not None:
        groups, n_clusters = compact(encode_clusters(clusters, items)[used])
    if reason is not None or n == 0:
        return undefined(
            name,
            n,
            unit,
            "bootstrap; these raters (fixed)",
            reason or f"no {unit}s",
            confidence=confidence,
            n_clusters=n_clusters,
        )
    rows = np.column_stack([judge_ahead * counted, counted])[used].astype(np.float64)

    def of_sums(totals: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((totals[..., :raters] / totals[..., raters:]).mean(axis=-1))

    spread = bootstrap_of_sums(
        of_sums,
        sums_by_cluster(rows, groups),
        resamples=resamples,
        seed=seed,
        confidence=confidence,
        clustered=groups is not None,
    )
    value = float(of_sums(rows.sum(axis=0)))
    return spread.estimate(
        name, value, n, unit, confidence=confidence, n_clusters=n_clusters, note="; these raters (fixed)"
    )
