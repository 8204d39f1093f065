"""Volumes for reading: NIfTI in, checked and reading-ready volumes out. Knows numpy and nibabel, nothing of ours."""

from imaging.errors import ImagingError, Limits
from imaging.preparing import PreparedVolume, check_volume, prepare_volume

__all__ = ["ImagingError", "Limits", "PreparedVolume", "check_volume", "prepare_volume"]
