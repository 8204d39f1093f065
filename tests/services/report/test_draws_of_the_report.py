"""One draw of subjects for a report, or one for each estimate, as the frozen plan says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from sqlmodel import select

from agreement import cohen_kappa, percent_agreement
from agreement.resampling import ONE_DRAW
from db import Study
from exchange.report.estimate_rows import EstimateRow
from exchange.report.report_structure import EstimateTable, Report
from protocol.study import Protocol
from services.report.build import report_of
from services.report.interval_settings import IntervalSettings
from services.report.rows.loading import load_rows
from services.report.rows.study_rows import StudyRows
from tests.services.report.situations import STUDY, Situation

ANSWERS = ["yes", "no", "yes", "yes", "no", "no", "yes", "no"]
OTHERS = ["yes", "no", "no", "yes", "no", "yes", "yes", "no"]
SUBJECTS = ["s1", "s1", "s2", "s3", "s3", "s4", "s5", "s6"]


@pytest.fixture(scope="module")
def rows(closed_ended: Situation) -> StudyRows:
    """What the report of the closed study is computed from."""
    with closed_ended.database.read_only() as session:
        return load_rows(session, session.exec(select(Study).where(Study.key == STUDY)).one())


def stored_before(rows: StudyRows) -> StudyRows:
    """The same study, frozen when the plan had no such key."""
    stored = json.loads(rows.protocol.canonical_json())
    del stored["analysis"]["draw"]
    return replace(rows, protocol=Protocol.of_canonical_json(json.dumps(stored)))


def estimates(report: Report) -> list[EstimateRow]:
    """Every row of the report's tables of estimates."""
    tables = [table for section in report.sections for table in section.tables if isinstance(table, EstimateTable)]
    return [row for table in tables for row in table.rows]


def bootstrapped(report: Report) -> list[str]:
    """The methods of the intervals that rest on resamples of clusters."""
    methods = [row.estimate.method for row in estimates(report)]
    return [method for method in methods if method.startswith("cluster bootstrap, ")]


def test_a_new_study_shares_one_draw_and_says_so(rows: StudyRows) -> None:
    report = report_of(rows, "final")

    assert ", one draw for all estimates; " in dict(report.analysis_plan)["Interval"]
    assert any(ONE_DRAW in method for method in bootstrapped(report))


def test_a_study_frozen_before_draws_for_each_estimate_and_says_so(rows: StudyRows) -> None:
    report = report_of(stored_before(rows), "final")

    assert ", a separate draw for each estimate; " in dict(report.analysis_plan)["Interval"]
    assert bootstrapped(report)
    assert not [method for method in bootstrapped(report) if "draw" in method]


def test_both_draws_give_the_same_values_of_the_same_items(rows: StudyRows) -> None:
    shared, separate = estimates(report_of(rows, "final")), estimates(report_of(stored_before(rows), "final"))

    assert [(row.estimate.n, row.estimate.n_clusters) for row in shared] == [
        (row.estimate.n, row.estimate.n_clusters) for row in separate
    ]
    assert [row.estimate.value for row in shared] == pytest.approx(
        [row.estimate.value for row in separate], nan_ok=True, abs=1e-15
    )


def test_a_draw_of_each_estimate_is_that_of_the_plain_function(rows: StudyRows) -> None:
    plan = stored_before(rows).protocol.analysis
    intervals = IntervalSettings.of(plan, SUBJECTS)
    plain: dict[str, Any] = {
        "clusters": SUBJECTS,
        "resamples": plan.resamples,
        "seed": plan.seed,
        "confidence": plan.confidence,
        "interval": "percentile",
    }

    assert percent_agreement(ANSWERS, OTHERS, **intervals.by(SUBJECTS)) == percent_agreement(ANSWERS, OTHERS, **plain)
    assert cohen_kappa(ANSWERS, OTHERS, **intervals.by(SUBJECTS)) == cohen_kappa(ANSWERS, OTHERS, **plain)
