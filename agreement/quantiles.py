"""Quantiles and tails of the normal, t, chi-square, F and beta distributions, one number at a time.

`scipy.stats` calls the same functions, but spends a hundred times as long on checking its arguments, and a report needs
thousands of values. Its import takes 0.3 s: what only it has is reached by `import scipy`, which loads `scipy.stats`
where it is first used.
"""

from __future__ import annotations

from scipy import special


def upper_normal(tail: float) -> float:
    """The upper `tail` quantile of the standard normal distribution.

    Parameters
    ----------
    tail : float
        Above 0 and below 1.

    Returns
    -------
    float

    Examples
    --------
    >>> round(upper_normal(0.025), 6)
    1.959964
    """
    return -float(special.ndtri(tail))


def normal_quantile(level: float) -> float:
    """The quantile of the standard normal distribution below which the share `level` lies.

    Parameters
    ----------
    level : float
        From 0 to 1.

    Returns
    -------
    float

    Examples
    --------
    >>> round(normal_quantile(0.8), 6)
    0.841621
    """
    return float(special.ndtri(level))


def upper_t(tail: float, freedom: float) -> float:
    """The upper `tail` quantile of Student's t distribution.

    Parameters
    ----------
    tail : float
        Above 0 and below 1.
    freedom : float
        Degrees of freedom; nan unless above 0.

    Returns
    -------
    float

    Examples
    --------
    >>> round(upper_t(0.025, 10), 6)
    2.228139
    """
    return -float(special.stdtrit(freedom, tail))


def t_tail(x: float, freedom: float) -> float:
    """The upper tail probability of Student's t distribution at `x`.

    Parameters
    ----------
    x : float
        A number.
    freedom : float
        Degrees of freedom; nan unless above 0.

    Returns
    -------
    float

    Examples
    --------
    >>> round(t_tail(2.228139, 10), 6)
    0.025
    """
    return float(special.stdtr(freedom, -x))


def normal_tail(x: float) -> float:
    """The upper tail probability of the standard normal distribution at `x`.

    Parameters
    ----------
    x : float
        A number.

    Returns
    -------
    float

    Examples
    --------
    >>> round(normal_tail(1.959964), 6)
    0.025
    """
    return float(special.ndtr(-x))


def chi_square_tail(x: float, freedom: int) -> float:
    """The upper tail probability of the chi-square distribution at `x`.

    Parameters
    ----------
    x : float
        At least 0, but for rounding.
    freedom : int
        Degrees of freedom, at least 1.

    Returns
    -------
    float

    Examples
    --------
    >>> round(chi_square_tail(3.841459, 1), 6)
    0.05
    """
    return float(special.chdtrc(freedom, max(x, 0.0)))


def chi_square_quantile(level: float, freedom: int) -> float:
    """The quantile of the chi-square distribution below which the share `level` lies.

    Parameters
    ----------
    level : float
        Above 0 and below 1.
    freedom : int
        Degrees of freedom, at least 1.

    Returns
    -------
    float

    Examples
    --------
    >>> round(chi_square_quantile(0.95, 1), 6)
    3.841459
    """
    return float(2.0 * special.gammaincinv(freedom / 2.0, level))


def upper_f(tail: float, first: float, second: float) -> float:
    """The upper `tail` quantile of the F distribution.

    Parameters
    ----------
    tail : float
        Above 0 and below 1.
    first, second : float
        Degrees of freedom; nan unless above 0.

    Returns
    -------
    float

    Examples
    --------
    >>> round(upper_f(0.05, 5, 15), 4)
    2.9013
    """
    return float(special.fdtri(first, second, 1.0 - tail))


def f_tail(x: float, first: float, second: float) -> float:
    """The upper tail probability of the F distribution at `x`.

    Parameters
    ----------
    x : float
        At least 0.
    first, second
        As in `upper_f`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(f_tail(2.9013, 5, 15), 4)
    0.05
    """
    return float(special.fdtrc(first, second, x))


def lower_beta(tail: float, a: float, b: float) -> float:
    """The lower `tail` quantile of a beta distribution.

    Parameters
    ----------
    tail : float
        From 0 to 1.
    a, b : float
        Shape parameters, above 0.

    Returns
    -------
    float

    Examples
    --------
    >>> round(lower_beta(0.025, 81, 183), 4)
    0.2527
    """
    return float(special.betaincinv(a, b, tail))


def upper_beta(tail: float, a: float, b: float) -> float:
    """The upper `tail` quantile of a beta distribution.

    Parameters
    ----------
    tail, a, b
        As in `lower_beta`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(upper_beta(0.025, 82, 182), 4)
    0.3676
    """
    return float(special.betainccinv(a, b, tail))
