"""The ceiling for a judge: agreement of each rater, and of the judge, with the consensus of the other raters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from agreement.arguments import whole_number
from agreement.cautions_of_shape import nearly_constant
from agreement.codebook import is_missing, refuse_unlike
from agreement.coding import Codes, Floats, Ratings, encode, encode_clusters, single_values
from agreement.consensus import Rule, Ties, consensus
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import BOOTSTRAPS, Interval, chosen_interval
from agreement.methods import FIXED, bootstrap_of
from agreement.ratings import RatingTable, rows_of
from agreement.resampling import Seed, bootstrap_of_sums, sums_by_cluster
from agreement.result import Result

FEWEST_RATERS = 3
"""With two raters, the consensus of the others is the other rater: that is pairwise agreement, not a ceiling."""


@dataclass(frozen=True)
class Ceiling(Result):
    """Agreement of left-out raters, and of a judge, with the consensus of the other raters.

    Attributes
    ----------
    raters : tuple of Estimate, length raters
        For each rater, the share of items on which the rater agrees with the consensus of the others.
    mean : Estimate
        Mean of these shares over raters: the ceiling.
    judge : Estimate or None
        Mean over raters of the judge's agreement with the same consensus, on the same items.
    difference : Estimate or None
        `judge` minus `mean`: above 0, the judge agrees with the others better than a rater does.
    """

    raters: tuple[Estimate, ...]
    mean: Estimate
    judge: Estimate | None = None
    difference: Estimate | None = None


def leave_one_out(
    ratings: RatingTable,
    judge: Ratings | None = None,
    *,
    rule: Rule = "majority",
    ties: Ties | None = None,
    fewest: int = 2,
    categories: Sequence[Hashable] | None = None,
    clusters: Ratings | None = None,
    interval: Interval | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    confidence: float = 0.95,
    unit: str = "item",
) -> Ceiling:
    """Agreement of each rater with the consensus of the others, and of a judge with the same consensus.

    ``c_j`` is the share of items on which rater j equals the consensus of the others, among items that have both; the
    ceiling is the mean of ``c_j`` over raters [1]_. A judge is compared with each of these consensuses on the same
    items, so that neither side has a vote in what it is compared with; items without a verdict of the judge are then
    left out for the raters as well.

    Intervals are bootstraps over items or clusters with all raters resampled together: the raters are fixed. Undefined
    for fewer than three raters, or if a rater shares no item with a consensus of the others.

    Parameters
    ----------
    ratings : array_like, shape (items, raters)
        Ratings; None or NaN is missing.
    judge : sequence, shape (items,), optional
        Verdicts of a judge; None or NaN is missing.
    rule, ties, fewest, categories
        See `consensus`; `seed` is also used to break ties at random.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    interval : {"percentile", "bca"}, optional
        Percentile by default.
    resamples, seed
        For the bootstrap.
    confidence : float
        Nominal coverage.
    unit : str
        What one row is.

    Returns
    -------
    Ceiling

    Raises
    ------
    ValueError
        As in `consensus`, and when the judge has a different number of items.

    References
    ----------
    .. [1] Calderon, Reichart and Dror (2025). The alternative annotator test. ACL 2025; the leave-one-out scheme there.

    Examples
    --------
    The others have a consensus on 2, 1 and 2 items; each rater agrees with it once.

    >>> ceiling = leave_one_out([["a", "a", "a"], ["b", "a", "a"], ["a", "a", "b"]], resamples=200)
    >>> [round(rater.value, 3) for rater in ceiling.raters], round(ceiling.mean.value, 3)
    ([0.5, 1.0, 0.5], 0.667)
    """
    confidence = check_confidence(confidence)
    rows = rows_of(ratings)
    raters = len(rows[0]) if rows else 0
    verdicts = single_values(judge, "judge") if judge is not None else None
    if verdicts is not None and len(verdicts) != len(rows):
        raise ValueError(f"judge has shape ({len(verdicts)},); expected ({len(rows)},), one for each item")
    if verdicts is not None and categories is None:
        refuse_unlike(ratings=(value for row in rows for value in row), judge=verdicts)
    groups = encode_clusters(clusters, len(rows)) if clusters is not None else None
    counted = _by_counting(ratings, judge, rule, ties, fewest, categories)
    held = np.zeros((len(rows), raters))
    agreed, with_judge = held.copy(), held.copy()
    if counted is not None:
        held, agreed, with_judge = counted
    for rater in range(raters if counted is None else 0):
        others = consensus(
            rows, rule, ties=ties, leave_out=rater, fewest=fewest, categories=categories, seed=seed
        ).values
        for item, answer in enumerate(others):
            own, of_judge = rows[item][rater], verdicts[item] if verdicts is not None else None
            if answer is None or is_missing(own) or (verdicts is not None and is_missing(of_judge)):
                continue
            held[item, rater] = 1.0
            agreed[item, rater] = own == answer
            with_judge[item, rater] = of_judge == answer
    table = _Table(held, agreed, with_judge, groups)
    note = f"; {rule} of the others, {fewest} or more of them; " + FIXED
    kind = chosen_interval(interval, *BOOTSTRAPS, clustered=clusters is not None)
    estimate = partial(
        table.estimate, interval=kind, resamples=resamples, seed=seed, confidence=confidence, unit=unit, note=note
    )
    single = tuple(estimate(f"agreement with the others, column {j}", [j], 1, 0) for j in range(raters))
    everyone = list(range(raters))
    mean = estimate("leave-one-out agreement", everyone, 1, 0)
    if verdicts is None:
        return Ceiling(single, mean)
    return Ceiling(
        single,
        mean,
        estimate("judge's agreement with the others", everyone, 0, 1),
        estimate("judge minus left-out rater", everyone, -1, 1),
    )


def _by_counting(
    ratings: RatingTable,
    judge: Ratings | None,
    rule: Rule,
    ties: Ties | None,
    fewest: int,
    categories: Sequence[Hashable] | None,
) -> tuple[Floats, Floats, Floats] | None:
    """Majorities of the others, by counting all votes once and subtracting each rater's own; None if not applicable.

    Applies to numeric arrays with declared categories; computing a consensus for each rater would go through all votes
    each time.
    """
    if not isinstance(ratings, np.ndarray) or ratings.ndim != 2 or ratings.dtype.kind not in "iuf" or not ratings.size:
        return None
    of_judge = judge is None or (isinstance(judge, np.ndarray) and judge.dtype.kind in "iuf")
    if not (of_judge and rule == "majority" and ties is None and categories is not None):
        return None
    fewest = whole_number(fewest, "fewest", 1)
    flat, levels = encode(ratings.ravel(), categories, "ratings")
    codes = flat.reshape(ratings.shape)
    own = codes >= 0
    votes = np.stack([(codes == code).sum(axis=1) for code in range(len(levels))], axis=1)
    given = own.sum(axis=1)[:, None] - own
    answer = np.full(codes.shape, -1, dtype=np.intp)
    for code in range(len(levels)):
        of_others = votes[:, code, None] - (codes == code)
        answer[(2 * of_others > given) & (given >= fewest)] = code
    held = own & (answer >= 0)
    with_judge = np.zeros(codes.shape)
    if judge is not None:
        verdicts = np.asarray(judge)
        seen = verdicts[~np.isnan(verdicts)].tolist()
        said, _ = encode(verdicts, tuple(dict.fromkeys([*levels, *seen])), "judge")
        held &= (said >= 0)[:, None]
        with_judge = (held & (said[:, None] == answer)).astype(np.float64)
    return held.astype(np.float64), (held & (codes == answer)).astype(np.float64), with_judge


@dataclass(frozen=True)
class _Table:
    """For each item and left-out rater: compared with a consensus, agreed with it, and whether the judge did."""

    held: Floats
    agreed: Floats
    with_judge: Floats
    groups: Codes | None

    def estimate(
        self,
        name: str,
        columns: list[int],
        of_raters: int,
        of_judge: int,
        *,
        interval: Interval,
        resamples: int,
        seed: Seed,
        confidence: float,
        unit: str,
        note: str,
    ) -> Estimate:
        """Mean over columns of the share ``of_raters * rater + of_judge * judge``."""
        held = self.held[:, columns]
        counted = of_raters * self.agreed[:, columns] + of_judge * self.with_judge[:, columns]
        n, r = int(held.any(axis=1).sum()), len(columns)
        clustered = self.groups is not None
        n_clusters = int(np.unique(self.groups[held.any(axis=1)]).size) if self.groups is not None else None
        method = bootstrap_of(clustered) + note
        reason = None
        if self.held.shape[1] < FEWEST_RATERS:
            reason = f"{self.held.shape[1]} raters: a consensus of the others needs {FEWEST_RATERS} or more"
        elif not held.any(axis=0).all():
            empty = columns[int(np.flatnonzero(~held.any(axis=0))[0])]
            whose = f"a rater (column {empty})" if len(columns) > 1 else "the rater"
            reason = f"{whose} has answered no {unit} of which the others have a consensus"
        if reason is not None:
            return undefined(name, n, unit, method, reason, confidence=confidence, n_clusters=n_clusters)

        def mean_share(totals: Floats) -> Floats:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray((totals[..., :r] / totals[..., r:]).mean(axis=-1))

        rows = np.column_stack([counted, held])
        spread = bootstrap_of_sums(
            mean_share,
            sums_by_cluster(rows, self.groups),
            resamples=resamples,
            seed=seed,
            interval=interval,
            confidence=confidence,
            clustered=clustered,
        )
        value = float(mean_share(rows.sum(axis=0)))
        estimate = spread.estimate(name, value, n, unit, confidence=confidence, n_clusters=n_clusters, note=note)
        each = held.sum(axis=1)
        of_used = None if self.groups is None else self.groups[each > 0]
        return estimate.warned(nearly_constant(counted.sum(axis=1)[each > 0] / each[each > 0], of_used))
