"""A judge beside the mean of several neurologists, as Neural-MedBench compares its grader: by hand from CSV files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import pearsonr, spearmanr

from db import Database
from services.judging import import_runs
from services.studies.freeze import freezing
from tests.listed_study import closed_tables, imported_listed
from tests.services.report.recomputed import estimate_in, values_in
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: graded
title: Graded
phases:
  - key: grade
    title: Grades
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {quality: {type: ordinal, options: ['1', '2', '3', '4', '5']}}
    result: mean
analysis:
  primary: {estimate: correlation, of: grade.quality, as: settled, with: judges}
  also:
    - {estimate: direction, of: grade.quality, with: judges}
    - {estimate: agreement, of: grade.quality, with: judges}
"""
N = 24
RATERS = ("Rater 1", "Rater 2", "Rater 3")


def grade(number: int, who: int) -> int:
    """Return the grade of a rater (0 to 2) or of the judge (3)."""
    return min(5, max(1, 1 + (7 * number) % 5 + (number % (who + 2) == 0) - (who == 3 and number % 3 == 0)))


def test_a_judge_is_held_against_the_mean_of_all_raters_on_the_scale(sqlite_database: Database, tmp_path: Path) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(study / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}?") for n in range(N)])
    references = [(f"q{n}", "left", "", "", "", "") for n in range(N)]
    write_table(study / "references.csv", "item,accepted,low,high,text_only_answer,provenance", references)
    texts = [(f"k{n}", f"q{n}", "model", f"Answer {n}") for n in range(N)]
    write_table(study / "candidates.csv", "candidate,item,model,answer", texts)
    situation = imported_listed(sqlite_database, study, raters=3)
    freezing.freeze_study(sqlite_database, situation.admin, situation.study_key)
    lines = [f"q{n},k{n},{grade(n, 3)}" for n in range(N)]
    import_runs.import_judge_verdicts(
        sqlite_database, situation.admin, situation.study_key, name="grader", judge="J",
        content="\n".join(["item,candidate,verdict", *lines]).encode(), file_name="judge.csv", field="grade.quality",
    )  # fmt: skip
    times: dict[str, int] = {}

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        text = payload["candidate"]
        times[text] = times.get(text, -1) + 1
        return answers(quality=str(grade(int(text.split()[1]), times[text])))

    store_all(situation, answer)
    tables = closed_tables(situation)
    given = values_in(tables["fields.csv"], "quality")
    units = [f"k{n}" for n in range(N)]
    judge = np.array([float(grade(n, 3)) for n in range(N)])
    mean = np.array([np.mean([float(given[rater][unit]) for rater in RATERS]) for unit in units])

    row = estimate_in(tables, "plan", "line_1", "All candidates: Pearson correlation", "grader and Mean of raters")
    assert math.isclose(float(row["value"]), pearsonr(judge, mean).statistic) and row["plan"] == "primary"
    row = estimate_in(tables, "plan", "line_1", "All candidates: Spearman correlation", "grader and Mean of raters")
    assert math.isclose(float(row["value"]), spearmanr(judge, mean).statistic) and row["plan"] == "also"

    for who, human in (
        ("Mean of raters", mean),
        ("Rater 2", np.array([float(given["Rater 2"][unit]) for unit in units])),
    ):
        away = judge - human
        row = estimate_in(
            tables, "plan", "line_2", "All candidates: mean difference, judge minus human", f"grader minus {who}"
        )
        assert math.isclose(float(row["value"]), away.mean()) and row["n"] == str(N)
        low = estimate_in(
            tables,
            "plan",
            "line_2",
            "All candidates: lower limit of agreement, judge minus human",
            f"grader minus {who}",
        )
        assert math.isclose(float(low["value"]), away.mean() - 1.96 * away.std(ddof=1), rel_tol=1e-3)
    # A mean lies between steps: it has a difference, and no kappa.
    of_mean = {row["label"] for row in tables["estimates.csv"] if row["raters"] == "grader and Mean of raters"}
    assert not [label for label in of_mean if "kappa" in label]
