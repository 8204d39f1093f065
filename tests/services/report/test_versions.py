"""The report of a study with versions says what it pools and what is in no figure; each verdict has its version."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, Study
from exchange.report.report_json import report_json
from exchange.report.report_structure import EstimateTable
from services.progress import data_lock
from services.reading import instructions
from services.record import package
from services.report import build
from services.report.calibration.material import candidates_of_models
from services.report.rows.listed_loading import load_listed
from services.studies import frozen_facts
from tests.listed_study import SCORE_ALONE, closed_tables
from tests.situations import Situation
from tests.versioned_study import (
    REASON,
    changed_cell,
    corrected_prompt,
    new_version,
    one_more_case,
    opened_for_versions,
    read,
)


@pytest.fixture
def read_in_two_versions(sqlite_database, tmp_path: Path) -> Situation:  # type: ignore[no-untyped-def]
    """Rater 1 reads all before the version and what is new after it; rater 2 reads two before, and the rest after."""
    situation = opened_for_versions(sqlite_database, tmp_path / "study")
    for rater in situation.raters:
        instructions.acknowledge_instructions(sqlite_database, rater, "listed", "part-1")
    read(situation, 0)
    read(situation, 1, most=2)
    new_version(situation, tmp_path / "study", corrected_prompt, one_more_case)
    read(situation, 0)
    read(situation, 1)
    return situation


def test_the_report_says_what_it_pools_and_what_is_in_no_figure(read_in_two_versions: Situation) -> None:
    data_lock.close_study(read_in_two_versions.database, read_in_two_versions.admin, "listed")

    report = build.build_report(read_in_two_versions.database, read_in_two_versions.admin, "listed")

    pooled, made, counts = report.notices[-3:]
    assert pooled.startswith(
        "This study has 2 versions, and the figures describe version 2: they pool all units that have not changed"
    )
    assert made == f"Version 2 was made on {report.generated_at:%Y-%m-%d}: {REASON}"
    assert counts == (
        "Reads: 5 items came with version 1 and 2 items came with version 2, and 1 item that a version corrected is in "
        "no figure."
    )
    section = next(section for section in report.sections if section.key == "phase_read")
    rows = [row for table in section.tables if isinstance(table, EstimateTable) for row in table.rows]
    by_version = {
        (row.stratum.value, row.estimate.n) for row in rows
        if row.stratum.name == "version of the study" and row.statistic == "accuracy" and len(row.parties) == 1
    }  # fmt: skip
    assert by_version == {("1", 5), ("1", 10), ("2", 2), ("2", 4)}


def test_the_data_files_hold_every_verdict_with_its_version(read_in_two_versions: Situation) -> None:
    tables = closed_tables(read_in_two_versions)

    assert Counter(row["version"] for row in tables["verdicts.csv"]) == {"1": 8, "2": 8}
    assert [row["version"] for row in tables["verdicts.csv"] if row["item"] == "i1"] == ["1", "1"]
    assert {(row["item"], row["version"], row["replaced_in"]) for row in tables["sample.csv"]} >= {
        ("i1", "1", "2"), ("i1.v2", "2", ""), ("i7", "2", ""), ("i2", "1", ""),
    }  # fmt: skip


def test_what_was_replaced_before_its_verdict_is_not_missing_in_the_data_files(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study")
    new_version(situation, tmp_path / "study", corrected_prompt)
    for rater, actor in enumerate(situation.raters):
        instructions.acknowledge_instructions(sqlite_database, actor, "listed", "part-1")
        read(situation, rater)

    verdicts = closed_tables(situation)["verdicts.csv"]

    assert Counter((row["item"] == "i1", row["status"]) for row in verdicts) == {
        (True, "replaced"): 2, (False, "answered"): 12
    }  # fmt: skip


def test_the_package_holds_protocol_and_manifest_of_each_version(
    read_in_two_versions: Situation, tmp_path: Path
) -> None:
    data_lock.close_study(read_in_two_versions.database, read_in_two_versions.admin, "listed")

    package.export_study(read_in_two_versions.database, read_in_two_versions.admin, "listed", tmp_path / "package")

    def said(name: str) -> dict[str, object]:
        content: dict[str, object] = json.loads((tmp_path / "package" / name).read_text("utf-8"))
        return content

    assert "i1.v2" not in str(said("manifest.json")["items"])
    assert "i1.v2" in str(said("manifest-2.json")["items"])
    assert said("protocol-2.json")["name"] == "listed"
    assert Counter(each["version"] for each in said("verdict-versions.json")) == {1: 8, 2: 8}  # type: ignore[index]


def test_every_estimate_says_with_which_versions_its_units_came(read_in_two_versions: Situation) -> None:
    lines = closed_tables(read_in_two_versions)["estimates.csv"]
    report = build.build_report(read_in_two_versions.database, read_in_two_versions.admin, "listed")
    rows = [
        row
        for section in json.loads(report_json(report))["sections"]
        for table in section["tables"]
        for row in table.get("rows", ())
        if table["kind"] == "estimates"
    ]

    said = {(line["stratum"], line["versions"]) for line in lines if line["stratum"].startswith(("all", "version"))}
    assert said == {("all", "1|2"), ("version of the study 1", "1"), ("version of the study 2", "2")}
    assert all(line["versions"] for line in lines)
    assert {tuple(row["versions"]) for row in rows} == {(1,), (2,), (1, 2)}


def test_what_was_replaced_is_no_candidate_that_a_corrected_score_is_of(
    sqlite_database: Database, tmp_path: Path
) -> None:
    situation = opened_for_versions(sqlite_database, tmp_path / "study", SCORE_ALONE, raters=1)
    new_version(situation, tmp_path / "study", changed_cell("candidates.csv", "k3", "answer", "On the left side."))

    with sqlite_database.read_only() as session:
        study = session.exec(select(Study)).one()
        expansion = frozen_facts.expansion_of(session, 1)
        assert expansion is not None
        rows = load_listed(session, study, expansion, frozen_facts.phases_of(session, 1))
    lines, _ = candidates_of_models(rows)

    assert ("k3" in {line.key for line in rows.candidates}, "k3" in {line.key for line in lines}) == (True, False)
    assert {line.key: line.version for line in lines}["k3.v2"] == 2
