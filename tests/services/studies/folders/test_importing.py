"""An import brings in all of a study folder, or refuses it in one sentence and leaves nothing."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nibabel
import numpy as np
import pytest
from sqlalchemy import text
from sqlmodel import func, select

import db
from db import Candidate, Case, Database, Item, Membership, Reference, Study, Volume
from imaging import prepare_volume
from services.errors import Conflict, InputRefused, NotAllowed
from services.people.identity import Actor
from services.studies.folders import importing
from services.studies.folders.importing import Imported
from services.studies.freeze import freezing
from services.studies.volumes import volume_store
from tests.imaging.nifti_files import blob, save
from tests.listed_study import SCORE_ALONE
from tests.situations import Situation, owner_of, write_study_folder, write_table

Change = Callable[[Path], object]
SCAN = "volumes/c2-t1.nii.gz"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_study_folder(tmp_path / "study")


def rows_of_every_table(database: Database) -> dict[str, int]:
    with database.engine.connect() as connection:
        return {
            name: connection.execute(text(f'SELECT count(*) FROM "{name}"')).scalar_one()
            for name in db.Base.metadata.tables
        }


def files_of(database: Database) -> list[str]:
    """Return every file beside the database."""
    return sorted(
        str(path.relative_to(database.data_dir))
        for path in database.data_dir.rglob("*")
        if not path.name.startswith("blindread.db")
    )


def rewrite(table: str, old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        content = (folder / table).read_text(encoding="utf-8")
        assert old in content
        (folder / table).write_text(content.replace(old, new, 1), encoding="utf-8", newline="")

    return change


def truncated(folder: Path) -> None:
    (folder / SCAN).write_bytes((folder / SCAN).read_bytes()[:-100])


def four_dimensional(folder: Path) -> None:
    nibabel.save(nibabel.Nifti1Image(np.ones((4, 4, 4, 3), np.int16), np.eye(4)), folder / SCAN)


def not_finite(folder: Path) -> None:
    voxels = np.ones((6, 6, 6), np.float32)
    voxels[3, 3, 3] = np.nan
    nibabel.save(nibabel.Nifti1Image(voxels, np.eye(4)), folder / SCAN)


def coloured(folder: Path) -> None:
    colours = np.zeros((4, 4, 4), dtype=[("R", "u1"), ("G", "u1"), ("B", "u1")])
    save(folder / SCAN, colours)


def without_affine(folder: Path) -> None:
    save(folder / SCAN, blob(), srow_x=0, srow_y=0, srow_z=0)


def absurdly_large(folder: Path) -> None:
    content = bytearray(gzip.decompress(save(folder / SCAN, blob()).read_bytes()))
    content[40:56] = np.array([3, 32_000, 32_000, 32_000, 1, 1, 1, 1], "<i2").tobytes()
    (folder / SCAN).write_bytes(gzip.compress(bytes(content)))


def gzip_bomb(folder: Path) -> None:
    """A good volume, followed by a gigabyte of zeros in 64 parts that pack to next to nothing."""
    volume = save(folder / SCAN, blob()).read_bytes()
    (folder / SCAN).write_bytes(volume + gzip.compress(bytes(16 * 2**20), 9) * 64)


def leaving_the_folder(folder: Path) -> None:
    outside = folder.parent / "outside.nii.gz"
    outside.write_bytes((folder / SCAN).read_bytes())
    (folder / SCAN).unlink()
    (folder / SCAN).symlink_to(outside)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        # scans
        (lambda folder: (folder / SCAN).write_bytes(b"no scan at all"), ("volume 'c2-t1'", "is not a NIfTI file")),
        (lambda folder: (folder / SCAN).write_bytes(b""), ("volume 'c2-t1'", "is empty")),
        (truncated, ("volume 'c2-t1'", "c2-t1.nii.gz is truncated")),
        (four_dimensional, ("volume 'c2-t1'", "3 time points (4D)")),
        (not_finite, ("volume 'c2-t1'", "1 voxels that are not finite")),
        (coloured, ("volume 'c2-t1'", "RGB colours")),
        (without_affine, ("volume 'c2-t1'", "affine")),
        (absurdly_large, ("volume 'c2-t1'", "32000 x 32000 x 32000 voxels")),
        (gzip_bomb, ("volume 'c2-t1'", "unpacks to more than")),
        # paths
        (rewrite("volumes.csv", SCAN, "../../outside.nii.gz"), ("volumes.csv, line 5", "outside the study folder")),
        (rewrite("volumes.csv", SCAN, "/etc/passwd"), ("volumes.csv, line 5", "outside the study folder")),
        (leaving_the_folder, ("volumes.csv, line 5", "outside the study folder")),
        # tables and protocol
        (
            rewrite("cases.csv", "Vignette of c2", '"Vignette of c2'),
            ("cases.csv, line 3", "the file ends inside quotation marks"),
        ),
        (rewrite("protocol.yaml", "title:", "title: ["), ("protocol.yaml, line", "not valid YAML")),
        (rewrite("protocol.yaml", "title:", "titel:"), ("protocol.yaml, key title", "it is missing")),
        (lambda folder: (folder / "protocol.yaml").unlink(), ("protocol.yaml is missing",)),
        (rewrite("items.csv", "i2,", "i1,"), ("items.csv, line 3", "item 'i1' is already in line 2")),
        (rewrite("volumes.csv", "c2-p,c2,prior", "c2-p,c1,prior"), ("items.csv, line 4", "needs a prior volume T1")),
        (rewrite("items.csv", "T1|T2", "T1|FLAIR"), ("items.csv, line 3", "no volume in volumes.csv")),
        (rewrite("references.csv", "i2,left", "i2,above"), ("references.csv, line 3", "not one of the options")),
        (rewrite("references.csv", "i1,yes", "i1,perhaps"), ("references.csv, line 2", "not one of the options")),
    ],
)
def test_bad_input_is_refused_in_one_sentence_and_nothing_is_stored(
    sqlite_database: Database, folder: Path, change: Change, named: tuple[str, ...]
) -> None:
    owner = owner_of(sqlite_database)
    rows, files = rows_of_every_table(sqlite_database), files_of(sqlite_database)
    change(folder)

    with pytest.raises(InputRefused) as refusal:
        importing.import_study(sqlite_database, owner, folder)

    sentence = str(refusal.value)
    assert all(part in sentence for part in named), sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert str(folder) not in sentence
    assert rows_of_every_table(sqlite_database) == rows
    assert [name for name in files_of(sqlite_database) if name != "volumes"] == files


def test_a_failure_while_storing_leaves_nothing(database: Database, folder: Path) -> None:
    owner = owner_of(database)
    rows = rows_of_every_table(database)
    nobody = Actor(4_711, owner.login_session_id, "Nobody", is_owner=True)

    with pytest.raises(Exception, match=r"(?i)foreign key"):
        importing.import_study(database, nobody, folder)

    assert rows_of_every_table(database) == rows
    assert [name for name in files_of(database) if name != "volumes"] == []


def test_everything_in_the_folder_is_brought_in(database: Database, folder: Path) -> None:
    done = importing.import_study(database, owner_of(database), folder)

    assert (done.study_key, done.title) == ("tiny", "A tiny study")
    assert (done.cases, done.volumes, done.items, done.candidates) == (3, 9, 6, 6)
    with database.read_only() as session:
        counts = [
            session.exec(select(func.count()).select_from(table)).one()
            for table in (Study, Case, Volume, Item, Reference, Candidate)
        ]
        assert counts == [1, 3, 9, 6, 6, 6]
        side = session.exec(select(Item).where(Item.key == "i2")).one()
        assert [option["id"] for option in side.options] == ["left", "right", "both", "none"]
        assert session.exec(select(Reference.accepted).where(Reference.item_id == side.id)).one() == ["left"]


def test_a_volume_is_kept_as_it_was_prepared(imported: Situation, folder: Path) -> None:
    prepared = prepare_volume(folder / SCAN)

    with imported.database.read_only() as session:
        stored = session.exec(select(Volume).where(Volume.key == "c2-t1")).one()

    assert (stored.sha256, stored.voxel_sha256) == (prepared.sha256, prepared.voxel_sha256)
    assert volume_store.path_of(imported.database, stored.sha256).read_bytes() == prepared.content
    assert volume_store.is_intact(imported.database, stored.sha256)


def test_who_brings_in_a_study_is_its_admin(imported: Situation) -> None:
    with imported.database.read_only() as session:
        roles = session.exec(select(Membership.role).where(Membership.person_id == imported.admin.person_id)).all()

    assert roles == ["admin"]


def test_only_an_owner_brings_in_a_study(imported: Situation, folder: Path) -> None:
    with pytest.raises(NotAllowed, match="Only an owner"):
        importing.import_study(imported.database, imported.raters[0], folder, key="another")


def test_a_second_study_needs_its_own_key(imported: Situation, folder: Path) -> None:
    with pytest.raises(Conflict, match="A study 'tiny' already exists"):
        importing.import_study(imported.database, imported.admin, folder)

    assert importing.import_study(imported.database, imported.admin, folder, key="tiny-2").study_key == "tiny-2"


@pytest.mark.parametrize("key", ["", "With Blanks", "a/b", "../up", "a" * 61, "ä"])
def test_a_key_that_could_not_stand_in_an_address_is_refused(imported: Situation, folder: Path, key: str) -> None:
    if key == "":
        with pytest.raises(Conflict):  # an empty key is no key: the protocol's name counts, and that is taken
            importing.import_study(imported.database, imported.admin, folder, key=key)
        return

    with pytest.raises(InputRefused, match="cannot be used"):
        importing.import_study(imported.database, imported.admin, folder, key=key)


def test_of_two_imports_at_once_one_is_refused_and_the_other_is_whole(database: Database, folder: Path) -> None:
    owner = owner_of(database)

    def try_it(_: int) -> Imported | Conflict:
        try:
            return importing.import_study(database, owner, folder)
        except Conflict as refusal:
            return refusal

    with ThreadPoolExecutor(3) as pool:
        outcomes = list(pool.map(try_it, range(3)))

    assert sum(isinstance(outcome, Imported) for outcome in outcomes) == 1
    frozen = freezing.freeze_study(database, owner, "tiny")  # which checks that every volume is there and whole
    assert len(frozen.manifest["volumes"]) == 9


def test_a_refused_second_study_does_not_take_the_volumes_of_the_first(imported: Situation, folder: Path) -> None:
    rewrite("cases.csv", "subject-1", "another")(folder)
    truncated(folder)

    with pytest.raises(InputRefused):
        importing.import_study(imported.database, imported.admin, folder, key="second")

    assert freezing.freeze_study(imported.database, imported.admin, "tiny").sha256


def test_progress_is_told_volume_by_volume(sqlite_database: Database, folder: Path) -> None:
    said: list[tuple[int, int]] = []

    importing.import_study(
        sqlite_database,
        owner_of(sqlite_database),
        folder,
        progress=lambda done, total, text: said.append((done, total)),
    )

    assert said == [(number, 9) for number in range(10)]


def test_progress_of_a_study_without_scans_comes_to_its_end(sqlite_database: Database, tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(SCORE_ALONE, encoding="utf-8")
    write_table(tmp_path / "items.csv", "item,category,format,prompt", [("q1", "physics", "open", "Why?")])
    columns = "item,accepted,low,high,text_only_answer,provenance"
    write_table(tmp_path / "references.csv", columns, [("q1", "Because.", "", "", "", "")])
    write_table(tmp_path / "candidates.csv", "candidate,item,model,answer", [("a1", "q1", "model-a", "For it is.")])
    said: list[tuple[int, int]] = []

    importing.import_study(
        sqlite_database,
        owner_of(sqlite_database),
        tmp_path,
        progress=lambda done, total, text: said.append((done, total)),
    )

    assert said == [(1, 1)]


def test_problems_of_tables_and_volumes_are_said_at_once_and_nothing_is_stored(
    sqlite_database: Database, folder: Path
) -> None:
    owner = owner_of(sqlite_database)
    rows = rows_of_every_table(sqlite_database)
    truncated(folder)
    rewrite("volumes.csv", "volumes/c3-p.nii.gz", "volumes/none.nii.gz")(folder)
    rewrite("cases.csv", "c1,subject-1,Vignette of c1,50", "c1,subject-1,Vignette of c1,old")(folder)

    with pytest.raises(InputRefused) as refusal:
        importing.import_study(sqlite_database, owner, folder)

    assert [(problem.file, problem.place) for problem in refusal.value.problems] == [
        ("cases.csv", "line 2"), ("volumes.csv", "line 10"), ("volumes.csv", "volume 'c2-t1'"),
    ]  # fmt: skip
    assert rows_of_every_table(sqlite_database) == rows


def test_all_volumes_that_cannot_be_read_are_named_at_once(sqlite_database: Database, folder: Path) -> None:
    owner = owner_of(sqlite_database)
    truncated(folder)
    (folder / "volumes" / "c3-t1.nii.gz").write_bytes(b"no scan")

    with pytest.raises(InputRefused) as refusal:
        importing.import_study(sqlite_database, owner, folder)

    assert [problem.place for problem in refusal.value.problems] == ["volume 'c2-t1'", "volume 'c3-t1'"]
    assert not [path for path in (sqlite_database.data_dir / "volumes").rglob("*") if path.is_file()]
