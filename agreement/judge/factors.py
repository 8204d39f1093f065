"""What divides candidates: the level of each, such as its model, and which candidates have a level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.coding import Codes, Floats

Chosen = npt.NDArray[np.bool_]


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
