"""Lines of a plan that hold a judge against people: alike everywhere, and scores corrected; by hand from CSV files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from agreement import Estimate
from db import Database
from db.engine import make_engine
from exchange.report.estimate_rows import ALL_CANDIDATES, Category, EstimateRow
from protocol.language.authored_plan import AuthoredEstimate
from protocol.language.expansion import Field
from services.judging import import_runs
from services.report import Figure, build_report, figures_of
from services.report.sections.judged_lines import corrected_in_words, uniformity_in_words
from services.studies.freeze import freezing
from tests.harness.databases import copy_of_sqlite_file
from tests.listed_study import closed_tables, imported_listed
from tests.protocol.language.study_text import expanded
from tests.services.report.recomputed import Rows, values_in
from tests.situations import Situation, answers, write_table
from tests.stored_answers import store_all

PROTOCOL = """
blindread: 2
name: judged
title: Judged by a person and a judge
attributes: {items: {tier: {type: ordinal, options: ['1', '2', '3']}, site: text,
  hardness: {type: number, bins: [40, 90]}}}
phases:
  - key: score
    title: Scores
    rates: candidates
    from: {where: {model: read}, sample: {strata: tier, sizes: {'1': 20, '2': all, '3': all}}}
    shows: [prompt, reference, candidate]
    form: {verdict: correctness}
analysis:
  primary: {estimate: corrected, of: score.verdict, with: judges, by: model}
  also:
    - {estimate: uniformity, of: score.verdict, with: judges, over: [tier, site]}
    - {estimate: uniformity, of: score.verdict, over: model}
    - {estimate: uniformity, of: score.verdict, with: judges, over: hardness}
    - {estimate: corrected, of: score.verdict, with: judges, by: hardness}
    - {estimate: uniformity, of: score.verdict, over: tier, by: model}
"""
N = 120
# People rate answers of the first alone.
MODELS = ("read", "judged")
TIERS = {"1": 60, "2": 30, "3": 30}


def tier(number: int) -> str:
    return "1" if number < 60 else "2" if number < 90 else "3"


def site(number: int) -> str:
    return ("north", "south")[number % 2]


def person_says(number: int) -> bool:
    return number % 5 != 0


def judge_says(number: int) -> bool:
    """Say otherwise of a few, and of most of them in the third tier."""
    return person_says(number) != (number % 17 == 3 or (number >= 90 and number % 3 == 1))


@pytest.fixture(scope="module")
def situation(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Situation]:
    folder = tmp_path_factory.mktemp("judged")
    engine = make_engine(copy_of_sqlite_file(migrated_sqlite, folder / "data" / "blindread.db"))
    study = folder / "study"
    study.mkdir()
    (study / "protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    items = [(f"q{n}", "open", f"Item {n}?", tier(n), site(n), n) for n in range(N)]
    write_table(study / "items.csv", "item,format,prompt,tier,site,hardness", items)
    references = [(f"q{n}", "left", "", "", "", "") for n in range(N)]
    write_table(study / "references.csv", "item,accepted,low,high,text_only_answer,provenance", references)
    texts = [(f"{model}{n}", f"q{n}", model, f"{model} {n}") for n in range(N) for model in MODELS]
    write_table(study / "candidates.csv", "candidate,item,model,answer", texts)
    situation = imported_listed(Database(engine, folder / "data"), study, raters=1)
    freezing.freeze_study(situation.database, situation.admin, situation.study_key)
    for name, says in (("strict", judge_says), ("lenient", lambda number: True)):
        lines = [f"q{n},{model}{n},{'correct' if says(n) else 'incorrect'}," for n in range(N) for model in MODELS]
        if name == "lenient":
            lines = ["q0,judged0,,refusal", "q1,judged1,,unreadable", "q2,judged2,,", *lines[6:]]
        import_runs.import_judge_verdicts(
            situation.database, situation.admin, situation.study_key, name=name, judge="J",
            content="\n".join(["item,candidate,verdict,failure", *lines]).encode(),
            file_name="judge.csv", field="score.verdict",
        )  # fmt: skip

    def answer(payload: dict[str, Any]) -> dict[str, Any]:
        return answers(verdict="correct" if person_says(int(payload["candidate"].split()[1])) else "incorrect")

    store_all(situation, answer)
    yield situation
    engine.dispose()


@pytest.fixture(scope="module")
def tables(situation: Situation) -> dict[str, Rows]:
    return closed_tables(situation)


@pytest.fixture(scope="module")
def figures(situation: Situation, tables: dict[str, Rows]) -> dict[str, Figure]:
    """The figures of the report, once the study is closed."""
    report = build_report(situation.database, situation.admin, situation.study_key)
    return {figure.key: figure for figure in figures_of(report) if figure.section == "plan"}


def test_scores_of_models_as_judged_and_corrected_are_drawn_with_their_intervals(figures: dict[str, Figure]) -> None:
    figure = figures["plan-line_1-share"]

    assert {line.replace("<br>", " ").rpartition(": ")[2] for line in figure.figure.layout.yaxis.ticktext} == {
        "Share correct as judged",
        "Share correct, corrected by people",
    }


def test_the_levels_of_a_uniformity_are_drawn_and_every_two_of_them_are_not(figures: dict[str, Figure]) -> None:
    figure = figures["plan-line_2-signed_difference"]

    assert {line.partition(":")[0] for line in figure.figure.layout.yaxis.ticktext} == {"Tier", "Site"}
    assert figure.figure.layout.xaxis.title.text == "Human minus judge (points)"


def test_the_caption_of_levels_gives_the_confidence_with_which_all_their_intervals_hold(
    figures: dict[str, Figure],
) -> None:
    assert "lines: 95 % intervals that hold together (" in figures["plan-line_2-signed_difference"].caption


def rated(tables: dict[str, Rows]) -> dict[int, float]:
    """Return what the person said of the answers that were drawn: 1 for correct."""
    (given,) = values_in(tables["fields.csv"], "verdict").values()
    return {int(key.removeprefix("read")): float(value == "correct") for key, value in given.items()}


def line(tables: dict[str, Rows], table: str, label: str, whose: str) -> dict[str, str]:
    (row,) = [
        row for row in tables["estimates.csv"] if (row["table"], row["label"], row["raters"]) == (table, label, whose)
    ]
    return row


def test_a_corrected_score_is_that_of_people_over_all_answers_of_a_model(tables: dict[str, Rows]) -> None:
    human = rated(tables)
    weight = {n: TIERS["1"] / 20 if tier(n) == "1" else 1.0 for n in human}
    w = np.array([weight[n] for n in human])
    y, f = np.array(list(human.values())), np.array([float(judge_says(n)) for n in human])
    everywhere = np.array([float(judge_says(n)) for n in range(N)])
    # Whatever lambda is, the rectifier is weighted by one over the chance of being drawn.
    row = line(tables, "line_1", "All candidates: share correct, corrected by people", "read by strict")
    centred_y, centred_f = y - np.average(y, weights=w), f - np.average(f, weights=w)
    tuned = np.sum(w * (w - 1) * centred_y * centred_f) / np.sum(w * (w - 1) * centred_f**2)
    tuned = min(1.0, max(0.0, tuned))
    by_hand = tuned * everywhere.mean() + np.average(y - tuned * f, weights=w)

    assert len(human) == 80 and math.isclose(float(row["value"]), by_hand, rel_tol=1e-9)
    assert row["plan"] == "primary" and float(row["low"]) < by_hand < float(row["high"])


def test_the_score_as_judged_stands_beside_it_and_is_not_the_primary_estimate(tables: dict[str, Rows]) -> None:
    row = line(tables, "line_1", "All candidates: share correct as judged", "read by strict")

    assert math.isclose(float(row["value"]), np.mean([judge_says(n) for n in range(N)])) and row["plan"] == "also"


def test_a_model_of_which_people_rated_nothing_has_no_corrected_score_and_says_so(tables: dict[str, Rows]) -> None:
    row = line(tables, "line_1", "All candidates: share correct, corrected by people", "judged by strict")

    assert (row["value"], row["undefined_because"]) == ("", "people rated no answer of this model")


def test_uniformity_is_one_test_for_each_attribute_adjusted_for_their_number(tables: dict[str, Rows]) -> None:
    human = rated(tables)
    d = np.array([human[n] - judge_says(n) for n in human])
    tests = {}
    for name, level_of in (("Tier", tier), ("Site", site)):
        levels = np.array([level_of(n) for n in human])
        between = sum(np.sum(levels == level) * (d[levels == level].mean() - d.mean()) ** 2 for level in set(levels))
        statistic = between / d.var(ddof=1)
        tests[name] = statistic, chi2.sf(statistic, len(set(levels)) - 1)
    ascending = sorted(p for _, p in tests.values())
    holm = {ascending[0]: min(1.0, 2 * ascending[0])}
    holm[ascending[1]] = max(holm[ascending[0]], ascending[1])
    for name, (statistic, p) in tests.items():
        label = f"All candidates: {name}: is the difference the same at every level (chi-square)"
        row = line(tables, "line_2", label, "Rater 1 and strict")
        assert math.isclose(float(row["value"]), statistic) and math.isclose(float(row["p"]), holm[p])
        assert row["plan"] == "also"


def test_levels_and_their_differences_have_intervals_that_hold_together(tables: dict[str, Rows]) -> None:
    human = rated(tables)

    row = line(tables, "line_2", "Tier: 3: human minus judge", "Rater 1 minus strict")
    third = [human[n] - judge_says(n) for n in human if tier(n) == "3"]
    assert math.isclose(float(row["value"]), np.mean(third)) and row["n"] == "30"
    assert "95 % for 3 intervals together" in row["method"]
    gap = line(tables, "line_2", "All candidates: Tier: difference of two levels", "Tier: 1 minus Tier: 3 by strict")
    first = [human[n] - judge_says(n) for n in human if tier(n) == "1"]
    assert math.isclose(float(gap["value"]), np.mean(first) - np.mean(third))


def test_differences_of_levels_stand_with_the_largest_first(tables: dict[str, Rows]) -> None:
    for judge in ("strict", "lenient"):
        sizes = [
            abs(float(row["value"]))
            for row in tables["estimates.csv"]
            if row["table"] == "line_2" and row["label"].endswith("Tier: difference of two levels")
            if row["raters"].endswith(f" by {judge}")
        ]
        assert len(sizes) == 3 and sizes == sorted(sizes, reverse=True)


def test_numbers_are_parted_by_their_declared_bounds(tables: dict[str, Rows]) -> None:
    human = rated(tables)
    hard = [human[n] - judge_says(n) for n in human if n >= 90]
    middle = [judge_says(n) for n in range(N) if 40 <= n < 90]

    row = line(tables, "line_4", "Hardness: 90 or more: human minus judge", "Rater 1 minus strict")
    judged = line(tables, "line_5", "Hardness: 40 to below 90: share correct as judged", "strict")

    assert math.isclose(float(row["value"]), np.mean(hard)) and row["n"] == str(len(hard))
    assert math.isclose(float(judged["value"]), np.mean(middle))


def test_levels_stand_in_the_order_in_which_they_are_declared(tables: dict[str, Rows]) -> None:
    labels = [row["label"] for row in tables["estimates.csv"] if row["table"] == "line_4"]
    levels = [label.split(":")[1].strip() for label in labels if label.startswith("Hardness: ")]

    assert levels == 2 * ["below 40", "40 to below 90", "90 or more"]


def field_of(text: str) -> Field:
    """Return the field of a phase that rates candidates, as expanded."""
    form = f"{{key: grade, rates: candidates, shows: [prompt, candidate], form: {{{text}}}}}"
    return expanded(f"phases: [{form}]").phase("grade").fields[0]


def test_what_is_said_of_the_test_is_what_its_rows_have() -> None:
    def said(*attributes: str, p: float | None = 0.2) -> str:
        test = Estimate("chi-square", 3.3, math.nan, math.nan, 80, "candidate", "score test", "a test has none", p=p)
        rows = [
            EstimateRow("chi_square", "levels", (), ALL_CANDIDATES, test, category=Category(name, name))
            for name in attributes
        ]
        return uniformity_in_words(field_of("verdict: correctness"), rows)

    assert "by Holm" in said("tier", "site") and "A large P" in said("tier", "site")
    assert "by Holm" not in said("tier") and "Bonferroni" not in said("tier")
    assert said("model", p=None).endswith("at every level of what the plan names.")


@pytest.mark.parametrize(
    ("field", "above_0"),
    [
        ("verdict: correctness", "above 0 the judge is stricter"),
        ("harm: yes_no", "above 0 the judge chooses it less often"),
        ("quality: {type: ordinal, options: {'1': Poor, '2': Good}}", "above 0 the judge gives less"),
    ],
)
def test_a_table_of_uniformity_says_what_above_0_means_of_its_field(field: str, above_0: str) -> None:
    words = uniformity_in_words(field_of(field), ())

    assert "uman minus judge" in words and above_0 in words and words.count("above 0") == 1


def test_over_a_single_level_uniformity_is_undefined_and_says_why(tables: dict[str, Rows]) -> None:
    label = "All candidates: Model: is the difference the same at every level (chi-square)"
    row = line(tables, "line_3", label, "Rater 1 and strict")

    assert (row["value"], row["undefined_because"]) == ("", "one level only: uniformity is not estimable")


def test_no_two_lines_of_several_judges_are_called_the_same(tables: dict[str, Rows]) -> None:
    names = [
        (row["section"], row["table"], row["label"], row["raters"], row["method"]) for row in tables["estimates.csv"]
    ]

    assert "Tier: 1 minus Tier: 3 by lenient" in {whose for _, _, _, whose, *_ in names}
    assert len(set(names)) == len(names)


def test_who_the_judges_are_and_what_they_failed_to_say_is_a_table(tables: dict[str, Rows]) -> None:
    counts = {(row["row"], row["column"]): row["value"] for row in tables["counts.csv"] if row["table"] == "judge_runs"}

    assert counts["2", "run"] == "lenient" and counts["2", "field"] == "Scores: Verdict"
    assert [counts["2", column] for column in ("candidates", "verdicts", "not_in_run")] == ["240", "234", "3"]
    assert [counts["2", column] for column in ("refusal", "unreadable", "no_verdict")] == ["1", "1", "1"]
    assert ("2", "error") not in counts


def test_what_a_judge_and_people_said_is_counted_in_both_ways(tables: dict[str, Rows]) -> None:
    human = rated(tables)
    lenient = sum(judge_says(n) and not human[n] for n in human)
    counts = [row for row in tables["counts.csv"] if row["table"] == "verdict_matrix_strict_Rater 1"]

    (said,) = (row["value"] for row in counts if (row["row"], row["column"]) == ("1", "Rater 1: Incorrect"))
    assert int(said) == lenient


def test_the_share_as_judged_is_bounded_by_what_has_no_verdict(tables: dict[str, Rows]) -> None:
    label = "All candidates: share correct as judged"
    worst = line(tables, "line_1", f"{label}, all unresolved incorrect", "judged by lenient")
    best = line(tables, "line_1", f"{label}, all unresolved correct", "judged by lenient")

    assert (worst["value"], best["value"]) == (str(117 / 120), "1.0")


def test_a_part_of_which_people_rated_nothing_has_the_test_without_a_value(tables: dict[str, Rows]) -> None:
    of_line = [row for row in tables["estimates.csv"] if row["table"] == "line_6" and "chi-square" in row["label"]]
    rated, unrated = ([row for row in of_line if row["label"].startswith(f"Model {name}:")] for name in MODELS)

    assert [(row["raters"], row["name"]) for row in unrated] == [(row["raters"], row["name"]) for row in rated]
    # It stays in its place among the parts.
    assert of_line == [*unrated, *rated]
    said = {(row["value"], row["n"], row["undefined_because"]) for row in unrated}
    assert said == {("", "0", "people rated none of these candidates")}


@pytest.mark.parametrize(("further", "said"), [({"compare": "model"}, True), ({"by": "model"}, False)])
def test_a_difference_of_two_scores_is_said_to_be_of_all_that_each_model_answered(
    further: dict[str, str], said: bool
) -> None:
    line = AuthoredEstimate.model_validate({"estimate": "corrected", "of": "score.verdict"} | further)

    assert ("under conditions under which the other did not" in corrected_in_words(line)) == said
