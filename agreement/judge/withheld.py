"""Which figures are withheld because they would disclose what a single human said about a sealed candidate."""

from __future__ import annotations

from collections.abc import Mapping

FEWEST_SEALED = 5
"""Minimum number of labelled candidates behind a figure on sealed verdicts."""


def too_few(labelled: Mapping[str, int], fewest: int) -> set[str]:
    """Levels whose figures are withheld because they have fewer labelled candidates than `fewest`.

    If these levels together still have fewer, their verdicts could be derived by subtracting the others from the total:
    the next smallest level is then withheld too.

    Parameters
    ----------
    labelled : mapping of str to int
        Labelled candidates in each level; an empty level has nothing to disclose.
    fewest : int

    Returns
    -------
    set of str

    Examples
    --------
    >>> sorted(too_few({"a": 30, "b": 2, "c": 9, "d": 0}, 5)), too_few({"a": 30, "c": 9}, 5)
    (['b', 'c'], set())
    """
    given = sorted((count, level) for level, count in labelled.items() if count)
    withheld = [(count, level) for count, level in given if count < fewest]
    others = given[len(withheld) :]
    if withheld and others and sum(count for count, _ in withheld) < fewest:
        withheld.append(others[0])
    return {level for _, level in withheld}


def in_words(fewest: int) -> str:
    """The reason why a figure is withheld."""
    return f"withheld: beside all others, a figure on fewer than {fewest} sealed candidates tells single verdicts"
