"""A link opens what its issuer may open, until it is used, replaced or overtaken; and never an account unnoticed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select

from db import AuditEvent, Database, Invitation, Person, now
from services.errors import NotAllowed
from services.people import identity, notices
from services.people.identity import Actor
from services.people.signing_in import sign_in
from services.studies import catalogue
from services.studies.folders import importing
from services.studies.membership import members
from tests.situations import Situation, imported_study, signed_in, write_study_folder

PASSWORD = "correct horse battery"


def invite(situation: Situation, login: str, key: str = "tiny", by: Actor | None = None, role: str = "rater") -> str:
    return members.invite(situation.database, by or situation.admin, key, login, login.title(), role)


def second_study(situation: Situation, folder: Path) -> Actor:
    """Bring in another study with an admin of its own, who is no owner."""
    importing.import_study(situation.database, situation.admin, write_study_folder(folder), key="second")
    invite(situation, "other-admin", "second", role="admin")
    return signed_in(situation.database, "other-admin")


def opens(database: Database, token: str) -> bool:
    return identity.look_at_link(database, token) is not None


def actor_with(database: Database, token: str) -> Actor:
    actor = identity.actor_of_token(database, token)
    assert actor is not None
    return actor


def events(database: Database) -> list[AuditEvent]:
    with database.read_only() as session:
        issued = session.exec(select(AuditEvent).where(col(AuditEvent.action).endswith("link issued")))
        return list(issued.all())


# ---- old links -------------------------------------------------------------------------------------------------------


def test_a_new_link_ends_the_one_before(database: Database, tmp_path: Path) -> None:
    situation = imported_study(database, tmp_path / "study")
    first = invite(situation, "new")

    second = invite(situation, "new")

    assert (opens(database, first), opens(database, second)) == (False, True)
    with pytest.raises(NotAllowed):
        identity.use_link(database, first, PASSWORD)


def test_a_password_of_ones_own_ends_every_other_link(imported: Situation) -> None:
    link = invite(imported, "new")
    with imported.database.writing() as session:
        person_id = session.exec(select(Person.id).where(Person.login == "new")).one()
        session.add(
            Invitation(token_sha256=identity.token_hash("older"), purpose="sign_in", person_id=person_id,
                       expires_at=now() + timedelta(days=14))
        )  # fmt: skip
    assert opens(imported.database, "older")

    identity.use_link(imported.database, link, PASSWORD)

    assert not opens(imported.database, "older")


def test_a_membership_beyond_the_issuers_reach_ends_the_link(imported: Situation, tmp_path: Path) -> None:
    """The link would open a study with which whoever made it has nothing to do."""
    other_admin = second_study(imported, tmp_path / "second")
    link = invite(imported, "new", "second", by=other_admin)
    with imported.database.writing() as session:
        study = members.require_role(session, imported.admin, "tiny", "admin")[0]
        person = session.exec(select(Person).where(Person.login == "new")).one()

        members.join(session, study, person, "rater")

    assert not opens(imported.database, link)


def test_a_membership_within_the_issuers_reach_leaves_the_link(imported: Situation, tmp_path: Path) -> None:
    second_study(imported, tmp_path / "second")
    link = invite(imported, "new")
    with imported.database.writing() as session:
        study = members.require_role(session, imported.admin, "second", "admin")[0]
        person = session.exec(select(Person).where(Person.login == "new")).one()

        members.join(session, study, person, "rater")

    assert opens(imported.database, link)


# ---- links for accounts in use ---------------------------------------------------------------------------------------


def test_the_trail_names_who_issued_a_link_for_whom_and_in_which_study(imported: Situation) -> None:
    invite(imported, "new")

    event = events(imported.database)[-1]

    with imported.database.read_only() as session:
        person_id = session.exec(select(Person.id).where(Person.login == "new")).one()
        link = session.exec(select(Invitation).order_by(col(Invitation.id).desc())).first()
    assert (event.person_id, event.detail) == (imported.admin.person_id, {"member": person_id})
    assert event.study_id is not None
    assert link is not None
    assert (link.issued_by_id, link.study_id, link.for_known) == (imported.admin.person_id, event.study_id, False)


def test_an_admin_gets_no_link_for_somebody_who_has_signed_in(imported: Situation, tmp_path: Path) -> None:
    other_admin = second_study(imported, tmp_path / "second")
    identity.use_link(imported.database, invite(imported, "new", "second", by=other_admin), PASSWORD)

    with pytest.raises(
        NotAllowed, match="has signed in before, and anyone who holds a link can act as them; ask an owner"
    ):
        invite(imported, "new", "second", by=other_admin)

    assert opens(imported.database, invite(imported, "new", "second"))


def test_somebody_who_has_signed_in_joins_another_study_without_a_link(imported: Situation, tmp_path: Path) -> None:
    second_study(imported, tmp_path / "second")
    before = len(events(imported.database))

    assert invite(imported, "rater-1", "second") == ""

    assert len(events(imported.database)) == before
    assert [line.key for line in catalogue.studies_of(imported.database, imported.raters[0])] == ["tiny", "second"]


def test_whoever_has_signed_in_is_told_of_a_link_for_their_account(database: Database, tmp_path: Path) -> None:
    situation = imported_study(database, tmp_path / "study")
    identity.use_link(database, invite(situation, "new"), PASSWORD)
    signed = actor_with(database, sign_in(database, "new", PASSWORD))
    assert notices.notices_of(database, signed) == []

    members.invite(database, situation.admin, "tiny", "new", "New", "rater", purpose="sign_in")

    again = actor_with(database, sign_in(database, "new", PASSWORD))
    assert [notice.used_at for notice in notices.notices_of(database, again)] == [None]
    notices.confirm_notices(database, again)
    assert notices.notices_of(database, again) == []
    assert events(database)[-1].detail["for_known"] is True


def test_whoever_uses_such_a_link_cannot_put_the_notice_away(database: Database, tmp_path: Path) -> None:
    situation = imported_study(database, tmp_path / "study")
    identity.use_link(database, invite(situation, "new"), PASSWORD)
    link = members.invite(database, situation.admin, "tiny", "new", "New", "rater", purpose="sign_in")

    by_link = actor_with(database, identity.use_link(database, link, None))
    notices.confirm_notices(database, by_link)

    own = actor_with(database, sign_in(database, "new", PASSWORD))
    (notice,) = notices.notices_of(database, own)
    assert notice.used_at is not None
    notices.confirm_notices(database, own)
    assert notices.notices_of(database, own) == []


def test_a_password_that_such_a_link_set_does_not_put_the_notice_away_either(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    situation = imported_study(database, tmp_path / "study")
    identity.use_link(database, invite(situation, "new"), PASSWORD)
    identity.use_link(database, invite(situation, "new"), "chosen by somebody else")

    anew = actor_with(database, sign_in(database, "new", "chosen by somebody else"))
    notices.confirm_notices(database, anew)

    assert [notice.stays for notice in notices.notices_of(database, anew)] == [True]
    monkeypatch.setattr(notices, "STAYS_FOR", timedelta(0))
    notices.confirm_notices(database, anew)
    assert notices.notices_of(database, anew) == []


def test_nobody_confirms_what_another_is_told(imported: Situation) -> None:
    identity.use_link(imported.database, invite(imported, "new"), PASSWORD)
    invite(imported, "new")

    notices.confirm_notices(imported.database, imported.raters[0])

    own = actor_with(imported.database, sign_in(imported.database, "new", PASSWORD))
    assert len(notices.notices_of(imported.database, own)) == 1
