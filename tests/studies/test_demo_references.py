"""The references of the demo, found again from its voxels.

Nothing here asks the specification for an answer. Each case is made with and without its lesions; where the two differ,
there is a lesion, and its place, number, size and brightness are measured. The answers that follow must be the ones in
references.csv.
"""

import csv
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import nibabel as nib
import numpy as np
import pytest
from scipy import ndimage

from studies.demo.cases import CASES, Case, Scan
from studies.demo.volumes import Grid, make_volume

DEMO = Path(__file__).parents[2] / "studies" / "demo"
GRID = Grid(2.0)
CASE = {case.key: case for case in CASES}


@dataclass(frozen=True)
class MeasuredLesion:
    """One connected region in which lesions changed the image."""

    centre: tuple[float, float, float]  # mm
    volume: float  # mm3, on T1, which every scan has
    centre_signal: dict[str, float]  # sequence -> intensity up to 3 mm from the centre, white matter = 1
    rim_signal: dict[str, float]  # the same just outside of what is as bright or as dark as the centre
    surrounding_signal: dict[str, float]  # the same where the region is, without the lesion
    mask: np.ndarray

    @property
    def side(self) -> str:
        return "right" if self.centre[0] > 0 else "left"

    @property
    def region(self) -> str:
        """Name the region of MNI152 space by plain landmarks."""
        x, y, z = self.centre
        if y < -40 and z < -18:
            return "cerebellum"
        if abs(x) < 12 and z < -8:
            return "brainstem"
        if 15 < abs(x) < 34 and -20 < y < 18 and -8 < z < 14:
            return "basal ganglia"
        if y < -68:
            return "occipital"
        if abs(x) > 35 and z < 5:
            return "temporal"
        if y < -25 and z > 20:
            return "parietal"
        return "frontal"


def voxels(image: nib.Nifti1Image) -> np.ndarray:
    return np.asarray(image.dataobj, dtype=float)


@cache
def images(key: str) -> dict[str, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Return role -> sequence -> (with lesions, without them), of all scans of a case: they show the same head."""
    case = CASE[key]
    return {role: images_of(case, scan) for role, scan in case.scans()}


def images_of(case: Case, scan: Scan) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return sequence -> (with lesions, without them), in units of the white matter of the latter."""
    bare = replace(scan, lesions=())
    result: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    of_bare = {
        sequence: voxels(make_volume(case, bare, sequence, GRID, noise=False)) for sequence in {"T1", *scan.sequences}
    }
    t1 = of_bare["T1"]
    white = t1 > 0.93 * np.percentile(t1[t1 > 0], 98)
    for sequence in scan.sequences:
        shown = voxels(make_volume(case, scan, sequence, GRID, noise=False))
        without = of_bare[sequence]
        unit = np.median(without[white])
        result[sequence] = (shown / unit, without / unit)
    return result


@cache
def lesions(key: str, role: str = "current") -> tuple[MeasuredLesion, ...]:
    """Find the lesions of one scan, the largest first."""
    pairs = images(key)[role]
    changed = np.any([abs(shown - without) > 0.12 for shown, without in pairs.values()], axis=0)
    labelled, count = ndimage.label(changed)
    measured = []
    for number in range(1, count + 1):
        mask = labelled == number
        if mask.sum() * GRID.step**3 < 100:  # mm3: crumbs at the blurred border
            continue
        centre = GRID.affine[:3, :3] @ np.array(ndimage.center_of_mass(mask)) + GRID.affine[:3, 3]
        away = distance_from(centre)
        middle = away < 3
        measured.append(
            MeasuredLesion(
                tuple(float(part) for part in centre),
                float((mask & (abs(np.subtract(*pairs["T1"])) > 0.12)).sum() * GRID.step**3),
                {sequence: float(shown[middle].mean()) for sequence, (shown, _) in pairs.items()},
                {sequence: rim_of(shown, middle) for sequence, (shown, _) in pairs.items()},
                {sequence: float(without[mask].mean()) for sequence, (_, without) in pairs.items()},
                mask,
            )
        )
    return tuple(sorted(measured, key=lambda lesion: -lesion.volume))


def rim_of(shown: np.ndarray, middle: np.ndarray) -> float:
    """Return the mean intensity 2 to 4 mm outside of the connected region that looks like `middle`."""
    centre = shown[middle].mean()
    labelled, _ = ndimage.label(abs(shown - centre) < 0.2 * centre)
    core = np.isin(labelled, np.unique(labelled[middle & (labelled > 0)]))
    # No more of the head than the core and what is within 4 mm of it: distances there are the same.
    (near,) = ndimage.find_objects(core.astype(int))
    margin = int(4 / GRID.step) + 1
    box = tuple(slice(max(0, part.start - margin), part.stop + margin) for part in near)
    away = ndimage.distance_transform_edt(~core[box], sampling=GRID.step)
    return float(shown[box][(away > 2) & (away <= 4) & (shown[box] > 0)].mean())


def distance_from(centre: np.ndarray) -> np.ndarray:
    x, y, z = (axis - part for axis, part in zip(GRID.axes(), centre, strict=True))
    return np.sqrt(x[:, None, None] ** 2 + y[None, :, None] ** 2 + z[None, None, :] ** 2)


@cache
def ventricle_volumes(key: str) -> dict[str, float]:
    """Return the volume of dark fluid around each lateral ventricle, in mm3."""
    x, y, z = GRID.axes()
    around = (
        (abs(x) > 1) & (abs(x) < 34)
    )[:, None, None] & ((y > -48) & (y < 36))[None, :, None] & ((z > 4) & (z < 34))[None, None, :]  # fmt: skip
    shown, _ = images(key)["current"]["T1"]
    fluid = around & (shown > 0) & (shown < 0.55)
    # Sulci at the rim of the region are apart from the ventricles, and smaller.
    right = (x > 0)[:, None, None]
    volumes = {}
    for side, half in (("right", right), ("left", ~right)):
        labelled, count = ndimage.label(fluid & half)
        sizes = ndimage.sum_labels(fluid, labelled, range(1, count + 1))
        volumes[side] = float(max(sizes, default=0.0) * GRID.step**3)
    return volumes


def sides(measured: tuple[MeasuredLesion, ...]) -> str:
    seen = {lesion.side for lesion in measured}
    return "none" if not seen else "both" if len(seen) == 2 else seen.pop()


def yes(condition: bool) -> str:
    return "yes" if condition else "no"


def enlarged(key: str) -> str:
    """A lateral ventricle counts as enlarged at 1.6 times the mean of the demo's cases that were made alike."""
    usual = np.mean([volume for other in CASE if other != key for volume in ventricle_volumes(other).values()])
    large = {side for side, volume in ventricle_volumes(key).items() if volume > 1.6 * usual}
    return "none" if not large else "both" if len(large) == 2 else large.pop()


def dark_t1_bright_t2_in_white_matter(lesion: MeasuredLesion) -> bool:
    return (
        lesion.centre_signal["T2"] > 1.3 * lesion.surrounding_signal["T2"]
        and lesion.centre_signal["T1"] < 0.8 * lesion.surrounding_signal["T1"]
        and lesion.surrounding_signal["T1"] > 0.85
    )


def compared(now: float, before: float) -> str:
    return "larger" if now > 1.25 * before else "smaller" if now < 0.8 * before else "unchanged"


def pattern_on_t2(lesion: MeasuredLesion) -> str:
    """Tell a dark rim by a shell that is darker than white matter close around a centre that is brighter."""
    if lesion.centre_signal["T2"] < 1:
        return "even_dark"
    return "bright_dark_rim" if lesion.rim_signal["T2"] < 0.9 else "even_bright"


def brighter_than_white_matter(lesion: MeasuredLesion) -> str:
    bright = [sequence for sequence, signal in lesion.centre_signal.items() if signal > 1.1]
    return {0: "neither", 1: bright[0] if bright else "", 2: "both"}[len(bright)]


def is_new(lesion: MeasuredLesion, before: tuple[MeasuredLesion, ...]) -> bool:
    return not any((lesion.mask & other.mask).any() for other in before)


# The weak limb is controlled from the other side (left hand: c01; right leg: c08).
ANSWERS: dict[str, Callable[[], str]] = {
    "c01-side": lambda: sides(lesions("c01")),
    "c01-explains": lambda: yes(any(lesion.side == "right" for lesion in lesions("c01"))),
    "c01-signal": lambda: yes(any(map(dark_t1_bright_t2_in_white_matter, lesions("c01")))),
    "c02-lesion": lambda: yes(bool(lesions("c02"))),
    "c02-side": lambda: sides(lesions("c02")),
    "c02-ventricle": lambda: enlarged("c02"),
    "c03-count": lambda: str(len(lesions("c03"))),
    "c03-both": lambda: yes(sides(lesions("c03")) == "both"),
    "c03-bright-t1": lambda: yes(any(lesion.centre_signal["T1"] > 1.1 for lesion in lesions("c03"))),
    "c04-change": lambda: compared(lesions("c04")[0].volume, lesions("c04", "prior")[0].volume),
    "c04-lobe": lambda: lesions("c04")[0].region,
    "c04-left": lambda: yes(any(lesion.side == "left" for lesion in lesions("c04"))),
    "c05-new": lambda: yes(any(is_new(lesion, lesions("c05", "prior")) for lesion in lesions("c05"))),
    "c05-count": lambda: ["zero", "one", "two", "three_or_more"][min(3, len(lesions("c05")))],
    "c05-parietal": lambda: yes(any(lesion.region == "parietal" for lesion in lesions("c05"))),
    "c06-region": lambda: lesions("c06")[0].region,
    "c06-pattern": lambda: pattern_on_t2(lesions("c06")[0]),
    "c06-frontal": lambda: yes(any(lesion.region == "frontal" for lesion in lesions("c06"))),
    "c07-lesion": lambda: yes(bool(lesions("c07"))),
    "c07-ventricle": lambda: enlarged("c07"),
    "c07-age": lambda: yes(enlarged("c07") != "none"),
    "c08-explains": lambda: yes(any(lesion.side == "left" for lesion in lesions("c08"))),
    "c08-sequence": lambda: brighter_than_white_matter(lesions("c08")[0]),
    "c08-structure": lambda: lesions("c08")[0].region,
}


def references() -> list[dict[str, str]]:
    with (DEMO / "references.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", references(), ids=lambda row: row["item"])
def test_the_voxels_give_the_answer_that_references_csv_calls_right(row):
    measured = ANSWERS[row["item"]]()

    assert measured in row["accepted"].split("|")


def test_every_reference_is_measured():
    assert set(ANSWERS) == {row["item"] for row in references()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
def test_lesions_are_where_the_specification_puts_them(case):
    for role, scan in case.scans():
        measured = lesions(case.key, role)

        assert len(measured) == len(scan.lesions)
        for lesion in scan.lesions:
            nearest = min(measured, key=lambda candidate: np.linalg.norm(np.subtract(candidate.centre, lesion.centre)))
            assert np.linalg.norm(np.subtract(nearest.centre, lesion.centre)) < 3.5
            assert (nearest.side, nearest.region) == (lesion.side, lesion.region)


def test_a_lesion_that_is_in_both_scans_has_not_changed():
    before = lesions("c05", "prior")[0]
    now = next(lesion for lesion in lesions("c05") if not is_new(lesion, (before,)))

    assert compared(now.volume, before.volume) == "unchanged"


def test_lateral_ventricles_are_alike_in_size_where_nothing_was_enlarged():
    for key in CASE:
        if CASE[key].current.enlarged_ventricle is None:
            left, right = ventricle_volumes(key)["left"], ventricle_volumes(key)["right"]

            assert max(left, right) < 1.45 * min(left, right), key
