"""Adjustment of P values for multiplicity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from agreement.arguments import one_of, shown, unmasked
from agreement.coding import Floats
from agreement.given_numbers import as_floats

Adjustment = Literal["bonferroni", "holm", "hommel", "bh", "by"]

METHODS = ("bonferroni", "holm", "hommel", "bh", "by")


def adjust_p_values(p: Sequence[float] | Floats, method: Adjustment) -> Floats:
    """P values adjusted for multiplicity.

    - bonferroni: ``min(1, m p)``
    - holm: ``max over earlier of min(1, (m - i + 1) p_(i))``, p ascending [1]_
    - hommel: the greatest Simes P value ``min_j |S| p_(j) / j`` over all sets S of hypotheses that include the one in
      question [4]_; never above Holm's; for independent or positively dependent tests
    - bh: ``min over later of min(1, m / i p_(i))`` [2]_, false discovery rate
    - by: bh times ``sum 1/i`` [3]_, under any dependence

    Parameters
    ----------
    p : array_like, shape (m,)
        P values; nan (a test that could not be done) stays nan and does not count in m.
    method : {"bonferroni", "holm", "hommel", "bh", "by"}
        Which adjustment.

    Returns
    -------
    ndarray, shape (m,)

    Raises
    ------
    ValueError
        When a value is outside 0 to 1, the shape is not (m,), or the method is unknown.

    References
    ----------
    .. [1] Holm (1979). A simple sequentially rejective multiple test procedure. Scand J Statist 6, 65-70.
    .. [2] Benjamini and Hochberg (1995). Controlling the false discovery rate. JRSS B 57, 289-300.
    .. [3] Benjamini and Yekutieli (2001). The control of the false discovery rate under dependency. Ann Statist 29,
       1165-1188.
    .. [4] Hommel (1988). A stagewise rejective multiple test procedure based on a modified Bonferroni test. Biometrika
       75, 383-386.

    Examples
    --------
    >>> adjust_p_values([0.01, 0.04, 0.03], "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> adjust_p_values([0.01, 0.04, 0.03], "hommel").round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    try:
        values = as_floats(unmasked(list(p) if isinstance(p, Iterator) else p))
    except (TypeError, ValueError):
        raise ValueError(f"p is {shown(p)}; expected P values, one number for each test") from None
    if values.ndim != 1:
        raise ValueError(f"p has shape {values.shape}; expected (m,)")
    if ((values < 0) | (values > 1)).any():
        raise ValueError("p holds a value outside 0 and 1; expected P values")
    one_of(method, "method", tuple(METHODS))
    adjusted = np.full(values.shape, np.nan)
    done = ~np.isnan(values)
    if done.any():
        adjusted[done] = _holm(values[done]) if method == "holm" else _by_statsmodels(values[done], method)
    return adjusted


def hommel_p_values(p: Sequence[float] | Floats) -> Floats:
    """P values adjusted for multiplicity by Hommel's procedure.

    The closed Simes test: the adjusted value of a hypothesis is the greatest Simes P value ``min_j |S| p_(j) / j`` over
    all sets S of hypotheses that include it [1]_. Never greater than Holm's; it controls the familywise error rate for
    independent or positively dependent tests. The same as `adjust_p_values` with "hommel".

    Parameters
    ----------
    p : array_like, shape (m,)
        P values; nan (a test that could not be done) stays nan and does not count in m.

    Returns
    -------
    ndarray, shape (m,)

    Raises
    ------
    ValueError
        When a value is outside 0 to 1, or the shape is not (m,).

    References
    ----------
    .. [1] Hommel (1988). A stagewise rejective multiple test procedure based on a modified Bonferroni test. Biometrika
       75, 383-386.

    Examples
    --------
    By hand: for .01 the greatest Simes value is that of all three, min(3 * .01, 3/2 * .03, .04) = .03.

    >>> hommel_p_values([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    return adjust_p_values(p, "hommel")


def _by_statsmodels(values: Floats, method: Adjustment) -> Floats:
    from statsmodels.stats.multitest import multipletests  # slow to import

    name = {"bh": "fdr_bh", "by": "fdr_by"}.get(method, method)
    return np.asarray(multipletests(values, method=name)[1])


def _holm(values: Floats) -> Floats:
    """Holm's procedure; the one in statsmodels collects garbage at each call, which takes a hundred milliseconds."""
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(values.size)
    adjusted[order] = np.maximum.accumulate(np.arange(values.size, 0, -1) * values[order])
    return np.minimum(1.0, adjusted)
