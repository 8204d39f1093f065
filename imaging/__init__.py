"""Volumes for reading: takes NIfTI files and grey images, checks them and returns reading-ready volumes.

Depends on numpy, nibabel and Pillow, and on no other folder of this program.
"""

from imaging.errors import ImagingError, Limits
from imaging.grids import Grid
from imaging.images import is_image_file
from imaging.loading import measured
from imaging.preparing import PreparedVolume, check_volume, prepare_overlay, prepare_volume
from imaging.regions import Inside, inside_of

__all__ = [
    "Grid",
    "ImagingError",
    "Inside",
    "Limits",
    "PreparedVolume",
    "check_volume",
    "inside_of",
    "is_image_file",
    "measured",
    "prepare_overlay",
    "prepare_volume",
]
