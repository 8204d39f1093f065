"""Items without a reference: nothing that needs one is computed from them; where none has one, the report says so."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from sqlmodel import select

from db import Database, Item, Reference, Study
from db.engine import make_engine
from exchange.report.report_structure import DataFile
from services.progress import data_lock
from services.report import Report, build_report, figures_of, report_page
from services.report.build import report_of
from services.report.rows.loading import load_rows
from tests.harness.databases import copy_of_sqlite_file
from tests.services.report.lines import all_lines, lines_in
from tests.services.report.situations import (
    FIRST,
    SECOND,
    STUDY,
    Situation,
    frozen_study,
    import_judge,
    read_all,
    review_all,
    study_folder,
)

UNKNOWN = {"i2", "i6"}
ALL = {f"i{number}" for number in range(1, 9)}
NEEDS_REFERENCES = {"accuracy", "accuracy_difference", "discordant_share", "token_f1", "shortcut_score"}
OF_CORRECTNESS = {"correctness", "both_wrong", "same_wrong_answer", "same_of_both_wrong", "consensus", "exact_match"}
SETTLED = {"i1": "left", "i2": "yes", "i3": "3", "i4": "right", "i5": "no", "i6": "frontal", "i7": "yes", "i8": "no"}


def finished(database: Database, folder: Path, without: set[str], **changed: str) -> Situation:
    """Let a study be read, reviewed, judged and closed."""
    situation = frozen_study(database, study_folder(folder, resamples=200, **changed), without_reference=without)
    read_all(situation, "rater 1", FIRST)
    read_all(situation, "rater 2", SECOND)
    review_all(situation, "reviewer 1", SETTLED, SETTLED)
    import_judge(situation, {f"k{number}": "correct" for number in range(1, 9)})
    data_lock.close_study(database, situation.admin, STUDY)
    return situation


def built(folder: Path, migrated: Path, without: set[str]) -> Report:
    """Build the report of such a study in a database of its own."""
    engine = make_engine(copy_of_sqlite_file(migrated, folder / "data" / "blindread.db"))
    try:
        situation = finished(Database(engine, folder / "data"), folder / "study", without)
        return build_report(situation.database, situation.admin, STUDY)
    finally:
        engine.dispose()


@pytest.fixture(scope="module")
def some(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of a study in which two of eight items have no reference."""
    return built(tmp_path_factory.mktemp("some"), migrated_sqlite, UNKNOWN)


@pytest.fixture(scope="module")
def none(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of a study in which no item has a reference."""
    return built(tmp_path_factory.mktemp("none"), migrated_sqlite, ALL)


def said_by(report: Report, key: str) -> str:
    section = report.section(key)
    assert section is not None
    return " ".join(section.explanation)


def file_of(report: Report, name: str) -> DataFile:
    return next(file for file in report.files if file.name == name)


def test_accuracy_counts_only_items_with_a_reference_and_its_n_says_so(some: Report) -> None:
    estimates = {(line.stratum, line.who): line.estimate for line in lines_in(some, "accuracy", "accuracy")}

    # Rater 1 has i4 and i7 wrong; rater 2 has i7 right, i5 is not assessable for them.
    assert (estimates["all", "Rater 1"].value, estimates["all", "Rater 1"].n) == (pytest.approx(4 / 6), 6)
    assert (estimates["all", "Rater 2"].value, estimates["all", "Rater 2"].n) == (pytest.approx(1 / 5), 5)
    assert (estimates["format open", "Rater 1"].value, estimates["format open", "Rater 1"].n) == (1.0, 1)


def test_a_part_whose_items_have_no_reference_has_no_line_of_accuracy(some: Report) -> None:
    of_accuracy = {line.label for line in lines_in(some, "accuracy", "accuracy_by_category")}
    of_agreement = {line.label for line in lines_in(some, "agreement", "agreement_by_category")}

    assert of_accuracy == {"Category: count", "Category: presence", "Category: side"}
    assert of_agreement == {"Category: count", "Category: place", "Category: presence", "Category: side"}


def test_floors_are_those_of_the_items_with_a_reference(some: Report) -> None:
    estimates = {(line.who, line.stratum): line.estimate for line in lines_in(some, "floors", "floors")}

    # Two items with four options and three yes/no items are left; of i1, i3, i4, i5 and i7 the baseline has i1 and i7
    # right.
    assert estimates["Chance", "closed"].value == pytest.approx((2 / 4 + 3 / 2) / 5)
    baseline = estimates["Text-only baseline", "all"]
    assert (baseline.value, baseline.n) == (pytest.approx(2 / 5), 5)


def test_agreement_on_answers_keeps_all_items_and_that_on_correctness_does_not(some: Report) -> None:
    answers = {line.label: line.estimate for line in lines_in(some, "agreement", "agreement_on_answers")}
    correctness = {line.label: line.estimate for line in lines_in(some, "agreement", "agreement_on_correctness")}
    shared = {line.label: line.estimate for line in lines_in(some, "agreement", "shared_errors")}

    assert answers["All items: same answer"].n == 7
    assert correctness["All items: same correctness"].n == 5
    assert shared["Both wrong"].n == 5


def test_the_sections_and_the_items_say_which_lack_a_reference(some: Report) -> None:
    for key in ("accuracy", "floors", "agreement", "adjudication", "study"):
        assert "2 of 8 items have no reference" in said_by(some, key), key
    items = file_of(some, "items.csv")
    columns = [column.key for column in items.columns]
    lacking = {row[0] for row in items.rows if row[columns.index("reference_version")] is None}
    assert lacking == UNKNOWN
    verdicts = file_of(some, "verdicts.csv")
    correct = [column.key for column in verdicts.columns].index("correct")
    assert {row[correct] for row in verdicts.rows if row[1] in UNKNOWN} == {None}


def test_where_no_item_has_a_reference_no_estimate_that_needs_one_is_there(none: Report) -> None:
    rows = [line.row for line in all_lines(none)]

    assert rows
    assert not {row.statistic for row in rows} & NEEDS_REFERENCES
    assert not {row.compared for row in rows} & OF_CORRECTNESS


@pytest.mark.parametrize("key", ["accuracy", "floors"])
def test_where_no_item_has_a_reference_the_section_is_one_line_that_says_why(none: Report, key: str) -> None:
    section = none.section(key)

    assert section is not None
    assert section.explanation[0] == "No item of this study has a reference, so nothing that needs one was computed."
    assert section.tables == ()


def test_a_primary_estimate_that_needs_references_is_said_to_be_missing(none: Report) -> None:
    assert "accuracy on closed formats (yes/no and choice), could not be computed" in said_by(none, "accuracy")


def test_where_no_item_has_a_reference_raters_are_still_compared_on_their_answers(none: Report) -> None:
    same = {line.label: line.estimate for line in lines_in(none, "agreement", "agreement_on_answers")}
    adjudicated = {line.label for line in lines_in(none, "adjudication", "before_and_after")}

    # Of the seven items that both answered they agree on i2 and i4.
    assert same["All items: same answer"].value == pytest.approx(2 / 7)
    assert "Items with one answer, before" in adjudicated


def test_a_report_without_references_is_drawn_and_written_like_any_other(none: Report) -> None:
    drawn = figures_of(none)

    assert "accuracy" not in {figure.section for figure in drawn}
    assert {"agreement", "adjudication"} <= {figure.section for figure in drawn}
    assert "No item of this study has a reference" in report_page(none)


def test_automatic_scorers_have_nothing_to_score_by_where_no_item_has_a_reference(closed_ended: Situation) -> None:
    with closed_ended.database.read_only() as session:
        rows = load_rows(session, session.exec(select(Study).where(Study.key == STUDY)).one())
    unknown = tuple(replace(item, accepted=(), low=None, high=None) for item in rows.items)

    section = report_of(replace(rows, items=unknown), "final").section("scores")

    assert section is not None
    assert section.table("scores_agreement") is not None
    assert section.table("automatic_scorers") is None


def test_a_reference_that_names_nothing_is_none(sqlite_database: Database, tmp_path: Path) -> None:
    situation = frozen_study(sqlite_database, study_folder(tmp_path / "study", resamples=200))
    read_all(situation, "rater 1", FIRST)
    with sqlite_database.writing() as session:
        for item in session.exec(select(Item)).all():
            session.add(Reference(item_id=item.id, version=2, accepted=[]))
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    report = build_report(sqlite_database, situation.admin, STUDY)

    assert "No item of this study has a reference" in said_by(report, "accuracy")


# ---- agreement as what was planned -----------------------------------------------------------------------------------


def test_agreement_may_be_the_primary_estimate(sqlite_database: Database, tmp_path: Path) -> None:
    situation = finished(sqlite_database, tmp_path / "study", ALL, primary="agreement")

    report = build_report(sqlite_database, situation.admin, STUDY)

    [planned] = [line for line in all_lines(report) if line.row.planned]
    assert (planned.label, planned.who, planned.note) == (
        "All items: same answer", "Rater 1 and Rater 2", "primary estimate",
    )  # fmt: skip
    assert not math.isnan(planned.estimate.value)
    assert dict(report.analysis_plan)["Primary estimate"].startswith("percent agreement between raters")
    assert "could not be computed" not in said_by(report, "accuracy")


def test_a_primary_agreement_of_one_rater_is_said_to_be_missing(sqlite_database: Database, tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "study", resamples=200, primary="agreement")
    situation = frozen_study(sqlite_database, folder, raters=1, reviewers=0)
    read_all(situation, "rater 1", FIRST)
    data_lock.close_study(sqlite_database, situation.admin, STUDY)

    report = build_report(sqlite_database, situation.admin, STUDY)

    assert "primary estimate" in said_by(report, "agreement")
    assert not [line for line in all_lines(report) if line.row.planned]
