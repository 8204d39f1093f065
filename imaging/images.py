"""Reading a possibly broken or hostile PNG or JPEG file as a volume of one slice."""

from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps, UnidentifiedImageError

from imaging.errors import ImagingError, Limits
from imaging.geometry import Affine

Convention = Literal["radiological", "neurological"]
PNG_SIGNATURE, JPEG_SIGNATURE = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
# PNG 1.2, 4.1.1: bit depth and colour type are in the first chunk.
_DEPTH, _COLOUR_TYPE, _GREY = 24, 25, 0
# EXIF 2.3, tag 274: from 5 on, rows and columns are exchanged.
_ORIENTATION, _ON_ITS_SIDE = 274, (5, 6, 7, 8)
# The exceptions that Pillow raises on files that are broken or crafted to break it.
_BROKEN = (OSError, ValueError, SyntaxError, EOFError, OverflowError, MemoryError)


def is_image(start: bytes) -> bool:
    """Return whether a file with these first bytes is a PNG or JPEG."""
    return start.startswith((PNG_SIGNATURE, JPEG_SIGNATURE))


def is_image_file(path: Path) -> bool:
    """Return whether a file's content begins like a PNG or JPEG."""
    with path.open("rb") as file:
        return is_image(file.read(len(PNG_SIGNATURE)))


def is_jpeg_file(path: Path) -> bool:
    """Return whether a file's content begins like a JPEG."""
    with path.open("rb") as file:
        return file.read(len(JPEG_SIGNATURE)) == JPEG_SIGNATURE


def size_of_image(file: BinaryIO) -> tuple[int, int] | None:
    """Return the number of columns and rows of an image as it is shown, from its header; None of a damaged one."""
    try:
        with Image.open(file, formats=("PNG", "JPEG")) as image:
            width, height = image.size
            turned = image.getexif().get(_ORIENTATION, 1) in _ON_ITS_SIDE
    except (*_BROKEN, Image.DecompressionBombError):
        return None
    return (height, width) if turned else (width, height)


def read_image(
    file: BinaryIO, name: str, limits: Limits, convention: Convention
) -> tuple[npt.NDArray[np.generic], Affine, tuple[float, float] | None]:
    """Read a grey image. Only its pixels are kept: text, comments, EXIF and previews are dropped.

    The image is placed in the axial plane around the origin, at one millimetre per pixel; this is not a position in a
    patient. Its left edge is placed where `convention` draws the left of the screen, so that it is never shown
    mirrored.

    Returns
    -------
    tuple
        Voxels of shape (width, height, 1), affine, and black and white as the file was exported (None for 16 bits).

    Raises
    ------
    ImagingError
        One sentence naming the file, what was found, what is expected and what to do.
    """
    start = file.read(32)
    file.seek(0)
    # Pillow would silently drop the lower byte of 16-bit colours.
    if start.startswith(PNG_SIGNATURE) and start[_DEPTH : _DEPTH + 1] == b"\x10" and start[_COLOUR_TYPE] != _GREY:
        raise _coloured(name, "colours or transparency of 16 bits")
    try:
        with Image.open(file, formats=("PNG", "JPEG")) as image:
            width, height = image.size
            if width * height > limits.max_pixels:
                raise ImagingError(
                    f"{name} announces {width} x {height} pixels, but at most {limits.max_pixels} are accepted: "
                    "crop or shrink it."
                )
            if getattr(image, "n_frames", 1) > 1:
                raise ImagingError(f"{name} holds several images, but one is expected: save the one to be read.")
            # Cameras and scanners record a rotation in EXIF instead of rotating the pixels. EXIF is dropped, so rotate
            # here.
            pixels = _grey(ImageOps.exif_transpose(image), name)
    except ImagingError:
        raise
    except Image.DecompressionBombError as error:
        raise ImagingError(
            f"{name} announces far more than the {limits.max_pixels} pixels that are accepted: crop or shrink it."
        ) from error
    except UnidentifiedImageError as error:
        raise ImagingError(f"{name} is not a readable PNG or JPEG file: export it again.") from error
    except _BROKEN as error:
        raise ImagingError(
            f"{name} is a damaged PNG or JPEG file, where a whole one is expected: export it again."
        ) from error
    return _as_volume(pixels, convention)


def _grey(image: Image.Image, name: str) -> npt.NDArray[np.generic]:
    """Return rows of grey values: the single channel, or one of three equal channels."""
    if image.mode in ("P", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
    if image.mode == "1":
        image = image.convert("L")
    pixels = np.asarray(image)
    if image.mode in ("L", "I", "I;16", "I;16B", "I;16L"):
        return pixels
    if image.mode in ("LA", "RGBA"):
        if (pixels[..., -1] != 255).any():
            raise ImagingError(
                f"{name} is transparent in part, but an opaque image is expected: save it without alpha."
            )
        pixels = pixels[..., :-1]
    elif image.mode != "RGB":
        raise _coloured(name, f"colours of the kind {image.mode}")
    if (pixels != pixels[..., :1]).any():
        raise _coloured(name, "true colours")
    return pixels[..., 0]


def _coloured(name: str, content: str) -> ImagingError:
    return ImagingError(f"{name} holds {content}, but one grey value per pixel is expected: save it as a grey image.")


def _as_volume(
    pixels: npt.NDArray[np.generic], convention: Convention
) -> tuple[npt.NDArray[np.generic], Affine, tuple[float, float] | None]:
    # Rows run from top to bottom, that is from anterior to posterior; the axes of a volume run the other way.
    upright = pixels[::-1].T
    if convention == "radiological":
        upright = upright[::-1]
    affine = np.eye(4)
    affine[:2, 3] = [-(length - 1) / 2 for length in upright.shape]
    as_exported = (0.0, 255.0) if pixels.dtype == np.uint8 else None
    return upright[:, :, np.newaxis], affine, as_exported
