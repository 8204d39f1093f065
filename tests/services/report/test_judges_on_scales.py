"""Judges who rate on an ordered scale or in numbers, beside each rater; by hand from the exported CSV files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import cohen_kappa_score

from db import Database
from db.engine import make_engine
from services.judging import import_runs
from services.progress import data_lock
from services.report import build_report
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.services.report.recomputed import Rows, estimate_in, tables_of, values_in
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: graded
title: Graded by people and judges
phases:
  - key: grade
    title: Grades
    rates: candidates
    shows: [prompt, reference, candidate]
    form:
      quality: {type: ordinal, options: {'1': Poor, '2': Fair, '3': Good, '4': Very good, '5': Perfect}}
      share: {type: number, range: [0, 100], unit: ml}
      harm: yes_no
analysis:
  primary: {estimate: agreement, of: grade.quality, with: judges}
  also:
    - {estimate: direction, of: [grade.quality, grade.harm], with: judges}
    - {estimate: uniformity, of: [grade.quality, grade.harm], over: model}
    - {estimate: corrected, of: grade.harm, by: model}
    - {estimate: uniformity, of: grade.share, over: model}
    - {estimate: corrected, of: grade.share, compare: model}
  criteria:
    - {key: close, estimate: agreement, of: grade.quality, with: judges, statistic: quadratic_kappa, above: 0.2}
"""
N = 40


def quality(number: int, who: int) -> int:
    """Return the grade of one rater (0, 1) or of the judge (2), who is a step stricter in every third."""
    base = 1 + (7 * number) % 5
    shift = {0: 0, 1: number % 4 == 1, 2: -(number % 3 == 0)}[who]
    return min(5, max(1, base + int(shift)))


def share(number: int, who: int) -> float:
    return float((13 * number) % 100) / 2 + 3 * who * (number % 5)


def harm(number: int, who: int) -> str:
    """Return what a rater (0, 1) or the judge (2), who sees harm less often, says of it."""
    return "yes" if number % {0: 3, 1: 4, 2: 5}[who] == 0 else "no"


@pytest.fixture(scope="module")
def tables(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rows]]:
    folder = tmp_path_factory.mktemp("graded")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    items = [(f"q{n}", "c", "open", f"Item {n}?") for n in range(N)]
    write_table(study / "items.csv", "item,category,format,prompt", items)
    references = [(f"q{n}", "left", "", "", "", "") for n in range(N)]
    write_table(study / "references.csv", "item,accepted,low,high,text_only_answer,provenance", references)
    texts = [(f"k{n}", f"q{n}", ("one", "two")[n % 2], f"Answer {n}") for n in range(N)]
    write_table(study / "candidates.csv", "candidate,item,model,answer", texts)
    situation = imported_listed(database, study, raters=2)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    for field, said in (("quality", quality), ("share", share), ("harm", harm)):
        # Of the last two the judge gave no verdict, and said once why.
        lines = [f"q{n},k{n},{said(n, 2)},," for n in range(N - 2)]
        lines += [f"q{N - 2},k{N - 2},,,refusal", f"q{N - 1},k{N - 1},,,"]
        content = "\n".join(["item,candidate,verdict,error,failure", *lines]).encode()
        import_runs.import_judge_verdicts(
            database, situation.admin, situation.study_key, name=f"judge of {field}", judge="J", content=content,
            file_name="judge.csv", field=f"grade.{field}",
        )  # fmt: skip
    times: dict[str, int] = {}

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        text = payload["candidate"]
        rater = times[text] = times.get(text, -1) + 1
        number = int(text.split()[1])
        return answers(quality=str(quality(number, rater)), share=share(number, rater), harm=harm(number, rater))

    store_all(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    yield tables_of(database, build_report(database, situation.admin, situation.study_key))
    engine.dispose()


def both(tables: dict[str, Rows], field: str, rater: str, said: Any) -> tuple[list[float], list[float]]:
    """Return what the judge and a rater say of the candidates that both rated."""
    given = values_in(tables["fields.csv"], field)[rater]
    units = sorted(given, key=lambda unit: int(unit[1:]))[: N - 2]
    return [said(int(unit[1:]), 2) for unit in units], [float(given[unit]) for unit in units]


@pytest.mark.parametrize("rater", ["Rater 1", "Rater 2"])
def test_a_judge_is_compared_with_each_rater_over_the_whole_scale(tables: dict[str, Rows], rater: str) -> None:
    judge, human = both(tables, "quality", rater, quality)
    parties = f"judge of quality and {rater}"

    for weights in ("linear", "quadratic"):
        row = estimate_in(tables, "plan", "line_1", f"All candidates: kappa, {weights} weights", parties)
        by_hand = cohen_kappa_score(judge, human, labels=[1, 2, 3, 4, 5], weights=weights)
        assert math.isclose(float(row["value"]), by_hand) and row["n"] == str(N - 2)
        # One statistic of a line is its estimate; the other stands beside it.
        assert row["plan"] == {"quadratic": "primary", "linear": "also"}[weights]
    row = estimate_in(
        tables,
        "plan",
        "line_1",
        "All candidates: mean difference, judge minus human",
        parties.replace(" and ", " minus "),
    )
    assert math.isclose(float(row["value"]), float(np.mean(np.subtract(judge, human))))


def test_a_judge_is_compared_with_what_the_raters_agree_on(tables: dict[str, Rows]) -> None:
    agreed = sum(quality(n, 0) == quality(n, 1) for n in range(N - 2))

    row = estimate_in(tables, "plan", "line_1", "All candidates: same answer", "judge of quality and Consensus")

    assert row["n"] == str(agreed) and 0 < agreed < N - 2


def test_a_row_with_the_consensus_says_how_many_units_have_one(tables: dict[str, Rows]) -> None:
    agreed = sum(quality(n, 0) == quality(n, 1) for n in range(N))
    rows = [row for row in tables["estimates.csv"] if row["table"] == "line_1"]

    of_consensus = {row["note"] for row in rows if "Consensus" in row["raters"]}
    of_raters = {row["note"] for row in rows if "Consensus" not in row["raters"]}

    assert of_consensus and all(
        note.endswith(f"consensus on {agreed} of {N}, likely the easier ones") for note in of_consensus
    )
    assert of_raters and not any("consensus on" in note for note in of_raters)


def test_every_row_of_a_direction_says_which_is_subtracted_from_which(tables: dict[str, Rows]) -> None:
    judge, human = both(tables, "quality", "Rater 1", quality)
    of_scale = estimate_in(
        tables, "plan", "line_2_1", "All candidates: mean difference, judge minus human",
        "judge of quality minus Rater 1",
    )  # fmt: skip
    of_option = estimate_in(
        tables, "plan", "line_2_2", "All candidates: share of Yes, human minus judge", "Rater 1 minus judge of harm"
    )

    gaps = [(harm(n, 0) == "yes") - (harm(n, 2) == "yes") for n in range(N - 2)]
    assert of_scale["name"] == "mean difference, judge minus human"
    assert math.isclose(float(of_scale["value"]), float(np.mean(np.subtract(judge, human))))
    assert of_option["name"] == "signed difference, human minus judge"
    assert math.isclose(float(of_option["value"]), sum(gaps) / len(gaps)) and sum(gaps) > 0


def test_a_corrected_score_of_an_option_names_the_option_and_calls_nothing_correct(tables: dict[str, Rows]) -> None:
    said = [harm(n, who) == "yes" for n in range(0, N, 2) for who in (0, 1)]

    judged = estimate_in(tables, "plan", "line_4", "All candidates: share of Yes as judged", "one by judge of harm")
    row = estimate_in(
        tables, "plan", "line_4", "All candidates: share of Yes, corrected by people", "one by judge of harm"
    )

    assert judged["name"] == "share of Yes as judged"
    assert row["n"] == str(N // 2) and math.isclose(float(row["value"]), sum(said) / len(said))
    names = {each["name"] for each in tables["estimates.csv"] if each["table"] == "line_4"}
    assert not [name for name in names if "correct" in name.replace("corrected", "")]


@pytest.mark.parametrize("line", ["line_5", "line_6"], ids=["uniformity", "corrected"])
def test_means_by_a_judge_and_their_differences_are_in_the_unit_of_the_field(
    tables: dict[str, Rows], line: str
) -> None:
    rows = [row for row in tables["estimates.csv"] if row["table"] == line and "chi-square" not in row["label"]]

    assert len(rows) > 2 and {row["measured_in"] for row in rows} == {"ml"}


def test_a_judge_of_one_field_says_nothing_of_another(tables: dict[str, Rows]) -> None:
    names = {row["raters"] for row in tables["estimates.csv"] if row["field"] == "grade.share"}

    assert not [name for name in names if "judge of quality" in name]
    judge, human = both(tables, "share", "Rater 1", share)
    row = estimate_in(
        tables, "phase_grade", "share_judges", "All candidates: Pearson correlation", "judge of share and Rater 1"
    )
    assert math.isclose(float(row["value"]), pearsonr(judge, human).statistic)


def test_a_judge_can_be_held_to_a_criterion_on_its_scale(tables: dict[str, Rows]) -> None:
    cells = {cell["column"]: cell["value"] for cell in tables["counts.csv"] if cell["table"] == "criteria"}

    assert (cells["whose"], cells["outcome"]) == ("judge of quality and Consensus", "met")
    assert re.match(r"0\.\d\d \[", cells["estimate"])
