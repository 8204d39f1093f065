"""Nobody acts in a role that is not theirs, and a preview or a scan of one study opens nothing in another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from db import AuditEvent, Database
from services.adjudication import review_queue
from services.errors import Conflict, NotAllowed, NotFound
from services.judging import import_runs
from services.people import identity
from services.progress import data_lock
from services.reading import instructions, member_progress, previewing, shown_volumes, submission
from services.record import verification
from services.studies import catalogue
from services.studies.folders import importing
from services.studies.freeze import freezing
from services.studies.membership import members
from tests.blinding.attacking import count, hand_in
from tests.situations import imported_study, on_the_desk, open_study, signed_in

# ---- roles -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["rater", "reviewer", "stranger"])
def test_what_only_admins_may_do_is_refused_to_others(sqlite_database: Database, tmp_path: Path, who: str) -> None:
    open_study(sqlite_database, tmp_path / "study")
    with sqlite_database.writing() as session:
        identity.add_person(session, "stranger", "Sam Stranger")
    actor = signed_in(sqlite_database, {"rater": "rater-1"}.get(who, who))
    before = count(sqlite_database, AuditEvent)

    for attempt in (
        lambda: previewing.items_of(sqlite_database, actor, "tiny"),
        lambda: previewing.preview_item(sqlite_database, actor, "tiny", "i1"),
        lambda: member_progress.progress_of_members(sqlite_database, actor, "tiny"),
        lambda: members.invite(sqlite_database, actor, "tiny", "friend", "Friend", "admin"),
        lambda: catalogue.study_line(sqlite_database, actor, "tiny"),
        lambda: freezing.freeze_of(sqlite_database, actor, "tiny"),
        lambda: freezing.freeze_study(sqlite_database, actor, "tiny"),
        lambda: verification.verify_for_admin(sqlite_database, actor, "tiny"),
        lambda: data_lock.close_study(sqlite_database, actor, "tiny"),
        lambda: data_lock.reopen_study(sqlite_database, actor, "tiny", "a long enough reason"),
        lambda: data_lock.events_of(sqlite_database, actor, "tiny"),
        lambda: import_runs.judge_runs_of(sqlite_database, actor, "tiny"),
        lambda: review_queue.open_review_queue(sqlite_database, actor, "tiny"),
        lambda: importing.import_study(sqlite_database, actor, tmp_path / "study", key="mine"),
    ):
        with pytest.raises((NotAllowed, NotFound)):
            attempt()

    assert count(sqlite_database, AuditEvent) == before


@pytest.mark.parametrize(("who", "queue"), [("rater-1", "review"), ("reviewer", "reading"), ("reviewer", "scoring"),
                                            ("admin", "reading"), ("admin", "review")])  # fmt: skip
def test_nobody_enters_or_acknowledges_for_another_role(
    sqlite_database: Database, tmp_path: Path, who: str, queue: str
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    actor = signed_in(sqlite_database, who)

    for attempt in (
        lambda: on_the_desk(situation, actor, queue),
        lambda: instructions.of_queue(sqlite_database, actor, "tiny", queue),
        lambda: instructions.acknowledge_instructions(sqlite_database, actor, "tiny", queue),
    ):
        with pytest.raises(NotAllowed):
            attempt()


def test_a_queue_that_does_not_exist_is_not_found(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]

    for queue in ("opinions", "preview", "", "\x00", "reading "):
        with pytest.raises(NotFound):
            on_the_desk(situation, rater, queue)
    for study in ("", "\x00", "another", "TINY", "tiny "):
        with pytest.raises(NotFound):
            instructions.of_queue(database, rater, study, "reading")


def test_nobody_has_two_roles_in_one_study(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")

    for login in ("rater-1", " RATER-1 ", "admin"):
        with pytest.raises(Conflict, match="nobody has two roles"):
            members.invite(sqlite_database, situation.admin, "tiny", login, "Again", "reviewer")


def test_an_admin_of_one_study_who_reads_in_another_previews_only_their_own(
    sqlite_database: Database, tmp_path: Path
) -> None:
    first = open_study(sqlite_database, tmp_path / "study", key="first")
    imported_study(sqlite_database, tmp_path / "again", key="second")
    members.invite(sqlite_database, first.admin, "second", "two-hats", "Two Hats", "admin")
    members.invite(sqlite_database, first.admin, "first", "two-hats", "Two Hats", "rater")
    both = signed_in(sqlite_database, "two-hats")
    own = previewing.preview_item(sqlite_database, both, "second", "i2")
    of_the_admin = previewing.preview_item(sqlite_database, first.admin, "first", "i2")

    assert shown_volumes.volume_in_reach(sqlite_database, both, _token(own)).is_file()
    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(sqlite_database, both, _token(of_the_admin))
    with pytest.raises(NotAllowed):
        previewing.preview_item(sqlite_database, both, "first", "i2")


def _token(payload: dict[str, Any]) -> str:
    return payload["images"]["panes"][0]["volumes"][0]["url"].rsplit("/", 1)[1]


def test_a_preview_can_never_be_handed_in(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    preview = previewing.preview_item(sqlite_database, situation.admin, "tiny", "i1")

    for actor in (situation.admin, situation.raters[0]):
        with pytest.raises(NotFound):
            hand_in(situation, actor, preview["assignment"], preview["key"])


def test_a_rater_cannot_fetch_with_an_admins_preview_token(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")

    for item in ("i1", "i2", "i3", "i4", "i5", "i6"):
        preview = previewing.preview_item(sqlite_database, situation.admin, "tiny", item)
        with pytest.raises(NotFound):
            shown_volumes.volume_in_reach(sqlite_database, situation.raters[0], _token(preview))


def test_volumes_are_out_of_reach_when_a_study_is_not_open(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    token = _token(on_the_desk(situation, rater))
    data_lock.close_study(sqlite_database, situation.admin, "tiny")

    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(sqlite_database, rater, token)


def test_the_same_volume_has_another_name_in_every_study_and_session(sqlite_database: Database, tmp_path: Path) -> None:
    first = open_study(sqlite_database, tmp_path / "study", key="first")
    second = open_study(sqlite_database, tmp_path / "again", key="second")
    again = signed_in(sqlite_database, "rater-1")

    rater = first.raters[0]
    names = {
        _token(submission.current_payload(sqlite_database, actor, key, "reading"))
        for actor, key in ((rater, "first"), (rater, "second"), (again, "first"), (second.raters[1], "first"))
    }

    assert len(names) == 4
