"""Rates used in particular studies: pass@k over several attempts, and mirages."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np

from agreement.arguments import one_value, whole_number
from agreement.codebook import is_missing, refuse_unlike
from agreement.coding import Ratings, compact, encode_clusters, same_length, single_values
from agreement.estimate import Estimate
from agreement.interval_kinds import Interval
from agreement.methods import leaving_out
from agreement.percent import share
from agreement.resampling import Seed


def pass_at_k(n: int, c: int, k: int) -> float:
    """Probability that at least one of k attempts is right, estimated from c right ones among n.

    ``1 - C(n - c, k) / C(n, k)``, computed in exact integers [1]_: the unbiased estimator.

    Parameters
    ----------
    n : int
        Attempts made.
    c : int
        Right ones among them, ``0 <= c <= n``.
    k : int
        Attempts allowed, ``1 <= k <= n``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        When the three are not whole numbers, or out of range.

    References
    ----------
    .. [1] Chen et al. (2021). Evaluating large language models trained on code. arXiv 2107.03374, eq. 1.

    Examples
    --------
    One right of five, two allowed: 1 - C(4, 2) / C(5, 2) = 1 - 6/10.

    >>> pass_at_k(5, 1, 2)
    0.4
    """
    n, c, k = whole_number(n, "n"), whole_number(c, "c"), whole_number(k, "k")
    if not 0 <= c <= n or not 1 <= k <= n:
        raise ValueError(f"n, c, k are {n}, {c}, {k}; expected 0 <= c <= n and 1 <= k <= n")
    return float(1 - Fraction(comb(n - c, k), comb(n, k)))


def mirage_rate(
    present: Ratings,
    absent: Ratings,
    reference: Ratings,
    *,
    positive: object = "positive",
    negative: object = "negative",
    clusters: Ratings | None = None,
    resamples: int = 10_000,
    seed: Seed = 0,
    interval: Interval | None = None,
    confidence: float = 0.95,
    unit: str = "question",
) -> Estimate:
    """Share of reference-negative questions that are answered positively both with and without the image.

    A mirage is a finding that is reported although there is none, and reported even if no image is shown [1]_. The
    denominator contains the questions with a negative reference and both labels; an uncertain label counts as not
    positive. Undefined without such questions.

    Parameters
    ----------
    present, absent : sequence, shape (questions,)
        Label of the response with and without the image; None or NaN is missing.
    reference : sequence, shape (questions,)
        Label of the reference.
    positive, negative : hashable
        The spelling of the two labels.
    clusters, resamples, seed, interval, confidence, unit
        As in `percent_agreement`.

    Returns
    -------
    Estimate
        A proportion.

    Raises
    ------
    ValueError
        When lengths differ.

    References
    ----------
    .. [1] MARCUS, mirage labels.

    Examples
    --------
    >>> p, n = "positive", "negative"
    >>> estimate = mirage_rate([p, p, n, p], [p, n, p, p], [n, n, n, p])
    >>> round(estimate.value, 3), estimate.n
    (0.333, 3)
    """
    positive, negative = one_value(positive, "positive"), one_value(negative, "negative")
    with_image, without = single_values(present, "present"), single_values(absent, "absent")
    truth = single_values(reference, "reference")
    same_length(with_image, without, "present", "absent")
    same_length(with_image, truth, "present", "reference")
    refuse_unlike(present=with_image, absent=without, reference=truth, positive=[positive], negative=[negative])
    shown = np.array([not is_missing(value) and value == positive for value in with_image], dtype=bool)
    hidden = np.array([not is_missing(value) and value == positive for value in without], dtype=bool)
    eligible = np.array([not is_missing(value) and value == negative for value in truth], dtype=bool)
    labelled = np.array(
        [not is_missing(x) and not is_missing(y) for x, y in zip(with_image, without, strict=True)], dtype=bool
    )
    used = eligible & labelled
    groups = None
    if clusters is not None:
        groups, _ = compact(encode_clusters(clusters, used.size)[used])
    lost = int((eligible & ~labelled).sum())
    return share(
        (shown & hidden)[used],
        groups,
        name="mirage rate",
        unit=unit,
        note=leaving_out(lost, "without both labels"),
        resamples=resamples,
        seed=seed,
        interval=interval,
        confidence=confidence,
    )
