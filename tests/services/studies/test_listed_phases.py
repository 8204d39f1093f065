"""Studies that list their phases: imported, frozen, read to the end by scripted raters, closed, exported, counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.errors import ReadsOpen
from services.reading import submission, worklist
from tests.listed_study import READ_THEN_SCORE, SCORE_ALONE, closed_tables, opened_listed, work_through


def test_reads_then_scores_to_the_last_row(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", READ_THEN_SCORE)

    seen = work_through(situation)
    tables = closed_tables(situation)

    # Six items, three of them yes or no, and four of six candidates, by two raters.
    assert len(seen) == 2 * (6 + 3 + 4)
    verdicts = tables["verdicts.csv"]
    assert len(verdicts) == len(seen)
    assert {row["status"] for row in verdicts} == {"answered"}
    assert sorted({(row["phase"], row["member"]) for row in verdicts}) == [
        (phase, f"Rater {number}") for phase in ("score", "second", "secret_arm") for number in (1, 2)
    ]
    fields = [row["field"] for row in tables["fields.csv"]]
    assert (fields.count("answer"), fields.count("confidence"), fields.count("verdict")) == (18, 12, 8)
    sample = [row for row in tables["sample.csv"] if row["phase"] == "score"]
    assert len(sample) == 4
    assert {float(row["inclusion_probability"]) for row in sample} == {2 / 3}


def test_scores_need_no_reads_before_them(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", SCORE_ALONE)

    seen = work_through(situation)

    assert len(seen) == 2 * 6
    assert all(payload["images"] is None and payload["reference"] for payload in seen)
    assert len(closed_tables(situation)["verdicts.csv"]) == 12


def test_what_shows_the_reference_stays_shut_until_the_blind_reads_are_done(database: Database, tmp_path: Path) -> None:
    situation = opened_listed(database, tmp_path / "study", READ_THEN_SCORE)
    rater = situation.raters[0]
    desks = worklist.desks_of(database, rater)

    assert [desk.waits_for_reads for desk in desks] == [False, True, True]
    for desk in desks[1:]:
        with pytest.raises(ReadsOpen, match="opens once you are done"):
            submission.current_payload(database, rater, situation.study_key, desk.queue.key)
