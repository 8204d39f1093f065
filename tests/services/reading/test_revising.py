"""A verdict is revised by another one that supersedes it, as long and as far as the protocol allows it."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import AuditEvent, Database, queries
from protocol.phases import READING
from services.errors import Conflict, NotFound, Refused
from services.reading import revising, session_summary, shown_volumes, submission, worklist
from services.reading.verdict_rows import Circumstances
from services.record import verification
from tests.room_study import reading_rules, room_study
from tests.services.reading.revisable import FLAGGED, chain_of, read_item, revisable_study
from tests.situations import (
    any_answers,
    on_the_desk,
    open_study,
    read_all,
    show,
    signed_in,
    submit,
)


def token_of(payload: dict[str, Any]) -> str:
    return str(payload["images"]["panes"][0]["volumes"][0]["url"]).rsplit("/", 1)[1]


def test_a_revision_supersedes_and_the_first_verdict_stays(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload, first = read_item(situation, rater, FLAGGED)

    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    second = submit(situation, rater, again)

    assert again["draft"]["answers"] == FLAGGED
    assert again["revision"]["receipt"] == first.receipt
    assert (again["prompt"], again["prefetch"]) == (payload["prompt"], [])
    assert again["key"] != payload["key"]
    chain = chain_of(database, first.receipt)
    assert [verdict.receipt for verdict in chain] == [first.receipt, second.receipt]
    assert chain[1].supersedes_id == chain[0].id
    with database.read_only() as session:
        standing = [verdict.receipt for verdict, _ in queries.standing_verdicts(session, 1, READING)]
        events = session.exec(
            select(AuditEvent).where(col(AuditEvent.action).in_(("verdict", "revision"))).order_by(col(AuditEvent.id))
        ).all()
    assert standing == [second.receipt]
    assert [event.action for event in events] == ["verdict", "revision"]
    assert events[1].detail["supersedes"] == first.receipt
    assert verification.verify_study(database, "tiny") == []


def test_the_desk_comes_back_after_a_revision_and_after_going_on_without_one(
    database: Database, tmp_path: Path
) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater)
    desk = on_the_desk(situation, rater)

    again = revising.reopen(database, rater, payload["assignment"])
    after_reload = submission.payload_after_reload(database, rater, "tiny", "reading")
    resumed = revising.resume(database, rater, payload["assignment"])

    assert after_reload["revision"] == again["revision"]
    assert resumed == desk == submission.payload_after_reload(database, rater, "tiny", "reading")
    assert (desk["revision"], desk["revisable"], payload["revisable"]) == (None, 1, 0)


def test_two_studies_in_two_tabs_have_each_their_own_list_desk_and_summary(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    elsewhere = room_study(
        database, tmp_path / "other", protocol={**reading_rules(revision="session"), "name": "other"}, key="other"
    )
    payload, _ = read_item(situation, rater)
    desk = on_the_desk(situation, rater)
    other_desk = on_the_desk(elsewhere, rater)
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    show(elsewhere, rater, other_desk)

    assert [line["assignment"] for line in revising.list_revisable(database, rater, desk["assignment"])] == [
        payload["assignment"]
    ]
    assert revising.list_revisable(database, rater, other_desk["assignment"]) == []
    assert session_summary.session_summary(database, rater, desk["assignment"])["items"] == 1
    assert session_summary.session_summary(database, rater, other_desk["assignment"])["items"] == 0
    assert revising.resume(database, rater, other_desk["assignment"]) == other_desk
    assert submission.payload_after_reload(database, rater, "tiny", "reading")["revision"] == again["revision"]
    assert revising.resume(database, rater, again["assignment"]) == desk


def test_the_end_of_a_list_names_its_study_by_one_of_its_assignments(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    rater = situation.raters[0]
    read_all(situation, rater)
    room_study(database, tmp_path / "other", protocol={**reading_rules(), "name": "other"}, key="other")

    done = on_the_desk(situation, rater)

    assert done["kind"] == "done"
    assert len(revising.list_revisable(database, rater, done["assignment"])) == done["revisable"] == 6


def test_a_reopened_items_volumes_are_in_reach_only_while_it_is_reopened(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater)
    while token_of(payload) in json.dumps(on_the_desk(situation, rater)):
        read_item(situation, rater)

    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(database, rater, token_of(payload))
    revising.reopen(database, rater, payload["assignment"])
    assert shown_volumes.volume_in_reach(database, rater, token_of(payload)).is_file()
    revising.resume(database, rater, payload["assignment"])
    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(database, rater, token_of(payload))


def test_addresses_that_run_out_while_an_item_is_revised_are_renewed_and_it_stays_reopened(
    database: Database, tmp_path: Path
) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater)
    again = revising.reopen(database, rater, payload["assignment"])
    submission.save_draft(database, rater, payload["assignment"], again["draft"]["sequence"] + 1, FLAGGED)
    assert rater.signed_in_at is not None
    much_later = replace(rater, signed_in_at=rater.signed_in_at - timedelta(hours=5))

    renewed = shown_volumes.renewed_volumes(database, much_later, payload["assignment"])

    after_reload = submission.payload_after_reload(database, much_later, "tiny", "reading")
    assert shown_volumes.volume_in_reach(database, much_later, token_of(renewed)).is_file()
    assert (after_reload["revision"], after_reload["draft"]["answers"]) == (again["revision"], FLAGGED)


def test_a_revision_needs_its_own_display_and_its_own_key(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload, first = read_item(situation, rater)
    again = revising.reopen(database, rater, payload["assignment"])

    with pytest.raises(Conflict, match="not been shown"):
        submit(situation, rater, again, FLAGGED)
    show(situation, rater, again)
    with pytest.raises(Conflict, match="already been submitted"):
        submit(situation, rater, {**again, "key": payload["key"]}, FLAGGED)
    with pytest.raises(Conflict, match="not been shown"):
        submit(situation, rater, {**again, "key": "0" * 40}, FLAGGED)

    assert len(chain_of(database, first.receipt)) == 1


def test_a_double_submit_of_a_revision_stays_one_and_two_tabs_cannot_fork_the_chain(
    database: Database, tmp_path: Path
) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload, first = read_item(situation, rater)
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)

    second = submit(situation, rater, again, FLAGGED)

    assert submit(situation, rater, again, FLAGGED) == second
    with pytest.raises(Conflict, match="already been submitted"):
        submit(situation, rater, again, any_answers(again))
    assert len(chain_of(database, first.receipt)) == 2


def test_many_tabs_that_revise_at_once_leave_one_revision(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload, first = read_item(situation, rater)
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    receipts, refused = [], []

    def press(number: int) -> None:
        try:
            receipts.append(submit(situation, rater, again, {**FLAGGED, "comment": f"tab {number % 2}"}))
        except Refused as refusal:
            refused.append(refusal)

    threads = [threading.Thread(target=press, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({receipt.receipt for receipt in receipts}) == 1
    assert len(refused) == 4
    assert len(chain_of(database, first.receipt)) == 2


def test_two_login_sessions_cannot_both_supersede_the_same_verdict(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    here, there = situation.raters[0], signed_in(database, "rater-1")
    payload, first = read_item(situation, here)
    at_home, at_work = (revising.reopen(database, actor, payload["assignment"]) for actor in (here, there))
    show(situation, here, at_home)
    show(situation, there, at_work)
    submit(situation, here, at_home, FLAGGED)

    with pytest.raises(Conflict):
        submit(situation, there, at_work, FLAGGED)

    assert len(chain_of(database, first.receipt)) == 2
    assert submission.payload_after_reload(database, there, "tiny", "reading")["revision"] is None


def test_the_list_names_the_own_verdicts_newest_first_in_the_words_of_the_form(
    database: Database, tmp_path: Path
) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater, other = situation.raters
    (earlier, _), (later, second) = read_item(situation, rater), read_item(situation, rater, FLAGGED)
    read_item(situation, other)

    listed = revising.list_revisable(database, rater, earlier["assignment"])

    assert [line["prompt"] for line in listed] == [later["prompt"], earlier["prompt"]]
    assert listed[0]["lines"] == [
        ["Not assessable", "Image quality"],
        ["Comment", "first"],
        ["Flag", "The prompt is unclear (odd)"],
    ]
    assert "Flag" not in dict(listed[1]["lines"])
    assert (listed[0]["label"], listed[0]["receipt"]) == ("Item 2", second.receipt)
    assert set(listed[0]) == {"assignment", "label", "prompt", "text", "receipt", "saved_at", "lines"}


def test_the_worklist_leads_back_to_the_items_as_long_as_they_may_be_revised(
    database: Database, tmp_path: Path
) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    assert worklist.desks_of(database, rater)[0].revisable == 0
    read_item(situation, rater)
    assert worklist.desks_of(database, rater)[0].revisable == 0

    read_all(situation, rater)

    assert [desk.revisable for desk in worklist.desks_of(database, rater) if desk.queue.key == "reading"] == [6]
    elsewhere = replace(rater, login_session_id=signed_in(database, "rater-1").login_session_id)
    assert worklist.desks_of(database, elsewhere)[0].revisable == 0


def test_a_session_summary_says_whether_scans_or_answers_are_counted(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    read_all(situation, rater)
    scored = on_the_desk(situation, rater, "scoring")

    done = on_the_desk(situation, rater)
    of_scores = session_summary.session_summary(database, rater, scored["assignment"])

    assert (done["summary"]["unit"], of_scores["unit"]) == ("scans", "answers")


def test_a_session_summary_counts_own_items_and_times_and_nothing_else(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    for active_ms in (1_000, 5_000):
        payload = on_the_desk(situation, rater)
        show(situation, rater, payload)
        submission.submit(
            database, rater, payload["assignment"], payload["key"], any_answers(payload),
            Circumstances(active_ms=active_ms),
        )  # fmt: skip
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    submission.submit(database, rater, again["assignment"], again["key"], FLAGGED, Circumstances(active_ms=500))
    read_item(situation, situation.raters[1])

    summary = session_summary.session_summary(database, rater, payload["assignment"])

    assert (summary["items"], summary["active_ms"], summary["median_ms"]) == (2, 6_500, 3_250)
    assert set(summary) == {"unit", "items", "active_ms", "median_ms", "since"}
    assert (
        session_summary.session_summary(database, signed_in(database, "rater-1"), payload["assignment"])["items"] == 0
    )
