"""Voxels of the demo study, made from the MNI152 average head that comes with nilearn.

The T1 of the average head is real (an average over 152 people, ICBM 2009a symmetric). Everything else is simulated: the
deformation that makes one person differ from another, the T2 contrast, lesions, widened ventricles, earlier visits,
uneven coil sensitivity and noise. All of it is drawn from fixed seeds; between machines, voxels may differ by the
rounding of floats.
"""

import hashlib
import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import nibabel as nib
import numpy as np
import numpy.typing as npt
from scipy import ndimage

from studies.demo.cases import SUBJECTS, Case, Kind, Lesion, Scan, Sequence, Side, Subject

Array = npt.NDArray[np.float32]
Axes = tuple[Array, ...]

# The part of the MNI152 grid that holds the brain with room for larger heads, in mm.
LOWEST_MM = np.array([-84.0, -122.0, -72.0])
HIGHEST_MM = np.array([84.0, 88.0, 92.0])

# Intensities of the average T1 (8 bit) and what the same tissue has in the simulated T2, where white matter is dark and
# fluid bright. Values between are interpolated.
T1_OF_TISSUE = (0.0, 55.0, 110.0, 166.0, 200.0, 222.0, 255.0)
T2_OF_TISSUE = (250.0, 245.0, 200.0, 140.0, 114.0, 100.0, 92.0)
WHITE_MATTER: dict[Sequence, float] = {"T1": 222.0, "T2": 100.0}


@dataclass(frozen=True)
class Signal:
    """Intensity relative to white matter of a lesion's parts, from the centre outwards.

    `core` ends at `wall_from` of the radius, `wall` at the radius, `halo` (swelling) at 1.7 radii; `None` leaves the
    tissue as it is.
    """

    core: float
    wall: float | None = None
    halo: float | None = None


WALL_FROM = 0.58
HALO_TO = 1.7
SIGNALS: dict[Kind, dict[Sequence, Signal]] = {
    "dark_t1_bright_t2": {"T1": Signal(0.48), "T2": Signal(2.15)},
    "bright_t1_dark_t2": {"T1": Signal(1.34, halo=0.66), "T2": Signal(0.5, halo=1.9)},
    "ring": {"T1": Signal(0.38, wall=1.26, halo=0.68), "T2": Signal(2.4, wall=0.5, halo=1.85)},
}

# In mm: how far the wall of an enlarged ventricle is pushed out, over which distance the tissue outside gives way, and
# from how deep below the wall the fluid that fills the room is taken (less than half the width of a narrow ventricle).
ENLARGED = 4.5
GIVES_WAY = 14.0
FLUID_DEPTH = 1.5

SIDES: tuple[Side, ...] = ("left", "right")
# How many of the grid's first axis are made at a time.
SLAB = 8
# Said of eight neighbouring voxels of which some are brain and some are not.
UNDECIDED = 2


@dataclass(frozen=True)
class Grid:
    """Voxel positions: equal steps in mm from LOWEST_MM to HIGHEST_MM."""

    step: float = 1.0

    def axes(self) -> tuple[Array, Array, Array]:
        """Return the positions in mm along each axis."""
        x, y, z = (
            np.arange(low, high + self.step / 2, self.step, dtype=np.float32)
            for low, high in zip(LOWEST_MM, HIGHEST_MM, strict=True)
        )
        return x, y, z

    @property
    def affine(self) -> npt.NDArray[np.float64]:
        affine = np.diag([self.step, self.step, self.step, 1.0])
        affine[:3, 3] = LOWEST_MM
        return affine


FULL = Grid(1.0)


def make_volume(
    case: Case, scan: Scan, sequence: Sequence, grid: Grid = FULL, *, noise: bool = True
) -> nib.Nifti1Image:
    """Make one sequence of one visit.

    Parameters
    ----------
    case, scan, sequence
        What to make; `scan` is the case's current or prior one.
    grid
        Full resolution for readers; coarser for tests.
    noise
        False leaves out noise.

    Returns
    -------
    nibabel.Nifti1Image
        int16, zero outside of the brain.
    """
    t1 = _anatomy(SUBJECTS[case.subject], scan.enlarged_ventricle, grid)
    brain = t1 > 0
    tissue = t1.copy()
    if sequence == "T2":
        tissue[brain] = np.interp(t1[brain], T1_OF_TISSUE, T2_OF_TISSUE)
    for number, lesion in enumerate(scan.lesions):
        # The seed names the person, not the visit: a lesion that stays keeps its shape.
        _add_lesion(tissue, lesion, sequence, grid, _seed(case.subject, "lesion", number))
    rng = np.random.default_rng(_seed(case.key, scan.acquired.isoformat(), sequence))
    # Arbitrary units, as scanners have them: another scale in every volume.
    scale = rng.uniform(3.2, 4.8)
    uneven = 1 + 0.05 * _smooth_field(rng, 70.0, grid.axes())[brain]
    intensity = tissue[brain] * uneven * scale
    if noise:
        sigma = 0.018 * WHITE_MATTER["T1"] * scale
        real = intensity + sigma * rng.standard_normal(intensity.shape, dtype=np.float32)
        imaginary = sigma * rng.standard_normal(intensity.shape, dtype=np.float32)
        intensity = np.hypot(real, imaginary)
    voxels = np.zeros(brain.shape, dtype=np.int16)
    voxels[brain] = np.rint(intensity).clip(1, 32767)
    image = nib.Nifti1Image(voxels, grid.affine)
    image.header.set_xyzt_units("mm")
    return image


def _add_lesion(tissue: Array, lesion: Lesion, sequence: Sequence, grid: Grid, seed: int) -> None:
    """Blend a lesion into `tissue`, in place; what lies outside of the brain is zeroed later."""
    reach = 2.5 * lesion.radius
    box = tuple(
        slice(*np.searchsorted(positions, (centre - reach, centre + reach)))
        for positions, centre in zip(grid.axes(), lesion.centre, strict=True)
    )
    axes = tuple(positions[part] for positions, part in zip(grid.axes(), box, strict=True))
    away = np.meshgrid(*(axis - centre for axis, centre in zip(axes, lesion.centre, strict=True)), indexing="ij")
    # Distance from the centre in radii, wavy so that the border is irregular but never torn into islands.
    waves = np.tanh(_smooth_field(np.random.default_rng(seed), max(5.0, 0.8 * lesion.radius), axes))
    depth = np.sqrt(sum(part**2 for part in away)) / lesion.radius * (1 + 0.3 * waves)
    texture = 1 + 0.05 * _smooth_field(np.random.default_rng(seed + 1), 4.0, axes)
    signal = SIGNALS[lesion.kind][sequence]
    # Borders are blurred over about a millimetre and a half, as partial volume does; swelling ends more softly.
    edge = 0.7 / lesion.radius
    core_to = 1.0 if signal.wall is None else WALL_FROM
    for outer, relative, blur in ((HALO_TO, signal.halo, 0.18), (1.0, signal.wall, edge), (core_to, signal.core, edge)):
        if relative is not None:
            share = 1 / (1 + np.exp(np.clip((depth - outer) / blur, -40, 40)))
            tissue[box] += share * (relative * WHITE_MATTER[sequence] * texture - tissue[box])


@lru_cache(maxsize=2)
def _anatomy(subject: Subject, enlarged: Side | None, grid: Grid) -> Array:
    """Return the T1 intensity (8-bit scale) of one person's head without noise; 0 outside of the brain."""
    x, y, z = grid.axes()
    rng = np.random.default_rng(subject.seed)
    # For each voxel of this head: the place in the average head that it looks like.
    source = [
        np.asarray(positions / scale + shift, dtype=np.float32)
        for positions, scale, shift in zip(
            (x[:, None, None], y[None, :, None], z[None, None, :]),
            subject.scale,
            (2.3 * _smooth_field(rng, 36.0, (x, y, z)) + 0.8 * _smooth_field(rng, 14.0, (x, y, z)) for _ in range(3)),
            strict=True,
        )
    ]
    widenings = {side: subject.ventricles + (ENLARGED if side == enlarged else 0.0) for side in SIDES}
    result = np.zeros(source[0].shape, dtype=np.float32)
    for first in range(0, len(x), SLAB):
        # A part of the head at a time, which the processor's cache holds; no voxel depends on another.
        slab = slice(first, first + SLAB)
        part = [positions[slab] for positions in source]
        for side, widening in widenings.items():
            if widening:
                _widen(part, side, widening)
        coordinates = np.stack([positions - low for positions, low in zip(part, LOWEST_MM, strict=True)])
        brain = _is_brain(coordinates)
        t1 = ndimage.map_coordinates(_average_head(), coordinates[:, brain], order=3, mode="nearest", prefilter=False)
        result[slab][brain] = t1.clip(20, 255)
    result.setflags(write=False)
    return result


def _is_brain(coordinates: Array) -> npt.NDArray[np.bool_]:
    """Return at which places of the average head, in voxels, more than half of what is seen there is brain."""
    brain = _average_brain()
    corners, last = coordinates.astype(np.int32), np.array(brain.shape)[:, None, None, None] - 1
    # Between eight voxels that agree there is nothing to interpolate: that leaves the border.
    outside = ((coordinates < 0) | (corners >= last)).any(axis=0)
    corners[:, outside] = 0
    agreeing = _agreeing_corners()[tuple(corners)]
    agreeing[outside] = UNDECIDED
    undecided = agreeing == UNDECIDED
    result = agreeing == 1
    seen = ndimage.map_coordinates(brain, coordinates[:, undecided], order=1, mode="constant", cval=0.0)
    result[undecided] = seen > 0.5
    return np.asarray(result)


def _widen(source: list[Array], side: Side, amount: float) -> None:
    """Move the wall of a lateral ventricle outwards by `amount` mm; tissue looks like places nearer to it."""
    outwards, wall, low, high = _right_ventricle()
    # The average head is its own mirror image, so that the left ventricle is the right one seen from the other side.
    mirror = 1.0 if side == "right" else -1.0
    seen = (mirror * source[0], source[1], source[2])
    near = np.ones(source[0].shape, dtype=bool)
    for positions, first, last in zip(seen, low, high, strict=True):
        near &= (positions > first) & (positions < last)
    coordinates = np.stack([positions[near] - first for positions, first in zip(seen, low, strict=True)])
    distance = ndimage.map_coordinates(wall, coordinates, order=1)
    shift = np.minimum(amount * np.exp(-np.abs(distance) / GIVES_WAY), np.maximum(distance + FLUID_DEPTH, 0))
    for axis, sign in ((0, mirror), (1, 1.0), (2, 1.0)):
        source[axis][near] -= shift * sign * ndimage.map_coordinates(outwards[axis], coordinates, order=1)


@lru_cache(maxsize=1)
def _right_ventricle() -> tuple[Array, Array, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Describe the surroundings of the right lateral ventricle of the average head, on voxels of 1 mm.

    Returns
    -------
    outwards : array of shape (3, i, j, k)
        Direction away from the ventricle, of length 1; 0 beyond the midline, where the other ventricle is.
    wall : array of shape (i, j, k)
        Distance from the ventricle's wall in mm, negative inside.
    low, high : arrays of shape (3,)
        The box in mm that the voxels fill.
    """
    low, high = np.array([-5.0, -100.0, -40.0]), np.array([75.0, 75.0, 75.0])
    box = tuple(slice(*part) for part in np.stack([low - LOWEST_MM, high - LOWEST_MM + 1], axis=1).astype(int))
    t1 = _average_t1()[box]
    x, y, z = np.meshgrid(*(np.arange(a, b + 1) for a, b in zip(low, high, strict=True)), indexing="ij", sparse=True)
    inside = (x >= 1) & (x <= 34) & (y >= -60) & (y <= 36) & (z >= -2) & (z <= 34)
    third_ventricle = (x < 6) & (z < 9)
    regions, count = ndimage.label(inside & ~third_ventricle & (t1 > 0) & (t1 < 125))
    ventricle = regions == 1 + np.argmax(ndimage.sum_labels(np.ones_like(t1), regions, range(1, count + 1)))
    distance = ndimage.distance_transform_edt(~ventricle)
    # The nearest place outside of it is in the box that holds the ventricle and a voxel around it.
    (held,) = ndimage.find_objects(ventricle.astype(np.uint8))
    around = tuple(slice(part.start - 1, part.stop + 1) for part in held)
    distance[around] -= ndimage.distance_transform_edt(ventricle[around])
    distance = ndimage.gaussian_filter(distance, 1.5)
    slopes = np.stack(np.gradient(distance))
    outwards = slopes / np.maximum(np.linalg.norm(slopes, axis=0), 1e-6) * np.clip((x + 1) / 5, 0, 1)
    return np.asarray(outwards, dtype=np.float32), np.asarray(distance, dtype=np.float32), low, high


def _smooth_field(rng: np.random.Generator, length: float, axes: Axes) -> Array:
    """Return random smooth values with standard deviation of about 1 at the positions that `axes` span.

    Cubic B-splines on knots `length` mm apart, which do not depend on where the field is evaluated.
    """
    bases = []
    for positions, low, high in zip(axes, LOWEST_MM, HIGHEST_MM, strict=True):
        knots = np.arange(low - 2 * length, high + 2.5 * length, length)
        away = np.abs(positions[:, None] - knots[None, :]) / length
        near, far = 2 / 3 - away**2 + away**3 / 2, np.clip(2 - away, 0, None) ** 3 / 6
        bases.append(np.where(away < 1, near, far).astype(np.float32))
    field = rng.standard_normal([basis.shape[1] for basis in bases]).astype(np.float32)
    for basis in bases:
        # Each turn replaces the first axis (knots) by positions and moves it to the end.
        field = np.tensordot(field, basis, axes=(0, 1))
    # The squared values of the cubic B-splines at one place add up to 151/315 on average, per axis.
    return np.asarray(field / (151 / 315) ** 1.5, dtype=np.float32)


def _seed(*parts: object) -> int:
    """Turn names into a seed that is the same everywhere (Python's own hash is not)."""
    return int.from_bytes(hashlib.sha256("/".join(map(str, parts)).encode()).digest()[:8], "little")


def source_file() -> Path:
    """Find the average head inside the installed nilearn, without the seconds that importing nilearn takes."""
    spec = importlib.util.find_spec("nilearn")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("nilearn is missing, from whose MNI152 head the demo study is made: install it.")
    path = Path(spec.origin).parent / "datasets" / "data" / "mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"
    if not path.is_file():
        raise FileNotFoundError(f"{path.name} is missing in the installed nilearn: install version 0.14.")
    return path


@lru_cache(maxsize=1)
def _average_t1() -> Array:
    image = nib.Nifti1Image.from_filename(source_file())
    first = np.rint(LOWEST_MM - image.affine[:3, 3]).astype(int)
    last = np.rint(HIGHEST_MM - image.affine[:3, 3]).astype(int) + 1
    box = tuple(slice(low, high) for low, high in zip(first, last, strict=True))
    return np.asarray(image.dataobj[box], dtype=np.float32)


@lru_cache(maxsize=1)
def _average_brain() -> Array:
    return (_average_t1() > 0).astype(np.float32)


@lru_cache(maxsize=1)
def _agreeing_corners() -> npt.NDArray[np.uint8]:
    """Return for each voxel what it and its seven neighbours above are: 1 brain, 0 none, UNDECIDED where they differ.

    The last voxel of an axis has no neighbour above, and is left out.
    """
    agreeing = _average_brain().astype(np.uint8)
    for axis in range(3):
        along = agreeing.swapaxes(0, axis)
        lower, upper = along[:-1], along[1:]
        agreeing = np.where(lower == upper, lower, np.uint8(UNDECIDED)).swapaxes(0, axis)
    return np.ascontiguousarray(agreeing)


@lru_cache(maxsize=1)
def _average_head() -> Array:
    """Return the cubic spline coefficients of the average head.

    Outside of the brain, the values of its rim are continued, so that no dark seam arises at the border.
    """
    t1 = _average_t1()
    nearest = ndimage.distance_transform_edt(t1 == 0, return_distances=False, return_indices=True)
    return np.asarray(ndimage.spline_filter(t1[tuple(nearest)], order=3, output=np.float32), dtype=np.float32)
