"""A clock that is set, back or forth, changes neither durations nor who is signed in, and is told of afterwards."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import Session, select

from db import Database, Display, LoginSession, Verdict, now
from services.people import clock, identity
from services.reading import submission
from services.reading.verdict_rows import Circumstances
from services.record import verification
from tests.situations import Situation, any_answers, on_the_desk, open_study, owner_of, read_all, show

SetClock = Callable[[timedelta], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """A function that sets the wall clock of the server back or forth; the monotonic one goes on as it did."""

    def change(by: timedelta) -> None:
        def moved() -> datetime:
            return now() + by

        for module in (
            "services.people.clock",
            "services.people.identity",
            "services.reading.submission",
            "db.reading",
            "db.people",
        ):
            monkeypatch.setattr(f"{module}.now", moved, raising=False)
        for model, column in ((Verdict, "submitted_at"), (Display, "shown_at")):
            monkeypatch.setattr(model.model_fields[column], "default_factory", moved)

    return change


def login_sessions(session: Session) -> list[LoginSession]:
    return list(session.exec(select(LoginSession)))


@pytest.mark.parametrize("by", [timedelta(hours=9), timedelta(hours=-9), timedelta(days=30)])
def test_nobody_is_signed_out_by_a_clock_that_is_set(
    sqlite_database: Database, set_clock: SetClock, by: timedelta
) -> None:
    owner = owner_of(sqlite_database)

    set_clock(by)

    assert identity.actor_of_session(sqlite_database, owner.login_session_id).person_id == owner.person_id


@pytest.mark.parametrize(("column", "hours"), [("seen_monotonic_ms", 8), ("monotonic_ms", 72)])
def test_somebody_who_idled_or_stayed_too_long_is_signed_out_although_the_clock_was_set_back(
    sqlite_database: Database, set_clock: SetClock, column: str, hours: int
) -> None:
    owner = owner_of(sqlite_database)
    with sqlite_database.writing() as session:
        login_session = session.get_one(LoginSession, owner.login_session_id)
        setattr(login_session, column, getattr(login_session, column) - (hours * 3_600_000 + 1))
        session.add(login_session)

    set_clock(timedelta(days=-30))

    with pytest.raises(identity.NotSignedIn):
        identity.actor_of_session(sqlite_database, owner.login_session_id)


def test_after_a_restart_of_the_machine_the_wall_clock_decides(sqlite_database: Database, set_clock: SetClock) -> None:
    owner = owner_of(sqlite_database)
    with sqlite_database.writing() as session:
        login_session = session.get_one(LoginSession, owner.login_session_id)
        login_session.boot_id, login_session.monotonic_ms, login_session.seen_monotonic_ms = "before", 10**12, 10**12
        session.add(login_session)

    assert identity.actor_of_session(sqlite_database, owner.login_session_id).person_id == owner.person_id
    set_clock(timedelta(hours=9))

    with pytest.raises(identity.NotSignedIn):
        identity.actor_of_session(sqlite_database, owner.login_session_id)


def test_how_long_it_has_lasted_is_carried_over_a_restart() -> None:
    login_session = LoginSession(
        token_sha256="t", person_id=1, created_at=now() - timedelta(hours=71), last_seen_at=now(),
        expires_at=now() + timedelta(hours=1), monotonic_ms=5, seen_monotonic_ms=5, boot_id="before",
    )  # fmt: skip

    clock.note_seen(login_session)

    here = clock.read_clocks()
    assert login_session.boot_id == here.boot_id
    assert login_session.monotonic_ms is not None
    assert (here.monotonic_ms - login_session.monotonic_ms) // 3_600_000 == 71


def submitted_after(situation: Situation, by: timedelta, set_clock: SetClock) -> Verdict:
    """Show an item, set the clock, submit with two hours of reading claimed, and return the verdict."""
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    set_clock(by)
    claimed = Circumstances(active_ms=7_200_000)
    submission.submit(situation.database, rater, payload["assignment"], payload["key"], any_answers(payload), claimed)
    with situation.database.read_only() as session:
        return session.exec(select(Verdict)).one()


@pytest.mark.parametrize("by", [timedelta(hours=9), timedelta(hours=-9)])
def test_no_more_time_is_believed_than_has_passed_by_the_monotonic_clock(
    sqlite_database: Database, tmp_path: Path, set_clock: SetClock, by: timedelta
) -> None:
    verdict = submitted_after(open_study(sqlite_database, tmp_path / "study"), by, set_clock)

    assert verdict.active_ms < 600_000


def test_a_verdict_whose_times_contradict_each_other_is_named_and_is_no_sign_of_tampering(
    database: Database, tmp_path: Path, set_clock: SetClock
) -> None:
    situation = open_study(database, tmp_path / "study")
    verdict = submitted_after(situation, timedelta(hours=-1), set_clock)
    read_all(situation, situation.raters[1])

    assert verdict.submitted_at < verdict.shown_at
    assert verification.verify_study(database, "tiny") == []
    (remark,) = verification.remarks_on(database, "tiny")
    assert verdict.receipt in remark
    assert "submitted before it was shown" in remark
