"""The difference between two groups of raters, generalised to other raters and other items."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Literal

import numpy as np

from agreement.arguments import check_resamples, one_of, shown
from agreement.cautions import FEW_RATERS
from agreement.clustered_scores import units_of
from agreement.codebook import MISSING
from agreement.coding import Codes, Floats, Ratings, as_values, encode, same_length
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.methods import RANDOM, bootstrap_of, t_with
from agreement.own_weights import Matrix, agreement_weights, name_or_matrix
from agreement.quantiles import t_tail, upper_t
from agreement.ratings import RatingTable, refuse_unlike_columns, rows_of
from agreement.resampling import Seed, random_generator, shown_seed
from agreement.spread import UNDEFINED_SHARE

GroupStatistic = Literal["agreement", "kappa", "accuracy"]
_NAMES = {"agreement": "pairwise agreement", "kappa": "kappa", "accuracy": "accuracy"}
_LARGEST = 10**8  # numbers in the table of clusters by pairs of raters


def rater_group_difference(
    first: RatingTable,
    second: RatingTable,
    statistic: GroupStatistic = "kappa",
    *,
    reference: Ratings | None = None,
    weights: Matrix | None = None,
    categories: Sequence[Hashable] | None = None,
    clusters: Ratings | None = None,
    resamples: int = 2_000,
    seed: Seed,
    confidence: float = 0.95,
    unit: str = "item",
) -> Estimate:
    """Agreement in one group of raters minus that in another, on the same items; generalises to other raters.

    With ``A_rs`` the summed weighted agreement of raters r and s over the ``n_rs`` items that both rated, and ``E_rs``
    that expected from how often each used the categories on these items: "agreement" is ``sum A_rs / sum n_rs`` over
    pairs of different raters, "kappa" is ``(sum A_rs - sum E_rs) / (sum n_rs - sum E_rs)`` (Conger's, for complete
    ratings), "accuracy" is the share of all ratings that equal the reference. Items (or clusters) and the raters of
    each group are drawn with replacement, separately and all at once [1]_. A rater who is drawn twice always agrees
    with the copy, so such pairs are left out. The variance is ``2 (V_items + V_first + V_second) - V_all``, at least
    the greatest of the three: the interaction of item and rater is included once in each of the three, and three times
    in the last. Each of the three is the variance over its resamples times ``m / (m - 1)``, with m the number of
    clusters (items) or raters drawn, since the variance of resamples is too small by the inverse factor. Limits ``value
    -+ t se`` with Satterthwaite's degrees of freedom.

    Undefined if a group has no value; limits also with fewer than five raters in a group, or fewer than two items or
    clusters.

    Parameters
    ----------
    first, second : array_like, shapes (items, raters) and (items, other raters)
        Ratings of two groups of different raters; None or NaN is missing.
    statistic : {"agreement", "kappa", "accuracy"}
        What is compared.
    reference : sequence, shape (items,), optional
        For "accuracy": the answer counted as right.
    weights : {None, "linear", "quadratic"} or array_like, shape (q, q)
        For "agreement" and "kappa"; needs `categories`.
    categories : sequence, optional
        The declared categories in their order; by default, all that occur.
    clusters : sequence, shape (items,), optional
        Cluster of each item, for example the subject.
    resamples, seed
        See `two_way_bootstrap`; the seed is required.
    confidence : float
        Nominal coverage.
    unit : str
        What one row is.

    Returns
    -------
    Estimate
        With `p` from the same t distribution.

    Raises
    ------
    ValueError
        When the tables differ in items, or an option is unknown or does not apply.

    References
    ----------
    .. [1] Owen (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1, 386-411.

    Examples
    --------
    Agreement on two of three items against one of three.

    >>> first, second = [["a", "a"], ["b", "b"], ["a", "b"]], [["a", "a"], ["a", "b"], ["a", "b"]]
    >>> estimate = rater_group_difference(first, second, "agreement", seed=1)
    >>> round(estimate.value, 4), estimate.undefined_because
    (0.3333, '2 raters in a group: generalising to other raters needs 5 in each')
    """
    confidence = check_confidence(confidence)
    check_resamples(resamples)
    if resamples < 2:
        raise ValueError(f"resamples is {shown(resamples)}; expected 2 or more, which have a variance")
    _check(statistic, reference is not None, weights, categories)
    tables, answers, levels = _coded(first, second, reference, categories)
    items = len(tables[0])
    units, n_clusters = units_of(clusters, np.ones(items, dtype=bool))
    count = int(units.max(initial=-1)) + 1
    raters = [table.shape[1] for table in tables]
    name = f"difference of {_NAMES[statistic]} between groups of raters"
    drawn = f", {resamples} resamples, seed {shown_seed(seed)}; {unit}s and {raters[0]} + {raters[1]} "
    method = bootstrap_of(n_clusters is not None, over_raters=True) + drawn + RANDOM
    if items == 0:
        return undefined(name, 0, unit, method, f"no {unit}s", confidence=confidence, n_clusters=n_clusters)
    named, matrix = name_or_matrix(weights, categories)
    method += "" if weights is None else f"; {named} weights" if matrix is None else "; weights as given"
    w = agreement_weights(named, max(2, len(levels))) if matrix is None else matrix
    groups = [_group(table, answers, units, count, w, statistic) for table in tables]
    whole = [float(value(np.ones((1, count)), np.ones((1, r)))[0]) for value, r in zip(groups, raters, strict=True)]
    gap = whole[0] - whole[1]
    reason = None
    if not math.isfinite(gap):
        reason, gap = f"the {_NAMES[statistic]} of a group has no value", math.nan
    elif min(raters) < FEW_RATERS:
        reason = f"{min(raters)} raters in a group: generalising to other raters needs {FEW_RATERS} in each"
    elif count < 2:
        reason = f"fewer than two {'clusters' if n_clusters is not None else unit + 's'}: nothing to resample"
    if reason is not None:
        return undefined(name, items, unit, method, reason, value=gap, confidence=confidence, n_clusters=n_clusters)
    se, degrees, lost = _standard_error(groups, count, raters, resamples, seed)
    if not se > 0.0 or lost > UNDEFINED_SHARE:
        reason = "every resample gave the same value" if lost <= UNDEFINED_SHARE else f"{100 * lost:.0f} % had no value"
        return undefined(name, items, unit, method, reason, value=gap, confidence=confidence, n_clusters=n_clusters)
    half = upper_t((1.0 - confidence) / 2.0, degrees) * se
    # shares differ by at most 1, kappas by at most 2
    most = 2.0 if statistic == "kappa" else 1.0
    method += "; " + t_with(f"{degrees:.1f}")
    method += f"; {whole[0]:.3f} in the first group, {whole[1]:.3f} in the second"
    p = 2.0 * t_tail(abs(gap) / se, degrees)
    return Estimate(
        name,
        gap,
        max(-most, gap - half),
        min(most, gap + half),
        items,
        unit,
        method,
        se=se,
        p=p,
        confidence=confidence,
        n_clusters=n_clusters,
    )


Group = Callable[[Floats, Floats], Floats]
"""A group's statistic from how often each cluster and each rater was drawn, shapes (resamples, ...)."""


def _check(statistic: str, has_reference: bool, weights: Matrix | None, categories: Sequence[Hashable] | None) -> None:
    one_of(statistic, "statistic", ("agreement", "kappa", "accuracy"))
    if has_reference != (statistic == "accuracy"):
        raise ValueError(f"statistic is {statistic!r}; expected reference= with 'accuracy', and with nothing else")
    if weights is not None and (statistic == "accuracy" or categories is None):
        raise ValueError("weights is given; expected it with 'agreement' or 'kappa', and with categories=")


def _coded(
    first: RatingTable, second: RatingTable, reference: Ratings | None, categories: Sequence[Hashable] | None
) -> tuple[list[Codes], Codes | None, tuple[object, ...]]:
    sides = [rows_of(first, "first"), rows_of(second, "second")]
    same_length(sides[0], sides[1], "first", "second")
    answers = as_values(reference, "reference") if reference is not None else []
    if reference is not None:
        same_length(sides[0], answers, "first", "reference")
    flat, levels = encode(
        [value for side in sides for row in side for value in row] + answers, categories, "first or second"
    )
    if categories is None:
        columns = [column for rows in sides for column in zip(*rows, strict=True)]
        refuse_unlike_columns([*columns, answers], levels, "first and second, and reference")
    widths = [len(rows[0]) if rows else 0 for rows in sides]
    split = len(sides[0]) * widths[0]
    end = flat.size - len(answers)
    tables = [flat[:split].reshape(len(sides[0]), widths[0]), flat[split:end].reshape(len(sides[1]), widths[1])]
    return tables, flat[end:] if reference is not None else None, levels


def _group(codes: Codes, answers: Codes | None, units: Codes, count: int, w: Floats, statistic: str) -> Group:
    if answers is not None:
        return _accuracy(codes, answers, units, count)
    r, q = codes.shape[1], len(w)
    if count * r * r * (q + 2) > _LARGEST:
        raise ValueError(f"{count} units by {r} raters by {q} categories are too many; expected fewer categories")
    used = (codes[:, :, None] == np.arange(q)).astype(np.float64)  # items x raters x categories
    given = (codes != MISSING).astype(np.float64)
    agreed = _by_unit(np.einsum("irk,kl,isl->irs", used, w, used, optimize=True), units, count)
    both = _by_unit(given[:, :, None] * given[:, None, :], units, count)
    # how often r used each category on the items that s also rated
    shared = _by_unit(used[:, :, None, :] * given[:, None, :, None], units, count)
    apart = 1.0 - np.eye(r)

    def value(drawn: Floats, times: Floats) -> Floats:
        pairs = times[:, :, None] * times[:, None, :] * apart
        together = _of_drawn(drawn, both)
        n, a = ((pairs * part).sum(axis=(1, 2)) for part in (together, _of_drawn(drawn, agreed)))
        if statistic == "agreement":
            return _divided(a, n)
        use = _of_drawn(drawn, shared)
        products = np.einsum("brsk,kl,bsrl->brs", use, w, use, optimize=True)
        e = (pairs * np.divide(products, together, out=np.zeros_like(products), where=together > 0)).sum(axis=(1, 2))
        return _divided(a - e, np.where(n - e > 1e-12 * n, n - e, 0.0))

    return value


def _accuracy(codes: Codes, answers: Codes, units: Codes, count: int) -> Group:
    known = ((codes != MISSING) & (answers != MISSING)[:, None]).astype(np.float64)
    right = _by_unit(known * (codes == answers[:, None]), units, count)
    given = _by_unit(known, units, count)

    def value(drawn: Floats, times: Floats) -> Floats:
        return _divided((times * (drawn @ right)).sum(axis=1), (times * (drawn @ given)).sum(axis=1))

    return value


def _by_unit(parts: Floats, units: Codes, count: int) -> Floats:
    sums = np.zeros((count, *parts.shape[1:]))
    np.add.at(sums, units, parts)
    return sums


def _of_drawn(drawn: Floats, sums: Floats) -> Floats:
    return np.asarray(np.tensordot(drawn, sums, axes=(1, 0)))


def _divided(top: Floats, bottom: Floats) -> Floats:
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0))


def _standard_error(
    groups: list[Group], count: int, raters: list[int], resamples: int, seed: Seed
) -> tuple[float, float, float]:
    """Standard error over items and raters, its degrees of freedom, and the share of resamples without a value."""
    generator = random_generator(seed)
    sizes = [count, *raters]
    alone = []
    lost = 0.0
    for which, size in enumerate(sizes):
        drawn = [other == which for other in range(3)]
        values = _resampled(groups, sizes, drawn, resamples, generator)
        alone.append(float(np.nanvar(values, ddof=1)) * size / (size - 1))
        lost = max(lost, float(np.isnan(values).mean()))
    values = _resampled(groups, sizes, [True] * 3, resamples, generator)
    lost = max(lost, float(np.isnan(values).mean()))
    # [1], theorem 3: drawing all at once includes the interaction of item and rater three times, drawing either alone
    # once
    twice = float(np.nanvar(values, ddof=1))
    variance = max(2.0 * math.fsum(alone) - twice, *alone)
    spread = math.fsum(part**2 / (size - 1) for part, size in zip(alone, sizes, strict=True))
    return math.sqrt(variance), variance**2 / spread if spread > 0.0 else 1.0, lost


def _resampled(
    groups: list[Group], sizes: list[int], drawn: list[bool], resamples: int, generator: np.random.Generator
) -> Floats:
    """The difference in each resample: the same items for both groups, raters drawn separately in each."""
    values = np.empty(resamples)
    step = max(1, min(resamples, 2_000_000 // (sizes[0] + max(sizes[1:]) ** 2 * 20)))
    for start in range(0, resamples, step):
        many = min(step, resamples - start)
        times = [
            generator.multinomial(size, np.full(size, 1.0 / size), size=many).astype(np.float64)
            if anew
            else np.ones((many, size))
            for size, anew in zip(sizes, drawn, strict=True)
        ]
        values[start : start + many] = groups[0](times[0], times[1]) - groups[1](times[0], times[2])
    return values
