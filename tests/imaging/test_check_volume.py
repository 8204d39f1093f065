import gzip
import re
import tracemalloc
from pathlib import Path

import nibabel as nib
import numpy as np
import pytest

from imaging import ImagingError, Limits, check_volume, prepare_volume
from tests.imaging.nifti_files import OBLIQUE, blob, save

SMALL = Limits(max_bytes=2**20, max_unpacked_bytes=2**20, max_voxels=100_000)
FIRST = np.eye(4)


def refusal(path: Path, limits: Limits = SMALL) -> str:
    """Return the message, after checking that it is one sentence with the file's name and not its folder."""
    with pytest.raises(ImagingError) as caught:
        check_volume(path, limits)
    with pytest.raises(ImagingError):
        prepare_volume(path, limits=limits)
    message = str(caught.value)
    assert message.startswith(path.name) and message.endswith(".")
    assert str(path.parent) not in message
    assert not re.search(r"[.!?]\s+[A-Z]", message), "more than one sentence"
    assert re.search(r"\b(expected|accepted|nothing to read|be read)\b", message), "does not say what was expected"
    assert re.search(r"[:;] .*\b(export|convert|save|check|crop|find|name|rescale|replace)", message), "says no remedy"
    return message


def test_a_good_file_is_accepted(tmp_path):
    check_volume(save(tmp_path / "a.nii.gz", blob(), OBLIQUE), SMALL)


def test_a_missing_file_is_refused(tmp_path):
    assert "No such file" in refusal(tmp_path / "a.nii.gz")


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "a.nii").mkdir()

    assert "is not a file" in refusal(tmp_path / "a.nii")


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "a.nii").touch()

    assert "0 bytes" in refusal(tmp_path / "a.nii")


@pytest.mark.parametrize(
    "content",
    [b"hello", b"\x89PNG" + bytes(1000), gzip.compress(b"x" * 1000), bytes(400)],
    ids=["text", "image", "packed text", "nothing"],  # the packed one holds the time, and workers compare names
)
def test_a_file_that_is_not_nifti_is_refused(tmp_path, content):
    path = tmp_path / "a.nii.gz"
    path.write_bytes(content)

    assert "not a NIfTI file" in refusal(path)


def test_one_half_of_a_pair_is_refused(tmp_path):
    nib.save(nib.Nifti1Pair(blob(), FIRST), tmp_path / "a.img")

    assert "one half of a .hdr/.img pair" in refusal(tmp_path / "a.hdr")


@pytest.mark.parametrize("length", [300, 352, 5000])
def test_a_truncated_plain_file_is_refused(tmp_path, length):
    path = save(tmp_path / "a.nii", blob())
    path.write_bytes(path.read_bytes()[:length])

    message = refusal(path)

    assert "truncated" in message or length < 348


@pytest.mark.parametrize("lost", [1, 8, 500])
def test_a_truncated_gzip_file_is_refused(tmp_path, lost):
    path = save(tmp_path / "a.nii.gz", blob())
    path.write_bytes(path.read_bytes()[:-lost])

    assert "truncated" in refusal(path)


def test_a_whole_gzip_file_around_too_few_voxels_is_refused(tmp_path):
    path = save(tmp_path / "a.nii.gz", blob())
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())[:-10]))

    assert "truncated" in refusal(path)


def test_a_damaged_byte_in_a_gzip_file_is_found_by_its_checksum(tmp_path):
    path = save(tmp_path / "a.nii.gz", np.random.default_rng(1).integers(0, 9999, (20, 20, 20)).astype("i2"))
    content = bytearray(path.read_bytes())
    content[-5] ^= 0xFF  # the stored checksum
    path.write_bytes(content)

    assert "damaged gzip" in refusal(path)


@pytest.mark.parametrize("zeros", [3, 512, 40_000])
def test_zero_padding_between_the_members_of_a_gzip_file_ends_nothing(tmp_path, zeros):
    path = save(tmp_path / "a.nii", blob())
    content = path.read_bytes()
    packed = tmp_path / "b.nii.gz"
    packed.write_bytes(gzip.compress(content[:1000]) + bytes(zeros) + gzip.compress(content[1000:]))

    assert prepare_volume(packed).content == prepare_volume(path).content


def test_bytes_behind_the_padding_of_a_gzip_file_are_seen(tmp_path):
    path = save(tmp_path / "a.nii.gz", blob())
    path.write_bytes(path.read_bytes() + bytes(40_000) + b"abc")

    assert "damaged gzip" in refusal(path)


def test_a_gzip_file_in_several_members_with_padding_is_read(tmp_path):
    path = save(tmp_path / "a.nii", blob())
    content = path.read_bytes()
    packed = tmp_path / "b.nii.gz"
    packed.write_bytes(gzip.compress(content[:1000]) + gzip.compress(content[1000:]) + bytes(512))

    assert prepare_volume(packed).content == prepare_volume(path).content


def test_a_file_too_large_on_disk_is_refused(tmp_path):
    path = save(tmp_path / "a.nii", blob())

    assert "on disk" in refusal(path, Limits(max_bytes=1000))


def test_a_gzip_bomb_behind_a_good_volume_is_refused_while_unpacking(tmp_path):
    path = save(tmp_path / "a.nii", blob())
    bomb = tmp_path / "bomb.nii.gz"
    bomb.write_bytes(gzip.compress(path.read_bytes() + bytes(64 * 2**20), 9))
    assert bomb.stat().st_size < 2**20

    tracemalloc.start()
    message = refusal(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert "unpacks to more than 1.0 MiB" in message
    assert peak < 8 * 2**20


def test_a_header_that_announces_absurdly_many_voxels_is_refused_before_memory_is_taken(tmp_path):
    path = save(tmp_path / "a.nii.gz", blob(), dim=[3, 30000, 30000, 30000, 1, 1, 1, 1])

    tracemalloc.start()
    message = refusal(path, Limits())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert "30000 x 30000 x 30000 voxels" in message
    assert peak < 8 * 2**20


def test_a_small_file_that_announces_a_large_volume_within_the_limits_takes_no_memory_either(tmp_path):
    path = save(tmp_path / "a.nii.gz", blob(), dim=[3, 500, 500, 500, 1, 1, 1, 1])

    tracemalloc.start()
    message = refusal(path, Limits())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert "truncated" in message
    assert peak < 8 * 2**20


def test_voxels_that_unpack_beyond_the_limit_are_refused(tmp_path):
    path = save(tmp_path / "a.nii.gz", np.zeros((100, 100, 40), dtype="f8"))

    assert "announces" in refusal(path, Limits(max_unpacked_bytes=2**21))


def test_a_nifti2_header_with_dimensions_beyond_any_integer_is_refused(tmp_path):
    path = save(tmp_path / "a.nii", blob(), kind="nifti2", dim=[3, 2**62, 2**62, 2**62, 1, 1, 1, 1])

    assert "voxels, but at most" in refusal(path)


def test_several_time_points_are_refused(tmp_path):
    path = save(tmp_path / "a.nii", np.zeros((4, 4, 4, 200), dtype="i2"))

    assert "200 time points" in refusal(path)


def test_several_values_per_voxel_are_refused(tmp_path):
    path = save(tmp_path / "a.nii", np.zeros((4, 4, 4, 1, 3), dtype="i2"))

    assert "several values per voxel" in refusal(path)


@pytest.mark.parametrize(("dim", "said"), [([1, 20, 20, 1, 1, 1, 1, 1], "1 dimensions"),
                                            ([0, 1, 1, 1, 1, 1, 1, 1], "0 dimensions"),
                                            ([9, 1, 1, 1, 1, 1, 1, 1], "9 dimensions"),
                                            ([3, 20, 0, 18, 1, 1, 1, 1], "20 x 0 x 18"),
                                            ([3, 20, -22, 18, 1, 1, 1, 1], "20 x -22 x 18")])  # fmt: skip
def test_sizes_that_are_no_volume_are_refused(tmp_path, dim, said):
    assert said in refusal(save(tmp_path / "a.nii", blob(), dim=dim))


@pytest.mark.parametrize(("dtype", "said"), [([("R", "u1"), ("G", "u1"), ("B", "u1")], "RGB"),
                                              ([("R", "u1"), ("G", "u1"), ("B", "u1"), ("A", "u1")], "RGBA"),
                                              ("c8", "complex"), ("c16", "complex")])  # fmt: skip
def test_voxels_that_are_not_one_real_number_are_refused(tmp_path, dtype, said):
    path = tmp_path / "a.nii"
    nib.save(nib.Nifti1Image(np.zeros((6, 6, 6), dtype=dtype), FIRST), path)

    assert said in refusal(path)


def test_an_unknown_datatype_is_refused(tmp_path):
    assert "unknown datatype 77" in refusal(save(tmp_path / "a.nii", blob(), datatype=77))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(tmp_path, value):
    voxels = blob("f4")
    voxels[5, 5, 5] = value

    assert "1 voxels that are not finite" in refusal(save(tmp_path / "a.nii", voxels))


def test_a_scaling_that_is_not_finite_is_refused(tmp_path):
    assert "slope inf" in refusal(save(tmp_path / "a.nii", blob(), slope=np.inf))


def test_intensities_beyond_a_32_bit_float_are_refused(tmp_path):
    with pytest.raises(ImagingError, match=r"^a\.nii has intensities from .* rescale it"):
        prepare_volume(save(tmp_path / "a.nii", blob("f8") * 1e300))


@pytest.mark.parametrize("value", [0, 12])
def test_equal_voxels_are_refused(tmp_path, value):
    path = save(tmp_path / "a.nii", np.full((5, 5, 5), value, dtype="i2"))

    assert f"the same value ({value}) in all voxels" in refusal(path)


def test_an_empty_affine_is_refused(tmp_path):
    rows = {f"srow_{axis}": [0.0, 0, 0, 0] for axis in "xyz"}

    assert "empty affine" in refusal(save(tmp_path / "a.nii", blob(), **rows))


def test_a_singular_affine_is_refused(tmp_path):
    assert "singular affine" in refusal(save(tmp_path / "a.nii", blob(), srow_z=[0.0, 1, 0, 5]))
    assert "singular affine" in refusal(save(tmp_path / "b.nii", blob(), np.eye(4), srow_y=[0.0, 0, 0, 5]))


def test_an_affine_that_is_not_finite_is_refused(tmp_path):
    assert "not finite" in refusal(save(tmp_path / "a.nii", blob(), srow_x=[np.nan, 0, 0, 0]))


def test_neither_sform_nor_qform_is_refused(tmp_path):
    assert "neither an sform nor a qform" in refusal(save(tmp_path / "a.nii", blob(), sform_code=0, qform_code=0))


def test_a_qform_that_is_no_rotation_is_refused(tmp_path):
    path = save(tmp_path / "a.nii", blob(), sform_code=0, qform_code=1, quatern_b=2.0)

    assert "not a rotation" in refusal(path)


def test_forms_that_contradict_each_other_on_left_and_right_are_refused(tmp_path):
    path = save(tmp_path / "a.nii", blob(), np.diag([-1.0, 1, 1, 1]), qform_code=1, pixdim=[1, 1, 1, 1, 0, 0, 0, 0])

    assert "contradict each other on left and right" in refusal(path)


def test_an_implausible_voxel_size_is_refused(tmp_path):
    path = save(tmp_path / "a.nii", blob(), xyzt_units=1)  # 1 mm, marked as metres

    assert "1000 x 1000 x 1000 mm" in refusal(path)


def test_an_unknown_unit_of_length_is_refused(tmp_path):
    assert "unit of length as code 5" in refusal(save(tmp_path / "a.nii", blob(), xyzt_units=5))


@pytest.mark.parametrize("offset", [-100.0, 100.0, np.nan, np.inf, 1e30])
def test_voxels_at_an_impossible_place_in_the_file_are_refused(tmp_path, offset):
    assert "announces its voxels at byte" in refusal(save(tmp_path / "a.nii", blob(), vox_offset=offset))


def test_unprintable_letters_of_a_file_name_do_not_reach_the_message(tmp_path):
    path = tmp_path / "a\n\x1b[31m.nii"
    path.write_bytes(b"no")

    with pytest.raises(ImagingError, match=r"^a\?\?\[31m\.nii is not a NIfTI file"):
        check_volume(path)


def open_files() -> int:
    """Return how many files this process has open (0 where the system does not tell)."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def test_no_file_stays_open(tmp_path):
    good = save(tmp_path / "a.nii.gz", blob())
    bad = save(tmp_path / "b.nii", blob(), datatype=77)
    before = open_files()

    prepare_volume(good)
    with pytest.raises(ImagingError) as caught:
        check_volume(bad)

    assert caught.value
    assert open_files() == before


@pytest.mark.parametrize("name", ["example4d.nii.gz", "functional.nii"])
def test_the_4d_files_that_come_with_nibabel_are_refused(name):
    path = Path(nib.__file__).parent / "tests" / "data" / name

    assert "time points" in refusal(path, Limits())


@pytest.mark.parametrize("name", ["anatomical.nii", "example_nifti2.nii.gz"])
def test_the_files_that_come_with_nibabel_are_read_or_refused_for_a_reason(name):
    path = Path(nib.__file__).parent / "tests" / "data" / name
    image = nib.load(path)

    if image.ndim == 3:
        assert prepare_volume(path).shape
    else:
        assert "time points" in refusal(path, Limits())


def test_a_gzip_file_of_very_many_empty_parts_is_refused(tmp_path):
    """Each of them is 20 bytes long and holds nothing; copying what follows each would take hours."""
    path = save(tmp_path / "a.nii.gz", blob())
    path.write_bytes(path.read_bytes() + gzip.compress(b"", mtime=0) * 100_001)

    assert "packed in more than 100000 parts" in refusal(path, Limits())


def test_a_volume_packed_in_blocks_is_taken(tmp_path):
    path = save(tmp_path / "a.nii.gz", blob())
    content = gzip.decompress(path.read_bytes())
    blocks = [gzip.compress(content[at : at + 500], mtime=0) for at in range(0, len(content), 500)]
    path.write_bytes(b"".join(blocks) + gzip.compress(b"", mtime=0) + bytes(40_000))

    check_volume(path, SMALL)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"srow_x": (1, 0, 0, 1e30)}, "puts its first voxel 1e+30 mm from the scanner's centre"),
        ({"scl_slope": 1e38, "scl_inter": 0}, "has intensities from"),
        ({"scl_slope": 1e-45, "scl_inter": 0}, "has intensities from"),
    ],
)
def test_a_header_that_no_screen_can_compute_with_is_refused(tmp_path, fields, said):
    path = save(tmp_path / "a.nii", blob(), **fields)

    assert said in refusal(path)
