"""The voxels inside a mask, encoded compactly enough to be stored with the reference."""

import zlib
from dataclasses import dataclass

import numpy as np
from nibabel.nifti1 import Nifti1Header

from imaging.preparing import PreparedVolume

# Positions in a NIfTI-1 file with nothing between header and voxels.
_HEADER, _OFFSET = 348, 352
_HALF = 0.5


@dataclass(frozen=True)
class Inside:
    """The inside of a prepared mask.

    Attributes
    ----------
    shape
        Number of voxels towards right, anterior and superior.
    to_voxels
        3 rows of 4 numbers, mm to voxel index; voxel centres have integer indices.
    runs
        Start and length of each run of voxels inside, in ascending order; the last axis varies fastest.
    """

    shape: tuple[int, int, int]
    to_voxels: tuple[tuple[float, ...], ...]
    runs: tuple[tuple[int, int], ...]


def inside_of(overlay: PreparedVolume) -> Inside:
    """Return the voxels that are inside a mask.

    Parameters
    ----------
    overlay
        As returned by `prepare_overlay`, with its content.
    """
    unpacked = zlib.decompress(overlay.content, wbits=31)
    slope, intercept = Nifti1Header(unpacked[:_HEADER]).get_slope_inter()
    stored = np.frombuffer(unpacked, dtype="<i2", offset=_OFFSET).reshape(overlay.shape, order="F")
    inside = stored * (slope or 1.0) + (intercept or 0.0) > _HALF
    flat = np.concatenate(([0], inside.reshape(-1, order="C").astype(np.int8), [0]))
    steps = np.diff(flat)
    starts, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    inverse = np.linalg.inv(np.asarray(overlay.affine, dtype=np.float64))
    return Inside(
        shape=overlay.shape,
        to_voxels=tuple(tuple(float(number) for number in row) for row in inverse[:3]),
        runs=tuple((int(start), int(end - start)) for start, end in zip(starts, ends, strict=True)),
    )
