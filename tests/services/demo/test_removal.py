"""The demo is marked, also where an earlier release brought it in, and goes in one act without coming back."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, LoginSession, Person, ProtocolRecord, Study, audit
from services.demo import labels, removal
from services.errors import Conflict, NotAllowed
from services.people import accounts, identity
from services.record import maintenance
from services.studies.folders import importing
from services.studies.membership import members
from tests.harness.forked import forked_manage
from tests.harness.server import clean_environment
from tests.situations import signed_in, write_study_folder


@pytest.fixture
def with_demo(sqlite_database: Database, tmp_path: Path) -> Database:
    """The demo's people in studies under the demo's keys; what is read in them makes no difference here."""
    with sqlite_database.writing() as session:
        identity.add_person(session, "demo-admin", "Demo admin", is_owner=True)
    admin = signed_in(sqlite_database, "demo-admin")
    for key, crowd in ((labels.OPEN_KEY, labels.PEOPLE[1:]), (labels.FINISHED_KEY, labels.SIMULATED)):
        importing.import_study(sqlite_database, admin, write_study_folder(tmp_path / key), key=key)
        for login, name, role in crowd:
            members.invite(sqlite_database, admin, key, login, name, role)
    maintenance.prepare(sqlite_database)
    return sqlite_database


def marks(database: Database) -> tuple[set[str], set[str]]:
    with database.read_only() as session:
        return (
            {study.key for study in session.exec(select(Study)).all() if study.is_demo},
            {person.login for person in session.exec(select(Person)).all() if person.is_demo},
        )


def real_owner(database: Database) -> identity.Actor:
    token = identity.use_link(database, accounts.add_owner(database, "ada", "Ada"), "correct horse battery")
    actor = identity.actor_of_token(database, token)
    assert actor is not None
    return actor


ALL_PEOPLE = {login for login, _, _ in (*labels.PEOPLE, *labels.SIMULATED)}


def test_the_demo_of_an_earlier_release_is_marked_at_init(with_demo: Database) -> None:
    real_owner(with_demo)
    with with_demo.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE person SET is_demo = 0")
        connection.exec_driver_sql("UPDATE study SET is_demo = 0")

    maintenance.prepare(with_demo)

    assert marks(with_demo) == ({"demo", "demo-finished"}, ALL_PEOPLE)


def test_a_study_of_ones_own_under_the_demos_key_is_no_demo(sqlite_database: Database) -> None:
    real_owner(sqlite_database)
    with sqlite_database.writing() as session:
        session.add(Study(key="demo", title="Mine"))

    maintenance.prepare(sqlite_database)

    assert marks(sqlite_database) == (set(), set())


def test_the_demo_is_not_removed_while_its_admin_is_the_only_owner(with_demo: Database) -> None:
    demo_admin = signed_in(with_demo, "demo-admin")

    with pytest.raises(Conflict, match="only owner here; make yourself an owner first"):
        removal.remove_demo(with_demo, demo_admin)

    assert removal.has_demo(with_demo)
    with pytest.raises(NotAllowed):
        removal.remove_demo(with_demo, signed_in(with_demo, "demo-rater-1"))


def test_the_demo_goes_in_one_act_and_stays_away(with_demo: Database) -> None:
    raters = signed_in(with_demo, "demo-rater-1")
    links = labels.sign_in_links(with_demo)
    owner = real_owner(with_demo)

    removal.remove_demo(with_demo, owner)

    assert not removal.has_demo(with_demo)
    assert labels.is_seeded(with_demo)
    assert all(identity.look_at_link(with_demo, token) is None for _, token in links)
    with pytest.raises(identity.NotSignedIn):
        identity.actor_of_session(with_demo, raters.login_session_id)
    locked = {person.login for person in accounts.people_of(with_demo, owner) if person.locked_at is not None}
    assert locked == ALL_PEOPLE
    assert [line.roles for line in accounts.people_of(with_demo, owner) if line.roles] == []
    with with_demo.read_only() as session:
        assert session.exec(select(Study.id).where(Study.key == "demo")).first() is None
        assert list(audit.broken_links(session)) == []
    assert identity.actor_for_command_line(with_demo).person_id == owner.person_id
    with pytest.raises(Conflict, match="no demo here"):
        removal.remove_demo(with_demo, owner)


def test_the_demo_stays_while_its_admin_is_the_only_one_of_a_real_study(with_demo: Database) -> None:
    owner = real_owner(with_demo)
    with with_demo.writing() as session:
        study = Study(key="real", title="Real")
        session.add(study)
        session.flush()
        protocol = session.exec(select(ProtocolRecord)).first()
        demo_admin = identity.person_with(session, "demo-admin")
        assert protocol is not None
        assert demo_admin is not None
        session.add(ProtocolRecord(study_id=study.id, canonical_json=protocol.canonical_json, sha256=protocol.sha256))
        session.flush()
        members.join(session, study, demo_admin, "admin")

    with pytest.raises(Conflict, match="Study 'real' has no admin but the demo's"):
        removal.remove_demo(with_demo, owner)


def test_a_demo_whose_installation_was_interrupted_is_neither_removed_nor_whole(with_demo: Database) -> None:
    environment = clean_environment(with_demo.data_dir, {})
    with with_demo.writing() as session:
        finished = session.exec(select(Study).where(Study.key == "demo-finished")).one()
        finished.key = "not-there-yet"
        session.add(finished)
    with_demo.engine.dispose()

    again = forked_manage(environment, "demo")

    assert again.returncode == 0
    assert "installed only in part" in " ".join(again.stdout.split())
    assert "removed" not in again.stdout
    assert "already installed" not in again.stdout


def test_make_run_does_not_bring_the_demo_back(with_demo: Database) -> None:
    environment = clean_environment(with_demo.data_dir, {})
    with_demo.engine.dispose()
    owner, removed, demo, links = (
        forked_manage(environment, *command)
        for command in (("owner", "ada", "--name", "Ada"), ("remove-demo",), ("demo",), ("links",))
    )

    assert [done.returncode for done in (owner, removed, demo, links)] == [0, 0, 0, 0]
    assert "removed, and is not installed again" in demo.stdout
    printed = links.stdout
    assert "/link/" not in printed
    assert f"--data-dir {with_demo.data_dir} owner LOGIN --name NAME" in printed


def test_nobody_simulated_stays_signed_in(seeded: Database) -> None:
    with seeded.read_only() as session:
        ends = session.exec(select(LoginSession.ended_at)).all()
    # Once each for the finished study, and its raters once more for the example of a calibration.
    raters = [login for login, _, role in labels.SIMULATED if role == "rater"]
    assert len(ends) == len(labels.SIMULATED) + len(raters)
    assert None not in ends
