"""A single draw of clusters with replacement, shared by all statistics of a file or a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from threading import Condition
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from agreement.arguments import check_resamples
from agreement.block_products import MANY_CLUSTERS, BlockProduct
from agreement.cells_and_margins import with_last_cells, without_last_cells
from agreement.cluster_codes import ClusterCodes
from agreement.codebook import distinct_entries
from agreement.coding import Codes, Floats, Ratings, as_values, encode_clusters, strata_of_units
from agreement.drawing import LARGE_CHUNK, drawn_times, generator_of
from agreement.planned_seed import FEWEST_FOR_P, OfNumbers

_HELD_AS_NUMBERS = 4_000_000  # up to this many weights stay in memory as floating-point numbers
_HELD = 100_000_000  # and up to this many as one byte each; beyond, they are drawn again for each product
_EXACT = 2.0**24  # whole numbers up to this, and sums that stay below it, are exact in 32 bits
_DRAWN = 1_000_000  # weights drawn at once
_ABREAST = 4  # columns of one product in 64 bits, so that no sum depends on which columns wait together
_AT_ONCE = 16_000_000  # numbers that one product takes from the queue
_REMEMBERED = 4_000_000  # totals of columns that are cached

_Result = TypeVar("_Result")


@dataclass(eq=False)
class _Waiting:
    """Columns whose totals are requested, keyed by a hash of their content, and the totals once they are computed."""

    columns: dict[bytes, npt.NDArray[Any]]
    totals: dict[bytes, Floats] | None = None

    @property
    def size(self) -> int:
        """Number of values in the queue."""
        return sum(column.size for column in self.columns.values())


class ClusterDraw:
    """Resamples of a file's clusters that are shared by all of its statistics.

    Each resample draws as many clusters as the file has, with replacement: the ordinary cluster bootstrap [1]_. Since
    two statistics are computed on the same resamples, their difference can be, too. A part of the file (the items that
    two raters share, a stratum) uses the clusters of the whole; `bootstrap_of_sums` describes the treatment of
    resamples without any of its items.

    Parameters
    ----------
    clusters : sequence or ndarray, shape (items,)
        Cluster of each item of the file, without missing values.
    resamples : int
        Number of resamples.
    seed : int or sequence of int
        Seed of the random numbers. The draw depends only on the seed and on the number of clusters (in each stratum).
    p_from, of_numbers
        As of a `PlannedSeed`.
    strata : sequence or ndarray, shape (items,), optional
        Stratum of each item, without missing values: every resample then has the file's number of clusters per stratum.
    in_parallel : bool
        Whether statistics are computed in parallel: a sum is then the same to the last bit whichever statistics wait
        together, as it always is from 5,000 clusters on. Otherwise, sums are added up as for studies frozen earlier.

    Attributes
    ----------
    units : int
        Number of clusters of the file.
    resamples, seed, p_from, of_numbers, in_parallel
        As given.
    strata : ndarray of int, shape (units,), or None
        Stratum of each cluster.

    Raises
    ------
    ValueError
        When a cluster or stratum is missing, a cluster is in two strata, the seed is invalid, or `resamples` is not a
        whole number of at least 1.

    References
    ----------
    .. [1] Field and Welsh (2007). Bootstrapping clustered data. JRSS B 69, 369-390.

    Examples
    --------
    >>> from agreement import cohen_kappa, percent_agreement
    >>> a, b, subjects = [1, 2, 2, 1, 1, 2], [1, 2, 2, 2, 1, 2], ["s1", "s1", "s2", "s2", "s3", "s3"]
    >>> options = ClusterDraw(subjects, resamples=200, seed=1).by() | {"interval": "percentile"}
    >>> cohen_kappa(a, b, **options).method == percent_agreement(a, b, **options).method
    True
    """

    def __init__(
        self,
        clusters: Ratings,
        *,
        resamples: int = 10_000,
        seed: int | Sequence[int],
        p_from: int = FEWEST_FOR_P,
        of_numbers: OfNumbers = "widened",
        strata: Ratings | None = None,
        in_parallel: bool = False,
    ) -> None:
        check_resamples(resamples)
        generator_of(seed)  # raises if the seed is invalid
        plain = clusters if isinstance(clusters, np.ndarray) and clusters.ndim else as_values(clusters, "clusters")
        codes = encode_clusters(plain, len(plain))
        self.resamples, self.seed, self.in_parallel = int(resamples), seed, in_parallel
        self.p_from, self.of_numbers = p_from, of_numbers
        self.units = int(codes.max(initial=-1)) + 1
        self._codes = ClusterCodes.of(np.asarray(codes), np.arange(self.units), self.units, gapless=True)
        self.strata: Codes | None = None
        if strata is not None:
            self.strata = strata_of_units(encode_clusters(strata, len(plain), "strata"), np.asarray(codes))
        self._names: dict[Any, int] = {}
        if isinstance(plain, list):
            self._names = dict(zip(plain, codes.tolist(), strict=True))
        self._blocks: list[npt.NDArray[Any]] | None = None
        self._known: dict[bytes, Floats] = {}
        self._queue: list[_Waiting] = []
        self._working, self._multiplying, self._changed = 0, False, Condition()

    @property
    def clusters(self) -> ClusterCodes:
        """Cluster of each item of the file, for `clusters=`; take a slice for some of the items."""
        return self._codes

    def by(self, clusters: Ratings | None = None) -> dict[str, Any]:
        """The arguments that make a statistic use this draw.

        Parameters
        ----------
        clusters : sequence or ClusterCodes, shape (items,), optional
            Cluster of each item passed to the statistic: by name, or a slice of `clusters`; by default all items.

        Returns
        -------
        dict
            `clusters`, `resamples` and `seed`.

        Raises
        ------
        ValueError
            When a cluster is not in the file.
        """
        codes = self._codes if clusters is None else clusters
        if not isinstance(codes, ClusterCodes):
            codes = self._of_names(as_values(codes, "clusters"))
        return {"clusters": codes, "resamples": self.resamples, "seed": self}

    def _of_names(self, names: list[Any]) -> ClusterCodes:
        try:
            codes = np.array([self._names[name] for name in names], dtype=np.intp)
        except (KeyError, TypeError):
            entries, _ = distinct_entries(names, "clusters")  # refuses what cannot be the name of a cluster
            strange = [name for name in entries if name not in self._names]
            said = repr(strange[0] if strange else None)
            raise ValueError(f"clusters holds {said}; expected clusters of the draw") from None
        return ClusterCodes.of(codes, np.arange(self.units), self.units)

    def among_others(self, statistic: Callable[[], _Result]) -> _Result:
        """Compute a statistic at the same time as others, in a thread of its own.

        A product of the weights is then computed when all statistics at work wait for one, so that it serves as many as
        possible.

        Parameters
        ----------
        statistic : callable
            What is computed; it may use this draw.

        Returns
        -------
        object
            What `statistic` returns.
        """
        with self._changed:
            self._working += 1
        try:
            return statistic()
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    def totals(self, rows: Floats, grid: tuple[int, int] | None = None) -> Floats:
        """Totals for every resample.

        Concurrent statistics are batched here: one that arrives while a product of weights and rows is being computed
        joins the next product, since the weights are read once for any number of columns (see `among_others`). Columns
        that several statistics share (how often a rater uses a category) are multiplied only once.

        Parameters
        ----------
        rows : ndarray, shape (units, k)
            The contribution of each cluster of the file to the totals.
        grid : tuple of int, optional
            Number of rows and columns of a table whose cells the first columns count, row by row. Its margins, which
            tables of the same rater share, are then multiplied in place of its last row and column.

        Returns
        -------
        ndarray, shape (resamples, k)
        """
        few = None if grid is None else self._in_bytes(rows)
        if few is not None and grid is not None:
            counts = without_last_cells(few, grid, min(127, int(_EXACT) // self.units))
            if counts is not None:
                return with_last_cells(self._totals_of(list(counts)), grid)
        return self._totals_of(self._in_few_bits(rows))

    def _totals_of(self, columns: list[npt.NDArray[Any]]) -> Floats:
        names = [sha256(column.data).digest() for column in columns]
        known = [self._known[name] for name in names if name in self._known]
        if len(known) == len(names):  # no statistic waits for a product that it does not need
            return np.stack(known, axis=1)
        totals = self._jointly(_Waiting(dict(zip(names, columns, strict=True))))
        return np.stack([totals[name] for name in names], axis=1)

    def _jointly(self, mine: _Waiting) -> dict[bytes, Floats]:
        """The totals of these columns, from the next product or from the one after it."""
        with self._changed:
            self._queue.append(mine)
            while mine.totals is None:
                if self._multiplying or (mine in self._queue and len(self._queue) < self._working):
                    self._changed.wait()
                    continue
                batch, self._multiplying = self._next_batch() or [mine], True
                self._changed.release()
                try:
                    self._multiply(batch)
                finally:
                    self._changed.acquire()
                    self._multiplying = False
                    self._changed.notify_all()
        return mine.totals

    def _in_few_bits(self, rows: Floats) -> list[npt.NDArray[Any]]:
        """The columns in 8 or 32 bits if this loses no digit of any total, as for counts.

        A product in 32 bits takes a third of the time of one in 64. Columns of 8 bits take little memory while they
        wait, and little time to be recognised.
        """
        few = self._in_bytes(rows)
        if few is not None:
            return list(few)
        columns = [np.ascontiguousarray(column, dtype=np.float64) for column in rows.T]
        compact = [self._compact(column) for column in columns]
        if self.resamples * self.units <= _HELD_AS_NUMBERS and any(column.dtype == np.float64 for column in compact):
            return list(columns)  # with few weights, one product is faster than two
        return compact

    def _in_bytes(self, rows: Floats) -> npt.NDArray[np.int8] | None:
        """All columns at once, if all are small whole numbers, shape (k, units); looked at row by row, as they lie."""
        greatest = max(float(rows.max(initial=0.0)), -float(rows.min(initial=0.0)))
        if not (greatest < 128.0 and self.units * greatest < _EXACT):
            return None
        few = rows.astype(np.int8)
        return np.ascontiguousarray(few.T) if (few == rows).all() else None

    def _compact(self, column: Floats) -> npt.NDArray[Any]:
        """A column in as few bits as are exact, 64 if its totals need them."""
        greatest = max(float(column.max(initial=0.0)), -float(column.min(initial=0.0)))
        if not self.units * greatest < _EXACT:
            return column
        few = column.astype(np.int8 if greatest < 128.0 else np.float32)
        return few if (few == column).all() and (few.dtype == np.int8 or (column == np.rint(column)).all()) else column

    def _next_batch(self) -> list[_Waiting]:
        room, count = _AT_ONCE, 0
        while count < len(self._queue) and (count == 0 or room >= self._queue[count].size):
            room -= self._queue[count].size
            count += 1
        batch, self._queue = self._queue[:count], self._queue[count:]
        return batch

    def _multiply(self, batch: list[_Waiting]) -> None:
        wanted = {name: column for each in batch for name, column in each.columns.items()}
        totals = {name: self._known[name] for name in wanted if name in self._known}
        products = []
        for kind in (np.float32, np.float64):
            of_kind = {
                name: wanted[name]
                for name in wanted
                if name not in totals and (wanted[name].dtype == np.float64) == (kind is np.float64)
            }
            if of_kind:
                abreast = _ABREAST if kind is np.float64 and (self.in_parallel or self.units >= MANY_CLUSTERS) else None
                products.append(BlockProduct(of_kind, kind, self.resamples, abreast))
        if products:
            start = 0
            for block in self._as_held():
                for of_some in products:
                    of_some.take(block, start)
                start += len(block)
        for of_some in products:
            totals |= of_some.totals()
        self._remember(totals)
        for each in batch:
            each.totals = totals

    def _remember(self, totals: dict[bytes, Floats]) -> None:
        self._known |= totals
        for name in list(self._known)[: max(0, len(self._known) - max(1, _REMEMBERED // self.resamples))]:
            del self._known[name]

    def weights(self) -> Iterator[Floats]:
        """The number of times each resample contains each cluster, in blocks of resamples.

        Yields
        ------
        ndarray, shape (resamples of the block, units)
        """
        for block in self._as_held():
            yield block.astype(np.float64, copy=False)

    def _as_held(self) -> Iterator[npt.NDArray[Any]]:
        """The weights, in whichever number type they are held."""
        if self._blocks is not None:
            yield from self._blocks
            return
        size = self.resamples * self.units
        # the counts have mean 1, so none exceeds 255
        kind = np.float32 if size <= _HELD_AS_NUMBERS else np.uint8
        generator, step = generator_of(self.seed), max(1, LARGE_CHUNK // self.units)
        held: list[npt.NDArray[Any]] = []
        for start in range(0, self.resamples, step):
            block = np.empty((min(step, self.resamples - start), self.units), kind)
            done = 0
            for part in self._drawn(generator, len(block), kind):
                block[done : done + len(part)] = part
                done += len(part)
            if size <= _HELD:
                held.append(block)
            yield block
        self._blocks = held or None

    def _drawn(
        self, generator: np.random.Generator, resamples: int, kind: type[np.generic]
    ) -> Iterator[npt.NDArray[Any]]:
        """The number of times some resamples contain each cluster, drawn separately within each stratum, if any."""
        if self.strata is None:
            yield from drawn_times(generator, self.units, resamples, _DRAWN, dtype=kind)
            return
        times = np.empty((resamples, self.units), kind)
        for stratum in np.unique(self.strata):
            own, done = np.flatnonzero(self.strata == stratum), 0
            for part in drawn_times(generator, own.size, resamples, _DRAWN, dtype=kind):
                times[done : done + len(part), own] = part
                done += len(part)
        yield times
