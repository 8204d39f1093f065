"""Grey images and single slices are read like volumes; nothing but their pixels survives."""

import io
import struct
import zlib
from pathlib import Path

import nibabel as nib
import numpy as np
import pytest
from nibabel import Nifti1Image
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from imaging import ImagingError, prepare_overlay, prepare_volume
from tests.imaging.nifti_files import OBLIQUE, blob, save


def pixels(height: int = 30, width: int = 40) -> np.ndarray:
    """Return rows of grey values without any symmetry, up to the edges."""
    return np.random.default_rng(3).integers(0, 256, (height, width), dtype=np.uint8)


def written(path: Path, values: np.ndarray | Image.Image, **options: object) -> Path:
    image = values if isinstance(values, Image.Image) else Image.fromarray(values)
    image.save(path, **options)
    return path


def opened(content: bytes) -> Nifti1Image:
    return Nifti1Image.from_bytes(zlib.decompress(content, wbits=31))


def on_screen(content: bytes, convention: str) -> np.ndarray:
    """Return the rows as an axial plane shows them: anterior on top, the patient's right where the convention says."""
    rows = np.asarray(opened(content).dataobj)[:, :, 0].T[::-1]
    return rows[:, ::-1] if convention == "radiological" else rows


def refusal(path: Path) -> str:
    with pytest.raises(ImagingError) as caught:
        prepare_volume(path)
    assert path.name in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("convention", ["radiological", "neurological"])
def test_an_image_is_shown_as_it_is_whatever_the_convention(tmp_path, convention):
    path = written(tmp_path / "a.png", pixels())

    prepared = prepare_volume(path, convention=convention)

    assert prepared.shape == (40, 30, 1)
    np.testing.assert_array_equal(on_screen(prepared.content, convention), pixels())


def test_an_image_keeps_its_border_so_that_its_columns_and_rows_are_those_of_its_file(tmp_path):
    values = np.pad(pixels(), ((10, 20), (30, 0)))

    prepared = prepare_volume(written(tmp_path / "a.png", values))

    assert prepared.shape == (70, 60, 1)
    np.testing.assert_array_equal(on_screen(prepared.content, "radiological"), values)


def test_an_image_has_no_place_in_a_patient_and_keeps_the_window_it_was_exported_with(tmp_path):
    prepared = prepare_volume(written(tmp_path / "a.png", pixels()))

    assert (prepared.placed, prepared.window, prepared.spacing) == (False, (0.0, 255.0), (1.0, 1.0, 1.0))


def test_an_image_of_16_bits_keeps_every_bit_and_gets_a_window_from_its_percentiles(tmp_path):
    values = np.random.default_rng(4).integers(0, 65536, (30, 40)).astype(np.uint16)

    prepared = prepare_volume(written(tmp_path / "a.png", values))

    shown = opened(prepared.content).get_fdata()[:, :, 0].T[::-1, ::-1]
    np.testing.assert_array_equal(shown, values)
    assert 0 < prepared.window[0] < prepared.window[1] < 65535


def test_black_that_was_once_cut_off_round_an_image_leaves_the_rest_in_its_place(tmp_path):
    values = np.zeros((60, 80), dtype=np.uint8)
    values[20:40, 30:60] = pixels(20, 30)

    prepared = prepare_volume(written(tmp_path / "a.png", values), crops_images=True)

    assert prepared.shape == (30 + 8, 20 + 8, 1)
    np.testing.assert_array_equal(on_screen(prepared.content, "radiological"), values[16:44, 26:64])
    # Column 26 of 80 is the left edge, which radiologists call the patient's right: the far end of the first axis.
    assert prepared.affine[0][3] + prepared.shape[0] - 1 == 79 - 26 - 79 / 2


def test_a_colour_image_whose_channels_are_equal_is_grey(tmp_path):
    for name, image in {
        "rgb.png": Image.fromarray(np.repeat(pixels()[..., np.newaxis], 3, axis=2)),
        "rgba.png": Image.fromarray(pixels()).convert("RGBA"),
        "palette.png": Image.fromarray(pixels()).convert("P"),
        "alpha.png": Image.fromarray(pixels()).convert("LA"),
    }.items():
        prepared = prepare_volume(written(tmp_path / name, image))

        np.testing.assert_array_equal(on_screen(prepared.content, "radiological"), pixels())


def test_a_grey_jpeg_is_read_as_its_decoder_gives_it(tmp_path):
    path = written(tmp_path / "a.jpg", pixels())

    prepared = prepare_volume(path)

    np.testing.assert_array_equal(on_screen(prepared.content, "radiological"), np.asarray(Image.open(path)))


def test_the_turn_that_a_camera_noted_is_made_and_the_note_is_gone(tmp_path):
    turned = Image.Exif()
    turned[0x0112] = 6  # the top of the scene is at the right edge of the file
    path = written(tmp_path / "a.jpg", pixels(), exif=turned)

    prepared = prepare_volume(path)

    assert prepared.shape == (30, 40, 1)
    expected = np.rot90(np.asarray(Image.open(path)), -1)
    np.testing.assert_array_equal(on_screen(prepared.content, "radiological"), expected)


def test_text_and_exif_and_profiles_change_not_a_byte_of_what_is_kept(tmp_path):
    text = PngInfo()
    text.add_text("Patient", "MARK-IN-TEXT", zip=True)
    text.add_itxt("Comment", "MARK-IN-ITXT")
    exif = Image.Exif()
    exif[0x010E] = "MARK-IN-EXIF"

    plain = prepare_volume(written(tmp_path / "plain.png", pixels()))
    noted = prepare_volume(
        written(tmp_path / "noted.png", pixels(), pnginfo=text, exif=exif, icc_profile=b"MARK" * 50, dpi=(300, 300))
    )

    assert noted.content == plain.content
    assert b"MARK" not in zlib.decompress(noted.content, wbits=31)


@pytest.mark.parametrize(
    ("name", "image", "said"),
    [
        ("a.png", Image.fromarray(np.dstack([pixels(), pixels(), pixels().T.reshape(30, 40)])), "true colours"),
        ("a.jpg", Image.fromarray(np.dstack([pixels()] * 4), mode="CMYK"), "colours of the kind CMYK"),
        ("a.png", Image.merge("LA", [Image.new("L", (9, 9), 5), Image.new("L", (9, 9), 128)]), "transparent in part"),
        ("a.png", Image.new("L", (9, 9), 5), "the same value (5) in all voxels"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*mode.*:DeprecationWarning")
def test_an_image_without_one_grey_value_per_pixel_is_refused(tmp_path, name, image, said):
    assert said in refusal(written(tmp_path / name, image))


def test_an_image_larger_than_the_limit_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.png"
    path.write_bytes(png(9000, 9000, bytes(100)))

    assert "announces 9000 x 9000 pixels" in refusal(path)
    path.write_bytes(png(60_000, 60_000, bytes(100)))
    assert "far more than" in refusal(path)


def test_colours_of_16_bits_are_refused_rather_than_halved(tmp_path):
    path = tmp_path / "deep.png"
    path.write_bytes(png(4, 4, bytes(4 * (1 + 4 * 6)), depth=16, colour_type=2))

    assert "16 bits" in refusal(path)


def png(width: int, height: int, rows: bytes, depth: int = 8, colour_type: int = 0) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">2I5B", width, height, depth, colour_type, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_no_damaged_image_ends_in_anything_but_a_refusal(tmp_path):
    generator = np.random.default_rng(6)
    for kind in ("png", "jpeg"):
        buffer = io.BytesIO()
        Image.fromarray(pixels()).save(buffer, kind)
        whole = buffer.getvalue()
        path = tmp_path / f"a.{kind}"
        for cut in range(10, len(whole) - 20, 97):
            path.write_bytes(whole[:cut])
            refusal(path)
        for _ in range(60):
            broken = bytearray(whole)
            for place in generator.integers(8, len(whole), 3):
                broken[place] = generator.integers(0, 256)
            path.write_bytes(broken)
            try:
                prepare_volume(path)
            except ImagingError as error:
                assert path.name in str(error)  # most damage is refused, some only changes a pixel


def test_an_animation_is_refused(tmp_path):
    path = tmp_path / "a.png"
    Image.fromarray(pixels()).save(path, save_all=True, append_images=[Image.fromarray(pixels()[::-1].copy())])

    assert "several images" in refusal(path)


def test_a_single_slice_of_a_nifti_file_is_a_volume_of_one_slice_in_its_own_plane(tmp_path):
    for axis in range(3):
        shape = [20, 22, 18]
        shape[axis] = 1
        voxels = np.random.default_rng(axis).integers(1, 500, shape).astype(np.int16)

        prepared = prepare_volume(save(tmp_path / "a.nii", voxels, OBLIQUE))

        assert prepared.placed
        assert sorted(prepared.shape) == sorted(shape)
        assert 1 in prepared.shape


def test_a_nifti_file_that_says_it_has_two_dimensions_is_one_slice(tmp_path):
    voxels = np.random.default_rng(1).integers(1, 500, (20, 22)).astype(np.int16)
    nib.save(nib.Nifti1Image(voxels, np.diag([2.0, 2.0, 3.0, 1.0])), tmp_path / "a.nii")

    prepared = prepare_volume(tmp_path / "a.nii")

    assert prepared.shape == (20, 22, 1)
    np.testing.assert_array_equal(np.asarray(opened(prepared.content).dataobj)[:, :, 0], voxels)


def test_an_overlay_keeps_where_it_is_not_zero_and_nothing_else(tmp_path):
    voxels = blob("i2")
    voxels[0, 0, 0] = 0

    prepared = prepare_overlay(save(tmp_path / "m.nii.gz", voxels, OBLIQUE))
    volume = prepare_volume(save(tmp_path / "v.nii.gz", voxels, OBLIQUE))

    assert set(np.unique(np.asarray(opened(prepared.content).dataobj))) == {0, 1}
    np.testing.assert_array_equal(
        np.asarray(opened(prepared.content).dataobj) != 0, np.asarray(opened(volume.content).dataobj) != 0
    )
    assert prepared.affine == volume.affine


def test_an_overlay_that_covers_the_corners_is_not_taken_for_its_own_background(tmp_path):
    voxels = np.ones((20, 22, 18), dtype=np.uint8)
    voxels[8:12, 8:12, 8:12] = 0

    prepared = prepare_overlay(save(tmp_path / "m.nii.gz", voxels))

    assert prepared.shape == (20, 22, 18)


def test_an_overlay_with_a_scaling_is_zero_where_its_intensity_is(tmp_path):
    voxels = np.full((12, 12, 12), 2, dtype=np.int16)
    voxels[4:7, 4:7, 4:7] = 3

    prepared = prepare_overlay(save(tmp_path / "m.nii.gz", voxels, slope=0.5, intercept=-1.0))

    assert int(np.asarray(opened(prepared.content).dataobj).sum()) == 27


def test_an_overlay_that_is_zero_everywhere_is_refused(tmp_path):
    with pytest.raises(ImagingError, match="same value"):
        prepare_overlay(save(tmp_path / "m.nii.gz", np.zeros((5, 5, 5), dtype=np.uint8)))
