"""Cropping a volume to what is not background."""

import math

import numpy as np
import numpy.typing as npt

Voxels = npt.NDArray[np.generic]
Box = tuple[slice, slice, slice]


def background_value(voxels: Voxels) -> np.generic:
    """Return the most frequent value among the eight corner voxels (the smallest, if several are equally frequent)."""
    corners = voxels[np.ix_(*([0, length - 1] for length in voxels.shape))]
    values, counts = np.unique(corners, return_counts=True)
    background: np.generic = values[np.argmax(counts)]
    return background


def content_box(
    voxels: Voxels, spacing: tuple[float, float, float], margin: float, background: np.generic | int | None = None
) -> Box:
    """Find the smallest box that contains every non-background voxel, plus a margin.

    Everything outside the box equals the background value exactly, so cropping to it loses nothing. Noise in the air
    around a head does not count as background: such a volume keeps its full extent, because readers need to see
    ghosting and motion.

    Parameters
    ----------
    voxels : array of shape (i, j, k)
        Not all equal.
    spacing
        Distance between neighbouring voxels along each axis, in mm.
    margin
        Rim to keep around the content, in mm; rounded up to whole voxels.
    background
        The background value; by default the one that `background_value` finds.

    Returns
    -------
    tuple of three slices
    """
    content = voxels != (background_value(voxels) if background is None else background)
    # One axis after another, so that the second and third searches only cover what the earlier ones left.
    slices: list[slice] = []
    for axis, (length, distance) in enumerate(zip(voxels.shape, spacing, strict=True)):
        occupied = np.flatnonzero(content.any(axis=tuple(other for other in range(3) if other != axis)))
        rim = math.ceil(margin / distance)
        slices.append(slice(max(int(occupied[0]) - rim, 0), min(int(occupied[-1]) + 1 + rim, length)))
    return slices[0], slices[1], slices[2]
