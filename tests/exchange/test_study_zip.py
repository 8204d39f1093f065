"""A packed study folder is unpacked without trusting what it says about itself."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest

from exchange.refusal import InputRefused
from exchange.study_zip import ZipLimits, unpack_study_zip


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    file.seek(0)
    return file


def sentence_of_refusal(file: io.BytesIO, target: Path, limits: ZipLimits | None = None) -> str:
    target.mkdir(exist_ok=True)
    with pytest.raises(InputRefused) as refusal:
        unpack_study_zip(file, "study.zip", target, limits or ZipLimits())
    sentence = str(refusal.value)
    assert sentence.startswith("study.zip ")
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("inner", ["", "my study/", "a/b/"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_the_folder_with_the_protocol_is_found(tmp_path: Path, inner: str, method: int) -> None:
    file = packed({f"{inner}protocol.yaml": b"name: x", f"{inner}volumes/a.nii": b"abc"}, method)

    folder = unpack_study_zip(file, "study.zip", tmp_path)

    assert folder == tmp_path / inner
    assert (folder / "volumes" / "a.nii").read_bytes() == b"abc"


@pytest.mark.parametrize(
    "name", ["../protocol.yaml", "a/../../b", "/etc/passwd", "..\\..\\b", "C:/windows/b", "C:\\b", "."]
)
def test_a_path_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    target = tmp_path / "inside"

    refused = sentence_of_refusal(packed({"protocol.yaml": b"x", name: b"planted"}), target)

    assert "leads out of it" in refused
    assert not any(path.read_bytes() == b"planted" for path in tmp_path.rglob("*") if path.is_file())


def test_a_zip_bomb_is_refused_while_it_is_unpacked(tmp_path: Path) -> None:
    bomb = packed({"protocol.yaml": b"x", "volumes/a.nii": bytes(50 * 2**20)})

    refused = sentence_of_refusal(bomb, tmp_path)

    assert "'volumes/a.nii' to more than is accepted (a ZIP bomb" in refused
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < 20 * 2**20


def test_what_all_files_unpack_to_is_counted_together(tmp_path: Path) -> None:
    file = packed({f"{number}.bin": bytes(range(256)) * 40 for number in range(10)}, zipfile.ZIP_STORED)

    refused = sentence_of_refusal(file, tmp_path, ZipLimits(unpacked_bytes=60_000))

    assert "to more than is accepted" in refused


def test_a_size_that_the_file_lies_about_is_not_believed(tmp_path: Path) -> None:
    """The directory says 10 bytes, the member holds 5 MiB: what counts is what arrives."""
    file = packed({"protocol.yaml": b"x", "a.nii": bytes(5 * 2**20)})
    content = bytearray(file.getvalue())
    place = 0
    while (place := content.find(struct.pack("<I", 5 * 2**20), place)) >= 0:
        content[place : place + 4] = struct.pack("<I", 10)
    target = tmp_path / "inside"
    target.mkdir()

    assert "is not a readable ZIP file" in sentence_of_refusal(io.BytesIO(bytes(content)), target)
    assert all(path.stat().st_size <= 10 for path in target.rglob("*") if path.is_file())


def test_too_many_files_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    file = packed({f"{number}.csv": b"x" for number in range(20)})

    refused = sentence_of_refusal(file, tmp_path, ZipLimits(files=10))

    assert "holds 20 files, at most 10 are taken" in refused
    assert list(tmp_path.iterdir()) == []


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    content = bytearray(packed({"protocol.yaml": b"x"}).getvalue())
    content[6] |= 1  # local header, general purpose flag
    directory = content.find(b"PK\x01\x02")
    content[directory + 8] |= 1

    assert "is encrypted at 'protocol.yaml'" in sentence_of_refusal(io.BytesIO(bytes(content)), tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a ZIP", b"PK\x03\x04 and no more"])
def test_what_is_no_zip_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "is not a readable ZIP file" in sentence_of_refusal(io.BytesIO(content), tmp_path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_damaged_or_truncated_file_is_refused(tmp_path: Path, method: int) -> None:
    whole = packed({"protocol.yaml": bytes(range(256)) * 40}, method).getvalue()
    damaged = bytearray(whole)
    for place in range(60, 200):
        damaged[place] ^= 0xFF

    assert "is not a readable ZIP file" in sentence_of_refusal(io.BytesIO(bytes(damaged)), tmp_path / "damaged")
    assert "is not a readable ZIP file" in sentence_of_refusal(io.BytesIO(whole[:-30]), tmp_path / "truncated")


def test_a_file_named_like_a_folder_of_another_is_refused(tmp_path: Path) -> None:
    assert "is not a readable ZIP file" in sentence_of_refusal(packed({"a": b"x", "a/b": b"y"}), tmp_path)


def test_a_zip_without_a_protocol_is_refused(tmp_path: Path) -> None:
    assert "holds no protocol.yaml" in sentence_of_refusal(packed({"items.csv": b"x"}), tmp_path)


@pytest.mark.parametrize("inner", ["", "both/"])
def test_a_zip_of_two_study_folders_is_refused_and_one_within_the_other_is_not(tmp_path: Path, inner: str) -> None:
    two = packed({f"{inner}b/protocol.yaml": b"name: b", f"{inner}a/protocol.yaml": b"name: a"})
    within = packed({f"{inner}protocol.yaml": b"name: x", f"{inner}old/protocol.yaml": b"name: y"})

    said = sentence_of_refusal(two, tmp_path / "two")
    folder = unpack_study_zip(within, "study.zip", tmp_path / "within")

    assert said == (
        f"study.zip holds 2 study folders, and only one is accepted ('{inner}a' and '{inner}b'); pack that alone."
    )
    assert folder == tmp_path / "within" / inner


def test_a_link_in_a_zip_arrives_as_a_plain_file(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("volumes/link.nii")
    link.external_attr = 0o120777 << 16
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("protocol.yaml", b"x")
        archive.writestr(link, b"/etc/passwd")
    file.seek(0)

    folder = unpack_study_zip(file, "study.zip", tmp_path)

    assert not (folder / "volumes" / "link.nii").is_symlink()
    assert (folder / "volumes" / "link.nii").read_bytes() == b"/etc/passwd"
