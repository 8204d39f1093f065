"""Writes a small study of three items to start from: tables, protocol, and scans made of ellipsoids."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import nibabel
import numpy as np
import numpy.typing as npt

HERE = Path(__file__).parent
COPIED = ("protocol.yaml", "cases.csv", "case_history.csv", "items.csv", "references.csv", "candidates.csv")
SHAPE, SPACING = (60, 72, 56), 3.0
# Intensities of air, skull, brain, fluid and spot.
INTENSITIES = {"T1": (0, 500, 300, 90, 180), "T2": (0, 250, 300, 650, 900)}
# (x, y, z, radius) in mm, to the right, front and top: what each scan shows.
SPOTS: dict[tuple[str, str], tuple[tuple[float, float, float, float], ...]] = {
    ("c1", "current"): ((-38.0, 12.0, 14.0, 9.0),),
    ("c2", "current"): ((36.0, -20.0, 20.0, 8.0),),
    ("c2", "prior"): (),
    ("c3", "current"): ((-30.0, 25.0, 20.0, 7.0), (34.0, -28.0, 6.0, 8.0)),
}
ACQUIRED = {"current": "2024-06-01", "prior": "2023-05-20"}
_COLUMNS = "volume,case,role,sequence,acquired,file,label"


def build(target: Path) -> Path:
    """Write the study folder; what is in it already by other names stays."""
    (target / "volumes").mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        shutil.copyfile(HERE / name, target / name)
    lines = [_COLUMNS]
    for number, (case, role) in enumerate(SPOTS):
        for sequence in INTENSITIES:
            key = f"{case}-{role}-{sequence.lower()}"
            file = f"volumes/{key}.nii.gz"
            image = nibabel.Nifti1Image(_voxels(case, role, sequence, seed=number), _affine())
            (target / file).write_bytes(gzip.compress(image.to_bytes(), mtime=0))
            lines.append(f"{key},{case},{role},{sequence},{ACQUIRED[role]},{file},{sequence} (simulated)")
    (target / "volumes.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def _affine() -> npt.NDArray[np.float64]:
    affine = np.diag([SPACING, SPACING, SPACING, 1.0])
    affine[:3, 3] = [-SPACING * (length - 1) / 2 for length in SHAPE]
    return affine


def _voxels(case: str, role: str, sequence: str, seed: int) -> npt.NDArray[np.int16]:
    """Return a head of ellipsoids: skull, brain, two ventricles, the spots, and a little noise."""
    grid = np.indices(SHAPE, dtype=np.float64)
    places = [SPACING * (axis - (length - 1) / 2) for axis, length in zip(grid, SHAPE, strict=True)]

    def inside(centre: tuple[float, float, float], radii: tuple[float, float, float]) -> npt.NDArray[np.bool_]:
        parts = zip(places, centre, radii, strict=True)
        return sum(((place - middle) / radius) ** 2 for place, middle, radius in parts) <= 1.0

    air, skull, brain, fluid, spot = INTENSITIES[sequence]
    voxels = np.full(SHAPE, air, dtype=np.float64)
    voxels[inside((0, 0, 0), (72, 90, 70))] = skull
    voxels[inside((0, 0, 0), (66, 84, 64))] = brain
    for side in (-1.0, 1.0):
        voxels[inside((side * 12, 4, 8), (7, 26, 11))] = fluid
    for x, y, z, radius in SPOTS[(case, role)]:
        voxels[inside((x, y, z), (radius, radius, radius))] = spot
    head = voxels > air
    voxels[head] += np.random.default_rng([seed, len(sequence)]).normal(0.0, 12.0, int(head.sum()))
    return np.clip(np.rint(voxels), 0, None).astype(np.int16)
