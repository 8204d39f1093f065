"""The levels of a numeric attribute, between the bounds that the protocol declares."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from itertools import pairwise

from protocol.language.misfits import Misfits


def levels_of(bins: Sequence[float]) -> list[str]:
    """Return the levels between ascending bounds in words, lowest first; a bound belongs to the level above it."""
    if not bins:
        return []
    between = [f"{low:g} to below {high:g}" for low, high in pairwise(bins)]
    return [f"below {bins[0]:g}", *between, f"{bins[-1]:g} or more"]


def level_of(bins: Sequence[float], value: str) -> str:
    """Return the level of a number that is given as text; empty if the text is not a number."""
    try:
        return levels_of(bins)[bisect.bisect_right(bins, float(value))]
    except ValueError:
        return ""


def check_bins(attribute_type: str, bins: Sequence[float], misfits: Misfits, place: tuple[str, ...]) -> None:
    """Note bounds of attributes that are not numbers, and bounds that do not ascend."""
    if bins and attribute_type != "number":
        misfits.add(place, f"bins part numbers, and this attribute is {attribute_type}; remove bins.")
    elif any(low >= high for low, high in pairwise(bins)):
        misfits.add(place, "bins are bounds from the lowest to the highest, each once; put them in order.")
