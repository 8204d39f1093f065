"""Marginal homogeneity: whether two raters use the categories equally often."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from agreement.comparisons import mcnemar_p
from agreement.estimate import Estimate, check_confidence, undefined
from agreement.quantiles import chi_square_tail
from agreement.tables import square_counts
from agreement.words import Words


def marginal_homogeneity(table: npt.ArrayLike, *, confidence: float = 0.95, unit: str = "item") -> Estimate:
    """Test of marginal homogeneity of a square table: Bhapkar's, and McNemar's for two categories.

    With ``d_i = p_i. - p_.i`` for the first k - 1 categories and
    ``V_ij = -(p_ij + p_ji) - d_i d_j``, ``V_ii = p_i. + p_.i - 2 p_ii - d_i^2``, Bhapkar's statistic is ``n d' V^-1
    d``, chi-square on k - 1 degrees of freedom [1]_. Categories that are never confused with the rest form a group of
    their own, as does one that neither rater used: with g groups there are k - g degrees of freedom. For two
    categories, the test is `mcnemar` with its default method. The value is half the sum of the absolute differences,
    which is the share of items that would have to change category; it has no interval.

    Parameters
    ----------
    table : array_like of int, shape (k, k)
        Rows are one rater's categories, columns the other's.
    confidence : float
        Carried into the estimate.
    unit : str
        What is counted.

    Returns
    -------
    Estimate
        With `p`, which is 1 if all items are on the diagonal, and None if the test is undefined.

    Raises
    ------
    ValueError
        When the table is not square or holds values other than counts.

    References
    ----------
    .. [1] Bhapkar (1966). A note on the equivalence of two test criteria for hypotheses in categorical data. JASA
       61, 228-235.

    Examples
    --------
    Unaided vision of 7477 women, right and left eye (Stuart 1953): Bhapkar's statistic is 11.98.

    >>> eyes = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]
    >>> marginal_homogeneity(eyes).method
    'Bhapkar, chi2(3) = 11.98; no interval'
    """
    confidence = check_confidence(confidence)
    whole = square_counts(table)
    name, n, k = "marginal difference", int(whole.sum()), len(whole)
    if n == 0:
        return undefined(name, 0, unit, "Bhapkar", f"no {unit}s", confidence=confidence)
    rows, columns = whole.sum(axis=1), whole.sum(axis=0)
    value = float(np.abs(rows - columns).sum()) / (2 * n)
    reason = "the test has no interval"
    if k == 2:
        p, test = mcnemar_p(int(whole[0, 1]), int(whole[1, 0]))
        return undefined(name, n, unit, test + "; no interval", reason, value=value, p=p, confidence=confidence)
    if not (whole - np.diag(np.diag(whole))).any():
        return undefined(
            name, n, unit, Words("Bhapkar", "; no interval"), reason, value=0.0, p=1.0, confidence=confidence
        )
    # one category of each group is redundant
    _, group = connected_components(whole, directed=False)
    free = np.ones(k, dtype=bool)
    free[np.unique(group, return_index=True)[1]] = False
    spread = np.diag(rows + columns) - whole - whole.T
    d = (rows - columns)[free].astype(np.float64)
    # n d' (V + dd')^-1 d, Stuart and Maxwell's statistic; the inverse of V follows by Sherman and Morrison
    without = float(d @ np.linalg.solve(spread[np.ix_(free, free)].astype(np.float64), d))
    if n - without <= 1e-12 * n:
        reason = "the covariance of the marginal differences is singular: no test, no interval"
        return undefined(name, n, unit, "Bhapkar", reason, value=value, confidence=confidence)
    statistic = without / (1.0 - without / n)
    method = Words("Bhapkar", f", chi2({d.size}) = {statistic:.4g}", "; no interval")
    p = chi_square_tail(statistic, d.size)
    return undefined(name, n, unit, method, reason, value=value, p=p, confidence=confidence)
