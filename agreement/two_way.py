"""The bootstrap over both items and raters."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np

from agreement.arguments import check_resamples, shown
from agreement.cautions import few_raters
from agreement.coding import Floats, Ratings, encode_clusters
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.given_numbers import number_of
from agreement.methods import RANDOM
from agreement.ratings import RatingTable, numbers_of
from agreement.resampling import Seed, describe, random_generator
from agreement.spread import percentile_limits

FEWEST_RATERS = 3
"""With two raters, every second resample contains only one of them: nothing can be inferred about other raters."""


def two_way_bootstrap(
    statistic: Callable[[Floats], float],
    ratings: RatingTable,
    *,
    clusters: Ratings | None = None,
    resamples: int = 2_000,
    seed: Seed,
    confidence: float = 0.95,
    name: str = "statistic",
    unit: str = "item",
) -> Estimate:
    """Bootstrap over items (or clusters) and raters, for inference to other raters as well.

    Rows and columns are drawn independently with replacement [1]_. The interval is conservative for statistics that
    are means [1]_. Undefined for two raters. With few raters it is a rough guide, and for accuracies Obuchowski and
    Rockette's analysis (`reader_averaged_difference`) is preferable.

    Parameters
    ----------
    statistic : callable
        Takes ratings, shape (items, raters), nan if missing, and returns a number.
    ratings : array_like of numbers, shape (items, raters)
        Ratings, for example correctness (1 or 0) of each rater; None or NaN is missing.
    clusters : sequence, shape (items,), optional
        Cluster of each item.
    resamples : int
        Number of resamples.
    seed : int, sequence of int or SeedSequence
        Seed of the random numbers; required.
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.

    Returns
    -------
    Estimate
        Limits are undefined for two raters, for fewer than two items or clusters, and if the statistic has no value in
        more than 5 % of the resamples.

    Raises
    ------
    ValueError
        When the table does not contain numbers.

    References
    ----------
    .. [1] Owen (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1, 386-411.

    Examples
    --------
    >>> two_way_bootstrap(np.nanmean, [[1, 0], [1, 1]], seed=1).undefined_because
    '2 raters: a bootstrap over raters needs 3 or more'
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    if not callable(statistic):
        raise ValueError(f"statistic is {shown(statistic)}; expected a function of a table of ratings")
    table = numbers_of(ratings)
    items, raters = table.shape
    drawn = describe("percentile", resamples, seed, clusters is not None, False, over_raters=True)
    method = drawn + f"; {unit}s sampled, " + RANDOM
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # an empty table has no mean
        value = number_of(statistic(table)) if items else math.nan
    units = encode_clusters(clusters, items) if clusters is not None else np.arange(items, dtype=np.intp)
    count = int(units.max(initial=-1)) + 1
    n_clusters = count if clusters is not None else None
    reason = None
    if raters < FEWEST_RATERS:
        reason = f"{raters} raters: a bootstrap over raters needs {FEWEST_RATERS} or more"
    elif count < 2:
        reason = f"fewer than two {'clusters' if clusters is not None else unit + 's'}: nothing to resample"
    elif not math.isfinite(value):
        reason = f"the {name} of these ratings has no value"
    if reason is not None:
        return undefined(name, items, unit, method, reason, value=value, confidence=confidence, n_clusters=n_clusters)
    members = np.split(np.argsort(units, kind="stable"), np.cumsum(np.bincount(units, minlength=count))[:-1])
    generator = random_generator(seed)
    values = np.empty(resamples)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for replicate in range(resamples):
            rows = np.concatenate([members[unit_] for unit_ in generator.integers(0, count, count)])
            columns = generator.integers(0, raters, raters)
            values[replicate] = number_of(statistic(table[np.ix_(rows, columns)]))
    spread = percentile_limits(values, confidence, method)
    estimate = spread.estimate(name, value, items, unit, confidence=confidence, n_clusters=n_clusters)
    return estimate.warned(few_raters(raters))
