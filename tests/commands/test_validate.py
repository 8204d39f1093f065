"""`manage.py validate`: a study folder checked without a database, with all that is wrong at once."""

from __future__ import annotations

from pathlib import Path

from benchmarks.wrong_references import folder_of
from db import Database
from services.studies.folders import importing
from tests.harness.command_line import invoke
from tests.listed_study import READ_THEN_SCORE, TWO_GROUPS, write_listed
from tests.room_study import with_practice
from tests.situations import owner_of, write_study_folder

PRACTISED = """
blindread: 2
name: listed
title: Practised, then read
phases:
  - key: training
    rates: items
    from: {where: {practice: yes}}
    shows: [prompt, options]
    form: {answer: as_item}
    counts: no
  - key: read
    rates: items
    shows: [scans, prompt, options]
    form: {answer: as_item}
"""


def validated(path: Path) -> tuple[int, str]:
    """Return the exit status of the command, and what it printed as one line."""
    done = invoke("validate", path)
    return done.exit_code, " ".join(done.stdout.split())


def test_a_folder_of_either_language_can_be_imported(tmp_path: Path) -> None:
    for folder in (write_study_folder(tmp_path / "first"), write_listed(tmp_path / "second", READ_THEN_SCORE)):
        status, printed = validated(folder)

        assert status == 0
        assert "can be imported: 3 cases, 9 volumes, 6 items, 6 candidates." in printed


def test_items_for_practice_are_counted_apart_as_at_the_import(sqlite_database: Database, tmp_path: Path) -> None:
    folder = write_listed(tmp_path / "study", PRACTISED, [with_practice])

    _, printed = validated(folder)

    imported = importing.import_study(sqlite_database, owner_of(sqlite_database), folder)
    assert "volumes, 6 items and 4 for practice, 6 candidates." in printed
    assert imported.items_in_words == "6 items and 4 for practice"


def test_what_a_plan_declares_and_nobody_computes_is_said(tmp_path: Path) -> None:
    plan = "analysis: {also: [{estimate: agreement, of: score.verdict}, {estimate: mean, of: score.verdict}]}\n"

    status, printed = validated(write_listed(tmp_path / "study", READ_THEN_SCORE + plan))

    assert status == 0
    assert printed.count("not computed by this release") == 1
    said = "Declared, not computed by this release: Mean of “Verdict” in “Scores”."
    assert f"Please check: {said} In protocol.yaml: line 2 of analysis.also." in printed


def test_a_group_that_no_phase_is_for_is_warned_of_as_at_the_import(sqlite_database: Database, tmp_path: Path) -> None:
    third = TWO_GROUPS.replace("scorers: Scorers}", "scorers: Scorers, experts: Experts}")
    folder = write_listed(tmp_path / "study", third)

    status, printed = validated(folder)

    imported = importing.import_study(sqlite_database, owner_of(sqlite_database), folder)
    warning = "The group 'experts' works in no phase, so its members would have nothing to do; name it under"
    assert status == 0 and printed.count("works in no phase") == 1 and f"Please check: {warning}" in printed
    assert [said.startswith(warning) for said in imported.warnings if "works in no phase" in said] == [True]


def test_protocol_tables_and_scans_are_refused_at_once(tmp_path: Path) -> None:
    answered_together = READ_THEN_SCORE.replace("{answer: as_item}", "{answer: as_item}\n    by: {together: yes}")
    folder = write_listed(tmp_path / "study", answered_together)
    (folder / "volumes" / "c1-t1.nii.gz").write_bytes(b"no scan")
    items = (folder / "items.csv").read_text("utf-8").replace("yes_no,image_grounded", "perhaps,image_grounded", 1)
    (folder / "items.csv").write_text(items, encoding="utf-8")

    status, printed = validated(folder)

    assert status == 1
    assert "protocol.yaml, key phases.second.by.together: Several people cannot give" in printed
    assert "items.csv, line 2: format is 'perhaps'" in printed
    assert "volumes.csv, volume 'c1-t1'" in printed


def test_a_scan_that_cannot_be_read_is_said_of_a_folder_that_is_right_otherwise(tmp_path: Path) -> None:
    folder = write_study_folder(tmp_path / "study")
    (folder / "volumes" / "c1-t1.nii.gz").write_bytes(b"no scan")

    status, printed = validated(folder)

    assert status == 1
    assert "volumes.csv, volume 'c1-t1'" in printed


def test_all_problems_of_a_table_are_listed_up_to_a_thousand(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "study", items=400, wrong=300)

    status, printed = validated(folder)

    assert status == 1 and "300 problems. Nothing was stored." in printed
    assert printed.count("references.csv, line ") == 300


def test_what_was_not_looked_at_is_said_below_what_is_wrong(tmp_path: Path) -> None:
    folder = write_listed(tmp_path / "study", READ_THEN_SCORE.replace("shows:", "order: radnom\n    shows:", 1))

    status, printed = validated(folder)

    assert status == 1
    assert printed.index("found 'radnom'") < printed.index("Not looked at because of this: whether secret_arm keeps")


def test_what_a_plan_asks_in_vain_does_not_hide_a_scan_that_cannot_be_read(tmp_path: Path) -> None:
    line = (
        "{key: good, estimate: agreement, of: score.verdict, statistic: cohen_kappa, above: 0.6, least: {units: 999}}"
    )
    folder = write_listed(tmp_path / "study", READ_THEN_SCORE + f"analysis: {{criteria: [{line}]}}\n")
    (folder / "volumes" / "c1-t1.nii.gz").write_bytes(b"no scan")

    status, printed = validated(folder)

    assert status == 1
    assert "protocol.yaml, key analysis.criteria.good" in printed
    assert "volumes.csv, volume 'c1-t1'" in printed


def test_a_folder_that_the_freeze_would_refuse_has_a_status_of_its_own(tmp_path: Path) -> None:
    too_many = READ_THEN_SCORE.replace("from: {where: {format: [yes_no]}}", "from: {sample: {size: 99}}")

    status, printed = validated(write_listed(tmp_path / "study", too_many))

    assert status == 3
    assert "can be imported: 3 cases" in printed
    assert "Please check: The freeze would refuse phase 'second': sample.size: 99 units are wanted" in printed
    assert printed.endswith(
        "can be imported, but as it is the freeze would, or could, refuse it: complete the tables "
        "or correct the protocol first."
    )
