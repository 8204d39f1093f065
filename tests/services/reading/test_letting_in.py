"""Which units follow from answers: shares and controls, candidates, differing answers, whole conversations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import text

from db import Database
from services.errors import Conflict
from services.studies.freeze import freezing
from tests.following_study import (
    READ_THEN_RESOLVE,
    flagging,
    opened_following,
    plain,
    read_through,
    units_in,
)
from tests.listed_study import imported_listed, write_listed
from tests.room_study import with_conversation
from tests.services.reading.units_drawn import closings, drawn
from tests.situations import on_the_desk, show, submit

SHARE = READ_THEN_RESOLVE.replace(
    "let_in: [flagged, not_assessable, {answered: findings}]}", "let_in: [flagged], controls: 2, sample: {size: 50 %}}"
)


def test_a_share_of_what_was_flagged_and_so_many_others_are_drawn_with_their_chances(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study", SHARE)
    for reader in situation.raters[:2]:
        read_through(situation, reader, dict.fromkeys(("i1", "i2"), flagging))

    chances = sorted(drawn(sqlite_database).values())

    assert chances == [("all", 0.5), ("controls", 0.5), ("controls", 0.5)]
    (closing,) = closings(sqlite_database)
    manifest = json.loads(closing.manifest_json)["resolve"]
    assert [(row["stratum"], row["available"], row["drawn"]) for row in manifest["strata"]] == [
        ("all", 2, 1), ("controls", 4, 2),
    ]  # fmt: skip
    # Why an item is there stands in no payload.
    for payload in read_through(situation, situation.raters[2]):
        assert "control" not in json.dumps({**payload, "form": None}).lower()


def test_candidates_follow_from_the_answers_to_their_items(sqlite_database: Database, tmp_path: Path) -> None:
    score = """
  - key: score
    rates: candidates
    from: {phase: secret_arm, where: {secret_arm.answer: [left, none]}}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: curators
"""
    situation = opened_following(
        sqlite_database, tmp_path / "study", READ_THEN_RESOLVE[: READ_THEN_RESOLVE.index("  - key: resolve")] + score
    )
    first, second, curator = situation.raters
    read_through(situation, first)
    # Both said "left" of i2; of i4 they differ, so that it has become nothing.
    read_through(situation, second, {"i4": lambda payload: plain(payload) | {"fields": {"answer": "both"}}})

    assert units_in(situation, "score", curator) == {"k3", "k4"}


def test_items_on_which_answers_differ_go_to_somebody_who_did_not_answer_them(
    sqlite_database: Database, tmp_path: Path
) -> None:
    third = (
        READ_THEN_RESOLVE.replace("groups: {readers: Readers, curators: Curators}\n", "groups: {readers: Readers}\n")
        .replace("    by: readers\n", "    by: {per_unit: 2}\n")
        .replace("    by: curators\n", "    by: {per_unit: 1, not_in: secret_arm}\n")
        .replace("let_in: [flagged, not_assessable, {answered: findings}]", "let_in: [differs]")
    )
    situation = opened_following(sqlite_database, tmp_path / "study", third, groups=("readers",) * 3)
    for number, reader in enumerate(situation.raters):
        read_through(
            situation, reader, {"i5": lambda payload, n=number: plain(payload) | {"fields": {"answer": f"{n}"}}}
        )

    by_reader = {reader: units_in(situation, "resolve", reader) for reader in situation.raters}

    assert sorted(by_reader.values(), key=len) == [set(), set(), {"i5"}]
    (reader,) = [reader for reader, units in by_reader.items() if units]
    assert "i5" not in units_in(situation, "secret_arm", reader)


def test_the_turns_of_a_conversation_are_let_in_together(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_following(sqlite_database, tmp_path / "study", changes=[with_conversation])
    with sqlite_database.read_only() as session:
        rows = session.connection().execute(text("SELECT key, conversation FROM item WHERE conversation IS NOT NULL"))
        turns = {key for key, _ in rows}
    assert len(turns) > 1

    for reader in situation.raters[:2]:
        for payload in iter(lambda r=reader: on_the_desk(situation, r, "part-1"), None):
            if payload["kind"] == "done":
                break
            show(situation, reader, payload)
            later = bool(payload["turns"])
            submit(situation, reader, payload, flagging(payload) if later else plain(payload))

    assert units_in(situation, "resolve", situation.raters[2]) == turns


def refusal_of_the_freeze(database: Database, folder: Path, protocol: str, *changes: object) -> str:
    situation = imported_listed(database, write_listed(folder, protocol, changes), groups=("readers", "curators"))
    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(database, situation.admin, situation.study_key)
    return str(refusal.value)


@pytest.mark.parametrize(
    ("changed", "to", "says"),
    [
        ("findings}]}", "findings}], sample: {size: 7}}", "sample.size: 7 units are wanted, but only 6"),
        ("findings}]}", "findings}], where: {category: sides}}", "no unit has category 'sides'"),
        ("by: curators", "by: {groups: curators, per_unit: 2}", "Phase 'resolve' needs 2 people per unit"),
    ],
)  # fmt: skip
def test_what_could_never_be_drawn_is_refused_at_the_freeze(
    sqlite_database: Database, tmp_path: Path, changed: str, to: str, says: str
) -> None:
    protocol = READ_THEN_RESOLVE.replace(changed, to)

    assert says in refusal_of_the_freeze(sqlite_database, tmp_path / "study", protocol)


def test_a_sample_that_could_tear_a_conversation_is_refused_at_the_freeze(
    sqlite_database: Database, tmp_path: Path
) -> None:
    said = refusal_of_the_freeze(sqlite_database, tmp_path / "study", SHARE, with_conversation)

    assert "Phase 'resolve' draws a sample of what is let in, which could split 1 conversation(s)" in said
