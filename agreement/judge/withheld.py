"""Which figures would tell what a single human said of a sealed candidate, and are not given."""

from __future__ import annotations

from collections.abc import Mapping

FEWEST_SEALED = 5
"""Labelled candidates on which a figure of sealed verdicts rests at least."""


def too_few(labelled: Mapping[str, int], fewest: int) -> set[str]:
    """Levels whose figures are withheld: with fewer labelled candidates than that.

    Where these are fewer together as well, what all levels say less what the others say would tell it after all: then
    the next smallest level is withheld too.

    Parameters
    ----------
    labelled : mapping of str to int
        Labelled candidates of each level; a level without any has nothing to tell.
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
    """Why a figure is withheld."""
    return f"withheld: beside all others, a figure on fewer than {fewest} sealed candidates tells single verdicts"
