"""Volumes for reading: NIfTI and grey pictures in, checked and reading-ready volumes out.

Knows numpy, nibabel and Pillow, nothing of ours.
"""

from imaging.errors import ImagingError, Limits
from imaging.preparing import PreparedVolume, check_volume, prepare_mask, prepare_volume

__all__ = ["ImagingError", "Limits", "PreparedVolume", "check_volume", "prepare_mask", "prepare_volume"]
