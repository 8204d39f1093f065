"""Candidates that are pairs of answers: who competes in each, and which of the two everybody was shown first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.coding import Floats
from agreement.judge.factors import Chosen, Factor
from agreement.judge.scale import Scale

FIRST, SECOND = "a", "b"
"""The levels by which the first or the second answer of a pair is better; all others prefer neither of the two."""

Orders = npt.NDArray[np.int8]
"""Shape (n,): 1 if the first answer of the pair was shown first, -1 if the second was, 0 if that is not known."""


@dataclass(frozen=True)
class Compared:
    """What is known of n pairs beside the verdicts.

    Attributes
    ----------
    first, second : Factor
        Who competes with the first and the second answer of each pair: its model, or another attribute.
    orders : dict of str to dict of str to Orders
        By human or judge, then by run (empty for humans).
    """

    first: Factor
    second: Factor
    orders: Mapping[str, Mapping[str, Orders]]

    def part(self, among: Any) -> Compared:
        """The same for some of the pairs."""
        return Compared(
            self.first.part(among),
            self.second.part(among),
            {name: {run: own[among] for run, own in runs.items()} for name, runs in self.orders.items()},
        )

    def names(self) -> list[str]:
        """Everybody who competes, sorted."""
        return sorted(
            {
                factor.names[code]
                for factor in (self.first, self.second)
                for code in set(factor.codes.tolist())
                if code >= 0
            }
        )


def prefers_shown_first(codes: Floats, orders: Orders, scale: Scale) -> Floats:
    """Whether each verdict prefers the answer that was shown first.

    Parameters
    ----------
    codes : ndarray of float, shape (n,)
        Of the verdicts; nan if there is none.
    orders : Orders
    scale : Scale
        With the levels a and b.

    Returns
    -------
    ndarray of float, shape (n,)
        1 if it prefers the answer shown first, 0 if the other; nan if it prefers neither, or the order is not known.

    Examples
    --------
    >>> scale = Scale("nominal", ("a", "b", "tie"))
    >>> prefers_shown_first(np.array([0.0, 1.0, 0.0, 2.0]), np.array([1, 1, -1, 1], dtype=np.int8), scale).tolist()
    [1.0, 0.0, 0.0, nan]
    """
    is_first, is_second = (codes == scale.levels.index(level) for level in (FIRST, SECOND))
    known = (is_first | is_second) & (orders != 0)
    return np.where(known, (is_first == (orders > 0)).astype(float), np.nan)


def in_both_orders(runs: Sequence[tuple[Floats, Orders]]) -> Floats:
    """What runs said of each pair when its first answer was shown first, and when its second was.

    Parameters
    ----------
    runs : sequence of (ndarray of float, Orders)
        Codes of each run, all of one judge and prompt, with what it was shown first. Of several verdicts on a pair in
        one order, that of the first run counts.

    Returns
    -------
    ndarray of float, shape (orders, n)
        Those of the first run if no pair was judged in both orders. Otherwise codes by order; on a pair that was judged
        in one order only, or of which no order is known, both are alike.

    Examples
    --------
    >>> forth, back = np.array([1, 1], dtype=np.int8), np.array([-1, 0], dtype=np.int8)
    >>> in_both_orders([(np.array([0.0, 0.0]), forth), (np.array([1.0, 1.0]), back)]).tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    first = runs[0][0]
    by_order = np.full((2, first.size), np.nan)
    for codes, orders in runs:
        for own, sign in zip(by_order, (1, -1), strict=True):
            own[:] = np.where(np.isnan(own) & (orders == sign), codes, own)
    in_both = ~np.isnan(by_order).any(axis=0)
    if not in_both.any():
        return first[None, :]
    in_one = np.where(np.isnan(by_order[0]), by_order[1], by_order[0])
    return np.where(in_both, by_order, np.where(np.isnan(first), in_one, first))


def wins(codes: Floats, compared: Compared, scale: Scale, name: str) -> tuple[Chosen, npt.NDArray[np.bool_]]:
    """The pairs with a verdict in which somebody competes with another, and in which of them they were preferred.

    Parameters
    ----------
    codes : ndarray of float, shape (n,)
    compared : Compared
    scale : Scale
    name : str
        Who competes.

    Returns
    -------
    among : ndarray of bool, shape (n,)
    won : ndarray of bool, shape (pairs among,)
    """
    is_first, is_second = (factor.values() == name for factor in (compared.first, compared.second))
    among = ~np.isnan(codes) & (is_first != is_second)
    of_first, of_second = (codes == scale.levels.index(level) for level in (FIRST, SECOND))
    return among, ((is_first & of_first) | (is_second & of_second))[among]
