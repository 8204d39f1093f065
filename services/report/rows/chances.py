"""With which chance units were drawn: whether estimates of what they were drawn from have to be weighted."""

from __future__ import annotations

from collections.abc import Sequence


def unequal(chances: Sequence[float | None]) -> list[float] | None:
    """Return the chances, where all are known and not all alike; None where weights are unknown or change nothing."""
    known = [chance for chance in chances if chance is not None]
    differ = len(known) == len(chances) and len({round(chance, 9) for chance in known}) > 1
    return known if differ else None
