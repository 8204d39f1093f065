"""An attribute that a phase names is no leak in it, and every screen of both steps of a phase is looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db import Database
from services.record.blinding_audit import auditing
from services.record.blinding_audit.ruling import AIDED, RELEASED
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


READS_TWICE = """
blindread: 2
name: listed
title: With and without a model
attributes: {items: {model_a: text}}
phases:
  - key: read
    title: Reads
    rates: items
    shows: [SHOWN]
    form: {diagnosis: text}
    then: {shows: [MORE], again: yes}
"""
WITH_AN_AID = READS_TWICE.replace("SHOWN", "prompt").replace("MORE", "model_a")
A_SENTENCE = "Probably a left MCA infarct."


def with_aids(says: str, of_another: str = "") -> Callable[[Path], None]:
    """Let a model say something of the first item, whose reference is an infarct.

    Parameters
    ----------
    of_another
        The reference of another item of the subject.
    """

    def aided(folder: Path) -> None:
        (folder / "candidates.csv").unlink()
        open_ones = [row | {"format": "open", "form": "", "options": ""} for row in rows_of(folder / "items.csv")]
        said = [row | {"model_a": says if row["item"] == "i1" else "Normal."} for row in open_ones]
        rewrite(folder / "items.csv", said)
        lines = ["item,accepted", "i1,Left MCA infarct", *([f"i2,{of_another}"] if of_another else [])]
        (folder / "references.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    return aided


def audit_of(database: Database, folder: Path, protocol: str, change: Callable[[Path], None]) -> dict[str, Any]:
    situation = opened_listed(database, folder, protocol, raters=1, changes=[change])
    auditing.audit_blinding(database, situation.admin, situation.study_key, folder / "audit.json")
    result: dict[str, Any] = json.loads((folder / "audit.json").read_text("utf-8"))
    return result


@pytest.mark.parametrize(
    ("says", "rule"),
    [(A_SENTENCE, AIDED), ("Left MCA infarct", RELEASED)],
    ids=["in a sentence", "alone"],
)
def test_an_aid_that_is_right_after_the_own_answer_is_counted_and_no_leak(
    sqlite_database: Database, tmp_path: Path, says: str, rule: str
) -> None:
    result = audit_of(sqlite_database, tmp_path / "study", WITH_AN_AID, with_aids(says))

    assert result["leaks_in_all"] == 0
    assert {"kind": "reference", "rule": rule, "where": "context.facts (model_a)", "count": 1} in result["legitimate"]


@pytest.mark.parametrize(
    ("protocol", "change"),
    [
        (READS_TWICE.replace("SHOWN", "prompt, model_a").replace("MORE", "model_a, options"), with_aids(A_SENTENCE)),
        (WITH_AN_AID, with_aids(A_SENTENCE, of_another="Left MCA infarct")),
        (WITH_AN_AID, with_aids("No gliosis of the pons.", of_another="Gliosis of the pons")),
    ],
    ids=["shown before the answer, too", "the reference of another item, too", "the reference of another item"],
)
def test_an_attribute_that_says_more_than_the_own_reference_after_the_answer_is_a_leak(
    sqlite_database: Database, tmp_path: Path, protocol: str, change: Callable[[Path], None]
) -> None:
    result = audit_of(sqlite_database, tmp_path / "study", protocol, change)

    assert {(leak["kind"], leak["where"], leak["item"]) for leak in result["leaks"]} == {
        ("reference", "context.facts", "i1")
    }


def test_an_attribute_beside_a_blind_read_that_is_the_reference_is_counted_by_its_name(
    sqlite_database: Database, tmp_path: Path
) -> None:
    protocol = READS_TWICE.replace("SHOWN", "prompt, model_a").replace("    then: {shows: [MORE], again: yes}\n", "")

    result = audit_of(sqlite_database, tmp_path / "study", protocol, with_aids("Left MCA infarct"))

    assert result["leaks_in_all"] == 0
    assert {"kind": "reference", "rule": RELEASED, "where": "context.facts (model_a)", "count": 1} in result[
        "legitimate"
    ]
