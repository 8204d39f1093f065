"""A draft to which nobody is invited is renamed, removed and imported over; anything else stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import Session, func, select

from db import (
    AuditEvent,
    Candidate,
    Case,
    Database,
    Item,
    Overlay,
    ProtocolRecord,
    Reference,
    Study,
    Volume,
    audit,
)
from services.errors import Conflict, InputRefused, NotAllowed, NotFound
from services.people import permission
from services.people.identity import Actor
from services.reading import previewing
from services.studies import catalogue
from services.studies.folders import draft_studies, importing
from services.studies.freeze import freezing
from services.studies.membership import members, removing
from tests.situations import ITEMS, imported_study, owner_of, signed_in, write_study_folder, write_volume

CONTENTS = (Reference, Candidate, Item, Overlay, Volume, Case, ProtocolRecord)


def draft(database: Database, folder: Path, key: str = "tiny") -> Actor:
    """Import the tiny study and invite nobody."""
    owner = owner_of(database)
    importing.import_study(database, owner, write_study_folder(folder), key=key)
    return owner


def rows(session: Session) -> dict[str, int]:
    return {table.__tablename__: session.exec(select(func.count()).select_from(table)).one() for table in CONTENTS}


def files(database: Database) -> set[str]:
    return {path.name for path in database.volume_dir.rglob("*.nii.gz")}


def actions(database: Database) -> list[str]:
    with database.read_only() as session:
        assert list(audit.broken_links(session)) == []
        return list(session.exec(select(AuditEvent.action).order_by(AuditEvent.id)))


# ---- removing --------------------------------------------------------------------------------------------------------


def test_a_removed_draft_leaves_its_row_for_the_audit_chain_and_nothing_else(
    database: Database, tmp_path: Path
) -> None:
    owner = draft(database, tmp_path / "study")
    assert files(database)

    draft_studies.remove_draft(database, owner, "tiny")

    with database.read_only() as session:
        assert set(rows(session).values()) == {0}
        study = session.exec(select(Study)).one()
        with pytest.raises(NotFound):
            permission.study_of(session, study.key)
    assert study.removed_at is not None and study.key.startswith("tiny~")
    assert files(database) == set()
    assert "study removed" in actions(database)
    assert catalogue.studies_of(database, owner) == []
    for key in ("tiny", study.key):
        with pytest.raises(NotFound):
            previewing.items_of(database, owner, key)


def test_the_key_of_a_removed_draft_is_free_again(database: Database, tmp_path: Path) -> None:
    owner = draft(database, tmp_path / "study")
    draft_studies.remove_draft(database, owner, "tiny")

    importing.import_study(database, owner, tmp_path / "study")

    assert [line.key for line in catalogue.studies_of(database, owner)] == ["tiny"]
    freezing.freeze_study(database, owner, "tiny")


def test_volumes_that_another_study_refers_to_stay(database: Database, tmp_path: Path) -> None:
    owner = draft(database, tmp_path / "study")
    write_volume(tmp_path / "study" / "volumes" / "c1-t1.nii.gz", seed=999)
    importing.import_study(database, owner, tmp_path / "study", key="second")
    both = files(database)

    draft_studies.remove_draft(database, owner, "tiny")

    assert len(both - files(database)) == 1
    freezing.freeze_study(database, owner, "second")


def test_a_file_that_went_while_an_import_counted_on_it_refuses_that_import(
    sqlite_database: Database, tmp_path: Path
) -> None:
    owner = draft(sqlite_database, tmp_path / "study")

    def remove_the_first(done: int, total: int, text: str) -> None:
        if done == total:
            draft_studies.remove_draft(sqlite_database, owner, "tiny")

    with pytest.raises(Conflict, match="import again"):
        importing.import_study(sqlite_database, owner, tmp_path / "study", key="second", progress=remove_the_first)

    assert catalogue.studies_of(sqlite_database, owner) == []


def test_a_frozen_study_is_not_removed(database: Database, tmp_path: Path) -> None:
    owner = draft(database, tmp_path / "study")
    freezing.freeze_study(database, owner, "tiny")

    with pytest.raises(Conflict, match="is frozen; only a draft"):
        draft_studies.remove_draft(database, owner, "tiny")
    with pytest.raises(Conflict, match="is frozen; only a draft"):
        draft_studies.rename_draft(database, owner, "tiny", title="Another")
    assert draft_studies.draft_of(database, owner, "tiny") is None


def test_a_draft_to_which_somebody_is_invited_stays_until_they_are_taken_out(
    database: Database, tmp_path: Path
) -> None:
    situation = imported_study(database, tmp_path / "study")
    with pytest.raises(Conflict, match=r"\(Rater 1, Rater 2, Reviewer 1\); remove them first"):
        draft_studies.remove_draft(database, situation.admin, "tiny")

    for login in ("rater-1", "rater-2", "reviewer"):
        removing.remove_member(database, situation.admin, "tiny", login)
    draft_studies.remove_draft(database, situation.admin, "tiny")

    assert catalogue.studies_of(database, situation.admin) == []


ACTS: list[Callable[[Database, Actor], object]] = [
    lambda database, actor: draft_studies.remove_draft(database, actor, "tiny"),
    lambda database, actor: draft_studies.rename_draft(database, actor, "tiny", title="Mine"),
    lambda database, actor: removing.remove_member(database, actor, "tiny", "rater-2"),
    lambda database, actor: removing.removable_members(database, actor, "tiny"),
]


@pytest.mark.parametrize("act", ACTS)
def test_a_rater_neither_removes_nor_renames(sqlite_database: Database, tmp_path: Path, act: object) -> None:
    situation = imported_study(sqlite_database, tmp_path / "study")
    with pytest.raises(NotAllowed):
        act(sqlite_database, situation.raters[0])  # type: ignore[operator]


# ---- renaming --------------------------------------------------------------------------------------------------------


def test_a_draft_gets_another_key_and_title(database: Database, tmp_path: Path) -> None:
    owner = draft(database, tmp_path / "study")

    assert draft_studies.rename_draft(database, owner, "tiny", key="ms-2026", title=" MS lesions 2026 ") == "ms-2026"

    assert [(line.key, line.title) for line in catalogue.studies_of(database, owner)] == [
        ("ms-2026", "MS lesions 2026")
    ]
    assert "study renamed" in actions(database)
    freezing.freeze_study(database, owner, "ms-2026")


def test_an_empty_title_changes_nothing(database: Database, tmp_path: Path) -> None:
    owner = draft(database, tmp_path / "study")
    draft_studies.rename_draft(database, owner, "tiny", title="  ")
    assert catalogue.study_line(database, owner, "tiny").title == "A tiny study"


def test_a_key_that_is_taken_or_cannot_be_one_is_refused(database: Database, tmp_path: Path) -> None:
    owner = draft(database, tmp_path / "study")
    draft(database, tmp_path / "second", key="second")
    with pytest.raises(Conflict, match="'second' already exists"):
        draft_studies.rename_draft(database, owner, "tiny", key="second")
    with pytest.raises(InputRefused, match="lower-case letters, digits and hyphens"):
        draft_studies.rename_draft(database, owner, "tiny", key="tiny~1")


def test_once_somebody_is_invited_only_the_title_changes(database: Database, tmp_path: Path) -> None:
    situation = imported_study(database, tmp_path / "study")
    with pytest.raises(Conflict, match="invited"):
        draft_studies.rename_draft(database, situation.admin, "tiny", key="other")
    draft_studies.rename_draft(database, situation.admin, "tiny", title="Another title")
    assert catalogue.study_line(database, situation.admin, "tiny").title == "Another title"


# ---- importing over --------------------------------------------------------------------------------------------------


def test_a_folder_is_imported_over_its_own_draft(database: Database, tmp_path: Path) -> None:
    owner = draft(database, tmp_path / "study")
    before = files(database)
    with pytest.raises(Conflict, match="already exists"):
        importing.import_study(database, owner, tmp_path / "study")
    write_volume(tmp_path / "study" / "volumes" / "c1-t1.nii.gz", seed=999)
    assert importing.can_import_over(database, owner, "tiny")

    importing.import_study(database, owner, tmp_path / "study", over_draft=True)

    with database.read_only() as session:
        assert rows(session)["item"] == len(ITEMS)
        assert len(session.exec(select(Study)).all()) == 2
    assert len(files(database)) == len(before)
    assert len(before - files(database)) == 1
    freezing.freeze_study(database, owner, "tiny")


def test_a_refused_import_leaves_the_draft_as_it_was(database: Database, tmp_path: Path) -> None:
    owner = draft(database, tmp_path / "study")
    (tmp_path / "study" / "volumes" / "c1-t1.nii.gz").write_bytes(b"no volume")
    before = files(database)

    with pytest.raises(InputRefused):
        importing.import_study(database, owner, tmp_path / "study", over_draft=True)

    assert files(database) == before
    assert [item.key for item in previewing.items_of(database, owner, "tiny")] == [row[0] for row in ITEMS]


def test_neither_a_frozen_study_nor_somebody_elses_draft_is_imported_over(database: Database, tmp_path: Path) -> None:
    owner = draft(database, tmp_path / "study")
    freezing.freeze_study(database, owner, "tiny")
    assert not importing.can_import_over(database, owner, "tiny")
    with pytest.raises(Conflict, match="only a draft"):
        importing.import_study(database, owner, tmp_path / "study", over_draft=True)
    members.invite(database, owner, "tiny", "other", "Other", "admin")
    with pytest.raises(NotAllowed):
        importing.import_study(
            database, signed_in(database, "other"), tmp_path / "study", key="another", over_draft=True
        )
