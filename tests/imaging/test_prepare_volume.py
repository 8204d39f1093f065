import gzip
import hashlib
import itertools
import zlib
from importlib.util import find_spec
from pathlib import Path

import nibabel as nib
import numpy as np
import pytest
from nibabel.nifti1 import Nifti1Extension

from imaging import PreparedVolume, prepare_volume
from tests.imaging.nifti_files import OBLIQUE, blob, positions, save


def loaded(prepared: PreparedVolume) -> nib.Nifti1Image:
    return nib.Nifti1Image.from_bytes(gzip.decompress(prepared.content))


def largest_difference(path: Path, prepared: PreparedVolume) -> float:
    """Look up every prepared voxel in the source by its place in mm; return the largest change of intensity."""
    source, result = nib.load(path), loaded(prepared)
    indices = np.array(list(np.ndindex(result.shape)))
    in_source = positions(np.linalg.inv(source.affine), positions(result.affine, indices))
    rounded = np.rint(in_source).astype(int)
    assert np.abs(in_source - rounded).max() < 1e-4
    assert (rounded >= 0).all() and (rounded < source.shape[:3]).all()
    before = np.asarray(source.dataobj, dtype=np.float64).reshape(source.shape[:3])[tuple(rounded.T)]
    after = np.asarray(result.dataobj, dtype=np.float64)[tuple(indices.T)]
    # What is not in the prepared volume any more was background.
    gone = np.ones(source.shape[:3], dtype=bool)
    gone[tuple(rounded.T)] = False
    assert not np.asarray(source.dataobj).reshape(source.shape[:3])[gone].any()
    return float(np.abs(before - after).max())


@pytest.mark.parametrize("dtype", ["u1", "i1", "i2", "u2"])
def test_small_integers_keep_value_and_place_exactly(tmp_path, dtype):
    path = save(tmp_path / "a.nii.gz", blob(dtype), OBLIQUE)

    prepared = prepare_volume(path)

    assert largest_difference(path, prepared) == 0.0
    assert loaded(prepared).get_data_dtype() == np.dtype("<i2")


def test_wide_integers_whose_range_fits_are_exact_by_a_shift(tmp_path):
    voxels = np.zeros((12, 12, 12), dtype="i4")
    voxels[3:9, 3:9, 3:9] = np.random.default_rng(1).integers(0, 65536, (6, 6, 6))
    path = save(tmp_path / "a.nii", voxels, OBLIQUE)

    prepared = prepare_volume(path)

    assert largest_difference(path, prepared) == 0.0


def test_large_integers_far_from_zero_are_exact_while_their_range_fits(tmp_path):
    voxels = (1_000_000_000 + np.arange(4 * 5 * 6).reshape(4, 5, 6)).astype("i4")
    path = save(tmp_path / "a.nii", voxels)

    stored = loaded(prepare_volume(path))

    assert (np.asarray(stored.dataobj, dtype=np.float64) == voxels).all()


@pytest.mark.parametrize("start", [2**63 - 100, 2**64 - 200, 0])
def test_the_largest_integers_do_not_overflow_on_the_way(tmp_path, start):
    voxels = np.arange(120, dtype="u8").reshape(4, 5, 6) + np.uint64(start)

    prepared = prepare_volume(save(tmp_path / "a.nii", voxels))

    raw = np.frombuffer(gzip.decompress(prepared.content)[352:], dtype="<i2").reshape((4, 5, 6), order="F")
    assert (raw.astype(int) - int(raw[0, 0, 0]) == np.arange(120).reshape(4, 5, 6)).all()


def test_the_average_head_of_nilearn_is_kept_exactly(tmp_path):
    path = Path(find_spec("nilearn").origin).parent / "datasets/data/mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"
    image = nib.Nifti1Image.from_filename(path)
    source = np.asarray(image.dataobj)

    prepared = prepare_volume(path)

    start = np.rint(np.array(prepared.affine)[:3, 3] - image.affine[:3, 3]).astype(int)
    box = tuple(slice(low, low + length) for low, length in zip(start, prepared.shape, strict=True))
    assert (np.asarray(loaded(prepared).dataobj) == source[box]).all()
    assert np.count_nonzero(source[box]) == np.count_nonzero(source)


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8"])
def test_integers_of_too_wide_a_range_are_rounded_by_at_most_half_a_step(tmp_path, dtype):
    path = save(tmp_path / "a.nii.gz", blob(dtype), OBLIQUE)
    source = np.asarray(nib.load(path).dataobj)

    prepared = prepare_volume(path)

    step = (float(source.max()) - float(source.min())) / 65535
    assert 0 < largest_difference(path, prepared) <= 0.501 * step * (65535 / 65534)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_floats_are_rounded_by_at_most_half_a_step(tmp_path, dtype):
    path = save(tmp_path / "a.nii.gz", blob(dtype), OBLIQUE)
    source = np.asarray(nib.load(path).dataobj)

    prepared = prepare_volume(path)

    assert largest_difference(path, prepared) <= 0.501 * (source.max() - source.min()) / 65534


@pytest.mark.parametrize("middle", [0.0, 1e6, -3e9])
def test_a_narrow_float_range_far_from_zero_is_not_clipped(tmp_path, middle):
    voxels = middle + np.linspace(0, 1, 5 * 6 * 7).reshape(5, 6, 7)
    path = save(tmp_path / "a.nii", voxels)

    stored = loaded(prepare_volume(path))

    slope = float(np.diff(np.unique(stored.dataobj)).min())
    error = np.abs(np.asarray(stored.dataobj, dtype=np.float64) - voxels).max()
    assert error <= 0.501 * slope


def test_whole_numbers_saved_as_float_are_exact(tmp_path):
    path = save(tmp_path / "a.nii", blob("i2").astype("f4"), OBLIQUE)

    assert largest_difference(path, prepare_volume(path)) == 0.0


@pytest.mark.parametrize(("slope", "intercept"), [(0.25, -7.5), (-2.0, 100.0), (1.7, 0.3)])
def test_scaling_of_integer_sources_is_kept(tmp_path, slope, intercept):
    path = save(tmp_path / "a.nii.gz", blob("i2"), OBLIQUE, slope=slope, intercept=intercept)

    prepared = prepare_volume(path)

    source, result = np.asarray(nib.load(path).dataobj), np.asarray(loaded(prepared).dataobj)
    assert sorted(set(source.ravel())) == sorted(set(result.ravel()))
    assert prepared.intensity_range == (source.min(), source.max())
    assert prepared.window[0] < prepared.window[1]


def test_every_axis_order_and_direction_ends_as_ras_with_voxels_in_place(tmp_path):
    voxels = blob("i2", (9, 11, 13))
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            affine = np.eye(4)
            affine[:3, :3] = np.diag(signs)[:, list(order)] * (1.0, 1.5, 2.5)
            affine[:3, 3] = (10.5, -20.25, 30)
            path = save(tmp_path / "a.nii", voxels, affine)

            prepared = prepare_volume(path)

            assert nib.aff2axcodes(np.array(prepared.affine)) == ("R", "A", "S")
            assert prepared.orientation == "RAS"
            assert largest_difference(path, prepared) == 0.0


@pytest.mark.parametrize("endian", ["<", ">"])
@pytest.mark.parametrize("kind", ["nifti1", "nifti2"])
def test_both_versions_and_byte_orders_give_the_same_prepared_bytes(tmp_path, kind, endian):
    voxels = blob("i2")
    expected = prepare_volume(save(tmp_path / "plain.nii", voxels, OBLIQUE.astype("f4")))

    prepared = prepare_volume(save(tmp_path / "other.nii.gz", voxels, OBLIQUE.astype("f4"), kind=kind, endian=endian))

    assert prepared.content == expected.content


def test_background_is_cut_off_up_to_a_rim_of_four_millimetres(tmp_path):
    voxels = np.full((40, 40, 20), 7, dtype="i2")
    voxels[20, 21, 10] = 9
    affine = np.diag([1.0, 1.5, 3.0, 1.0])

    prepared = prepare_volume(save(tmp_path / "a.nii", voxels, affine))

    assert prepared.shape == (9, 7, 5)  # one voxel, and 4 mm in whole voxels on both sides
    assert np.array(prepared.affine)[:3, 3].tolist() == [16.0, 27.0, 24.0]
    assert prepared.spacing == (1.0, 1.5, 3.0)


def test_noise_around_the_head_is_never_cut_off(tmp_path):
    voxels = np.random.default_rng(2).integers(0, 3, (20, 20, 20)).astype("i2")
    voxels[8:12, 8:12, 8:12] = 200

    prepared = prepare_volume(save(tmp_path / "a.nii", voxels))

    assert prepared.shape == (20, 20, 20)


def test_no_text_of_the_source_survives(tmp_path):
    marker = b"MARKER"
    header = nib.Nifti1Header()
    image = nib.Nifti1Image(blob("i2"), OBLIQUE, header)
    for field in ("descrip", "aux_file", "intent_name", "db_name"):
        image.header[field] = marker + field[:4].encode()
    image.header["cal_max"] = 4711.0
    image.header["toffset"] = 4712.0
    image.header["slice_duration"] = 4713.0
    image.header["intent_p1"] = 4714.0
    image.header.extensions.append(Nifti1Extension("comment", marker + b" in an extension"))
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    plain = image.to_bytes()
    assert plain.count(marker) == 5
    name_flag = 0b1000
    path = tmp_path / "MARKER.nii.gz"
    path.write_bytes(
        b"\x1f\x8b\x08" + bytes([name_flag]) + (1_700_000_000).to_bytes(4, "little") + b"\0\x03" + b"MARKER-name.nii\0"
        + packer.compress(plain) + packer.flush()
        + zlib.crc32(plain).to_bytes(4, "little") + len(plain).to_bytes(4, "little")
    )  # fmt: skip

    prepared = prepare_volume(path)

    unpacked = gzip.decompress(prepared.content)
    assert marker not in unpacked and marker not in prepared.content
    result = loaded(prepared).header
    assert not result.extensions
    for field in ("descrip", "aux_file", "intent_name", "db_name"):
        assert not result[field].item()
    for field in ("cal_max", "toffset", "slice_duration", "intent_p1", "intent_code"):
        assert float(result[field]) == 0.0
    assert prepared.content[:4] == b"\x1f\x8b\x08\x00" and prepared.content[4:8] == bytes(4)


def test_only_geometry_and_scaling_differ_from_an_empty_header(tmp_path):
    prepared = prepare_volume(save(tmp_path / "a.nii", blob("i2"), OBLIQUE))

    result, empty = loaded(prepared).header, nib.Nifti1Header()

    differing = {field for field in empty if result[field].tobytes() != empty[field].tobytes()}
    geometry = {"dim", "pixdim", "xyzt_units", "sform_code", "qform_code", "srow_x", "srow_y", "srow_z",
                "quatern_b", "quatern_c", "quatern_d", "qoffset_x", "qoffset_y", "qoffset_z"}  # fmt: skip
    assert differing <= geometry | {"datatype", "bitpix", "scl_slope", "scl_inter", "vox_offset"}


def test_sform_and_qform_agree_in_the_prepared_header(tmp_path):
    rotation = np.eye(4)
    rotation[:3, :3] = [[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 2.0]]

    header = loaded(prepare_volume(save(tmp_path / "a.nii", blob("i2"), rotation))).header

    assert int(header["sform_code"]) > 0 and int(header["qform_code"]) > 0
    assert np.allclose(header.get_qform(), header.get_sform(), atol=1e-4)


def test_a_sheared_affine_is_kept_in_the_sform_alone(tmp_path):
    sheared = np.eye(4)
    sheared[0, 1] = 0.3
    path = save(tmp_path / "a.nii", blob("i2"), sheared)

    prepared = prepare_volume(path)

    assert int(loaded(prepared).header["qform_code"]) == 0
    assert largest_difference(path, prepared) == 0.0


def test_the_qform_serves_where_there_is_no_sform(tmp_path):
    image = nib.Nifti1Image(blob("i2"), None)
    image.header.set_qform(np.diag([-1.0, -1.0, 2.0, 1.0]), code=1)
    image.header["sform_code"] = 0
    path = tmp_path / "a.nii"
    nib.save(image, path)

    prepared = prepare_volume(path)

    assert prepared.spacing == (1.0, 1.0, 2.0)
    assert nib.aff2axcodes(np.array(prepared.affine)) == ("R", "A", "S")


def test_units_other_than_millimetres_are_converted(tmp_path):
    micrometres = save(tmp_path / "a.nii", blob("i2"), np.diag([900.0, 900.0, 1200.0, 1.0]), xyzt_units=3)

    prepared = prepare_volume(micrometres)

    assert prepared.spacing == pytest.approx((0.9, 0.9, 1.2))


def test_a_fourth_dimension_of_length_one_is_harmless(tmp_path):
    path = save(tmp_path / "a.nii", blob("i2")[..., None], OBLIQUE)

    assert largest_difference(path, prepare_volume(path)) == 0.0


def test_the_same_source_gives_the_same_bytes_under_any_name_and_packing(tmp_path):
    voxels = blob("f4")

    first = prepare_volume(save(tmp_path / "a.nii.gz", voxels, OBLIQUE))
    second = prepare_volume(save(tmp_path / "other name.nii", voxels, OBLIQUE))

    assert first == second
    assert first.sha256 == hashlib.sha256(first.content).hexdigest()


def test_voxel_hash_follows_voxels_and_place_but_not_packing(tmp_path, monkeypatch):
    voxels = blob("i2")
    first = prepare_volume(save(tmp_path / "a.nii", voxels, OBLIQUE))
    moved = OBLIQUE.copy()
    moved[0, 3] += 1
    changed = voxels.copy()
    changed[8, 8, 8] += 1

    monkeypatch.setattr("imaging.preparing.GZIP_LEVEL", 6)
    packed = prepare_volume(save(tmp_path / "a.nii", voxels, OBLIQUE))
    elsewhere = prepare_volume(save(tmp_path / "a.nii", voxels, moved))
    other = prepare_volume(save(tmp_path / "a.nii", changed, OBLIQUE))

    assert packed.sha256 != first.sha256 and packed.voxel_sha256 == first.voxel_sha256
    assert len({first.voxel_sha256, elsewhere.voxel_sha256, other.voxel_sha256}) == 3


def test_the_default_window_leaves_the_background_out(tmp_path):
    voxels = np.zeros((30, 30, 30), dtype="i2")
    voxels[5:25, 5:25, 5:25] = np.arange(1, 8001).reshape(20, 20, 20)

    prepared = prepare_volume(save(tmp_path / "a.nii", voxels), percentiles=(1.0, 99.5))

    assert prepared.window == (80.0, 7960.0)  # nearest rank: 1 % and 99.5 % of the 8000 voxels that are not background
    assert prepared.intensity_range == (0.0, 8000.0)


def test_two_values_only_still_give_a_window(tmp_path):
    voxels = np.zeros((9, 9, 9), dtype="i2")
    voxels[4, 4, 4] = 1

    assert prepare_volume(save(tmp_path / "a.nii", voxels)).window == (0.0, 1.0)


def test_the_returned_affine_is_the_one_in_the_file(tmp_path):
    prepared = prepare_volume(save(tmp_path / "a.nii", blob("i2"), OBLIQUE))

    assert (loaded(prepared).affine == np.array(prepared.affine)).all()
