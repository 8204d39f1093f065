"""Units that follow from answers: neither why they are there nor who said what of them is in any byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlmodel import col, select

from db import Assignment, Database, Membership, Study, Verdict
from services.reading import displaying, worklist
from tests.blinding.columns import COMMON, OF_THE_ITEM, OF_THE_OPINIONS, OF_THE_REFERENCE, change_everything_but
from tests.blinding.test_listed_identity import payloads
from tests.following_study import (
    READ_THEN_RESOLVE,
    flagging,
    not_assessable,
    opened_following,
    plain,
    read_through,
    units_in,
)
from tests.situations import Situation

# In which group somebody is, and what is closed, say which of their parts are there and open.
STANDING = COMMON | {"membership.group_key", "acknowledgement.group_key", "phase_closing.phase"}
SHOWN = STANDING | OF_THE_ITEM | OF_THE_REFERENCE | OF_THE_OPINIONS
SHOWN -= {"study_case.vignette", "study_case.age", "item.form", "review_task.opinion_order"}
FROM_WORDS = READ_THEN_RESOLVE.replace("[scans, prompt, options, reference, opinions]", "[prompt, reference, opinions]")
WITHOUT_REFERENCE = READ_THEN_RESOLVE.replace(
    "[scans, prompt, options, reference, opinions]", "[scans, prompt, options, opinions]"
)
WITHOUT_OPINIONS = READ_THEN_RESOLVE.replace(
    "[scans, prompt, options, reference, opinions]", "[scans, prompt, options]"
).replace("{what: {type: resolution}}", "{answer: as_item}")
CASES = [
    (READ_THEN_RESOLVE, SHOWN),
    (FROM_WORDS, STANDING | {"item.prompt", "item.options"} | OF_THE_REFERENCE | OF_THE_OPINIONS),
    (WITHOUT_REFERENCE, SHOWN - OF_THE_REFERENCE),
    (WITHOUT_OPINIONS, SHOWN - OF_THE_REFERENCE - OF_THE_OPINIONS),
]


def opened_and_read(database: Database, folder: Path, protocol: str = READ_THEN_RESOLVE) -> Situation:
    """Return a study that is read, by readers of whom one flags; the curator comes first among its raters."""
    situation = opened_following(database, folder, protocol)
    first, second, curator = situation.raters
    read_through(situation, first, {"i1": flagging, "i2": lambda payload: plain(payload, findings="Wrong side.")})
    read_through(situation, second, {"i1": not_assessable, "i2": flagging})
    return Situation(database, situation.study_key, situation.admin, (curator, first, second), curator)


@pytest.mark.parametrize(
    ("protocol", "shown"), CASES, ids=["beside scans", "from words", "without reference", "without opinions"]
)
def test_hidden_values_can_all_change_and_not_a_byte_of_what_follows_does(
    database: Database, tmp_path: Path, protocol: str, shown: frozenset[str]
) -> None:
    situation = opened_and_read(database, tmp_path / "study", protocol)
    before = payloads(situation, "resolve")

    changed = change_everything_but(database, shown)

    assert payloads(situation, "resolve") == before
    hidden = {
        *("flag.kind", "flag.note", "freeze_item.stratum", "freeze_item.phase", "phase_closing.manifest_json"),
        *("membership.pseudonym", "person.name", "verdict.receipt", "study_case.subject", "item.category"),
    }
    assert hidden <= set(changed)


def test_who_said_what_can_be_exchanged_and_not_a_byte_changes(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_and_read(sqlite_database, tmp_path / "study")
    before = payloads(situation, "resolve")

    with sqlite_database.engine.begin() as connection:
        first, second = connection.exec_driver_sql(
            "SELECT id FROM membership WHERE group_key = 'readers' ORDER BY id"
        ).scalars()
        exchanged = connection.exec_driver_sql(
            f"UPDATE assignment SET membership_id = {second}, pass_number = 2 WHERE membership_id = {first}"
        ).rowcount
        connection.exec_driver_sql(
            f"UPDATE assignment SET membership_id = {first} WHERE membership_id = {second} AND pass_number = 1"
        )
        connection.exec_driver_sql("UPDATE assignment SET pass_number = 1")
    assert exchanged == 6

    assert payloads(situation, "resolve") == before


def test_opinions_come_in_an_order_that_differs_from_item_to_item(sqlite_database: Database, tmp_path: Path) -> None:
    everything = READ_THEN_RESOLVE.replace("let_in: [flagged, not_assessable, {answered: findings}]", "let_in: flagged")
    groups = ("readers",) * 4 + ("curators",)
    situation = opened_following(sqlite_database, tmp_path / "study", everything, groups)
    for reader in situation.raters[:4]:
        read_through(situation, reader, {f"i{number}": flagging for number in range(1, 7)})

    with sqlite_database.read_only() as session:
        member_of = dict(
            session.exec(
                select(Verdict.id, Assignment.membership_id).join(
                    Assignment, col(Assignment.id) == Verdict.assignment_id
                )
            ).all()
        )
        orders = [
            tuple(member_of[verdict] for verdict in row.opinion_order)
            for row in session.exec(select(Assignment).where(Assignment.phase == "resolve"))
        ]

    assert len(orders) == 6
    assert all(len(set(order)) == 4 for order in orders)
    assert len(set(orders)) > 1


def test_opinions_are_letters_without_names_flags_or_receipts(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_and_read(sqlite_database, tmp_path / "study")

    seen = {payload["prompt"]: payload for payload in read_through(situation, situation.raters[0])}

    assert set(seen) == {"Prompt of i1?", "Prompt of i2?"}
    first = seen["Prompt of i1?"]
    assert [opinion["name"] for opinion in first["opinions"]] == ["A", "B"]
    assert sorted(opinion["lines"] for opinion in first["opinions"]) == [
        [["Answer", "Yes"]], [["Not assessable", "Image quality"]],
    ]  # fmt: skip
    with sqlite_database.read_only() as session:
        receipts = list(session.exec(select(Verdict.receipt)))
    sent = json.dumps(list(seen.values()))
    for hidden in ("Rater 1", "rater-1", "Which side?", "secret_arm", *receipts):
        assert hidden not in sent


def test_nobody_sees_opinions_before_the_phase_they_come_from_is_closed(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study")
    first, second, curator = situation.raters
    read_through(situation, first, {"i1": flagging})

    with sqlite_database.read_only() as session:
        assert session.exec(select(Assignment).where(Assignment.phase == "resolve")).all() == []
    assert all(desk.waits_for for desk in worklist.desks_of(sqlite_database, curator))
    assert units_in(situation, "resolve", second) == set()


def test_opinions_and_reference_are_withheld_while_their_own_read_of_the_item_is_open(
    sqlite_database: Database, tmp_path: Path
) -> None:
    own = """
  - key: alone
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: curators
    opens: {at_once: yes}
"""
    at = READ_THEN_RESOLVE.index("  - key: resolve")
    protocol = READ_THEN_RESOLVE[:at] + own.removeprefix("\n") + READ_THEN_RESOLVE[at:]
    situation = opened_following(sqlite_database, tmp_path / "study", protocol)
    curator = situation.raters[2]
    for reader in situation.raters[:2]:
        read_through(situation, reader, {"i1": flagging})

    waits = [bool(desk.waits_for) for desk in worklist.desks_of(sqlite_database, curator)]
    with sqlite_database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == "listed")).one()
        waiting = session.exec(
            select(Assignment)
            .join(Membership, col(Membership.id) == Assignment.membership_id)
            .where(Membership.person_id == curator.person_id, Assignment.phase == "resolve")
        ).all()
        with pytest.raises(Exception, match="opens once everything that comes before it is done"):
            displaying.assignment_payload(session, curator, study, list(waiting), (0, len(waiting)))

    assert waits == [False, True]
