"""Clip the limits of an interval to the possible range of its quantity."""


def within_range(low: float, high: float, least: float = -1.0) -> tuple[float, float, str]:
    """Clip limits to the range of a coefficient or a difference of proportions; also return what to add to the method.

    Parameters
    ----------
    low, high : float
        The computed limits; the value lies between them.
    least : float
        The smallest possible value; the largest is 1.

    Returns
    -------
    low, high : float
    clipped : str
        Empty if neither limit was clipped.

    Examples
    --------
    >>> within_range(0.4, 1.2), within_range(-1.5, 0.5, least=-2.0)
    ((0.4, 1.0, '; upper limit clipped at 1'), (-1.5, 0.5, ''))
    """
    said = [f"lower limit clipped at {least:g}"] if low < least else []
    said += ["upper limit clipped at 1"] if high > 1.0 else []
    return max(low, least), min(high, 1.0), "".join(f"; {limit}" for limit in said)
