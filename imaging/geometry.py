"""Voxel positions: reading the affine from a header, and bringing an array into right-anterior-superior order."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from nibabel.nifti1 import Nifti1Header
from nibabel.orientations import apply_orientation, inv_ornt_aff, io_orientation
from nibabel.spatialimages import HeaderDataError

Affine = npt.NDArray[np.float64]

# NIfTI-1, field xyzt_units: the lower three bits give the unit of length. Files that leave it unset mean millimetres.
MILLIMETRES_PER_UNIT = {0: 1.0, 1: 1000.0, 2: 1.0, 3: 0.001}
# Ten metres, in mm. Farther out, 32-bit floats no longer distinguish neighbouring voxels.
FARTHEST = 10_000.0


class GeometryError(ValueError):
    """The geometry is unusable. The message completes a sentence that begins with the file's name."""


@dataclass(frozen=True)
class Turned:
    """An array in right-anterior-superior order with its affine."""

    voxels: npt.NDArray[np.generic]
    affine: Affine


def header_affine(header: Nifti1Header) -> Affine:
    """Return the 4 x 4 matrix from voxel index to millimetres.

    The sform is used if its code is set, otherwise the qform, as the NIfTI standard recommends.

    Raises
    ------
    GeometryError
        The header has neither; the matrix is not finite, all zero or singular; or sform and qform contradict each other
        on which side is left.
    """
    sform_code, qform_code = int(header["sform_code"]), int(header["qform_code"])
    if sform_code <= 0 and qform_code <= 0:
        raise GeometryError(
            "has neither an sform nor a qform, but one of them is expected to tell left from right: "
            "save it again with its orientation"
        )
    sform = np.asarray(header.get_sform(), dtype=np.float64) if sform_code > 0 else None
    qform = _qform(header) if qform_code > 0 else None
    matrices = [matrix for matrix in (sform, qform) if matrix is not None]
    for matrix in matrices:
        _require_invertible(matrix)
    if len({np.linalg.det(matrix[:3, :3]) > 0 for matrix in matrices}) > 1:
        raise GeometryError(
            "has an sform and a qform that contradict each other on left and right, but one orientation is expected: "
            "find out which of them is true and save it again with that one"
        )
    unit = MILLIMETRES_PER_UNIT.get(int(header["xyzt_units"]) & 7)
    if unit is None:
        raise GeometryError(
            f"gives the unit of length as code {int(header['xyzt_units']) & 7}, where metres (1), millimetres (2) or "
            "micrometres (3) are expected: save it again in millimetres"
        )
    affine: Affine = np.diag([unit, unit, unit, 1.0]) @ matrices[0]
    farthest = float(np.abs(affine[:3, 3]).max())
    if farthest > FARTHEST:
        raise GeometryError(
            f"puts its first voxel {farthest:g} mm from the scanner's centre, but at most {FARTHEST:g} mm are "
            "expected: save it again with its orientation"
        )
    return affine


def _qform(header: Nifti1Header) -> Affine:
    try:
        return np.asarray(header.get_qform(), dtype=np.float64)
    except (ValueError, HeaderDataError) as error:  # nibabel's errors for an impossible quaternion
        raise GeometryError(
            "has a qform that is not a rotation, but a valid orientation is expected: save it again with one"
        ) from error


def _require_invertible(affine: Affine) -> None:
    """Refuse a matrix that maps different voxels to the same place."""
    if not np.isfinite(affine).all():
        raise GeometryError(
            "has an affine with values that are not finite, but ordinary numbers are expected: "
            "save it again with its orientation"
        )
    directions = affine[:3, :3]
    lengths = np.linalg.norm(directions, axis=0)
    if not lengths.any():
        raise GeometryError(
            "has an empty affine (all zero), but millimetres per voxel are expected: save it again with its orientation"
        )
    # The determinant of the unit directions is the volume they span: 1 for right angles, 0 if they lie in one plane.
    if not lengths.all() or abs(np.linalg.det(directions / lengths)) < 1e-3:
        raise GeometryError(
            "has a singular affine, but one that gives each voxel a place of its own is expected: "
            "save it again with its orientation"
        )


def spacing_of(affine: Affine) -> tuple[float, float, float]:
    """Return the distance between neighbouring voxels along the three array axes, in mm."""
    x, y, z = (float(length) for length in np.linalg.norm(affine[:3, :3], axis=0))
    return x, y, z


def rotate_to_ras(voxels: npt.NDArray[np.generic], affine: Affine) -> Turned:
    """Bring an array into the axis order closest to right, anterior, superior.

    Axes are only exchanged and flipped: no voxel is resampled, and each keeps its position in millimetres.

    Parameters
    ----------
    voxels : array of shape (i, j, k)
    affine : array of shape (4, 4), mm

    Returns
    -------
    Turned
        The voxels (a view if possible), and the affine for the new order.
    """
    orientation = io_orientation(affine)
    turned = apply_orientation(voxels, orientation)
    return Turned(turned, np.asarray(affine @ inv_ornt_aff(orientation, voxels.shape), dtype=np.float64))


def moved_origin(affine: Affine, start: tuple[int, int, int]) -> Affine:
    """Return the affine of an array that begins at voxel `start` of the old one."""
    moved = affine.copy()
    moved[:3, 3] = affine[:3, :3] @ np.asarray(start, dtype=np.float64) + affine[:3, 3]
    return moved
