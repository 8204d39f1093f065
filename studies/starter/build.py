"""Writes a small study of three items to start from: tables, protocol, and scans made of ellipsoids."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import nibabel

from studies.heads import INTENSITIES, Lesion, affine_of, head

HERE = Path(__file__).parent
COPIED = ("protocol.yaml", "cases.csv", "case_history.csv", "items.csv", "references.csv", "candidates.csv")
SHAPE, SPACING = (60, 72, 56), 3.0
# What each scan shows.
LESIONS: dict[tuple[str, str], tuple[Lesion, ...]] = {
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
    for number, ((case, role), lesions) in enumerate(LESIONS.items()):
        for sequence in INTENSITIES:
            key = f"{case}-{role}-{sequence.lower()}"
            file = f"volumes/{key}.nii.gz"
            voxels = head(SHAPE, SPACING, lesions, sequence, seed=number)
            image = nibabel.Nifti1Image(voxels, affine_of(SHAPE, SPACING))
            (target / file).write_bytes(gzip.compress(image.to_bytes(), mtime=0))
            lines.append(f"{key},{case},{role},{sequence},{ACQUIRED[role]},{file},{sequence} (simulated)")
    (target / "volumes.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target
