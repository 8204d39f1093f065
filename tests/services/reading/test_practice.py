"""Practice comes before the real items: it is scored, explained, repeated, and then out of every count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import Assignment, Database, FreezeItem, Item, PracticeResult, Verdict
from services.adjudication import review_queue
from services.errors import Conflict, NotAllowed, NotFound
from services.progress import data_lock
from services.reading import member_progress, practice, previewing, shown_volumes, submission, worklist
from services.record import package, verification
from services.studies import catalogue
from services.studies.freeze import freezing
from tests.blinding.columns import take_the_guards_away
from tests.room_study import (
    PRACTICE,
    PRACTISED,
    practise,
    practising,
    reading_rules,
    room_study,
    with_conversation,
    with_practice,
)
from tests.situations import Situation, answers, any_answers, on_the_desk, read_all, show, submit


def urls_of(payload: dict[str, Any]) -> set[str]:
    return {volume["url"] for pane in payload["images"]["panes"] for volume in pane["volumes"]}


def test_nothing_of_the_real_items_is_there_until_the_practice_is_passed(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study")
    rater = situation.raters[0]
    allowed = set()
    seen = []

    for _ in PRACTISED:
        payload = on_the_desk(situation, rater)
        seen.append(json.dumps(payload) + repr(worklist.desks_of(database, rater)))
        allowed |= urls_of(payload) | set(payload["prefetch"])
        assert payload["phase"] == "practice"
        assert payload["practice"]["total"] == payload["progress"]["total"] == 4
        show(situation, rater, payload)
        receipt = submit(situation, rater, payload, any_answers(payload, PRACTISED[payload["prompt"]]))
        seen.append(repr(receipt))

    assert "Prompt of i" not in "".join(seen)
    assert "Vignette of c" not in "".join(seen)
    first = on_the_desk(situation, rater)
    assert (first["phase"], first["practice"], first["progress"]) == ("reading", None, {"done": 0, "total": 6})
    assert not urls_of(first) & allowed


def test_a_real_assignment_is_out_of_reach_before_the_practice_is_passed(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study")
    rater = situation.raters[0]
    with database.read_only() as session:
        real = session.exec(select(Assignment.public_id).where(Assignment.phase == "reading")).first()
    assert real is not None

    with pytest.raises(Conflict, match="You have moved on to another item"):
        submission.record_display(database, rater, real, load_ms=1, renderer="t", viewport="1x1")
    with pytest.raises(Conflict, match="You have moved on to another item"):
        submission.submit(database, rater, real, "k", {"fields": {}, "not_assessable": "quality"})
    with pytest.raises(Conflict, match="You have moved on to another item"):
        submission.report_failure(database, rater, real, "cannot be shown")


def test_volumes_of_real_items_are_out_of_reach_during_practice(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study")
    rater = situation.raters[0]
    practise(situation, rater)
    token = next(iter(urls_of(on_the_desk(situation, rater)))).rsplit("/", 1)[1]

    assert shown_volumes.volume_in_reach(database, rater, token).is_file()
    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(database, situation.raters[1], token)


def test_feedback_comes_with_the_receipt_and_again_with_the_same_key(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    right = PRACTISED[payload["prompt"]]
    key = payload["prompt"].split()[1].rstrip("?")
    assert "MARK-EXPLANATION" not in json.dumps(payload)
    show(situation, rater, payload)

    first = submit(situation, rater, payload, any_answers(payload, right))
    again = submit(situation, rater, payload, any_answers(payload, right))

    assert first == again
    assert first.feedback == {
        "correct": True,
        "fields": None,
        "lines": [["Reference", right.title()], ["Explanation", f"MARK-EXPLANATION of {key}"]],
    }


@pytest.mark.parametrize(("wrong", "state"), [(1, "passed"), (2, "open")])
def test_the_pass_mark_is_a_share_of_the_items(database: Database, tmp_path: Path, wrong: int, state: str) -> None:
    situation = practising(database, tmp_path / "study")
    rater = situation.raters[0]

    receipts = practise(situation, rater, tuple(PRACTISED)[:wrong])

    assert [receipt.feedback["correct"] for receipt in receipts if receipt.feedback].count(False) == wrong
    assert on_the_desk(situation, rater)["phase"] == ("reading" if state == "passed" else "practice")


def test_a_failed_pass_comes_again_in_another_order_until_the_attempts_are_used_up(
    database: Database, tmp_path: Path
) -> None:
    situation = practising(database, tmp_path / "study")
    rater = situation.raters[0]

    practise(situation, rater, tuple(PRACTISED))
    again = on_the_desk(situation, rater)
    assert again["notice"] == "Made for tests. · Repeated practice: attempt 2 of 2, the last."
    assert again["progress"] == {"done": 0, "total": 4}
    practise(situation, rater, tuple(PRACTISED))

    done = on_the_desk(situation, rater)
    assert (done["kind"], done["title"]) == ("done", "The practice was not passed")
    # The assignment's random id may hold any two letters.
    assert "i1" not in json.dumps({**done, "assignment": ""})
    line = member_progress.progress_of_members(database, situation.admin, "tiny")[0]
    assert line.practice == "not passed: 0 of 4 correct in attempt 2, no attempt left"
    assert line.total == 6
    assert worklist.desks_of(database, rater)[0].practice == "failed"
    with database.read_only() as session:
        orders = [
            session.exec(
                select(Assignment.item_id)
                .where(Assignment.phase == "practice", Assignment.pass_number == number)
                .where(col(Assignment.id).in_(select(Verdict.assignment_id)))
                .order_by(col(Assignment.position))
            ).all()
            for number in (1, 2)
        ]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


def ahead_of_the_second_attempt(situation: Situation) -> dict[str, str]:
    """Miss half of a first pass, and return what is said before the second one."""
    rater = situation.raters[0]
    assert on_the_desk(situation, rater)["ahead"] is None
    practise(situation, rater, tuple(PRACTISED)[:2])
    ahead = on_the_desk(situation, rater)["ahead"]
    return {name: ahead[name] for name in ("heading", "message", "title")}


def test_another_attempt_is_announced_with_how_many_there_are_and_how_the_last_one_ended(
    database: Database, tmp_path: Path
) -> None:
    situation = practising(database, tmp_path / "study", attempts=3)

    assert ahead_of_the_second_attempt(situation) == {
        "heading": "Attempt 2 of 3",
        "message": "In attempt 1 you had 2 of 4 right; 75 % are needed.",
        "title": "Practise 4 items again",
    }


def test_without_feedback_nobody_learns_how_many_were_right(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study", attempts=2, feedback=False)

    assert ahead_of_the_second_attempt(situation) == {
        "heading": "Attempt 2 of 2, the last",
        "message": "Attempt 1 did not reach the pass mark of 75 %; the items are repeated.",
        "title": "Practise 4 items again",
    }


def test_an_attempt_that_an_admin_has_granted_is_announced_as_the_last(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study", attempts=1)
    rater = situation.raters[0]
    practise(situation, rater, tuple(PRACTISED))

    practice.allow_another_attempt(database, situation.admin, "tiny", "rater-1")

    payload = on_the_desk(situation, rater)
    assert payload["ahead"]["heading"] == "Attempt 2, an extra one and the last"


def test_without_a_limit_of_attempts_it_goes_on_until_it_is_passed(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study", attempts=None, feedback=False)
    rater = situation.raters[0]

    for _ in range(3):
        assert all(receipt.feedback is None for receipt in practise(situation, rater, tuple(PRACTISED)))
    practise(situation, rater)

    assert on_the_desk(situation, rater)["phase"] == "reading"
    line = member_progress.progress_of_members(database, situation.admin, "tiny")[0]
    assert line.practice == "passed: 4 of 4 correct in attempt 4"


def test_what_could_not_be_shown_or_assessed_is_not_right(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study")
    rater = situation.raters[0]
    while (payload := on_the_desk(situation, rater))["practice"]["done"] < 3:
        show(situation, rater, payload)
        submit(situation, rater, payload, {"fields": {}, "not_assessable": "quality"})

    submission.report_failure(database, rater, payload["assignment"], "no scan")

    with database.read_only() as session:
        result = session.exec(select(PracticeResult)).one()
    assert (result.correct, result.judged, result.passed) == (0, 4, False)


def test_practice_is_in_no_sample_no_count_no_queue_and_no_report(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study")
    for rater in situation.raters:
        practise(situation, rater, tuple(PRACTISED)[:1])
        read_all(situation, rater, by_prompt={"Prompt of i1?": "yes"})

    with database.read_only() as session:
        sampled = select(Item.key).join(FreezeItem, col(FreezeItem.item_id) == Item.id).distinct()
        assert not any(key.startswith("p") for key in session.exec(sampled))
    review_queue.open_review_queue(database, situation.admin, "tiny")
    with database.read_only() as session:
        reviewed = select(Item.key).join(Assignment, col(Assignment.item_id) == Item.id)
        assert not any(key.startswith("p") for key in session.exec(reviewed.where(Assignment.phase == "review")))
    assert catalogue.study_line(database, situation.admin, "tiny").items == 6
    assert verification.verify_study(database, "tiny") == []


def test_a_rater_who_has_failed_for_good_does_not_hold_up_the_reviewers(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study", attempts=1)
    first, second = situation.raters
    practise(situation, first, tuple(PRACTISED))
    practise(situation, second)
    flagged = {**answers(answer="no"), "flag": {"id": "prompt", "note": ""}}

    read_all(situation, second, by_prompt={"Prompt of i1?": flagged})

    assert review_queue.open_review_queue(database, situation.admin, "tiny").flagged == 1


def test_somebody_who_joins_later_practises_too(database: Database, tmp_path: Path) -> None:
    situation = room_study(
        database, tmp_path / "study", with_practice, with_conversation,
        protocol=reading_rules(practice=PRACTICE), frozen=False,
    )  # fmt: skip

    frozen = freezing.freeze_study(database, situation.admin, "tiny")

    assert on_the_desk(situation, situation.raters[1])["phase"] == "practice"
    assert {"p1", "talk-1"} <= set(frozen.manifest["items"])
    assert "MARK-EXPLANATION" not in json.dumps(frozen.manifest)


def test_the_package_of_a_study_with_practice_counts_the_real_items_only(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = practising(sqlite_database, tmp_path / "study")
    for rater in situation.raters:
        practise(situation, rater, tuple(PRACTISED)[:1])
        read_all(situation, rater)
    data_lock.close_study(sqlite_database, situation.admin, "tiny")

    package.export_study(sqlite_database, situation.admin, "tiny", tmp_path / "package")

    tables = [path for path in (tmp_path / "package" / "report").rglob("*.csv") if path.name != "data_dictionary.csv"]
    written = "".join(path.read_text(encoding="utf-8") for path in tables)
    assert "Practise" not in written
    assert "practice" not in written
    versions = json.loads((tmp_path / "package" / "verdict-versions.json").read_text(encoding="utf-8"))
    assert [version["phase"] for version in versions].count("practice") == 8
    assert len(versions) == 20


def test_an_admin_sees_in_the_preview_what_raters_will_be_told(sqlite_database: Database, tmp_path: Path) -> None:
    situation = practising(sqlite_database, tmp_path / "study")

    feedback = {key: previewing.preview_feedback(sqlite_database, situation.admin, "tiny", key) for key in ("p3", "i1")}

    assert feedback == {"p3": [["Reference", "Left"], ["Explanation", "MARK-EXPLANATION of p3"]], "i1": []}
    with pytest.raises(NotAllowed):
        previewing.preview_feedback(sqlite_database, situation.raters[0], "tiny", "p3")
    lines = {line.key: line for line in previewing.items_of(sqlite_database, situation.admin, "tiny")}
    assert (lines["p1"].practice, lines["i1"].practice) == (True, False)


def test_an_explanation_that_was_changed_after_the_freeze_is_found(sqlite_database: Database, tmp_path: Path) -> None:
    practising(sqlite_database, tmp_path / "study")
    with sqlite_database.engine.connect() as connection:
        take_the_guards_away(connection)
        connection.exec_driver_sql("UPDATE reference SET explanation = 'else' WHERE explanation LIKE '%p1'")
        connection.commit()

    problems = verification.verify_study(sqlite_database, "tiny")
    assert problems[0] == "Changed since the freeze: references_and_baselines_keyed_sha256."


def test_an_admin_may_grant_one_more_attempt_to_whoever_has_used_up_theirs(database: Database, tmp_path: Path) -> None:
    situation = practising(database, tmp_path / "study", attempts=1)
    rater = situation.raters[0]
    with pytest.raises(Conflict, match="has not used up"):
        practice.allow_another_attempt(database, situation.admin, "tiny", "rater-1")
    practise(situation, rater, tuple(PRACTISED))
    with pytest.raises(NotAllowed):
        practice.allow_another_attempt(database, rater, "tiny", "rater-1")
    with pytest.raises(NotFound, match="no rater 'reviewer'"):
        practice.allow_another_attempt(database, situation.admin, "tiny", "reviewer")

    practice.allow_another_attempt(database, situation.admin, "tiny", "Rater-1")

    assert worklist.desks_of(database, rater)[0].practice == "open"
    practise(situation, rater)
    assert on_the_desk(situation, rater)["phase"] == "reading"
