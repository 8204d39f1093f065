"""Limits of a beta-binomial mean by profile likelihood, of thousands of samples at once.

What clusters of items have in common is a chance from a beta distribution here: the likelihood weighs each cluster by
what it says of that distribution's mean, and the intraclass correlation is whatever fits each mean best. That mean is
the share of all items only where large and small clusters are right equally often.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

Data = np.ndarray[Any, Any]
Limits = tuple[Data, Data]

POINTS, MARGIN, MOST = 121, 0.3, 11.5  # of the means that are tried, on the scale of log odds
ALIKE = np.concatenate([[1e-5], np.geomspace(0.003, 0.03, 4), np.linspace(0.05, 0.5, 10), np.linspace(0.56, 0.95, 8)])


def likelihood_limits(right: Data, sizes: Data, quantile: float) -> Limits:
    """Return the means whose profile likelihood is within half the squared quantile of its maximum.

    Parameters
    ----------
    right : ndarray, shape (samples, clusters)
        How many items of each cluster are right.
    sizes : ndarray, shape (clusters,)
        How many there are.
    quantile : float
        Of t or of the normal distribution.
    """
    log_odds = _log_odds(right.sum(axis=1) / sizes.sum(), len(sizes), quantile)
    profile = _profile(right, sizes, log_odds)
    below = quantile**2 / 2 - (_top(profile)[:, None] - profile)
    inside, rows, last = below >= 0, np.arange(len(right)), POINTS - 1
    low, high = inside.argmax(axis=1), last - inside[:, ::-1].argmax(axis=1)

    def crossing(within: Data, without: Data) -> Data:
        """Log odds between two neighbours at which the likelihood is as small as it may be."""
        here, there = below[rows, within], below[rows, without]
        way = np.divide(here, here - there, out=np.zeros_like(here), where=here != there)
        return np.asarray(special.expit(log_odds[within] + way * (log_odds[without] - log_odds[within])))

    lowest, highest = crossing(low, np.maximum(low - 1, 0)), crossing(high, np.minimum(high + 1, last))
    return np.where(low == 0, 0, lowest), np.where(high == last, 1, highest)


def _log_odds(shares: Data, clusters: int, quantile: float) -> Data:
    """The means that are tried: as far as Wilson's limits go where the items of a cluster are all alike."""
    ends = np.array([shares.min(), shares.max()])
    half = quantile * np.sqrt(ends * (1 - ends) / clusters + quantile**2 / (4 * clusters**2))
    centre, total = ends + quantile**2 / (2 * clusters), 1 + quantile**2 / clusters
    least, most = special.logit((centre[0] - half[0]) / total), special.logit((centre[1] + half[1]) / total)
    return np.linspace(max(least - MARGIN, -MOST), min(most + MARGIN, MOST), POINTS)


def _profile(right: Data, sizes: Data, log_odds: Data) -> Data:
    """Logarithm of the likelihood of each mean, with the correlation that fits best; shape (samples, means)."""
    kinds = np.unique(sizes)
    of, counts = np.repeat(kinds, kinds + 1), np.concatenate([np.arange(size + 1) for size in kinds])
    first = np.cumsum(kinds + 1) - (kinds + 1)
    times = np.zeros((len(right), len(of)))
    np.add.at(times, (np.arange(len(right))[:, None], first[np.searchsorted(kinds, sizes)] + right), 1)
    scale = (1 / ALIKE - 1)[:, None]
    a, b = (special.expit(sign * log_odds)[:, None, None] * scale for sign in (1, -1))
    table = special.betaln(counts + a, of - counts + b) - special.betaln(a, b)
    both = times @ table.reshape(-1, len(of)).T
    return np.asarray(both.reshape(len(right), POINTS, len(ALIKE)).max(axis=2))


def _top(profile: Data) -> Data:
    """The maximum, by a parabola through the greatest value and its neighbours."""
    best, rows = profile.argmax(axis=1), np.arange(len(profile))
    middle = np.clip(best, 1, profile.shape[1] - 2)
    before, at, after = (profile[rows, middle + step] for step in (-1, 0, 1))
    bend = before - 2 * at + after
    gain = np.divide((after - before) ** 2, -8 * bend, out=np.zeros_like(at), where=(bend < 0) & (best == middle))
    return np.asarray(profile[rows, best] + gain)
