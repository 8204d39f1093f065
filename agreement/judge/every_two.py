"""McNemar's test of the judge's verdicts on every two models, on all items that both answered and in each part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from agreement.clustered_tests import mcnemar_p_in_clusters
from agreement.coding import Codes, Floats, compact
from agreement.comparisons import mcnemar
from agreement.estimate import Estimate, undefined
from agreement.judge.factors import means_by_code
from agreement.judge.pool import Pool
from agreement.lone_items import alone
from agreement.methods import leaving_out
from agreement.percent import share

MOST_MODELS = 30
"""With more models than this, no two are compared."""
MOST_PARTS = 500
"""With more model pairs times parts than this, models are compared on all items only."""
NO_ITEM_OF_BOTH = "no item on which both models have a verdict of the judge"
"""The reason why two models are not compared."""
_IN_ONE = "items with only one of the two answers there"
_IN_SOME = "items with only some of the answers there"
_DIFFER = "items on which verdicts on several answers of a model differ"
Mask = npt.NDArray[np.bool_]


def mcnemar_of_every_two(pool: Pool) -> Iterator[tuple[tuple[str, str], str, Estimate]]:
    """McNemar's test for every two models; in the parts of a pair, P is Bonferroni-adjusted over these parts.

    Where several of the items compared share a cluster, P is McNemar's in clusters (Obuchowski, whose statistic weights
    each pair of verdicts alike, as the share does), and the interval of the share is Wilson's on the effective number.
    Elsewhere P is as by `mcnemar`.

    A part holds the items on which the answers of both models are of it: an attribute of answers may differ between
    them, and a part by that of one model would then be another for the same two models in reverse. How many are left
    out, as only one answer is of the part, is said in the method.

    The test needs one verdict, right or wrong, on each model. Items on which the verdicts on several answers of a model
    differ have none; they are left out, and the method counts them.

    The test is undefined and has no P if no item has a verdict on both models: no evidence is not a lack of difference.

    Parameters
    ----------
    pool : Pool

    Yields
    ------
    pair : tuple of str
        The two models.
    part : str
        Empty for all items, otherwise for example ``", tier 2"``.
    estimate : Estimate
    """
    models, items = pool.models, pool.material.posed
    if items is None or not pool.material.scale.shares or not 2 <= len(models) <= MOST_MODELS:
        return
    judged = ~np.isnan(pool.judge)
    scores = np.column_stack([means_by_code(pool.judge, items, among & judged) for among in models.values()])
    right, wrong, mixed = scores == 1.0, scores == 0.0, (scores > 0.0) & (scores < 1.0)
    rows = [np.flatnonzero(among) for among in models.values()]
    several = any(own.size > np.unique(items[own]).size for own in rows)
    cluster = _cluster_of(pool, items)
    pairs = len(models) * (len(models) - 1) // 2
    parts = {name: list(factor.levels()) for name, factor in pool.material.factors.items()}
    parts = {name: levels for name, levels in parts.items() if len(levels) * pairs <= MOST_PARTS}
    for (a, first), (b, second) in combinations(enumerate(models), 2):
        only_first, only_second = right[:, a] & wrong[:, b], wrong[:, a] & right[:, b]
        shared = (right[:, a] | wrong[:, a]) & (right[:, b] | wrong[:, b])
        undecided = ~np.isnan(scores[:, a]) & ~np.isnan(scores[:, b]) & (mixed[:, a] | mixed[:, b])
        estimate = _of(only_first, only_second, shared, cluster, pool.plan.confidence)
        yield (first, second), "", _leaving(estimate, undecided, _DIFFER)
        for name, levels in parts.items():
            for level, among in levels:
                of_both = [_share_of(among, items, rows[column], len(scores)) for column in (a, b)]
                inside = np.min(of_both, axis=0) == 1.0
                estimate = _of(only_first, only_second, shared & inside, cluster, pool.plan.confidence)
                estimate = _leaving(estimate, undecided & inside, _DIFFER)
                partly = shared & ~inside & (np.max(of_both, axis=0) > 0.0)
                estimate = _leaving(estimate, partly, _IN_SOME if several else _IN_ONE)
                yield (first, second), f", {name} {level}", _of_parts(estimate, len(levels))


def discordant_in_words(estimate: Estimate) -> str:
    """The number of discordant pairs behind the share, which the share alone does not show; empty if there are none.

    Examples
    --------
    >>> discordant_in_words(mcnemar(2, 5))
    'the first alone correct on 2 of 7 that differ'
    """
    if not estimate.n:
        return ""
    return f"the first alone correct on {round(estimate.value * estimate.n)} of {estimate.n} that differ"


def _cluster_of(pool: Pool, items: Codes) -> Codes | None:
    """The cluster of each item, that of any of its candidates; None without clusters."""
    clusters = pool.material.clusters
    if clusters is None:
        return None
    of_item = np.zeros(int(items.max()) + 1, dtype=np.intp)
    of_item[items] = compact(clusters)[0]
    return compact(of_item)[0]


def _share_of(among: Mask, items: Codes, rows: npt.NDArray[np.intp], count: int) -> Floats:
    """The share of a model's answers to each item that are of a part; 0 where there is no answer."""
    answers = np.bincount(items[rows], minlength=count)
    inside = np.bincount(items[rows[among[rows]]], minlength=count)
    return np.asarray(inside / np.maximum(answers, 1))


def _leaving(estimate: Estimate, left_out: Mask, what: str) -> Estimate:
    """The estimate with the number of items left out in its method."""
    return replace(estimate, method=estimate.method + leaving_out(int(left_out.sum()), what))


def _of(only_first: Mask, only_second: Mask, shared: Mask, cluster: Codes | None, confidence: float) -> Estimate:
    """McNemar's test for two models on the items that they share; undefined, without P, if they share none."""
    among = np.flatnonzero(shared)
    first, second = only_first[among], only_second[among]
    test = mcnemar(int(first.sum()), int(second.sum()), confidence=confidence)
    if not among.size:
        return undefined(test.name, 0, test.unit, test.method, NO_ITEM_OF_BOTH, confidence=confidence)
    if cluster is None or alone(cluster[among]):
        return test
    groups, differ = cluster[among], np.flatnonzero(first | second)
    p, method = mcnemar_p_in_clusters(np.subtract(first, second, dtype=np.float64), groups, "obuchowski")
    own = share(first[differ], compact(groups[differ])[0], name=test.name, unit=test.unit, confidence=confidence)
    reason = test.undefined_because or own.undefined_because
    return replace(own, method=method + "; " + own.method, undefined_because=reason, p=p)


def _of_parts(estimate: Estimate, times: int) -> Estimate:
    """The estimate with its P Bonferroni-adjusted over the parts of a pair of models."""
    if times == 1 or estimate.p is None:
        return estimate
    method = estimate.method + f"; P by Bonferroni over {times} parts"
    return replace(estimate, p=min(1.0, times * estimate.p), method=method)
