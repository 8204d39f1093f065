"""What is withheld until its time, or for good, can all change, and not a byte of what is sent before does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from db import Database
from services.people.identity import Actor
from services.reading import revising, shown_volumes, submission, worklist
from tests.blinding.columns import SHOWN_IN, change_everything_but, freeze_as_it_is_now, take_the_guards_away
from tests.room_study import (
    PRACTICE,
    PRACTISED,
    reading_rules,
    room_study,
    with_conversation,
    with_history,
    with_overlays,
    with_practice,
)
from tests.situations import Situation, any_answers, on_the_desk, show, submit

ROOM = frozenset({"item.conversation", "item.turn", "item.start", "item.overlays"})
OF_OVERLAYS = frozenset(
    {"overlay.key", "overlay.label", "overlay.colour", "overlay.style", "overlay.opacity", "overlay.unpacked_sha256"}
)


def look(situation: Situation, rater: Actor) -> bytes:
    """Return all that a rater gets at this moment: page, worklist, list of revisions, and the scans in reach."""
    database = situation.database
    desk = submission.payload_after_reload(database, rater, "tiny", "reading")
    files = [
        shown_volumes.volume_in_reach(database, rater, volume["url"].rsplit("/", 1)[1]).read_bytes()
        for pane in desk["images"]["panes"]
        for volume in pane["volumes"] + pane["overlays"]
    ]
    ahead = [
        shown_volumes.volume_in_reach(database, rater, url.rsplit("/", 1)[1]).read_bytes() for url in desk["prefetch"]
    ]
    beside = [worklist.desks_of(database, rater), revising.list_revisable(database, rater, desk["assignment"])]
    return json.dumps(desk).encode() + repr(beside).encode() + b"".join(files + ahead)


def change(database: Database, *statements: str) -> None:
    with database.engine.connect() as connection:
        take_the_guards_away(connection)
        for statement in statements:
            assert connection.exec_driver_sql(statement).rowcount > 0, statement
        freeze_as_it_is_now(connection)
        connection.commit()


def practise_one(situation: Situation, rater: Actor) -> dict[str, Any]:
    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    submit(situation, rater, payload, any_answers(payload, PRACTISED[payload["prompt"]]))
    return payload


def reach(situation: Situation, rater: Actor, prompt: str) -> dict[str, Any]:
    while (payload := on_the_desk(situation, rater))["prompt"] != prompt:
        show(situation, rater, payload)
        submit(situation, rater, payload)
    return payload


def test_during_practice_every_real_item_can_change_and_nothing_that_is_sent_does(
    database: Database, tmp_path: Path
) -> None:
    situation = room_study(
        database, tmp_path / "study", with_practice, with_conversation, with_overlays,
        protocol=reading_rules(practice=PRACTICE),
    )  # fmt: skip
    rater = situation.raters[0]
    practise_one(situation, rater)
    before = look(situation, rater)

    change(
        database,
        "UPDATE item SET prompt = prompt || '~', sequences = '[\"T2\"]', conversation = 'x' WHERE NOT practice",
        "UPDATE study_case SET vignette = 'x', age = 7 WHERE id IN (SELECT case_id FROM item WHERE NOT practice)",
        "UPDATE volume SET label = 'x', sha256 = 'x' WHERE case_id IN (SELECT case_id FROM item WHERE NOT practice)",
        "UPDATE overlay SET label = 'x'",
        "UPDATE reference SET accepted = '[\"changed\"]', explanation = 'changed'",
        "DELETE FROM assignment WHERE phase = 'reading' AND position > 2",
    )

    assert look(situation, rater) == before


def test_before_a_turn_is_answered_the_later_ones_can_change_and_nothing_that_is_sent_does(
    database: Database, tmp_path: Path
) -> None:
    situation = room_study(database, tmp_path / "study", with_conversation)
    rater = situation.raters[0]
    reach(situation, rater, "Turn 1 of the talk?")
    before = look(situation, rater)

    change(
        database,
        "UPDATE item SET prompt = 'x', sequences = '[\"T2\"]', start = '[1, 2, 3]' WHERE turn > 1",
        "UPDATE volume SET label = 'x', sha256 = 'x', sequence = 'T2' WHERE key = 'talk-T2'",
    )

    assert look(situation, rater) == before


def test_overlays_that_no_item_names_and_history_that_is_not_released_can_change(
    database: Database, tmp_path: Path
) -> None:
    situation = room_study(database, tmp_path / "study", with_overlays, with_history)
    rater = situation.raters[0]
    reach(situation, rater, "Prompt of i1?")
    before = look(situation, rater)

    change(
        database,
        "UPDATE overlay SET label = 'x', colour = '#000000', opacity = 0.9, sha256 = 'x' WHERE key = 'truth-1'",
        'UPDATE study_case SET history = \'[["changed", "changed"]]\'',
    )

    assert look(situation, rater) == before
    change(database, "UPDATE overlay SET label = 'x' WHERE key = 'lesion-1'")
    assert look(situation, rater) != before


@pytest.mark.parametrize("stage", ["practice", "reading", "revision"])
def test_hidden_columns_can_all_change_in_every_stage_of_the_room(
    database: Database, tmp_path: Path, stage: str
) -> None:
    situation = room_study(
        database, tmp_path / "study", with_practice, with_conversation, with_overlays, with_history,
        protocol=reading_rules(practice=PRACTICE, revision="study"),
    )  # fmt: skip
    rater = situation.raters[0]
    own = frozenset({"practice_result.passed", "practice_result.pass_number", "verdict.receipt"})
    # The order of the items is drawn: i1 may be the first, above which stands the rater's own result of the practice.
    own |= {"practice_result.correct", "practice_result.judged"}
    if stage != "practice":
        for _ in PRACTISED:
            practise_one(situation, rater)
        payload = reach(situation, rater, "Prompt of i1?")
        own |= {"verdict.fields", "verdict.not_assessable", "verdict.comment"}
    if stage == "revision":
        show(situation, rater, payload)
        submit(situation, rater, payload)
        revising.reopen(database, rater, payload["assignment"])
    before = look(situation, rater)

    changed = change_everything_but(database, SHOWN_IN["reading"] | ROOM | OF_OVERLAYS | {"overlay.sha256"} | own)

    assert look(situation, rater) == before
    assert {"reference.explanation", "study_case.history", "overlay.file_name", "study_case.subject"} <= set(changed)


def test_reading_and_revising_after_practice_do_not_read_the_table_of_references(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = room_study(
        sqlite_database, tmp_path / "study", with_practice, protocol=reading_rules(practice=PRACTICE, revision="study")
    )
    rater = situation.raters[0]
    for _ in PRACTISED:
        practise_one(situation, rater)
    with sqlite_database.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE reference RENAME TO taken_away")

    payload = on_the_desk(situation, rater)
    show(situation, rater, payload)
    submit(situation, rater, payload)
    again = revising.reopen(sqlite_database, rater, payload["assignment"])
    show(situation, rater, again)
    submit(situation, rater, again, any_answers(again))

    assert on_the_desk(situation, rater)["progress"]["done"] == 1


def test_the_explanation_of_a_practice_item_comes_with_its_answer_and_at_no_other_time(
    database: Database, tmp_path: Path
) -> None:
    situation = room_study(database, tmp_path / "study", with_practice, protocol=reading_rules(practice=PRACTICE))
    rater = situation.raters[0]
    sent = [look(situation, rater)]
    for _ in PRACTISED:
        practise_one(situation, rater)
        sent.append(look(situation, rater))

    assert b"MARK-EXPLANATION" not in b"".join(sent)
