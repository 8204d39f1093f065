"""Reading a prepared file's header, for the positions of its voxels, without unpacking the voxels."""

import gzip
import zlib
from pathlib import Path

from nibabel.nifti1 import Nifti1Header

_HEADER = 348


def plane_of(path: Path) -> tuple[tuple[int, int], tuple[float, float]] | None:
    """Return a prepared file's number of voxels along x and y, and the x and y of its first voxel in mm.

    None if the file is missing or damaged: the code that sends it to a browser reports that.
    """
    try:
        with gzip.open(path) as file:
            header = Nifti1Header(file.read(_HEADER), check=False)
    except (OSError, EOFError, zlib.error, ValueError):
        return None
    (columns, rows), affine = header.get_data_shape()[:2], header.get_sform()
    return (int(columns), int(rows)), (float(affine[0, 3]), float(affine[1, 3]))
