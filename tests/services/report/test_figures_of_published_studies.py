"""Published studies from verdicts with the printed counts: their figures, recomputed from the CSV files alone."""

from __future__ import annotations

import itertools
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from db import Database
from services.report import Report, figures_of
from tests.services.report import planted
from tests.services.report.recomputed import (
    Rows,
    estimate_in,
    kappa_by_hand,
    pairs_of,
    share_same,
    tables_of,
    values_in,
)

BOTH = "Rater 1 and Rater 2"
Tables = dict[str, Rows]


@pytest.fixture(scope="module")
def exported(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[Callable[[Database, Path], Report]], Tables]]:
    """Make a study once, and return the tables that its report exports."""
    made: dict[str, Tables] = {}
    engines = []

    def tables(make: Callable[[Database, Path], Report]) -> Tables:
        if make.__name__ not in made:
            database, report = planted.made_once_in_the_run(make, tmp_path_factory.mktemp(make.__name__))
            engines.append(database.engine)
            made[make.__name__] = tables_of(database, report)
        return made[make.__name__]

    yield tables
    for engine in engines:
        engine.dispose()


Exported = Callable[[Callable[[Database, Path], Report]], Tables]


def value(row: dict[str, str]) -> float:
    return float(row["value"])


def test_the_scorers_of_neuroqa_agree_by_category_as_printed(exported: Exported) -> None:
    tables = exported(planted.scored_answers)
    said = values_in(tables["fields.csv"], "verdict")
    category_of_item = {row["item"]: row["category"] for row in tables["items.csv"]}
    category_of = {row["candidate"]: category_of_item[row["item"]] for row in tables["candidates.csv"]}
    pairs = pairs_of(said["Rater 1"], said["Rater 2"])

    row = estimate_in(tables, "plan", "line_1", "All candidates: Cohen’s kappa", BOTH)
    assert (row["n"], row["plan"], row["unit"], row["cluster"]) == ("291", "primary", "candidate", "item")
    assert math.isclose(value(row), kappa_by_hand(pairs)) and round(value(row), 2) == 0.92
    assert math.isclose(value(row), cohen_kappa_score(*zip(*pairs, strict=True)))

    printed = {"Anatomy": "1.00", "Demographic": "1.00", "Location": "0.92", "Longitudinal": "", "Reasoning": "0.85",
               "Severity": "0.76", "Signal": "1.00"}  # fmt: skip
    for category, kappa in printed.items():
        row = estimate_in(tables, "phase_score", "verdict_agreement", f"Category: {category}: Cohen’s kappa", BOTH)
        here = pairs_of(said["Rater 1"], said["Rater 2"], [key for key in category_of if category_of[key] == category])
        assert int(row["n"]) == len(here) == sum(planted.SCORED[category])
        assert row["plan"] == ""
        if kappa:
            assert f"{value(row):.2f}" == kappa
            assert math.isclose(value(row), kappa_by_hand(here))
        else:
            assert row["value"] == "" and "kappa needs two or more" in row["undefined_because"]


@pytest.mark.parametrize("scorer", ["token F1", "exact match"])
def test_automatic_scores_go_with_what_the_scorers_agree_on_in_each_model(exported: Exported, scorer: str) -> None:
    tables = exported(planted.scored_answers)
    said = values_in(tables["fields.csv"], "verdict")
    agreed = {
        unit: float(said["Rater 1"][unit] == "correct")
        for unit in said["Rater 1"]
        if said["Rater 1"][unit] == said["Rater 2"][unit]
    }
    texts = {row["candidate"]: (row["model"], row["answer"]) for row in tables["candidates.csv"]}
    reference = "left frontal lobe"

    for number, model in ((2, None), (3, "GPT-5.2"), (3, "GPT-5-nano"), (3, "MedGemma-4B")):
        units = [unit for unit in agreed if model in (None, texts[unit][0])]
        scores = {
            "token F1": [overlap(texts[unit][1], reference) for unit in units],
            "exact match": [float(words_of(texts[unit][1]) == words_of(reference)) for unit in units],
        }
        by_hand = spearmanr(scores[scorer], [agreed[unit] for unit in units])
        part = "All candidates" if model is None else f"Model {model}"
        row = estimate_in(tables, "plan", f"line_{number}", f"{part}: {scorer}: Spearman correlation", "Consensus")
        assert int(row["n"]) == len(units) and row["unit"] == "candidate"
        assert math.isclose(value(row), by_hand.statistic, abs_tol=1e-12)
        assert float(row["low"]) < value(row) < float(row["high"])


def words_of(text: str) -> list[str]:
    """Return the words that SQuAD compares: in lower case, without punctuation and articles."""
    bare = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def overlap(answer: str, reference: str) -> float:
    """Return SQuAD's token F1."""
    given, wanted = words_of(answer), words_of(reference)
    common = sum((Counter(given) & Counter(wanted)).values())
    return 2 * common / (len(given) + len(wanted)) if common else 0.0


def test_the_coders_of_neural_medbench_agree_in_each_category_as_by_hand(exported: Exported) -> None:
    tables = exported(planted.coded_errors)
    said = values_in(tables["fields.csv"], "error")
    pairs = pairs_of(said["Rater 1"], said["Rater 2"])

    row = estimate_in(tables, "plan", "line_1", "All candidates: Cohen’s kappa", BOTH)
    assert (row["n"], row["plan"]) == ("100", "primary") and round(value(row), 2) == 0.82
    assert math.isclose(value(row), cohen_kappa_score(*zip(*pairs, strict=True)))
    texts = {"reasoning": "Reasoning failure", "perception": "Perceptual failure", "grounding": "Grounding error",
             "hallucination": "Visual hallucination", "knowledge": "Knowledge gap"}  # fmt: skip
    for option, text in texts.items():
        against_the_rest = [(str(a == option), str(b == option)) for a, b in pairs]
        row = estimate_in(tables, "phase_code", "error_per_category", f"All candidates: {text}: kappa", BOTH)
        assert math.isclose(value(row), kappa_by_hand(against_the_rest))
        for member, own in said.items():
            row = estimate_in(tables, "plan", "line_2", f"All candidates: {text}", member)
            assert math.isclose(value(row), list(own.values()).count(option) / 100)
            assert row["plan"] == "also" and float(row["low"]) < value(row) < float(row["high"])


def test_mean_ratings_of_marcus_have_ten_thousand_resamples_of_whole_subjects(exported: Exported) -> None:
    tables = exported(planted.rated_answers)
    said = values_in(tables["fields.csv"], "likert")
    item_of = {row["candidate"]: (row["model"], row["item"]) for row in tables["candidates.csv"]}
    subject_of = {row["item"]: row["subject"] for row in tables["items.csv"]}
    means = {unit: (float(said["Rater 1"][unit]) + float(said["Rater 2"][unit])) / 2 for unit in said["Rater 1"]}

    for model in ("GPT-5", "MARCUS"):
        units = [unit for unit in means if item_of[unit][0] == model]
        row = estimate_in(tables, "plan", "line_1", f"Model {model}: mean", "All raters")
        assert math.isclose(value(row), sum(means[unit] for unit in units) / 30)
        assert (row["n"], row["n_clusters"], row["plan"]) == ("30", "20", "primary")
        assert "cluster bootstrap, percentile, 10000 resamples, seed 1" in row["method"]
        low, high = resampled([(subject_of[item_of[unit][1]], means[unit]) for unit in units])
        assert float(row["low"]) == pytest.approx(low, abs=0.03)
        assert float(row["high"]) == pytest.approx(high, abs=0.03)

    of_model = {
        model: {item_of[unit][1]: mean for unit, mean in means.items() if item_of[unit][0] == model}
        for model in ("GPT-5", "MARCUS")
    }
    differences = [of_model["GPT-5"][item] - of_model["MARCUS"][item] for item in of_model["GPT-5"]]
    row = estimate_in(tables, "plan", "line_2", "All candidates: mean difference", "GPT-5 minus MARCUS")
    assert math.isclose(value(row), sum(differences) / 30)
    row = estimate_in(
        tables, "plan", "line_2", "All candidates: chance that the first is higher", "GPT-5 against MARCUS"
    )
    wins = [
        (first > second) + (first == second) / 2
        for first in of_model["GPT-5"].values()
        for second in of_model["MARCUS"].values()
    ]
    assert math.isclose(value(row), sum(wins) / len(wins))


def resampled(values: list[tuple[str, float]]) -> tuple[float, float]:
    """Return the percentiles of means over subjects drawn with replacement."""
    rng = np.random.default_rng(7)
    subjects = sorted({subject for subject, _ in values})
    sums = np.array([sum(number for own, number in values if own == subject) for subject in subjects])
    counts = np.array([sum(own == subject for own, _ in values) for subject in subjects])
    drawn = rng.integers(0, len(subjects), (10_000, len(subjects)))
    low, high = np.percentile(sums[drawn].sum(1) / counts[drawn].sum(1), [2.5, 97.5])
    return float(low), float(high)


def test_weighted_kappa_of_ratings_runs_over_the_whole_scale(exported: Exported) -> None:
    tables = exported(planted.rated_answers)
    said = values_in(tables["fields.csv"], "likert")
    pairs = pairs_of(said["Rater 1"], said["Rater 2"])
    first, second = ([int(own[place]) for own in pairs] for place in (0, 1))
    # Nobody gave a 3, and 2 and 4 stay two steps apart.
    assert 3 not in first + second

    for weights in ("linear", "quadratic"):
        row = estimate_in(tables, "phase_rate", "likert_agreement", f"All candidates: kappa, {weights} weights", BOTH)
        assert math.isclose(value(row), cohen_kappa_score(first, second, labels=[1, 2, 3, 4, 5], weights=weights))
    row = estimate_in(
        tables, "phase_rate", "likert_agreement", "All candidates: mean difference", "Rater 1 minus Rater 2"
    )
    assert math.isclose(value(row), sum(a - b for a, b in zip(first, second, strict=True)) / 60)


def test_the_residents_of_neuroqa_are_right_as_often_as_printed(exported: Exported) -> None:
    tables = exported(planted.read_subset)
    formats = {row["item"]: row["format"] for row in tables["items.csv"]}
    fields = tables["fields.csv"]
    right = {
        member: {row["item"]: row["correct"] for row in fields if row["member"] == member}
        for member in ("Rater 1", "Rater 2")
    }
    closed = "Where format is yes/no or choice"
    printed = {
        ("plan", "line_1", closed): ("46.7", "51.1", 90),
        ("plan", "line_2", "All items"): ("45.0", "48.0", 100),
        ("phase_read", "answer_accuracy", "Yes/no"): ("49.3", "54.8", 73),
        ("phase_read", "answer_accuracy", "Choice"): ("35.3", "35.3", 17),
        ("phase_read", "answer_accuracy", "Open answer"): ("30.0", "20.0", 10),
        ("phase_read", "answer_accuracy", "Closed formats (yes/no and choice)"): ("46.7", "51.1", 90),
    }
    of_part = {closed: ("yes_no", "choice"), "Closed formats (yes/no and choice)": ("yes_no", "choice"),
               "Yes/no": ("yes_no",), "Choice": ("choice",), "Open answer": ("open",)}  # fmt: skip
    for (section, table, part), (*percents, n) in printed.items():
        for member, percent in zip(("Rater 1", "Rater 2"), percents, strict=True):
            row = estimate_in(tables, section, table, f"{part}: accuracy on these items", member)
            own = [
                correct
                for item, correct in right[member].items()
                if formats[item] in of_part.get(part, ("yes_no", "choice", "open"))
            ]
            assert len(own) == int(row["n"]) == n
            assert math.isclose(value(row), own.count("yes") / n)
            assert f"{100 * value(row):.1f}" == percent
    primary = estimate_in(tables, "plan", "line_1", f"{closed}: accuracy on these items", "Rater 1")
    assert primary["plan"] == "primary"


def test_the_residents_agree_on_answers_otherwise_than_on_correctness(exported: Exported) -> None:
    tables = exported(planted.read_subset)
    formats = {row["item"]: row["format"] for row in tables["items.csv"]}
    said = {
        member: {item: f"{formats[item]} {answer}" for item, answer in own.items()}
        for member, own in values_in(tables["fields.csv"], "answer", "item").items()
    }
    pairs = pairs_of(said["Rater 1"], said["Rater 2"])
    table = ("phase_read", "answer_agreement")

    same = estimate_in(tables, *table, "All items: same answer", BOTH)
    assert math.isclose(value(same), share_same(pairs)) and f"{value(same):.2f}" == "0.56"
    kappa = estimate_in(tables, *table, "All items: Cohen’s kappa", BOTH)
    assert math.isclose(value(kappa), kappa_by_hand(pairs)) and f"{value(kappa):.2f}" == "0.40"
    assert "descriptive only" in kappa["note"]
    on_correctness = estimate_in(tables, "phase_read", "answer_on_correctness", "All items: Cohen’s kappa", BOTH)
    assert f"{value(on_correctness):.2f}" == "0.22"
    assert "on correctness" in on_correctness["name"] and "on answers" in kappa["name"]


def test_the_floors_are_those_of_the_very_items_that_were_read(exported: Exported) -> None:
    tables = exported(planted.read_subset)
    closed = "Where format is yes/no or choice"
    references = {row["item"]: row for row in tables["references.csv"]}
    formats = {row["item"]: row["format"] for row in tables["items.csv"]}
    lines = [references[item] for item, form in formats.items() if form != "open"]

    chance = estimate_in(tables, "plan", "line_3", f"{closed}: chance floor", "Chance")
    # 73 of two answers and 17 of four, of these items.
    assert math.isclose(value(chance), (73 / 2 + 17 / 4) / 90)
    floor = estimate_in(tables, "plan", "line_3", f"{closed}: text-only floor", "Text-only baseline")
    right = sum(line["accepted"] == line["text_only_answer"] for line in lines)
    assert math.isclose(value(floor), right / 90)
    shortcut = estimate_in(tables, "plan", "line_3", f"{closed}: Shortcut Score, text-only floor", "Rater 1")
    assert math.isclose(value(shortcut), (90 - 42) / (90 - right))


def test_a_scale_is_drawn_on_both_sides_of_its_middle_from_the_unweighted_shares(tmp_path: Path) -> None:
    _, report = planted.made_once_in_the_run(planted.rated_answers, tmp_path)
    figures = {figure.key: figure for figure in figures_of(report)}
    bars = figures["phase_rate-likert_distribution"].figure.data

    assert bars[0].name.startswith("Incorrect") and len(bars) == 5
    for line in range(len(bars[0].x)):
        assert sum(bar.x[line] for bar in bars) == pytest.approx(100)
        # Half of what is in the middle lies on each side of 0.
        assert bars[2].base[line] == pytest.approx(-bars[2].x[line] / 2)
        for lower, upper in itertools.pairwise(bars):
            assert upper.base[line] == pytest.approx(lower.base[line] + lower.x[line])
