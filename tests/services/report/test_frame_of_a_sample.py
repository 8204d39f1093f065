"""A score that people's verdicts correct is of those candidates from which theirs were drawn, and of no others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agreement.judge.conditions import CORRECTED_BETWEEN, RAW_BETWEEN
from agreement.judge.rows import Panel
from db import Database
from db.engine import make_engine
from services.judging import import_runs
from services.report import calibration
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import closed_tables, imported_listed
from tests.services.report.recomputed import Rows
from tests.situations import Situation, answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: framed
title: Of one condition
attributes:
  items: {tier: {type: ordinal, options: ['1', '2']}}
  candidates: {condition: {type: choice, options: {primed: Primed, stem_only: Stem only}}}
phases:
  - key: score
    title: Scores
    rates: candidates
    from:
      where: {model: A, condition: stem_only}
      sample: {strata: tier, sizes: {'1': 12, '2': 0 %}}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
analysis:
  primary: {estimate: corrected, of: score.verdict, with: judges, by: model}
"""
N = 40
IN_FRAME = [n for n in range(N) if n < 30 and n != 7]  # the second tier is never drawn, nor a missing response
Tables = tuple[Situation, dict[str, Rows]]


def tier(number: int) -> str:
    return "1" if number < 30 else "2"


def judge_says(number: int, condition: str) -> bool:
    return number % 3 != 0 if condition == "stem_only" else number % 3 == 0


@pytest.fixture(scope="module")
def closed(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    folder = tmp_path_factory.mktemp("framed")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(study / "items.csv", "item,format,prompt,tier", [(f"q{n}", "open", f"{n}?", tier(n)) for n in range(N)])
    references = [(f"q{n}", "left", "", "", "", "") for n in range(N)]
    write_table(study / "references.csv", "item,accepted,low,high,text_only_answer,provenance", references)
    keys = [(m, c, n) for m in "AB" for c in ("primed", "stem_only") for n in range(N)]
    texts = [(f"{m}{c}{n}", f"q{n}", m, "" if n == 7 else f"{m} {c} {n}", c) for m, c, n in keys]
    write_table(study / "candidates.csv", "candidate,item,model,answer,condition", texts)
    situation = imported_listed(Database(engine, folder / "data"), study, raters=1)
    freezing.freeze_study(situation.database, situation.admin, situation.study_key)
    lines = [f"q{n},{m}{c}{n},{'correct' if judge_says(n, c) else 'incorrect'}" for m, c, n in keys if n != 7]
    import_runs.import_judge_verdicts(
        situation.database, situation.admin, situation.study_key, name="run", judge="J",
        content="\n".join(["item,candidate,verdict", *lines]).encode(), file_name="judge.csv", field="score.verdict",
    )  # fmt: skip

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        return answers(verdict="correct" if int(payload["candidate"].split()[2]) % 4 else "incorrect")

    store_all(situation, answer)
    yield situation, closed_tables(situation)
    engine.dispose()


@pytest.fixture(scope="module")
def panel(closed: Tables) -> Panel:
    situation, _ = closed
    computed = calibration.calibration_of(situation.database, situation.admin, situation.study_key)
    return computed.panels["corrected"]


def test_a_planned_score_is_of_the_condition_and_strata_that_were_drawn_from(closed: Tables) -> None:
    _, tables = closed
    rows = [row for row in tables["estimates.csv"] if row["table"] == "line_1" and "as judged" in row["label"]]

    by_judge = np.mean([judge_says(n, "stem_only") for n in IN_FRAME])
    assert [row["raters"] for row in rows] == ["A by run", "B by run"]
    assert [float(row["value"]) for row in rows] == pytest.approx([by_judge, by_judge])
    assert {row["n"] for row in rows} == {str(len(IN_FRAME))}
    assert {row["label"].split(":")[0] for row in rows} == {"Where condition is Stem only and tier is not 2"}


def test_the_leaderboard_is_of_the_same_candidates_and_says_so(panel: Panel) -> None:
    by_judge = np.mean([judge_says(n, "stem_only") for n in IN_FRAME])

    raw = {row.parties[0]: row.estimate for row in panel.of("raw")}
    assert raw["A"].n == raw["B"].n == len(IN_FRAME) and raw["A"].value == pytest.approx(by_judge)
    assert [row.parties[0] for row in panel.of("prediction-powered")] == ["A"]
    assert f"of the {2 * len(IN_FRAME)} of {4 * N} candidates from which" in panel.sentences[0]
    assert "condition is Stem only" in panel.sentences[0]


def test_a_condition_of_which_nothing_could_be_drawn_is_compared_as_judged_and_not_corrected(
    panel: Panel,
) -> None:
    assert {row.parties[0] for row in panel.of(RAW_BETWEEN)} == {"A", "B"}
    assert panel.of(CORRECTED_BETWEEN) == []
