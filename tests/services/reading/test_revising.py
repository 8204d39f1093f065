"""A verdict is revised by another one that supersedes it, as long and as far as the protocol allows it."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import AuditEvent, Database, Flag, ReviewTask, Verdict, queries
from db.waiting import Unavailable
from protocol.phases import READING
from services.adjudication import review_queue
from services.errors import Conflict, NotAllowed, NotFound, Refused
from services.people.identity import Actor
from services.progress import data_lock
from services.reading import member_progress, revising, session_summary, shown_volumes, submission, worklist
from services.reading.submission import Receipt
from services.reading.verdict_rows import Circumstances
from services.record import package, verification
from tests.room_study import reading_rules, room_study, with_conversation
from tests.situations import (
    Situation,
    any_answers,
    on_the_desk,
    read_all,
    show,
    signed_in,
    submit,
)

FLAGGED = {"fields": {}, "not_assessable": "quality", "comment": "first", "flag": {"id": "prompt", "note": "odd"}}


def revisable_study(database: Database, folder: Path, rule: str = "session", *changes: Any) -> Situation:
    return room_study(database, folder, *changes, protocol=reading_rules(revision=rule))


def read_item(
    situation: Situation, rater: Actor, given: dict[str, Any] | None = None
) -> tuple[dict[str, Any], Receipt]:
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    return payload, submit(situation, rater, payload, given)


def token_of(payload: dict[str, Any]) -> str:
    return str(payload["images"]["panes"][0]["volumes"][0]["url"]).rsplit("/", 1)[1]


def chain_of(database: Database, receipt: str) -> list[Verdict]:
    with database.read_only() as session:
        first = session.exec(select(Verdict).where(Verdict.receipt == receipt)).one()
        return queries.verdict_chain(session, first.assignment_id)


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


def test_a_reopened_items_scans_are_in_reach_only_while_it_is_reopened(database: Database, tmp_path: Path) -> None:
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


def test_the_rule_says_how_long_a_verdict_may_be_revised(database: Database, tmp_path: Path) -> None:
    for rule, in_session, later in (("never", 0, 0), ("session", 1, 0), ("study", 1, 1)):
        situation = room_study(
            database, tmp_path / rule, protocol={**reading_rules(revision=rule), "name": rule}, key=rule
        )
        rater = situation.raters[0]
        payload, _ = read_item(situation, rater)
        again = signed_in(database, "rater-1")

        assert on_the_desk(situation, rater)["revisable"] == in_session
        assert on_the_desk(situation, again)["revisable"] == later
        assert len(revising.list_revisable(database, rater, payload["assignment"])) == in_session
        for actor, allowed in ((rater, in_session), (again, later)):
            if not allowed:
                with pytest.raises(Conflict, match="cannot be revised"):
                    revising.reopen(database, actor, payload["assignment"])


def test_the_list_names_the_own_verdicts_newest_first_in_the_words_of_the_form(
    database: Database, tmp_path: Path
) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater, other = situation.raters
    (earlier, _), (later, second) = read_item(situation, rater), read_item(situation, rater, FLAGGED)
    read_item(situation, other)

    listed = revising.list_revisable(database, rater, earlier["assignment"])

    assert [line["prompt"] for line in listed] == [later["prompt"], earlier["prompt"]]
    assert listed[0]["lines"] == [["Not assessable", "Image quality"], ["Comment", "first"]]
    assert (listed[0]["label"], listed[0]["receipt"]) == ("Item 2", second.receipt)
    assert set(listed[0]) == {"assignment", "label", "prompt", "text", "receipt", "saved_at", "lines"}


def test_a_closed_study_takes_no_revision_also_when_it_was_reopened_before(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload, first = read_item(situation, rater)
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    data_lock.close_study(database, situation.admin, "tiny")

    with pytest.raises((Conflict, NotAllowed)):
        submit(situation, rater, again, FLAGGED)
    with pytest.raises(Conflict):
        revising.reopen(database, rater, payload["assignment"])

    assert len(chain_of(database, first.receipt)) == 1


def test_nothing_is_revised_once_references_are_shown(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    rater = situation.raters[0]
    read_all(situation, rater)
    assert on_the_desk(situation, rater)["revisable"] == 6
    [first, *_] = revising.list_revisable(database, rater, on_the_desk(situation, rater)["assignment"])
    with pytest.raises(Conflict, match="instructions"):
        on_the_desk(situation, rater, "scoring")
    assert worklist.SETTLED in worklist.instructions(database, rater, "tiny", "scoring").text

    worklist.acknowledge_instructions(database, rater, "tiny", "scoring")

    assert on_the_desk(situation, rater, "scoring")["phase"] == "scoring"
    assert revising.list_revisable(database, rater, first["assignment"]) == []
    with pytest.raises(Conflict, match="cannot be revised"):
        revising.reopen(database, rater, first["assignment"])


def test_marking_cannot_be_begun_in_passing_before_the_last_read(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater)

    with pytest.raises(Conflict, match="once you have read all your items"):
        worklist.acknowledge_instructions(database, rater, "tiny", "scoring")

    assert revising.reopen(database, rater, payload["assignment"])["revision"] is not None


def test_the_reviewers_queue_ends_revision_for_every_item_alike(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    for rater in situation.raters:
        read_all(situation, rater, by_prompt={"Prompt of i1?": FLAGGED})
    assert on_the_desk(situation, situation.raters[0])["revisable"] == 6

    review_queue.open_review_queue(database, situation.admin, "tiny")

    assert on_the_desk(situation, situation.raters[0])["revisable"] == 0


def test_reviews_and_decisions_and_others_verdicts_are_never_reopened(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    for rater in situation.raters:
        read_all(situation, rater, by_prompt={"Prompt of i1?": FLAGGED})
    review_queue.open_review_queue(database, situation.admin, "tiny")
    review = on_the_desk(situation, situation.reviewer, "review")
    show(situation, situation.reviewer, review)
    submit(situation, situation.reviewer, review)

    with pytest.raises(Conflict, match="cannot be revised"):
        revising.reopen(database, situation.reviewer, review["assignment"])
    with pytest.raises(NotFound):
        revising.reopen(database, situation.raters[0], review["assignment"])
    assert revising.list_revisable(database, situation.reviewer, review["assignment"]) == []


def test_a_turn_that_others_follow_is_settled_and_the_last_one_is_not(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study", with_conversation)
    rater = situation.raters[0]
    read_all(situation, rater)

    done = on_the_desk(situation, rater)
    listed = {line["prompt"] for line in revising.list_revisable(database, rater, done["assignment"])}

    assert "Turn 3 of the talk?" in listed
    assert not {"Turn 1 of the talk?", "Turn 2 of the talk?"} & listed


def test_a_flag_that_is_taken_back_does_not_send_the_item_to_the_reviewer(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater, FLAGGED)
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    submit(situation, rater, again)
    read_all(situation, rater)
    read_all(situation, situation.raters[1])

    assert review_queue.open_review_queue(database, situation.admin, "tiny").flagged == 0
    with database.read_only() as session:
        assert len(session.exec(select(Flag)).all()) == 1


def test_a_flag_that_comes_with_a_revision_sends_the_item_to_the_reviewer(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater)
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    submit(situation, rater, again, FLAGGED)
    read_all(situation, rater)
    read_all(situation, situation.raters[1])

    assert review_queue.open_review_queue(database, situation.admin, "tiny").flagged == 1


def test_a_disagreement_that_was_revised_away_is_none(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study", "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater, {**FLAGGED, "flag": None})
    again = revising.reopen(database, rater, payload["assignment"])
    show(situation, rater, again)
    submit(situation, rater, again)
    read_all(situation, rater)
    read_all(situation, situation.raters[1])

    assert review_queue.open_review_queue(database, situation.admin, "tiny").disagreed == 0


def test_no_revision_slips_in_while_the_queue_is_being_opened(database: Database, tmp_path: Path) -> None:
    """A reviewer would see an opinion that does not stand any more."""
    situation = revisable_study(database, tmp_path / "study", "study")
    raters = situation.raters
    for rater, given in zip(raters, (FLAGGED, None), strict=True):
        read_all(situation, rater, by_prompt={f"Prompt of i{number}?": given for number in range(1, 7) if given})
    desks = [(rater, on_the_desk(situation, rater)["assignment"]) for rater in raters]
    revised = [
        (rater, line["assignment"]) for rater, desk in desks for line in revising.list_revisable(database, rater, desk)
    ]

    def revise(rater: Actor, assignment: str, comment: str) -> None:
        try:
            again = revising.reopen(database, rater, assignment)
            show(situation, rater, again)
            submit(situation, rater, again, {**FLAGGED, "comment": comment})
        except Conflict:
            return

    def open_queue() -> bool:
        for _ in range(10):  # on a machine with much else to do, the lock is not had within the wait for a database
            with suppress(Unavailable):
                review_queue.open_review_queue(database, situation.admin, "tiny")
                return True
        return False

    with ThreadPoolExecutor(5) as pool:
        for round_ in range(4):
            for rater, assignment in revised:
                pool.submit(revise, rater, assignment, f"round {round_}")
            if round_ == 1:
                opening = pool.submit(open_queue)
    assert opening.result()
    # Every item may have been open for revision just then, and the queue empty: closed now, they follow.
    for rater in raters:
        read_all(situation, rater)
    review_queue.open_review_queue(database, situation.admin, "tiny")

    with database.read_only() as session:
        standing = {standing_verdict.id for standing_verdict, _ in queries.standing_verdicts(session, 1, READING)}
        shown = {verdict for task in session.exec(select(ReviewTask)) for verdict in task.opinion_order}
    assert shown
    assert shown <= standing


def test_progress_counts_an_item_once_and_says_how_many_were_revised(database: Database, tmp_path: Path) -> None:
    situation = revisable_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload, _ = read_item(situation, rater)
    for comment in ("one", "two"):
        again = revising.reopen(database, rater, payload["assignment"])
        show(situation, rater, again)
        submit(situation, rater, again, {**FLAGGED, "comment": comment})

    line = member_progress.progress_of_members(database, situation.admin, "tiny")[0]

    assert (line.done, line.total, line.revised) == (1, 6, 1)
    assert worklist.desks_of(database, rater)[0].done == 1
    assert on_the_desk(situation, rater)["progress"]["done"] == 1


def test_the_package_lists_every_version_and_the_report_the_one_that_stands(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = revisable_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    payload, first = read_item(situation, rater, FLAGGED)
    again = revising.reopen(sqlite_database, rater, payload["assignment"])
    show(situation, rater, again)
    second = submit(situation, rater, again, {**FLAGGED, "comment": "second"})
    read_all(situation, rater)
    read_all(situation, situation.raters[1])
    data_lock.close_study(sqlite_database, situation.admin, "tiny")

    package.export_study(sqlite_database, situation.admin, "tiny", tmp_path / "package")

    versions = json.loads((tmp_path / "package" / "verdict-versions.json").read_text(encoding="utf-8"))
    assert len(versions) == 13
    of_item = [version for version in versions if version["receipt"] in {first.receipt, second.receipt}]
    assert [version["superseded_by"] for version in of_item] == [second.receipt, None]
    assert [version["supersedes"] for version in of_item] == [None, first.receipt]
    report = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "package" / "report").rglob("*.csv"))
    assert second.receipt in report
    assert first.receipt not in report


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
    assert set(summary) == {"items", "active_ms", "median_ms", "since"}
    assert (
        session_summary.session_summary(database, signed_in(database, "rater-1"), payload["assignment"])["items"] == 0
    )
