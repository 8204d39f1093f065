"""A frozen study with verdicts gets a version: what is new is dealt, and nothing that was there moves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import event, func
from sqlmodel import col, select

from db import (
    Assignment,
    AuditEvent,
    Database,
    Freeze,
    FreezeItem,
    Item,
    Membership,
    StudyVersion,
    Verdict,
    WithdrawnUnit,
)
from services.errors import Conflict, NotOnTheDesk
from services.people.identity import Actor
from services.progress import data_lock, outstanding, overview
from services.reading import instructions, worklist
from services.reading.member_progress import progress_of_members
from services.record import verification
from services.studies.freeze import thawing
from services.studies.membership import members
from services.studies.versions import making, stored
from tests.following_study import plain
from tests.listed_study import SCORE_ALONE
from tests.situations import Situation, at_once, on_the_desk, show, submit
from tests.versioned_study import (
    READS,
    REASON,
    changed_cell,
    corrected_prompt,
    new_version,
    one_more_case,
    opened_for_versions,
    read,
)

REFERENCES = """
blindread: 2
name: listed
title: References
phases:
  - key: reference
    question: Is it specific?
    rates: references
    shows: [prompt, reference]
    form: {specific: yes_no}
"""


class KilledError(Exception):
    """The program ends at this statement."""


def past_the_program(database: Database, statement: str) -> None:
    """Change a row in spite of what refuses it, as somebody can who may write the file."""
    table = statement.removeprefix("UPDATE ").removeprefix("DELETE FROM ").split()[0]
    with database.engine.begin() as connection:
        for change in ("update", "delete"):
            connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {table}_no_{change}")
        connection.exec_driver_sql(statement)


def dealt(situation: Situation) -> list[tuple[str, int, str]]:
    """Return pseudonym, position and item of all that was dealt, oldest first."""
    with situation.database.read_only() as session:
        rows = session.exec(
            select(Membership.pseudonym, Assignment.position, Item.key)
            .join(Assignment, col(Assignment.membership_id) == Membership.id)
            .join(Item, col(Item.id) == Assignment.item_id)
            .order_by(col(Assignment.id))
        )
        return [tuple(row) for row in rows]


def begun(database: Database, folder: Path) -> Situation:
    """Return the study with the first rater done, and the second at the beginning."""
    situation = opened_for_versions(database, folder)
    for rater in situation.raters:
        instructions.acknowledge_instructions(database, rater, "listed", "part-1")
    read(situation, 0)
    return situation


def progress(situation: Situation, who: Actor) -> tuple[int, int]:
    """Return what a rater's worklist says of the reads: how many are done, and how many there are."""
    (shown,) = worklist.desks_of(situation.database, who)
    return shown.done, shown.total


def test_what_is_added_and_corrected_is_dealt_beside_what_is_left(database: Database, tmp_path: Path) -> None:
    situation = begun(database, tmp_path / "study")
    before = dealt(situation)

    difference = new_version(situation, tmp_path / "study", corrected_prompt, one_more_case)

    assert difference.version == 2
    assert dealt(situation)[: len(before)] == before
    assert [row[2] for row in dealt(situation)[len(before) :]] == ["i1.v2", "i7"] * 2
    assert read(situation, 0) == ["Is there a lesion?", "Prompt of i7?"]
    # What was corrected before they came to it is not read as it was.
    assert read(situation, 1) == [
        *(f"Prompt of {key}?" for key in ("i2", "i3", "i4", "i5", "i6")), "Is there a lesion?", "Prompt of i7?",
    ]  # fmt: skip
    assert verification.verify_study(database, "listed") == []


def test_a_version_names_the_one_before_and_leaves_its_bytes(sqlite_database: Database, tmp_path: Path) -> None:
    situation = begun(sqlite_database, tmp_path / "study")
    with sqlite_database.read_only() as session:
        first = session.exec(select(Freeze.manifest_json, Freeze.sha256)).one()

    new_version(situation, tmp_path / "study", corrected_prompt)

    with sqlite_database.read_only() as session:
        assert session.exec(select(Freeze.manifest_json, Freeze.sha256)).one() == first
        second = session.exec(select(StudyVersion)).one()
        hashes = session.exec(select(Verdict.freeze_sha256).distinct()).all()
    manifest = json.loads(second.manifest_json)
    assert (manifest["version"], manifest["follows"], manifest["reason"]) == (2, first[1], REASON)
    assert manifest["changes"][0] == {
        "what": "item", "key": "i1", "how": "corrected", "parts": ["prompt"], "stored_as": "i1.v2",
    }  # fmt: skip
    assert list(hashes) == [first[1]]


def test_who_joins_later_gets_what_is_current_in_one_order(sqlite_database: Database, tmp_path: Path) -> None:
    situation = begun(sqlite_database, tmp_path / "study")
    new_version(situation, tmp_path / "study", corrected_prompt, one_more_case)
    before = len(dealt(situation))

    members.invite(sqlite_database, situation.admin, "listed", "rater-3", "Rater 3", "rater")

    assert [row[1:] for row in dealt(situation)[before:]] == [
        (1, "i2"), (2, "i3"), (3, "i4"), (4, "i5"), (5, "i6"), (6, "i1.v2"), (7, "i7"),
    ]  # fmt: skip


def test_a_third_version_goes_on_from_the_second(sqlite_database: Database, tmp_path: Path) -> None:
    situation = begun(sqlite_database, tmp_path / "study")
    folder = tmp_path / "study"
    new_version(situation, folder, corrected_prompt, one_more_case)

    third = new_version(situation, folder, changed_cell("items.csv", "i1", "prompt", "Is there any lesion?"))

    assert third.changes == ("Item 'i1': prompt is corrected; it is new as 'i1.v3'.",)
    assert read(situation, 0) == ["Prompt of i7?", "Is there any lesion?"]
    assert [version.number for version in stored.versions_of(sqlite_database, situation.admin, "listed")] == [1, 2, 3]
    assert verification.verify_study(sqlite_database, "listed") == []


def test_nothing_is_written_by_looking_at_the_difference(sqlite_database: Database, tmp_path: Path) -> None:
    situation = begun(sqlite_database, tmp_path / "study")
    corrected_prompt(tmp_path / "study")
    one_more_case(tmp_path / "study")
    with sqlite_database.engine.connect() as connection:
        before = list(connection.connection.driver_connection.iterdump())

    difference = making.difference_of(sqlite_database, situation.admin, "listed", tmp_path / "study")

    assert difference.changes[:3] == (
        "1 case added: c4.",
        "1 item added: i7.",
        "Item 'i1': prompt is corrected; it is new as 'i1.v2'.",
    )
    assert difference.rated == ("“Reads” rates 1 added and 1 corrected.",)
    assert difference.texts == ("Prompt of item 'i1' said “Prompt of i1?”, and says “Is there a lesion?”.",)
    with sqlite_database.engine.connect() as connection:
        assert list(connection.connection.driver_connection.iterdump()) == before


def test_a_version_that_is_killed_at_any_insert_leaves_nothing(sqlite_database: Database, tmp_path: Path) -> None:
    situation = begun(sqlite_database, tmp_path / "study")
    corrected_prompt(tmp_path / "study")
    one_more_case(tmp_path / "study")

    def stored_rows() -> dict[str, int]:
        with sqlite_database.read_only() as session:
            tables = (Assignment, FreezeItem, Item, StudyVersion, WithdrawnUnit, AuditEvent)
            return {str(name): session.exec(select(func.count()).select_from(name)).one() for name in tables}

    before, killed = stored_rows(), 0
    while True:
        left = [killed]

        def kill(_connection: object, _cursor: object, statement: str, *_rest: object, left: list[int] = left) -> None:
            if statement.startswith("INSERT"):
                left[0] -= 1
                if left[0] < 0:
                    raise KilledError

        event.listen(sqlite_database.engine, "before_cursor_execute", kill)
        try:
            making.make_version(sqlite_database, situation.admin, "listed", tmp_path / "study", REASON)
            break
        except KilledError:
            assert stored_rows() == before, f"killed at insert {killed}"
        finally:
            event.remove(sqlite_database.engine, "before_cursor_execute", kill)
        killed += 1

    assert killed > 10
    assert verification.verify_study(sqlite_database, "listed") == []


def test_of_two_at_once_one_makes_the_version(database: Database, tmp_path: Path) -> None:
    situation = begun(database, tmp_path / "study")
    corrected_prompt(tmp_path / "study")

    def make() -> object:
        try:
            return making.make_version(database, situation.admin, "listed", tmp_path / "study", REASON).version
        except Conflict as refusal:
            return str(refusal)

    results = at_once(make, make)

    assert 2 in results
    # The other one came while it was made, or found what it wanted to say.
    assert any(str(each).startswith(("Somebody joined", "The folder says what version 2")) for each in results)
    with database.read_only() as session:
        assert session.exec(select(func.count()).select_from(StudyVersion)).one() == 1
    assert verification.verify_study(database, "listed") == []


def test_what_is_on_a_screen_when_it_is_corrected_is_too_late(sqlite_database: Database, tmp_path: Path) -> None:
    situation = begun(sqlite_database, tmp_path / "study")
    rater = situation.raters[1]
    payload = on_the_desk(situation, rater, "part-1")
    show(situation, rater, payload)
    new_version(situation, tmp_path / "study", corrected_prompt)

    with pytest.raises(NotOnTheDesk, match="corrected in a new version of the study before your answer was saved"):
        submit(situation, rater, payload, plain(payload))

    assert on_the_desk(situation, rater, "part-1")["prompt"] == "Prompt of i2?"


def test_progress_counts_a_corrected_unit_once_unless_it_was_answered_before(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = begun(sqlite_database, tmp_path / "study")
    reader, other = situation.raters
    assert progress(situation, reader) == (6, 6)

    new_version(situation, tmp_path / "study", corrected_prompt)

    assert progress(situation, reader) == (6, 7)
    assert progress(situation, other) == (0, 6)
    assert [(line.done, line.total) for line in progress_of_members(sqlite_database, situation.admin, "listed")] == [
        (6, 7),
        (0, 6),
    ]
    of_study = [piece.sentence for piece in outstanding.open_work_of(sqlite_database, situation.admin, "listed")]
    assert of_study == [
        "Rater 1: 1 of 7 items without a verdict in “Reads”",
        "Rater 2: 6 of 6 items without a verdict in “Reads”",
    ]
    in_short = overview.overview_of(sqlite_database, situation.admin, "listed")
    assert (in_short.done, in_short.total) == (6, 13)


def test_a_study_with_a_version_is_not_thawed(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study")
    new_version(situation, tmp_path / "study", corrected_prompt)

    with pytest.raises(Conflict, match="cannot be thawed: a version of it was made"):
        thawing.thaw_study(sqlite_database, situation.admin, "listed", "Back to a draft.")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE study_version SET reason = 'Another reason.'", "Table study_version, number 1: changed since"),
        ("UPDATE study_version SET sha256 = '00'", "The versions are not those that the audit chain says were made."),
        ("UPDATE study_version SET manifest_json = '{}'", "does not have the SHA-256"),
        ("DELETE FROM withdrawn_unit", "Table withdrawn_unit, number 1"),
        ("UPDATE item SET prompt = 'Another?' WHERE key = 'i1.v2'", "Changed since version 2: items i1.v2."),
        ("UPDATE item SET prompt = 'Another?' WHERE key = 'i2'", "Changed since the freeze: items i2."),
    ],
)
def test_the_verification_notices_what_is_changed_past_the_program(
    sqlite_database: Database, tmp_path: Path, change: str, says: str
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    new_version(situation, tmp_path / "study", corrected_prompt)

    past_the_program(sqlite_database, change)

    problems = verification.verify_study(sqlite_database, "listed")
    assert any(says in problem for problem in problems), problems


def test_a_corrected_unit_goes_to_the_slots_of_what_it_replaces(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(
        sqlite_database, tmp_path / "study", READS.replace("order: as_listed", "by: {per_unit: 1}"), raters=3
    )

    def slots_of(item: str) -> list[str]:
        with sqlite_database.read_only() as session:
            units = select(FreezeItem.slots).join(Item, col(Item.id) == FreezeItem.item_id).where(Item.key == item)
            return session.exec(units).one()

    new_version(situation, tmp_path / "study", corrected_prompt, one_more_case)

    assert slots_of("i1.v2") == slots_of("i1")
    assert len(slots_of("i7")) == 1
    # The item that was dealt and the one that replaces it are one rater's.
    assert len({row[0] for row in dealt(situation) if row[2] in ("i1", "i1.v2")}) == 1
    assert verification.verify_study(sqlite_database, "listed") == []


def test_more_people_are_planned_who_get_what_comes_anew(sqlite_database: Database, tmp_path: Path) -> None:
    planned = "groups: {readers: {title: Readers, people: 1}}\nphases:"
    dealt_out = READS.replace("order: as_listed", "by: {groups: readers, per_unit: 1}").replace("phases:", planned)
    situation = opened_for_versions(sqlite_database, tmp_path / "study", dealt_out, ("readers",), raters=1)
    protocol = tmp_path / "study" / "protocol.yaml"
    protocol.write_text(protocol.read_text("utf-8").replace("people: 1", "people: 2"), "utf-8")

    difference = new_version(
        situation, tmp_path / "study", one_more_case, lambda folder: one_more_case(folder, "c5", "i8", "subject-5")
    )
    members.invite(sqlite_database, situation.admin, "listed", "rater-2", "Rater 2", "rater", group="readers")

    assert difference.changes[0] == "Group 'readers': planned people (1 to 2) changed."
    assert [row[2] for row in dealt(situation) if row[0] == "Rater 2"] in (["i7"], ["i8"])
    assert verification.verify_study(sqlite_database, "listed") == []


def test_a_sample_of_a_fixed_size_takes_nothing_more(sqlite_database: Database, tmp_path: Path) -> None:
    drawn = READS.replace("rates: items", "rates: items\n    from: {sample: {size: 6}}")
    situation = opened_for_versions(sqlite_database, tmp_path / "study", drawn, raters=1)

    difference = new_version(situation, tmp_path / "study", corrected_prompt, one_more_case)

    assert difference.rated == (
        "“Reads” rates 1 corrected.",
        (
            "Phase 'read' draws a sample of a fixed size or with limits, which is already complete: 1 added unit is "
            "not rated."
        ),
    )
    with sqlite_database.read_only() as session:
        drawn_in = session.exec(
            select(Item.key, FreezeItem.inclusion_probability)
            .join(FreezeItem, col(FreezeItem.item_id) == Item.id)
            .where(FreezeItem.version == 2)
        ).all()
    assert [tuple(row) for row in drawn_in] == [("i1.v2", 1.0)]


def one_more_case_without_items(folder: Path) -> None:
    """Add a case with a scan, about which nothing is asked."""
    one_more_case(folder)
    for table in ("items.csv", "references.csv", "candidates.csv"):
        lines = (folder / table).read_text("utf-8").splitlines()
        (folder / table).write_text("\n".join(line for line in lines if "i7" not in line) + "\n", "utf-8")


@pytest.mark.parametrize(
    ("protocol", "added"),
    [
        pytest.param(
            READS.replace("rates: items", "rates: items\n    from: {sample: {size: 6}}"), one_more_case, id="not drawn"
        ),
        pytest.param(READS, one_more_case_without_items, id="without items"),
    ],
)
def test_a_case_that_no_phase_draws_does_not_prevent_a_further_version(
    sqlite_database: Database, tmp_path: Path, protocol: str, added: Callable[[Path], None]
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", protocol, raters=1)
    new_version(situation, tmp_path / "study", corrected_prompt, added)

    difference = new_version(
        situation, tmp_path / "study", changed_cell("items.csv", "i2", "prompt", "Is there really a lesion?")
    )

    assert difference.version == 3
    assert verification.verify_study(sqlite_database, "listed") == []


def test_a_scan_that_an_added_item_would_have_shown_is_still_refused(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    new_version(situation, tmp_path / "study", one_more_case)
    with (tmp_path / "study" / "volumes.csv").open("a", encoding="utf-8") as file:
        file.write("c4-t2,c4,current,T2,2024-06-01,volumes/c4-t1.nii.gz,T2\n")

    with pytest.raises(Conflict, match="Case 'c4' has a further volume, 'c4-t2', and was read without it"):
        new_version(situation, tmp_path / "study")


def test_what_was_corrected_in_an_answer_is_scored_anew(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", SCORE_ALONE, raters=1)
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", "part-1")
    assert len(read(situation, 0)) == 6

    difference = new_version(
        situation, tmp_path / "study", changed_cell("candidates.csv", "k3", "answer", "On the left side.")
    )

    assert difference.changes == ("Candidate 'k3': answer is corrected; it is new as 'k3.v2'.",)
    assert len(read(situation, 0)) == 1
    assert verification.verify_study(sqlite_database, "listed") == []
    [made] = [line for line in data_lock.events_of(sqlite_database, situation.admin, "listed") if line.reason]
    assert (made.kind, made.reason) == ("make version 2", REASON)


def test_a_reference_whose_prompt_was_corrected_is_judged_anew(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", REFERENCES, raters=1)
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", "part-1")
    before = len(read(situation, 0))

    new_version(situation, tmp_path / "study", corrected_prompt, one_more_case)

    assert before == 6 and len(read(situation, 0)) == 2
    assert verification.verify_study(sqlite_database, "listed") == []


def test_versions_say_what_a_corrected_prompt_said_before(sqlite_database: Database, tmp_path: Path) -> None:
    situation = begun(sqlite_database, tmp_path / "study")
    new_version(situation, tmp_path / "study", corrected_prompt)
    new_version(situation, tmp_path / "study", changed_cell("items.csv", "i1", "prompt", "Is there a cyst?"))

    first, second, third = stored.versions_of(sqlite_database, situation.admin, "listed")

    (before,) = [text.partition("”, and says “")[2] for text in second.texts]
    assert (first.texts, before) == ((), "Is there a lesion?”.")
    assert third.texts == ("Prompt of item 'i1' said “Is there a lesion?”, and says “Is there a cyst?”.",)


def test_what_each_version_covers_is_said_in_words_newest_first(sqlite_database: Database, tmp_path: Path) -> None:
    situation = begun(sqlite_database, tmp_path / "study")
    new_version(situation, tmp_path / "study", one_more_case)

    (second, added), (first, frozen) = stored.covered_by(sqlite_database, situation.admin, "listed")

    assert (first, dict(frozen)["Items"]) == (1, "6 entries")
    assert (second, dict(added)["Items"], dict(added)["Reason"]) == (2, "1 entry", REASON)
    assert not any("_" in name for name, _ in (*frozen, *added))
