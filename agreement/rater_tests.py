"""The individual tests of the alternative annotator test: one per rater, at several epsilons."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from agreement.arguments import number_in
from agreement.closeness import Closeness
from agreement.coding import Codes, Floats, compact
from agreement.lone_items import alone
from agreement.signed_ranks import signed_rank_p

MIN_ITEMS = 30
"""Items that a rater must share with others for a t test; with fewer, Wilcoxon's signed-rank test is used."""

EPSILONS = tuple(step / 100 for step in range(51))
"""Further epsilons at which the winning rate is computed, to show how much it depends on epsilon."""

Test = Literal["t", "Wilcoxon", "none"]


@dataclass(frozen=True)
class RaterTests:
    """The raters' tests over some items.

    Attributes
    ----------
    of : Closeness
        The comparisons that are tested.
    groups : ndarray of int, shape (items,), or None
        Cluster of each item.
    tests : tuple of {"t", "Wilcoxon", "none"}
        The test used for each rater.
    least : int
        Minimum number of shared items for a rater to be tested.
    p : ndarray, shape (1 + number of `EPSILONS`, raters)
        One-sided P at the epsilon of the decision, then at each of `EPSILONS`; nan without a test.
    """

    of: Closeness
    groups: Codes | None
    tests: tuple[Test, ...]
    least: int
    p: Floats

    @property
    def tested(self) -> npt.NDArray[np.bool_]:
        """Which raters are tested."""
        return np.array([test != "none" for test in self.tests], dtype=bool)


def rater_tests(of: Closeness, groups: Codes | None, epsilon: float, alpha: float) -> RaterTests:
    """Test for each rater whether ``mean d < epsilon``, with d as in `alt_test`.

    Parameters
    ----------
    of : Closeness
        The judge and the raters, each compared with the others.
    groups : ndarray of int, shape (items,), or None
        Cluster of each item: only t tests, with the cluster-robust standard error. If no two items share a cluster, as
        without clusters.
    epsilon, alpha : float
        As in `alt_test`.

    Returns
    -------
    RaterTests
    """
    if groups is not None and alone(groups):
        groups = None
    least = MIN_ITEMS if groups is not None else fewest_items(alpha)
    epsilons = np.array([epsilon, *EPSILONS])
    p = np.full((epsilons.size, of.counted.shape[1]), math.nan)
    tests: list[Test] = []
    for j, used in enumerate(of.counted.T):
        n = int(used.sum())
        tests.append("none" if n < least else "Wilcoxon" if n < MIN_ITEMS else "t")
        d = of.rater_ahead[used, j].astype(np.float64) - of.judge_ahead[used, j]
        if tests[-1] == "t":
            p[:, j] = one_sided(d, np.arange(n) if groups is None else groups[used], epsilons)
        elif tests[-1] == "Wilcoxon":
            p[:, j] = [signed_rank_p(d - forgiven) for forgiven in epsilons]
    return RaterTests(of, groups, tuple(tests), least, p)


def fewest_items(alpha: float) -> int:
    """The fewest items for which the signed-rank test can reach `alpha`: P is never below ``2^-n`` for n items.

    Parameters
    ----------
    alpha : float
        Between 0 and 1.

    Returns
    -------
    int

    Examples
    --------
    >>> fewest_items(0.05)
    5
    """
    return math.ceil(-math.log2(alpha))


def one_sided(d: Floats, groups: Codes, epsilons: Floats) -> Floats:
    """One-sided P for ``mean d < epsilon`` by a t test; 1 for a single cluster, decided by the mean if variance is 0.

    Parameters
    ----------
    d : ndarray, shape (n,)
        Differences.
    groups : ndarray of int, shape (n,)
        Cluster of each.
    epsilons : ndarray, shape (k,)
        The values that the mean is tested against.

    Returns
    -------
    ndarray, shape (k,)

    Examples
    --------
    >>> one_sided(np.array([0.0, 0.0]), np.array([0, 1]), np.array([0.0, 0.1])).tolist()
    [1.0, 0.0]
    """
    of_cluster, clusters = compact(groups)
    if clusters < 2:
        return np.ones(epsilons.size)
    mean = float(d.mean())
    # with one item per cluster this is the usual s^2 / n
    parts = np.bincount(of_cluster, weights=d - mean)
    squared = clusters / (clusters - 1) * float((parts**2).sum()) / d.size**2
    if squared <= 1e-18:
        return np.where(mean < epsilons, 0.0, 1.0)
    return np.asarray(special.stdtr(clusters - 1, (mean - epsilons) / math.sqrt(squared)))


def check_margins(epsilon: object, alpha: object) -> None:
    """Refuse an invalid epsilon or alpha.

    Parameters
    ----------
    epsilon : float
        At least 0 and below 1.
    alpha : float
        Strictly between 0 and 1.

    Raises
    ------
    ValueError
        When one of them is invalid.
    """
    if isinstance(epsilon, bool):
        raise ValueError(f"epsilon is {epsilon}; expected a number between 0 and 1")
    number_in(epsilon, "epsilon", "a number between 0 and 1", lambda share: 0.0 <= share < 1.0)
    number_in(alpha, "alpha", "a number between 0 and 1", lambda share: 0.0 < share < 1.0)
