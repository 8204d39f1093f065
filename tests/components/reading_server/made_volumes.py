"""Volumes of the stand-in server, made up here: a head of two balls, masks, oblique noise, and the average head."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import struct
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@cache
def head() -> tuple[NDArray[np.int16], float]:
    """A head-like volume in RAS order and its voxel size in mm: the file named by TRY_VOLUME, or balls in a ball."""
    if os.environ.get("TRY_VOLUME"):
        import nibabel

        image = nibabel.as_closest_canonical(nibabel.load(os.environ["TRY_VOLUME"]))
        return np.asarray(image.dataobj).astype(np.int16), 1.0
    shape = (48, 56, 44)
    r, a, s = np.meshgrid(*(np.linspace(-1, 1, n) for n in shape), indexing="ij")
    voxels = np.where(r**2 + a**2 + s**2 < 0.85, 120, 0)
    voxels[(r - 0.4) ** 2 + (a - 0.3) ** 2 + s**2 < 0.05] = 220
    return voxels.astype(np.int16), 4.0


def volume(token: str) -> bytes:
    """An uncompressed NIfTI-1 file. The kind and the position in the token make each a little different."""
    kind, position = token.rsplit("-", 1)
    if kind == "mask":
        return nifti(*lesion_overlay())
    if kind == "oblique":
        return nifti(*oblique_noise())
    if kind == "average":
        return nifti(*average_head())
    voxels, size = head()
    voxels = voxels.copy()
    if kind.startswith("t2"):
        voxels = np.where(voxels > 0, 240 - voxels, 0).astype(np.int16)
    bright = 6 + 3 * int(position)
    voxels[2 : 2 + bright // 2, 2:8, 2:8] = 250
    if kind == "photo":  # a pixel to the millimetre, as images without scale are prepared
        size = 1.0
    if kind in ("flat", "photo"):
        voxels = voxels[:, :, voxels.shape[2] // 2][:, :, np.newaxis]
    affine = np.diag([size, size, size, 1.0])
    affine[:3, 3] = [-size * (n // 2) for n in voxels.shape]
    return nifti(voxels, affine)


# Every scan that was asked for so far; its place here is its id.
_TOKENS: list[str] = []


def id_of(token: str) -> int:
    """Return the number by which the rows of an item name a scan."""
    if token not in _TOKENS:
        _TOKENS.append(token)
    return _TOKENS.index(token)


def token_of(volume_id: int) -> str:
    """Return what a scan is and its item's place in the list: ``t1-0``."""
    return _TOKENS[volume_id]


@cache
def sha256_of(token: str) -> str:
    return hashlib.sha256(volume(token)).hexdigest()


def oblique_noise() -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Blocks of random brightness on an oblique grid with voxels of 1.5 by 2 by 5 mm: no two slices are alike."""
    blocks = np.random.default_rng(7).integers(0, 256, (30, 27, 22))
    voxels = blocks.repeat(3, axis=0).repeat(3, axis=1)
    affine = np.eye(4)
    affine[:3, :3] = turned(0.35, -0.25) * [1.5, 2.0, 5.0]
    affine[:3, 3] = [-60.0, -70.0, -40.0]
    return voxels.astype(np.int16), affine


@cache
def average_head() -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """The ICBM 152 average head that comes with nilearn, 1 mm."""
    import nibabel

    [folder] = importlib.util.find_spec("nilearn").submodule_search_locations  # type: ignore[union-attr, misc]
    file = Path(folder) / "datasets" / "data" / "mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"
    image = nibabel.as_closest_canonical(nibabel.load(file))
    return np.asarray(image.dataobj).astype(np.int16), image.affine


def turned(about_s: float, about_r: float) -> NDArray[np.float64]:
    """A rotation about two axes, in radians."""
    c, s = np.cos(about_s), np.sin(about_s)
    d, t = np.cos(about_r), np.sin(about_r)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, d, -t], [0, t, d]])


def lesion_overlay() -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """The bright ball of the head, on an oblique grid of its own with voxels of 2 by 3 by 2.5 mm."""
    _, size = head()
    shape = head()[0].shape
    affine = np.eye(4)
    affine[:3, :3] = turned(0.44, 0.3) * [2.0, 3.0, 2.5]
    grid = (50, 40, 44)

    # mm of the ball's middle: the head's voxel n lies at (n - N // 2) * size, and at 2 n / (N - 1) - 1 there.
    def mm(part: float, n: int) -> float:
        return ((part + 1) * (n - 1) / 2 - n // 2) * size

    middle = np.array([mm(part, n) for part, n in zip((0.4, 0.3, 0.0), shape, strict=True)])
    affine[:3, 3] = middle - affine[:3, :3] @ (np.array(grid) / 2 - 0.5)
    index = np.stack(np.meshgrid(*(np.arange(n) for n in grid), indexing="ij"), axis=-1)
    point = index @ affine[:3, :3].T + affine[:3, 3]
    parts = [2 * (point[..., axis] / size + n // 2) / (n - 1) - 1 for axis, n in enumerate(shape)]
    inside = (parts[0] - 0.4) ** 2 + (parts[1] - 0.3) ** 2 + parts[2] ** 2 < 0.05
    return inside.astype(np.int16), affine


def nifti(voxels: NDArray[np.int16], affine: NDArray[np.float64]) -> bytes:
    """A file as the server prepares them: geometry and voxels, nothing else."""
    header = bytearray(352)
    spacing = np.linalg.norm(affine[:3, :3], axis=0)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, *voxels.shape, 1, 1, 1, 1)
    struct.pack_into("<2h", header, 70, 4, 16)
    struct.pack_into("<8f", header, 76, 1, *spacing, 0, 0, 0, 0)
    struct.pack_into("<3f", header, 108, 352.0, 1.0, 0.0)
    header[123] = 2
    struct.pack_into("<2h", header, 252, 0, 1)
    for row in range(3):
        struct.pack_into("<4f", header, 280 + 16 * row, *affine[row])
    header[344:348] = b"n+1\x00"
    return bytes(header) + voxels.tobytes(order="F")
