"""What captions and notes say of intervals and P values agrees with the rows that they are about."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from agreement import cohen_kappa
from db.engine import Database, make_engine
from exchange.report.estimate_rows import EstimateRow
from exchange.report.report_structure import EstimateTable
from exchange.report.report_tables import printed
from exchange.report.shown_numbers import has_interval
from services.progress import data_lock
from services.report import Figure, Report, build_report, figures_of
from tests.harness.databases import copy_of_sqlite_file
from tests.services.report.lines import lines_in
from tests.services.report.situations import (
    FIRST,
    SECOND,
    STUDY,
    frozen_study,
    import_judge,
    read_all,
    score_all,
    study_folder,
)

PLANS = ("interval: by_statistic", "interval: percentile_bootstrap")
CLUSTERED = re.compile(r"95 % intervals \([^)]*\) that allow for clustering by (subject|item)")


@pytest.fixture(scope="module", params=PLANS)
def weighted(request: pytest.FixtureRequest, migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report whose candidates were drawn with unequal probabilities, a model of which has a single one."""
    return report_of(migrated_sqlite, tmp_path_factory.mktemp("weighted"), request.param, sample=3)


@pytest.fixture(scope="module")
def report_by_statistic(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report of which each statistic has its own interval, with all candidates in the sample."""
    return report_of(migrated_sqlite, tmp_path_factory.mktemp("by_statistic"), PLANS[0], sample=8)


@pytest.fixture(scope="module")
def report_by_bootstrap(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The same of which each interval is a bootstrap's."""
    return report_of(migrated_sqlite, tmp_path_factory.mktemp("by_bootstrap"), PLANS[1], sample=8)


@pytest.fixture(scope="module", params=["report_by_statistic", "report_by_bootstrap"])
def whole(request: pytest.FixtureRequest) -> Report:
    """A report with all candidates in the sample, under either plan."""
    report: Report = request.getfixturevalue(request.param)
    return report


def report_of(migrated: Path, folder: Path, intervals: str, *, sample: int, judged: int = 8) -> Report:
    engine = make_engine(copy_of_sqlite_file(migrated, folder / "data" / "blindread.db"))
    study = study_folder(folder / "study", sample=sample, resamples=200, intervals=intervals)
    situation = frozen_study(Database(engine, folder / "data"), study, reviewers=0)
    read_all(situation, "rater 1", FIRST)
    read_all(situation, "rater 2", SECOND)
    score_all(situation, "rater 1", ["k1", "k3", "k5", "k7"])
    score_all(situation, "rater 2", ["k1", "k3", "k5", "k7"])
    import_judge(situation, {f"k{n}": "correct" if n in (1, 3, 4, 7) else "incorrect" for n in range(1, judged + 1)})
    data_lock.close_study(situation.database, situation.admin, STUDY, "Verdicts are missing.")
    report = build_report(situation.database, situation.admin, STUDY)
    engine.dispose()
    return report


def drawn_lines(chart: Figure) -> Iterator[list[float]]:
    """The heights at which the dots of each series stand."""
    for trace in chart.figure.data:
        if trace.type == "scatter" and trace.mode == "markers":
            yield [round(y, 6) for y in trace.y]


def test_no_two_dots_of_one_symbol_stand_on_one_line(weighted: Report) -> None:
    for chart in figures_of(weighted):
        for heights in drawn_lines(chart):
            assert max(Counter(heights).values(), default=1) == 1, chart.key


def test_the_estimate_weighted_to_the_pool_has_a_line_and_an_n_of_its_own(weighted: Report) -> None:
    rows = lines_in(weighted, "judges", "judge_1_direction")
    figure = next(chart for chart in figures_of(weighted) if chart.key == "judge_1_direction").figure
    labels = [text.replace("<br>", " ") for text in figure.layout.yaxis.ticktext]
    written = [note.text for note in figure.layout.annotations if str(note.text).startswith("n = ")]

    assert len(labels) == len(rows)
    assert len(written) == sum(not math.isnan(line.estimate.value) for line in rows)
    assert [label.endswith("weighted to the pool") for label in labels] == [line.row.weighted for line in rows]
    assert any(line.row.weighted for line in rows)


def test_captions_say_the_methods_of_the_rows_that_are_drawn(whole: Report) -> None:
    captions = {chart.key: chart.caption for chart in figures_of(whole)}
    assert not any("resample" in caption for caption in captions.values())
    for section, key in (("accuracy", "accuracy"), ("judges", "judge_1_direction")):
        drawn = [line for line in lines_in(whole, section, key) if has_interval(line.estimate)]
        methods = {
            re.split("[,;(]", line.estimate.method)[0].strip() for line in drawn if line.who != "All raters"
        }  # fmt: skip
        said = CLUSTERED.search(captions[key])
        # units that are each the only one of their cluster are independent
        if all(line.estimate.n_clusters is not None for line in drawn):
            assert said is not None, captions[key]
            assert said[1] == ("item" if section == "judges" else "subject")
        else:
            assert said is None
        assert all(method in captions[key] for method in methods)


def test_the_kappa_of_a_judge_is_not_said_to_be_resampled(report_by_statistic: Report) -> None:
    caption = next(chart.caption for chart in figures_of(report_by_statistic) if chart.key == "judge_1_agreement")
    assert "large-sample standard error with two items added" in caption
    assert "clustering by item" in caption


def test_the_text_on_scores_names_no_way_that_its_intervals_do_not_take(report_by_statistic: Report) -> None:
    section = report_by_statistic.section("scores")
    assert section is not None
    methods = {
        row.estimate.method for table in section.tables if isinstance(table, EstimateTable) for row in table.rows
    }
    assert any(method.startswith("Wilson") for method in methods)
    assert "resample" not in " ".join((*section.explanation, *section.method))
    assert "account for clustering by item" in " ".join((*section.explanation, *section.method))


def test_no_interval_decides_nothing(weighted: Report) -> None:
    lines = lines_in(weighted, "judges", "judge_1_direction")
    without = [line for line in lines if not has_interval(line.estimate) and line.estimate.n]

    # of a single candidate a bootstrap has no interval, Newcombe's has; how many are clustered depends on the draw
    resampled = [line for line in lines if line.estimate.n == 1 and "bootstrap" in line.estimate.method]
    assert not [line.note for line in resampled if has_interval(line.estimate)]
    assert not [line.note for line in without if "by the interval" in line.note]
    assert all("stricter" in line.note for line in without if not line.row.weighted)
    assert all(
        "by the interval" in line.note for line in lines if has_interval(line.estimate) and not line.row.weighted
    )


def test_an_automatic_scorer_is_said_to_be_stricter_by_its_interval_and_what_p_assumes(
    report_by_statistic: Report,
) -> None:
    lines = lines_in(report_by_statistic, "scores", "automatic_scorers")
    (line,) = (line for line in lines if line.row.statistic == "signed_difference")
    section = report_by_statistic.section("scores")
    table = section.table("automatic_scorers") if section is not None else None

    assert re.match(r"exact match stricter on \d+, more lenient on \d+", line.note)
    assert ("by the interval, which accounts for clustering by item" in line.note) == has_interval(line.estimate)
    assert isinstance(table, EstimateTable)
    assert "for clusters (Obuchowski) where candidates share items or subjects" in table.explanation


def test_who_is_outside_the_bounds_of_a_judge_is_said(
    migrated_sqlite: Path, tmp_path: Path, report_by_statistic: Report
) -> None:
    lacking = report_of(migrated_sqlite, tmp_path, PLANS[0], sample=8, judged=7)

    explained = [
        table.explanation
        for report in (lacking, report_by_statistic)
        for section in report.sections
        for table in section.tables
        if table.key == "judge_1_pool"
    ]

    assert "1 candidate is not in the run, and left out of every row, also of those that count" in explained[0]
    assert "not in the run" not in explained[1]


def test_what_p_of_kappa_tests_stands_below_its_table(report_by_statistic: Report) -> None:
    for _, table in report_by_statistic.estimate_tables():
        notes = [note for note in printed(table).notes if note.startswith("P of kappa")]
        assert len(notes) == any(map(has_p_of_kappa, table.rows)), table.key
        for note in notes:
            assert "two-sided" in note and "kappa = 0" in note and "two items added" in note
    assert any(has_p_of_kappa(row) for _, table in report_by_statistic.estimate_tables() for row in table.rows)


def has_p_of_kappa(row: EstimateRow) -> bool:
    return row.statistic == "cohen_kappa" and row.estimate.p is not None


def test_p_of_a_kappa_of_zero_is_below_one_by_the_items_added() -> None:
    """Of 20 items a rater calls 19 "no" and the other all: half an item more in each cell takes kappa off 0."""
    unequal = cohen_kappa([False] * 20, [False] * 19 + [True])
    equal = cohen_kappa([False, False, True, True], [False, True, False, True])

    assert unequal.value == equal.value == 0.0
    assert unequal.p is not None and unequal.p < 1.0
    assert equal.p == pytest.approx(1.0)
    assert unequal.interval == equal.interval == "adjusted"
