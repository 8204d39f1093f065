"""A frozen study of which nobody has seen anything becomes a draft again; its freeze stays on record."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select

from db import Assignment, AuditEvent, Database, Freeze, Thaw
from services.errors import Conflict, NotAllowed
from services.judging import import_runs
from services.progress import data_lock
from services.reading import instructions
from services.record import daily_verification, package, redrawing, verification
from services.studies.folders import draft_studies, importing
from services.studies.freeze import freezing, thawing
from services.studies.membership import members
from tests.db.full_study import JUDGE_CSV
from tests.listed_study import READ_THEN_SCORE, opened_listed, work_through
from tests.services.studies.folders.test_pool_files import POOL, write_pool
from tests.situations import Situation, on_the_desk, owner_of, read_all, show


def thaw(situation: Situation, reason: str = "A misspelt prompt.") -> None:
    thawing.thaw_study(situation.database, situation.admin, situation.study_key, reason)


def freeze(situation: Situation) -> freezing.Frozen:
    return freezing.freeze_study(situation.database, situation.admin, situation.study_key)


def dealt(situation: Situation) -> list[tuple[int, str, int, int]]:
    with situation.database.read_only() as session:
        rows = session.exec(select(Assignment).order_by(Assignment.id)).all()
        return [(row.membership_id, row.phase, row.position, row.candidate_id or row.item_id) for row in rows]


def test_a_thawed_study_is_a_draft_and_its_freeze_stays_with_the_reason(opened: Situation) -> None:
    frozen = freezing.freeze_of(opened.database, opened.admin, "tiny")
    assert frozen is not None

    thaw(opened)

    assert freezing.freeze_of(opened.database, opened.admin, "tiny") is None
    assert draft_studies.draft_of(opened.database, opened.admin, "tiny") is not None
    assert dealt(opened) == []
    with opened.database.read_only() as session:
        rows = session.exec(select(Freeze.sha256, Thaw.reason).join(Thaw)).all()
        (event,) = session.exec(select(AuditEvent).where(AuditEvent.action == "study thawed")).all()
    assert [tuple(row) for row in rows] == [(frozen.sha256, "A misspelt prompt.")]
    assert (event.person_id, event.detail["manifest_sha256"]) == (opened.admin.person_id, frozen.sha256)


def test_a_thaw_is_among_the_events_between_the_two_freezes(opened: Situation) -> None:
    thaw(opened)
    freeze(opened)

    events = data_lock.events_of(opened.database, opened.admin, "tiny")

    assert [(event.kind, event.reason) for event in events] == [
        ("open", ""), ("thaw", "A misspelt prompt."), ("open", "")
    ]  # fmt: skip
    assert events[1].by == "Ada Admin"


def test_the_next_freeze_draws_the_same_and_names_the_one_before(opened: Situation) -> None:
    first, before = freezing.freeze_of(opened.database, opened.admin, "tiny"), dealt(opened)
    assert first is not None
    thaw(opened)

    second = freeze(opened)

    assert dealt(opened) == before
    assert second.manifest["thawed"] == [{"version": 1, "sha256": first.sha256, "reason": "A misspelt prompt."}]
    assert {name: part for name, part in second.manifest.items() if name != "thawed"} == first.manifest
    assert verification.verify_study(opened.database, "tiny") == []


def test_the_package_of_a_study_that_was_thawed_repeats_the_draws_that_stand(opened: Situation, tmp_path: Path) -> None:
    thaw(opened)
    freeze(opened)
    data_lock.close_study(opened.database, opened.admin, "tiny", "Nobody came to read.")

    package.export_study(opened.database, opened.admin, "tiny", tmp_path / "package")

    repeated = redrawing.redraw(tmp_path / "package")
    assert (repeated.count > 0, repeated.problems) == (True, [])


def test_a_study_that_lists_its_phases_is_thawed_and_read_to_its_end(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", READ_THEN_SCORE)
    before = dealt(situation)
    thaw(situation)
    members.invite(database, situation.admin, "listed", "rater-3", "Rater 3", "rater")

    freeze(situation)
    seen = work_through(situation)
    data_lock.close_study(database, situation.admin, "listed", "Rater 3 did not come.")

    assert [row for row in dealt(situation) if row in before] == before
    assert len(seen) == len(before)
    assert verification.verify_study(database, "listed") == []


def test_a_thawed_study_is_imported_over_and_keeps_its_draw(sqlite_database: Database, tmp_path: Path) -> None:
    folder, admin = write_pool(tmp_path / "pool"), owner_of(sqlite_database)
    importing.import_study(sqlite_database, admin, folder)
    frozen = freezing.freeze_study(sqlite_database, admin, "pool")
    first = frozen.manifest
    thawing.thaw_study(sqlite_database, admin, "pool", "A label was wrong.")

    importing.import_study(sqlite_database, admin, folder, over_draft=True)
    second = freezing.freeze_study(sqlite_database, admin, "pool").manifest

    assert second["pool"]["items"]["rows"] == POOL
    assert [second[part] for part in ("phases", "items", "volumes", "pool")] == [
        first[part] for part in ("phases", "items", "volumes", "pool")
    ]
    assert second["thawed"] == [{"version": 1, "sha256": frozen.sha256, "reason": "A label was wrong."}]
    assert verification.verify_study(sqlite_database, "pool") == []


@pytest.mark.parametrize("over", [False, True], ids=["as it is", "imported over"])
def test_the_key_of_a_thawed_study_is_not_freed_for_another_draw(
    sqlite_database: Database, tmp_path: Path, over: bool
) -> None:
    folder, admin = write_pool(tmp_path / "pool"), owner_of(sqlite_database)
    importing.import_study(sqlite_database, admin, folder)
    freezing.freeze_study(sqlite_database, admin, "pool")
    thawing.thaw_study(sqlite_database, admin, "pool", "A label was wrong.")
    if over:
        importing.import_study(sqlite_database, admin, folder, over_draft=True)

    for act in (
        lambda: draft_studies.remove_draft(sqlite_database, admin, "pool"),
        lambda: draft_studies.rename_draft(sqlite_database, admin, "pool", key="another"),
    ):
        with pytest.raises(Conflict, match="was frozen and thawed, and keeps its key and its draw"):
            act()
    assert draft_studies.rename_draft(sqlite_database, admin, "pool", title="Corrected") == "pool"


def test_a_thawed_study_is_not_due_to_be_verified(opened: Situation) -> None:
    thaw(opened)

    assert daily_verification._studies_due(opened.database) == []


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda opened: read_all(opened, opened.raters[0]), "verdicts were submitted"),
        (lambda opened: show(opened, opened.raters[0], on_the_desk(opened, opened.raters[0])), "items were shown"),
        (
            lambda opened: instructions.acknowledge_instructions(opened.database, opened.raters[0], "tiny", "reading"),
            "somebody has begun, having read the instructions",
        ),
        (
            lambda opened: import_runs.import_judge_verdicts(
                opened.database, opened.admin, "tiny", name="a", judge="b", content=JUDGE_CSV, file_name="j.csv"
            ),
            "verdicts of a judge were imported",
        ),
        (
            lambda opened: data_lock.take_interim_look(
                opened.database, opened.admin, "tiny", "The board on safety asked for it."
            ),
            "an interim look was taken",
        ),
    ],
)
def test_once_anything_was_seen_nothing_is_thawed(opened: Situation, act, says: str) -> None:  # type: ignore[no-untyped-def]
    act(opened)

    with pytest.raises(Conflict) as refused:
        thaw(opened)

    assert str(refused.value) == (
        f"The study 'tiny' cannot be thawed: {says}. Import the corrected folder under another key."
    )
    assert not thawing.can_be_thawed(opened.database, opened.admin, "tiny")


def test_a_draft_and_a_closed_study_cannot_be_thawed(opened: Situation) -> None:
    thaw(opened)
    with pytest.raises(Conflict, match="This study is not frozen"):
        thaw(opened)
    freeze(opened)
    data_lock.close_study(opened.database, opened.admin, "tiny", "Nobody came.")

    with pytest.raises(Conflict, match="This study is closed"):
        thaw(opened)


def test_a_thaw_has_a_reason_and_is_an_admins(opened: Situation) -> None:
    with pytest.raises(Conflict, match="A thaw requires a reason"):
        thaw(opened, "  ")
    with pytest.raises(NotAllowed):
        thawing.thaw_study(opened.database, opened.raters[0], "tiny", "I would like another order.")


def test_a_thaw_that_was_added_past_the_program_is_noticed(opened: Situation) -> None:
    with opened.database.writing() as session:
        session.add(Thaw(freeze_id=1, reason="I did not like it."))

    problems = verification.verify_study(opened.database, "tiny")

    assert "The freeze is gone, though the audit chain says that the study was frozen." in problems
