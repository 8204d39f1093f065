"""Criteria on measurements: the statistics that they can be about, and what is said of many raters at the import."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.studies.folders.checking import checked_folder
from tests.situations import write_table

PROTOCOL = """
blindread: 2
name: lengths
title: Lengths
groups: {{all: {{title: All, people: {people}}}}}
attributes: {{items: {{site: text}}}}
forms:
  measured: {{length: {{type: number, unit: mm}}}}
  seen: {{finding: yes_no}}
phases: [{{key: read, rates: items, shows: [prompt], form: as_item, by: all}}]
analysis: {{criteria: [{{key: it, estimate: agreement, of: read.length, above: 0.5, {more}}}]}}
"""
OF_FORM = "where: {form: measured}"


def undecided(folder: Path, people: int, more: str) -> list[str]:
    (folder / "protocol.yaml").write_text(PROTOCOL.format(people=people, more=more), encoding="utf-8")
    items = [(f"q{n}", "open", f"Item {n}?", "seen" if n % 3 else "measured", "ab"[n % 2]) for n in range(60)]
    write_table(folder / "items.csv", "item,format,prompt,form,site", items)
    return [warning for warning in checked_folder(folder).warnings if "would not be decided" in warning]


@pytest.mark.parametrize("people", [2, 10, 11])
def test_a_criterion_can_be_about_the_icc_of_all_raters_however_many_they_are(tmp_path: Path, people: int) -> None:
    assert undecided(tmp_path, people, f"statistic: icc, {OF_FORM}") == []


def test_the_form_of_a_field_is_no_part_of_its_units(tmp_path: Path) -> None:
    assert undecided(tmp_path, 10, f"statistic: lin_ccc, {OF_FORM}") == []


def test_a_selection_beside_the_form_is_a_part(tmp_path: Path) -> None:
    (warning,) = undecided(tmp_path, 5, "statistic: lin_ccc, where: {form: measured, site: a}")

    assert "5 raters are 10 pairs, and of a part the report lists at most 6" in warning


def test_what_is_proposed_for_many_raters_is_a_statistic_that_numbers_have(tmp_path: Path) -> None:
    (warning,) = undecided(tmp_path, 11, f"statistic: lin_ccc, {OF_FORM}")

    assert "use a statistic of all raters together, such as icc," in warning
