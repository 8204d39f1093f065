"""Rates in every condition, and differences between conditions, of several models; recomputed from the CSV alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db import Database
from db.engine import make_engine
from services.progress import data_lock
from services.report import Report, build_report
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import imported_listed
from tests.services.report.recomputed import Rows, estimate_in, tables_of, values_in
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: conditions
title: Answers of three models with the image and without
attributes: {candidates: {image: yes_no, temperature: text}}
phases:
  - key: score
    title: Scores
    rates: candidates
    shows: [prompt, candidate]
    form: {verdict: {type: correctness, excluded: Excluded}, seen: yes_no}
analysis:
  cluster: item
  resamples: 200
  primary: {estimate: joint_rate, of: score.seen, option: yes, over: model}
  also:
    - {estimate: joint_rate, of: score.verdict, option: correct, over: image}
    - {estimate: difference, of: score.verdict, compare: image}
    - {estimate: joint_rate, of: score.seen, option: yes, over: image, where: {model: drawn}}
    - {estimate: difference, of: score.verdict, compare: model}
"""
N = 24
# Model `whole` answers all items in both conditions, `part` every second one; `drawn` twice with the image.
TEXTS = [
    *((item, "whole", image, "") for item in range(N) for image in ("yes", "no")),
    *((item, "part", image, "") for item in range(0, N, 2) for image in ("yes", "no")),
    *((item, "drawn", image, hot) for item in range(N) for image, hot in (("yes", "1"), ("yes", "2"), ("no", "1"))),
]


def verdict_of(item: int, model: str, image: str) -> str:
    """Return a score that is excluded of different models in different conditions."""
    if (model, image) == ("whole", "yes"):
        return "excluded" if item % 4 == 0 else "correct"
    if (model, image) == ("part", "no"):
        return "excluded" if item % 6 == 2 else "correct"
    return "correct" if (item + len(model)) % 3 else "incorrect"


def seen_in(item: int, model: str, image: str, hot: str) -> str:
    return "no" if (item + 2 * (hot == "2") + (model == "part")) % 5 == 0 else "yes"


@pytest.fixture(scope="module")
def reported(
    migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Report, dict[str, Rows]]]:
    folder = tmp_path_factory.mktemp("conditions")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    database, study = Database(engine, folder / "data"), folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(study / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}") for n in range(N)])
    write_table(
        study / "candidates.csv",
        "candidate,item,model,answer,image,temperature",
        [(f"k{n}", f"q{text[0]}", text[1], f"Text {n}", *text[2:]) for n, text in enumerate(TEXTS)],
    )
    situation = imported_listed(database, study, raters=2)
    freezing.freeze_study(database, situation.admin, situation.study_key)

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        item, model, image, hot = TEXTS[int(payload["candidate"].split()[1])]
        return answers(verdict=verdict_of(item, model, image), seen=seen_in(item, model, image, hot))

    store_all(situation, answer)
    data_lock.close_study(database, situation.admin, situation.study_key)
    report = build_report(database, situation.admin, situation.study_key)
    yield report, tables_of(database, report)
    engine.dispose()


def said_in(tables: dict[str, Rows], field: str) -> dict[tuple[str, str, str], list[str]]:
    """Return what was said of the answers to each item, by item, model and condition."""
    said: dict[tuple[str, str, str], list[str]] = {}
    by_candidate = values_in(tables["fields.csv"], field)["Rater 1"]
    for row in tables["candidates.csv"]:
        of_text = said.setdefault((row["item"], row["model"], row["image"]), [])
        of_text.append(by_candidate[row["candidate"]])
    return said


def explanation_of(report: Report, key: str) -> str:
    return next(table.explanation for _, table in report.estimate_tables() if table.key == key)


def test_a_joint_rate_over_models_counts_items_of_which_every_model_says_the_same(
    reported: tuple[Report, dict[str, Rows]],
) -> None:
    report, tables = reported
    of_item: dict[str, dict[str, list[str]]] = {}
    for (item, model, _), own in said_in(tables, "seen").items():
        of_item.setdefault(item, {}).setdefault(model, []).extend(own)
    asked_of_all = [by_model for by_model in of_item.values() if len(by_model) == 3]
    everywhere = [all(each == "yes" for own in by_model.values() for each in own) for by_model in asked_of_all]

    row = estimate_in(tables, "plan", "line_1", "All candidates: Yes by every model", "Rater 1")

    assert 0 < sum(everywhere) < len(everywhere) == N // 2 == int(row["n"])
    assert math.isclose(float(row["value"]), sum(everywhere) / len(everywhere))
    assert "every model's answer to it has to be this option" in explanation_of(report, "line_1")


def test_a_joint_rate_of_scores_leaves_out_what_was_excluded_in_a_condition_with_its_bounds(
    reported: tuple[Report, dict[str, Rows]],
) -> None:
    _, tables = reported
    said = said_in(tables, "verdict")
    questions = [(item, model) for item, model, image in said if image == "yes"]
    texts = [said[*whose, "yes"] + said[*whose, "no"] for whose in questions]
    scored = [own for own in texts if "excluded" not in own]
    left_out = [own for own in texts if "excluded" in own]
    everywhere = sum({*own} == {"correct"} for own in scored)
    label = "All candidates: Correct in every condition"

    row = estimate_in(tables, "plan", "line_2", label, "Rater 1")
    least = estimate_in(tables, "plan", "line_2", f"{label}, left out counted as not", "Rater 1")
    most = estimate_in(tables, "plan", "line_2", f"{label}, left out counted where it can be", "Rater 1")

    can_be = everywhere + sum("incorrect" not in own for own in left_out)
    assert int(row["n"]) == len(scored) and math.isclose(float(row["value"]), everywhere / len(scored))
    assert f"{len(left_out)} of {len(texts)} excluded or not assessable in a condition (q" in row["note"]
    assert math.isclose(float(least["value"]), everywhere / len(texts))
    assert math.isclose(float(most["value"]), can_be / len(texts)) and everywhere < can_be


def test_several_answers_in_a_condition_all_have_to_say_it(reported: tuple[Report, dict[str, Rows]]) -> None:
    report, tables = reported
    said = said_in(tables, "seen")
    drawn = {item: [*said[item, "drawn", "yes"], *said[item, "drawn", "no"]] for item, *_ in said}
    everywhere = sum({*own} == {"yes"} for own in drawn.values())

    row = estimate_in(tables, "plan", "line_4", "Where model is drawn: Yes in every condition", "Rater 1")

    assert int(row["n"]) == N and math.isclose(float(row["value"]), everywhere / N)
    assert "several answers to a question, all of them have to be this option" in explanation_of(report, "line_4")


def test_conditions_are_compared_on_items_within_the_models_scored_in_both(
    reported: tuple[Report, dict[str, Rows]],
) -> None:
    report, tables = reported
    said = said_in(tables, "verdict")

    def mean_of(whose: tuple[str, str, str]) -> float | None:
        scored = [float(each == "correct") for each in said.get(whose, []) if each != "excluded"]
        return sum(scored) / len(scored) if scored else None

    gaps = []
    for item in sorted({item for item, *_ in said}):
        both = [(mean_of((item, model, "no")), mean_of((item, model, "yes"))) for model in ("whole", "part", "drawn")]
        of_models = [blind - seeing for blind, seeing in both if blind is not None and seeing is not None]
        gaps.append(sum(of_models) / len(of_models))

    row = estimate_in(tables, "plan", "line_3", "All candidates: difference of shares", "Image: no minus Image: yes")

    assert int(row["n"]) == len(gaps) and math.isclose(float(row["value"]), sum(gaps) / len(gaps))
    of_readers = "All candidates: difference of shares, for other raters too"
    over_raters = estimate_in(tables, "plan", "line_3", of_readers, "Image: no minus Image: yes")
    # Both raters scored alike, so that the same pairs have a score from all of them.
    assert int(over_raters["n"]) == len(gaps) and math.isclose(float(over_raters["value"]), sum(gaps) / len(gaps))
    assert "only if the same model's answer to the item in the other part" in explanation_of(report, "line_3")
    assert "the same model's answer" not in explanation_of(report, "line_5")


def test_models_are_compared_on_items_within_the_conditions_scored_of_both(
    reported: tuple[Report, dict[str, Rows]],
) -> None:
    report, tables = reported
    scores: dict[tuple[str, str, str, str], float] = {}
    by_candidate = values_in(tables["fields.csv"], "verdict")["Rater 1"]
    for row in tables["candidates.csv"]:
        if by_candidate[row["candidate"]] != "excluded":
            place = (row["item"], row["model"], row["image"], row["temperature"])
            scores[place] = float(by_candidate[row["candidate"]] == "correct")
    gaps: dict[str, list[float]] = {}
    for (item, model, *condition), score in scores.items():
        other = scores.get((item, "whole", *condition))  # type: ignore[arg-type]
        if model == "part" and other is not None:
            gaps.setdefault(item, []).append(score - other)
    of_items = [sum(own) / len(own) for own in gaps.values()]

    row = estimate_in(tables, "plan", "line_5", "All candidates: difference of shares", "part minus whole")

    assert int(row["n"]) == len(of_items) < sum(len(own) for own in gaps.values())
    assert math.isclose(float(row["value"]), sum(of_items) / len(of_items))
    assert "the other model's answer to the item in the same condition" in explanation_of(report, "line_5")
