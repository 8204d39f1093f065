"""References per field: each field of a form is right or not by what counts as right in it, and files say so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from db import Database
from protocol.fields.abstention import UNDETERMINED
from services.reading import instructions
from services.record import verification
from services.studies.freeze import freezing
from tests.listed_study import closed_tables, imported_listed, work_through, write_listed
from tests.room_study import with_overlays
from tests.situations import Situation, answers, on_the_desk, read_all

REPORT = """
blindread: 2
name: listed
title: Structured reads
phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt]
    undetermined: [diagnosis]
    form:
      diagnosis: {type: choice, options: [tumor, stroke, normal]}
      modality: {type: choice, options: [MRI, CT]}
      sequence: {type: choice, options: [T1, T2], when: {modality: MRI}}
      size: {type: number, unit: mm, required: no}
      place: {type: point, required: no}
      why: {type: text, required: no}
"""
REFERENCES = """item,field,accepted,low,high,radius,overlay,compare,provenance
i1,diagnosis,tumor|stroke,,,,,,Two readers
i1,modality,MRI,,,,,,header
i1,sequence,T1,,,,,,header
i1,size,,10,20,,,,Two readers
i1,place,1 2 3,,,5,,,Two readers
i1,why,A whole text | of any signs,,,,,people,Two readers
i2,place,,,,,truth-1,,
i5,,normal,,,,,,
"""


def with_references(folder: Path) -> Path:
    (folder / "references.csv").write_text(REFERENCES, encoding="utf-8")
    (folder / "candidates.csv").unlink()
    return folder


def read_once(database: Database, folder: Path, fields: dict[str, Any]) -> Situation:
    """Let a rater give these answers to every item."""
    write_listed(folder, REPORT, [with_overlays, with_references])
    situation = imported_listed(database, folder, raters=1)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    work_through(situation, lambda payload: answers(**fields))
    return situation


def compared(tables: dict[str, list[dict[str, str]]], item: str) -> dict[str, tuple[str, str]]:
    """Return who compares a field of an item, and whether it is right."""
    return {row["field"]: (row["reference"], row["correct"]) for row in tables["fields.csv"] if row["item"] == item}


RIGHT = {"diagnosis": "stroke", "modality": "MRI", "sequence": "T1", "size": 20, "place": [1, 2, 7], "why": "So."}


def test_each_field_is_right_by_its_own_reference(database: Database, tmp_path: Path) -> None:
    tables = closed_tables(read_once(database, tmp_path / "study", {**RIGHT, "sequence": "T2"}))

    assert compared(tables, "i1") == {
        "diagnosis": ("program", "yes"),
        "modality": ("program", "yes"),
        "sequence": ("program", "no"),
        "size": ("program", "yes"),
        "place": ("program", "yes"),
        "why": ("people", ""),
    }


def test_an_item_has_references_for_all_for_some_or_for_no_fields(database: Database, tmp_path: Path) -> None:
    tables = closed_tables(read_once(database, tmp_path / "study", RIGHT))

    states = {
        item: {field: state for field, (state, _) in compared(tables, item).items() if state != "none"}
        for item in ("i2", "i4", "i5")
    }
    assert states == {"i2": {"place": "program"}, "i4": {}, "i5": {"diagnosis": "program"}}
    # What names no field is about the primary one.
    assert compared(tables, "i5")["diagnosis"] == ("program", "no")


@pytest.mark.parametrize(("place", "hits"), [([8, 10, 7.5], "yes"), ([8, 10, 20], "no"), ([900, 0, 0], "no")])
def test_a_point_is_right_where_it_hits_the_overlay_of_the_reference(
    sqlite_database: Database, tmp_path: Path, place: list[float], hits: str
) -> None:
    tables = closed_tables(read_once(sqlite_database, tmp_path / "study", {**RIGHT, "place": place}))

    assert compared(tables, "i2")["place"] == ("program", hits)


def test_an_abstention_is_not_right_and_an_unasked_field_is_neither(database: Database, tmp_path: Path) -> None:
    given = {"diagnosis": dict(UNDETERMINED), "modality": "CT"}
    tables = closed_tables(read_once(database, tmp_path / "study", given))

    assert compared(tables, "i1") == {"diagnosis": ("program", "no"), "modality": ("program", "no")}


def test_a_point_is_exported_with_its_distance_and_a_reference_with_its_radius(
    sqlite_database: Database, tmp_path: Path
) -> None:
    tables = closed_tables(read_once(sqlite_database, tmp_path / "study", RIGHT))

    distances = [row["distance_mm"] for row in tables["fields.csv"] if (row["item"], row["field"]) == ("i1", "place")]
    lines = {(row["item"], row["field"]): row for row in tables["references.csv"]}
    assert distances == ["4.0"]
    assert (lines["i1", "place"]["radius"], lines["i2", "place"]["overlay"]) == ("5.0", "truth-1")
    assert (lines["i1", "why"]["accepted"], lines["i1", "why"]["compared_by"]) == (
        "A whole text | of any signs",
        "people",
    )


def test_references_per_field_are_sealed_and_their_freeze_verifies(database: Database, tmp_path: Path) -> None:
    situation = read_once(database, tmp_path / "study", RIGHT)

    assert verification.verify_study(database, situation.study_key) == []


SYNONYMS = """
blindread: 2
name: listed
title: Words that mean the same
phases:
  - key: read
    title: Reads
    rates: items
    shows: [scans, prompt]
    form: {differential: {type: ranked, synonyms: lists/diagnoses}, why: {type: text, synonyms: lists/diagnoses}}
  - {key: again, title: Again, rates: items, from: {phase: read, let_in: differs}, shows: [scans], form: {ok: text}}
"""


def with_a_list(folder: Path) -> None:
    (folder / "candidates.csv").unlink()
    (folder / "lists").mkdir()
    written = "gbm: {text: Glioblastoma, synonyms: [WHO grade 4 astrocytoma]}\nms: Multiple sclerosis\n"
    (folder / "lists" / "diagnoses.yaml").write_text(written, encoding="utf-8")
    lines = "item,field,accepted\ni1,differential,glioblastoma\ni1,why,ms\n"
    (folder / "references.csv").write_text(lines, encoding="utf-8")


def test_other_words_for_an_accepted_answer_are_right_and_agree(database: Database, tmp_path: Path) -> None:
    folder = write_listed(tmp_path / "study", SYNONYMS, [with_a_list])
    situation = imported_listed(database, folder, raters=2)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    words = (("The glioblastoma", "Multiple sclerosis"), ("who grade 4 astrocytoma", "MS"))
    for rater, (written, why) in zip(situation.raters, words, strict=True):
        instructions.acknowledge_instructions(database, rater, situation.study_key, "part-1")
        given = {f"Prompt of i{n}?": answers(differential=[written, "cyst"], why=why) for n in range(1, 7)}
        assert "sclerosis" not in str(on_the_desk(situation, rater, "part-1"))
        read_all(situation, rater, "part-1", given)
    tables = closed_tables(situation)

    of_item = [row for row in tables["fields.csv"] if row["item"] == "i1"]
    assert {(row["field"], row["correct"]) for row in of_item} == {("differential", "yes"), ("why", "yes")}
    agreeing = {row["name"]: row["value"] for row in tables["estimates.csv"] if "agreement" in row["name"]}
    assert agreeing["percent agreement on the first line"] == agreeing["percent agreement on answers"] == "1.0"
    # Nothing differs, so that nothing is let into the second phase.
    assert {row["phase"] for row in tables["sample.csv"]} == {"read"}
