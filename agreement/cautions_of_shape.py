"""Warnings of intervals that rest on the shape of what was seen: long tails, and disagreements that are few."""

from __future__ import annotations

import math

import numpy as np

from agreement.caution import Caution
from agreement.cautions import FEW_ITEMS, RARE
from agreement.coding import Codes, Floats

SKEWED = 0.8
"""Above this skewness of the items' means, intervals of an intraclass correlation are likely to be too narrow, since
the items in the longer tail are few (`docs/statistics.md`, coverage)."""

SKEWED_OF_FEW, FEW_SHOWING = 0.6, 40
"""The same for intraclass correlations of fewer items than this, which seldom show how far the tail reaches."""

FEW_SPREAD = 15
"""If items in the longer tail make up the spread, and their squared deviations are worth fewer than this many equal
ones (Kish), 95 % intervals of a weighted kappa can have a coverage below 90 % (`docs/statistics.md`, coverage)."""

FEW_LARGE = 6
"""If disagreements over ordered steps are worth fewer than this many equal ones (Kish), 95 % intervals of a weighted
coefficient can have a coverage below 90 %: how often raters are far apart is known from a few items only
(`docs/statistics.md`, coverage). Where all are about equal, one fewer is enough."""

_ABOUT_EQUAL = 0.8  # of their number, if they are worth at least this much

TIMES_NORMAL, TIMES_RESAMPLED, STRAYING = 1.4, 2.0, 16.0
"""Limits of agreement warn if their variance is this many times that of normal differences, or the second if the
interval follows the sample's own variance, as in clusters; plus the third over the number of items or clusters, by
which one in twenty normal samples seems to stray (`docs/statistics.md`, coverage)."""

PERHAPS_ITEMS, PERHAPS_CLUSTERS, FEW_FOR_TAILS = 1.15, 1.4, 100
"""Fewer than the third often hide their tails, so that limits of agreement warn from less on: the first of independent
items, the second in clusters, whose interval follows the sample's own variance; fewer than `FEW_ITEMS` warn always."""

MANY_RESAMPLED = 200
"""From this many clusters or resampled items on, the interval has followed the sample's own variance closely enough."""


def skewed_items(means: Floats, unit: str = "item", above: float = SKEWED) -> Caution | None:
    """The warning for an intraclass correlation of items in one tail of which a few lie far out.

    Parameters
    ----------
    means : ndarray, shape (items,)
        The mean of each item's ratings.
    unit : str
        What is counted, in the singular.
    above : float
        The greatest skewness without a warning.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> skewed_items(np.array([1.0, 1, 2, 2, 3, 3, 4, 30])).text.split(": ")[0]
    'a few items lie far out on one side'
    >>> skewed_items(np.arange(8.0)) is None
    True
    """
    away = means - means.mean()
    squares = away**2
    spread = float(squares.mean())
    # a product of squares, since numpy takes 20 times as long for a third power
    if spread <= 0.0 or abs(float((squares * away).mean())) <= above * spread**1.5:
        return None
    text = f"a few {unit}s lie far out on one side: the interval is likely to be too narrow"
    return Caution("few_items", text)


def skewed_pairs(x: Floats, y: Floats, unit: str = "item") -> Caution | None:
    """The warning for a correlation of pairs of which a few lie far out along the line they are near.

    Parameters
    ----------
    x, y : ndarray, shape (items,)
        Deviations from the mean; neither constant.
    unit : str
        What is counted, in the singular.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> x = np.array([-2.0, -2, -1, -1, -1, -1, 8])
    >>> skewed_pairs(x, -x) == skewed_pairs(x, x) == skewed_items(x)
    True
    """
    side = 1.0 if x @ y >= 0.0 else -1.0
    return skewed_items(x / math.sqrt(float(x @ x)) + side * y / math.sqrt(float(y @ y)), unit)


def skewed_spread(places: Floats, count: Codes, unit: str = "item") -> Caution | None:
    """The warning for a weighted kappa if a few items, far out on one side, make up most of the spread.

    Parameters
    ----------
    places : ndarray, shape (cells,)
        The mean position on the scale of the items in each cell.
    count : ndarray of int, shape (cells,)
        Items in each cell.
    unit : str
        What is counted, in the singular.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> skewed_spread(np.array([1.0, 4.5]), np.array([57, 3])).text.split(": ")[0]
    'a few items lie far out on one side'
    >>> skewed_spread(np.array([1.0, 4.5]), np.array([30, 30])) is None
    True
    """
    squares = (places - float(places @ count) / int(count.sum())) ** 2
    worth = float(squares @ count) ** 2
    return None if worth >= FEW_SPREAD * float(squares**2 @ count) else skewed_items(np.repeat(places, count), unit)


def few_large(disagreement: Floats, times: Codes | None = None, unit: str = "item") -> Caution | None:
    """The warning for a weighted coefficient of independent items if a few large disagreements make up most of it.

    Parameters
    ----------
    disagreement : ndarray, shape (items,)
        By how much the raters differ on each item, as the weights count it.
    times : ndarray of int, shape (items,), optional
        Number of items that each row stands for; 1 each by default.
    unit : str
        What is counted, in the singular.

    Returns
    -------
    Caution or None
        None also if raters never differ: then added items give the interval.

    Examples
    --------
    >>> few_large(np.array([0.0] * 80 + [0.04] * 20 + [1.0, 1.0])).text.split(": ")[0]
    'a few large disagreements, worth those on fewer than 6 items, make up most of it'
    >>> few_large(np.array([0.0] * 20 + [0.04] * 6)) is few_large(np.zeros(9)) is None
    True
    """
    count = 1 if times is None else times
    total, squares = float((disagreement * count).sum()), float((disagreement**2 * count).sum())
    if squares <= 0.0:
        return None
    worth, differ = total**2 / squares * (1.0 + 1e-9), float(((disagreement > 0.0) * count).sum())
    if worth >= (RARE if worth > _ABOUT_EQUAL * differ else FEW_LARGE):
        return None
    text = f"a few large disagreements, worth those on fewer than {FEW_LARGE} {unit}s, make up most of it"
    return Caution("few_items", f"{text}: the interval is likely to be too narrow", FEW_LARGE)


def long_tails(
    gaps: Floats, worth: float, above: float = TIMES_NORMAL, perhaps: float = PERHAPS_ITEMS
) -> Caution | None:
    """The warning for limits of agreement of differences whose own skewness and kurtosis say that they are uncertain.

    The variance of a limit, relative to that of normal differences, is ``(1 + .96 (k + 2) + 1.96 |g|) / 2.92`` with
    skewness g and excess kurtosis k. Above 1.4, 95 % intervals for normal differences hold in fewer than 90 %; how much
    more the sample must show depends on how far normal samples stray (`docs/statistics.md`, coverage).

    Parameters
    ----------
    gaps : ndarray, shape (items,)
        The differences; not all equal.
    worth : float
        Number of items, or effective number of clusters.
    above : float
        How many times the variance may be that of normal differences without a warning.
    perhaps : float
        The same for fewer than 100 items or clusters, of which a warning says that there may be long tails.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> long_tails(np.array([-1.0, 0, 0, 0, 0, 0, 0, 1, 1, 40]), 10).text.split(": ")[0]
    'differences have long tails'
    >>> long_tails(np.arange(8.0), 8).text
    'so few differences may hide long tails: the interval holds only if they are about normal'
    >>> long_tails(np.arange(90.0), 90) is None
    True
    """
    away = gaps - gaps.mean()
    squares = away**2
    spread = float(squares.mean())
    if spread <= 0.0:
        return None
    skewness, kurtosis = float((squares * away).mean()) / spread**1.5, float((squares**2).mean()) / spread**2 - 3.0
    times = (1.0 + 1.96**2 / 4.0 * (kurtosis + 2.0) + 1.96 * abs(skewness)) / (1.0 + 1.96**2 / 2.0)
    if times > above + STRAYING / worth:
        return Caution("few_items", "differences have long tails: the interval is likely to be too narrow")
    if worth >= FEW_FOR_TAILS or (worth >= FEW_ITEMS and times <= perhaps):
        return None
    text = "so few differences may hide long tails: the interval holds only if they are about normal"
    return Caution("few_items", text, FEW_FOR_TAILS)


def of_disagreements(
    disagreement: Floats | None, groups: Codes | None, unit: str = "item"
) -> tuple[str | None, Caution | None]:
    """What few disagreements mean for the interval of a coefficient with a metric.

    Parameters
    ----------
    disagreement : ndarray, shape (items,), or None
        By how much the raters differ on each item; with None, nothing is said.
    groups : ndarray of int, shape (items,), or None
        Cluster of each item.
    unit : str
        What an item is, in the singular.

    Returns
    -------
    reason : str or None
        Why there is no interval, if raters never differ. With categories, items are added on which they do; of numbers
        nobody knows by how much.
    caution : Caution or None
        If raters differ in few clusters, or on few independent items.

    Examples
    --------
    >>> of_disagreements(np.array([2.0, 1.0, 0.0]), np.array([0, 0, 1]))[1].text.split(": ")[0]
    'raters differ in fewer than 5 clusters'
    >>> of_disagreements(np.ones(5), None), of_disagreements(np.zeros(5), None)[0].split(": ")[0]
    ((None, None), 'perfect agreement')
    """
    if disagreement is None:
        return None, None
    differ = disagreement > 0.0
    if not differ.any():
        return "perfect agreement: nothing shows how large a disagreement would be, as categories would", None
    count = int(differ.sum()) if groups is None else np.unique(np.asarray(groups)[differ]).size
    if count >= RARE:
        return None, None
    where = f"on fewer than {RARE} {unit}s" if groups is None else f"in fewer than {RARE} clusters"
    return None, Caution("nearly_constant", f"raters differ {where}: the interval is likely to be too narrow", RARE)


def nearly_constant(values: Floats, groups: Codes | None = None, *, of_part: bool = False) -> Caution | None:
    """The warning for a bootstrapped mean when nearly all units have the same value.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Without missing values.
    groups : ndarray of int, shape (n,), or None
        Cluster of each. Whole clusters are drawn, so those with another value count, unless every cluster has one.
    of_part : bool
        Whether they are one of two parts that are compared.

    Returns
    -------
    Caution or None

    Examples
    --------
    >>> nearly_constant(np.array([1.0] * 20 + [0.0] * 3)).text
    'fewer than 5 differ from the most frequent value: the interval is uncertain'
    >>> nearly_constant(np.array([1.0] * 20 + [0.0] * 5), np.repeat(np.arange(5), 5)).text
    'fewer than 5 clusters have a value other than the most frequent one: the interval is uncertain'
    """
    seen, codes, times = np.unique(values, return_inverse=True, return_counts=True)
    others = codes != int(times.argmax()) if seen.size else np.zeros(0, dtype=np.bool_)
    count, what = int(others.sum()), f"fewer than {RARE} differ from the most frequent value"
    if groups is not None:
        with_another = np.unique(groups[others]).size
        if with_another < min(count, np.unique(groups).size):
            count, what = with_another, f"fewer than {RARE} clusters have a value other than the most frequent one"
    if count >= RARE:
        return None
    where = "in one of the two parts, " if of_part else ""
    return Caution("nearly_constant", f"{where}{what}: the interval is uncertain", RARE)
