"""Columns of numbers of the answers against scores: areas under the ROC curve, recomputed from the CSV files alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import roc_auc_score

from db import Database
from db.engine import make_engine
from services.judging import import_runs
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import closed_tables, imported_listed
from tests.services.report.recomputed import Rows, values_in
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: hedged
title: Do hedged answers tend to be wrong
attributes: {candidates: {hedge: number, words: number, thanks: number}}
phases:
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: {type: correctness, excluded: Excluded}}
analysis:
  cluster: item
  primary: {estimate: accuracy, of: score.verdict, by: model}
  also: [{estimate: auc, of: score.verdict, over: hedge, by: model}]
"""
N = 30
MODELS = ("one", "other")


def hedge(number: int, model: str) -> str:
    return "" if number % 11 == 5 else str((number * 7 + len(model)) % 6)


def says(number: int, model: str) -> str:
    return "excluded" if number % 13 == 4 else "correct" if (number * 5 + len(model)) % 7 > 2 else "incorrect"


@pytest.fixture(scope="module")
def tables(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rows]]:
    folder = tmp_path_factory.mktemp("hedged")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(study / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}?") for n in range(N)])
    write_table(study / "references.csv", "item,accepted", [(f"q{n}", "left") for n in range(N)])
    texts = [
        # Thanks were counted in answers only that are scored correct.
        (f"{model}{n}", f"q{n}", model, f"{model} {n}", hedge(n, model), n, n if says(n, model) == "correct" else "")
        for n in range(N)
        for model in MODELS
    ]
    write_table(study / "candidates.csv", "candidate,item,model,answer,hedge,words,thanks", texts)
    situation = imported_listed(Database(engine, folder / "data"), study, raters=1)
    freezing.freeze_study(situation.database, situation.admin, situation.study_key)
    lines = [f"q{n},{model}{n},{'correct' if n % 2 else 'incorrect'}" for n in range(N) for model in MODELS]
    import_runs.import_judge_verdicts(
        situation.database, situation.admin, situation.study_key, name="run", judge="J",
        content="\n".join(["item,candidate,verdict", *lines]).encode(), file_name="judge.csv", field="score.verdict",
    )  # fmt: skip

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        model, number = payload["candidate"].split()
        return answers(verdict=says(int(number), model))

    store_all(situation, answer)
    yield closed_tables(situation)
    engine.dispose()


def areas(tables: dict[str, Rows], section: str, column: str, raters: str) -> dict[str, tuple[float, int]]:
    """Return value and n of the areas of a column against one party's scores, by part."""
    return {
        row["stratum"]: (pytest.approx(float(row["value"])), int(row["n"]))
        for row in tables["estimates.csv"]
        if (row["section"], row["raters"]) == (section, raters)
        and row["name"] == f"area under the ROC curve of {column}"
    }


def expected(tables: dict[str, Rows], says: dict[str, str], column: str, models: tuple[str, ...] = MODELS) -> Any:
    """Return the area of a column of `candidates.csv` against scores, and how many answers have both."""
    numbers = {row["candidate"]: row[column] for row in tables["candidates.csv"] if row["model"] in models}
    counted = sorted(key for key, number in numbers.items() if number and says.get(key) in ("correct", "incorrect"))
    right = [says[key] == "correct" for key in counted]
    return roc_auc_score(right, [float(numbers[key]) for key in counted]), len(counted)


def scores(tables: dict[str, Rows]) -> dict[str, str]:
    """Return the rater's scores by candidate."""
    (given,) = values_in(tables["fields.csv"], "verdict").values()
    return given


def test_a_line_of_the_plan_prints_the_area_for_each_model(tables: dict[str, Rows]) -> None:
    assert areas(tables, "plan", "hedge", "Rater 1") == {
        f"model {model}": expected(tables, scores(tables), "hedge", (model,)) for model in MODELS
    }


def test_a_judge_has_the_area_of_its_own_verdicts(tables: dict[str, Rows]) -> None:
    said = {row["candidate"]: row["verdict"] for row in tables["judge.csv"]}

    assert areas(tables, "plan", "hedge", "run") == {
        f"model {model}": expected(tables, said, "hedge", (model,)) for model in MODELS
    }


@pytest.mark.parametrize("column", ["hedge", "words"])
def test_every_column_of_numbers_is_explored(tables: dict[str, Rows], column: str) -> None:
    assert areas(tables, "phase_score", column, "Rater 1")["all"] == expected(tables, scores(tables), column)


def test_an_area_without_one_of_its_sides_says_so_in_the_words_of_the_study(tables: dict[str, Rows]) -> None:
    of_thanks = "area under the ROC curve of thanks"
    undefined = [
        row["undefined_because"]
        for row in tables["estimates.csv"]
        if (row["name"], row["raters"], row["stratum"]) == (of_thanks, "Rater 1", "all")
    ]

    assert undefined == ["no candidates scored incorrect"]
