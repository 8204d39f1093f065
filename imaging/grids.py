"""Voxel grids of files: which places they cover, and whether two of them coincide or overlap."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from imaging.geometry import Affine, spacing_of

# Voxels extend half their size beyond their centre.
HALF_A_VOXEL = 0.5
# The number of points along each axis at which two grids are compared.
FINEST = 24


@dataclass(frozen=True)
class Grid:
    """Number of voxels towards right, anterior and superior, and the matrix from voxel index to mm."""

    shape: tuple[int, int, int]
    affine: list[list[float]]

    def holds(self, points: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return for each point (n x 3, mm) whether it is within the outer edges of the voxels."""
        matrix = self._matrix()
        voxels = np.linalg.solve(matrix[:3, :3], (np.asarray(points, dtype=np.float64) - matrix[:3, 3]).T).T
        inside = (voxels >= -HALF_A_VOXEL) & (voxels <= np.asarray(self.shape) - 1 + HALF_A_VOXEL)
        return np.asarray(inside.all(axis=1))

    def lies_as(self, other: "Grid") -> bool:
        """Return whether both grids have the same voxels in the same places, all corners agreeing to half a voxel."""
        if self.shape != other.shape:
            return False
        away = np.linalg.norm(self._corners() - other._corners(), axis=1)
        return bool(away.max() < HALF_A_VOXEL * min(spacing_of(self._matrix())))

    def meets(self, other: "Grid") -> bool:
        """Return whether the two grids overlap."""
        # Either may be a thin slab that fits between two points of the other, so both directions are checked.
        return bool(other.holds(self._lattice()).any() or self.holds(other._lattice()).any())

    def _matrix(self) -> Affine:
        return np.asarray(self.affine, dtype=np.float64)

    def _corners(self) -> npt.NDArray[np.float64]:
        return self._in_mm(list(product(*((0, length - 1) for length in self.shape))))

    def _lattice(self) -> npt.NDArray[np.float64]:
        """Return points spread over the whole grid, including its corners."""
        along = [np.linspace(0, length - 1, min(length, FINEST)) for length in self.shape]
        return self._in_mm(np.stack(np.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, 3))

    def _in_mm(self, voxels: npt.ArrayLike) -> npt.NDArray[np.float64]:
        matrix = self._matrix()
        return np.asarray(voxels, dtype=np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
