"""Verdicts that say neither correct nor incorrect, and units that one or both of two gave such a verdict on."""

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
    """Return of each unit whether both gave a verdict, and one or both of these is not compared.

    Parameters
    ----------
    first, second
        What is compared; None where there is nothing.
    first_neither, second_neither
        Where a verdict was given that is not compared, such as *Excluded*.
    """
    return [
        (a_neither or b_neither) and (a_neither or a is not None) and (b_neither or b is not None)
        for a, b, a_neither, b_neither in zip(first, second, first_neither, second_neither, strict=True)
    ]
