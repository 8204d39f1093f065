"""Figures of preferences: by the answer that was preferred, from the exported files alone; and of the sides."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy.optimize import minimize

from db.engine import Database, make_engine
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import closed_tables, work_through
from tests.pair_study import opened_pairs
from tests.services.report.recomputed import Rows, estimate_in
from tests.situations import answers

# Which model's answer is better, by the number of the item: one says a tie of item 6, the other one neither.
BETTER = {1: "abc", 2: "acb", 3: "bac", 4: "cba", 5: "abc", 6: "="}


def prefers(rater: str) -> Any:
    """Return how a rater answers, whichever side an answer stands on; the second agrees but on item 5."""

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        models = [text[0].lower() for text in payload["sides"]]
        number = int(payload["sides"][0].split()[-1].rstrip("."))
        order = BETTER[number]
        if order == "=":
            return answers(better="tie" if rater == "Rater 1" else "neither")
        if rater == "Rater 2" and number == 5:
            order = order[::-1]
        return answers(better="a" if order.index(models[0]) < order.index(models[1]) else "b")

    return answer


@pytest.fixture(scope="module")
def tables(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rows]]:
    """The files of a study in which two raters compared three models on six items."""
    folder = tmp_path_factory.mktemp("pairs")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    situation = opened_pairs(Database(engine, folder / "data"), folder / "study")
    for place, rater in enumerate(situation.raters, start=1):
        work_through(replace(situation, raters=(rater,)), prefers(f"Rater {place}"))
    yield closed_tables(situation)
    engine.dispose()


def comparisons(tables: dict[str, Rows]) -> list[tuple[str, str, str, str]]:
    """Return the models of each comparison, which of them was preferred if any, and the item; from the files alone."""
    pairs = {row["pair"]: row for row in tables["pairs.csv"]}
    return [
        (
            pairs[row["candidate"]]["first_model"],
            pairs[row["candidate"]]["second_model"],
            f"model-{row['preferred'][-1]}" if row["preferred"] else "",
            row["item"],
        )
        for row in tables["fields.csv"]
        if row["field"] == "better"
    ]


def of_model(tables: dict[str, Rows], table: str, words: str, model: str, part: str = "All pairs") -> dict[str, str]:
    return estimate_in(tables, "phase_secret_arm", f"better_{table}", f"{part}: {words}", model)


@pytest.mark.parametrize("model", ["model-a", "model-b", "model-c"])
def test_a_win_rate_counts_the_comparisons_in_which_a_model_was_preferred(tables: dict[str, Rows], model: str) -> None:
    own = [each for each in comparisons(tables) if model in each[:2]]

    rate = of_model(tables, "win_rate", "preferred", model)
    tied = of_model(tables, "win_rate", "tie or neither", model)

    assert (int(rate["n"]), int(tied["n"])) == (24, 24) == (len(own), len(own))
    assert math.isclose(float(rate["value"]), sum(won == model for _, _, won, _ in own) / 24)
    assert math.isclose(float(tied["value"]), 4 / 24)
    assert float(rate["low"]) < float(rate["value"]) < float(rate["high"])


def test_the_declared_win_rate_is_the_primary_estimate(tables: dict[str, Rows]) -> None:
    planned = [row for row in tables["estimates.csv"] if row["section"] == "plan"]

    assert {row["raters"] for row in planned} == {"model-a", "model-b", "model-c"}
    assert {row["label"]: row["plan"] for row in planned} == {
        "All pairs: preferred": "primary",
        "All pairs: tie or neither": "also",
    }


def test_of_two_models_alone_a_part_says_who_was_preferred(tables: dict[str, Rows]) -> None:
    rate = of_model(tables, "win_rate", "preferred", "model-a", "Model model-a / model-b")

    # Of items 1, 2 and 5 by the first, of 1 and 2 by the second rater, of six items each.
    assert (int(rate["n"]), float(rate["value"])) == (12, pytest.approx(5 / 12))


def test_strengths_are_the_maximum_of_davidsons_likelihood_over_the_exported_comparisons(
    tables: dict[str, Rows],
) -> None:
    made = comparisons(tables)

    def loss(free: Any) -> float:
        of = {"model-a": free[0], "model-b": free[1], "model-c": -free[0] - free[1]}
        total = 0.0
        for former, other, won, _ in made:
            odds = {former: of[former], other: of[other], "": free[2] + (of[former] + of[other]) / 2}
            total += math.log(sum(map(math.exp, odds.values()))) - odds[won]
        return total

    expected = minimize(loss, [0.0, 0.0, -1.0], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10}).x

    estimated = [of_model(tables, "strength", "strength", model) for model in ("model-a", "model-b")]
    assert [float(row["value"]) for row in estimated] == pytest.approx(expected[:2], abs=1e-4)
    assert {row["n_clusters"] for row in estimated} <= {"6", "5", "4", "3"}


def test_agreement_is_on_the_answer_and_not_on_the_letter(tables: dict[str, Rows]) -> None:
    agreement = of_model(tables, "agreement", "same answer", "Rater 1 and Rater 2")

    # They differ on the three pairs of item 5, and on those of item 6, where one says a tie and the other neither.
    assert (int(agreement["n"]), float(agreement["value"])) == (18, pytest.approx(12 / 18))
    letters = {(row["member"], row["candidate"]): row["value"] for row in tables["fields.csv"]}
    of_item = {row["candidate"]: row["item"] for row in tables["fields.csv"]}
    same = {pair for pair in of_item if letters["Rater 1", pair] == letters["Rater 2", pair]}
    # Sides are drawn: as many may be the same by chance, but hardly all of the same pairs.
    assert same != {pair for pair, item in of_item.items() if item not in ("i5", "i6")}


def test_how_often_a_was_chosen_is_counted_as_it_was_seen(tables: dict[str, Rows]) -> None:
    for rater in ("Rater 1", "Rater 2"):
        letters = Counter(row["value"] for row in tables["fields.csv"] if row["member"] == rater)
        share = of_model(tables, "sides", "A, of all preferences", rater)

        assert (int(share["n"]), letters["a"] + letters["b"]) == (15, 15)
        assert math.isclose(float(share["value"]), letters["a"] / 15)


def test_the_files_say_on_which_side_each_answer_stood_and_which_was_preferred(tables: dict[str, Rows]) -> None:
    sides = {(row["member"], row["candidate"]): (row["side_a"], row["side_b"]) for row in tables["verdicts.csv"]}
    pairs = {row["pair"]: {row["first"], row["second"]} for row in tables["pairs.csv"]}

    assert all(set(sides[member, pair]) == pairs[pair] for member, pair in sides)
    for row in tables["fields.csv"]:
        stood = dict(zip("ab", sides[row["member"], row["candidate"]], strict=True))
        assert row["preferred"] == stood.get(row["value"], "")
    assert {row["candidate"] for row in tables["candidates.csv"]}.isdisjoint(pairs)
