"""`manage.py explain`: a study read back before anything is imported, without a database."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.command_line import invoke
from tests.harness.server import ROOT


def explained(path: Path) -> tuple[int, str]:
    """Return the exit status of the command, and what it printed."""
    done = invoke("explain", path)
    return done.exit_code, done.stdout


@pytest.mark.parametrize("name", ["demo", "starter"])
def test_a_study_of_the_repository_is_read_back(name: str) -> None:
    status, printed = explained(ROOT / "studies" / name)

    assert status == 0
    for heading in ("1. Read items (reading)", "2. Score answers (scoring)", "3. Adjudicate (review)"):
        assert heading in printed
    assert "Opens when the same person is done with “Read items”." in printed
    assert "not computed" not in printed
    for sentence in (
        "All raters read all items.",
        "All raters score models' answers;",
        "All reviewers review items of",
    ):
        assert sentence in printed
    # As the report calls it.
    assert "Primary estimate: accuracy of “Answer” in “Read items”, where format is yes/no or choice." in printed


def test_a_study_that_lists_its_phases_is_read_back_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "protocol.yaml"
    file.write_text(
        "blindread: 2\nname: a\ntitle: A\nphases: [{key: read, rates: items, shows: [scans], form: {v: text}}]\n"
        "analysis: {primary: {estimate: agreement, of: read.v}, also: [{estimate: auc, of: read.v}]}\n",
        encoding="utf-8",
    )

    status, printed = explained(file)

    assert status == 0
    assert "On the screen: the scans." in printed
    assert "What is computed, declared before the first verdict" in printed
    said = "Declared, not computed by this release: Area under the ROC curve of “V” in “Read”."
    assert said in " ".join(printed.split())
    assert printed.count("not computed by this release") == 1


def test_it_says_how_the_blinding_is_audited_after_the_freeze() -> None:
    _, printed = explained(ROOT / "studies" / "demo")

    assert "'manage.py blinding-audit STUDY' searches every screen" in " ".join(printed.split())


def test_every_problem_is_printed_and_the_status_says_so(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(
        "blindread: 2\nname: a\ntitle: A\n"
        "phases: [{key: read, rates: items, shows: [scan], form: {v: text}, by: nobody}]\n",
        encoding="utf-8",
    )

    status, printed = explained(tmp_path)

    assert status == 1
    assert "protocol.yaml, key phases.read.shows: there is no thing to show 'scan' (nearest: 'scans')" in printed
    assert "protocol.yaml, key phases.read.by: there is no group 'nobody'" in printed


def test_a_path_that_leads_nowhere_is_one_sentence(tmp_path: Path) -> None:
    status, printed = explained(tmp_path / "nowhere")

    assert status == 1
    assert len(printed.strip().splitlines()) == 1


PLAN_WITHOUT_REFERENCE = (
    "blindread: 2\nname: a\ntitle: A\nphases: [{key: read, rates: items, shows: [prompt], form: {v: yes_no}}]\n"
    "analysis: {primary: {estimate: accuracy, of: read.v}}\n"
)


def folder_with(path: Path, items: str) -> Path:
    (path / "protocol.yaml").write_text(PLAN_WITHOUT_REFERENCE, encoding="utf-8")
    (path / "items.csv").write_text(items, encoding="utf-8")
    return path


def test_a_folder_whose_plan_the_import_refuses_is_explained_and_refused_as_validate_does(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "item,format,prompt\nq1,yes_no,Is it?\nq2,yes_no,Is it so?\n")

    status, printed = explained(folder)
    refused = invoke("validate", folder)

    assert (status, refused.exit_code) == (1, 1)
    assert "Primary estimate: accuracy of “V” in “Read”" in printed
    assert printed.endswith(f"'manage.py validate' refuses this study:\n{refused.stdout}")


def test_a_folder_whose_tables_alone_are_refused_is_explained_and_says_so(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "item,format,prompt\nq1,yes_no,\n")

    status, printed = explained(folder)

    assert status == 0
    assert "'manage.py validate' refuses this folder as it is: items.csv, line 2" in printed


def test_of_a_folder_that_can_be_imported_nothing_is_said_to_be_refused(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "item,format,prompt\nq1,yes_no,Is it?\n")
    (folder / "references.csv").write_text("item,field,accepted\nq1,,yes\n", encoding="utf-8")

    status, printed = explained(folder)

    assert (status, "refuses" in printed) == (0, False)
