"""Sample sizes: how they are written, and how they are shared out over strata."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import floor


def size_of(written: str, available: int) -> int:
    """Return how many units a size means: "all", a number, or a percentage of those available, rounded half up."""
    if written == "all":
        return available
    if written.endswith("%"):
        return floor(Fraction(Decimal(written[:-1].strip())) / 100 * available + Fraction(1, 2))
    return int(written)


def proportional(size: int, available: Sequence[int]) -> list[int]:
    """Share a size out in proportion to what is available, by the largest remainder method.

    Each stratum gets the whole part of ``size * N_h / N``. The remaining places go to the largest fractional parts;
    ties go to the larger stratum, and between equally large ones to the earlier. No stratum gets more than it has as
    long as `size` is at most the total.
    """
    total = sum(available)
    quotas = [Fraction(size * units, total) for units in available]
    shares = [floor(quota) for quota in quotas]
    first = sorted(range(len(quotas)), key=lambda h: (shares[h] - quotas[h], -available[h], h))
    for stratum in first[: size - sum(shares)]:
        shares[stratum] += 1
    return shares


def equal(size: int, available: Sequence[int]) -> list[int]:
    """Share a size out equally; remaining places go to the larger strata, and between equal ones to the earlier."""
    each, left = divmod(size, len(available))
    shares = [each] * len(available)
    for stratum in sorted(range(len(available)), key=lambda h: (-available[h], h))[:left]:
        shares[stratum] += 1
    return shares
