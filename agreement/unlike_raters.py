"""Detect raters of whom one writes numbers and another words, in a file that contains only text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from agreement.coding import Codes, Floats


def unlike_raters(codes: Floats, of_rater: Codes, levels: Sequence[str], raters: Sequence[Any]) -> str | None:
    """Find a rater who writes only words where another writes only numbers: the two could never agree.

    Parameters
    ----------
    codes : ndarray, shape (verdicts,)
        Position of each verdict in `levels`, nan if missing.
    of_rater : ndarray of int, shape (verdicts,)
        The rater of each verdict, as a position in `raters`.
    levels : sequence of str
        The distinct verdicts.
    raters : sequence
        Names of the raters.

    Returns
    -------
    str or None
        The first rater of each kind, each with a verdict; None if there is no such pair.

    Examples
    --------
    >>> unlike_raters(np.array([0.0, 1.0, 0.0]), np.array([0, 1, 0]), ["1", "yes"], ["ann", "bob"])
    "rater 'bob' writes words only ('yes') and rater 'ann' numbers only ('1')"
    """
    is_number = np.array([_is_number(level) for level in levels], dtype=np.bool_)
    if is_number.all() or not is_number.any():
        return None
    there = ~np.isnan(codes)
    verdicts, by = codes[there].astype(np.intp), of_rater[there]
    numbers = np.bincount(by, weights=is_number[verdicts], minlength=len(raters))
    all_of_them = np.bincount(by, minlength=len(raters))
    in_words = np.flatnonzero((numbers == 0) & (all_of_them > 0))
    in_numbers = np.flatnonzero((numbers == all_of_them) & (all_of_them > 0))
    if not in_words.size or not in_numbers.size:
        return None
    word, number = (levels[verdicts[np.argmax(by == which)]] for which in (in_words[0], in_numbers[0]))
    return (
        f"rater {str(raters[in_words[0]])!r} writes words only ({word!r}) and rater {str(raters[in_numbers[0]])!r} "
        f"numbers only ({number!r})"
    )


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
