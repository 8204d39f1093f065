"""Volumes for reading: NIfTI and grey images in, checked and reading-ready volumes out.

Knows numpy, nibabel and Pillow, nothing of ours.
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
