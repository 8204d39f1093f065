"""An attribute that a phase names is no leak in it, and every screen of both steps of a phase is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from db import Database
from services.record.blinding_audit import auditing
from tests.blinding.test_released_attributes import READ_AND_SCORE, with_values
from tests.listed_study import opened_listed
from tests.room_study import rewrite, rows_of
from tests.services.reading.test_more_after_the_answer import READ_THEN_TOLD

STRATIFIED = """
blindread: 2
name: listed
title: Read by region
attributes: {cases: {region: text}}
phases:
  - key: read
    title: Reads
    rates: items
    from: {sample: {size: 4, strata: region}}
    shows: [scans, prompt, options, region]
    form: {answer: as_item}
"""


def with_regions(folder: Path) -> None:
    """Give each case a region that no other text names."""
    rows = rows_of(folder / "cases.csv")
    regions = ("Occipital pole", "Parietal operculum", "Occipital pole")
    rewrite(folder / "cases.csv", [row | {"region": region} for row, region in zip(rows, regions, strict=True)])


def with_another_date(folder: Path) -> None:
    """Let the attribute be no date of a scan, which the phase withholds."""
    rewrite(folder / "cases.csv", [row | {"scanned": "2019-03-04"} for row in rows_of(folder / "cases.csv")])


@pytest.mark.parametrize("protocol", [READ_AND_SCORE, READ_THEN_TOLD], ids=["attributes", "second step"])
def test_what_a_phase_names_is_no_leak(sqlite_database: Database, tmp_path: Path, protocol: str) -> None:
    changes = [with_values, with_another_date] if protocol == READ_AND_SCORE else []
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=1, changes=changes)

    audited = auditing.audit_blinding(sqlite_database, situation.admin, situation.study_key, tmp_path / "audit.json")

    assert (audited.assignments, audited.leaks, audited.not_rendered) == (12, 0, 0)


def test_a_stratum_that_a_phase_shows_is_no_leak(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", STRATIFIED, raters=1, changes=[with_regions])

    audited = auditing.audit_blinding(sqlite_database, situation.admin, situation.study_key, tmp_path / "audit.json")

    assert (audited.assignments, audited.leaks) == (4, 0)
