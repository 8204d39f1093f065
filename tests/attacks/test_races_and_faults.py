"""Two at once, and what breaks in between: tabs, removals, closings, imports, kills, a full disk, a clock set back."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import func, select

from db import AuditEvent, Database, Lease, Membership, Study, StudyEvent, Verdict, Volume, now
from db.engine import make_engine
from services.errors import Conflict, Refused
from services.people import accounts, clock
from services.progress import data_lock
from services.reading import shown_volumes, submission
from services.record import daily_verification as daily
from services.record import maintenance, restoring, verification
from services.studies import frozen_facts
from services.studies.folders import draft_studies, importing
from services.studies.freeze import freezing
from services.studies.membership import members, removing
from services.studies.volumes import leftovers, volume_integrity, volume_store
from tests.blinding.attacking import keys
from tests.harness.server import ROOT, clean_environment
from tests.situations import (
    Situation,
    any_answers,
    at_once,
    on_the_desk,
    read_all,
    show,
    signed_in,
    submit,
    write_study_folder,
    write_volume,
)


def holds(situation: Situation, key: str = "tiny") -> None:
    """Nothing is lost, doubled or unproved."""
    assert verification.verify_study(situation.database, key) == []


def verdicts(situation: Situation) -> int:
    with situation.database.read_only() as session:
        return session.exec(select(func.count()).select_from(Verdict)).one()


# ---- two at once -----------------------------------------------------------------------------------------------------


def test_eight_tabs_that_submit_different_answers_leave_one_verdict(opened: Situation) -> None:
    rater = opened.raters[0]
    payload = on_the_desk(opened, rater)
    show(opened, rater, payload)
    acts = [
        lambda number=number: submit(opened, rater, payload, {**any_answers(payload), "comment": f"from tab {number}"})
        for number in range(8)
    ]
    outcome = at_once(*acts)

    assert sum(isinstance(result, submission.Receipt) for result in outcome) == 1
    assert verdicts(opened) == 1
    holds(opened)


def test_a_removal_and_a_verdict_at_once_leave_a_member_with_it_or_none(opened: Situation) -> None:
    for rater, login in zip(opened.raters, ("rater-1", "rater-2"), strict=True):
        before = verdicts(opened)
        payload = on_the_desk(opened, rater)
        show(opened, rater, payload)
        removed, receipt = at_once(
            lambda login=login: removing.remove_member(opened.database, opened.admin, "tiny", login),
            lambda rater=rater, payload=payload: submit(opened, rater, payload),
        )
        assert isinstance(removed, Refused) != isinstance(receipt, Refused)
        assert verdicts(opened) == before + isinstance(receipt, submission.Receipt)
    holds(opened)


def test_a_closing_and_verdicts_at_once_leave_no_verdict_behind_the_data_lock(opened: Situation) -> None:
    acts: list[Callable[[], Any]] = [lambda: data_lock.close_study(opened.database, opened.admin, "tiny")]
    for rater in opened.raters:
        payload = on_the_desk(opened, rater)
        show(opened, rater, payload)
        acts.append(lambda rater=rater, payload=payload: submit(opened, rater, payload))
    at_once(*acts)

    with opened.database.read_only() as session:
        events = session.exec(select(AuditEvent).order_by(AuditEvent.id)).all()  # type: ignore[arg-type]
    actions = [event.action for event in events if event.action in {"verdict", "study close"}]
    assert "verdict" not in actions[actions.index("study close") :]
    holds(opened)


def test_two_freezes_at_once_freeze_once(imported: Situation) -> None:
    outcome = at_once(*[lambda: freezing.freeze_study(imported.database, imported.admin, "tiny")] * 3)

    assert sum(isinstance(result, Refused) for result in outcome) == 2
    holds(imported)


def test_two_closings_at_once_close_once(opened: Situation) -> None:
    at_once(*[lambda: data_lock.close_study(opened.database, opened.admin, "tiny")] * 4)

    with opened.database.read_only() as session:
        kinds = list(session.exec(select(StudyEvent.kind).where(StudyEvent.kind == "close")))
    assert kinds == ["close"]


def alone(situation: Situation) -> None:
    for login in ("rater-1", "rater-2", "reviewer"):
        removing.remove_member(situation.database, situation.admin, "tiny", login)


def test_a_draft_that_is_deleted_while_it_is_imported_over_ends_whole_or_gone(
    imported: Situation, tmp_path: Path
) -> None:
    alone(imported)
    folder = write_study_folder(tmp_path / "again")
    at_once(
        lambda: draft_studies.remove_draft(imported.database, imported.admin, "tiny"),
        lambda: importing.import_study(imported.database, imported.admin, folder, over_draft=True),
        lambda: importing.import_study(imported.database, imported.admin, folder, over_draft=True),
    )

    with imported.database.read_only() as session:
        remaining = session.exec(select(Study).where(Study.key == "tiny")).all()
        hashes = set(session.exec(select(Volume.sha256)))
    assert len(remaining) <= 1
    assert all(volume_store.is_intact(imported.database, sha256) for sha256 in hashes)
    if remaining:
        freezing.freeze_study(imported.database, imported.admin, "tiny")
        holds(imported)


def test_a_draft_that_is_renamed_frozen_and_deleted_at_once_is_one_of_them(imported: Situation) -> None:
    alone(imported)
    at_once(
        lambda: draft_studies.rename_draft(imported.database, imported.admin, "tiny", key="other", title="Other"),
        lambda: freezing.freeze_study(imported.database, imported.admin, "tiny"),
        lambda: draft_studies.remove_draft(imported.database, imported.admin, "tiny"),
    )

    with imported.database.read_only() as session:
        studies = session.exec(select(Study)).all()
    assert len(studies) == 1
    if studies[0].removed_at is None:
        assert studies[0].key in {"tiny", "other"}
        if freezing.freeze_of(imported.database, imported.admin, studies[0].key):
            holds(imported, studies[0].key)


def test_two_owners_who_lock_each_other_at_once_leave_one(imported: Situation) -> None:
    accounts.add_owner(imported.database, "second", "Second", by=imported.admin)
    second = signed_in(imported.database, "second")
    outcome = at_once(
        lambda: accounts.lock(imported.database, imported.admin, "second"),
        lambda: accounts.lock(imported.database, second, "admin"),
    )

    assert sum(isinstance(result, Conflict) for result in outcome) == 1


def test_an_invitation_and_a_removal_at_once_leave_one_membership(opened: Situation) -> None:
    for _ in range(4):
        at_once(
            lambda: removing.remove_member(opened.database, opened.admin, "tiny", "rater-2"),
            lambda: members.invite(opened.database, opened.admin, "tiny", "rater-2", "Rater-2", "rater"),
            lambda: members.invite(opened.database, opened.admin, "tiny", "rater-2", "Rater-2", "reviewer"),
        )
        with opened.database.read_only() as session:
            rows = session.exec(select(Membership).where(Membership.person_id == opened.raters[1].person_id)).all()
        assert len(rows) == 1
        holds(opened)


def test_a_member_who_left_and_came_back_answers_for_their_own_items_alone(opened: Situation) -> None:
    rater = opened.raters[1]
    payload = on_the_desk(opened, rater)
    removing.remove_member(opened.database, opened.admin, "tiny", "rater-2")
    members.invite(opened.database, opened.admin, "tiny", "rater-2", "Rater-2", "reviewer")

    with pytest.raises(Refused):
        show(opened, rater, payload)
    with pytest.raises(Refused):
        submit(opened, rater, payload)
    assert verdicts(opened) == 0


# ---- what is remembered ----------------------------------------------------------------------------------------------


def test_what_is_remembered_of_a_study_serves_no_other_that_took_its_key(imported: Situation, tmp_path: Path) -> None:
    alone(imported)
    folder = write_study_folder(tmp_path / "again", {"title": "Quite another", "instructions": "Other words."})
    importing.import_study(imported.database, imported.admin, folder, over_draft=True)
    members.invite(imported.database, imported.admin, "tiny", "rater-1", "R", "rater")
    freezing.freeze_study(imported.database, imported.admin, "tiny")
    rater = signed_in(imported.database, "rater-1")

    assert on_the_desk(imported, rater)["kind"] == "item"
    with imported.database.read_only() as session:
        study_id = session.exec(select(Study.id).where(Study.key == "tiny")).one()
        assert frozen_facts.protocol_of(session, study_id).title == "Quite another"


def test_a_closing_is_felt_although_all_facts_are_remembered(opened: Situation) -> None:
    rater = opened.raters[0]
    payload = on_the_desk(opened, rater)
    show(opened, rater, payload)
    data_lock.close_study(opened.database, opened.admin, "tiny")

    for act in (lambda: on_the_desk(opened, rater), lambda: submit(opened, rater, payload)):
        with pytest.raises(Refused):
            act()
    names = (keys(opened, rater).volume_token(number) for number in range(1, 10))
    for name in names:
        with pytest.raises(Refused):
            shown_volumes.volume_in_reach(opened.database, rater, name)


def test_a_file_that_is_exchanged_by_a_link_a_folder_or_a_pipe_is_not_shown(opened: Situation, tmp_path: Path) -> None:
    with opened.database.read_only() as session:
        first, other = list(session.exec(select(Volume.sha256)))[:2]
    path, another = (volume_store.path_of(opened.database, sha256) for sha256 in (first, other))
    assert volume_integrity.read_intact(path)
    path.unlink()
    path.symlink_to(another)
    with pytest.raises(volume_integrity.NotIntact):
        volume_integrity.read_intact(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(volume_integrity.NotIntact):
        volume_integrity.read_intact(path)
    path.rmdir()
    path.write_bytes(b"")
    with pytest.raises(volume_integrity.NotIntact):
        volume_integrity.read_intact(path)
    path.unlink()
    shutil.copyfile(another, path)
    os.utime(path, ns=(0, 0))
    with pytest.raises(volume_integrity.NotIntact):
        volume_integrity.read_intact(path)


# ---- faults ----------------------------------------------------------------------------------------------------------


def test_files_of_an_import_that_is_running_are_not_cleaned_away(imported: Situation, tmp_path: Path) -> None:
    """The other side of the lease: cleaning begins while an import has prepared files that no row names yet."""
    folder = write_study_folder(tmp_path / "other", {"name": "other"})
    outcome: list[Any] = []

    def in_the_midst(done: int, total: int, _text: str) -> None:
        if done == total - 1:
            for path in imported.database.volume_dir.glob("*/*"):
                os.utime(path, (0, 0))
            outcome.extend(at_once(lambda: leftovers.remove_leftovers(imported.database)))

    importing.import_study(imported.database, imported.admin, folder, progress=in_the_midst)

    assert isinstance(outcome[0], Conflict)
    with imported.database.read_only() as session:
        assert all(volume_store.is_intact(imported.database, sha256) for sha256 in session.exec(select(Volume.sha256)))


def test_a_clock_that_is_set_back_ends_no_lease_and_holds_none_for_ever(imported: Situation) -> None:
    with leftovers.importing(imported.database):
        with imported.database.writing() as session:
            for lease in session.exec(select(Lease)):
                lease.expires_at = now() - timedelta(seconds=1)
                session.add(lease)
        # A lease that has run out protects nothing, and says so by letting the cleaning through.
        assert leftovers.remove_leftovers(imported.database) == []
    with imported.database.read_only() as session:
        assert session.exec(select(Lease)).all() == []


def test_an_import_onto_a_full_disk_leaves_no_study_and_no_file(imported: Situation, tmp_path: Path) -> None:
    folder = write_study_folder(tmp_path / "other", {"name": "other"})
    for number, path in enumerate(sorted((folder / "volumes").iterdir())):
        write_volume(path, seed=500 + number, shape=(40, 40, 40))
    before = set(imported.database.volume_dir.glob("*/*"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(Exception):  # noqa: B017  which words it is said in is another test's matter
            importing.import_study(imported.database, imported.admin, folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)

    with imported.database.read_only() as session:
        assert list(session.exec(select(Study.key))) == ["tiny"]
    assert set(imported.database.volume_dir.glob("*/*")) == before


@pytest.mark.server
def test_a_killed_import_is_cleaned_up_after_and_hinders_the_next_one_no_longer_than_its_lease(
    imported: Situation, tmp_path: Path
) -> None:
    folder = write_study_folder(tmp_path / "other", {"name": "other"})
    script = (
        "import os, sys; from pathlib import Path\n"
        "from services.people import identity\nfrom services.studies.folders import importing\n"
        "from services.installation.environment import database\n"
        "def die(done, total, text):\n    if done == total - 1: os.kill(os.getpid(), 9)\n"
        "db = database(); actor = identity.actor_for_command_line(db)\n"
        f"importing.import_study(db, actor, Path({str(folder)!r}), progress=die)\n"
    )
    environment = clean_environment(imported.database.data_dir, {})
    killed = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, timeout=120)
    assert killed.returncode == -signal.SIGKILL, killed.stderr

    with pytest.raises(Conflict):
        leftovers.remove_leftovers(imported.database)
    # Nothing of it stands in the way of the next try.
    importing.import_study(imported.database, imported.admin, folder)
    with imported.database.read_only() as session:
        assert set(session.exec(select(Study.key))) == {"tiny", "other"}
        assert all(volume_store.is_intact(imported.database, sha256) for sha256 in session.exec(select(Volume.sha256)))


def test_a_backup_whose_volumes_were_exchanged_says_so_when_it_is_brought_back(
    opened: Situation, tmp_path: Path
) -> None:
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    first, other = sorted((tmp_path / "backup" / "volumes").glob("*/*"))[:2]
    shutil.copyfile(first, other)
    engine = make_engine(f"sqlite:///{(tmp_path / 'new' / 'blindread.db').as_posix()}")
    (tmp_path / "new").mkdir()

    done = restoring.restore_installation(Database(engine, tmp_path / "new"), tmp_path / "backup")
    engine.dispose()

    assert any("volume" in problem for problem in done.problems)


def test_a_backup_that_was_rewritten_does_not_fit_its_head(opened: Situation, tmp_path: Path) -> None:
    read_all(opened, opened.raters[0])
    maintenance.back_up_installation(opened.database, tmp_path / "backup")
    with sqlite3.connect(tmp_path / "backup" / "blindread.db") as connection:
        guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM audit_event WHERE id = (SELECT max(id) FROM audit_event)")
        for _, made in guards:
            connection.execute(made)
    engine = make_engine(f"sqlite:///{(tmp_path / 'new' / 'blindread.db').as_posix()}")
    (tmp_path / "new").mkdir()

    done = restoring.restore_installation(Database(engine, tmp_path / "new"), tmp_path / "backup")
    engine.dispose()

    assert any("head" in problem for problem in done.problems)


def test_a_verification_that_dies_on_one_study_goes_on_with_the_next(opened: Situation, tmp_path: Path) -> None:
    importing.import_study(opened.database, opened.admin, write_study_folder(tmp_path / "other", {"name": "other"}))
    freezing.freeze_study(opened.database, opened.admin, "other")
    with opened.database.engine.begin() as connection:
        for (name,) in connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        connection.exec_driver_sql("UPDATE freeze SET manifest_json = '[' WHERE id = (SELECT min(id) FROM freeze)")

    daily.verify_what_is_due(opened.database, "holder", lambda _count: None)

    states = [daily.state_of_verification(opened.database, opened.admin, key) for key in ("tiny", "other")]
    assert all(state.ended_at is not None for state in states)
    assert states[0].problems


def test_a_clock_set_back_between_display_and_verdict_is_named_and_loses_nothing(
    opened: Situation, monkeypatch: pytest.MonkeyPatch
) -> None:
    rater = opened.raters[0]
    payload = on_the_desk(opened, rater)
    with monkeypatch.context() as ahead:
        ahead.setattr(clock, "now", lambda: now() + timedelta(days=400))
        show(opened, rater, payload)

    assert submit(opened, rater, payload).receipt
    assert verdicts(opened) == 1
    assert verification.remarks_on(opened.database, "tiny") != []
