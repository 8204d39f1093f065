"""Nonsense in folders, archives and texts that an owner imports: refused in sentences, and nothing of it kept."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from sqlmodel import select

from db import ProtocolRecord, Study
from exchange.study_folder.acknowledged_text import without_images
from services.errors import InputRefused, Refused
from services.studies.folders import draft_studies, importing, uploads
from tests.situations import Situation, write_study_folder

YAML = (
    "a: &a [x, *a]", "!!python/object/apply:os.system ['true']", "%YAML 9.9\n---\na: 1", "? [a, b]\n: c",
    "\t", "---\n---\n",
    "name: [" * 400, "name: tiny\nname: other", "&a a: *a", "- 1", "null", "name: 2020-01-01",
    "{" * 900, "name: \ud7ff\ufffe",
    "<<: [{a: 1}, {b: 2}]", "title: |\n " + "x" * 300_000, "seed: 0o777777777777777777777777",
    "seed: 1:30:00", "seed: .NaN",
)  # fmt: skip


@pytest.mark.parametrize("text", YAML, ids=range(len(YAML)))
def test_a_protocol_of_nonsense_is_refused_in_sentences(imported: Situation, tmp_path: Path, text: str) -> None:
    folder = write_study_folder(tmp_path / "study")
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(InputRefused) as refusal:
        importing.import_study(imported.database, imported.admin, folder, key="other")
    assert str(tmp_path) not in str(refusal.value)
    assert all(len(str(problem)) < 600 for problem in refusal.value.problems)


@pytest.mark.parametrize("column", ["../../blindread.db", "/etc/passwd", "volumes", "volumes/../../secret.nii.gz", "."])
def test_a_table_names_no_file_outside_its_folder(imported: Situation, tmp_path: Path, column: str) -> None:
    folder = write_study_folder(tmp_path / "in" / "study")
    (tmp_path / "in" / "secret.nii.gz").write_bytes((folder / "volumes" / "c1-t1.nii.gz").read_bytes())
    table = folder / "volumes.csv"
    table.write_text(table.read_text().replace("volumes/c1-t1.nii.gz", column))

    with pytest.raises(InputRefused) as refusal:
        importing.import_study(imported.database, imported.admin, folder, key="other")
    assert "root:" not in str(refusal.value)


def test_a_link_in_a_folder_brings_in_no_file_of_the_server(imported: Situation, tmp_path: Path) -> None:
    folder = write_study_folder(tmp_path / "study")
    secret = tmp_path / "secret.txt"
    secret.write_text("root:secret")
    (folder / "references.csv").unlink()
    (folder / "references.csv").symlink_to(secret)

    with pytest.raises(InputRefused) as refusal:
        importing.import_study(imported.database, imported.admin, folder, key="other")
    assert "root:secret" not in str(refusal.value)


def test_a_zip_with_a_link_a_device_and_a_folder_for_a_file_is_refused(imported: Situation, tmp_path: Path) -> None:
    folder = write_study_folder(tmp_path / "study")
    for kind in (0o120777, 0o020666, 0o060666, 0o010666):
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for path in folder.rglob("*"):
                if path.is_file() and path.name != "references.csv":
                    archive.write(path, path.relative_to(folder))
            special = zipfile.ZipInfo("references.csv")
            special.external_attr = kind << 16
            archive.writestr(special, "/etc/passwd")
        packed.seek(0)
        with pytest.raises(InputRefused) as refusal:
            uploads.receive_upload(imported.database, imported.admin, packed, "study.zip")
        assert "root:" not in str(refusal.value)
    assert list((imported.database.data_dir / "incoming").glob("*")) == []


@pytest.mark.parametrize("ticket", ["", "..", "../..", ".", "a/b", "\x00", "x" * 400, "%2e%2e"])
def test_a_ticket_opens_no_other_folder_and_discards_none(imported: Situation, ticket: str) -> None:
    with pytest.raises(Refused):
        uploads.study_folder_of(imported.database, imported.admin, ticket)
    uploads.discard_upload(imported.database, imported.admin, ticket)

    assert (imported.database.data_dir / "blindread.db").exists()
    assert any(imported.database.volume_dir.iterdir())


MARKDOWN = (
    "![x](http://e.example/a.png)", "![x][1]\n\n[1]: http://e.example/a.png",
    "<img src=http://e.example onerror=alert(1)>",
    "[x](javascript:alert(1))", "<script>alert(1)</script>", "![[x](y)](http://e.example/b)", "!\\[x](http://e.example/c)",
    "![x](<http://e.example/d>)", "![x]\n(http://e.example/e)", "![a](b ![c](http://e.example/f) )",
)  # fmt: skip


def test_no_image_of_elsewhere_is_left_in_what_is_acknowledged(imported: Situation, tmp_path: Path) -> None:
    text = "Read.\n\n" + "\n\n".join(MARKDOWN)
    folder = write_study_folder(tmp_path / "study", {"name": "other", "instructions": text, "consent": text})
    importing.import_study(imported.database, imported.admin, folder)
    with imported.database.read_only() as session:
        study_id = session.exec(select(Study.id).where(Study.key == "other")).one()
        stored = json.loads(session.get_one(ProtocolRecord, study_id).canonical_json)
    for part in ("instructions", "consent"):
        drawn = MarkdownIt("commonmark", {"html": False}).render(stored[part])
        assert "<img" not in drawn
        assert 'href="javascript' not in drawn


def test_a_text_of_many_brackets_is_read_in_no_time_worth_a_word() -> None:
    """Counted by what comes out, and bounded by the patience of the whole run: a pattern must not try all ways."""
    for text in ("![" * 10_000, "![a](" * 4_000, "!" * 20_000 + "[", "![a](b(c" * 2_500, "![" + "\\a" * 9_000):
        assert len(without_images(text)) <= len(text)


@pytest.mark.parametrize("key", ["../x", "X", "a" * 61, "-a", "a b", "", "a\n", "tiny~1", "é", "a/b"])
def test_no_odd_key_becomes_a_studys(imported: Situation, key: str) -> None:
    with pytest.raises(InputRefused):
        draft_studies.require_key(key)
