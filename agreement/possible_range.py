"""Limits of an interval within what its quantity can be."""


def within_range(low: float, high: float, least: float = -1.0) -> tuple[float, float, str]:
    """Limits within what a coefficient, or a difference of two shares, can be, and what to add to the method.

    Parameters
    ----------
    low, high : float
        Limits as computed, the value between them.
    least : float
        The least that it can be; the most is 1.

    Returns
    -------
    low, high : float
    clipped : str
        Empty where both are as they were.

    Examples
    --------
    >>> within_range(0.4, 1.2), within_range(-1.5, 0.5, least=-2.0)
    ((0.4, 1.0, '; upper limit clipped at 1'), (-1.5, 0.5, ''))
    """
    said = [f"lower limit clipped at {least:g}"] if low < least else []
    said += ["upper limit clipped at 1"] if high > 1.0 else []
    return max(low, least), min(high, 1.0), "".join(f"; {limit}" for limit in said)
