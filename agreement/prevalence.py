"""The mean over a pool from a judge's verdicts on all of it, corrected by human verdicts on a sample."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from agreement.arguments import yes_or_no
from agreement.both_samples import of_both_samples
from agreement.caution import Caution
from agreement.cautions import rare_among_heavy
from agreement.codebook import refuse_unlike
from agreement.coding import (
    Codes,
    Floats,
    Ratings,
    as_values,
    compact,
    encode_clusters,
    numbers_or_nan,
    same_length,
)
from agreement.corrected_mean import CorrectedMean, by_weights, over_strata, score_limits
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.interval_kinds import Interval, chosen_interval
from agreement.lone_items import alone
from agreement.magnitude import magnitude, refuse_huge
from agreement.methods import leaving_out, of_lambda
from agreement.p_in_clusters import few_for_normal
from agreement.quantiles import upper_normal, upper_t
from agreement.unseen import unseen_of_share
from agreement.words import Part, Words

_HEAVY = 1.25
"""A label is heavy if it stands for more than this many times the mean number of units."""

_NO_SHARE = "; a value outside 0 to 1 is no share: the judge's verdicts on the labelled differ too much from the others"

_ROUNDING = 1e-9
"""A value may be outside by so much from rounding."""

_SCATTERED = 0.7
"""As `agreement.unseen.SCATTERED`, but lower, since the interval shrinks its design effect less with few clusters."""


def prediction_powered_mean(
    human: Ratings,
    judge: Ratings,
    unlabelled: Ratings,
    *,
    tuned: bool = True,
    interval: Interval | None = None,
    probabilities: Ratings | None = None,
    strata: Ratings | None = None,
    unlabelled_strata: Ratings | None = None,
    clusters: Ratings | None = None,
    unlabelled_clusters: Ratings | None = None,
    confidence: float = 0.95,
    name: str = "prediction-powered mean",
    unit: str = "candidate",
) -> Estimate:
    """Mean of the human verdicts over the pool, from a labelled sample and the judge's verdicts on all of the pool.

    ``theta = lambda mean(f_unlabelled) + mean(y - lambda f)``, where y is the human's and f the judge's verdict on the
    labelled units, with variance ``lambda^2 var(f_unlabelled) / N + var(y - lambda f) / n`` [1]_. Tuned (PPI++ [2]_):
    ``lambda = cov(y, f) / ((1 + n / N) var(f))``, clipped to [0, 1], moments with n - 1, var(f) over labelled and
    unlabelled; untuned: ``lambda = 1`` (PPI). The interval uses variances with denominators n and N, as in [1]_.

    The labelled units need not be a simple random sample of the pool:

    - `strata` (a stratified sample): ``theta = sum W_s theta_s`` over strata with share W_s of the pool, each with its
      own lambda [3]_; ``sum W_s (theta_s - theta)^2 / M`` is added to the variance, as the pool of M units is itself a
      sample. If all units of a stratum are labelled, the judge is not needed there: lambda is 0.
    - `probabilities` (unequal, for example flag-and-sample): ``theta = lambda mean(f over the pool) + sum w (y -
      lambda f) / sum w`` with ``w = 1 / p`` [4]_. The variance is the sum of squared contributions of the pool's units:
      ``lambda (f - mean f) / M``, for labelled units plus ``w (r - mean r) / sum w`` with ``r = y - lambda f``;
      tuned: ``lambda = sum w (w - 1) y f / sum w (w - 1) f^2``, y and f centred, which minimises it.

    Undefined for fewer than two labelled units (in any stratum) or no unlabelled ones.

    Parameters
    ----------
    human, judge : sequence of numbers, shape (n,)
        Verdicts on the labelled units, for example 1 for correct and 0 for incorrect; None or NaN is missing, and such
        pairs are left out.
    unlabelled : sequence of numbers, shape (N,)
        The judge's verdicts on all other units of the pool; missing ones are left out.
    tuned : bool
        Whether lambda is estimated from the data.
    interval : {"score", "t", "normal"}, optional
        "score" requires human verdicts 0 and 1 and is then the default if tuned: Wilson's interval at the effective
        number of labelled units, ``m (1 - m) / var``, with m the value clipped to 0 and 1, the variance of the labelled
        over n - 2, and a t quantile; if the variance is 0, it is the number labelled. Judge and human are assumed to
        differ in at least half a label. With strata the interval combines that of each (`agreement.strata_limits`), so
        that a stratum whose labels are all right is not taken as certain; with unequal probabilities the variance is
        shrunk, as by one event, towards that of the weights' effective number of units. "t" has the number of
        labelled clusters (units) less 1 degrees of freedom and is the default otherwise with clusters, "normal"
        without; neither is clipped.
    probabilities : sequence of numbers, shape (n,), optional
        Inclusion probability of each labelled unit.
    strata, unlabelled_strata : sequence, shapes (n,) and (N,), optional
        Sampling stratum of each unit; both or neither, and not with `probabilities`.
    clusters, unlabelled_clusters : sequence, shapes (n,) and (N,), optional
        Cluster of each unit; contributions are summed within clusters before squaring. A cluster may contain labelled
        and unlabelled units. Without `unlabelled_clusters`, unlabelled units are assumed independent, as `method` says.
    confidence : float
        Nominal coverage.
    name, unit : str
        Carried into the estimate.

    Returns
    -------
    Estimate
        `n` is the number of labelled units, `n_clusters` that of their clusters. Warns, except for "score" with strata,
        if labels stand for unequal numbers of units and, among those that stand for more than 1.25 times the mean,
        fewer than five human verdicts are 1, or 0. Also warns for "score" in clusters if a few more labelled clusters
        of a different kind would move the value out of its interval (`agreement.unseen.unseen_of_share`), for "normal"
        in fewer than 20 clusters, and if a few clusters have most of the labelled units, or of the others.

    Raises
    ------
    ValueError
        When lengths differ, a verdict is not a number, a probability is outside (0, 1], or strata or clusters are given
        for one part only.

    References
    ----------
    .. [1] Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023). Prediction-powered inference. Science 382, 669-674.
    .. [2] Angelopoulos, Duchi and Zrnic (2023). PPI++: efficient prediction-powered inference. arXiv 2311.01453.
    .. [3] Fisch et al. (2024). Stratified prediction-powered inference for hybrid language model evaluation. NeurIPS.
    .. [4] Sarndal, Swensson and Wretman (1992). Model Assisted Survey Sampling, 9.7, the difference estimator in
       two-phase sampling.

    Examples
    --------
    Judge and human agree on 8 of 10. The judge calls 60 % of 100 others correct and 50 % of the 10; untuned,
    .6 + (.5 - .5).

    >>> human = [1, 1, 1, 1, 0, 0, 0, 0, 0, 1]
    >>> judge = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0]
    >>> round(prediction_powered_mean(human, judge, [1] * 60 + [0] * 40, tuned=False).value, 3)
    0.6
    """
    confidence = check_confidence(confidence)
    tuned = yes_or_no(tuned, "tuned")
    y, f = numbers_or_nan(human, "human"), numbers_or_nan(judge, "judge")
    rest = numbers_or_nan(unlabelled, "unlabelled")
    same_length(y, f, "human", "judge")
    _refuse_half_designs(probabilities, strata, unlabelled_strata, clusters, unlabelled_clusters)
    known, there = ~(np.isnan(y) | np.isnan(f)), ~np.isnan(rest)
    chance = inclusion_probabilities(probabilities, known) if probabilities is not None else None
    of_stratum, of_other_stratum = codes_of_both(strata, unlabelled_strata, known, there, "strata")
    groups, other_groups = clusters_of_both(clusters, unlabelled_clusters, known, there)
    n_clusters = int(np.unique(groups).size) if groups is not None else None
    binary = bool(np.isin(y[known], (0.0, 1.0)).all())
    kinds: tuple[Interval, ...] = ("score", "t", "normal") if binary else ("t", "normal")
    usual: Interval = "score" if binary and tuned else "normal" if groups is None else "t"
    interval = chosen_interval(usual if interval is None else interval, *kinds)
    if interval == "score" and not tuned:
        refuse_huge(f, "judge")
        refuse_huge(rest, "unlabelled")
    # relative to a judge with huge numbers, human differences would drown in rounding; lambda brings both to one unit
    scale, of_judge = (magnitude(y), magnitude(f, rest)) if tuned else (magnitude(y, f, rest),) * 2
    lost, y, f, rest = int((~known).sum()), y[known] / scale, f[known] / of_judge, rest[there] / of_judge
    n, others, most = y.size, rest.size, of_judge / scale
    method = Words("PPI++" if tuned else "PPI", ", ", _in_words(interval, strata is not None, groups is not None))
    method += f", {others} unlabelled"
    method += "; weighted by 1 / inclusion probability" if probabilities is not None else ""
    method += _of_units(unit, groups is not None, unlabelled_clusters is not None)
    method += leaving_out(lost, "without both verdicts")
    if of_stratum is None or of_other_stratum is None:
        of_stratum, of_other_stratum = np.zeros(n, dtype=np.intp), np.zeros(others, dtype=np.intp)
    reason = _too_few(n, others, n_clusters) or _too_few_in_a_stratum(of_stratum, of_other_stratum)
    if reason:
        return undefined(name, n, unit, method, reason, confidence=confidence, n_clusters=n_clusters)
    if chance is not None:
        corrected = by_weights(y, f, rest, 1.0 / chance, tuned, most)
    else:
        corrected = over_strata(y, f, rest, of_stratum, of_other_stratum, tuned, most)
    value = corrected.value * scale
    method += _of_lambdas(corrected, most, tuned, in_strata=strata is not None)
    stands_for = 1.0 / chance if chance is not None else _units_of_pool(of_stratum, of_other_stratum)
    rare = _rare_among_heavy(y * scale, stands_for) if binary else None
    if not tuned and np.ptp(y - f) == 0.0:
        method += "; judge and human never differ among the labelled: the interval does not show their error"
    method += _NO_SHARE if binary and not -_ROUNDING <= value <= 1.0 + _ROUNDING else ""
    if interval == "score":
        low, high, variance = score_limits(
            corrected, y * scale, of_stratum, of_other_stratum, groups, other_groups, tuned, scale, confidence
        )
    else:
        of_labelled = corrected.of_labelled + corrected.between[of_stratum]
        of_others = corrected.of_others + corrected.between[of_other_stratum]
        variance = variance_of_parts(of_labelled, of_others, groups, other_groups)
        if variance <= 1e-18:
            reason = "the standard error is 0"
            return undefined(name, n, unit, method, reason, value=value, confidence=confidence, n_clusters=n_clusters)
        df, tail = (n if n_clusters is None else n_clusters) - 1.0, (1.0 - confidence) / 2.0
        half = math.sqrt(variance) * scale * (upper_t(tail, df) if interval == "t" else upper_normal(tail))
        low, high = value - half, value + half
    unseen = None
    if interval == "score" and groups is not None:
        # a judge whose verdicts do not reveal such a cluster misses it
        unseen = unseen_of_share(y > 0.0, groups, low, high, value, stands_for, _SCATTERED)
    return Estimate(
        name, value, low, high, n, unit, method, se=math.sqrt(variance) * scale if variance > 0.0 else None,
        confidence=confidence, n_clusters=n_clusters,
    ).warned(
        rare if interval != "score" or chance is not None else None,
        unseen,
        of_both_samples(groups, other_groups, *corrected.if_independent, tuned),
        few_for_normal(n_clusters, limits=True) if interval == "normal" else None,
    )  # fmt: skip


def _refuse_half_designs(
    probabilities: Ratings | None,
    strata: Ratings | None,
    unlabelled_strata: Ratings | None,
    clusters: Ratings | None,
    unlabelled_clusters: Ratings | None,
) -> None:
    if strata is not None and probabilities is not None:
        raise ValueError("strata and probabilities: expected one of them; strata give the probabilities")
    if (strata is None) != (unlabelled_strata is None):
        raise ValueError("strata and unlabelled_strata: expected both or none")
    if clusters is None and unlabelled_clusters is not None:
        raise ValueError("unlabelled_clusters without clusters: expected the clusters of the labelled too")


def _in_words(interval: Interval, stratified: bool, clustered: bool) -> Part:
    if interval == "normal":
        return Part("normal interval, not clipped")
    if interval == "t":
        return Part(f"t interval by the number of {'clusters' if clustered else 'labels'}, not clipped")
    words = "Wilson score interval on the effective number"
    if stratified:
        words = "Wilson score intervals of the strata on their effective numbers, put together"
    return Part(words, terms=("Wilson", "effective number"))


def _of_units(unit: str, clustered: bool, all_clustered: bool) -> str:
    if not clustered:
        return f", independent {unit}s"
    return "; clustered" if all_clustered else "; clustered, unlabelled independent"


def _too_few(n: int, others: int, n_clusters: int | None) -> str:
    if others == 0:
        return "no unlabelled verdicts"
    if n < 2:
        return "fewer than two labelled"
    return "fewer than two clusters" if n_clusters == 1 else ""


def _too_few_in_a_stratum(of_labelled: Codes, of_others: Codes) -> str:
    fewest = np.bincount(of_labelled, minlength=int(of_others.max()) + 1).min()
    return "fewer than two labelled in a stratum" if fewest < 2 else ""


def _of_lambdas(corrected: CorrectedMean, most: float, tuned: bool, in_strata: bool) -> Words:
    """Return how many strata there are, and within what lambda lies in their judge's own unit."""
    used = [share / most if most else 0.0 for share in corrected.lambdas]
    said = Words(f"; {len(used)} strata" if in_strata else "")
    if tuned:
        said += of_lambda(f"; lambda {min(used):.3f}" + (f" to {max(used):.3f}" if len(used) > 1 else ""))
    return said


def _units_of_pool(of_labelled: Codes, of_others: Codes) -> Floats:
    """The number of pool units that each labelled unit stands for."""
    strata = int(max(of_labelled.max(), of_others.max())) + 1
    n = np.bincount(of_labelled, minlength=strata)
    return np.asarray((1.0 + np.bincount(of_others, minlength=strata) / n)[of_labelled])


def _rare_among_heavy(y: Floats, stands_for: Floats) -> Caution | None:
    """The caution for 0/1 human verdicts with few in one category among labels heavier than the mean."""
    heavy = y[stands_for > _HEAVY * stands_for.mean()]
    return rare_among_heavy(int(min(heavy.sum(), (1.0 - heavy).sum()))) if heavy.size else None


def inclusion_probabilities(probabilities: Ratings, known: npt.NDArray[np.bool_]) -> Floats:
    """Inclusion probabilities of the labelled units that are used."""
    chance = numbers_or_nan(probabilities, "probabilities")
    same_length(known, chance, "human", "probabilities")
    chance = chance[known]
    if not ((chance > 0) & (chance <= 1)).all():
        raise ValueError("probabilities holds a value outside (0, 1]; expected inclusion probabilities")
    return chance


def codes_of_both(
    labelled: Ratings | None,
    others: Ratings | None,
    known: npt.NDArray[np.bool_],
    there: npt.NDArray[np.bool_],
    argument: str,
) -> tuple[Codes | None, Codes | None]:
    """Codes shared by the labelled and the unlabelled units that are used; None if none are given."""
    if labelled is None:
        return None, None
    first = _without_objects(labelled, argument)
    same_length(known, first, "human", argument)
    if others is None:
        return encode_clusters(first, known.size, argument)[known], None
    second = _without_objects(others, f"unlabelled_{argument}")
    same_length(there, second, "unlabelled", f"unlabelled_{argument}")
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        both: Ratings = np.concatenate([first, second])
    else:
        both = [*as_values(first, argument), *as_values(second, argument)]
    try:
        codes = encode_clusters(both, known.size + there.size, argument)
    except ValueError:  # find out which of the two it concerns
        other = f"unlabelled_{argument}"
        encode_clusters(first, known.size, argument)
        encode_clusters(second, there.size, other)
        refuse_unlike(**{argument: as_values(first, argument), other: as_values(second, other)})
        raise
    codes, _ = compact(codes[np.concatenate([known, there])])
    size = int(known.sum())
    return codes[:size], codes[size:]


def clusters_of_both(
    labelled: Ratings | None,
    others: Ratings | None,
    known: npt.NDArray[np.bool_],
    there: npt.NDArray[np.bool_],
) -> tuple[Codes | None, Codes | None]:
    """As `codes_of_both`, for clusters; also None if no two units of the two parts share a cluster."""
    groups, other_groups = codes_of_both(labelled, others, known, there, "clusters")
    if groups is None or alone(groups if other_groups is None else np.concatenate([groups, other_groups])):
        return None, None
    return groups, other_groups


def _without_objects(values: Ratings, argument: str) -> Ratings:
    """An array of whole numbers as it is, without a Python object for each; anything else as a list."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.ndim == 1:
        return np.asarray(values)
    return as_values(values, argument)


def variance_of_parts(
    of_labelled: Floats, of_others: Floats, groups: Codes | None, other_groups: Codes | None
) -> float:
    """Variance about 0 of a sum of independent parts, or of clusters of parts."""
    if groups is None:
        return float((of_labelled**2).sum() + (of_others**2).sum())
    clusters = np.unique(groups).size
    alone = of_others
    if other_groups is not None:
        groups, of_labelled = np.concatenate([groups, other_groups]), np.concatenate([of_labelled, of_others])
        alone = np.zeros(0)
    parts = np.bincount(groups, weights=of_labelled)
    return clusters / (clusters - 1) * float((parts**2).sum()) + float((alone**2).sum())
