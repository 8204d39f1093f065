from pathlib import Path

import nibabel as nib
import numpy as np
import pytest

from exchange.study_folder.folder import read_study_folder
from imaging import PreparedVolume, prepare_volume
from studies.demo.build import STAMP, build, scans, volume_key
from studies.demo.cases import CASES
from studies.demo.volumes import FULL, make_volume

COARSE = 8.0


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_folder_is_a_study_folder(tmp_path):
    built = build(tmp_path / "new" / "demo", step=COARSE)

    study = read_study_folder(built)
    assert built == tmp_path / "new" / "demo"
    assert [volume.key for volume in study.volumes] == [volume_key(c, role, seq) for c, role, _, seq in scans()]


def test_two_builds_are_equal_to_the_byte(tmp_path):
    assert contents(build(tmp_path / "a", step=COARSE)) == contents(build(tmp_path / "b", step=COARSE))


def test_a_second_build_leaves_scans_and_mends_tables(tmp_path):
    build(tmp_path, step=COARSE)
    before = contents(tmp_path)
    scan = tmp_path / "volumes" / "c01-current-t1.nii.gz"
    made = scan.stat().st_mtime_ns
    (tmp_path / "items.csv").write_text("broken")

    build(tmp_path, step=COARSE)

    assert contents(tmp_path) == before
    assert scan.stat().st_mtime_ns == made


def test_an_interrupted_build_is_made_good(tmp_path):
    def stop(done: int, total: int, name: str) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "a", progress=stop, step=COARSE)
    assert not (tmp_path / "a" / STAMP).exists()

    build(tmp_path / "a", step=COARSE)

    assert contents(tmp_path / "a") == contents(build(tmp_path / "b", step=COARSE))


def test_another_resolution_makes_the_scans_anew(tmp_path):
    build(tmp_path, step=9.0)

    build(tmp_path, step=COARSE)

    image = nib.Nifti1Image.from_filename(tmp_path / "volumes" / "c02-current-t1.nii.gz")
    assert image.header.get_zooms() == (COARSE,) * 3


def test_progress_is_told_before_each_scan_and_at_the_end(tmp_path):
    calls: list[tuple[int, int, str]] = []

    build(tmp_path, progress=lambda *call: calls.append(call), step=COARSE)

    total = len(scans())
    assert [done for done, _, _ in calls] == list(range(total + 1))
    assert {of for _, of, _ in calls} == {total}
    assert calls[0][2] == "c01-current-t1.nii.gz"


@pytest.fixture(scope="module")
def full(tmp_path_factory) -> dict[str, tuple[Path, PreparedVolume]]:
    """Both sequences of one case at 1 mm, as files and as prepared for readers."""
    folder = tmp_path_factory.mktemp("full")
    case = CASES[0]
    made = {}
    for sequence in case.current.sequences:
        path = folder / f"{sequence}.nii.gz"
        make_volume(case, case.current, sequence, FULL).to_filename(path)
        made[sequence] = (path, prepare_volume(path, percentiles=(0.0, 99.5)))
    return made


def stored(prepared: PreparedVolume, folder: Path) -> np.ndarray:
    path = folder / "prepared.nii.gz"
    path.write_bytes(prepared.content)
    return np.asarray(nib.Nifti1Image.from_filename(path).dataobj, dtype=float)


def test_a_full_scan_has_voxels_of_one_millimetre_and_is_cropped_to_the_head(full):
    for _, prepared in full.values():
        assert prepared.spacing == (1.0, 1.0, 1.0)
        assert all(130 < length < 210 for length in prepared.shape)


def test_a_full_scan_survives_preparation_exactly(full, tmp_path):
    for path, prepared in full.values():
        source = np.asarray(nib.Nifti1Image.from_filename(path).dataobj)
        affine = nib.Nifti1Image.from_filename(path).affine
        start = np.rint(np.array(prepared.affine)[:3, 3] - affine[:3, 3]).astype(int)
        box = tuple(slice(low, low + length) for low, length in zip(start, prepared.shape, strict=True))

        assert (stored(prepared, tmp_path) == source[box]).all()
        assert np.count_nonzero(source) == np.count_nonzero(source[box])


def test_all_sequences_of_a_case_have_one_extent(full):
    assert full["T1"][1].affine == full["T2"][1].affine
    assert full["T1"][1].shape == full["T2"][1].shape


def test_a_lesion_can_be_seen_in_the_default_window(full, tmp_path):
    lesion = CASES[0].current.lesions[0]
    for sequence, (_, prepared) in full.items():
        shown = stored(prepared, tmp_path)
        low, high = prepared.window
        grey = ((shown - low) / (high - low)).clip(0, 1)
        x, y, z = (
            np.arange(length) + origin - centre
            for length, origin, centre in zip(
                prepared.shape, np.array(prepared.affine)[:3, 3], lesion.centre, strict=True
            )
        )
        away = np.sqrt(x[:, None, None] ** 2 + y[None, :, None] ** 2 + z[None, None, :] ** 2)
        inside = grey[away < 0.5 * lesion.radius]
        around = grey[(away > 1.4 * lesion.radius) & (away < 2 * lesion.radius) & (shown > 0)]

        assert abs(inside.mean() - np.median(around)) > 0.25, sequence
        assert abs(inside.mean() - np.median(around)) > 5 * inside.std(), sequence
