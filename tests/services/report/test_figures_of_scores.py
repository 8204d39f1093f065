"""Scores of correct or incorrect in a study that lists its phases, recomputed from the exported CSV files alone."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from db import Database
from db.engine import make_engine
from services.report import EstimateTable, Report, report_json, report_page
from services.report.figures.of_sections import figures_of
from tests.harness.databases import copy_of_sqlite_file
from tests.services.report.planted import judged_answers
from tests.services.report.recomputed import estimate_in, kappa_by_hand, pairs_of, share_same, tables_of, values_in

# Of each answer what the two say of it: correct, incorrect, or x for excluded.
VERDICTS = {
    "MARCUS": ["cc"] * 15 + ["ci", "ii", "ii", "xx", "xi"],
    "GPT-5": ["cc"] * 9 + ["ii"] * 8 + ["xx", "xc", "ic"],
}
SECTION = "phase_judge"


@pytest.fixture(scope="module")
def judged(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Report]]:
    """The report of these verdicts, with the database that it was read from."""
    folder = tmp_path_factory.mktemp("judged")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    yield database, judged_answers(database, folder / "study", VERDICTS)
    engine.dispose()


def test_what_is_excluded_is_in_neither_numerator_nor_denominator(judged: tuple[Database, Report]) -> None:
    database, report = judged
    tables = tables_of(database, report)
    models = {row["candidate"]: row["model"] for row in tables["candidates.csv"]}
    said = values_in(tables["fields.csv"], "verdict")
    assert {member: len(own) for member, own in said.items()} == {"Rater 1": 40, "Rater 2": 40}

    for member, own in said.items():
        for model, part in ((None, "All candidates"), ("GPT-5", "Model GPT-5"), ("MARCUS", "Model MARCUS")):
            here = [value for unit, value in own.items() if model in (None, models[unit])]
            correct, excluded, n = (here.count("correct"), here.count("excluded"), len(here))
            assert excluded > 0
            for bound, value, of in (
                ("", correct / (n - excluded), n - excluded),
                (", left out counted incorrect", correct / n, n),
                (", left out counted correct", (correct + excluded) / n, n),
            ):
                label = f"{part}: share scored correct{bound}"
                row = estimate_in(tables, SECTION, "verdict_share_correct", label, member)
                assert math.isclose(float(row["value"]), value)
                assert (int(row["n"]), row["unit"], row["cluster"]) == (of, "candidate", "subject")
                assert not bound or row["note"].endswith(f"{excluded} excluded or not assessable")

    # Both say correct or incorrect of 17 and 18; what one of them excludes is in no pair.
    pairs = [pair for pair in pairs_of(said["Rater 1"], said["Rater 2"]) if "excluded" not in pair]
    row = estimate_in(tables, SECTION, "verdict_agreement", "All candidates: Cohen’s kappa", "Rater 1 and Rater 2")
    assert math.isclose(float(row["value"]), kappa_by_hand(pairs)) and int(row["n"]) == len(pairs) == 36
    # They are no missing verdicts: everybody gave all of theirs.
    assert "; 4 that one or both excluded left out, counted apart" in row["method"]
    assert "without both verdicts" not in row["method"]
    row = estimate_in(
        tables, SECTION, "verdict_agreement_on_options", "All candidates: same answer", "Rater 1 and Rater 2"
    )
    assert math.isclose(float(row["value"]), share_same(pairs_of(said["Rater 1"], said["Rater 2"])))
    assert "10000 resamples, seed 1" in row["method"]


def test_what_three_excluded_is_counted_apart_from_what_lacks_verdicts(
    sqlite_database: Database, tmp_path: Path
) -> None:
    # Of two answers one rater or none says correct or incorrect, and all gave their verdicts.
    verdicts = {"MARCUS": ["ccc", "cci", "iii"], "GPT-5": ["cix", "cxx", "xxx"]}
    report = judged_answers(sqlite_database, tmp_path / "study", verdicts)
    rows = [
        row for row in tables_of(sqlite_database, report)["estimates.csv"]
        if row["table"] == "verdict_agreement" and row["label"].startswith("All candidates:")
    ]  # fmt: skip
    of_all = {row["label"].split(": ")[1]: row for row in rows if row["raters"] == "All raters"}
    alpha, same = of_all["alpha on scores"], of_all["same score"]

    assert int(alpha["n"]) == 4 and "; 2 that raters excluded left out, counted apart" in alpha["method"]
    assert int(same["n"]) == 3 and "; 3 that raters excluded left out, counted apart" in same["method"]
    assert len(rows) == 3 * 3 + 2, "Same answer, kappa and AC1 of each pair."
    assert all("excluded left out, counted apart" in row["method"] for row in rows)
    assert not any("fewer than two" in row["method"] or "without" in row["method"] for row in rows)


def test_what_the_plan_declares_stands_first_and_is_marked_in_every_form(judged: tuple[Database, Report]) -> None:
    database, report = judged
    rows = tables_of(database, report)["estimates.csv"]

    assert [section.key for section in report.sections] == ["plan", SECTION, "completeness", "study"]
    # "accuracy by model" is declared: of each model, and not of all candidates.
    shares = [row for row in rows if row["table"] == "verdict_share_correct"]
    assert {(row["label"].split(":")[0], row["plan"]) for row in shares} == {
        ("All candidates", ""), ("Model GPT-5", "also"), ("Model MARCUS", "also"),
    }  # fmt: skip
    assert {row["plan"] for row in rows if row["section"] == "plan"} == {"also"}
    assert {row["field"] for row in rows} == {"judge.verdict", "judge.reason"}
    words = " ".join(report.sections[0].explanation)
    primary = "Agreement on “The answer is” in “Verdicts on answers to multiple-choice questions”, against the judges."
    assert f"Primary estimate, not computed, since no judge’s run is about this field: {primary}" in words

    content = json.loads(report_json(report))
    of_json = [
        (table["field"], row["label"], row["raters"], row["estimate"]["value"], row["plan"])
        for section in content["sections"]
        for table in section["tables"]
        if table["kind"] == "estimates"
        for row in table["rows"]
    ]
    of_rows = [
        (table.field, row.statistic, row.estimate.value) for _, table in report.estimate_tables() for row in table.rows
    ]
    assert len(of_json) == len(of_rows)
    assert all(
        value is None if math.isnan(row[2]) else value == row[2]
        for (_, _, _, value, _), row in zip(of_json, of_rows, strict=True)
    )
    page = report_page(report)
    for _, label, _, _, _ in of_json:
        assert label.replace("’", "&#39;") in page or label in page


def test_the_phases_can_be_left_out_of_a_print_which_then_says_so(judged: tuple[Database, Report]) -> None:
    _, report = judged
    page = report_page(report)

    assert '<input type="checkbox" id="without-phases">' in page
    left_out = [section.title for section in report.sections if section.key.startswith("phase_")]
    assert f"Not printed here: {'; '.join(left_out)}." in page


def test_all_bootstraps_of_a_report_share_one_draw(judged: tuple[Database, Report]) -> None:
    _, report = judged
    resampled = [
        row.estimate.method
        for _, table in report.estimate_tables()
        for row in table.rows
        if table.field == "judge.verdict" and "bootstrap" in row.estimate.method
    ]

    assert resampled and all("one draw of clusters for all estimates" in method for method in resampled)


def test_figures_are_drawn_from_the_rows_and_from_nothing_else(judged: tuple[Database, Report]) -> None:
    _, report = judged
    figures = {figure.key: figure for figure in figures_of(report)}

    drawn = figures[f"{SECTION}-verdict_share_correct-share"]
    section = report.section(SECTION)
    assert section is not None
    table = section.table("verdict_share_correct")
    assert isinstance(table, EstimateTable)
    values = sorted(100 * row.estimate.value for row in table.rows if not row.bound)
    assert sorted(x for trace in drawn.figure.data for x in trace.x) == pytest.approx(values)
    assert "intervals" in drawn.caption and all(len(key) < 90 for key in figures)
