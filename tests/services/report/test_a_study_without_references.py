"""A study without right answers, from its folder to its package: read, compared between raters, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from db import Database
from services import report
from services.adjudication import review_queue
from services.progress import data_lock
from services.record import package, verification
from tests.situations import PROTOCOL, Situation, open_study, read_all

AGREEMENT = {**PROTOCOL, "scoring": None, "analysis": {**PROTOCOL["analysis"], "primary": "agreement"}}


def take_the_references_away(folder: Path) -> None:
    (folder / "references.csv").unlink()
    (folder / "candidates.csv").unlink()
    remaining = {key: value for key, value in AGREEMENT.items() if value is not None}
    (folder / "protocol.yaml").write_text(yaml.safe_dump(remaining), encoding="utf-8")


@pytest.fixture
def closed_ended(database: Database, tmp_path: Path) -> Situation:
    situation = open_study(database, tmp_path / "study", changes=[take_the_references_away])
    for rater, said in zip(situation.raters, ("yes", "no"), strict=True):
        read_all(situation, rater, by_prompt={"Prompt of i1?": said})
    review_queue.open_review_queue(database, situation.admin, "tiny")
    data_lock.close_study(database, situation.admin, "tiny")
    return situation


def test_it_is_verified_and_packed_like_any_other(closed_ended: Situation, tmp_path: Path) -> None:
    assert verification.verify_study(closed_ended.database, "tiny") == []
    package.export_study(closed_ended.database, closed_ended.admin, "tiny", tmp_path / "package")

    assert (tmp_path / "package").is_dir()


def test_its_report_compares_raters_and_prints_no_number_that_needs_a_right_answer(closed_ended: Situation) -> None:
    built = report.current_report(closed_ended.database, closed_ended.admin, "tiny")

    accuracy = next(section for section in built.sections if section.key == "accuracy")
    agreement = next(section for section in built.sections if section.key == "agreement")
    assert not [row for table in accuracy.tables for row in getattr(table, "rows", ()) if hasattr(row, "estimate")]
    assert [row for table in agreement.tables for row in getattr(table, "rows", ()) if getattr(row, "planned", False)]
