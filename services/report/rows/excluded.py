"""Verdicts that are neither correct nor incorrect, and units on which at least one of two parties gave one."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.language.expansion import Field

_SCORES = frozenset({"correct", "incorrect", "partly"})


def says_neither(field: Field) -> frozenset[str]:
    """Return the options of a score that are neither correct nor incorrect, by id; none of any other type of field."""
    if field.type != "correctness":
        return frozenset()
    return frozenset(option.id for option in field.options) - _SCORES


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
