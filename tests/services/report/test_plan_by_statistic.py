"""A plan that takes each statistic's own interval: the values of the older plan, with the intervals of the library."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from agreement import accuracy_of_correctness, cohen_kappa
from agreement.shared_draw import ClusterDraw
from db.engine import Database, make_engine
from exchange.report.estimate_rows import EstimateRow, Stratum
from services.progress import data_lock
from services.report import Report, build_report
from tests.harness.databases import copy_of_sqlite_file
from tests.services.report.situations import STUDY, frozen_study, read_all, study_folder

ITEMS = [f"i{number}" for number in range(1, 49)]
SUBJECT = {item: f"s{(number + 1) // 2}" for number, item in enumerate(ITEMS, start=1)}
RESAMPLES = 400
TABLES = {
    "cases": "case,subject,vignette,age,note\n" + "".join(f"c{n},s{n},,,\n" for n in range(1, 25)),
    "volumes": "volume,case,role,sequence,acquired,file,label\n"
    + "".join(f"v{n},c{n},current,T1,,v{1 + n % 3}.nii.gz,T1\n" for n in range(1, 25)),
    "items": "item,case,category,format,grounding,form,prompt,options,sequences,uses_prior\n"
    + "".join(f"{i},c{SUBJECT[i][1:]},presence,yes_no,image_grounded,yes_no,Is {i} there?,,T1,false\n" for i in ITEMS),
    "references": "item,accepted,low,high,text_only_answer,provenance\n" + "".join(f"{i},yes,,,yes,\n" for i in ITEMS),
    "candidates": "candidate,item,model,answer\n" + "".join(f"k{n},i{n},model,Yes\n" for n in range(1, 9)),
}


def said_by(seed: int) -> dict[str, str]:
    """Return answers of which most are right."""
    drawn = random.Random(seed)
    return {item: "yes" if drawn.random() < 0.8 else "no" for item in ITEMS}


SAID = {"rater 1": said_by(1), "rater 2": said_by(2)}


class Plans(NamedTuple):
    """Reports of the same answers under two plans."""

    by_statistic: Report
    percentile: Report


@pytest.fixture(scope="module")
def plans(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Plans:
    """The reports of one study that was frozen with either plan."""

    def reported(intervals: str) -> Report:
        folder = tmp_path_factory.mktemp("plan")
        engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
        study = study_folder(folder / "study", resamples=RESAMPLES, intervals=intervals, **TABLES)
        situation = frozen_study(Database(engine, folder / "data"), study)
        for rater, said in SAID.items():
            read_all(situation, rater, said)
        data_lock.close_study(situation.database, situation.admin, STUDY)
        report = build_report(situation.database, situation.admin, STUDY)
        engine.dispose()
        return report

    return Plans(reported("interval: by_statistic"), reported("interval: percentile_bootstrap"))


def rows(report: Report) -> Mapping[tuple[object, ...], EstimateRow]:
    """Return the rows by the plan, by what they are about; the times and orders of scripted raters are left out."""
    return {
        (section.key, table.key, row.statistic, row.compared, row.parties, row.stratum, row.stage, row.bound): row
        for section, table in report.estimate_tables()
        if table.key not in ("active_time", "order_and_time")
        for row in table.rows
        if not row.exploratory
    }


def row_of(report: Report, statistic: str, compared: str, *raters: str) -> EstimateRow:
    """Return the one row about these raters' items, which are of one format all."""
    (row,) = {
        id(row): row
        for row in rows(report).values()
        if (row.statistic, row.compared, row.stage, row.bound) == (statistic, compared, "", "")
        and [party.name for party in row.parties] == list(raters)
        and row.stratum == Stratum("format", "yes_no")
    }.values()
    return row


def test_a_plan_changes_intervals_and_no_value(plans: Plans) -> None:
    by_statistic, percentile = rows(plans.by_statistic), rows(plans.percentile)

    assert by_statistic.keys() == percentile.keys()
    for key, row in by_statistic.items():
        assert row.estimate.value == pytest.approx(percentile[key].estimate.value, nan_ok=True), key
        assert row.estimate.n == percentile[key].estimate.n, key
    assert any(row.estimate.low != percentile[key].estimate.low for key, row in by_statistic.items())


def test_accuracy_has_the_interval_of_the_library(plans: Plans) -> None:
    row = row_of(plans.by_statistic, "accuracy", "reference", "Rater 1")
    correct = [SAID["rater 1"][item] == "yes" for item in ITEMS]
    draw = ClusterDraw(list(SUBJECT.values()), resamples=RESAMPLES, seed=3)

    expected = accuracy_of_correctness(correct, **draw.by(list(SUBJECT.values()))).primary

    assert (row.estimate.low, row.estimate.high) == pytest.approx((expected.low, expected.high))
    assert row.estimate.n_clusters == 24


def test_kappa_has_the_interval_of_the_library(plans: Plans) -> None:
    row = row_of(plans.by_statistic, "cohen_kappa", "answers", "Rater 1", "Rater 2")
    draw = ClusterDraw(list(SUBJECT.values()), resamples=RESAMPLES, seed=3)

    expected = cohen_kappa(
        [SAID["rater 1"][item] for item in ITEMS],
        [SAID["rater 2"][item] for item in ITEMS],
        **draw.by(list(SUBJECT.values())),
    )

    assert (row.estimate.low, row.estimate.high) == pytest.approx((expected.low, expected.high))


def test_what_has_no_interval_says_why(plans: Plans) -> None:
    silent = [
        key
        for key, row in rows(plans.by_statistic).items()
        if row.estimate.low != row.estimate.low and not row.estimate.undefined_because
    ]

    assert silent == []


METHODS = {
    "accuracy": "Wilson score interval",
    "share": "Wilson score interval",
    "percent_agreement": "Wilson score interval",
    "pabak": "Wilson score interval",
    "cohen_kappa": "large-sample standard error with two items added",
    "krippendorff_alpha": "large-sample standard error with two items added",
    "discordant_share": "McNemar, exact; Clopper-Pearson interval",
}


def said_of_intervals(report: Report) -> str:
    (said,) = (text for label, text in report.analysis_plan if label == "Interval")
    return said


def test_every_interval_is_the_kind_that_the_plan_says(plans: Plans) -> None:
    seen = set()
    for row in rows(plans.by_statistic).values():
        if row.estimate.undefined_because:
            continue
        is_floor = (row.statistic, row.compared) == ("accuracy", "text_only_floor")
        statistic = "text_only_floor" if is_floor else row.statistic
        seen.add(statistic)
        assert row.estimate.method.startswith(METHODS.get(statistic, "cluster bootstrap, percentile")), row

    said = said_of_intervals(plans.by_statistic)
    assert {"accuracy", "percent_agreement", "pabak", "cohen_kappa", "accuracy_difference", "discordant_share"} <= seen
    assert "score interval for shares and for PABAK" in said
    assert "otherwise, and for the text-only floor, bootstrap with 400 resamples" in said


def test_a_text_only_floor_is_bootstrapped_by_either_plan(plans: Plans) -> None:
    for report in plans:
        floors = [row for row in rows(report).values() if row.compared == "text_only_floor"]

        assert floors
        assert all("cluster bootstrap" in row.estimate.method for row in floors)


def test_what_no_plan_changes_is_said_of_either(plans: Plans, report: Report) -> None:
    unlike = {
        row.statistic
        for of_study in (plans.percentile, report)
        for row in rows(of_study).values()
        if row.statistic in ("spearman", "discordant_share") and "bootstrap" not in row.estimate.method
    }

    assert unlike == {"spearman", "discordant_share"}
    for plan in plans:
        assert "for Spearman’s correlation and the share of discordant items, the usual interval for" in (
            said_of_intervals(plan)
        )
