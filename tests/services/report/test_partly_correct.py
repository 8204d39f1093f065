"""Partly correct is incorrect wherever correct and incorrect are compared: between raters, and in their consensus."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db import Database
from db.engine import make_engine
from services.judging import import_runs
from services.progress import data_lock
from services.report import Report
from services.report.build import build_report
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.services.report.recomputed import Rows, estimate_in, tables_of, values_in
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: partly
title: Scored by two with three options
phases:
  - key: score
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: {type: correctness, partly: Partly correct}}
analysis:
  cluster: item
  primary: {estimate: agreement, of: score.verdict, with: judges}
  also:
    - {estimate: correlation, of: score.verdict, with: token_f1}
    - {estimate: accuracy, of: score.verdict, as: settled}
    - {estimate: corrected, of: score.verdict, by: model}
  resamples: 200
"""
N = 24
# Of each candidate, what either rater says of it, and the third if there is one.
SAID = (
    ("correct", "correct", "correct"),
    ("partly", "incorrect", "correct"),
    ("incorrect", "partly", "correct"),
    ("partly", "partly", "incorrect"),
    ("correct", "incorrect", "incorrect"),
    ("incorrect", "incorrect", "partly"),
)


@pytest.fixture(scope="module")
def reported(
    migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Report, dict[str, Rows]]]:
    yield from report_of(migrated_sqlite, tmp_path_factory.mktemp("partly"))


def report_of(migrated_sqlite: Path, folder: Path, raters: int = 2) -> Iterator[tuple[Report, dict[str, Rows]]]:
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database, study = Database(engine, folder / "data"), folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(study / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}?") for n in range(N)])
    write_table(study / "references.csv", "item,accepted", [(f"q{n}", "left side") for n in range(N)])
    texts = [(f"k{n}", f"q{n}", "one", f"left {n}" if n % 4 else f"right {n}") for n in range(N)]
    write_table(study / "candidates.csv", "candidate,item,model,answer", texts)
    situation = imported_listed(database, study, raters)
    freezing.freeze_study(database, situation.admin, situation.study_key)
    lines = [f"q{n},k{n},{'correct' if n % 3 == 0 else 'incorrect'}" for n in range(N)]
    import_runs.import_judge_verdicts(
        database, situation.admin, situation.study_key, name="run", judge="J",
        content="\n".join(["item,candidate,verdict", *lines]).encode(), file_name="judge.csv", field="score.verdict",
    )  # fmt: skip
    times: dict[str, int] = {}

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        who = times[payload["candidate"]] = times.get(payload["candidate"], -1) + 1
        return answers(verdict=SAID[int(payload["candidate"].split()[1]) % len(SAID)][who])

    store_all(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    report = build_report(database, situation.admin, situation.study_key)
    yield report, tables_of(database, report)
    engine.dispose()


def agreed_on(tables: dict[str, Rows]) -> dict[str, bool]:
    """Return whether both raters call a candidate correct, or neither does, of those on which they agree."""
    first, second = values_in(tables["fields.csv"], "verdict").values()
    return {key: said == "correct" for key, said in first.items() if (said == "correct") == (second[key] == "correct")}


def test_raters_of_whom_one_says_partly_and_one_incorrect_have_a_consensus(
    reported: tuple[Report, dict[str, Rows]],
) -> None:
    tables, agreed = reported[1], agreed_on(reported[1])
    judged = {row["candidate"]: row["verdict"] == "correct" for row in tables["judge.csv"]}
    between = estimate_in(
        tables, "phase_score", "verdict_agreement", "All candidates: same score", "Rater 1 and Rater 2"
    )
    assert math.isclose(float(between["value"]), len(agreed) / N)

    row = estimate_in(tables, "plan", "line_1", "All candidates: same verdict", "run and Consensus")

    assert int(row["n"]) == len(agreed) == 20
    assert math.isclose(float(row["value"]), sum(judged[key] == said for key, said in agreed.items()) / len(agreed))


def test_the_consensus_beside_automatic_scores_is_the_same(reported: tuple[Report, dict[str, Rows]]) -> None:
    rows = [row for row in reported[1]["estimates.csv"] if row["table"] == "line_2" and row["raters"] == "Consensus"]

    assert [int(row["n"]) for row in rows] == [20]


def test_a_corrected_share_counts_what_most_of_three_do_not_call_correct(migrated_sqlite: Path, tmp_path: Path) -> None:
    for _, tables in report_of(migrated_sqlite, tmp_path, raters=3):
        row = estimate_in(tables, "plan", "line_4", "All candidates: share correct, corrected by people", "one by run")

    assert (float(row["value"]), int(row["n"]), row["warning"]) == (pytest.approx(4 / N), N, "")


@pytest.mark.parametrize("key", ["verdict_agreement", "verdict_judges", "verdict_judges_direction"])
def test_every_table_on_correct_or_incorrect_says_what_partly_is(
    reported: tuple[Report, dict[str, Rows]], key: str
) -> None:
    (table,) = (table for _, table in reported[0].estimate_tables() if table.key == key)

    assert "Partly correct counts as incorrect" in table.explanation


def test_a_line_about_settled_answers_says_how_many_have_none(reported: tuple[Report, dict[str, Rows]]) -> None:
    first, second = values_in(reported[1]["fields.csv"], "verdict").values()
    unlike = sum(said != second[key] for key, said in first.items())
    (table,) = (table for _, table in reported[0].estimate_tables() if table.key == "line_3")

    assert unlike == 12
    assert f"{unlike} of {N} candidates have no settled answer; they are left out." in table.explanation
    assert [row.estimate.n for row in table.rows] == [N - unlike]
