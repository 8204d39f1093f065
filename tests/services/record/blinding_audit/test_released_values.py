"""An attribute that a phase names is no leak in it, and every screen of both steps of a phase is looked at."""

from __future__ import annotations

from collections.abc import Callable
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


@pytest.mark.parametrize(("label", "leaks"), [("Site of the scanner", 0), ("As model-a saw it", 6)])
def test_a_heading_of_an_attribute_is_searched(
    sqlite_database: Database, tmp_path: Path, label: str, leaks: int
) -> None:
    protocol = READ_AND_SCORE.replace("assessable: yes_no", f"assessable: {{type: yes_no, label: {label}}}")
    changes = [with_values, with_another_date]
    situation = opened_listed(sqlite_database, tmp_path / "study", protocol, raters=1, changes=changes)

    audited = auditing.audit_blinding(sqlite_database, situation.admin, situation.study_key, tmp_path / "audit.json")

    assert audited.leaks == leaks


def test_a_stratum_that_a_phase_shows_is_no_leak(sqlite_database: Database, tmp_path: Path) -> None:
    situation = opened_listed(sqlite_database, tmp_path / "study", STRATIFIED, raters=1, changes=[with_regions])

    audited = auditing.audit_blinding(sqlite_database, situation.admin, situation.study_key, tmp_path / "audit.json")

    assert (audited.assignments, audited.leaks) == (4, 0)


PART_OF_THE_REFERENCE = """
blindread: 2
name: listed
title: A part of the reference
phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt, reference.series]
    form: {diagnosis: text, series: text}
"""


def with_two_fields(folder: Path) -> None:
    """Give every item a reference in two fields, in words that no other text has."""
    (folder / "candidates.csv").unlink()
    lines = [f"i{n},diagnosis,Pilocytic astrocytoma\ni{n},series,Proton density turbo\n" for n in range(1, 7)]
    (folder / "references.csv").write_text("item,field,accepted\n" + "".join(lines), encoding="utf-8")


def with_a_prompt_that_tells(folder: Path) -> None:
    """Let the prompt of one item say what another field of its reference does."""
    rows = rows_of(folder / "items.csv")
    rewrite(folder / "items.csv", [rows[0] | {"prompt": "Is it a pilocytic astrocytoma?"}, *rows[1:]])


@pytest.mark.parametrize(
    ("more", "leaks"), [([], 0), ([with_a_prompt_that_tells], 1)], ids=["the field shown", "another field said"]
)
def test_the_reference_of_a_field_is_searched_for_and_no_leak_where_it_is_shown(
    sqlite_database: Database, tmp_path: Path, more: list[Callable[[Path], None]], leaks: int
) -> None:
    changes = [with_two_fields, *more]
    situation = opened_listed(sqlite_database, tmp_path / "study", PART_OF_THE_REFERENCE, raters=1, changes=changes)

    audited = auditing.audit_blinding(sqlite_database, situation.admin, situation.study_key, tmp_path / "audit.json")

    assert (audited.assignments, audited.leaks) == (6, leaks)


def with_a_category_like_a_label(folder: Path) -> None:
    rewrite(folder / "items.csv", [row | {"category": "kind of growth"} for row in rows_of(folder / "items.csv")])


def with_a_category_like_the_reference(folder: Path) -> None:
    rewrite(folder / "items.csv", [row | {"category": "Proton density"} for row in rows_of(folder / "items.csv")])


@pytest.mark.parametrize(
    ("category", "leaks"),
    [(with_a_category_like_a_label, 0), (with_a_category_like_the_reference, 6)],
    ids=["the label", "what it says"],
)
def test_the_label_of_a_field_in_a_reference_is_no_leak_and_what_the_reference_says_is_searched(
    sqlite_database: Database, tmp_path: Path, category: Callable[[Path], None], leaks: int
) -> None:
    labelled = PART_OF_THE_REFERENCE.replace("reference.series", "reference").replace(
        "diagnosis: text", "diagnosis: {type: text, label: Kind of growth}"
    )
    situation = opened_listed(
        sqlite_database, tmp_path / "study", labelled, raters=1, changes=[with_two_fields, category]
    )

    audited = auditing.audit_blinding(sqlite_database, situation.admin, situation.study_key, tmp_path / "audit.json")

    assert (audited.assignments, audited.leaks) == (6, leaks)
