"""Simulated heads: ellipsoids for skull, brain and ventricles, with round lesions where they are wanted."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

# Intensities of air, skull, brain, fluid and lesion.
INTENSITIES = {"T1": (0, 500, 300, 90, 180), "T2": (0, 250, 300, 650, 900)}
Shape = tuple[int, int, int]
Lesion = tuple[float, float, float, float]
"""Its centre (x, y, z) to the right, front and top, and its radius, in mm."""


def affine_of(shape: Shape, spacing: float) -> npt.NDArray[np.float64]:
    """Return the affine of a head whose middle is the origin.

    Parameters
    ----------
    shape
        Number of voxels to the right, front and top.
    spacing
        Edge of a voxel in mm.

    Returns
    -------
    ndarray, shape (4, 4)
        From voxels to mm to the right, front and top.
    """
    affine = np.diag([spacing, spacing, spacing, 1.0])
    affine[:3, 3] = [-spacing * (length - 1) / 2 for length in shape]
    return affine


def head(shape: Shape, spacing: float, lesions: Iterable[Lesion], sequence: str, seed: int) -> npt.NDArray[np.int16]:
    """Return the voxels of a head with lesions and a little noise.

    Parameters
    ----------
    shape, spacing
        See `affine_of`.
    sequence
        A key of `INTENSITIES`.
    seed
        Of the noise.
    """
    grid = np.indices(shape, dtype=np.float64)
    places = [spacing * (axis - (length - 1) / 2) for axis, length in zip(grid, shape, strict=True)]

    def inside(centre: tuple[float, float, float], radii: tuple[float, float, float]) -> npt.NDArray[np.bool_]:
        parts = zip(places, centre, radii, strict=True)
        return sum(((place - middle) / radius) ** 2 for place, middle, radius in parts) <= 1.0

    air, skull, brain, fluid, lesion = INTENSITIES[sequence]
    voxels = np.full(shape, air, dtype=np.float64)
    voxels[inside((0, 0, 0), (72, 90, 70))] = skull
    voxels[inside((0, 0, 0), (66, 84, 64))] = brain
    for side in (-1.0, 1.0):
        voxels[inside((side * 12, 4, 8), (7, 26, 11))] = fluid
    for x, y, z, radius in lesions:
        voxels[inside((x, y, z), (radius, radius, radius))] = lesion
    tissue = voxels > air
    voxels[tissue] += np.random.default_rng([seed, len(sequence)]).normal(0.0, 12.0, int(tissue.sum()))
    return np.clip(np.rint(voxels), 0, None).astype(np.int16)
