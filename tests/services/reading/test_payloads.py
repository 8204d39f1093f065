"""Every payload that a use case builds is of its type: no key is missing, none is too many, none has another value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter

from db import Database
from protocol.phases import PHASES
from services.reading import payloads, previewing, revising, route_answers, session_summary, shown_volumes
from tests.listed_study import READ_THEN_JUDGE, opened_listed, work_through
from tests.room_study import (
    practising,
    reading_rules,
    room_study,
    with_conversation,
    with_history,
    with_overlays,
)
from tests.services.adjudication.reviewing import open_queue, read_by_both, work
from tests.situations import Situation, on_the_desk, open_study, read_all, show, submit

Look = Callable[[Situation], Any]


def require_type(kind: Any, payload: Any) -> None:
    """Raise where a payload is not of its type, as it is sent: strictly, and with no key beside those named."""
    TypeAdapter(kind).validate_python(payload, strict=True, extra="forbid")


def _opinions(situation: Situation) -> Any:
    open_queue(situation)
    work(situation, on_the_desk(situation, situation.reviewer, "review"))
    return on_the_desk(situation, situation.reviewer, "review")


def _review(situation: Situation) -> Any:
    open_queue(situation)
    return on_the_desk(situation, situation.reviewer, "review")


@pytest.mark.parametrize(
    ("kind", "look"),
    [
        (payloads.ScoringPayload, lambda situation: on_the_desk(situation, situation.raters[0], "scoring")),
        (payloads.DonePayload, lambda situation: on_the_desk(situation, situation.raters[0])),
        (payloads.ItemPayload, _review),
        (payloads.OpinionsPayload, _opinions),
    ],
    ids=["scoring", "done", "review", "opinions"],
)
def test_payloads_behind_the_reads_are_of_their_types(opened: Situation, kind: Any, look: Look) -> None:
    read_by_both(opened)

    payload = look(opened)

    require_type(kind, payload)


def test_every_item_of_a_study_with_all_that_a_room_can_show_is_of_its_type(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = room_study(
        sqlite_database,
        tmp_path / "study",
        with_conversation,
        with_overlays,
        with_history,
        protocol={
            "context": {"history": True},
            "hanging": {"presets": [{"label": "Soft", "window": [0, 0.5]}, {"label": "CT", "absolute": [0, 80]}]},
        },
    )
    rater, seen = situation.raters[0], []

    while (payload := on_the_desk(situation, rater))["kind"] == "item":
        seen.append(payload)
        show(situation, rater, payload)
        submit(situation, rater, payload)

    for shown in seen:
        require_type(payloads.ItemPayload, shown)
    assert any(shown["turns"] for shown in seen)
    assert any(shown["context"]["history"] for shown in seen)
    assert any(pane["overlays"] for shown in seen for pane in shown["images"]["panes"])


def test_what_is_judged_beside_its_scans_is_of_its_type(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_JUDGE, raters=1)

    judged = [payload for payload in work_through(situation) if payload["candidate"] is not None]

    assert len(judged) == 4
    for payload in judged:
        require_type(payloads.JudgedPayload, payload)
        assert payload["images"]["panes"] and payload["reference"]
        assert payload["question"] == "Does it say the same as the reference?"
        assert payload["prompt"].startswith("Prompt of i")


def test_practice_item_and_its_feedback_are_of_their_types(sqlite_database: Database, tmp_path: Path) -> None:
    situation = practising(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)

    receipt = submit(situation, rater, payload)

    require_type(payloads.ItemPayload, payload)
    require_type(payloads.FeedbackPayload, receipt.feedback)


def test_revisable_verdicts_and_the_reopened_one_are_of_their_types(sqlite_database: Database, tmp_path: Path) -> None:
    situation = room_study(sqlite_database, tmp_path / "study", protocol=reading_rules(revision="session"))
    rater = situation.raters[0]
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    submit(situation, rater, payload)

    listed = revising.list_revisable(sqlite_database, rater, payload["assignment"])
    reopened = revising.reopen(sqlite_database, rater, payload["assignment"])

    require_type(list[payloads.RevisablePayload], listed)
    require_type(payloads.ItemPayload, reopened)
    assert reopened["revision"] is not None


def test_preview_is_of_the_type_of_an_item(opened: Situation) -> None:
    payload = previewing.preview_item(opened.database, opened.admin, opened.study_key, "i1")

    require_type(payloads.ItemPayload, payload)


def test_renewed_volumes_and_summary_are_of_their_types(opened: Situation) -> None:
    rater = opened.raters[0]
    assignment = on_the_desk(opened, rater)["assignment"]

    volumes = shown_volumes.renewed_volumes(opened.database, rater, assignment)
    summary = session_summary.session_summary(opened.database, rater, assignment)

    require_type(route_answers.ScansAnswer, volumes)
    require_type(payloads.SummaryPayload, summary)


def test_renewed_volumes_at_the_end_of_the_list_are_none(opened: Situation) -> None:
    rater = opened.raters[0]
    read_all(opened, rater)
    done = on_the_desk(opened, rater)

    volumes = shown_volumes.renewed_volumes(opened.database, rater, done["assignment"])

    assert volumes == {"images": None, "prefetch": []}


def test_a_room_knows_the_phases_of_the_table_and_the_preview() -> None:
    assert get_args(payloads.Phase.__value__) == (*PHASES, "preview")


def test_a_payload_says_whether_a_study_lets_anything_of_a_queue_be_revised(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    rater = situation.raters[0]

    read = on_the_desk(situation, rater)
    read_all(situation, rater)
    all_read = on_the_desk(situation, rater)
    scored = on_the_desk(situation, rater, "scoring")

    # 0 would say that nothing can be at the moment.
    assert (read["revisable"], all_read["revisable"], scored["revisable"]) == (None, None, None)
