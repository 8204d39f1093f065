"""Reading a possibly broken or hostile NIfTI file, or an image as a volume of one slice.

Nothing that a file says about itself is trusted unchecked: announced sizes are compared with the limits before memory
is allocated, and unpacked bytes are counted while unpacking.
"""

import math
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
from nibabel.nifti1 import Nifti1Header
from nibabel.nifti2 import Nifti2Header

from imaging.errors import DEFAULT_LIMITS, ImagingError, Limits, shown_name
from imaging.geometry import Affine, GeometryError, header_affine, spacing_of
from imaging.images import Convention, is_image, read_image, size_of_image
from imaging.unpacking import Stream, megabytes, pieces_of, unpacked

# DEFLATE encodes at most 258 bytes in 2 bits, so no member unpacks to more than 1032 times its size (RFC 1951, 3.2.5).
LARGEST_PACKING_RATIO = 1032
NIFTI1_BYTES, NIFTI2_BYTES = 348, 540
NIFTI1_MAGIC, NIFTI2_MAGIC = b"n+1\0", b"n+2\0\r\n\x1a\n"
PAIR_MAGICS = (b"ni1\0", b"ni2\0")

# Intensities within these limits can be processed in a screen's 32-bit floats.
LARGEST_INTENSITY, SMALLEST_RANGE = 1e20, 1e-15

# NIfTI-1, field datatype. Codes not listed hold no single real number per voxel, or none of a portable size.
DTYPES: dict[int, str] = {
    2: "u1", 4: "i2", 8: "i4", 16: "f4", 64: "f8", 256: "i1", 512: "u2", 768: "u4", 1024: "i8", 1280: "u8",
}  # fmt: skip
REFUSED_DTYPES: dict[int, str] = {
    1: "single bits", 32: "complex numbers", 128: "RGB colours", 1536: "128-bit floats", 1792: "complex numbers",
    2048: "complex numbers", 2304: "RGBA colours",
}  # fmt: skip


@dataclass(frozen=True)
class SourceVolume:
    """A volume as stored in its file.

    Attributes
    ----------
    voxels : array of shape (i, j, k)
        Stored numbers, before scaling.
    slope, intercept
        intensity = slope * stored + intercept.
    affine : array of shape (4, 4)
        Voxel index to mm.
    placed
        Whether the file gives a position in a patient: a PNG or JPEG does not.
    as_exported
        Black and white of an 8-bit image, which has already been windowed; otherwise None.
    """

    voxels: npt.NDArray[np.generic]
    slope: float
    intercept: float
    affine: Affine
    placed: bool = True
    as_exported: tuple[float, float] | None = None


@dataclass(frozen=True)
class _Layout:
    """The position of the voxels in the unpacked file, and their type, scaling and affine."""

    shape: tuple[int, int, int]
    dtype: np.dtype[np.generic]
    offset: int
    slope: float
    intercept: float
    affine: Affine

    @property
    def voxel_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True)
class Measured:
    """Number of voxels along each axis of a file, and the matrix from voxel index to mm; None for an image."""

    shape: tuple[int, int, int]
    affine: Affine | None


def measured(path: Path, limits: Limits = DEFAULT_LIMITS) -> Measured | None:
    """Return how large a volume or an image is, as its header says; None of what is not there or cannot be read."""
    name = shown_name(path)
    # Opening a pipe would wait for somebody to write into it.
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            start = file.read(8)
            file.seek(0)
            if is_image(start):
                size = size_of_image(file)
                return None if size is None else Measured((*size, 1), None)
            pieces = unpacked(file, name) if start.startswith(b"\x1f\x8b") else pieces_of(file)
            layout = _layout(_header(Stream(pieces, name, limits.max_unpacked_bytes), name)[0], name, limits)
    except (OSError, ImagingError):
        return None
    return Measured(layout.shape, layout.affine)


def read_volume(path: Path, limits: Limits, convention: Convention = "radiological") -> SourceVolume:
    """Read one volume from a `.nii` or `.nii.gz` file, or one slice from a `.png` or `.jpg`, or refuse it.

    The file type is detected from the content, not the name. NIfTI-1 and NIfTI-2 are read in both byte orders. The file
    is closed on return. `convention` matters only for images: see `read_image`.

    Raises
    ------
    ImagingError
        One sentence naming the file, what was found, what is expected and what to do.
    """
    name = shown_name(path)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ImagingError(f"{name} is not a file, but one .nii or .nii.gz file is expected: name that file.")
        with path.open("rb") as file:
            return _read(file, name, path.stat().st_size, limits, convention)
    except OSError as error:
        raise ImagingError(
            f"{name} cannot be read ({error.strerror or 'input/output error'}): check that it exists and may be read."
        ) from error


def _read(file: BinaryIO, name: str, size: int, limits: Limits, convention: Convention) -> SourceVolume:
    if size == 0:
        raise ImagingError(f"{name} is empty (0 bytes), but a NIfTI volume is expected: export it again.")
    if size > limits.max_bytes:
        raise ImagingError(
            f"{name} has {megabytes(size)} on disk, but at most {megabytes(limits.max_bytes)} are accepted: "
            "crop or resample it."
        )
    start = file.read(8)
    file.seek(0)
    if is_image(start):
        pixels, affine, as_exported = read_image(file, name, limits, convention)
        _require_values(pixels, 1.0, 0.0, name)
        return SourceVolume(pixels, 1.0, 0.0, affine, placed=False, as_exported=as_exported)
    packed = start.startswith(b"\x1f\x8b")
    stream = Stream(unpacked(file, name) if packed else pieces_of(file), name, limits.max_unpacked_bytes)
    header, header_bytes = _header(stream, name)
    layout = _layout(header, name, limits)
    expected = layout.offset + layout.voxel_bytes
    # Checked before memory is allocated: a file this small cannot contain what its header announces.
    if expected > size * (LARGEST_PACKING_RATIO if packed else 1):
        raise ImagingError(_truncated(name, f"{expected} bytes", None if packed else size))
    stream.skip(layout.offset - header_bytes)
    content = stream.take(layout.voxel_bytes)
    stream.drain()
    if len(content) < layout.voxel_bytes:
        raise ImagingError(_truncated(name, f"{expected} bytes", stream.total))
    voxels = np.frombuffer(content, dtype=layout.dtype).reshape(layout.shape, order="F")
    _require_values(voxels, layout.slope, layout.intercept, name)
    return SourceVolume(voxels, layout.slope, layout.intercept, layout.affine)


def _header(stream: Stream, name: str) -> tuple[Nifti1Header, int]:
    """Read the header, and return it with its number of bytes."""
    start = stream.take(NIFTI1_BYTES)
    sizes = {int.from_bytes(start[:4], "little"): "<", int.from_bytes(start[:4], "big"): ">"}
    if len(start) == NIFTI1_BYTES and NIFTI1_BYTES in sizes:
        if bytes(start[344:348]) in PAIR_MAGICS:
            raise _pair(name)
        if bytes(start[344:348]) == NIFTI1_MAGIC:
            return Nifti1Header(bytes(start), sizes[NIFTI1_BYTES], check=False), NIFTI1_BYTES
    if len(start) == NIFTI1_BYTES and NIFTI2_BYTES in sizes:
        if bytes(start[4:8]) in PAIR_MAGICS:
            raise _pair(name)
        if bytes(start[4:12]) == NIFTI2_MAGIC:
            whole = start + stream.take(NIFTI2_BYTES - NIFTI1_BYTES)
            if len(whole) < NIFTI2_BYTES:
                raise ImagingError(_truncated(name, "a header of 540 bytes", len(whole)))
            return Nifti2Header(bytes(whole), sizes[NIFTI2_BYTES], check=False), NIFTI2_BYTES
    raise ImagingError(
        f"{name} is not a NIfTI file (no NIfTI header at its beginning) and no image, but one .nii, .nii.gz, .png or "
        ".jpg file is expected: convert it, for instance with dcm2niix."
    )


def _layout(header: Nifti1Header, name: str, limits: Limits) -> _Layout:
    shape = _shape(header, name, limits)
    dtype = _dtype(header, name)
    offset = _offset(header, name, limits)
    slope, intercept = _scaling(header, name)
    try:
        affine = header_affine(header)
    except GeometryError as error:
        raise ImagingError(f"{name} {error}.") from error
    spacing = spacing_of(affine)
    if min(spacing) < limits.min_spacing or max(spacing) > limits.max_spacing:
        raise ImagingError(
            f"{name} has voxels of {_times(spacing)} mm, but {limits.min_spacing:g} to {limits.max_spacing:g} mm are "
            "expected: check the unit of length in its header."
        )
    layout = _Layout(shape, dtype, offset, slope, intercept, affine)
    if layout.offset + layout.voxel_bytes > limits.max_unpacked_bytes:
        raise ImagingError(
            f"{name} announces {megabytes(layout.offset + layout.voxel_bytes)} of voxels, but at most "
            f"{megabytes(limits.max_unpacked_bytes)} are accepted: crop or resample it."
        )
    return layout


def _shape(header: Nifti1Header, name: str, limits: Limits) -> tuple[int, int, int]:
    dim = [int(number) for number in header["dim"]]
    count, lengths = dim[0], dim[1:]
    if not 1 <= count <= 7:
        raise ImagingError(f"{name} announces {count} dimensions, but 3 are expected: export it again.")
    if count < 2:
        raise ImagingError(f"{name} has {count} dimensions, but 2 or 3 are expected: export the whole volume.")
    if any(length < 1 for length in lengths[:count]):
        raise ImagingError(
            f"{name} announces the size {_times(lengths[:count])}, but at least one voxel along each axis is expected: "
            "export it again."
        )
    # A fourth dimension of length 1 is common in 3D files and harmless.
    if count >= 4 and lengths[3] > 1:
        raise ImagingError(
            f"{name} has {lengths[3]} time points (4D), but one 3D volume is expected: "
            "export the time point that is to be read."
        )
    if any(length > 1 for length in lengths[4:count]):
        raise ImagingError(
            f"{name} holds several values per voxel (size {_times(lengths[:count])}), but one 3D volume is expected: "
            "export the one that is to be read."
        )
    # A single slice may be declared as two-dimensional.
    shape = (lengths[0], lengths[1], lengths[2] if count > 2 else 1)
    if math.prod(shape) > limits.max_voxels:
        raise ImagingError(
            f"{name} announces {_times(shape)} voxels, but at most {limits.max_voxels} are accepted: "
            "crop or resample it."
        )
    return shape


def _dtype(header: Nifti1Header, name: str) -> np.dtype[np.generic]:
    code = int(header["datatype"])
    if code not in DTYPES:
        datatype = REFUSED_DTYPES.get(code, f"the unknown datatype {code}")
        raise ImagingError(
            f"{name} holds {datatype} per voxel, but one real number of 8 to 64 bits is expected: convert it to grey."
        )
    return np.dtype(("<" if header.endianness == "<" else ">") + DTYPES[code])


def _offset(header: Nifti1Header, name: str, limits: Limits) -> int:
    smallest = 352 if int(header["sizeof_hdr"]) == NIFTI1_BYTES else 544
    announced = float(header["vox_offset"])
    if announced == 0:  # unset; the voxels follow the header directly
        return smallest
    if not math.isfinite(announced) or not smallest <= announced <= limits.max_unpacked_bytes:
        raise ImagingError(
            f"{name} announces its voxels at byte {announced:g}, but {smallest} or a little more is expected: "
            "export it again."
        )
    return int(announced)


def _scaling(header: Nifti1Header, name: str) -> tuple[float, float]:
    slope, intercept = float(header["scl_slope"]), float(header["scl_inter"])
    if slope == 0 or math.isnan(slope):  # unset (NIfTI-1, field scl_slope)
        return 1.0, 0.0
    if math.isnan(intercept):
        intercept = 0.0
    if not math.isfinite(slope) or not math.isfinite(intercept):
        raise ImagingError(
            f"{name} has an intensity scaling that is not finite (slope {slope:g}, intercept {intercept:g}), "
            "where ordinary numbers are expected: save it again without scaling."
        )
    return slope, intercept


def _require_values(voxels: npt.NDArray[np.generic], slope: float, intercept: float, name: str) -> None:
    if voxels.dtype.kind == "f":
        finite = np.isfinite(voxels)
        if not finite.all():
            raise ImagingError(
                f"{name} has {finite.size - np.count_nonzero(finite)} voxels that are not finite (NaN or infinite), "
                "but ordinary numbers are expected: replace them, for instance by the background value."
            )
    lowest, highest = voxels.min(), voxels.max()
    if lowest == highest:
        raise ImagingError(
            f"{name} has the same value ({float(lowest) * slope + intercept:g}) in all voxels, "
            "so there is nothing to read: check that it is the right file."
        )
    low, high = sorted(float(end) * slope + intercept for end in (lowest, highest))
    # Compared before scaling, because large neighbouring numbers are equal as floats.
    spread = float(highest.item() - lowest.item()) * abs(slope)
    if not (-LARGEST_INTENSITY <= low and high <= LARGEST_INTENSITY and spread >= SMALLEST_RANGE):
        raise ImagingError(
            f"{name} has intensities from {low:g} to {high:g} (slope {slope:g}), but numbers up to "
            f"{LARGEST_INTENSITY:g} that differ by at least {SMALLEST_RANGE:g} are expected: "
            "save it again without scaling, or rescale it to ordinary numbers."
        )


def _pair(name: str) -> ImagingError:
    return ImagingError(
        f"{name} is one half of a .hdr/.img pair, but one .nii or .nii.gz file is expected: convert it to one file."
    )


def _truncated(name: str, expected: str, length: int | None) -> str:
    seen = "" if length is None else f" after {length} bytes"
    return f"{name} is truncated: it ends{seen}, where {expected} are expected; export or copy it again."


def _times(numbers: Sequence[float]) -> str:
    return " x ".join(f"{number:.10g}" for number in numbers)
