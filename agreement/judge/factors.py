"""What divides candidates: the level of each, such as its model, and which candidates have a level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.coding import Codes, Floats, compact

Chosen = npt.NDArray[np.bool_]

RANDOM_GROUPS = 2_000
"""If there are more clusters than this, they are merged at random into this many before resampling."""


@dataclass(frozen=True)
class Factor:
    """The level of each candidate, such as its model; -1 if it has none."""

    codes: Codes
    names: tuple[str, ...]

    def part(self, among: Any) -> Factor:
        """The levels of some of the candidates, with all names."""
        return Factor(self.codes[among], self.names)

    def values(self) -> npt.NDArray[Any]:
        """Name of each candidate's level; None if it has none."""
        return np.array([*self.names, None], dtype=object)[self.codes]

    def levels(self) -> Iterator[tuple[str, Chosen]]:
        """Each level that occurs, sorted as a number or a name, and which candidates have it."""
        times = np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))
        for code in sorted(np.flatnonzero(times).tolist(), key=lambda code: _place(self.names[code])):
            yield self.names[code], self.codes == code


def _place(name: str) -> tuple[bool, float, str]:
    """Sort key: numbers by size, before all other names."""
    try:
        return False, float(name), name
    except ValueError:
        return True, 0.0, name


def means_by_code(values: Floats, codes: Codes, among: Chosen) -> Floats:
    """Mean of the chosen values at each code; nan where none is chosen.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
    codes : ndarray of int, shape (n,)
    among : ndarray of bool, shape (n,)

    Returns
    -------
    ndarray of float, shape (codes,)

    Examples
    --------
    >>> means_by_code(np.array([1.0, 2.0, 5.0]), np.array([0, 0, 2]), np.ones(3, dtype=bool)).tolist()
    [1.5, nan, 5.0]
    """
    length = int(codes.max(initial=-1)) + 1
    count = np.bincount(codes[among], minlength=length)
    sums = np.bincount(codes[among], weights=values[among], minlength=length)
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)


def labelled_evenly(codes: Codes, labelled: Chosen) -> bool:
    """Whether every code was as likely as any other to be labelled, if all that carries a code was.

    One of three answers to an item is drawn more often than the single answer to another, unless an item is drawn with
    all of its answers, or no item is left out.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
    labelled : ndarray of bool, shape (n,)

    Examples
    --------
    >>> codes = np.array([0, 0, 0, 1])
    >>> labelled_evenly(codes, np.array([1, 1, 1, 0], dtype=bool))
    True
    >>> labelled_evenly(codes, np.array([1, 0, 0, 0], dtype=bool))
    False
    """
    count = np.bincount(codes)
    of_labelled = np.bincount(codes[labelled], minlength=count.size)[count > 0]
    count = count[count > 0]
    reached = of_labelled > 0
    return bool(reached.all() or (of_labelled[reached] == count[reached]).all()) or np.unique(count).size == 1


def matched(items: Codes, models: Sequence[Chosen]) -> tuple[Codes, list[Codes]]:
    """The items that all of several models answered, and their rows.

    Parameters
    ----------
    items : ndarray of int, shape (n,)
    models : sequence of ndarray of bool, shape (n,)

    Returns
    -------
    items : ndarray of int, shape (shared,)
    places : list of ndarray of int, shape (shared,)
        Row of each item, for each model.

    Examples
    --------
    >>> shared, (a, b) = matched(np.array([4, 5, 5, 6]), [np.array([1, 1, 0, 0], bool), np.array([0, 0, 1, 1], bool)])
    >>> shared.tolist(), a.tolist(), b.tolist()
    ([5], [1], [2])
    """
    rows = [np.flatnonzero(model) for model in models]
    place = [np.full(int(items.max(initial=-1)) + 1, -1, dtype=np.intp) for _ in rows]
    for of_model, where in zip(rows, place, strict=True):
        where[items[of_model]] = of_model
    everywhere = np.flatnonzero(np.all([where >= 0 for where in place], axis=0))
    return everywhere, [where[everywhere] for where in place]


def in_random_groups(clusters: Codes) -> Codes:
    """Merge many clusters at random into `RANDOM_GROUPS`; independent clusters form independent groups.

    Parameters
    ----------
    clusters : ndarray of int, shape (n,)

    Returns
    -------
    ndarray of int, shape (n,)
        The unmerged clusters if there are fewer.

    Examples
    --------
    >>> int(in_random_groups(np.arange(5_000)).max()), in_random_groups(np.arange(3)).tolist()
    (1999, [0, 1, 2])
    """
    codes, count = compact(clusters)
    if count <= RANDOM_GROUPS:
        return codes
    order = np.random.default_rng(0).permutation(count)
    return np.asarray(order % RANDOM_GROUPS)[codes]
