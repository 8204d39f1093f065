"""The product of resamples' weights with columns of contributions, computed block by block."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.coding import Floats
from agreement.drawing import product

MANY_CLUSTERS = 5_000
"""From this many clusters on, products go through a few clusters at a time."""

_IN_CACHE = 200_000  # weights converted to floating point at once
_RESAMPLES_IN_CACHE = 1_000_000  # the same where products go through a few resamples at a time


class BlockProduct:
    """The product of the weights with some columns in floating-point numbers of one kind, computed block by block.

    With `abreast`, it is one product for each so many columns, the last filled up with zeros: the order in which a
    product adds depends on its number of columns. In 32 bits all sums are exact.
    """

    def __init__(
        self, columns: dict[bytes, npt.NDArray[Any]], kind: type[np.floating[Any]], resamples: int, abreast: int | None
    ) -> None:
        self._names = list(columns)
        values = list(columns.values())
        self._parts = []
        for first in range(0, len(values), abreast or len(values)):
            some = values[first : first + (abreast or len(values))]
            lacking = [np.zeros(some[0].size)] * ((abreast or len(some)) - len(some))
            self._parts.append(np.stack([*some, *lacking], dtype=kind).T)
        self._totals = [np.empty((resamples, rows.shape[1]), kind) for rows in self._parts]

    def take(self, block: npt.NDArray[Any], start: int) -> None:
        """Compute the totals of a block of resamples, starting at resample number `start`."""
        kind, end = self._totals[0].dtype, start + len(block)
        if block.dtype == kind:
            self._take(block, start, end)
            return
        if block.shape[1] < MANY_CLUSTERS:
            self._take_resamples(block, start)
            return
        # A few clusters of all resamples at a time, whose weights stay in the processor's cache. A few resamples of all
        # clusters would not do: each product first copies the rows that it multiplies, which takes longer than itself.
        for totals in self._totals:
            totals[start:end] = 0.0
        step = max(1, _IN_CACHE // len(block))
        for first in range(0, block.shape[1], step):
            times = block[:, first : first + step].astype(kind)
            for rows, totals in zip(self._parts, self._totals, strict=True):
                totals[start:end] += times @ rows[first : first + step]

    def _take(self, times: npt.NDArray[Any], start: int, end: int) -> None:
        """Compute the totals of the resamples from `start` to before `end`."""
        for rows, totals in zip(self._parts, self._totals, strict=True):
            product(times, rows, totals[start:end])

    def _take_resamples(self, block: npt.NDArray[Any], start: int) -> None:
        """A few resamples of all clusters at a time: limits of frozen studies keep the order of their sums."""
        # in parts of about equal size, as a single row left over would be summed in a different order
        parts = max(1, block.size // _RESAMPLES_IN_CACHE)
        ends = [len(block) * part // parts for part in range(parts + 1)]
        for first, end in pairwise(ends):
            self._take(block[first:end].astype(self._totals[0].dtype), start + first, start + end)

    def totals(self) -> dict[bytes, Floats]:
        """The totals of each column."""
        columns = [column for totals in self._totals for column in np.ascontiguousarray(totals.T, dtype=np.float64)]
        return dict(zip(self._names, columns, strict=False))  # without those of zeros
