"""Whether few clusters decide the limits of a value from labelled units and the judge's verdicts on all others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agreement.caution import Caution
from agreement.cautions import FEW_CLUSTERS, uneven_clusters
from agreement.coding import Codes, Floats
from agreement.effective_size import clusters_with
from agreement.words import Part, Words

OTHERS_MATTER = 0.25
"""The others' clusters matter to limits if their part of the variance is this much of that of the labelled clusters."""


class Contributions(NamedTuple):
    """What units contribute to the error of a value.

    Attributes
    ----------
    in_units : ndarray of float
        Sums over clusters, or over items.
    labelled, others : float
        Variance by each part if its units are independent.
    """

    in_units: Floats
    labelled: float
    others: float


def contributions_of(errors: Floats, labelled: npt.NDArray[np.bool_], units: Codes, count: int) -> Contributions:
    """Sum the errors of labelled and other candidates over units.

    Parameters
    ----------
    errors : ndarray of float, shape (n,)
    labelled : ndarray of bool, shape (n,)
    units : ndarray of int, shape (n,)
        Cluster or item of each.
    count : int
        Number of units.

    Returns
    -------
    Contributions
    """
    sums = np.bincount(units, weights=errors, minlength=count)
    squares = (float((errors[part] ** 2).sum()) for part in (labelled, ~labelled))
    return Contributions(np.asarray(sums, dtype=np.float64), *squares)


def of_both_samples(
    labelled: Codes | None, others: Codes | None, of_labelled: float, of_others: float, tuned: bool = True
) -> Caution | None:
    """The warning for limits that count on the number of labelled clusters, where few clusters have most units.

    Parameters
    ----------
    labelled, others : ndarray of int or None
        Cluster of each labelled unit, and of each other one; None if they are independent.
    of_labelled, of_others : float
        What each part contributes to the variance of the value if its units are independent: the others' is 0 if the
        judge's verdicts do not count.
    tuned : bool
        Whether the others count by their share of all at most.

    Returns
    -------
    Caution or None
        About the labelled, else about the others if these matter. Every estimate itself says that it has few clusters.

    Examples
    --------
    >>> even, uneven = np.repeat(np.arange(12), 5), np.repeat(np.arange(12), [1] * 11 + [40])
    >>> of_both_samples(even, uneven, 0.01, 0.01).text.split(": ")[0]
    'cluster sizes are very unequal, equivalent to 1.6 clusters of equal size'
    >>> of_both_samples(even, np.repeat([0, 1], 30), 0.01, 0.01).text.split(": ")[0]
    'the others are of only 2 clusters'
    >>> of_both_samples(even, None, 0.01, 0.0) is of_both_samples(even, np.array([0, 0]), 0.01, 0.01) is None
    True

    The judge hardly counts:

    >>> of_both_samples(even, uneven, 0.01, 0.00001) is None
    True
    """
    if labelled is None:
        return None
    said = _uneven(labelled)
    if said or others is None or others.size == 0 or not _matter(labelled, others, of_labelled, of_others, tuned):
        return said
    number = np.unique(others).size
    if number >= FEW_CLUSTERS or np.unique(labelled).size < FEW_CLUSTERS:
        return _uneven(others)
    clusters = " cluster" if number == 1 else " clusters"
    says = f": an interval from fewer than {FEW_CLUSTERS} clusters is likely to be too narrow"
    words = Words("the others are of only ", Part(f"{number}", is_number=True), clusters, says)
    return Caution("few_other_clusters", words, FEW_CLUSTERS)


def _matter(labelled: Codes, others: Codes, of_labelled: float, of_others: float, tuned: bool) -> bool:
    """Return whether the others' clusters can widen the interval, by their numbers and by what the units contribute."""
    counts = others.size / (labelled.size + others.size) if tuned else 1.0
    if counts**2 / _worth(others) < OTHERS_MATTER / _worth(labelled):
        return False
    # As if all units of a cluster were alike: the sums of one or two clusters would say nothing.
    others_alike, labelled_alike = (
        of_others * others.size / _worth(others),
        of_labelled * labelled.size / _worth(labelled),
    )
    return others_alike >= OTHERS_MATTER * labelled_alike


def _uneven(clusters: Codes) -> Caution | None:
    return uneven_clusters(np.unique(clusters).size, _worth(clusters))


def _worth(clusters: Codes) -> float:
    return clusters_with(np.ones(clusters.size), clusters)
