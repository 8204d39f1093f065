"""Clusters of a part of a file that remember which clusters of the whole they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.intp]


class ClusterCodes(np.ndarray[Any, np.dtype[np.intp]]):
    """Codes of the cluster of each item of a part of a file; slices of it are such codes too.

    Attributes
    ----------
    of_file : ndarray of int, shape (clusters,)
        Which cluster of the file each code stands for.
    in_file : int
        Number of clusters of the file.
    """

    of_file: Codes
    in_file: int

    @staticmethod
    def of(codes: Codes, of_file: Codes, in_file: int) -> ClusterCodes:
        """Codes with what they stand for.

        Parameters
        ----------
        codes : ndarray of int, shape (items,)
            Position in `of_file`.
        of_file, in_file
            As the attributes.

        Returns
        -------
        ClusterCodes, shape (items,)
        """
        result = codes.view(ClusterCodes)
        result.of_file, result.in_file = of_file, in_file
        return result

    def __array_finalize__(self, source: Any) -> None:
        """Take over from a slice's whole what its codes stand for; numpy calls this."""
        if isinstance(source, ClusterCodes) and hasattr(source, "of_file"):
            self.of_file, self.in_file = source.of_file, source.in_file


class ClusterSums(np.ndarray[Any, np.dtype[np.float64]]):
    """What each cluster of a part of a file adds to some sums, shape (clusters, k).

    Attributes
    ----------
    of_file, in_file
        As of the `ClusterCodes` that they were summed by; without any, of no file.
    worth : float
        Kish's number of the clusters by their items.
    """

    of_file: Codes
    in_file: int
    worth: float

    @staticmethod
    def of(sums: npt.NDArray[np.float64], codes: Codes | None) -> npt.NDArray[np.float64]:
        """Sums with the clusters that they belong to, and what these are worth.

        Parameters
        ----------
        sums : ndarray, shape (clusters, k)
            One row for each code.
        codes : ndarray of int, shape (items,), or None
            What the items were summed by.

        Returns
        -------
        ndarray, shape (clusters, k)
            The sums as they are without codes.
        """
        if codes is None:
            return sums
        result = sums.view(ClusterSums)
        of_file, in_file = np.arange(len(sums)), 0
        if isinstance(codes, ClusterCodes):
            of_file, in_file = codes.of_file, codes.in_file
        result.of_file, result.in_file = of_file, in_file
        sizes = np.bincount(np.asarray(codes)).astype(np.float64)
        result.worth = float(sizes.sum() ** 2 / max(1.0, (sizes**2).sum()))
        return result

    def of_whole_file(self) -> npt.NDArray[np.float64]:
        """The sums of every cluster of the file, 0 where it has no item of the part.

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
