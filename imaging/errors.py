"""The error that this folder raises, and the limits that a file must keep to."""

from dataclasses import dataclass
from pathlib import Path


class ImagingError(ValueError):
    """A volume was refused. The message is one sentence that names the file and may be shown to its owner."""


@dataclass(frozen=True)
class Limits:
    """The limits beyond which a volume is refused.

    Attributes
    ----------
    max_bytes
        Size of the file on disk, in bytes.
    max_unpacked_bytes
        Size of the file after unpacking, in bytes; counted while unpacking, never taken from a header.
    max_voxels
        Number of voxels that the header may announce.
    max_pixels
        Number of pixels that a PNG or JPEG may announce.
    min_spacing, max_spacing
        Smallest and largest distance between neighbouring voxels, in mm. Outside this range the unit of length is
        wrong.
    """

    max_bytes: int = 512 * 2**20
    max_unpacked_bytes: int = 2**30
    max_voxels: int = 512**3
    max_pixels: int = 8192**2
    min_spacing: float = 0.01
    max_spacing: float = 50.0


DEFAULT_LIMITS = Limits()


def shown_name(path: Path) -> str:
    """Return the file's own name without its folder, with unprintable characters replaced by "?"."""
    return "".join(letter if letter.isprintable() else "?" for letter in path.name)
