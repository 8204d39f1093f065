"""A blind verdict stands once something was shown that it is blind to, and nothing is shown before it: on any way."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.errors import NotFound, NotRevisable, ReadsOpen, StudyNotOpen
from services.people.identity import Actor
from services.reading import instructions, revising, shown_volumes, submission, worklist
from services.studies.membership import members
from tests.listed_study import imported_listed, opened_listed, write_listed
from tests.situations import Situation, any_answers, on_the_desk, read_all, show, signed_in, submit

CHAIN = """
blindread: 2
name: listed
title: Others between
groups: {readers: Readers, others: Others}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    revise: until_closed
    by: readers
  - key: rate
    title: Rates
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
    by: others
    opens: {after: read, done_by: everyone}
  - key: score
    title: Scores
    instructions: The model is often wrong about cysts.
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
    by: readers
    opens: {after: rate, done_by: everyone}
"""
# The last phase lays masks over the scans instead.
WITH_OVERLAYS = CHAIN.replace(
    "rates: candidates\n    shows: [prompt, reference, candidate]",
    "rates: items\n    shows: [scans, overlays, prompt, options]",
).replace("{verdict: correctness}", "{answer: as_item}")
# Between reads and scores everybody is dealt a part; who joins late gets nothing of it.
DEALT = (
    CHAIN.replace("groups: {readers: Readers, others: Others}\n", "")
    .replace("    by: readers\n", "")
    .replace("    by: others\n", "    by: {per_unit: 1}\n")
    .replace(", done_by: everyone", "")
)
# The reads have masks beside the scans themselves, and the last phase shows what a mask gives away only in part.
READ_WITH_OVERLAYS = CHAIN.replace(
    "shows: [scans, prompt, options]\n    form: {answer: as_item}\n    revise",
    "shows: [scans, overlays, prompt, options]\n    form: {answer: as_item}\n    revise",
).replace(
    "rates: candidates\n    shows: [prompt, reference, candidate]\n    form: {verdict: correctness}",
    "rates: items\n    shows: [scans, prompt, reference]\n    form: {hard: yes_no}",
)
# What is scored shows the references of one subject, what is read are the items of others.
SCORES_BEFORE_READS_OF_OTHERS = """
blindread: 2
name: listed
title: Scores and reads
phases:
  - key: score
    rates: candidates
    from: {where: {subject: [subject-1]}}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
  - key: read
    rates: items
    from: {where: {subject: [subject-2, subject-3]}}
    shows: [scans, prompt, options]
    form: {answer: as_item}
    opens: {at_once: yes}
    revise: until_closed
"""
GROUPS = ("readers", "others")


def work(situation: Situation, who: Actor, part: str) -> None:
    instructions.acknowledge_instructions(situation.database, who, situation.study_key, part)
    read_all(situation, who, part)


def late_reader(situation: Situation, group: str = "") -> Actor:
    members.invite(situation.database, situation.admin, situation.study_key, "late", "Late", "rater", group=group)
    return signed_in(situation.database, "late")


@pytest.mark.parametrize("text", [CHAIN, READ_WITH_OVERLAYS], ids=["scans", "scans with overlays"])
def test_reads_stand_once_a_part_with_references_is_begun_behind_a_part_of_others(
    sqlite_database: Database, tmp_path: Path, text: str
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", text, groups=GROUPS)
    reader, other = situation.raters
    work(situation, reader, "part-1")
    work(situation, other, "part-1")
    read = on_the_desk(situation, reader, "part-1")["assignment"]
    assert len(revising.list_revisable(sqlite_database, reader, read)) == 6

    said = instructions.of_queue(sqlite_database, reader, situation.study_key, "part-2").settles
    assert said == "From here on, your verdicts in “Reads” can no longer be revised."
    instructions.acknowledge_instructions(sqlite_database, reader, situation.study_key, "part-2")

    assert on_the_desk(situation, reader, "part-2")["reference"]
    assert revising.list_revisable(sqlite_database, reader, read) == []


def test_reads_stand_behind_a_part_of_which_nothing_was_dealt(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", DEALT, raters=2)
    late = late_reader(situation)
    work(situation, late, "part-1")
    read = on_the_desk(situation, late, "part-1")["assignment"]

    instructions.acknowledge_instructions(sqlite_database, late, situation.study_key, "part-3")

    assert on_the_desk(situation, late, "part-3")["reference"]
    assert revising.list_revisable(sqlite_database, late, read) == []


def test_start_page_names_no_part_in_which_its_reader_has_nothing(sqlite_database: Database, tmp_path: Path) -> None:
    revised = DEALT.replace("    by: {per_unit: 1}\n", "    by: {per_unit: 1}\n    revise: until_closed\n", 1)
    situation = opened_listed(sqlite_database, tmp_path / "study", revised, raters=2)
    late, reader = late_reader(situation), situation.raters[0]
    work(situation, late, "part-1")
    for part in ("part-1", "part-2"):
        work(situation, reader, part)

    said = [
        instructions.of_queue(sqlite_database, who, situation.study_key, "part-3").settles for who in (late, reader)
    ]

    assert said[0] == "From here on, your verdicts in “Reads” can no longer be revised."
    # The reads have been final since the second part was begun.
    assert said[1] == "From here on, your verdicts in “Rates” can no longer be revised."


def test_start_page_promises_no_revision_of_a_part_that_an_earlier_one_has_settled(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", SCORES_BEFORE_READS_OF_OTHERS)
    reader = situation.raters[0]
    assert "until they become final" in instructions.of_queue(sqlite_database, reader, "listed", "part-2").revision
    work(situation, reader, "part-1")

    said = instructions.of_queue(sqlite_database, reader, "listed", "part-2").revision

    assert said == "Once submitted, an answer can no longer be changed."
    work(situation, reader, "part-2")
    assert on_the_desk(situation, reader, "part-2")["revisable"] == 0


@pytest.mark.parametrize(
    "text", [CHAIN, WITH_OVERLAYS, READ_WITH_OVERLAYS], ids=["reference", "overlays", "reference after overlays"]
)
def test_who_joins_late_is_shown_nothing_of_a_later_part_before_the_own_reads(
    sqlite_database: Database, tmp_path: Path, text: str
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", text, groups=GROUPS)
    reader, other = situation.raters
    work(situation, reader, "part-1")
    work(situation, other, "part-1")
    late = late_reader(situation, "readers")

    for act in (instructions.of_queue, instructions.acknowledge_instructions, submission.current_payload):
        with pytest.raises(ReadsOpen):
            act(sqlite_database, late, situation.study_key, "part-2")
    assert [bool(desk.waits_for) for desk in worklist.desks_of(sqlite_database, late)] == [False, True]


def test_verdict_that_was_opened_again_is_put_back_when_a_later_part_is_begun(
    database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(database, tmp_path / "study", CHAIN, groups=GROUPS)
    reader = situation.raters[0]
    for who in situation.raters:
        work(situation, who, "part-1")
    end = on_the_desk(situation, reader, "part-1")
    again = revising.reopen(
        database, reader, revising.list_revisable(database, reader, end["assignment"])[0]["assignment"]
    )
    show(situation, reader, again)
    token = again["images"]["panes"][0]["volumes"][0]["url"].rsplit("/", 1)[1]
    assert shown_volumes.volume_in_reach(database, reader, token).is_file()
    assert submission.payload_after_reload(database, reader, "listed", "part-1")["kind"] == "item"

    instructions.acknowledge_instructions(database, reader, "listed", "part-2")

    with pytest.raises(NotRevisable, match="remains as it was saved; reload the page"):
        submit(situation, reader, again, any_answers(again))
    assert submission.payload_after_reload(database, reader, "listed", "part-1") == {**end, "revisable": 0}
    with pytest.raises(NotFound):
        shown_volumes.volume_in_reach(database, reader, token)


def test_what_was_begun_stays_open_when_somebody_joins_who_would_have_been_waited_for(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", CHAIN, groups=GROUPS)
    reader, other = situation.raters
    work(situation, reader, "part-1")
    instructions.acknowledge_instructions(sqlite_database, other, situation.study_key, "part-1")
    begun = on_the_desk(situation, other, "part-1")
    show(situation, other, begun)

    late_reader(situation, "readers")

    assert submit(situation, other, begun, any_answers(begun)).receipt
    assert on_the_desk(situation, other, "part-1")["kind"] == "item"


@pytest.mark.parametrize("part", ["part-1", "part-2"])
def test_nothing_is_acknowledged_before_the_freeze(sqlite_database: Database, tmp_path: Path, part: str) -> None:
    """In a draft nothing is assigned, so that all that comes before would seem done."""
    situation = imported_listed(sqlite_database, write_listed(tmp_path / "study", CHAIN), groups=GROUPS)

    for act in (instructions.of_queue, instructions.acknowledge_instructions):
        with pytest.raises(StudyNotOpen, match="not open yet"):
            act(sqlite_database, situation.raters[0], situation.study_key, part)


def test_reads_stand_once_a_reference_was_shown_whatever_was_acknowledged(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", CHAIN, groups=GROUPS)
    reader, other = situation.raters
    work(situation, reader, "part-1")
    work(situation, other, "part-1")
    read = on_the_desk(situation, reader, "part-1")["assignment"]
    instructions.acknowledge_instructions(sqlite_database, reader, situation.study_key, "part-2")
    show(situation, reader, on_the_desk(situation, reader, "part-2"))
    # As an unreleased version stored it.
    with sqlite_database.engine.begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER acknowledgement_no_update")
        connection.exec_driver_sql("UPDATE acknowledgement SET phase = 'part-2', group_key = '' WHERE phase = 'score'")

    assert revising.list_revisable(sqlite_database, reader, read) == []
