"""Representing voxel values as 16-bit integers with a slope and an intercept."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LOWEST, HIGHEST = -32768, 32767


class ScalingError(ValueError):
    """The values cannot be scaled. The message completes a sentence that begins with the file's name."""


@dataclass(frozen=True)
class Scaled:
    """Integers with the linear map to intensities: intensity = slope * stored + intercept.

    `slope` and `intercept` are exactly representable as 32-bit floats, because that is how the file stores them.
    """

    stored: npt.NDArray[np.int16]
    slope: float
    intercept: float


def scale_to_int16(voxels: npt.NDArray[np.generic], slope: float, intercept: float) -> Scaled:
    """Represent `slope * voxels + intercept` as 16-bit integers, exactly if possible.

    1. Integers between -32768 and 32767 are kept with their slope and intercept.
    2. Integers that span at most 65535 are shifted by a whole number, which is added to the intercept. Both of these
    are
       exact as long as the slope and the new intercept are 32-bit floats, which holds for every NIfTI-1 source of
       uint16 without scaling. The shift is the multiple of the largest power of two that fits, as that has the fewest
       digits.
    3. Floats that are whole numbers (integers saved as float) are treated as integers.
    4. Everything else is rounded to the nearest of 65536 equal steps between the smallest and the largest value: no
       intensity changes by more than half a step, which is about range / 131070. If the range is tiny compared with the
       values themselves, the step is larger by the error of representing the middle value as a 32-bit float.

    Parameters
    ----------
    voxels : array of integers or finite floats, any shape
    slope, intercept
        The source's scaling; 1 and 0 if it has none.

    Raises
    ------
    ScalingError
        The range or the values do not fit a 32-bit slope and intercept.
    """
    whole = _as_whole_numbers(voxels)
    if whole is not None:
        lowest, highest = int(whole.min()), int(whole.max())
        shift = _whole_shift(lowest, highest)
        if shift is not None:
            new_slope, new_intercept = _float32(slope), _float32(intercept + slope * shift)
            if new_slope != 0.0 and math.isfinite(new_slope) and math.isfinite(new_intercept):
                if shift == 0:
                    return Scaled(whole.astype(np.int16), new_slope, new_intercept)
                # Shift to 0 first. This cannot overflow: any integer type that needs a shift is wide enough for it.
                stored = (whole - whole.min()).astype(np.int32) + (lowest - shift)
                return Scaled(stored.astype(np.int16), new_slope, new_intercept)
    intensities = voxels.astype(np.float64)
    intensities *= slope
    intensities += intercept
    return _rounded(intensities)


def _as_whole_numbers(voxels: npt.NDArray[np.generic]) -> npt.NDArray[np.integer] | None:
    if voxels.dtype.kind in "iu":
        return voxels.astype(voxels.dtype.newbyteorder("="), copy=False)
    span = 2.0**31
    if voxels.min() <= -span or voxels.max() >= span:
        return None
    # Slab by slab, because most float volumes turn out not to be whole numbers in the first slab.
    if not all((slab == np.rint(slab)).all() for slab in np.atleast_1d(voxels)):
        return None
    return voxels.astype(np.int32)


def _whole_shift(lowest: int, highest: int) -> int | None:
    """Return the whole number to subtract so that [lowest, highest] fits 16 bits, or None if there is none."""
    if lowest >= LOWEST and highest <= HIGHEST:
        return 0
    at_least, at_most = highest - HIGHEST, lowest - LOWEST
    if at_least > at_most:
        return None
    for power in range(64, -1, -1):
        shift = -(-at_least // 2**power) * 2**power
        if shift <= at_most:
            return int(shift)
    return at_least


def _rounded(intensities: npt.NDArray[np.float64]) -> Scaled:
    """Round to 65536 steps, overwriting `intensities` so that a large volume is not copied more often than needed."""
    lowest, highest = float(intensities.min()), float(intensities.max())
    # Round the intercept to 32 bits first and choose the step afterwards, so that both ends fit without clipping.
    intercept = _float32(lowest + (highest - lowest) / 2)
    step = max((highest - intercept) / HIGHEST, (lowest - intercept) / LOWEST)
    slope = _float32(step)
    if slope < step:
        slope = float(np.nextafter(np.float32(slope), np.float32(np.inf)))
    if not math.isfinite(slope) or not math.isfinite(intercept) or slope < float(np.finfo(np.float32).tiny):
        raise ScalingError(
            f"holds intensities from {lowest:g} to {highest:g}, which a 32-bit scale cannot express: "
            "rescale it to ordinary numbers, for instance 0 to 4095"
        )
    intensities -= intercept
    intensities /= slope
    np.rint(intensities, out=intensities)
    np.clip(intensities, LOWEST, HIGHEST, out=intensities)
    return Scaled(intensities.astype(np.int16), slope, intercept)


def _float32(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))
