"""References as units: their text is what is judged, by people to whom nothing blind to it is still to come."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from exchange.refusal import InputRefused
from services.record import verification
from services.studies.freeze import freezing
from tests.listed_study import closed_tables, imported_listed, opened_listed, work_through, write_listed
from tests.services.studies.test_listed_phases import drop_lines

AFTER_THE_READS = """
blindread: 2
name: listed
title: Reads, then references
phases:
  - key: read
    rates: items
    from: {where: {format: [choice, open]}}
    shows: [scans, prompt, options]
    form: {answer: as_item}
  - key: reference
    title: What the references say
    question: Is it specific?
    rates: references
    from: read
    shows: [prompt, reference]
    form: {specific: yes_no}
"""
OF_ANSWERS = """
blindread: 2
name: listed
title: References of scored answers
groups: {answers: Of answers, references: Of references}
phases:
  - key: score
    rates: candidates
    from: {sample: {size: 2, strata: model}}
    shows: [prompt, candidate]
    form: {style: {type: ordinal, options: {'1': Badly, '2': Well}}}
    by: answers
  - key: specific
    question: Is it specific?
    rates: references
    from: score
    shows: [prompt, reference]
    form: {specific: yes_no}
    by: references
"""


def test_references_of_what_was_read_are_judged_by_their_text_alone(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", AFTER_THE_READS, raters=1)

    seen = work_through(situation)
    tables = closed_tables(situation)

    judged = [payload for payload in seen if payload["phase"] == "scoring"]
    assert len(seen) == 3 + 3 and len(judged) == 3
    assert all(payload["images"] is None and payload["candidate"] is None for payload in judged)
    assert {payload["prompt"] for payload in judged} == {"Is it specific?"}
    # Options in their words, and all that is accepted.
    assert {tuple(payload["reference"]) for payload in judged} == {("Left",), ("Both",), ("cyst", "arachnoid cyst")}
    assert {payload["context"]["facts"][0][1] for payload in judged} == {
        "Prompt of i2?", "Prompt of i4?", "Prompt of i5?",
    }  # fmt: skip
    of_phase = [row for row in tables["verdicts.csv"] if row["phase"] == "reference"]
    assert [
        (row["item"], row["candidate"], row["status"]) for row in sorted(of_phase, key=lambda row: row["item"])
    ] == [(item, "", "answered") for item in ("i2", "i4", "i5")]
    assert verification.verify_study(database, situation.study_key) == []


def test_references_of_the_items_whose_answers_were_drawn(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", OF_ANSWERS, groups=["answers", "references"])

    work_through(situation)
    drawn = closed_tables(situation)["sample.csv"]

    of_answers = {row["item"] for row in drawn if row["phase"] == "score"}
    assert {row["item"] for row in drawn if row["phase"] == "specific"} == of_answers
    assert {row["candidate"] for row in drawn if row["phase"] == "specific"} == {""}


def test_an_item_without_a_reference_has_none_to_judge(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_listed(
        tmp_path / "study", AFTER_THE_READS, [lambda folder: drop_lines(folder / "references.csv", "i4,")]
    )
    situation = imported_listed(sqlite_database, folder, raters=1)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)

    assert len(work_through(situation)) == 3 + 2


@pytest.mark.parametrize(
    ("changed", "to", "says"),
    [
        ("shows: [prompt, reference]", "shows: [prompt]", "the references that are rated are not shown; add reference"),
        (
            "    question: Is it specific?\n",
            "    opens: {at_once: yes}\n",
            "phase 'reference' shows the reference to people",
        ),
    ],
)
def test_references_are_shown_and_not_before_what_is_blind_to_them(
    sqlite_database: Database, tmp_path: Path, changed: str, to: str, says: str
) -> None:
    folder = write_listed(tmp_path / "study", AFTER_THE_READS.replace(changed, to))

    with pytest.raises(InputRefused) as refusal:
        imported_listed(sqlite_database, folder)

    assert says.lower() in str(refusal.value).lower()
