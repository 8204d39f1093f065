"""Uploads: unpacked beside the database, checked, imported or thrown away; a refused one leaves nothing."""

from __future__ import annotations

import io
import os
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sqlmodel import select

from db import Study
from services.errors import InputRefused, NotAllowed, NotFound
from services.studies.folders import importing, uploads
from services.studies.folders.uploads import Incoming
from tests.listed_study import write_listed
from tests.situations import Situation, write_study_folder
from tests.versioned_study import READS


def packed(folder: Path, inner: str = "study/", extra: dict[str, bytes] | None = None) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, inner + str(path.relative_to(folder)))
        for name, content in (extra or {}).items():
            archive.writestr(name, content)
    file.seek(0)
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_study_folder(tmp_path / "study", {"name": "another"})


def received(situation: Situation, file: io.BytesIO) -> Incoming:
    return uploads.receive_upload(situation.database, situation.admin, file, "study.zip")


def left_behind(situation: Situation) -> list[Path]:
    return list((situation.database.data_dir / "incoming").glob("*"))


@pytest.mark.parametrize("inner", ["", "study/", "a/b/c/"])
def test_an_upload_is_described_before_it_is_imported(imported: Situation, folder: Path, inner: str) -> None:
    upload = received(imported, packed(folder, inner))

    assert (upload.name, upload.title) == ("another", "A tiny study")
    assert (upload.cases, upload.items, upload.candidates, len(upload.volumes)) == (3, 6, 6, 9)
    assert upload.volumes[0].file_name == "c1-t1.nii.gz"


def test_a_sample_that_cannot_be_drawn_is_said_of_an_upload(imported: Situation, tmp_path: Path) -> None:
    drawn = READS.replace("rates: items", "rates: items\n    from: {sample: {size: 7}}")

    upload = received(imported, packed(write_listed(tmp_path / "study", drawn)))

    assert any("would refuse phase 'read': sample.size: 7 units are wanted" in said for said in upload.warnings)


def test_an_upload_can_be_imported_and_thrown_away(imported: Situation, folder: Path) -> None:
    upload = received(imported, packed(folder))
    unpacked = uploads.study_folder_of(imported.database, imported.admin, upload.ticket)

    importing.import_study(imported.database, imported.admin, unpacked)
    uploads.discard_upload(imported.database, imported.admin, upload.ticket)

    with imported.database.read_only() as session:
        assert set(session.exec(select(Study.key)).all()) == {"tiny", "another"}
    assert left_behind(imported) == []


def test_a_refused_upload_leaves_nothing_behind(imported: Situation, folder: Path) -> None:
    bomb = {"study/volumes/bomb.nii": bytes(30 * 2**20)}
    outside = {"../../planted.txt": b"planted"}
    (folder / "items.csv").write_text("no header", encoding="utf-8")
    files = [packed(folder), packed(folder, extra=bomb), packed(folder, extra=outside), io.BytesIO(b"no ZIP")]

    for upload in files:
        with pytest.raises(InputRefused) as refusal:
            received(imported, upload)
        assert "\n" not in str(refusal.value)
        assert left_behind(imported) == []

    assert list(imported.database.data_dir.parent.rglob("planted.txt")) == []
    with imported.database.read_only() as session:
        assert session.exec(select(Study.key)).all() == ["tiny"]


def test_a_volume_can_be_looked_at_before_the_import(imported: Situation, folder: Path) -> None:
    upload = received(imported, packed(folder))

    content = uploads.volume_for_preview(imported.database, imported.admin, upload.ticket, "c1-t2")

    assert content == (folder / "volumes" / "c1-t2.nii.gz").read_bytes()
    with pytest.raises(NotFound, match="has no volume 'c9'"):
        uploads.volume_for_preview(imported.database, imported.admin, upload.ticket, "c9")


def test_an_image_is_previewed_as_the_volume_that_it_will_be(imported: Situation, folder: Path) -> None:
    (folder / "volumes" / "c1-t2.nii.gz").unlink()
    pixels = np.random.default_rng(2).integers(0, 256, (30, 40), dtype=np.uint8)
    Image.fromarray(pixels).save(folder / "volumes" / "c1-t2.png")
    table = folder / "volumes.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("c1-t2.nii.gz", "c1-t2.png"), encoding="utf-8")
    upload = received(imported, packed(folder))

    content = uploads.volume_for_preview(imported.database, imported.admin, upload.ticket, "c1-t2")

    assert content.startswith(b"\x1f\x8b")
    assert upload.volumes[1].preview_name == "c1-t2.png.nii.gz"
    assert upload.volumes[0].preview_name == "c1-t1.nii.gz"


def test_a_broken_volume_is_not_shown(imported: Situation, folder: Path) -> None:
    (folder / "volumes" / "c1-t2.nii.gz").write_bytes(b"no scan")
    upload = received(imported, packed(folder))

    with pytest.raises(InputRefused, match=r"volume 'c1-t2': c1-t2.nii.gz is"):
        uploads.volume_for_preview(imported.database, imported.admin, upload.ticket, "c1-t2")


@pytest.mark.parametrize("ticket", ["", ".", "..", "../volumes", "no-such-ticket", "0" * 24, "/etc"])
def test_a_ticket_that_was_never_given_opens_and_removes_nothing(
    imported: Situation, folder: Path, ticket: str
) -> None:
    upload = received(imported, packed(folder))

    with pytest.raises(NotFound, match="upload the file again"):
        uploads.study_folder_of(imported.database, imported.admin, ticket)
    uploads.discard_upload(imported.database, imported.admin, ticket)

    assert uploads.study_folder_of(imported.database, imported.admin, upload.ticket).is_dir()
    assert (imported.database.data_dir / "volumes").is_dir()


def test_uploads_of_yesterday_are_thrown_away_with_the_next(imported: Situation, folder: Path) -> None:
    old = received(imported, packed(folder))
    long_ago = time.time() - uploads.KEPT_FOR_SECONDS - 60
    os.utime(imported.database.data_dir / "incoming" / old.ticket, (long_ago, long_ago))

    new = received(imported, packed(folder))

    assert [path.name for path in left_behind(imported)] == [new.ticket]


def test_only_an_owner_uploads(imported: Situation, folder: Path) -> None:
    upload = received(imported, packed(folder))

    for other in (*imported.raters, imported.reviewer):
        with pytest.raises(NotAllowed):
            uploads.receive_upload(imported.database, other, packed(folder), "study.zip")
        with pytest.raises(NotAllowed):
            uploads.study_folder_of(imported.database, other, upload.ticket)
        with pytest.raises(NotAllowed):
            uploads.volume_for_preview(imported.database, other, upload.ticket, "c1-t1")
        with pytest.raises(NotAllowed):
            uploads.discard_upload(imported.database, other, upload.ticket)

    assert len(left_behind(imported)) == 1
