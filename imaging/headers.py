"""What the header of a prepared file says of where its voxels lie, read without unpacking them."""

import gzip
import zlib
from pathlib import Path

from nibabel.nifti1 import Nifti1Header

_HEADER = 348


def plane_of(path: Path) -> tuple[tuple[int, int], tuple[float, float]] | None:
    """Return the number of voxels along x and y of a prepared file, and x and y of its first voxel in mm.

    None where there is no such file, or it is damaged: whoever sends it to a browser says so.
    """
    try:
        with gzip.open(path) as file:
            header = Nifti1Header(file.read(_HEADER), check=False)
    except (OSError, EOFError, zlib.error, ValueError):
        return None
    (columns, rows), affine = header.get_data_shape()[:2], header.get_sform()
    return (int(columns), int(rows)), (float(affine[0, 3]), float(affine[1, 3]))
