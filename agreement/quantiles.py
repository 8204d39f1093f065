"""Quantiles and tails of the normal and the t distribution, one number at a time.

`scipy.stats` computes the same by the same functions, and takes a hundred times as long to look at what it is given: a
report asks for thousands.
"""

from __future__ import annotations

from scipy import special


def upper_normal(tail: float) -> float:
    """The number above which lies a share `tail` of the standard normal distribution.

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


def upper_t(tail: float, freedom: float) -> float:
    """The number above which lies a share `tail` of Student's t distribution.

    Parameters
    ----------
    tail : float
        Above 0 and below 1.
    freedom : float
        Degrees of freedom; nan where they are not above 0.

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
    """The share of Student's t distribution that lies above `x`.

    Parameters
    ----------
    x : float
        A number.
    freedom : float
        Degrees of freedom; nan where they are not above 0.

    Returns
    -------
    float

    Examples
    --------
    >>> round(t_tail(2.228139, 10), 6)
    0.025
    """
    return float(special.stdtr(freedom, -x))
