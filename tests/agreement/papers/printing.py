"""How a paper prints a number: rounded half away from zero, which Python's own `round` does not do."""

from decimal import ROUND_HALF_UP, Decimal


def printed(value: float, digits: int) -> float:
    """Round as on paper: 58.75 is printed 58.8, and -11.25 is printed -11.3."""
    exact = Decimal(repr(round(float(value), 12)))  # 12 digits: 100 * (9 / 80) is to be 11.25, not a little less
    return float(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def percent(share: float, digits: int = 1) -> float:
    """A share as the percentage that is printed."""
    return printed(100 * share, digits)
