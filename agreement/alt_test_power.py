"""Power of a judge to win against a rater in the alternative annotator test, for planning before labels are made."""

from __future__ import annotations

import math

import numpy as np
import scipy  # scipy.stats takes 0.3 s to import: it is loaded where first used
from scipy import special

from agreement.arguments import number_in, whole_number
from agreement.coding import Floats
from agreement.estimate import Estimate, undefined
from agreement.quantiles import upper_t
from agreement.rater_tests import MIN_ITEMS, check_margins, fewest_items
from agreement.signed_ranks import signed_rank_p
from agreement.words import Words

_EXACT_UP_TO = 1_000  # items
_MOST_RATERS = 10_000


def alt_test_power(
    items: int,
    raters: int,
    *,
    rater_closer: float,
    judge_closer: float,
    epsilon: float = 0.2,
    alpha: float = 0.05,
    unit: str = "item",
) -> Estimate:
    """Probability that the judge wins against a rater in `alt_test`, for independent items.

    The rater is closer to the others on a share `rater_closer` of the items, the judge on a share `judge_closer`, and
    they are equally close on the rest. P must reach the Benjamini-Yekutieli threshold of the h-th of m raters, where h
    is half of them, rounded up: ``alpha h / (m sum 1/i)``. Up to 1000 items, the power is the sum of the probabilities
    of all counts with such a P (Wilcoxon's below 30 items, else the t test's [1]_); above that, it comes from the
    noncentral t.

    Parameters
    ----------
    items : int
        Items that the rater shares with the judge and at least one other rater.
    raters : int
        Number of raters, three or more.
    rater_closer, judge_closer : float
        Assumed shares of the items; their sum is at most 1.
    epsilon, alpha
        As in `alt_test`.
    unit : str
        What an item is.

    Returns
    -------
    Estimate
        The power against one rater, which equals the power to pass if the outcomes against half of the raters coincide.
        No limits, since it follows from the assumptions.

    Raises
    ------
    ValueError
        When an argument is not a number within its range, or the sum of the shares exceeds 1.

    References
    ----------
    .. [1] Calderon, Reichart and Dror (2025). The alternative annotator test for LLM-as-a-judge. ACL, section 3.

    Examples
    --------
    A judge as close as a rater, with 100 items and three expert raters.

    >>> round(alt_test_power(100, 3, rater_closer=0.2, judge_closer=0.2).value, 2)
    0.85
    """
    check_margins(epsilon, alpha)
    epsilon, alpha = float(epsilon), float(alpha)
    items, raters = whole_number(items, "items", 1), whole_number(raters, "raters", 3, _MOST_RATERS)
    rater_closer, judge_closer = (
        number_in(share, argument, "a share between 0 and 1", lambda number: 0.0 <= number <= 1.0)
        for argument, share in (("rater_closer", rater_closer), ("judge_closer", judge_closer))
    )
    if rater_closer + judge_closer > 1.0 + 1e-12:
        raise ValueError(f"rater_closer and judge_closer are {rater_closer + judge_closer:g} together; expected <= 1")
    half = math.ceil(raters / 2)
    threshold = alpha * half / (raters * math.fsum(1.0 / i for i in range(1, raters + 1)))
    if items < fewest_items(alpha):
        value = 0.0
    elif items <= _EXACT_UP_TO:
        value = _exact(items, rater_closer, judge_closer, epsilon, threshold)
    else:
        value = _by_noncentral_t(items, rater_closer, judge_closer, epsilon, threshold)
    test = "Wilcoxon's signed-rank test" if items < MIN_ITEMS else "t test"
    return undefined(
        "power of the alt-test",
        items,
        unit,
        Words(test, f", independent items, epsilon {epsilon}, P at most {threshold:.3g}, {raters} raters"),
        "a property of the assumed shares, known without sampling error",
        value=value,
    )


def _exact(items: int, rater_closer: float, judge_closer: float, epsilon: float, threshold: float) -> float:
    rater, judge = (side.ravel() for side in np.meshgrid(np.arange(items + 1), np.arange(items + 1)))
    possible = rater + judge <= items
    rater, judge = rater[possible], judge[possible]
    both = items - rater - judge
    neither_alone = max(0.0, 1.0 - rater_closer - judge_closer)
    chances = scipy.stats.multinomial.pmf(
        np.column_stack([rater, judge, both]), items, [rater_closer, judge_closer, neither_alone]
    )
    likely = chances > 1e-12 / items**2
    rater, judge, both, chances = rater[likely], judge[likely], both[likely], chances[likely]
    if items >= MIN_ITEMS:
        wins = _t_of_counts(rater, judge, items, epsilon) <= threshold
    else:
        values = np.array([1.0, -1.0, 0.0]) - epsilon
        wins = np.array(
            [signed_rank_p(np.repeat(values, counts)) <= threshold for counts in zip(rater, judge, both, strict=True)],
            dtype=bool,
        )
    return min(1.0, float(chances[wins].sum()))


def _t_of_counts(rater: Floats, judge: Floats, items: int, epsilon: float) -> Floats:
    mean = (rater - judge) / items
    squared = ((rater + judge) / items - mean**2) / (items - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = special.stdtr(items - 1, (mean - epsilon) / np.sqrt(squared))
    return np.where(squared > 1e-18, p, np.where(mean < epsilon, 0.0, 1.0))


def _by_noncentral_t(items: int, rater_closer: float, judge_closer: float, epsilon: float, threshold: float) -> float:
    mean = rater_closer - judge_closer
    variance = rater_closer + judge_closer - mean**2
    if variance <= 1e-18:
        return 1.0 if mean < epsilon else 0.0
    away = (mean - epsilon) / math.sqrt(variance / items)
    return float(scipy.stats.nct.cdf(-upper_t(threshold, items - 1), items - 1, away))
