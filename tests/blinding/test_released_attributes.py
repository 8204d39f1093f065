"""Attributes that a phase names in `shows` stand on its screen, typed and in words; no byte depends on the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from db import Assignment, Candidate, Case, Database, Item, Study, queries
from db.base import stored_id
from exchange.refusal import InputRefused
from services.errors import Conflict, ReadsOpen
from services.reading import displaying, instructions, previewing, worklist
from services.studies import frozen_facts
from services.studies.folders import importing
from services.studies.freeze import freezing
from tests.blinding.columns import freeze_as_it_is_now, take_the_guards_away
from tests.blinding.test_listed_identity import payloads
from tests.listed_study import imported_listed, opened_listed, work_through, write_listed
from tests.room_study import change_item, rewrite, rows_of
from tests.situations import Situation, on_the_desk, owner_of, show, submit

ATTRIBUTES = """
blindread: 2
name: listed
title: Attributes on the screen
attributes:
  cases: {site: {type: choice, options: {a: Aachen, b: Bonn}}, scanned: date, hospital: text}
  items:
    {assessable: yes_no, tags: list, level: {type: ordinal, options: [low, high]},
     finding: {type: text, tells: reference}}
  candidates: {condition: {type: choice, options: {img: With the image, none: Without it}}, length: number}
"""
READ_AND_SCORE = f"""{ATTRIBUTES}phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt, options, site, assessable, tags, scanned]
    form: {{answer: as_item}}
  - key: score
    title: Scores
    question: Right?
    rates: candidates
    shows: [prompt, reference, candidate, condition, length, finding]
    form: {{verdict: correctness}}
    # What counts would be blind to what was shown of the same items before.
    counts: no
"""
VALUES: dict[str, dict[str, str]] = {
    "cases.csv": {"site": "Bonn", "scanned": "2024-06-01", "hospital": "Secret hospital"},
    "items.csv": {"assessable": "true", "tags": "mass|left", "level": "high", "finding": "Secret finding"},
    "candidates.csv": {"condition": "img", "length": "12.50"},
}


def with_values(folder: Path) -> None:
    """Give every case, item and candidate the same declared attributes."""
    for file, cells in VALUES.items():
        rewrite(folder / file, [row | cells for row in rows_of(folder / file)])


def facts_of(payload: dict[str, Any]) -> list[list[str]]:
    return list(payload["context"]["facts"])


def test_what_a_phase_names_stands_on_its_screen_in_words_and_nothing_else(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", READ_AND_SCORE, raters=1, changes=[with_values])

    seen = work_through(situation)

    read = [payload for payload in seen if payload["phase"] == "reading"]
    scored = [payload for payload in seen if payload["phase"] == "scoring"]
    assert all(
        facts_of(payload)
        == [["Site", "Bonn"], ["Scanned", "2024-06-01"], ["Assessable", "Yes"], ["Tags", "mass · left"]]
        for payload in read
    )
    named = [["Finding", "Secret finding"], ["Condition", "With the image"], ["Length", "12.5"]]
    assert all(facts_of(payload)[-3:] == named for payload in scored)
    assert len(read) == 6 and len(scored) == 6
    assert "Secret finding" not in repr(read) and "Secret hospital" not in repr(seen)


def test_a_label_stands_before_an_attribute_in_place_of_its_name(sqlite_database: Database, tmp_path: Path) -> None:
    labelled = READ_AND_SCORE.replace("assessable: yes_no", "assessable: {type: yes_no, label: MRI can be assessed}")
    situation = opened_listed(sqlite_database, tmp_path / "study", labelled, raters=1, changes=[with_values])

    read = [payload for payload in work_through(situation) if payload["phase"] == "reading"]

    assert all(facts_of(payload)[2] == ["MRI can be assessed", "Yes"] for payload in read)


def test_an_attribute_that_a_unit_does_not_have_has_no_line(sqlite_database: Database, tmp_path: Path) -> None:
    def without_site(folder: Path) -> None:
        rewrite(folder / "cases.csv", [row | {"site": ""} for row in rows_of(folder / "cases.csv")])

    situation = opened_listed(
        sqlite_database, tmp_path / "study", READ_AND_SCORE, raters=1, changes=[with_values, without_site]
    )

    labels = {name for payload in work_through(situation) for name, _ in facts_of(payload)}

    assert "Site" not in labels and "Assessable" in labels


def change_hidden(database: Database, shown: dict[type[Any], set[str]]) -> None:
    """Change every attribute that a phase does not name, and add one that nobody declared."""
    with database.engine.connect() as connection:
        take_the_guards_away(connection)
        connection.commit()
    with database.writing() as session:
        for table in (Case, Item, Candidate):
            for row in session.exec(select(table)):
                unchanged = {key: value for key, value in row.attributes.items() if key in shown.get(table, set())}
                changed = {key: f"~{value}~" for key, value in row.attributes.items() if key not in unchanged}
                row.attributes = {**changed, "undeclared": "hidden", **unchanged}
                session.add(row)
        freeze_as_it_is_now(session.connection())


@pytest.mark.parametrize(
    ("phase", "shown"),
    [
        ("read", {Case: {"site", "scanned"}, Item: {"assessable", "tags"}}),
        ("score", {Item: {"finding"}, Candidate: {"condition", "length"}}),
    ],
    ids=["read", "score"],
)
def test_attributes_that_are_not_named_can_all_change_and_not_a_byte_does(
    database: Database, tmp_path: Path, phase: str, shown: dict[type[Any], set[str]]
) -> None:
    situation = opened_listed(database, tmp_path / "study", READ_AND_SCORE, changes=[with_values])
    if phase == "score":
        work_through(situation)
    before = payloads(situation, phase)

    change_hidden(database, shown)

    assert payloads(situation, phase) == before


def test_an_attribute_that_is_named_does_change_the_screen(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_AND_SCORE, changes=[with_values])
    before = payloads(situation, "read")

    change_hidden(sqlite_database, {Case: {"site", "scanned"}, Item: {"assessable"}})

    assert payloads(situation, "read") != before


SORT_THEN_READ = f"""{ATTRIBUTES}phases:
  - key: sort
    rates: items
    from: {{where: {{format: open}}}}
    shows: [prompt, THING]
    form: {{seen: yes_no}}
    opens: {{at_once: yes}}
  - key: read
    rates: items
    from: {{where: {{format: yes_no}}}}
    shows: [scans, prompt, options]
    form: {{answer: as_item}}
    opens: {{at_once: yes}}
"""


def frozen(database: Database, folder: Path, protocol: str) -> Situation:
    situation = imported_listed(database, write_listed(folder, protocol, [with_values]), raters=1)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    return situation


def test_what_tells_the_reference_counts_as_the_reference_at_the_freeze(
    sqlite_database: Database, tmp_path: Path
) -> None:
    # Of subject 3 there is an open item and one that is answered by yes or no.
    with pytest.raises(Conflict) as refusal:
        frozen(sqlite_database, tmp_path / "study", SORT_THEN_READ.replace("THING", "finding"))

    assert str(refusal.value) == (
        "Phase 'sort' shows the reference ('finding') of 1 subject that the same people can still have to rate in "
        "phase 'read', which does not show it; let 'sort' open after 'read', or draw one of the two apart "
        "(sample.not_in)."
    )


def test_another_attribute_tells_of_its_unit_alone(sqlite_database: Database, tmp_path: Path) -> None:
    situation = frozen(sqlite_database, tmp_path / "study", SORT_THEN_READ.replace("THING", "level"))

    assert [desk.waits_for for desk in worklist.desks_of(sqlite_database, situation.raters[0])] == ["", ""]


@pytest.mark.parametrize(
    ("shows", "says"),
    [
        ("years", "'years' describes raters"),
        ("length", "'length' describes candidates"),
        ("sight", "nearest: 'site'"),
    ],
)
def test_what_is_said_of_no_unit_of_the_phase_is_refused(
    sqlite_database: Database, tmp_path: Path, shows: str, says: str
) -> None:
    protocol = READ_AND_SCORE.replace("attributes:\n", "attributes:\n  raters: {years: number}\n", 1).replace(
        "options, site,", f"options, {shows},"
    )
    folder = write_listed(tmp_path / "study", protocol, [with_values])

    with pytest.raises(InputRefused, match=says):
        importing.import_study(sqlite_database, owner_of(sqlite_database), folder)


def test_an_admin_previews_what_a_phase_names_also_of_an_answer_and_what_tells_the_reference(
    sqlite_database: Database, tmp_path: Path
) -> None:
    scores = (
        READ_AND_SCORE[: READ_AND_SCORE.index("  - key: read")]
        + READ_AND_SCORE[READ_AND_SCORE.index("  - key: score") :]
    )
    scores = scores.replace("finding]", "finding, site]")
    situation = opened_listed(sqlite_database, tmp_path / "study", scores, raters=1, changes=[with_values])

    preview = dict(previewing.preview_item(sqlite_database, situation.admin, situation.study_key, "i2"))

    assert facts_of(preview)[-4:] == [
        ["Site", "Bonn"],
        ["Finding", "Secret finding"],
        ["Condition", "With the image"],
        ["Length", "12.5"],
    ]


def test_an_attribute_is_withheld_while_its_unit_is_open_in_a_phase_that_is_blind_to_it(
    sqlite_database: Database, tmp_path: Path
) -> None:
    twice = f"""{ATTRIBUTES}phases:
  - {{key: blind, rates: items, shows: [prompt], form: {{seen: yes_no}}}}
  - {{key: informed, rates: items, shows: [prompt, level], form: {{seen: yes_no}}}}
"""
    situation = opened_listed(sqlite_database, tmp_path / "study", twice, raters=1, changes=[with_values])
    rater = situation.raters[0]

    with sqlite_database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == situation.study_key)).one()
        waiting = list(session.exec(select(Assignment).where(Assignment.phase == "informed")))
        with pytest.raises(ReadsOpen):
            displaying.assignment_payload(session, rater, study, waiting, (0, len(waiting)))


def one_conversation(folder: Path) -> None:
    """Make the items i1 and i2, which are of two formats, two turns."""
    change_item(folder, "i1", conversation="talk", turn="1")
    change_item(folder, "i2", conversation="talk", turn="2")


RATE_AND_SCORE = f"""{ATTRIBUTES}phases:
  - key: rate
    rates: candidates
    from: {{where: {{RATED}}}}
    shows: [prompt, candidate, THING]
    form: {{good: yes_no}}
    opens: {{at_once: yes}}
  - key: score
    rates: candidates
    from: {{where: {{SCORED}}}}
    shows: [prompt, candidate]
    form: {{good: yes_no}}
    opens: {{at_once: yes}}
"""


@pytest.mark.parametrize(
    ("by", "thing", "told_of"),
    [
        (("model: model-a", "model: model-b"), "site", "'site' of 2 subjects"),
        (("model: model-a", "model: model-b"), "level", "'level' of 2 items"),
        # Of two turns of one conversation.
        (("format: yes_no", "format: choice"), "site", "'site' of 1 subject"),
        (("format: yes_no", "format: choice"), "level", "'level' of 1 item"),
    ],
)
def test_an_attribute_tells_at_the_freeze_of_all_that_its_table_is_about(
    sqlite_database: Database, tmp_path: Path, by: tuple[str, str], thing: str, told_of: str
) -> None:
    text = RATE_AND_SCORE.replace("RATED", by[0]).replace("SCORED", by[1]).replace("THING", thing)
    folder = write_listed(tmp_path / "study", text, [with_values, one_conversation])
    situation = imported_listed(sqlite_database, folder, raters=1)

    with pytest.raises(Conflict) as refusal:
        freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    assert f"Phase 'rate' shows {told_of} that the same people can still have to rate" in str(refusal.value)


def test_an_attribute_of_an_answer_tells_nothing_of_another_to_its_item(
    sqlite_database: Database, tmp_path: Path
) -> None:
    by_model = RATE_AND_SCORE.replace("RATED", "model: model-a").replace("SCORED", "model: model-b")

    situation = frozen(sqlite_database, tmp_path / "study", by_model.replace("THING", "condition"))

    assert [desk.waits_for for desk in worklist.desks_of(sqlite_database, situation.raters[0])] == ["", ""]


BLIND_THEN_INFORMED = f"""{ATTRIBUTES}phases:
  - {{key: blind, rates: items, shows: [prompt], form: {{seen: yes_no}}, order: as_listed}}
  - {{key: informed, rates: candidates, shows: [prompt, candidate, THING], form: {{good: yes_no}}}}
"""


@pytest.mark.parametrize(
    ("thing", "withheld"),
    [("site", {"i5"}), ("level", set())],
    ids=["of a case, while anything of its subject is open", "of an item, while anything of it is open"],
)
def test_an_attribute_is_withheld_as_far_as_its_table_tells(
    database: Database, tmp_path: Path, thing: str, withheld: set[str]
) -> None:
    text = BLIND_THEN_INFORMED.replace("THING", thing)
    situation = opened_listed(database, tmp_path / "study", text, raters=1, changes=[with_values])
    (rater,) = situation.raters
    instructions.acknowledge_instructions(database, rater, situation.study_key, "part-1")
    # All but i6, which is the last: of its subject is i5, too.
    for _ in range(5):
        payload = on_the_desk(situation, rater, "part-1")
        show(situation, rater, payload)
        submit(situation, rater, payload)

    with database.read_only() as session:
        study = session.exec(select(Study).where(Study.key == situation.study_key)).one()
        phases = frozen_facts.phases_of(session, stored_id(study.id))
        informed = session.exec(
            select(Assignment, Item.key)
            .join(Item, col(Item.id) == Assignment.item_id)
            .where(Assignment.phase == "informed")
        ).all()
        refused = {
            item
            for assignment, item in informed
            for known in phases.blind_to(phases.named("informed"))
            if thing in known.things
            and queries.has_open_about(session, assignment.membership_id, known.blind, assignment, known.reach)
        }

    assert refused == withheld


LOOK_AND_READ = f"""{ATTRIBUTES}phases:
  - key: look
    rates: items
    from: {{where: {{format: open, finding: Secret finding}}}}
    shows: [prompt]
    form: {{seen: yes_no}}
    opens: {{OPENS}}
  - key: read
    rates: items
    from: {{where: {{format: yes_no}}}}
    shows: [scans, prompt, options]
    form: {{answer: as_item}}
    order: as_listed
"""


def test_what_units_have_in_common_counts_as_the_reference_at_the_freeze(
    sqlite_database: Database, tmp_path: Path
) -> None:
    with pytest.raises(Conflict) as refusal:
        frozen(sqlite_database, tmp_path / "study", LOOK_AND_READ.replace("OPENS", "at_once: yes"))

    assert str(refusal.value).startswith(
        "Phase 'look' tells the reference ('finding') of 1 subject that the same people can still have to rate in "
        "phase 'read'"
    )


def test_units_that_have_the_reference_in_common_are_withheld_while_anything_of_their_subject_is_open(
    database: Database, tmp_path: Path
) -> None:
    head, look, read = LOOK_AND_READ.partition("  - key: look")[0], *LOOK_AND_READ.split("  - key: ")[1:]
    text = f"{head}  - key: {read}  - key: {look.replace('OPENS', 'after: read')}"
    situation = opened_listed(database, tmp_path / "study", text, raters=1, changes=[with_values])
    (rater,) = situation.raters
    with database.read_only() as session:
        assignment = session.exec(select(Assignment).where(Assignment.phase == "look")).one()
        phases = frozen_facts.phases_of(session, assignment.study_id)
        (known,) = phases.blind_to(phases.named("look"))

    withheld = []
    instructions.acknowledge_instructions(database, rater, situation.study_key, "part-1")
    # The last of three is i6, of the subject of the item that is looked at.
    for _ in range(3):
        payload = on_the_desk(situation, rater, "part-1")
        show(situation, rater, payload)
        submit(situation, rater, payload)
        with database.read_only() as session:
            of = (assignment.membership_id, known.blind, assignment, known.reach)
            withheld.append(queries.has_open_about(session, *of))

    assert withheld == [True, True, False]
