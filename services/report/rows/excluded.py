"""Units on which two parties gave verdicts, and at least one of these was neither correct nor incorrect."""

from __future__ import annotations

from collections.abc import Sequence


def excluded_by_either(
    first: Sequence[object | None],
    second: Sequence[object | None],
    first_neither: Sequence[bool],
    second_neither: Sequence[bool],
) -> list[bool]:
    """Return, for each unit, whether both gave a verdict and at least one of the two is not compared.

    Parameters
    ----------
    first, second
        The values compared; None if there is none.
    first_neither, second_neither
        Whether a verdict was given that is not compared, such as *Excluded*.
    """
    return [
        (a_neither or b_neither) and (a_neither or a is not None) and (b_neither or b is not None)
        for a, b, a_neither, b_neither in zip(first, second, first_neither, second_neither, strict=True)
    ]
