"""A judge's bias over one factor: each level, every two levels, and the conclusion for all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from agreement.bias import NotEstimable, score_test
from agreement.clustered_tests import mcnemar_p_in_clusters
from agreement.coding import Codes, Floats, compact
from agreement.effective_size import clusters_with
from agreement.estimate import Estimate, undefined
from agreement.judge.coefficients import UNIT
from agreement.judge.factors import Chosen, Factor
from agreement.judge.gaps import gap, noticeable
from agreement.judge.plan import Plan
from agreement.judge.signed import signed_difference
from agreement.lone_items import alone
from agreement.multiplicity import adjust_p_values
from agreement.quantiles import chi_square_tail

MOST_LEVELS = 20
"""If a factor has more levels than this, no two of them are compared."""

Finding = Literal["not uniform", "equivalent", "undecided", "not estimable"]


@dataclass(frozen=True)
class Uniformity:
    """A judge's signed difference over the levels of a factor.

    Attributes
    ----------
    levels : dict of str to Estimate
        Signed difference of each level, with simultaneous intervals; P, of a level on its own, is McNemar's in clusters
        if candidates of the level share clusters, as the interval then allows for them, else exact.
    gaps : dict of (str, str) to Estimate
        Difference between every two levels, with simultaneous intervals; empty above `MOST_LEVELS`.
    statistic, p, p_adjusted : float
        Score test of equal differences, Holm-adjusted over the factors; nan if not estimable.
    df, n : int
    largest : float or None
        The largest difference between two levels that is compatible with the intervals.
    noticeable : float or None
        The smallest difference detectable with the planned power between the two smallest levels.
    finding : {"not uniform", "equivalent", "undecided", "not estimable"}
        *Equivalent* only if all intervals of `gaps` lie within the margin.
    because : str
        Why it is not estimable.
    lacking : str
        The reason alone, without stating that it is not estimable.
    n_clusters : int or None
        The number of clusters that the test allows for; None if no two candidates share one.
    clusters_worth : float or None
        Their effective number by Kish: below the number if sizes are unequal.
    """

    levels: dict[str, Estimate]
    gaps: dict[tuple[str, str], Estimate]
    statistic: float
    p: float
    p_adjusted: float
    df: int
    n: int
    largest: float | None
    noticeable: float | None
    finding: Finding
    because: str
    lacking: str
    n_clusters: int | None = None
    clusters_worth: float | None = None


def uniformity(
    human: Floats,
    judge: Floats,
    factors: Mapping[str, Factor],
    clusters: Codes | None,
    *,
    shares: bool,
    margin: float | None,
    plan: Plan,
) -> dict[str, Uniformity]:
    """Whether a judge's signed difference is the same over the levels of each factor.

    The test is that of `judge_bias_by_factor`, for shares and other scores alike. Intervals of the levels are
    Bonferroni-adjusted over the levels, those of their differences over every two levels (`gap`).

    Parameters
    ----------
    human, judge : ndarray of float, shape (n,)
        Scores; nan if there is none.
    factors : mapping of str to Factor
    clusters : ndarray of int, shape (n,), or None
    shares : bool
        Whether scores are 1 and 0.
    margin : float or None
        The largest difference between two levels that does not matter.
    plan : Plan

    Returns
    -------
    dict of str to Uniformity

    Examples
    --------
    >>> human, judge = np.ones(40), np.r_[np.zeros(10), np.ones(10), np.zeros(2), np.ones(18)]
    >>> model = Factor(np.repeat([0, 1], 20), ("x", "y"))
    >>> uniformity(human, judge, {"model": model}, None, shares=True, margin=0.05, plan=Plan())["model"].finding
    'not uniform'
    """
    parts = {name: _Part(human, judge, factor, clusters) for name, factor in factors.items()}
    tests = {name: part.test(plan) for name, part in parts.items()}
    adjusted = adjust_p_values([p for *_, p, _ in tests.values()], "holm") if tests else np.empty(0)
    result = {}
    for (name, part), p_adjusted in zip(parts.items(), adjusted.tolist(), strict=True):
        statistic, df, p, reason = tests[name]
        levels = part.levels(plan, shares, plan.confidence)
        pairs = list(combinations(levels, 2)) if len(levels) <= MOST_LEVELS else []
        gaps = part.gaps(pairs, plan, shares)
        limits = [max(abs(estimate.low), abs(estimate.high)) for estimate in gaps.values()]
        largest = max(limits) if limits and not np.isnan(limits).any() else None
        within = margin is not None and largest is not None and largest <= margin
        finding: Finding = "undecided"
        if reason:
            finding = "equivalent" if within and len(levels) > 1 else "not estimable"
        elif p_adjusted <= 1.0 - plan.confidence:
            finding = "not uniform"
        elif within:
            finding = "equivalent"
        result[name] = Uniformity(
            levels, gaps, statistic, p, p_adjusted, df, part.d.size, largest, part.noticeable(plan), finding,
            reason.in_words if reason else "", reason.lacking if reason else "", part.n_clusters,
            part.clusters_worth,
        )  # fmt: skip
    return result


class _Part:
    """The candidates with both verdicts and a level."""

    def __init__(self, human: Floats, judge: Floats, factor: Factor, clusters: Codes | None) -> None:
        used = ~np.isnan(human) & ~np.isnan(judge) & (factor.codes >= 0)
        self.human, self.judge = human[used], judge[used]
        self.d = self.human - self.judge
        levels = list(factor.part(used).levels())
        self.names = tuple(name for name, _ in levels)
        self.codes = np.zeros(self.d.size, dtype=np.intp)
        for code, (_, among) in enumerate(levels):
            self.codes[among] = code
        self.clusters = compact(clusters[used])[0] if clusters is not None else None

    @property
    def n_clusters(self) -> int | None:
        return None if self.clusters is None or alone(self.clusters) else int(np.unique(self.clusters).size)

    @property
    def clusters_worth(self) -> float | None:
        if self.clusters is None or self.n_clusters is None:
            return None
        return clusters_with(np.ones(self.d.size), self.clusters)

    def test(self, plan: Plan) -> tuple[float, int, float, NotEstimable | None]:
        within = self.clusters if self.clusters is not None else np.arange(self.d.size)
        statistic, df, reason = score_test(self.d, self.codes, self.names, within, "candidate", plan.within_clusters)
        return statistic, df, float("nan") if reason else chi_square_tail(statistic, df), reason

    def levels(self, plan: Plan, shares: bool, confidence: float) -> dict[str, Estimate]:
        return self._at(1.0 - (1.0 - confidence) / max(1, len(self.names)), plan, shares)

    def gaps(self, pairs: list[tuple[str, str]], plan: Plan, shares: bool) -> dict[tuple[str, str], Estimate]:
        if not pairs:
            return {}
        confidence = 1.0 - (1.0 - plan.confidence) / len(pairs)
        of_level = self._at(confidence, plan, shares)
        name = "difference of two signed differences"
        return {
            (first, second): gap(
                of_level[first], of_level[second], name=name, confidence=confidence, shared=self._in_both(first, second)
            )
            for first, second in pairs
        }

    def _in_both(self, first: str, second: str) -> int:
        """The number of clusters with candidates of both levels."""
        if self.clusters is None:
            return 0
        of_each = [self.clusters[self.codes == self.names.index(name)] for name in (first, second)]
        return int(np.intersect1d(*of_each).size)

    def _at(self, confidence: float, plan: Plan, shares: bool) -> dict[str, Estimate]:
        estimates = {}
        for code, name in enumerate(self.names):
            among = self.codes == code
            estimates[name] = signed_difference(
                self.human[among],
                self.judge[among],
                None if self.clusters is None else self.clusters[among],
                shares=shares,
                test_in_clusters=self._test_in_clusters(among) if shares else None,
                **{**plan.bootstrap, "confidence": confidence},
            )
        return estimates

    def _test_in_clusters(self, among: Chosen) -> Estimate | None:
        """McNemar's test in clusters of the candidates of a level, without interval; None if they share no cluster."""
        if self.clusters is None or alone(self.clusters[among]):
            return None
        gaps = self.d[among]
        p, method = mcnemar_p_in_clusters(gaps, self.clusters[among], "obuchowski")
        discordant = int((gaps != 0.0).sum())
        return undefined("share judged too strictly", discordant, UNIT, method, "a test has no interval", p=p)

    def noticeable(self, plan: Plan) -> float | None:
        """The difference detectable between the two smallest levels; a cluster, if any, counts as one candidate."""
        if len(self.names) < 2 or self.d.size < 2:
            return None
        sizes = np.bincount(self.codes).astype(np.float64)
        if self.clusters is not None:
            sizes = np.array([np.unique(self.clusters[self.codes == code]).size for code in range(len(self.names))])
        least, next_least = np.sort(sizes)[:2].tolist()
        variance = float(self.d.var(ddof=1))
        if variance == 0.0:
            return None
        return noticeable(variance, (least, next_least), confidence=plan.confidence, power=plan.power)
