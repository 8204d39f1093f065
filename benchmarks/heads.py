"""Heads to measure with: made by computation, the same on every run, and each one tells by its pixels which it is.

A head has the size of a real one at 1 mm, noise in the tissue (so that it packs no better than a scan does), exactly
uniform air (so that the import crops it), and in its middle a cube of two greys. The pair of greys is the case's, and
T1 and T2 have greys of their own: an image of the canvas says what is really shown, whatever the page says.
"""

from __future__ import annotations

import csv
import struct
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import nibabel
import numpy as np
import numpy.typing as npt
import yaml

SEQUENCES = ("T1", "T2")
MATRIX = (192, 256, 256)  # voxels of 1 mm to the right, to the front and upwards
HEAD = (76.0, 96.0, 112.0)  # mm, half axes
CUBE = 24  # mm, half an edge
WHITE = 32000  # intensity that the default window shows as white; 0 is black
LEVELS = 10
# Intensities of the cube's halves, as shares of white.
GREYS = {
    "T1": [0.45 + 0.02 * level for level in range(LEVELS)],
    "T2": [0.70 + 0.02 * level for level in range(LEVELS)],
}
MOST_CASES = 45
CAL_MAX = 124  # place in a NIfTI-1 header, in front of cal_min

Array = npt.NDArray[np.int16]
Feed = Callable[[int, int, str], None]


def code_of(case: int, sequence: str) -> str:
    """Return the mark of a case's image, as `watch.js` reads it: "T1 2 7" for the levels 2 and 7 of T1's greys."""
    low, high = list(combinations(range(LEVELS), 2))[case * 7 % MOST_CASES]
    return f"{sequence} {low} {high}"


def grey_levels() -> dict[str, list[int]]:
    """Return the greys on the screen (0 to 255) of every level, in the default window."""
    return {sequence: [round(255 * share) for share in shares] for sequence, shares in GREYS.items()}


def head(case: int, sequence: str) -> nibabel.Nifti1Image:
    """Make one volume."""
    tissue = _tissue()
    shift = 1 + 2 * case + SEQUENCES.index(sequence)
    noise = np.roll(_noise(), shift, axis=0)
    voxels = np.where(tissue == _BRAIN, np.clip(tissue + noise, _SKULL, None), tissue)
    voxels = np.where(tissue == _SCALP, tissue - np.abs(noise), voxels)
    _, low, high = code_of(case, sequence).split()
    middle = [length // 2 for length in MATRIX]
    cube = tuple(slice(at - CUBE, at + CUBE) for at in middle)
    voxels[cube] = round(GREYS[sequence][int(low)] * WHITE)
    voxels[(slice(middle[0], middle[0] + CUBE), *cube[1:])] = round(GREYS[sequence][int(high)] * WHITE)
    affine = np.diag([1.0, 1.0, 1.0, 1.0])
    affine[:3, 3] = [-length / 2 for length in MATRIX]
    return nibabel.Nifti1Image(voxels.astype(np.int16), affine)


# Skull and scalp are large enough for the import's percentiles to take them for black and for white.
_SKULL, _SCALP, _BRAIN = 32, WHITE, 7200


@lru_cache(maxsize=1)
def _tissue() -> Array:
    axes = [
        (np.arange(length, dtype=np.float32) - length // 2) / half for length, half in zip(MATRIX, HEAD, strict=True)
    ]
    x, y, z = np.meshgrid(*axes, indexing="ij", sparse=True)
    radius = np.sqrt(x**2 + y**2 + z**2)
    tissue = np.zeros(MATRIX, dtype=np.int16)
    tissue[radius < 1] = _SCALP
    tissue[radius < 0.94] = _SKULL
    tissue[radius < 0.87] = _BRAIN
    return tissue


@lru_cache(maxsize=1)
def _noise() -> Array:
    return np.random.default_rng(4).normal(0, 1800, MATRIX).astype(np.int16)


def with_window(content: bytes) -> bytes:
    """Return a packed volume with the default window in its header, where viewers without a protocol look for it."""
    plain = bytearray(zlib.decompress(content, wbits=31))
    struct.pack_into("<2f", plain, CAL_MAX, WHITE, 0)
    return zlib.compress(bytes(plain), level=1, wbits=31)


def write_study(
    folder: Path, cases: int, rounds: int, *, order: str = "as_listed", feed: Feed = lambda done, total, text: None
) -> Path:
    """Write a study folder in which every round asks about every case once: `cases * rounds` items of T1 and T2."""
    volumes = folder / "volumes"
    volumes.mkdir(parents=True)
    names = [f"c{case:02}" for case in range(cases)]
    scans = [(case, sequence) for case in range(cases) for sequence in SEQUENCES]
    for number, (case, sequence) in enumerate(scans):
        feed(number, len(scans), f"making {names[case]} {sequence}")
        nibabel.save(head(case, sequence), volumes / f"{names[case]}-{sequence}.nii")
    feed(len(scans), len(scans), "heads made")
    # Hundreds of megabytes that nothing needs any more.
    _tissue.cache_clear()
    _noise.cache_clear()
    (folder / "protocol.yaml").write_text(yaml.safe_dump(_protocol(order)), encoding="utf-8")
    _table(folder / "cases.csv", "case,subject,vignette,age,note", ((name, name, "", "", "") for name in names))
    _table(
        folder / "volumes.csv",
        "volume,case,role,sequence,acquired,file,label",
        (
            (f"{names[case]}-{sequence}", names[case], "current", sequence, "", _file(names[case], sequence), sequence)
            for case, sequence in scans
        ),
    )
    items = [(f"r{turn}-{name}", name, turn) for turn in range(rounds) for name in names]
    _table(
        folder / "items.csv",
        "item,case,category,format,grounding,form,prompt,options,sequences,uses_prior",
        (
            (item, case, "finding", "yes_no", "image_grounded", "finding", _prompt(case, turn), "", "T1|T2", "false")
            for item, case, turn in items
        ),
    )
    _table(
        folder / "references.csv",
        "item,accepted,low,high,text_only_answer,provenance",
        ((item, "yes", "", "", "", "made up") for item, _, _ in items),
    )
    _table(folder / "candidates.csv", "candidate,item,model,answer", [("k1", items[0][0], "none", "yes")])
    return folder


def _file(case: str, sequence: str) -> str:
    return f"volumes/{case}-{sequence}.nii"


def _prompt(case: str, turn: int) -> str:
    return f"Case {case}, round {turn + 1}: is there a finding?"


def _protocol(order: str) -> dict[str, object]:
    confidence = [{"id": str(level), "text": word} for level, word in enumerate(("guess", "unsure", "sure"), start=1)]
    return {
        "name": "speed",
        "title": "Heads to measure with",
        "instructions": "Read every item.",
        "notice": "Made by a computer, to measure with.",
        "seed": 1,
        "forms": {
            "finding": {
                "fields": [
                    {"key": "answer", "type": "yes_no", "label": "Finding"},
                    {"key": "confidence", "type": "ordinal", "label": "How sure are you?", "options": confidence},
                ]
            }
        },
        "reading": {
            "order": order,
            "comment": True,
            "not_assessable": [{"id": "quality", "text": "Image quality"}],
            "flags": [{"id": "prompt", "text": "The question is unclear"}],
        },
    }


def _table(path: Path, header: str, rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header.split(","))
        table.writerows(rows)
