"""Warnings of a bootstrap of any statistic, which nobody has simulated for the values it gets."""

from __future__ import annotations

import math

import numpy as np

from agreement.caution import Caution, several
from agreement.cautions import FEW_RESAMPLED
from agreement.cautions_of_shape import nearly_constant, skewed_items
from agreement.coding import Codes, Floats

SKEWED_MEAN = 0.25
"""If the skewness of what units add to a mean is more than this times the root of their number, 95 % percentiles of the
mean can have a coverage below 90 % (`docs/statistics.md`, coverage)."""

FEW_OF_SPREAD, FEW_CLUSTERS_OF_SPREAD = 60, 30
"""Of fewer items, or clusters, percentiles of a standard deviation and of statistics like it can hold in fewer than
90 %: resamples repeat units, and differ too little."""


def of_mean(values: Floats, units: Codes, clusters: int | None, unit: str = "item") -> tuple[Caution, ...]:
    """The warnings for a bootstrapped mean.

    Parameters
    ----------
    values : ndarray, shape (items,)
        Finite numbers.
    units : ndarray of int, shape (items,)
        The resampled unit of each item, without gaps.
    clusters : int or None
        Number of clusters; None if items are resampled.
    unit : str
        What an item is, in the singular.

    Returns
    -------
    tuple of Caution

    Examples
    --------
    >>> one_high = np.array([0.0, 1.0, 2.0, 3.0, 4.0] * 5 + [90.0])
    >>> [caution.text.split(": ")[0] for caution in of_mean(one_high, np.arange(26), None)]
    ['a few items lie far out on one side']
    """
    named, away = ("cluster" if clusters is not None else unit), values - values.mean()
    # numpy adds up no numbers that are longer than in double precision
    of_units = np.asarray(np.bincount(units, weights=away.astype(np.float64)), dtype=np.float64)
    skewed = (
        skewed_items(of_units, named, SKEWED_MEAN * math.sqrt(of_units.size)) if np.unique(values).size > 2 else None
    )
    return several(nearly_constant(values, units), skewed, few_units(of_units.size, clusters, FEW_RESAMPLED, unit))


def of_other(values: Floats, clusters: int | None, unit: str = "item") -> tuple[Caution, ...]:
    """The warnings for a bootstrapped statistic of one array that is not a mean.

    Which statistic it is, nobody knows of a function; the warnings say what a standard deviation would need, and that
    others may not. Medians hold with fewer.

    Parameters
    ----------
    values, clusters, unit
        As in `of_mean`.

    Returns
    -------
    tuple of Caution

    Examples
    --------
    >>> [caution.text.split(", ")[0] for caution in of_other(np.arange(59.0), None)]
    ['a bootstrap of fewer than 60 items can be too narrow']
    >>> of_other(np.arange(60.0), None)
    ()
    """
    units, fewest, named = (values.size, FEW_OF_SPREAD, unit)
    if clusters is not None:
        units, fewest, named = clusters, FEW_CLUSTERS_OF_SPREAD, "cluster"
    few = few_units(units, clusters, FEW_RESAMPLED, unit)
    if few is None and units < fewest and (clusters is None or clusters >= FEW_RESAMPLED):
        text = f"a bootstrap of fewer than {fewest} {named}s can be too narrow, as that of a standard deviation is"
        few = Caution("few_resampled", text, fewest)
    skewed = skewed_items(values, unit)
    if skewed is not None:
        text = (
            f"a few {unit}s lie far out on one side: the interval can be too narrow, as that of a standard deviation is"
        )
        skewed = Caution("few_items", text)
    return several(few, skewed)


def few_units(units: int, clusters: int | None, fewest: int, unit: str = "item") -> Caution | None:
    """The warning for a bootstrap of few units.

    Parameters
    ----------
    units, fewest : int
        Number of resampled units, and the smallest sufficient number.
    clusters : int or None
        Number of clusters; below 20 every bootstrap of clusters warns by itself.
    unit : str
        What an item is, in the singular.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> few_units(19, None, 20).text, few_units(19, 19, 30)
    ('a bootstrap of fewer than 20 items is likely to be too narrow', None)
    """
    if units >= fewest or (clusters is not None and clusters < FEW_RESAMPLED):
        return None
    named = unit if clusters is None else "cluster"
    return Caution("few_resampled", f"a bootstrap of fewer than {fewest} {named}s is likely to be too narrow", fewest)
