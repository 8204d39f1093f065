"""Comparisons that are read together: their number, and P values and intervals corrected for it as the plan says."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from agreement import Estimate
from db import Database
from db.engine import make_engine
from exchange.report.estimate_rows import ALL_CANDIDATES, EstimateRow, Party
from exchange.report.report_structure import EstimateTable
from exchange.report.report_words import lines_of
from protocol.language.authored_plan import AuthoredComparisons
from services.report.interval_settings import IntervalSettings
from services.report.sections.comparisons import counted, in_words
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import closed_tables, imported_listed
from tests.services.report.recomputed import Rows
from tests.situations import answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: compared
title: Four models compared
phases:
  - key: rate
    title: Ratings
    rates: candidates
    shows: [prompt, candidate]
    form: {quality: {type: ordinal, options: ['1', '2', '3', '4', '5']}}
analysis:
  primary: {estimate: difference, of: rate.quality, compare: model}
  comparisons: {correction: holm}
"""
MODELS = ("a", "b", "c", "d")
N = 40


@pytest.fixture(scope="module")
def tables(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rows]]:
    """The tables of a closed study in which model d is better than the others."""
    folder = tmp_path_factory.mktemp("holm")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    write_table(study / "items.csv", "item,format,prompt", [(f"q{n}", "open", f"Item {n}?") for n in range(N)])
    texts = [(f"{model}{n}", f"q{n}", model, f"{model} {n}") for n in range(N) for model in MODELS]
    write_table(study / "candidates.csv", "candidate,item,model,answer", texts)
    situation = imported_listed(Database(engine, folder / "data"), study, raters=1)
    freezing.freeze_study(situation.database, situation.admin, situation.study_key)
    drawn = random.Random(7)
    said = {text: str(min(5, drawn.randint(1, 5) + (model == "d"))) for _, _, model, text in texts}

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        return answers(quality=said[payload["candidate"]])

    store_all(situation, answer)
    yield closed_tables(situation)
    engine.dispose()


def compared(tables: dict[str, Rows], words: str, table: str = "line_1") -> list[dict[str, str]]:
    return [row for row in tables["estimates.csv"] if row["table"] == table and row["label"].endswith(words)]


@pytest.mark.parametrize("words", ["mean difference", "chance that the first is higher"])
def test_every_comparison_has_its_number_and_its_corrected_p_value(tables: dict[str, Rows], words: str) -> None:
    rows = compared(tables, words)
    by_hand = multipletests([float(row["p"]) for row in rows], method="holm")[1]

    assert [row["comparisons"] for row in rows] == ["6"] * 6
    for row, p in zip(rows, by_hand, strict=True):
        assert math.isclose(float(row["p_corrected"]), p) and row["note"].startswith("primary") == ("mean" in words)
        assert "Holm, 6 comparisons: P" in row["note"]


def test_intervals_that_hold_together_are_as_wide_as_six_of_them_take(tables: dict[str, Rows]) -> None:
    wider = norm.isf(0.025 / 6) / norm.isf(0.025)
    for row in compared(tables, "mean difference"):
        alone = float(row["high"]) - float(row["low"])
        together = float(row["high_together"]) - float(row["low_together"])

        assert together / alone == pytest.approx(wider, rel=0.1)


def test_what_is_compared_beside_the_plan_is_corrected_alike(tables: dict[str, Rows]) -> None:
    rows = compared(tables, "mean difference", "quality_by_model")

    assert [row["p_corrected"] for row in rows] == [row["p_corrected"] for row in compared(tables, "mean difference")]


def three(settings: IntervalSettings) -> list[EstimateRow]:
    """Return three differences, of which one has no P value."""
    return [
        EstimateRow(
            "mean_difference", "models", (Party("model", "a"), Party("model", name)), ALL_CANDIDATES,
            Estimate("difference", 0.1, 0.0, 0.2, 9, "item", "a method", p=p, confidence=settings.confidence),
        )
        for name, p in (("b", 0.01), ("c", 0.04), ("d", None))
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("plan", "expected"),
    [(None, [None, None, None]), (AuthoredComparisons(correction="bh"), [0.02, 0.04, None])],
)
def test_nothing_said_corrects_nothing_and_a_false_discovery_rate_has_no_intervals(
    plan: AuthoredComparisons | None, expected: list[float | None]
) -> None:
    of_rows = [row.comparison for row in counted(three, IntervalSettings(0.95, 200, 1), plan)]

    assert [each and (each.count, each.p, each.together) for each in of_rows] == [(3, p, None) for p in expected]


@pytest.mark.parametrize(
    ("with_p", "said"),
    [
        (0, ["none of them with a P: no P value"] * 3),
        (2, ["2 of them with a P: P = 0.020", "2 of them with a P: P = 0.040", "2 of them with a P: no P value"]),
    ],
)
def test_comparisons_without_a_p_value_are_said_where_p_values_are_corrected_for_the_others(
    with_p: int, said: list[str]
) -> None:
    def of_which_some_have_no_p(settings: IntervalSettings) -> list[EstimateRow]:
        rows = three(replace(settings, confidence=0.95))
        return [
            row if place < with_p else replace(row, estimate=replace(row.estimate, p=None))
            for place, row in enumerate(rows)
        ]

    holm = AuthoredComparisons(correction="holm")
    rows = [
        replace(row, comparison=row.comparison and replace(row.comparison, together=None))
        for row in counted(of_which_some_have_no_p, IntervalSettings(0.95, 200, 1), holm)
    ]

    notes = [line.note for line in lines_of(EstimateTable("line_1", "T", "", tuple(rows)))]
    assert [note.partition("Holm, 3 comparisons, ")[2] for note in notes] == said
    assert in_words(rows) == (
        "3 comparisons: the P values in the notes are corrected for the number of comparisons that have one."
    )


def test_a_comparison_that_is_alone_is_not_said_to_be_corrected() -> None:
    holm = AuthoredComparisons(correction="holm")
    alone = counted(lambda settings: three(settings)[:1], IntervalSettings(0.95, 200, 1), holm)

    assert in_words(alone) == "1 comparison, so that its P value needs no correction."
    (line,) = lines_of(EstimateTable("line_1", "T", "", tuple(alone)))
    assert "Holm" not in line.note


def test_families_of_different_sizes_are_all_counted_in_words() -> None:
    def of_two_families(settings: IntervalSettings) -> list[EstimateRow]:
        rows = three(settings)
        return [*rows, *(replace(row, compared="interaction") for row in rows[:2])]

    rows = counted(of_two_families, IntervalSettings(0.95, 200, 1), AuthoredComparisons(correction="bh"))

    assert in_words(rows) == (
        "Families of 2 and 3 comparisons: the P values in the notes are corrected for the number of comparisons that "
        "have one."
    )


def test_a_weighted_comparison_is_one_of_as_many_as_are_read_together() -> None:
    def one_of_them_weighted(settings: IntervalSettings) -> list[EstimateRow]:
        rows = three(settings)
        # The units of the two others had equal chances, so that they are not given again.
        return [rows[0], replace(rows[0], weighted=True), *rows[1:]]

    holm = AuthoredComparisons(correction="holm")
    drawn, weighted, *_ = counted(one_of_them_weighted, IntervalSettings(0.95, 200, 1), holm)

    assert drawn.comparison and weighted.comparison
    assert weighted.comparison.count == 3
    assert weighted.comparison.together == drawn.comparison.together
