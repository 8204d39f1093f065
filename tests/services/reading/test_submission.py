"""Reading item after item: nothing is lost, doubled or filed under another image."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import Assignment, Database, Draft, Verdict
from services.errors import Conflict, Incomplete, NotAllowed, NotFound, StaleDraft, StudyClosed
from services.people.identity import Actor
from services.progress import data_lock
from services.reading import submission
from tests.situations import (
    PROTOCOL,
    Situation,
    answers,
    any_answers,
    on_the_desk,
    open_study,
    read_all,
    show,
    signed_in,
    submit,
)


def verdicts_in(database: Database) -> list[Verdict]:
    with database.read_only() as session:
        return list(session.exec(select(Verdict)))


def test_a_receipt_names_a_verdict_that_is_stored(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)

    receipt = submit(situation, rater, payload)

    assert [verdict.receipt for verdict in verdicts_in(database)] == [receipt.receipt]


def test_the_next_item_is_on_the_desk_after_a_verdict(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    first = on_the_desk(situation, rater)
    show(situation, rater, first)

    submit(situation, rater, first)

    second = on_the_desk(situation, rater)
    assert second["assignment"] != first["assignment"]
    assert second["progress"] == {"done": 1, "total": 6}


def test_a_repeated_submit_returns_the_same_receipt_and_stores_nothing(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    first = submit(situation, rater, payload)

    again = submit(situation, rater, payload)

    assert again.receipt == first.receipt
    assert len(verdicts_in(database)) == 1


def test_twenty_submits_at_once_leave_one_verdict(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)

    with ThreadPoolExecutor(8) as pool:
        receipts = set(pool.map(lambda _: submit(situation, rater, payload).receipt, range(20)))

    assert len(receipts) == 1
    assert len(verdicts_in(database)) == 1


def test_a_second_tab_with_other_answers_is_refused(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    submit(situation, rater, payload)
    other = {**any_answers(payload), "comment": "typed in the other tab"}

    with pytest.raises(Conflict, match="already been submitted"):
        submit(situation, rater, payload, other)


def test_no_verdict_without_the_image_having_been_shown(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    payload = on_the_desk(situation, situation.raters[0])

    with pytest.raises(Conflict, match="has not been shown"):
        submit(situation, situation.raters[0], payload)


def test_a_display_in_another_login_session_does_not_count(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    payload = on_the_desk(situation, situation.raters[0])
    show(situation, situation.raters[0], payload)
    later = signed_in(sqlite_database, "rater-1")

    with pytest.raises(Conflict, match="has not been shown"):
        submit(situation, later, payload)


def test_the_key_of_another_item_is_refused(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    first = on_the_desk(situation, rater)
    show(situation, rater, first)
    submit(situation, rater, first)
    second = on_the_desk(situation, rater)
    show(situation, rater, second)

    with pytest.raises(Conflict, match="has not been shown"):
        submission.submit(sqlite_database, rater, second["assignment"], first["key"], any_answers(second))


NO_ANSWERS: tuple[Any, ...] = ({"fields": {}}, {"fields": {"nothing": 1}}, "no answers")


@pytest.mark.parametrize("unfit", NO_ANSWERS)
def test_what_happened_comes_before_what_is_missing_in_the_form(
    sqlite_database: Database, tmp_path: Path, unfit: Any
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    first = on_the_desk(situation, rater)

    def refused(because: str, key: str = first["key"]) -> None:
        with pytest.raises(Conflict, match=because):
            submission.submit(sqlite_database, rater, first["assignment"], key, unfit)

    refused("has not been shown")
    show(situation, rater, first)
    refused("has not been shown", key="the key of another item")
    with pytest.raises(Incomplete):
        submission.submit(sqlite_database, rater, first["assignment"], first["key"], unfit)
    receipt = submit(situation, rater, first)
    refused("already been submitted")
    refused("already been submitted", key="another key")
    assert submit(situation, rater, first).receipt == receipt.receipt, "Sent once more, it has its receipt."
    second = on_the_desk(situation, rater)
    show(situation, rater, second)
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key, "The deadline is over.")
    with pytest.raises(StudyClosed):
        submission.submit(sqlite_database, rater, second["assignment"], second["key"], unfit)
    assert len(verdicts_in(sqlite_database)) == 1


def test_of_a_draft_too_what_happened_comes_before_what_is_wrong_with_it(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater, other = situation.raters[:2]
    first = on_the_desk(situation, rater)
    show(situation, rater, first)

    with pytest.raises(NotFound):
        submission.save_draft(sqlite_database, other, first["assignment"], 1, "no draft")
    submit(situation, rater, first)
    with pytest.raises(Conflict, match="already been submitted"):
        submission.save_draft(sqlite_database, rater, first["assignment"], -1, {})
    second = on_the_desk(situation, rater)
    data_lock.close_study(sqlite_database, situation.admin, situation.study_key, "The deadline is over.")
    with pytest.raises(StudyClosed):
        submission.save_draft(sqlite_database, rater, second["assignment"], 1, "no draft")


@pytest.mark.parametrize("unfit", NO_ANSWERS)
def test_an_item_that_could_not_be_shown_takes_no_answers_however_they_are(
    sqlite_database: Database, tmp_path: Path, unfit: Any
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    submission.report_failure(sqlite_database, rater, payload["assignment"], "No graphics")

    with pytest.raises(Conflict):
        submission.submit(sqlite_database, rater, payload["assignment"], payload["key"], unfit)


def test_an_item_of_another_rater_does_not_exist(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    first, second = situation.raters
    payload = on_the_desk(situation, first)

    with pytest.raises(NotFound):
        show(situation, second, payload)


def test_the_order_is_each_raters_own_and_is_stored(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")

    with sqlite_database.read_only() as session:
        rows = session.exec(select(Assignment).where(Assignment.phase == "reading").order_by(Assignment.position)).all()

    orders = [
        [row.item_id for row in rows if row.membership_id == member_id]
        for member_id in {row.membership_id for row in rows}
    ]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]
    assert len(situation.raters) == len(orders)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (answers(), "answer"),
        (answers(answer="sideways"), "answer"),
        (answers(answer="yes", surprise=1), "surprise"),
        ({**answers(answer="yes"), "flag": {"id": "unknown"}}, "flag"),
        ({**answers(), "not_assessable": "because"}, "not_assessable"),
    ],
)
def test_answers_that_do_not_fit_the_form_name_the_field(
    sqlite_database: Database, tmp_path: Path, given: dict[str, object], field: str
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    while payload["prompt"] not in {"Prompt of i1?", "Prompt of i6?", "Prompt of i3?"}:
        show(situation, rater, payload)
        submit(situation, rater, payload)
        payload = on_the_desk(situation, rater)
    show(situation, rater, payload)

    with pytest.raises(Incomplete) as refusal:
        submit(situation, rater, payload, given)

    assert refusal.value.field == field


POINT_FORM = {
    "yes_no": {
        "fields": [
            {"key": "answer", "type": "yes_no", "label": "Answer"},
            {"key": "where", "type": "point", "label": "Where?"},
        ]
    }
}


def point_study(database: Database, folder: Path) -> Situation:
    return open_study(database, folder, {"forms": {**PROTOCOL["forms"], **POINT_FORM}})


def with_prior(situation: Situation, rater: Actor) -> dict[str, Any]:
    """Read on to the item that shows a prior, whose form asks for a point, and show it."""
    while True:
        payload = on_the_desk(situation, rater)
        show(situation, rater, payload)
        if len(payload["images"]["panes"]) == 2 and payload["form"]["fields"][-1]["type"] == "point":
            return payload
        given = any_answers(payload)
        given["fields"] |= {"where": [0, 0, 0]} if payload["form"]["fields"][-1]["type"] == "point" else {}
        submit(situation, rater, payload, given)


@pytest.mark.parametrize(
    ("given", "stored"), [([1, -2.5, 3], [1.0, -2.5, 3.0]), ([1, 2, 3, "Prior"], [1.0, 2.0, 3.0, "Prior"])]
)
def test_a_point_is_three_numbers_and_may_name_the_pane_that_it_was_taken_in(
    sqlite_database: Database, tmp_path: Path, given: list[object], stored: list[object]
) -> None:
    situation = point_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    payload = with_prior(situation, rater)

    receipt = submit(situation, rater, payload, answers(answer="yes", where=given))

    verdict = next(row for row in verdicts_in(sqlite_database) if row.receipt == receipt.receipt)
    assert verdict.fields["where"] == stored


@pytest.mark.parametrize("given", [[1, 2], [1, 2, 3, "Elsewhere"], [1, 2, 3, 4], [1, 2, 3, ["Prior"]], [1, 2, "Prior"]])
def test_a_point_of_no_pane_or_without_three_numbers_is_refused(
    sqlite_database: Database, tmp_path: Path, given: list[object]
) -> None:
    situation = point_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    payload = with_prior(situation, rater)

    with pytest.raises(Incomplete) as refusal:
        submit(situation, rater, payload, answers(answer="yes", where=given))

    assert refusal.value.field == "where"


def test_not_assessable_takes_the_place_of_the_answers(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)

    submit(situation, rater, payload, {**answers(), "not_assessable": "quality"})

    stored = verdicts_in(database)[0]
    assert (stored.fields, stored.not_assessable) == ({}, "quality")


def test_a_draft_comes_back_with_the_item(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    typed = {"fields": {}, "comment": "half a sen"}

    submission.save_draft(database, rater, payload["assignment"], 4, typed)

    assert on_the_desk(situation, rater)["draft"] == {"sequence": 4, "answers": typed}


@pytest.mark.parametrize("typed", ["12n", "12", "1.50"])
def test_a_number_as_it_was_typed_comes_back_with_the_draft_and_is_no_verdict(
    database: Database, tmp_path: Path, typed: str
) -> None:
    size = {"key": "size", "type": "number", "label": "Size", "unit": "mm"}
    forms = {name: {"fields": [*form["fields"], size]} for name, form in PROTOCOL["forms"].items()}
    situation = open_study(database, tmp_path / "study", {"forms": forms})
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    given = any_answers(payload)
    left = {**given, "fields": {**given["fields"], "size": typed}}

    submission.save_draft(database, rater, payload["assignment"], 4, left)

    assert on_the_desk(situation, rater)["draft"] == {"sequence": 4, "answers": left}
    show(situation, rater, payload)
    with pytest.raises(Incomplete, match="Size: expected a number"):
        submit(situation, rater, payload, left)


def test_a_note_to_a_flag_of_no_kind_yet_comes_back_and_is_no_verdict(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    typed = {"fields": {}, "comment": "", "flag": {"id": None, "note": "wrong side shown"}}

    submission.save_draft(database, rater, payload["assignment"], 4, typed)

    assert on_the_desk(situation, rater)["draft"] == {"sequence": 4, "answers": typed}
    show(situation, rater, payload)
    with pytest.raises(Incomplete, match="Choose what the flag is for"):
        submission.submit(database, rater, payload["assignment"], payload["key"], typed | {"not_assessable": "quality"})


def test_an_older_draft_does_not_overwrite_a_newer_one(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    assignment = on_the_desk(situation, rater)["assignment"]
    submission.save_draft(database, rater, assignment, 5, {"comment": "newer"})

    with pytest.raises(StaleDraft) as refusal:
        submission.save_draft(database, rater, assignment, 4, {"comment": "older"})

    assert refusal.value.sequence == 5
    with database.read_only() as session:
        assert session.exec(select(Draft.answers)).one() == {"comment": "newer"}


def test_the_same_draft_sent_twice_is_taken_once(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    assignment = on_the_desk(situation, rater)["assignment"]
    first = submission.save_draft(database, rater, assignment, 5, {"comment": "text"})

    again = submission.save_draft(database, rater, assignment, 5, {"comment": "text"})

    assert again == first


def test_a_technical_failure_is_neither_an_answer_nor_not_assessable(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)

    submission.report_failure(database, rater, payload["assignment"], "The scan did not load.")

    assert verdicts_in(database) == []
    assert on_the_desk(situation, rater)["progress"] == {"done": 1, "total": 6}


def test_after_the_last_item_there_are_thanks_and_nothing_about_right_or_wrong(
    database: Database, tmp_path: Path
) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]

    receipts = read_all(situation, rater)

    assert len(receipts) == 6
    done = on_the_desk(situation, rater)
    assert set(done) == {
        "kind", "assignment", "title", "message", "progress", "summary", "revisable", "revision_rule", "next",
    }  # fmt: skip
    assert set(done["summary"]) == {"unit", "items", "active_ms", "median_ms", "since"}


def test_a_closed_study_takes_no_verdict(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    data_lock.close_study(database, situation.admin, "tiny")

    with pytest.raises(NotAllowed, match="closed"):
        submit(situation, rater, payload)


def test_an_admin_cannot_read_and_a_rater_cannot_administer(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")

    with pytest.raises(NotAllowed):
        on_the_desk(situation, situation.admin)
    with pytest.raises(NotAllowed):
        data_lock.close_study(sqlite_database, situation.raters[0], "tiny")


def test_scoring_answers_opens_when_all_items_are_read(database: Database, tmp_path: Path) -> None:
    situation = open_study(database, tmp_path / "study")
    rater = situation.raters[0]
    with pytest.raises(Conflict, match="once you have read all your items"):
        on_the_desk(situation, rater, "scoring")

    read_all(situation, rater)

    assert len(read_all(situation, rater, "scoring")) == 4
