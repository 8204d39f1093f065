"""Two conditions of a model in a study: which attribute of the answers tells them apart, and how far they differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agreement.judge.conditions import CORRECTED_BETWEEN, RAW_BETWEEN
from db import Database
from db.engine import make_engine
from services.judging import import_runs
from services.progress import data_lock
from services.report import calibration
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.situations import Situation, answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: conditions
title: Primed and not
attributes:
  candidates:
    truncated: yes_no
    condition: {type: choice, options: {primed: Primed, stem_only: Stem only}}
phases:
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
"""
N = 12
CONDITIONS = ("primed", "stem_only")


def is_right(number: int, condition: str) -> bool:
    return number % 2 == 0 or (condition == "stem_only" and number % 3 == 0)


def judge_says(number: int, condition: str) -> bool:
    return is_right(number, condition) and number != 2


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    folder = tmp_path_factory.mktemp("conditions")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database = Database(engine, folder / "data")
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(
        study / "items.csv", "item,category,format,prompt", [(f"q{n}", "c", "open", f"Item {n}?") for n in range(N)]
    )
    references = [(f"q{n}", "left", "", "", "", "") for n in range(N)]
    write_table(study / "references.csv", "item,accepted,low,high,text_only_answer,provenance", references)
    keys = [(number, condition) for number in range(N) for condition in CONDITIONS]
    texts = [(f"{c[0]}{n}", f"q{n}", "A", f"{c} {n}", "yes" if n % 5 == 0 else "no", c) for n, c in keys]
    write_table(study / "candidates.csv", "candidate,item,model,answer,truncated,condition", texts)
    opened = imported_listed(database, study, raters=1)
    freezing.freeze_study(database, opened.admin, opened.study_key)
    lines = [f"q{n},{c[0]}{n},{'correct' if judge_says(n, c) else 'incorrect'}" for n, c in keys]
    import_runs.import_judge_verdicts(
        database, opened.admin, opened.study_key, name="first", judge="Judge",
        content="\n".join(["item,candidate,verdict", *lines]).encode(), file_name="judge.csv", field="score.verdict",
    )  # fmt: skip

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        condition, number = payload["candidate"].split()
        return answers(verdict="correct" if is_right(int(number), condition) else "incorrect")

    store_all(opened, answer)
    data_lock.close_study(database, opened.admin, opened.study_key)
    yield opened
    engine.dispose()


@pytest.fixture(scope="module")
def computed(situation: Situation) -> calibration.Calibration:
    return calibration.calibration_of(situation.database, situation.admin, situation.study_key)


def test_the_condition_is_what_tells_the_answers_of_a_model_to_one_item_apart(
    computed: calibration.Calibration,
) -> None:
    assert list(computed.material.conditions) == ["condition"]


def test_conditions_differ_by_what_judge_and_people_say_on_the_items_answered_under_both(
    computed: calibration.Calibration,
) -> None:
    by_judge = sum(judge_says(n, "primed") - judge_says(n, "stem_only") for n in range(N)) / N
    by_people = sum(is_right(n, "primed") - is_right(n, "stem_only") for n in range(N)) / N

    (raw,) = computed.panels["corrected"].of(RAW_BETWEEN)
    (corrected,) = computed.panels["corrected"].of(CORRECTED_BETWEEN)

    assert raw.estimate.n == N
    assert raw.estimate.value == pytest.approx(by_judge)
    assert corrected.estimate.value == pytest.approx(by_people)
    assert "A primed minus stem_only" in computed.panels["corrected"].sentence


def test_conditions_have_a_figure_of_their_own_beside_the_scores(computed: calibration.Calibration) -> None:
    figures = calibration.figures_of(computed.panels["corrected"], computed.material.scale)

    assert [figure.key for figure in figures] == ["panel-corrected", "panel-corrected-conditions"]
    assert {trace.name for trace in figures[1].figure.data} == {RAW_BETWEEN, CORRECTED_BETWEEN}
