"""Volumes for reading: NIfTI and grey pictures in, checked and reading-ready volumes out.

Knows numpy, nibabel and Pillow, nothing of ours.
"""

from imaging.errors import ImagingError, Limits
from imaging.grids import Grid
from imaging.pictures import is_picture_file
from imaging.preparing import PreparedVolume, check_volume, prepare_mask, prepare_volume

__all__ = [
    "Grid",
    "ImagingError",
    "Limits",
    "PreparedVolume",
    "check_volume",
    "is_picture_file",
    "prepare_mask",
    "prepare_volume",
]
