"""Inclusion probabilities of the units drawn, and whether estimates about their population need weights."""

from __future__ import annotations

from collections.abc import Sequence


def unequal(chances: Sequence[float | None]) -> list[float] | None:
    """Return the chances if all are known and they differ; None if weights are unknown or would change nothing."""
    known = [chance for chance in chances if chance is not None]
    differ = len(known) == len(chances) and len({round(chance, 9) for chance in known}) > 1
    return known if differ else None
