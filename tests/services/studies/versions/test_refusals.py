"""What a version must not change, and whom it must not let read blind: refused, a sentence for each reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from db import Database
from services.errors import Conflict, NotAllowed, Refused
from services.progress import data_lock
from services.reading import instructions, settling, submission
from services.studies.versions import making
from tests.following_study import GROUPS, READ_THEN_RESOLVE, flagging, read_through
from tests.listed_study import TWO_GROUPS, opened_listed
from tests.room_study import rewrite, rows_of
from tests.situations import CANDIDATES, Situation, on_the_desk, open_study, write_table
from tests.versioned_study import (
    READS,
    REASON,
    WITH_REFERENCE,
    changed_cell,
    corrected_prompt,
    new_version,
    one_more_case,
    opened_for_versions,
    read,
    without_item,
)

LOOK_AT_TWO_VALUES = """
blindread: 2
name: listed
title: One value is drawn
attributes: {items: {finding: {type: choice, options: [lesion, nowhere, none], tells: reference}}}
phases:
  - {key: read, rates: items, shows: [prompt], form: {seen: yes_no}}
  - {key: look, rates: items, from: {where: {finding: [lesion, nowhere]}}, shows: [prompt], form: {seen: yes_no}}
"""


def refusal_of(situation: Situation, folder: Path, *changes: Callable[[Path], object]) -> list[str]:
    """Return the reasons why no version is made of a changed folder."""
    for change in changes:
        change(folder)
    with pytest.raises(Conflict) as refused:
        making.difference_of(situation.database, situation.admin, situation.study_key, folder)
    return str(refused.value).splitlines()


def protocol(before: str, after: str) -> Callable[[Path], None]:
    """Return what says something else in the protocol of a folder."""

    def change(folder: Path) -> None:
        text = (folder / "protocol.yaml").read_text("utf-8")
        assert before in text
        (folder / "protocol.yaml").write_text(text.replace(before, after), "utf-8")

    return change


TWO_PHASES = f"{READS}{WITH_REFERENCE}"
# What its second phase shows tells of an item, and not of all of a subject.
WITH_ANSWERS = f"{READS}{WITH_REFERENCE}".replace("shows: [prompt, reference, candidate]", "shows: [prompt, candidate]")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without_item, "Item 'i6' of version 1 is missing in items.csv: a version takes nothing out; put it back."),
        (
            changed_cell("items.csv", "i1", "category", "side"),
            "Item 'i1' differs in category, which makes it an",
        ),
        (changed_cell("cases.csv", "c1", "vignette", "New."), "Case 'c1' differs in vignette from the one that was"),
        (changed_cell("volumes.csv", "c1-t1", "label", "T1 late"), "The line of volume 'c1-t1' is not what it was"),
        (changed_cell("candidates.csv", "k1", "model", "model-c"), "Candidate 'k1' differs in model"),
        (
            protocol("{verdict: correctness}", "{verdict: text}"),
            "Phase 'score': field 'verdict' was of type correctness and is of type text; a field keeps its type: put",
        ),
        (
            protocol("{verdict: correctness}", "{verdict: correctness, note: text}"),
            "Phase 'score': field note added, which nobody was asked before; ask it in a phase that is added.",
        ),
        (
            protocol("{verdict: correctness}", "{mark: correctness}"),
            "Phase 'score': field 'verdict' is missing, which answers name; put it back, or import the folder",
        ),
        (
            protocol("question: Does it say the same", "question: Does it mean the same"),
            "Phase 'score' differs in question; a key always means what it meant: put that back",
        ),
        (protocol(WITH_REFERENCE, ""), "Phase 'score' is missing under phases: a version removes nothing; put it back"),
        (
            protocol("title: Reads\ninstructions", "seed: 5\ntitle: Reads\ninstructions"),
            "Key seed differs from before, and applies to all that was read; put it back, or import",
        ),
    ],
)
def test_what_was_there_means_what_it_meant(
    sqlite_database: Database, tmp_path: Path, change: Callable[[Path], object], says: str
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", TWO_PHASES, raters=1)

    reasons = refusal_of(situation, tmp_path / "study", change)

    assert any(reason.startswith(says) for reason in reasons), reasons


def test_everything_that_stands_against_a_version_is_said_at_once(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", TWO_PHASES, raters=1)

    reasons = refusal_of(
        situation, tmp_path / "study", without_item, protocol("{verdict: correctness}", "{verdict: text}")
    )

    assert [reason.split()[0] for reason in reasons] == ["Phase", "Item"]


def test_rows_in_which_the_same_differs_are_said_together(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)

    reasons = refusal_of(
        situation, tmp_path / "study", *(changed_cell("items.csv", f"i{n}", "category", "other") for n in range(1, 7))
    )

    assert [reason.partition(", which")[0] for reason in reasons] == [
        "6 items ('i1', 'i2', 'i3', 'i4', 'i5' and 1 more) differ in category"
    ]


def test_phases_keep_their_order_and_groups_stay_apart(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", TWO_GROUPS, groups=("residents", "scorers"))
    text = (tmp_path / "study" / "protocol.yaml").read_text("utf-8")
    again = text[text.index("  - key: score_again") :]
    merged = text.replace("groups: {residents: Residents, scorers: Scorers}", "groups: {residents: Residents}")

    moved = refusal_of(
        situation,
        tmp_path / "study",
        protocol(again, ""),
        protocol("  - key: score\n", f"{again}  - key: score\n"),
    )
    (tmp_path / "study" / "protocol.yaml").write_text(merged.replace("by: scorers", "by: residents"), "utf-8")
    together = refusal_of(situation, tmp_path / "study")

    assert moved[0] == (
        "Key phases lists what was there before in another order; list it as before, and what is new after it."
    )
    assert together[0] == "Group 'scorers' is missing under groups: a version removes nothing; put it back."


def test_nobody_who_was_shown_a_reference_reads_of_its_subject_blind(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", TWO_PHASES, raters=1)
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", "part-1")
    read(situation, 0)
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", "part-2")
    read(situation, 0, most=6, queue="part-2")

    reasons = refusal_of(situation, tmp_path / "study", corrected_prompt)

    assert reasons == [
        (
            "Rater 1 was shown the reference of the subject of 'i1.v2' in phase 'score', and would rate that blind in "
            "phase 'read'; let others rate it, in a group and a phase that are added."
        )
    ]


def test_nobody_reads_blind_of_a_subject_whose_reference_they_know_by_the_one_value_that_was_drawn(
    sqlite_database: Database, tmp_path: Path
) -> None:
    """Of the two values that `look` selects no item has the other, so that who read it knows the finding of each."""
    finding = {"i1": "lesion", "i2": "lesion"}

    def with_finding(folder: Path) -> None:
        rows = [row | {"finding": finding.get(row["item"], "none")} for row in rows_of(folder / "items.csv")]
        rewrite(folder / "items.csv", rows)

    def another_of_its_subject(folder: Path) -> None:
        one_more_case(folder, subject="subject-1")
        with_finding(folder)

    text = LOOK_AT_TWO_VALUES
    situation = opened_listed(sqlite_database, tmp_path / "study", text, raters=1, changes=[with_finding])
    for queue in ("part-1", "part-2"):
        instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", queue)
        read(situation, 0, queue=queue)

    assert refusal_of(situation, tmp_path / "study", another_of_its_subject) == [
        (
            "Rater 1 was shown 'finding' of the subject of 'i7' in phase 'look', and would rate that blind in phase "
            "'read'; let others rate it, in a group and a phase that are added."
        )
    ]


@pytest.mark.parametrize("could_be_shown", [True, False])
def test_what_a_browser_has_counts_as_shown_before_it_stands_on_the_screen(
    sqlite_database: Database, tmp_path: Path, could_be_shown: bool
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", TWO_PHASES, raters=1)
    (rater,) = situation.raters
    read(situation, 0)
    instructions.acknowledge_instructions(sqlite_database, rater, "listed", "part-2")
    payload = on_the_desk(situation, rater, "part-2")
    assert payload["reference"]
    if not could_be_shown:
        submission.report_failure(sqlite_database, rater, payload["assignment"], "nothing was drawn")

    reasons = refusal_of(
        situation, tmp_path / "study", *(changed_cell("items.csv", f"i{n}", "prompt", "Anew?") for n in (1, 2, 5))
    )

    shown = dict(payload["context"]["facts"])["Question"].removeprefix("Prompt of ").removesuffix("?")
    assert any(f"'{shown}.v2'" in reason and "was shown the reference" in reason for reason in reasons), reasons


def test_what_lay_on_a_desk_when_a_version_replaced_it_counts_as_shown_for_the_next(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", TWO_PHASES, raters=1)
    (rater,) = situation.raters
    read(situation, 0)
    instructions.acknowledge_instructions(sqlite_database, rater, "listed", "part-2")
    payload = on_the_desk(situation, rater, "part-2")
    shown = dict(payload["context"]["facts"])["Question"].removeprefix("Prompt of ").removesuffix("?")
    # All of its subject, so that what comes next on the desk is about another.
    subject = ("i1", "i2") if shown in ("i1", "i2") else ("i5",)
    answers = [key for key, item, *_ in CANDIDATES if item in subject]
    correct = [changed_cell("candidates.csv", key, "answer", "Corrected.") for key in answers]
    new_version(situation, tmp_path / "study", *correct)

    reasons = refusal_of(situation, tmp_path / "study", changed_cell("items.csv", shown, "prompt", "Anew?"))

    assert any(f"'{shown}.v" in reason and "was shown the reference" in reason for reason in reasons), reasons


@pytest.mark.parametrize("corrected_before", [False, True])
def test_nobody_who_was_shown_answers_to_an_item_reads_it_blind_when_it_is_corrected(
    sqlite_database: Database, tmp_path: Path, corrected_before: bool
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", WITH_ANSWERS, raters=1)
    if corrected_before:
        new_version(situation, tmp_path / "study", changed_cell("items.csv", "i1", "prompt", "Is there one?"))
    for queue in ("part-1", "part-2"):
        instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", queue)
        read(situation, 0, queue=queue)

    reasons = refusal_of(situation, tmp_path / "study", corrected_prompt)

    assert len(reasons) == 1
    assert reasons[0].startswith("Rater 1 was shown the answer under judgement of the item of 'i1.v")


def with_conditions(folder: Path) -> None:
    """Say of each answer under which condition it came."""
    lines = [(*candidate, "aided") for candidate in CANDIDATES]
    write_table(folder / "candidates.csv", "candidate,item,model,answer,condition", lines)


def test_nobody_who_was_shown_something_of_an_answer_rates_it_blind_when_it_is_corrected(
    sqlite_database: Database, tmp_path: Path
) -> None:
    named = WITH_REFERENCE.replace("key: score", "key: named").replace("candidate]", "candidate, condition]")
    declared = "attributes: {candidates: {condition: {type: choice, options: [plain, aided]}}}\nphases:\n"
    phases = f"{READS}{WITH_REFERENCE}{named}".replace("phases:\n", declared)
    situation = opened_listed(sqlite_database, tmp_path / "study", phases, 1, changes=(with_conditions,))
    for queue in ("part-1", "part-2", "part-3"):
        instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", queue)
        read(situation, 0, queue=queue)

    reasons = refusal_of(situation, tmp_path / "study", changed_cell("candidates.csv", "k3", "answer", "Left."))

    assert [reason.split(", and would")[0] for reason in reasons] == [
        "Rater 1 was shown 'condition' of the answer of 'k3.v2' in phase 'named'"
    ]


def called_as_the_corrected(folder: Path) -> None:
    """Call the second item as the first will be stored once it is corrected in a second version."""
    for table in ("items.csv", "references.csv", "candidates.csv"):
        path = folder / table
        path.write_text(path.read_text("utf-8").replace("i2,", "i1.v2,"), "utf-8")


def test_what_is_corrected_gets_no_key_of_something_that_is_there(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READS, 1, changes=(called_as_the_corrected,))

    reasons = refusal_of(situation, tmp_path / "study", corrected_prompt)

    assert reasons == [
        (
            "The corrected item 'i1' would be stored as 'i1.v2', which is the key of something else; give what is "
            "added another key, or correct it in a later version."
        )
    ]


def test_what_is_corrected_gets_no_key_of_something_that_is_added(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)

    reasons = refusal_of(
        situation, tmp_path / "study", corrected_prompt, lambda folder: one_more_case(folder, item="i1.v2")
    )

    assert [reason.split(",")[0] for reason in reasons] == ["The corrected item 'i1' would be stored as 'i1.v2'"]


def test_another_subject_is_read_by_who_was_shown_a_reference(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", TWO_PHASES, raters=1)
    for queue in ("part-1", "part-2"):
        instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", queue)
        read(situation, 0, queue=queue)

    new_version(situation, tmp_path / "study", one_more_case)

    assert read(situation, 0) == ["Prompt of i7?"]
    assert len(read(situation, 0, queue="part-2")) == 1


def test_what_shows_a_reference_waits_for_the_new_work(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", TWO_PHASES, raters=1)
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", "part-1")
    read(situation, 0)

    new_version(situation, tmp_path / "study", corrected_prompt)

    with pytest.raises(Refused):
        read(situation, 0, queue="part-2")
    assert read(situation, 0) == ["Is there a lesion?"]
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", "part-2")
    assert len(read(situation, 0, queue="part-2")) == 6


def test_nothing_comes_into_a_phase_from_whose_answers_others_were_drawn(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", READ_THEN_RESOLVE, groups=GROUPS)
    for rater in situation.raters[:2]:
        read_through(situation, rater, {"i1": flagging})
    settling.settle_what_is_done(sqlite_database, 1)

    reasons = refusal_of(situation, tmp_path / "study", one_more_case)

    assert reasons == [
        (
            "Phase 'secret_arm' is closed, since other phases waited for it; nothing can be rated "
            "anew in it: let what is added be selected by another phase."
        )
    ]


def test_a_phase_is_added_at_the_end_and_rates_what_was_there(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", "part-1")
    read(situation, 0)

    difference = new_version(situation, tmp_path / "study", lambda folder: _append(folder, WITH_REFERENCE))

    assert difference.changes == ("1 phase added: score.",)
    assert difference.rated == ("“Scores” rates 6 added.",)
    instructions.acknowledge_instructions(sqlite_database, situation.raters[0], "listed", "part-2")
    assert len(read(situation, 0, queue="part-2")) == 6


def _append(folder: Path, text: str) -> None:
    with (folder / "protocol.yaml").open("a", encoding="utf-8") as file:
        file.write(text)


def test_the_same_folder_makes_no_version(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)

    assert refusal_of(situation, tmp_path / "study") == [
        "The folder says what version 1 of 'listed' says; nothing has changed."
    ]


def test_a_closed_study_gets_no_version(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    data_lock.close_study(sqlite_database, situation.admin, "listed", "Nobody came to read.")

    assert refusal_of(situation, tmp_path / "study", corrected_prompt) == [
        "The study is closed; re-open it before making a new version of it."
    ]


def test_a_study_of_the_first_language_gets_no_version(sqlite_database: Database, tmp_path: Path) -> None:
    situation = open_study(sqlite_database, tmp_path / "study")

    assert refusal_of(situation, tmp_path / "study") == [
        (
            "The protocol of 'tiny' does not list its phases, and versions are made of studies that do; import the "
            "changed folder under another key."
        )
    ]


def test_a_version_has_a_reason_and_is_an_admins(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", raters=1)
    corrected_prompt(tmp_path / "study")

    with pytest.raises(NotAllowed, match="at least 10"):
        making.make_version(sqlite_database, situation.admin, "listed", tmp_path / "study", "so")
    with pytest.raises(NotAllowed, match="needs the role admin"):
        making.make_version(sqlite_database, situation.raters[0], "listed", tmp_path / "study", REASON)
