"""The difference between two coefficients on the same items: two judges, two models, or a prompt before and after."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from agreement.arguments import check_resamples
from agreement.cautions import seldom_differing
from agreement.clustered_scores import units_of
from agreement.coding import Floats, Ratings
from agreement.dependent_coefficients import NAMES, Options, Statistic, coefficients_of, differing, tables_of
from agreement.effective_size import clusters_with
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.functions_of_sums import sums_of_units
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.krippendorff import Level
from agreement.methods import bootstrap_of, leaving_out
from agreement.own_weights import Matrix
from agreement.planned_kind import is_plain
from agreement.ratings import RatingTable
from agreement.resampling import Seed, bootstrap_of_sums
from agreement.spread import widened, widened_p
from agreement.unseen import unseen_of_difference


def coefficient_difference(
    first: Ratings | RatingTable,
    second: Ratings | RatingTable,
    statistic: Statistic,
    *,
    reference: Ratings | None = None,
    weights: Matrix | None = None,
    categories: Sequence[Hashable] | None = None,
    level: Level = "nominal",
    model: Literal[1, 2, 3] = 2,
    positive: Hashable | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """The first coefficient minus the second, on the same items.

    With `reference`, each side holds the verdicts of one judge, and its coefficient is that of the judge with the
    reference (or with a human). Without it, each side is a table, and its coefficient is that of the raters in it. The
    two are dependent because they share items: items, or whole clusters, are drawn with replacement, and both
    coefficients are computed from the same draw [1]_ [2]_. The percentiles are widened to the tails of t, since
    percentile intervals of few units are too narrow [3]_; `p` is the level at which that interval begins to exclude 0.

    Undefined if no item is usable for both or either coefficient is undefined; limits for fewer than two items or
    clusters, and if the difference is the same in every draw. The raters are fixed, whether the two sides are the same
    raters (before and after a change) or two groups: the interval generalises to other items only. To generalise to
    other raters as well, see `rater_group_difference`.

    Parameters
    ----------
    first, second : sequence, shape (items,), or array_like, shape (items, raters)
        Verdicts of two judges (with `reference`), or ratings of two groups; None or NaN is missing. An item is used if
        it has the ratings that both coefficients need: with `reference`, all three values; for "icc", all ratings;
        otherwise two ratings in each table.
    statistic : str
        "kappa" (Cohen's; for a table, Conger's), "fleiss", "ac" (Gwet's AC1, weighted AC2), "brennan_prediger",
        "alpha", "icc" (of one rating) and, with a reference, also "accuracy", "f1", "ccc" (Lin's), "pearson",
        "spearman" and "kendall" (tau-b).
    reference : sequence, shape (items,), optional
        What both sides are compared with.
    weights : {None, "linear", "quadratic"} or array_like, shape (q, q)
        For "kappa", "fleiss", "ac" and "brennan_prediger"; needs `categories`.
    categories : sequence, optional
        The declared categories in their order; by default, all that occur on either side.
    level : {"nominal", "ordinal", "interval", "ratio"}
        For "alpha".
    model : {1, 2, 3}
        For "icc".
    positive : optional
        For "f1": the class; by default, the mean over the classes in the reference (macro F1).
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"percentile", "bca"}, optional
        Percentiles by default.
    resamples, seed
        See `bootstrap`; the seed is required.
    confidence : float
        Nominal coverage.
    unit : str
        What one item is.

    Returns
    -------
    Estimate
        Between -2 and 2, with `p`; `method` gives the two coefficients. With a warning if the two differ on fewer than
        five items, or if one more cluster of another kind would move it out of its interval
        (`agreement.unseen.unseen_of_difference`).

    Raises
    ------
    ValueError
        When lengths differ, an option is unknown, or does not apply to the statistic.

    References
    ----------
    .. [1] McKenzie et al. (1996). Comparing correlated kappas by resampling: is one level of agreement significantly
       different from another? J Psychiatr Res 30, 483-492.
    .. [2] Vanbelle and Albert (2008). A bootstrap method for comparing correlated kappa coefficients. J Stat Comput
       Simul 78, 1009-1015.
    .. [3] Hesterberg (2015). What teachers should know about the bootstrap. American Statistician 69, 371-386, 3.2.

    Examples
    --------
    Judge A has kappa 1/2 with the human, judge B 0.

    >>> human = ["yes", "yes", "yes", "yes", "no", "no", "no", "no"]
    >>> a = ["yes", "yes", "yes", "no", "no", "no", "no", "yes"]
    >>> b = ["yes", "yes", "no", "no", "yes", "yes", "no", "no"]
    >>> estimate = coefficient_difference(a, b, "kappa", reference=human, resamples=500, seed=1)
    >>> round(estimate.value, 4), estimate.method.split("; ")[1]
    (0.5, 'kappa 0.500 less 0.000')
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    kind = chosen_interval(interval, *BOOTSTRAPS)
    options = Options(statistic, weights, categories, level, model, positive)
    tables = tables_of(first, second, reference, options)
    units, n_clusters = units_of(clusters, tables.used)
    n, lost = int(tables.used.sum()), int((~tables.used).sum())
    name, text = f"difference of {NAMES[statistic]}", bootstrap_of(n_clusters is not None, paired=True)
    note = leaving_out(lost, "without the ratings of both")
    if n == 0:
        reason = f"no {unit} has the ratings of both"
        return undefined(name, 0, unit, text + note, reason, confidence=confidence, n_clusters=n_clusters)
    of_first, of_second, warning = coefficients_of(tables, units, options)
    values = (of_first.of_all(), of_second.of_all())
    for side, value in zip(("first", "second"), values, strict=True):
        if not math.isfinite(value):
            reason = f"the {NAMES[statistic]} of the {side} has no value"
            return undefined(name, n, unit, text + note, reason, confidence=confidence, n_clusters=n_clusters)
    first_rows, second_rows = of_first.of_items(), of_second.of_items()
    width = first_rows.shape[1]

    def difference(totals: Floats) -> Floats:
        return of_first.value(totals[..., :width]) - of_second.value(totals[..., width:])

    # clusters of unequal sizes are worth fewer; in plans that were fixed before, they are counted
    count = float(n if n_clusters is None else n_clusters)
    if n_clusters is not None and not is_plain(seed):
        count = max(min(2.0, n_clusters), clusters_with(np.ones(n), units))
    spread = bootstrap_of_sums(
        difference,
        sums_of_units([of_first, of_second], units if n_clusters is not None else None),
        resamples=resamples,
        seed=seed,
        interval=kind,
        confidence=widened(confidence, count) if count > 1 else confidence,
        clustered=n_clusters is not None,
    )
    how = f", paired, widened for {count:.4g} units; {NAMES[statistic]} {values[0]:.3f} less {values[1]:.3f}"
    of_p = "" if spread.p is None else "; P by inverting the interval"
    note = how + of_p + note + (of_first.note or of_second.note)
    estimate = spread.estimate(
        name, values[0] - values[1], n, unit, confidence=confidence, n_clusters=n_clusters, note=note
    )
    unseen = None
    if n_clusters is not None and not (of_first.of_units or of_second.of_units):
        unseen = unseen_of_difference(
            difference, first_rows, second_rows, units, estimate.low, estimate.high, options.by_degrees
        )
    few = seldom_differing(differing(tables)) if statistic != "accuracy" else None
    return replace(estimate, p=None if spread.p is None else widened_p(spread.p, count)).warned(warning, few, unseen)
