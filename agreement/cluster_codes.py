"""Cluster codes and sums of part of a file that keep track of the clusters of the whole file."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.intp]


class ClusterCodes(np.ndarray[Any, np.dtype[np.intp]]):
    """Codes of the cluster of each item in part of a file; slices keep the type.

    Attributes
    ----------
    of_file : ndarray of int, shape (clusters,)
        The cluster of the file that each code stands for.
    in_file : int
        Number of clusters of the file.
    gapless : bool
        Whether every code is known to occur; False for a slice, which may have lost some.
    """

    of_file: Codes
    in_file: int
    gapless: bool
    _sizes: Codes | None

    @property
    def sizes(self) -> Codes:
        """Number of items of each code; counted once for all statistics of the same items."""
        if self._sizes is None:
            self._sizes = np.bincount(np.asarray(self))
        return self._sizes

    @staticmethod
    def of(codes: Codes, of_file: Codes, in_file: int, *, gapless: bool = False) -> ClusterCodes:
        """Codes together with the clusters of the file that they stand for.

        Parameters
        ----------
        codes : ndarray of int, shape (items,)
            Position in `of_file`.
        of_file, in_file, gapless
            See the attributes.

        Returns
        -------
        ClusterCodes, shape (items,)
        """
        result = codes.view(ClusterCodes)
        result.of_file, result.in_file, result.gapless = of_file, in_file, gapless
        return result

    def __array_finalize__(self, source: Any) -> None:
        """Copy the attributes from the array that was sliced; called by numpy."""
        self.gapless, self._sizes = False, None
        if isinstance(source, ClusterCodes) and hasattr(source, "of_file"):
            self.of_file, self.in_file = source.of_file, source.in_file


def of_used(codes: Codes, used: npt.NDArray[np.bool_]) -> Codes:
    """The codes of the items that are used; where all are, the same codes, still known to be without gaps.

    Parameters
    ----------
    codes : ndarray of int, shape (items,)
        Cluster of each item.
    used : ndarray of bool, shape (items,)
        Which items are not left out.

    Returns
    -------
    ndarray of int, shape (used items,)

    Examples
    --------
    >>> of_used(np.array([5, 2, 5]), np.array([True, False, True])).tolist()
    [5, 5]
    """
    return codes if used.all() else codes[used]


def sizes_of(codes: Codes) -> Codes:
    """Number of items of each code.

    Parameters
    ----------
    codes : ndarray of int, shape (items,)
        At least 0.

    Returns
    -------
    ndarray of int
        Must not be written to.

    Examples
    --------
    >>> sizes_of(np.array([0, 2, 2])).tolist()
    [1, 0, 2]
    """
    return codes.sizes if isinstance(codes, ClusterCodes) else np.bincount(codes)


class ClusterSums(np.ndarray[Any, np.dtype[np.float64]]):
    """Contribution of each cluster in part of a file to some sums, shape (clusters, k).

    Attributes
    ----------
    of_file, in_file
        Those of the `ClusterCodes` that the items were summed by, if any.
    worth : float
        Kish's effective number of clusters by their items.
    grid : tuple of int or None
        Number of rows and columns of the table whose cells the sums count, row by row, if they do.
    """

    of_file: Codes
    in_file: int
    worth: float
    grid: tuple[int, int] | None = None

    @staticmethod
    def of(
        sums: npt.NDArray[np.float64], codes: Codes | None, grid: tuple[int, int] | None = None
    ) -> npt.NDArray[np.float64]:
        """Sums together with the clusters that they belong to and the effective number of these.

        Parameters
        ----------
        sums : ndarray, shape (clusters, k)
            One row for each code.
        codes : ndarray of int, shape (items,), or None
            The codes that the items were summed by.
        grid : tuple of int, optional
            See the attributes.

        Returns
        -------
        ndarray, shape (clusters, k)
            Without codes, the sums unchanged.
        """
        if codes is None:
            return sums
        result = sums.view(ClusterSums)
        of_file, in_file = np.arange(len(sums)), 0
        if isinstance(codes, ClusterCodes):
            of_file, in_file = codes.of_file, codes.in_file
        result.of_file, result.in_file, result.grid = of_file, in_file, grid
        sizes = sizes_of(codes).astype(np.float64)
        result.worth = float(sizes.sum() ** 2 / max(1.0, (sizes**2).sum()))
        return result

    def of_whole_file(self) -> npt.NDArray[np.float64]:
        """The sums of every cluster of the file, 0 for those without an item in this part.

        Returns
        -------
        ndarray, shape (in_file, k)
        """
        plain = np.asarray(self)
        if self.of_file.size == self.in_file:
            return plain
        whole = np.zeros((self.in_file, plain.shape[1]))
        whole[self.of_file] = plain
        return whole
