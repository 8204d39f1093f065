"""Turning a source file into the volume that readers see."""

import hashlib
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from nibabel.nifti1 import Nifti1Header

from imaging.cropping import background_value, content_box
from imaging.errors import DEFAULT_LIMITS, ImagingError, Limits, shown_name
from imaging.geometry import Affine, Turned, moved_origin, rotate_to_ras, spacing_of
from imaging.grids import Grid
from imaging.images import Convention, is_jpeg_file
from imaging.loading import read_volume
from imaging.scaling import LOWEST, Scaled, ScalingError, scale_to_int16

# Rim of background to keep around the content, in mm: enough for an edge to be recognisable as an edge.
MARGIN = 4.0
_WHOLE = (slice(0, None), slice(0, None), slice(0, None))
# Measured on three prepared 1 mm heads, two cores: see docs/how-to/prepare-volumes.md.
GZIP_LEVEL = 1
# NIfTI-1, fields sform_code and qform_code: "aligned to something", which reveals least about the scan's origin.
ALIGNED = 2
MILLIMETRES = 2


@dataclass(frozen=True)
class PreparedVolume:
    """A volume as it is stored and sent to readers.

    Attributes
    ----------
    content
        A `.nii.gz` file (NIfTI-1, little-endian, int16). The same source always gives the same bytes.
    sha256
        Of `content`, in hexadecimal.
    unpacked_sha256
        Of `content` after unpacking, in hexadecimal: the bytes that a browser has.
    voxel_sha256
        Of shape, affine, scaling and stored numbers, in hexadecimal; independent of how the bytes are packed.
    shape
        Number of voxels towards right, anterior and superior.
    spacing
        Distance between neighbouring voxels, in mm.
    orientation
        Always "RAS": the axes are those closest to right, anterior, superior.
    affine
        4 rows of 4 numbers, voxel index to mm, exactly as the file holds them (32-bit floats).
    window
        Intensities shown as black and as white by default, after scaling.
    intensity_range
        Smallest and largest intensity, after scaling.
    whole
        The voxel grid of the whole file, before cropping.
    placed
        Whether `affine` and `spacing` are those of a patient. A PNG or JPEG has neither and is given 1 mm per pixel.
    """

    content: bytes
    sha256: str
    unpacked_sha256: str
    voxel_sha256: str
    shape: tuple[int, int, int]
    spacing: tuple[float, float, float]
    orientation: str
    affine: list[list[float]]
    window: tuple[float, float]
    intensity_range: tuple[float, float]
    whole: Grid
    placed: bool


def check_volume(path: Path, limits: Limits = DEFAULT_LIMITS) -> None:
    """Refuse a file that cannot become a reading-ready volume.

    The whole file is read, so that damage at its end is found too.

    Raises
    ------
    ImagingError
        One sentence naming the file, what was found, what is expected and what to do.
    """
    read_volume(path, limits)


def prepare_volume(
    path: Path,
    *,
    limits: Limits = DEFAULT_LIMITS,
    percentiles: tuple[float, float] = (1.0, 99.5),
    convention: Convention = "radiological",
    crops_images: bool = False,
) -> PreparedVolume:
    """Make a reading-ready volume from a NIfTI file, or one of a single slice from a PNG or JPEG.

    Axes are brought into right-anterior-superior order by flips and exchanges only. Surrounding background is cropped
    if it is exactly uniform, intensities are stored as 16-bit integers, and the header is rewritten with nothing but
    geometry and scaling. No voxel is resampled, smoothed or masked. Every remaining voxel keeps its position in mm (to
    the precision of the 32-bit floats of a NIfTI-1 header, better than 0.001 mm within a metre) and its intensity
    (exactly, or to within half a step: see `scale_to_int16`). An image keeps its border, so that columns and rows are
    the ones any other program counts.

    Parameters
    ----------
    path
        A `.nii` or `.nii.gz` file with one 3D volume or one slice, or a grey `.png` or `.jpg`.
    limits
        Sizes beyond which the file is refused.
    percentiles
        Which percentiles of the intensities that differ from the background the default window shows as black and as
        white. An 8-bit image is shown as it was exported instead.
    convention
        The convention in which the study is read: an image is placed so that this convention does not mirror it.
    crops_images
        Whether the border of an image is cropped as well, as in studies imported before borders were kept.

    Raises
    ------
    ImagingError
        One sentence naming the file, what was found, what is expected and what to do.
    """
    source = read_volume(path, limits, convention)
    turned = rotate_to_ras(source.voxels, source.affine)
    box = _WHOLE
    if source.placed or crops_images:
        box = content_box(turned.voxels, spacing_of(turned.affine), MARGIN)
    try:
        scaled = scale_to_int16(turned.voxels[box], source.slope, source.intercept)
    except ScalingError as error:
        raise ImagingError(f"{shown_name(path)} {error}.") from error
    affine = moved_origin(turned.affine, (box[0].start, box[1].start, box[2].start))
    window = source.as_exported or _window(scaled, percentiles)
    return _packed(scaled, affine, window, _grid_of(turned), source.placed)


def prepare_overlay(
    path: Path, *, limits: Limits = DEFAULT_LIMITS, convention: Convention = "radiological"
) -> PreparedVolume:
    """Make a reading-ready mask: 1 where the file is non-zero, 0 elsewhere. Nothing else of the file is kept.

    It is oriented, cropped and packed as in `prepare_volume`. A JPEG is refused: its compression leaves small values
    around every edge, which would all count as inside.

    Raises
    ------
    ImagingError
        One sentence naming the file, what was found, what is expected and what to do.
    """
    source = read_volume(path, limits, convention)
    if is_jpeg_file(path):
        raise ImagingError(
            f"{shown_name(path)} is a JPEG, which keeps no sharp edges, but a mask with exact pixels is expected: "
            "save it as PNG."
        )
    inside = source.voxels.astype(np.float64) * source.slope + source.intercept != 0
    turned = rotate_to_ras(inside.astype(np.uint8), source.affine)
    if not turned.voxels.any():
        raise ImagingError(f"{shown_name(path)} is zero everywhere, but a mask is expected: check the file.")
    box = content_box(turned.voxels, spacing_of(turned.affine), MARGIN, background=0)
    affine = moved_origin(turned.affine, (box[0].start, box[1].start, box[2].start))
    return _packed(scale_to_int16(turned.voxels[box], 1.0, 0.0), affine, (0.0, 1.0), _grid_of(turned), source.placed)


def _grid_of(turned: Turned) -> Grid:
    x, y, z = turned.voxels.shape
    return Grid((x, y, z), turned.affine.tolist())


def _packed(
    scaled: Scaled, exact_affine: Affine, window: tuple[float, float], whole: Grid, placed: bool
) -> PreparedVolume:
    # The file holds 32-bit floats, so everything stored about the volume is derived from these.
    affine = exact_affine.astype(np.float32).astype(np.float64)
    header = _header(scaled, affine)
    voxels = scaled.stored.astype("<i2", copy=False).tobytes(order="F")
    # zlib writes a gzip header without a file name and with timestamp 0.
    unpacked = header + voxels
    content = zlib.compress(unpacked, level=GZIP_LEVEL, wbits=31)
    shape = scaled.stored.shape
    return PreparedVolume(
        content=content,
        sha256=hashlib.sha256(content).hexdigest(),
        unpacked_sha256=hashlib.sha256(unpacked).hexdigest(),
        voxel_sha256=_voxel_sha256(shape, affine, scaled, voxels),
        shape=(shape[0], shape[1], shape[2]),
        spacing=spacing_of(affine),
        orientation="RAS",
        affine=[[float(number) for number in row] for row in affine],
        window=window,
        intensity_range=_ordered(scaled, int(scaled.stored.min()), int(scaled.stored.max())),
        whole=whole,
        placed=placed,
    )


def _header(scaled: Scaled, affine: Affine) -> bytes:
    """Return 352 bytes: a NIfTI-1 header with only geometry and scaling, followed by the "no extensions" marker."""
    header = Nifti1Header(endianness="<")
    header.set_data_shape(scaled.stored.shape)
    header.set_data_dtype(np.int16)
    header.set_xyzt_units(MILLIMETRES)
    header.set_sform(affine, code=ALIGNED)
    header.set_qform(affine, code=ALIGNED)
    # A qform cannot represent shear. If it would place voxels differently from the sform, it is left out.
    if not np.allclose(header.get_qform(), affine, atol=1e-4):
        header["qform_code"] = 0
    header.set_slope_inter(scaled.slope, scaled.intercept)
    header["vox_offset"] = 352
    header["magic"] = b"n+1"
    return bytes(header.binaryblock) + bytes(4)


def _voxel_sha256(shape: tuple[int, ...], affine: Affine, scaled: Scaled, voxels: bytes) -> str:
    digest = hashlib.sha256()
    digest.update(struct.pack("<3q", *shape))
    digest.update(affine.astype("<f8").tobytes(order="C"))
    digest.update(struct.pack("<2d", scaled.slope, scaled.intercept))
    digest.update(voxels)
    return digest.hexdigest()


def _window(scaled: Scaled, percentiles: tuple[float, float]) -> tuple[float, float]:
    """Return the intensities at two percentiles (nearest rank) of the non-background voxels."""
    # Counting the 65536 possible values is exact, and faster than sorting millions of voxels.
    counts = np.bincount(scaled.stored.ravel(order="K").astype(np.int32) - LOWEST, minlength=2**16)
    counts[int(background_value(scaled.stored)) - LOWEST] = 0
    cumulative = np.cumsum(counts)
    if scaled.slope < 0:  # large stored numbers are then small intensities
        percentiles = (100 - percentiles[1], 100 - percentiles[0])
    low, high = (
        int(np.searchsorted(cumulative, max(1, np.ceil(percentile / 100 * cumulative[-1])))) + LOWEST
        for percentile in percentiles
    )
    if low == high:
        low, high = int(scaled.stored.min()), int(scaled.stored.max())
    return _ordered(scaled, low, high)


def _ordered(scaled: Scaled, low: int, high: int) -> tuple[float, float]:
    """Turn two stored numbers into intensities, the smaller first (a negative slope reverses them)."""
    ends = sorted((scaled.slope * low + scaled.intercept, scaled.slope * high + scaled.intercept))
    return ends[0], ends[1]
