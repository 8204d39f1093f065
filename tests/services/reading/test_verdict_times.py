"""Load, active and idle time are kept once per verdict, and never more than can have passed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import Database, Display, Verdict, now
from services.errors import Conflict
from services.people.identity import Actor
from services.progress import data_lock
from services.reading import revising, session_summary, submission
from services.reading.submission import Receipt
from services.reading.verdict_rows import LONGEST_MS, SLACK_MS, Circumstances
from services.report import build_report
from tests.blinding.columns import take_the_guards_away
from tests.room_study import reading_rules, room_study
from tests.situations import Situation, any_answers, on_the_desk, open_study, read_all, show, signed_in

HOUR_MS = 3_600_000


def hand_in(situation: Situation, rater: Actor, payload: dict[str, Any], **measured: int) -> Receipt:
    return submission.submit(
        situation.database, rater, payload["assignment"], payload["key"], any_answers(payload),
        Circumstances(**measured),
    )  # fmt: skip


def times(database: Database) -> list[tuple[int, int, int]]:
    """Return active, idle and loading time of every verdict, oldest first."""
    with database.read_only() as session:
        verdicts = session.exec(select(Verdict).order_by(Verdict.id)).all()
        return [(verdict.active_ms, verdict.idle_ms, verdict.load_ms) for verdict in verdicts]


def shown_before(database: Database, **ago: int) -> None:
    """Let every display up to now have happened that long ago, by both clocks of the server."""
    span = timedelta(**ago)
    earlier = Display.__table__.c.monotonic_ms - span // timedelta(milliseconds=1)
    with database.engine.connect() as connection:
        take_the_guards_away(connection)
        connection.execute(Display.__table__.update().values(shown_at=now() - span, monotonic_ms=earlier))
        connection.commit()


@pytest.fixture
def item(opened: Situation) -> dict[str, Any]:
    """The first rater's first item, shown an hour ago."""
    payload = on_the_desk(opened, opened.raters[0])
    show(opened, opened.raters[0], payload)
    shown_before(opened.database, hours=1)
    return payload


def test_the_three_times_are_stored_as_they_were_measured(opened: Situation, item: dict[str, Any]) -> None:
    hand_in(opened, opened.raters[0], item, active_ms=90_000, idle_ms=2_000_000, load_ms=700)

    assert times(opened.database) == [(90_000, 2_000_000, 700)]


def test_a_verdict_that_is_sent_again_with_other_times_changes_nothing(opened: Situation, item: dict[str, Any]) -> None:
    first = hand_in(opened, opened.raters[0], item, active_ms=90_000, idle_ms=1_000, load_ms=700)

    again = hand_in(opened, opened.raters[0], item, active_ms=180_000, idle_ms=2_000, load_ms=1_400)

    assert again == first
    assert times(opened.database) == [(90_000, 1_000, 700)]


def test_drafts_and_a_display_that_is_told_twice_add_no_time(opened: Situation, item: dict[str, Any]) -> None:
    rater = opened.raters[0]
    for sequence in range(1, 5):
        submission.save_draft(opened.database, rater, item["assignment"], sequence, any_answers(item))
        show(opened, rater, item)

    hand_in(opened, rater, item, active_ms=90_000, idle_ms=1_000, load_ms=700)

    assert times(opened.database) == [(90_000, 1_000, 700)]


def test_the_times_of_two_tabs_are_not_added_up(opened: Situation, item: dict[str, Any]) -> None:
    rater = opened.raters[0]
    show(opened, rater, item)
    hand_in(opened, rater, item, active_ms=90_000)

    with pytest.raises(Conflict, match="already been submitted"):
        submission.submit(
            opened.database, rater, item["assignment"], item["key"], {**any_answers(item), "comment": "other tab"},
            Circumstances(active_ms=80_000),
        )  # fmt: skip

    assert times(opened.database) == [(90_000, 0, 0)]


@pytest.mark.parametrize(
    ("active_ms", "idle_ms"), [(9 * HOUR_MS, 0), (0, 9 * HOUR_MS), (HOUR_MS, HOUR_MS), (10**30, 10**30)]
)
def test_no_more_time_is_believed_than_has_passed_since_the_item_was_shown(
    opened: Situation, item: dict[str, Any], active_ms: int, idle_ms: int
) -> None:
    hand_in(opened, opened.raters[0], item, active_ms=active_ms, idle_ms=idle_ms)

    [(active, idle, _)] = times(opened.database)
    passed = HOUR_MS + SLACK_MS
    # The test itself takes a little while.
    assert min(active_ms + idle_ms, passed) <= active + idle <= passed + 60_000
    assert active <= active_ms
    assert idle <= idle_ms


def test_time_before_a_lost_connection_or_another_sign_in_counts(opened: Situation, item: dict[str, Any]) -> None:
    """After a reload the item is shown anew; the tab has kept what was measured before."""
    again = signed_in(opened.database, "rater-1")
    payload = on_the_desk(opened, again)
    show(opened, again, payload)

    hand_in(opened, again, payload, active_ms=50 * 60_000)

    assert payload["assignment"] == item["assignment"]
    assert times(opened.database) == [(50 * 60_000, 0, 0)]


def test_time_that_runs_backwards_is_none(opened: Situation, item: dict[str, Any]) -> None:
    hand_in(opened, opened.raters[0], item, active_ms=-5, idle_ms=-(10**30), load_ms=-1)

    assert times(opened.database) == [(0, 0, 0)]


def test_a_servers_clock_that_was_set_back_takes_no_measured_time_away(opened: Situation, item: dict[str, Any]) -> None:
    """As far as the wall clock is all that can tell, as after a restart of the machine."""
    shown_before(opened.database, hours=-2)
    with opened.database.engine.connect() as connection:
        connection.execute(Display.__table__.update().values(boot_id="before"))
        connection.commit()

    hand_in(opened, opened.raters[0], item, active_ms=90_000, idle_ms=10**30)

    assert times(opened.database) == [(90_000, LONGEST_MS - 90_000, 0)]


def test_a_time_to_load_is_a_day_at_most(opened: Situation, item: dict[str, Any]) -> None:
    hand_in(opened, opened.raters[0], item, load_ms=10**30)

    assert times(opened.database) == [(0, 0, LONGEST_MS)]


def test_simulated_readers_say_how_long_they_would_have_looked(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study", simulated_readers=True)
    payload = on_the_desk(situation, situation.raters[0])
    show(situation, situation.raters[0], payload)

    hand_in(situation, situation.raters[0], payload, active_ms=HOUR_MS)

    assert times(sqlite_database) == [(HOUR_MS, 0, 0)]


def test_a_revision_adds_its_own_time_once_in_the_summary_and_in_the_report(database: Database, tmp_path: Path) -> None:
    situation = room_study(database, tmp_path / "study", protocol=reading_rules(revision="study"))
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    shown_before(database, hours=1)
    hand_in(situation, rater, payload, active_ms=60_000, idle_ms=30_000, load_ms=500)
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)

    hand_in(situation, rater, again, active_ms=4_000, idle_ms=HOUR_MS, load_ms=100)

    # The hour before the first verdict is no time of the revision.
    (_, revised) = times(database)
    assert revised[0] == 4_000
    assert revised[1] < 60_000
    assert session_summary.session_summary(database, rater, payload["assignment"])["active_ms"] == 64_000
    read_all(situation, rater)
    data_lock.close_study(database, situation.admin, "tiny")
    report = build_report(database, situation.admin, "tiny")
    verdicts = next(file for file in report.files if file.name == "verdicts.csv")
    place = {column.key: number for number, column in enumerate(verdicts.columns)}
    [spent] = [row for row in verdicts.rows if row[place["active_ms"]]]
    assert (spent[place["active_ms"]], spent[place["load_ms"]]) == (64_000, 600)
    assert spent[place["idle_ms"]] == 30_000 + revised[1]
