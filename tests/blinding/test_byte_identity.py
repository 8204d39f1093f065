"""What a rater or reviewer gets is the same, byte for byte, whatever the values that are hidden from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select
from streamlit.proto.Delta_pb2 import Delta

from db import Assignment, Database, Membership, Study, queries
from services.adjudication import review_queue
from services.people.identity import Actor
from services.reading import displaying, instructions, shown_volumes, submission, worklist
from services.studies.freeze import freezing
from tests.blinding.columns import SHOWN_IN, change_everything_but, every_column, take_the_guards_away
from tests.blinding.marked_study import OBSERVED, STUDY
from tests.blinding.serving import ServedStudy, client
from tests.blinding.streamlit_socket import drawn, run_page
from tests.situations import Situation, answers, imported_study, open_study, read_all

View = Callable[[Situation], bytes]


def _payloads(situation: Situation, actor: Actor, phase: str) -> bytes:
    """Return, as they would be sent, the payloads of all of somebody's assignments of one phase, in their order."""
    with situation.database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == situation.study_key)).one()
        waiting = _assignments(session, actor, phase)
        payloads = [
            displaying.assignment_payload(session, actor, study, waiting[place : place + 3], (place, len(waiting)))
            for place in range(len(waiting))
        ]
    assert payloads
    return json.dumps(payloads).encode()


def _assignments(session: Session, actor: Actor, phase: str) -> list[Assignment]:
    return list(
        session.exec(
            select(Assignment)
            .join(Membership, col(Membership.id) == Assignment.membership_id)
            .where(Membership.person_id == actor.person_id, Assignment.phase == phase)
            .order_by(col(Assignment.position))
        )
    )


def _reading(situation: Situation) -> bytes:
    """The rater's desk, worklist, instructions, all payloads to come, and the bytes of the scans in reach."""
    rater, database, study = situation.raters[0], situation.database, situation.study_key
    desk = submission.current_payload(database, rater, study, "reading")
    files = [
        shown_volumes.volume_in_reach(database, rater, volume["url"].rsplit("/", 1)[1]).read_bytes()
        for pane in desk["images"]["panes"]
        for volume in pane["volumes"]
    ]
    beside = [instructions.of_queue(database, rater, study, "reading"), worklist.desks_of(database, rater), desk]
    return _payloads(situation, rater, "reading") + repr(beside).encode() + b"".join(files)


def _scoring(situation: Situation) -> bytes:
    return _payloads(situation, situation.raters[0], "scoring")


def _review(situation: Situation) -> bytes:
    desk = submission.current_payload(situation.database, situation.reviewer, situation.study_key, "review")
    return _payloads(situation, situation.reviewer, "review") + json.dumps(desk).encode()


def _opinions(situation: Situation) -> bytes:
    return _payloads(situation, situation.reviewer, "opinions")


def _others_have_read(situation: Situation) -> None:
    flagged = {**answers(answer="no"), "comment": "odd", "flag": {"id": "prompt", "note": "n"}}
    read_all(situation, situation.raters[1], by_prompt={"Prompt of i1?": flagged})


def _all_have_read(situation: Situation) -> None:
    _others_have_read(situation)
    read_all(situation, situation.raters[0])


def _queue_is_open(situation: Situation) -> None:
    _all_have_read(situation)
    review_queue.open_review_queue(situation.database, situation.admin, situation.study_key)


@pytest.mark.parametrize(
    ("view", "prepare", "look"),
    [
        ("reading", _others_have_read, _reading),
        ("scoring", _all_have_read, _scoring),
        ("review", _queue_is_open, _review),
        ("opinions", _queue_is_open, _opinions),
    ],
    ids=list(SHOWN_IN),
)
def test_hidden_values_can_all_change_and_not_a_byte_of_a_view_does(
    database: Database, tmp_path: Path, view: str, prepare: Callable[[Situation], None], look: View
) -> None:
    situation = open_study(database, tmp_path / "study")
    prepare(situation)
    before = look(situation)

    changed = change_everything_but(database, SHOWN_IN[view])

    assert look(situation) == before
    always = {"study_case.subject", "study_case.note", "volume.file_name", "item.category", "candidate.model"}
    assert always <= set(changed)
    if view != "scoring":
        assert {"reference.accepted", "reference.text_only_answer", "candidate.answer"} <= set(changed)
    if view in {"reading", "review"}:
        assert {"verdict.fields", "verdict.comment", "flag.note"} <= set(changed)


@pytest.mark.parametrize(
    ("view", "prepare", "look"),
    [("reading", _others_have_read, _reading), ("opinions", _queue_is_open, _opinions)],
    ids=["reading", "opinions"],
)
def test_a_value_that_is_shown_does_change_its_view(
    sqlite_database: Database, tmp_path: Path, view: str, prepare: Callable[[Situation], None], look: View
) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")
    prepare(situation)
    before = look(situation)

    change_everything_but(sqlite_database, SHOWN_IN[view] - {"item.prompt"})

    assert look(situation) != before


def test_every_column_named_as_shown_exists(sqlite_database: Database) -> None:
    named = {column for columns in SHOWN_IN.values() for column in columns}

    assert named <= every_column()


def test_the_order_of_reading_does_not_depend_on_what_is_right(sqlite_database: Database, tmp_path: Path) -> None:
    first = open_study(sqlite_database, tmp_path / "study", key="first")
    second = imported_study(sqlite_database, tmp_path / "again", key="second")
    with sqlite_database.read_only() as session:
        second_id = session.exec(select(Study.id).where(Study.key == "second")).one()
    _change_answers_of(sqlite_database, second_id)
    _draw_with_the_secret_of(sqlite_database, "first", second_id)

    freezing.freeze_study(sqlite_database, second.admin, "second")

    orders = [_order_of_prompts(sqlite_database, situation) for situation in (first, second)]
    assert orders[0] == orders[1]


def _draw_with_the_secret_of(database: Database, key: str, study_id: int | None) -> None:
    """Let a study be drawn with the secret of another one, so that what is drawn can be compared."""
    with database.writing() as session:
        secret = session.exec(select(Study.salt).where(Study.key == key)).one()
        session.get_one(Study, study_id).salt = secret


def _change_answers_of(database: Database, study_id: int | None) -> None:
    """Give one study's references, baselines, candidates, categories and notes other contents before its freeze."""
    with database.engine.connect() as connection:
        take_the_guards_away(connection)
        for statement in (
            "UPDATE reference SET accepted = '[\"none\"]' WHERE item_id IN (SELECT id FROM item WHERE study_id = {id})",
            "UPDATE candidate SET answer = 'else' WHERE study_id = {id}",
            "UPDATE item SET category = 'else' || id, grounding = 'image_grounded' WHERE study_id = {id}",
            "UPDATE study_case SET note = 'else' WHERE study_id = {id}",
        ):
            connection.exec_driver_sql(statement.replace("{id}", str(study_id)))
        connection.commit()


def _order_of_prompts(database: Database, situation: Situation) -> list[tuple[str, str, list[str]]]:
    order = []
    for rater in situation.raters:
        for phase in ("reading", "scoring"):
            with database.read_only() as session:
                rows = session.exec(
                    select(Assignment)
                    .join(Membership, col(Membership.id) == Assignment.membership_id)
                    .join(Study, col(Study.id) == Assignment.study_id)
                    .where(
                        Membership.person_id == rater.person_id,
                        Assignment.phase == phase,
                        Study.key == situation.study_key,
                    )
                    .order_by(col(Assignment.position))
                ).all()
                prompts = [queries.shown_item(session, row.item_id).prompt for row in rows]
                order += [(phase, prompt, row.option_order) for prompt, row in zip(prompts, rows, strict=True)]
    return order


# ---- through the server ----------------------------------------------------------------------------------------------


def test_pages_routes_and_volumes_of_a_running_server_stay_the_same_byte_for_byte(marked: ServedStudy) -> None:
    cookies = marked.cookie(OBSERVED)
    database, rater = marked.study.database, marked.study.observed
    instructions.acknowledge_instructions(database, rater, STUDY, "reading")
    before = _sent_to(marked, cookies)

    changed = change_everything_but(database, SHOWN_IN["reading"] | {"person.name"})

    assert _sent_to(marked, cookies) == before
    assert {"reference.accepted", "verdict.fields", "study_case.subject", "person.login"} <= set(changed)


def _sent_to(marked: ServedStudy, cookies: dict[str, str]) -> list[bytes]:
    """Return what the server sends to a signed-in rater: pages, a refusal with the next item, scans, all headers."""
    sent = [
        part
        for page, query in (("", ""), ("reading", f"study={STUDY}"), ("reading", f"study={STUDY}&phase=scoring"))
        for part in drawn(run_page(marked.server, cookies, page, query))
    ]
    payload = next(json.loads(content) for content in map(_payload_in, sent) if content)
    with client(marked.server, cookies) as rater:
        answers = [
            rater.post("/reading/verdict", json={**_handed_in(payload), "key": "no key of ours"}),
            rater.post("/reading/draft", json={"assignment": "nobody's", "sequence": 1, "answers": {}}),
            rater.get("/reading/volume/none"),
            *[rater.get(f"/{url}") for url in _urls(payload)],
        ]
    assert [answer.status_code for answer in answers[:4]] == [409, 404, 404, 200]
    for answer in answers:
        headers = sorted((name, value) for name, value in answer.headers.multi_items() if name != "date")
        sent += [repr(headers).encode(), answer.content]
    return sent


def _payload_in(element: bytes) -> str:
    """Return the payload that an element of the reading room carries, or nothing."""
    drawn_element = Delta.FromString(element).new_element
    if not drawn_element.HasField("bidi_component"):
        return ""
    return json.dumps(json.loads(drawn_element.bidi_component.json)["payload"])


def _handed_in(payload: dict[str, Any]) -> dict[str, Any]:
    return {"assignment": payload["assignment"], "answers": {"fields": {}, "not_assessable": "quality"}}


def _urls(payload: dict[str, Any]) -> list[str]:
    shown = [volume["url"] for pane in payload["images"]["panes"] for volume in pane["volumes"]]
    return shown + payload["prefetch"]
