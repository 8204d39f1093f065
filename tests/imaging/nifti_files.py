"""Makes NIfTI files for the tests of this folder."""

import gzip
from pathlib import Path

import nibabel as nib
import numpy as np

OBLIQUE = np.array(
    [
        [-0.9, 0.12, 0.05, 87.5],
        [0.1, 0.95, -0.3, -120.25],
        [-0.02, 0.28, 1.9, -60.125],
        [0.0, 0.0, 0.0, 1.0],
    ]
)


def blob(dtype: str = "i2", shape: tuple[int, int, int] = (20, 22, 18), seed: int = 5) -> np.ndarray:
    """Return a box of random content, off centre, in a background of zero."""
    rng = np.random.default_rng(seed)
    voxels = np.zeros(shape, dtype=dtype)
    content = tuple(slice(2, length - 5) for length in shape)
    size = voxels[content].shape
    if np.dtype(dtype).kind == "f":
        voxels[content] = rng.normal(50, 20, size)
    else:
        limits = np.iinfo(dtype)
        voxels[content] = rng.integers(limits.min, limits.max, size, dtype=dtype, endpoint=True)
    return voxels


def save(path: Path, voxels: np.ndarray, affine: np.ndarray | None = None, *, kind: str = "nifti1", endian: str = "<",
         slope: float | None = None, intercept: float | None = None, **fields: object) -> Path:  # fmt: skip
    """Write voxels as they are, with any header field set to any value, also an impossible one."""
    header_class, start = (nib.Nifti1Header, 352) if kind == "nifti1" else (nib.Nifti2Header, 544)
    header = header_class(endianness=endian)
    header.set_data_shape(voxels.shape)
    header.set_data_dtype(voxels.dtype)
    if affine is None:
        affine = np.diag([1.0, 1.0, 1.0, 1.0])
    header.set_sform(affine, code=1)
    header.set_qform(affine, code=0)
    header["scl_slope"] = np.nan if slope is None else slope
    header["scl_inter"] = np.nan if intercept is None else intercept
    header["vox_offset"] = start
    header["magic"] = b"n+1" if kind == "nifti1" else b"n+2"
    for field, value in fields.items():
        header[field] = value
    content = header.binaryblock + bytes(4) + voxels.astype(voxels.dtype.newbyteorder(endian)).tobytes(order="F")
    path.write_bytes(gzip.compress(content, 1) if path.suffix == ".gz" else content)
    return path


def positions(affine: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Return the place in mm of voxel indices of shape (n, 3)."""
    return indices @ np.asarray(affine)[:3, :3].T + np.asarray(affine)[:3, 3]
