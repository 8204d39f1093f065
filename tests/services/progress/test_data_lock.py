"""Data lock, re-opening and interim looks: who may, when, and for which reason, kept for good."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlmodel import select

from db import AuditEvent, Database, StudyEvent, now
from db.base import stored_id
from services.errors import Conflict, NotAllowed
from services.people.permission import study_of
from services.progress import data_lock
from services.progress.data_lock import INTERIM_LOOK_LASTS, require_report_open
from services.studies import catalogue
from tests.situations import Situation, on_the_desk, open_study

REASON = "The sponsor asked for the number of reads."


def report_is(situation: Situation, person_id: int | None = None) -> str:
    with situation.database.read_only() as session:
        study_id = stored_id(study_of(session, "tiny").id)
        return require_report_open(session, study_id, person_id or situation.admin.person_id)


def kinds(database: Database) -> list[str]:
    with database.read_only() as session:
        return list(session.exec(select(StudyEvent.kind).order_by(StudyEvent.id)))


def test_the_report_stays_shut_until_the_data_are_locked(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    with pytest.raises(NotAllowed, match="is locked until the study is closed"):
        report_is(situation)

    data_lock.close_study(database, situation.admin, "tiny")

    assert report_is(situation) == "final"


def test_a_study_is_closed_once_and_re_opened_with_a_reason(opened: Situation) -> None:
    data_lock.close_study(opened.database, opened.admin, "tiny")
    with pytest.raises(Conflict, match="only while it is open"):
        data_lock.close_study(opened.database, opened.admin, "tiny")

    data_lock.reopen_study(opened.database, opened.admin, "tiny", REASON)

    assert catalogue.study_line(opened.database, opened.admin, "tiny").state == "open"
    assert on_the_desk(opened, opened.raters[0])["kind"] == "item"
    with pytest.raises(NotAllowed):
        report_is(opened)
    with pytest.raises(Conflict, match="only while it is closed"):
        data_lock.reopen_study(opened.database, opened.admin, "tiny", REASON)
    assert kinds(opened.database) == ["open", "close", "reopen"]


def test_of_several_closings_at_once_one_counts(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")

    def try_it(_: int) -> bool:
        try:
            data_lock.close_study(database, situation.admin, "tiny")
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(try_it, range(4))) == 1
    assert kinds(database) == ["open", "close"]


def test_an_interim_look_opens_the_report_for_the_one_who_gave_the_reason(opened: Situation) -> None:
    data_lock.take_interim_look(opened.database, opened.admin, "tiny", REASON)

    assert report_is(opened) == "interim"
    with pytest.raises(NotAllowed):
        report_is(opened, person_id=opened.raters[0].person_id)


def test_an_interim_look_lasts_an_hour(opened: Situation) -> None:
    data_lock.take_interim_look(opened.database, opened.admin, "tiny", REASON)
    earlier = now() - INTERIM_LOOK_LASTS - timedelta(minutes=1)
    with opened.database.engine.begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER study_event_no_update")
        connection.execute(
            text("UPDATE study_event SET at = :at WHERE kind = 'interim'"), {"at": earlier.replace(tzinfo=None)}
        )

    with pytest.raises(NotAllowed, match="an interim look needs a reason"):
        report_is(opened)


@pytest.mark.parametrize("reason", ["", "   ", "too short", "\x00" * 20])
def test_a_reason_has_to_say_something(opened: Situation, reason: str) -> None:
    with pytest.raises(NotAllowed, match="at least 10 characters"):
        data_lock.take_interim_look(opened.database, opened.admin, "tiny", reason)
    data_lock.close_study(opened.database, opened.admin, "tiny")
    with pytest.raises(NotAllowed, match="at least 10 characters"):
        data_lock.reopen_study(opened.database, opened.admin, "tiny", reason)

    assert kinds(opened.database) == ["open", "close"]


def test_reasons_and_names_are_kept(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    data_lock.take_interim_look(database, situation.admin, "tiny", f"  {REASON}\x00 ")
    data_lock.close_study(database, situation.admin, "tiny")

    events = data_lock.events_of(database, situation.admin, "tiny")

    assert [(event.kind, event.reason, event.by) for event in events] == [
        ("open", "", "Ada Admin"),
        ("interim", REASON, "Ada Admin"),
        ("close", "", "Ada Admin"),
    ]
    with database.read_only() as session:
        interim = session.exec(select(AuditEvent).where(AuditEvent.action == "study interim")).one()
    assert interim.detail["reason"] == REASON


def test_a_draft_cannot_be_closed_nor_looked_at(imported: Situation) -> None:
    with pytest.raises(Conflict, match=r"^The study is not frozen yet; it can be closed only while it is open\.$"):
        data_lock.close_study(imported.database, imported.admin, "tiny")
    with pytest.raises(Conflict, match=r"^The study is not frozen yet, so there is nothing to look at; freeze"):
        data_lock.take_interim_look(imported.database, imported.admin, "tiny", REASON)


def test_only_the_admin_closes_looks_and_lists(opened: Situation) -> None:
    for other in (*opened.raters, opened.reviewer):
        with pytest.raises(NotAllowed):
            data_lock.close_study(opened.database, other, "tiny")
        with pytest.raises(NotAllowed):
            data_lock.take_interim_look(opened.database, other, "tiny", REASON)
        with pytest.raises(NotAllowed):
            data_lock.events_of(opened.database, other, "tiny")
