"""Of a study that draws its items, the tables are stored first, and only the scans of drawn items are read."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from sqlmodel import select

from db import AuditEvent, Database, Item, PoolFile, Study, Volume
from services.errors import Conflict, InputRefused
from services.reading import previewing
from services.record import verification
from services.studies.folders import importing, pool_files
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.listed_study import work_through
from tests.room_study import change_item, rewrite, rows_of
from tests.situations import Situation, owner_of, signed_in, write_table, write_volume

POOL, SAMPLE = 12, 3
PROTOCOL = f"""
blindread: 2
name: pool
title: Reads of a sample
phases:
  - key: read
    rates: items
    from: {{sample: {{size: {SAMPLE}}}}}
    shows: [scans, prior, overlays, prompt, options]
    form: {{answer: as_item}}
"""
FIRST_READ_WHOLE = PROTOCOL.replace(f"    from: {{sample: {{size: {SAMPLE}}}}}\n", "")
ITEMS = "item,case,category,format,prompt,sequences,uses_prior,overlays"


def write_pool(folder: Path, protocol: str = PROTOCOL, *, with_volumes: bool = True) -> Path:
    """Write so many items, each about a case of its own with three scans, of which it shows T1."""
    folder.mkdir(parents=True)
    (folder / "protocol.yaml").write_text(protocol, encoding="utf-8")
    numbers = range(POOL)
    write_table(folder / "cases.csv", "case,subject", [(f"c{n}", f"s{n}") for n in numbers])
    scans = [("t1", "current", "T1"), ("t2", "current", "T2"), ("p", "prior", "T1")]
    volumes = [
        (f"c{n}-{name}", f"c{n}", role, sequence, "2024-06-01" if role == "current" else "2023-06-01",
         f"volumes/c{n}-{name}.nii.gz", sequence)
        for n in numbers
        for name, role, sequence in scans
    ]  # fmt: skip
    write_table(folder / "volumes.csv", "volume,case,role,sequence,acquired,file,label", volumes)
    items = [(f"i{n}", f"c{n}", "any", "yes_no", f"Question {n}?", "T1", "no", "") for n in numbers]
    write_table(folder / "items.csv", ITEMS, items)
    if with_volumes:
        bring_in(folder, [row[5] for row in volumes])
    return folder


def bring_in(folder: Path, paths: list[str] | tuple[str, ...]) -> None:
    for path in paths:
        write_volume(folder / path, seed=zlib.crc32(path.encode()))


def imported(database: Database, folder: Path, *, over_draft: bool = False) -> importing.Imported:
    return importing.import_study(database, owner_of(database), folder, over_draft=over_draft)


def stored_volumes(database: Database) -> list[str]:
    with database.read_only() as session:
        return sorted(session.exec(select(Volume.key)))


def files_in_store(database: Database) -> int:
    return sum(path.is_file() for path in database.volume_dir.glob("*/*"))


def drawn_cases(database: Database) -> list[str]:
    frozen = freezing.freeze_of(database, owner_of(database), "pool")
    assert frozen is not None
    return sorted(key.replace("i", "c") for key in frozen.manifest["phases"]["read"]["units"])


def test_of_a_pool_without_any_scan_the_drawn_ones_are_named_brought_in_and_frozen(
    database: Database, tmp_path: Path
) -> None:
    folder = write_pool(tmp_path / "pool", with_volumes=False)
    admin = owner_of(database)

    done = imported(database, folder)

    assert done.needs is not None
    assert (done.volumes, done.items, done.needs.named) == (0, POOL, 3 * POOL)
    assert done.needs.sentence == (
        "The draw needs 3 of 36 scans and masks; 0 are prepared. To be put into the study folder and prepared: "
        f"{', '.join(done.needs.missing)}."
    )
    with pytest.raises(Conflict, match="The draw needs 3 scans and masks, of which 3 are not prepared"):
        freezing.freeze_study(database, admin, "pool")
    bring_in(folder, done.needs.missing)
    needs = pool_files.prepare_volumes(database, admin, "pool", folder)
    assert needs.sentence == "The draw needs 3 of 36 scans and masks; 3 are prepared."
    freezing.freeze_study(database, admin, "pool")
    assert stored_volumes(database) == [f"{case}-t1" for case in drawn_cases(database)]
    assert files_in_store(database) == SAMPLE
    assert verification.verify_study(database, "pool") == []


def test_of_a_whole_folder_only_what_drawn_items_show_is_prepared_at_the_import(
    sqlite_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_pool(tmp_path / "pool")

    steps: list[tuple[int, int]] = []
    done = importing.import_study(
        sqlite_database, owner_of(sqlite_database), folder, progress=lambda at, total, text: steps.append((at, total))
    )

    assert steps == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert (done.volumes, files_in_store(sqlite_database)) == (SAMPLE, SAMPLE)
    freezing.freeze_study(sqlite_database, owner_of(sqlite_database), "pool")
    assert stored_volumes(sqlite_database) == [f"{case}-t1" for case in drawn_cases(sqlite_database)]


def test_what_is_missing_is_named_with_its_line_and_nothing_is_stored(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder = write_pool(tmp_path / "pool", with_volumes=False)
    needs = imported(sqlite_database, folder).needs
    assert needs is not None
    bring_in(folder, needs.missing[:1])

    with pytest.raises(InputRefused) as refused:
        pool_files.prepare_volumes(sqlite_database, owner_of(sqlite_database), "pool", folder)

    assert [str(problem) for problem in refused.value.problems] == [
        f"volumes.csv, volume '{Path(path).name.removesuffix('.nii.gz')}': {path} is missing, and a drawn item shows "
        "it; put it into the folder and prepare again."
        for path in needs.missing[1:]
    ]
    assert (stored_volumes(sqlite_database), files_in_store(sqlite_database)) == ([], 0)


def test_a_scan_that_cannot_be_read_leaves_nothing_behind(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_pool(tmp_path / "pool", with_volumes=False)
    needs = imported(sqlite_database, folder).needs
    assert needs is not None
    bring_in(folder, needs.missing)
    (folder / needs.missing[-1]).write_bytes(b"no scan")

    with pytest.raises(InputRefused, match=r"volumes\.csv, volume 'c\d+-t1'"):
        pool_files.prepare_volumes(sqlite_database, owner_of(sqlite_database), "pool", folder)

    assert (stored_volumes(sqlite_database), files_in_store(sqlite_database)) == ([], 0)


def test_importing_over_the_draft_draws_the_same(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_pool(tmp_path / "pool", with_volumes=False)
    first = imported(sqlite_database, folder).needs
    change_item(folder, "i0", prompt="A corrected question?")

    second = imported(sqlite_database, folder, over_draft=True).needs

    assert first == second


def test_a_prior_or_a_mask_takes_all_scans_of_its_case_with_it(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_pool(tmp_path / "pool")
    rewrite(folder / "items.csv", [row | {"uses_prior": "yes"} for row in rows_of(folder / "items.csv")])

    done = imported(sqlite_database, folder)

    assert done.volumes == 3 * SAMPLE
    freezing.freeze_study(sqlite_database, owner_of(sqlite_database), "pool")
    assert stored_volumes(sqlite_database) == sorted(
        f"{case}-{name}" for case in drawn_cases(sqlite_database) for name in ("t1", "t2", "p")
    )


def test_where_a_phase_shows_the_scans_of_every_item_all_are_prepared_and_none_may_be_missing(
    sqlite_database: Database, tmp_path: Path
) -> None:
    whole = write_pool(tmp_path / "whole", FIRST_READ_WHOLE)
    bare = write_pool(tmp_path / "bare", FIRST_READ_WHOLE.replace("name: pool", "name: bare"), with_volumes=False)

    done = imported(sqlite_database, whole)

    assert (done.volumes, done.needs) == (3 * POOL, None)
    with sqlite_database.read_only() as session:
        assert session.exec(select(PoolFile)).all() == []
    with pytest.raises(Conflict, match="All volumes of 'pool' were prepared at its import"):
        pool_files.prepare_volumes(sqlite_database, owner_of(sqlite_database), "pool", whole)
    with pytest.raises(InputRefused, match=r"volumes\.csv, line 2: file 'volumes/c0-t1\.nii\.gz' is missing"):
        imported(sqlite_database, bare)


def test_a_draw_that_others_have_changed_needs_its_own_scans(sqlite_database: Database, tmp_path: Path) -> None:
    """A freeze elsewhere takes subjects out of the pool after the scans of some of them were prepared."""
    apart = PROTOCOL.replace("size: 3", "size: 3, not_in: [first]")
    folder, admin = write_pool(tmp_path / "pool", apart), owner_of(sqlite_database)
    before = imported(sqlite_database, folder).needs
    drawn = set(stored_volumes(sqlite_database))
    other = write_pool(tmp_path / "first", FIRST_READ_WHOLE.replace("name: pool", "name: first"))
    gone = sorted(drawn)[0].removesuffix("-t1")
    rows = [row for row in rows_of(other / "items.csv") if row["case"] == gone]
    rewrite(other / "items.csv", rows)
    imported(sqlite_database, other)
    freezing.freeze_study(sqlite_database, admin, "first")

    with pytest.raises(Conflict, match=r"of which \d are not prepared"):
        freezing.freeze_study(sqlite_database, admin, "pool")
    after = pool_files.prepare_volumes(sqlite_database, admin, "pool", folder)

    assert before is not None
    assert (before.prepared, after.prepared, after.missing) == (SAMPLE, SAMPLE, ())
    freezing.freeze_study(sqlite_database, admin, "pool")
    with sqlite_database.read_only() as session:
        of_study = select(Volume.key).join(Study).where(Study.key == "pool")
        assert sorted(session.exec(of_study)) == [f"{case}-t1" for case in drawn_cases(sqlite_database)]
    assert gone not in drawn_cases(sqlite_database)


def test_a_sample_larger_than_its_pool_is_refused_at_the_import(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_pool(tmp_path / "pool", PROTOCOL.replace(f"size: {SAMPLE}", "size: 100"), with_volumes=False)

    with pytest.raises(InputRefused, match=r"protocol\.yaml, key phases: Phase 'read'"):
        imported(sqlite_database, folder)

    with sqlite_database.read_only() as session:
        assert session.exec(select(Item)).all() == []


def test_a_frozen_study_takes_no_other_scans(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_pool(tmp_path / "pool")
    imported(sqlite_database, folder)
    freezing.freeze_study(sqlite_database, owner_of(sqlite_database), "pool")

    with pytest.raises(Conflict, match="This study is frozen; what it shows was prepared before"):
        pool_files.prepare_volumes(sqlite_database, owner_of(sqlite_database), "pool", folder)


def test_raters_see_the_scans_of_every_drawn_item(sqlite_database: Database, tmp_path: Path) -> None:
    folder, admin = write_pool(tmp_path / "pool"), owner_of(sqlite_database)
    imported(sqlite_database, folder)
    members.invite(sqlite_database, admin, "pool", "rater-1", "Rater 1", "rater")
    freezing.freeze_study(sqlite_database, admin, "pool")
    rater = signed_in(sqlite_database, "rater-1")

    seen = work_through(Situation(sqlite_database, "pool", admin, (rater,), admin))

    assert len(seen) == SAMPLE
    assert all([pane["missing"] for pane in payload["images"]["panes"]] == [[]] for payload in seen)


def test_the_preview_begins_where_scans_are_and_says_where_they_are_not(
    sqlite_database: Database, tmp_path: Path
) -> None:
    folder, admin = write_pool(tmp_path / "pool"), owner_of(sqlite_database)
    imported(sqlite_database, folder)
    prepared = {key.removesuffix("-t1").replace("c", "i") for key in stored_volumes(sqlite_database)}

    first = previewing.place_of(sqlite_database, admin, "pool")
    lacking = {f"i{n}" for n in range(POOL) if previewing.lacks_its_volumes(sqlite_database, admin, "pool", f"i{n}")}

    assert first.key in prepared
    assert lacking == {f"i{n}" for n in range(POOL)} - prepared


def test_the_audit_trail_says_how_many_volumes_were_prepared(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_pool(tmp_path / "pool", with_volumes=False)
    needs = imported(sqlite_database, folder).needs
    assert needs is not None
    bring_in(folder, needs.missing)

    pool_files.prepare_volumes(sqlite_database, owner_of(sqlite_database), "pool", folder)

    with sqlite_database.read_only() as session:
        (noted,) = session.exec(select(AuditEvent).where(AuditEvent.action == "volumes prepared")).all()
    assert (noted.detail["volumes"], noted.detail["overlays"]) == (SAMPLE, 0)
